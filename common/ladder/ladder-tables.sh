#!/bin/bash
# Puts the measured ladders into the labs' notes.md, between `<!-- ladder -->` and `<!-- end ladder -->` (at the end where there is no such
# place yet): from common/ladder/measured, which holds what grader/gpu/test-gpu.sh recorded on a card.
set -euo pipefail
measured=common/ladder/measured
large=$measured/h100-ladders-large.tsv
copy=$(awk -F'\t' '$2 == "copy_memcpy" { print $3 }' $measured/h100-ceilings.tsv)
card=$(sed -n '1s/.* on an \(.*\); fields.*/\1/p' $large)

table() {
    echo '<!-- ladder -->'
    echo "Measured on one card ($card), with arrays that no cache holds, beside a copy's $(printf %.0f "$copy") GB/s. Made by \`make ladder-tables\`."
    echo
    awk -F'\t' -v lab="$1" -v copy="$copy" '
        $1 != "ladder" || $2 != lab || $10 != "right" { next }
        $3 != ladder {
            ladder = $3
            first = $5
            arithmetic = lab ~ /^08/
            printf "| %s | ms | times the first | %s | what it gains |\n|---|---|---|---|---|\n", ladder, arithmetic ? "TFLOP/s" : "share of a copy"
        }
        { printf "| %s | %.3f | %.1f | %s | %s |\n", $4, $5, first / $5, arithmetic ? sprintf("%.1f", $9 / $5 / 1e9) : sprintf("%.0f %%", 100 * $8 / $5 / 1e6 / copy), $11 }
    ' $large | awk 'NR > 1 && /\| ms \|/ { print "" } { print }'
    echo '<!-- end ladder -->'
}

for notes in solutions/*/notes.md; do
    lab=$(basename "$(dirname "$notes")")
    grep -q "^ladder	$lab	" $large || continue
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
