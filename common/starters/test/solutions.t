#!/bin/bash
# solutions.sh in a cheap form: a few cases of every solution in two orders, with SHORT=1 of a third of them (common/mk/test/short.sh); and what it must refuse.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
CUDA_HOME=$(common/mk/cuda-home.sh)
export CUDA_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILD KIT CASES=3 SEEDS=2 HARNESS=$work/harness
# check-starters.t compiles the solutions with all headers.
. grader/test/quick-kit.sh
. common/mk/test/short.sh
make_lean_toolkit "$work/toolkit"
PATH=$CUDA_HOME/bin:$PATH

all=($(cd solutions && ls -d [0-9][0-9]-*)) labs=()
for lab in "${all[@]}"; do is_out_of_turn "${lab%%-*}" || labs+=("$lab"); done
common/starters/solutions.sh "${labs[@]}" | grep -v '^1\.\.'
n=${#labs[@]}
left_out $((${#all[@]} - n)) "solutions in several orders"

# NAME SAYS LAB FILE: the submission must not pass for a solution.
refused() {
    local out
    n=$((n + 1))
    if ! out=$(CASES=0 SOLUTION=$4 common/starters/solutions.sh "$3") && [[ $out == *"$2"* ]]; then echo "ok $n - refused: $1"
    else
        echo "not ok $n - refused: $1"
        sed 's/^/# /' <<<"$out"
    fi
}

# Only the labs that are named, with a comma or a space between them.
named=$(make -n check-solutions LABS=02-vector-add,01-indexing BUILD="$BUILD" 2>&1)
n=$((n + 1))
if [[ $named = *"solutions.sh 02-vector-add 01-indexing" ]]; then echo "ok $n - make check-solutions LABS=a,b"
else
    echo "not ok $n - make check-solutions LABS=a,b"
    tail -n 3 <<<"$named" | sed 's/^/# /'
fi
refused "a lab that is not there" "there is no lab 99-none" 99-none ""

# SED: lab 02's solution, changed.
changed() { sed -E "$1" solutions/02-vector-add/vector_add.cu >"$work/changed.cu"; }

"$BUILD/bin/labtool" broken 02-vector-add no-guard >"$work/no-guard.cu"
refused "a finding" "findings" 02-vector-add "$work/no-guard.cu"
changed 's/a\[i\] \+ b\[i\];/a[i] - b[i];/'
refused "a wrong result" "not right" 02-vector-add "$work/changed.cu"
changed '1s/^/__device__ unsigned turn;\n/; s/c\[i\] = a\[i\] \+ b\[i\];/c[i] = a[i] + b[i] + (i < 32 ? 0 : (int)atomicAdd(\&turn, 1));/'
refused "a result that depends on the order of warps" "the bytes that seed 1 gave" 02-vector-add "$work/changed.cu"
changed 's/^( *)int blocks = .*/&\n\1volatile char *past = (volatile char *)malloc(8);\n\1past[blocks * 0 + 8] = 1;\n\1free((void *)past);/'
refused "a host array overrun" "heap-buffer-overflow" 02-vector-add "$work/changed.cu"
changed 's/^( *)int blocks = .*/&\n\1volatile int most = 0x7fffffff;\n\1most += blocks + 1;/'
refused "an overflow of an int on the host" "signed integer overflow" 02-vector-add "$work/changed.cu"
echo "1..$n"
