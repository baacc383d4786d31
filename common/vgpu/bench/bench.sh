#!/bin/bash
# The benchmark: ten kernels on the virtual GPU with and without checks on one and two workers, as OpenCL C under PoCL
# (Debian: pocl-opencl-icd, ocl-icd-opencl-dev; without it its columns say so), and as plain C on one core. Wall milliseconds
# from launch to synchronise, the best of several; then processor time, of all threads together, which other work on the machine
# changes less. Compare figures of one run only. At last bench-rate's rates by what a program does most.
#
#   BUILD=build [ROUNDS=1] bench.sh
#
# Of several rounds each figure is the best: the programs take turns, so that a busy minute strikes all of them.
set -euo pipefail
BUILD=${BUILD:-build}
ROUNDS=${ROUNDS:-1}
here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

vgpu() { "$BUILD/bin/vgpu" --quiet "$@"; }

for ((round = 0; round < ROUNDS; round++)); do
    "$BUILD/bench/plain" >>"$out/plain"
    [ ! -x "$BUILD/bench/opencl" ] || "$BUILD/bench/opencl" "$here/kernels.cl" >>"$out/pocl" || rm -f "$out/pocl"
    for checks in all none; do
        for jobs in 1 2; do
            vgpu --check=$checks --jobs=$jobs "$BUILD/bench/cuda" >>"$out/$checks$jobs"
        done
    done
done
for ((i = 0; i < 10; i++)); do
    vgpu "$BUILD/bench/cuda" startup >>"$out/small"
    start=$(date +%s%N)
    vgpu "$BUILD/bench/cuda" startup >/dev/null
    echo "process $((($(date +%s%N) - start) / 1000))" >>"$out/small"
done
vgpu "$BUILD/bench/cuda" memory >"$out/memory"

# A table of one column of what the programs print. Geometric means over the first seven rows; the last three look for cliffs.
table() { # title column
    awk -v title="$1" -v column="$2" -v seven=7 '
    { file = FILENAME; sub(/.*\//, "", file) }
    !($1 in seen) { seen[$1] = 1; names[++n] = $1 }
    { if (!((file, $1) in ms) || $column < ms[file, $1]) ms[file, $1] = $column }
    function cell(file, name) { return (file, name) in ms ? sprintf("%10.3f", ms[file, name]) : "    absent" }
    function ratio(file, name, base,    r) {
        if (!((base, name) in ms)) return "       -"
        r = ms[file, name] / ms[base, name]
        if (row <= seven) { logs[file, base] += log(r); counted[base] = 1 }
        return sprintf("%8.2f", r)
    }
    function mean(file, base) { return base in counted ? sprintf("%8.2f", exp(logs[file, base] / seven)) : "       -" }
    END {
        printf "%-18s%10s%10s%10s%10s%10s%10s   %s\n", title, "all j1", "all j2", "none j1", "none j2", "PoCL", "plain C", "times PoCL: all j1, all j2, none j1, none j2; times plain C: all j2"
        for (row = 1; row <= n; row++) {
            name = names[row]
            print sprintf("%-18s", name) cell("all1", name) cell("all2", name) cell("none1", name) cell("none2", name) cell("pocl", name) cell("plain", name) "   " \
                ratio("all1", name, "pocl") ratio("all2", name, "pocl") ratio("none1", name, "pocl") ratio("none2", name, "pocl") ratio("all2", name, "plain")
            if (row == seven)
                printf "%-78s   %s%s%s%s%s\n", "geometric mean of the seven", mean("all1", "pocl"), mean("all2", "pocl"), mean("none1", "pocl"), mean("none2", "pocl"), mean("all2", "plain")
        }
    }' "$out"/plain "$out"/all1 "$out"/all2 "$out"/none1 "$out"/none2 $([ -s "$out/pocl" ] && echo "$out/pocl")
}
table milliseconds 2
table "processor ms" 3

awk '$1 == "startup" && (!s || $2 < s) { s = $2 } $1 == "process" && (!p || $2 < p) { p = $2 }
     END { printf "start-up: %.1f ms from the first call to the end of the first launch; %.1f ms for the whole program (goal: under 30)\n", s, p / 1000 }' "$out/small"
awk '{ v[$1] = $2 }
     END { a = v["memory-allocated"]; printf "memory: %.0f MiB for %.0f MiB allocated (goal: at most %.0f)\n", v["memory-peak"], a, 3 * a + 64 }' "$out/memory"
"$BUILD/bin/bench-rate"
