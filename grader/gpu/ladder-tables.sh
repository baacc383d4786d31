#!/bin/bash
# Puts the measured ladders into the labs' notes.md, between `<!-- ladder -->` and `<!-- end ladder -->` (at the end where there is no such
# place yet): from grader/gpu/measured/h100-large.tsv and h100-ceilings.tsv, which test-gpu.sh recorded on a card.
set -euo pipefail
measured=grader/gpu/measured
copy=$(awk -F'\t' '$2 == "copy_memcpy" { print $3 }' $measured/h100-ceilings.tsv)
card=$(sed -n '1s/^# \(.*\) (.*/\1/p' $measured/h100-large.tsv)

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
    ' $measured/h100-large.tsv | awk 'NR > 1 && /\| ms \|/ { print "" } { print }'
    echo '<!-- end ladder -->'
}

for notes in solutions/*/notes.md; do
    lab=$(basename "$(dirname "$notes")")
    grep -q "^ladder	$lab	" $measured/h100-large.tsv || continue
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
