#!/bin/bash
# Starters, solutions, broken and accepted submissions of every lab: each compiles, and gets what it must.
#
# LABS=02-vector-add restricts it. One class is graded, in which every file is a student: `solution`, `starter`, and
# one for each file in broken/ and accepted/.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
check_result=$BUILD/common/starters/test/check_result
work=$(mktemp -d /tmp/check-starters.XXXXXX)
trap 'rm -rf "$work"' EXIT

n=0
# NAME COMMAND...: one test; the command's output is shown when it fails.
try() {
    local name=$1 out
    shift
    n=$((n + 1))
    if out=$("$@" 2>&1); then echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/# /' <<<"$out"
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

labs=${LABS:-}
[ -n "$labs" ] || labs=$(cd solutions && echo [0-9][0-9]-*)
labs=${labs//,/ }

# The one file of a lab that students write.
stem_of() { local s=${1#*-}; echo "${s//-/_}"; }

compiles_without_warning() {
    local out
    out=$(nvcc -arch="${CUDA_ARCH:-compute_75}" -lineinfo -g -I "labs/$1" -I common/lab -c -o "$work/starter.o" "labs/$1/$(stem_of "$1").cu" 2>&1) ||
        { echo "$out"; return 1; }
    [ -z "$out" ] || { echo "$out"; return 1; }
}

# LAB FILE STUDENT: hands a file in.
hand_in() {
    mkdir -p "$work/class/$3/$1"
    cp "$2" "$work/class/$3/$1/$(stem_of "$1").cu"
}

student_of() { echo "$(basename "$(dirname "$1")")-$(basename "$1" .cu)"; }

for lab in $labs; do
    try "$lab: starter and handout agree with the solution" "$BUILD/bin/starters" --check "$lab"
    if command -v nvcc >/dev/null; then try "$lab: the starter compiles without a warning" compiles_without_warning "$lab"
    else skip "$lab: the starter compiles without a warning" "nvcc is not here"; fi
    stem=$(stem_of "$lab")
    hand_in "$lab" "labs/$lab/$stem.cu" starter
    hand_in "$lab" "solutions/$lab/$stem.cu" solution
    for file in solutions/"$lab"/broken/*.cu solutions/"$lab"/accepted/*.cu; do
        [ -e "$file" ] && hand_in "$lab" "$file" "$(student_of "$file")"
    done
done

if ! "$BUILD/bin/grade" doctor >"$work/doctor" 2>&1; then
    skip "verdicts of all submissions" "grade doctor: $(grep -m1 -i 'not found\|not built\|missing\|does not' "$work/doctor" | tr '#' ' ')"
    echo "1..$n"
    exit 0
fi
"$BUILD/bin/grade" run --submissions "$work/class" --out "$work/out" --labs "${labs// /,}" --seed 1 >"$work/log" 2>&1
status=$?
[ "$status" -lt 2 ] || sed 's/^/# /' "$work/log"

result() { echo "$work/out/results/$2/$1/result.json"; }
for lab in $labs; do
    floor=$(sed -n 's/^starter_floor: *//p' "labs/$lab/lab.yaml")
    try "$lab: the solution gets all points" "$check_result" --score 100 100 "$(result "$lab" solution)"
    try "$lab: the starter gets at most ${floor:-0} points" "$check_result" --score 0 "${floor:-0}" "$(result "$lab" starter)"
    for file in solutions/"$lab"/broken/*.cu solutions/"$lab"/accepted/*.cu; do
        [ -e "$file" ] || continue
        try "$file" "$check_result" "$file" "$(result "$lab" "$(student_of "$file")")"
    done
    for file in solutions/"$lab"/accepted/*.cu; do
        [ -e "$file" ] && try "$file gets all points" "$check_result" --score 100 100 "$(result "$lab" "$(student_of "$file")")"
    done
done
echo "1..$n"
