#!/bin/bash
# numbers.sh CASEDIR: the counters of the roofline of a run's kernels together, each launch's modelled time, and what the driver reported.
set -euo pipefail
report=$1/report.json
# Of each counter the last one stands: that of all launches together.
for counter in flops32 dram_read_bytes dram_write_bytes; do
    printf '%-18s %s\n' "$counter" "$(grep -oE "\"$counter\": ?[0-9]+" "$report" | tail -n 1 | grep -oE '[0-9]+$')"
done
grep -oE '"(kernel|time_us)": ?("[^"]*"|[0-9.]+)' "$report" | sed -E 's/^"(kernel|time_us)": ?//; s/"//g; s/\(.*//' | paste - - | awk -F'\t' '{ printf "%-18s %s us\n", $1, $2 }'
grep '^gain=' "$1/out/values" | tr '=' ' ' || true
