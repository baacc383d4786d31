#!/bin/bash
# What a film costs: processor time of a run with a film over that of one without, both with all checks, in turn.
#
#   cost.sh VGPU PROGRAM      PROGRAM: of cost.cu. RUNS=N pairs of each kernel (default 9)
#
# A line a kernel: the median of the ratios, the least and the largest. Exit status 1: a median is 3 or more. Blocks that are recorded go warp by warp, which costs most where a kernel's warps
# go together block-wide otherwise (executors.md); and the page is written, which takes a tenth of a second however long the program runs.
set -uo pipefail
vgpu=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U %S'
status=0
used() { { time "$vgpu" --quiet "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'; }
for kernel in add walk multiply stencil histogram; do
    for _ in $(seq "${RUNS:-9}"); do
        plain=$(used "$program" $kernel)
        film=$(used --film="$scratch/film.html" "$program" $kernel)
        echo "$plain $film"
    done >"$scratch/pairs"
    awk '{ print $2 / $1 }' "$scratch/pairs" | sort -n | awk -v kernel=$kernel -v plain="$(cut -d' ' -f1 "$scratch/pairs" | sort -n | sed -n "$(((${RUNS:-9} + 1) / 2))p")" '
        { r[NR] = $1 } END { m = r[int((NR + 1) / 2)]
        printf "%s: with a film %.2f times the processor time of a run with checks (%.2f to %.2f in %d pairs; %.2f s without)\n", kernel, m, r[1], r[NR], NR, plain; exit m >= 3 }' || status=1
done
exit $status
