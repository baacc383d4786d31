#!/bin/bash
# docs/found-by.md: every broken submission of every lab, and who finds it. From grader/gpu/measured (what record.sh took from
# test-gpu.sh's run on a card) and the `// expect:` lines of the submissions, which check-starters.t holds the virtual GPU to.
#
#   found-by.sh        to standard output; `make found-by` writes the page
set -euo pipefail
measured=grader/gpu/measured/h100-broken.tsv
pair=grader/gpu/measured/h200-broken.tsv # of what needs two cards
graded=grader/gpu/measured/h100-graded-sanitizer.tsv
right=grader/gpu/measured/h100-submissions.tsv
cat <<HEAD
# Who finds what

Every broken submission of every lab: the verdict that it gets on the virtual GPU (in one run, all checks on), and what was seen of it on a real card, without any tool
and under the four tools of compute-sanitizer, one run each. The card: $(sed -n '1s/^# //p' $measured).
What needs two cards (lab 18) ran on two $(sed -n '1s/^# NVIDIA \([^,]*\),.*/\1/p' $pair).
On the card each ran with one public case: the one that its comment names, else the lab's first. So "nothing seen" also stands beside mistakes that only another case shows; the numbers are reports of a tool,
"-" means that the tool gave no result: it came to no end in time, or found no CUDA call to begin with; and an empty field that it was not run there: it does not compile, or is younger than the run. Made by \`make found-by\`.

HEAD
for lab in solutions/[0-9]*; do
    lab=$(basename "$lab")
    for file in solutions/"$lab"/broken/*.cu* solutions/"$lab"/broken/*/*.cu*; do
        [ -e "$file" ] || continue
        name=${file#*/broken/} # of a folder: half-mended/smooth.cu is half-mended-smooth
        name=${name%.edit}
        name=${name%.cu}
        name=${name//\//-}
        expect=$(sed -n 's/^\/\/ expect: *\([a-z-]*\).*/\1/p' "$file" | head -1)
        row=$(awk -F"\t" -v l="$lab" -v n="$name" '$1 == l && $2 == n { print $3 FS $4 FS $5 FS $6 FS $7; exit }' $measured $pair)
        printf '%s\t%s\t%s\t%s\n' "$lab" "$name" "$expect" "${row:-				}"
    done
done | awk -F'\t' '
    function shown(x) { return x == "pass" ? "nothing seen" : x }
    $4 != "" {
        n++
        if ($4 != "pass") plain++
        if ($5 + $6 + $7 + $8 > 0) tools++
        if ($4 == "pass" && $5 + $6 + $7 + $8 == 0) neither++
    }
    {
        if ($1 != lab) {
            lab = $1
            body = body "\n## " lab "\n\n| submission | virtual GPU | plain run | memcheck | racecheck | initcheck | synccheck |\n|---|---|---|---|---|---|---|\n"
        }
        body = body "| " $2 " | " $3 " | " shown($4) " | " $5 " | " $6 " | " $7 " | " $8 " |\n"
    }
    END {
        printf "Of %d that were run on the card, a plain run showed something wrong with %d, at least one of the four tools with %d, and neither with %d.\n", n, plain, tools, neither
        printf "%s", body
    }'

if [ -s $graded ]; then
    cat <<HEAD

## Graded on the card

\`grade run --device gpu --sanitize\` gives such submissions the verdicts of the virtual GPU, where a tool looks at what is wrong. One for each, on the same card:

| lab | submission | virtual GPU | \`grade --sanitize\` | findings |
|---|---|---|---|---|
HEAD
    grep -v '^#' $graded | awk -F'\t' '{ gsub(/ +$/, "", $5); gsub(/ /, ", ", $5); printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }'
fi
if [ -s $right ]; then
    grep -v '^#' $right | awk -F'\t' '{ n++; full += $4 == $5 } END { printf "\nOf %d right submissions (the solutions with all their cases, the accepted variants with the first public ones) %d get all points on the card.\n", n, full }'
fi
