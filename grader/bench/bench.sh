#!/bin/bash
# Grading against compiling: N right vector adds (each different, nothing cached) graded, beside N plain nvcc runs of the same files
# with the same number of jobs. Prints seconds of the clock and of the processors, the ratio, and where the rest goes.
#
#   bench.sh [N] [JOBS]        N submissions (100), JOBS at a time (all cores)
#
# Both are run in slices that alternate, so that a machine whose speed drifts treats them alike.
set -euo pipefail
cd "$(dirname "$0")/../.."
n=${1:-100}
jobs=${2:-$(nproc)}
slices=4
BUILD=${BUILD:-build}
lab=02-vector-add
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A right vector add of its own: names, block size and a comment from the number.
submission() {
    sed -e "s/\bthreads = 256\b/threads = $((32 * ($1 % 16 + 1)))/" -e "s/\badd_kernel\b/add_$1/g" -e "1s/^/\/\/ submission $1\n/" \
        "solutions/$lab/vector_add.cu"
}
for ((i = 0; i < n; i++)); do
    folder=$work/slice$((i % slices))/$(printf 's%03d' "$i")/$lab
    mkdir -p "$folder"
    submission "$i" >"$folder/vector_add.cu"
done

compile() {
    nvcc -arch=compute_75 -cudart shared -lineinfo -g -Ilabs/$lab -Icommon/lab "$1" "$BUILD/labs/$lab/driver.o" "$BUILD/lib/liblab.a" -o "$1.out"
}
export -f compile
export BUILD lab

TIMEFORMAT='%R %U %S'
seconds() { # appends "wall user sys" of a command to a file
    local to=$1
    shift
    { time "$@" >/dev/null 2>"$work/errors" || [ $? -eq 1 ]; } 2>>"$to"
}
for ((s = 0; s < slices; s++)); do
    seconds "$work/grade" "$BUILD/bin/grade" run --submissions "$work/slice$s" --out "$work/out$s" --labs $lab --jobs "$jobs" --seed 1
    seconds "$work/nvcc" bash -c "find '$work/slice$s' -name '*.cu' | xargs -P $jobs -I{} bash -c 'compile {}'"
done

passed=$(jq -s '[.[] | select(.verdict == "pass")] | length' "$work"/out*/results/*/$lab/result.json)
[ "$passed" -eq "$n" ] || { echo "bench: only $passed of $n submissions passed" >&2; exit 2; }
paste -d' ' "$work/grade" "$work/nvcc" | awk -v n="$n" -v jobs="$jobs" '
    { g += $1; gc += $2 + $3; v += $4; vc += $5 + $6 }
    END {
        printf "%d right vector adds, %d at a time          clock s   processor s   s a piece\n", n, jobs
        printf "  nvcc alone                              %9.2f %13.2f %11.3f\n", v, vc, vc / n
        printf "  grade run                               %9.2f %13.2f %11.3f\n", g, gc, gc / n
        printf "  ratio                                   %9.2f %13.2f     (at most 1.6 is asked)\n", g / v, gc / vc
    }'
jq -s --arg n "$n" '
    ([.[].total_s] | add) as $total | ([.[].build_s] | add) as $build | ([.[].cases[].wall_s] | add) as $cases |
    "of a submission'"'"'s time: build \($build / $total * 100 | round) %, cases under the virtual GPU \($cases / $total * 100 | round) %, " +
    "judge, sandbox and files \(($total - $build - $cases) / $total * 100 | round) %"' -r "$work"/out*/results/*/$lab/timing.json
