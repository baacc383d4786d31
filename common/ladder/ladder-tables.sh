#!/bin/bash
# Puts the measured ladders into the labs' notes.md, between `<!-- ladder -->` and `<!-- end ladder -->` (at the end where there is no such
# place yet): from the folder MEASURED, which holds what grader/gpu/test-gpu.sh recorded on a card.
#
#   ladder-tables.sh [SOLUTIONS [MEASURED]]      solutions and common/ladder/measured without them
#
# Each version stands beside the ceiling that its ladder names: of bytes or of operations a second, measured on the same card in the same job
# (grader/gpu/ceilings.cu), or the time of the ladder's own mark.
set -euo pipefail
solutions=${1:-solutions}
measured=${2:-common/ladder/measured}
large=$measured/h100-ladders-large.tsv
ceilings=$measured/h100-ceilings.tsv
card=$(sed -n '1s/.* on an \(.*\); fields.*/\1/p' "$large")

table() {
    echo '<!-- ladder -->'
    echo "Measured on one card ($card), with arrays that no cache holds. Made by \`make ladder-tables\`."
    awk -F'\t' -v lab="$1" '
        $1 == "ceiling" { value[$2] = $3; unit[$2] = $4 }
        $1 != "ladder" || $2 != lab || $10 != "right" { next }
        {
            if (!($3 in first)) { order[++ladders] = $3; first[$3] = $5; ceiling[$3] = $14 == "" ? "copy_memcpy" : $14 }
            name[$3, ++n[$3]] = $4; ms[$3, n[$3]] = $5; bytes[$3, n[$3]] = $8; flops[$3, n[$3]] = $9; gain[$3, n[$3]] = $11
            if ($13 == "mark") mark[$3] = $5
        }
        function of(ceiling) {
            if (ceiling == "mark") return "share of the mark"
            if (ceiling == "copy_memcpy") return sprintf("share of a copy (%.0f GB/s)", value[ceiling])
            if (ceiling == "both_ways") return sprintf("share of what the link carries in both directions (%.0f GB/s)", value[ceiling])
            return sprintf("share of %.1f TFLOP/s%s", value[ceiling], ceiling == "tensor16" ? " of the tensor cores" : "")
        }
        function share(l, i,    c) {
            c = ceiling[l]
            if (c == "mark") return l in mark ? sprintf("%.0f %%", 100 * mark[l] / ms[l, i]) : ""
            if (!(c in value)) return ""
            return sprintf("%.0f %%", unit[c] == "GB/s" ? 100 * bytes[l, i] / ms[l, i] / 1e6 / value[c] : 100 * flops[l, i] / ms[l, i] / 1e9 / value[c])
        }
        END {
            for (k = 1; k <= ladders; k++) {
                l = order[k]
                printf "\n| %s | ms | times the first | %s | what it gains |\n|---|---|---|---|---|\n", l, of(ceiling[l])
                for (i = 1; i <= n[l]; i++)
                    printf "| %s | %.3f | %.1f | %s | %s |\n", name[l, i], ms[l, i], first[l] / ms[l, i], share(l, i), gain[l, i]
            }
        }' "$ceilings" "$large"
    echo '<!-- end ladder -->'
}

for notes in "$solutions"/*/notes.md; do
    lab=$(basename "$(dirname "$notes")")
    grep -q "^ladder	$lab	" "$large" || continue
    table "$lab" >"$notes.table"
    if grep -q '^<!-- ladder -->$' "$notes"; then
        awk -v table="$notes.table" '
            /^<!-- ladder -->$/ { while ((getline line < table) > 0) print line; skip = 1 }
            !skip { print }
            /^<!-- end ladder -->$/ { skip = 0 }' "$notes" >"$notes.new"
    else
        { cat "$notes"; printf '\n## The ladder on a real card\n\n'; cat "$notes.table"; } >"$notes.new"
    fi
    cmp -s "$notes.new" "$notes" || cp "$notes.new" "$notes"
    rm "$notes.new" "$notes.table"
done
