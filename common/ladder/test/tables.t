#!/bin/bash
# Measured ladders beside their ceilings: the tables in the notes, and the goals. The lines of a card are made up here.
set -uo pipefail
: "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -60; fi; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/measured" "$tmp/solutions/02-vector-add" "$tmp"/solutions/{04-streams,08-matrix-multiply,20-capstone}
for lab in 02-vector-add 04-streams 08-matrix-multiply 20-capstone; do echo "# Notes" >"$tmp/solutions/$lab/notes.md"; done
# LAB LADDER RUNG MS BYTES FLOPS version|mark CEILING
row() { printf 'ladder\t%s\t%s\t%s\t%s\t0\t0\t%s\t%s\tright\tgains\t1\t%s\t%s\n' "$@"; }
measured() {
    echo "# large sizes, on an Example 1, driver 1; fields: common/ladder/ladder.h"
    row 02-vector-add add slow 4 2000000000 1 version copy_memcpy
    row 02-vector-add add fast "$1" 2000000000 1 version copy_memcpy
    row 04-streams calibrate three-streams 2 190000000 0 version both_ways
    row 04-streams calibrate link 1.9 190000000 0 mark both_ways
    row 20-capstone step graph 2 1 0 version mark
    row 20-capstone step empty 1 1 0 mark mark
    row 08-matrix-multiply multiply sgemm 2 1 20000000000 version fma32
    row 08-matrix-multiply multiply cublas 1 1 20000000000 mark fma32
}
measured 1 >"$tmp/measured/h100-ladders-large.tsv"
printf 'ceiling\tcopy_memcpy\t2000\tGB/s\nceiling\tboth_ways\t100\tGB/s\nceiling\tfma32\t40\tTFLOP/s\n' >"$tmp/measured/h100-ceilings.tsv"

common/ladder/ladder-tables.sh "$tmp/solutions" "$tmp/measured" >"$tmp/out" 2>&1
result $? "the tables are made" "$(cat "$tmp/out")"
grep -qF '| slow | 4.000 | 1.0 | 25 % | gains |' "$tmp/solutions/02-vector-add/notes.md" && grep -qF 'share of a copy (2000 GB/s)' "$tmp/solutions/02-vector-add/notes.md"
result $? "bytes beside a copy" "$(cat "$tmp/solutions/02-vector-add/notes.md")"
grep -qF '| three-streams | 2.000 | 1.0 | 95 % | gains |' "$tmp/solutions/04-streams/notes.md"
result $? "bytes beside both directions of the link" "$(cat "$tmp/solutions/04-streams/notes.md")"
grep -qF '| graph | 2.000 | 1.0 | 50 % | gains |' "$tmp/solutions/20-capstone/notes.md"
result $? "a version beside its ladder's mark" "$(cat "$tmp/solutions/20-capstone/notes.md")"
grep -qF '| sgemm | 2.000 | 1.0 | 25 % | gains |' "$tmp/solutions/08-matrix-multiply/notes.md"
result $? "operations beside the rate of multiply-add" "$(cat "$tmp/solutions/08-matrix-multiply/notes.md")"
cp "$tmp/solutions/02-vector-add/notes.md" "$tmp/once"
common/ladder/ladder-tables.sh "$tmp/solutions" "$tmp/measured" && cmp -s "$tmp/once" "$tmp/solutions/02-vector-add/notes.md"
result $? "made again, it is the same" "$(cat "$tmp/solutions/02-vector-add/notes.md")"

goals() { common/ladder/goals.sh "$tmp/measured/h100-ladders-large.tsv" "$tmp/measured/h100-ceilings.tsv" >"$tmp/goals" 2>&1; }
goals
[ $? = 1 ] && grep -q '^met	02-vector-add	add	fast	copy_memcpy	0.90	1.000$' "$tmp/goals" && grep -q '^met	04-streams	calibrate	three-streams	link	0.90	0.950$' "$tmp/goals"
result $? "goals: what is reached is met" "$(cat "$tmp/goals")"
grep -q '^missed	08-matrix-multiply	multiply	sgemm	cublas	0.60	0.500$' "$tmp/goals" && grep -q '^missed	07-scan	scan	-	.*	-$' "$tmp/goals"
result $? "goals: half of the library's speed, and what nobody measured, are missed" "$(cat "$tmp/goals")"
measured 1.2 >"$tmp/measured/h100-ladders-large.tsv"
goals
grep -q '^missed	02-vector-add	add	fast	copy_memcpy	0.90	0.833$' "$tmp/goals"
result $? "the control: a slower version misses" "$(cat "$tmp/goals")"

# Every goal names a ladder that there is, and the tables in the notes are those of the recorded lines.
missing=$(grep -v '^#' common/ladder/goals.tsv | while read -r lab name _; do grep -q "\"$name\"" "solutions/$lab/ladder.cu" || echo "$lab $name"; done)
[ -z "$missing" ]
result $? "every goal has its ladder" "$missing"
mkdir "$tmp/now"
for notes in solutions/*/notes.md; do mkdir "$tmp/now/$(basename "$(dirname "$notes")")" && cp "$notes" "$tmp/now/$(basename "$(dirname "$notes")")"; done
common/ladder/ladder-tables.sh "$tmp/now"
stale=$(for notes in solutions/*/notes.md; do cmp -s "$notes" "$tmp/now/${notes#solutions/}" || echo "$notes"; done)
[ -z "$stale" ]
result $? "the notes have the recorded lines (make ladder-tables)" "$stale"
# What handouts and notes quote of the lines stands there, and is so within one in a hundred.
# FILE: the rows of a quoted.tsv that do not hold.
misquoted() {
    awk -F'\t' '
        FNR == NR { ms[$2, $4] = $5; flops[$2, $4] = $9; next }
        /^#/ { next }
        {
            t = ms[$4, $6]; u = ms[$4, $7]
            n = $5 == "gflops" ? flops[$4, $6] / t / 1e6 : $5 == "times" ? t / u : 1 - u / t
            if (t == "" || n < $3 * 0.99 || n > $3 * 1.01) print $1 ": " $2 ": measured " n
        }' <(grep '^ladder' common/ladder/measured/h100-ladders-large.tsv) "$1"
    grep -v '^#' "$1" | while IFS=$'\t' read -r file text _; do grep -qF -- "$text" "$file" || echo "$file: no such text: $text"; done
}
wrong=$(misquoted common/ladder/quoted.tsv)
[ -z "$wrong" ]
result $? "what is quoted of them is so" "$wrong"
printf 'labs/11-transpose/README.md\tnine times on an H100\t9\t11-transpose\ttimes\tnaive\tcopy\n' >"$tmp/quoted"
[ "$(misquoted "$tmp/quoted" | wc -l)" = 2 ]
result $? "the control: a wrong number is told, and a text that is not there" "$(misquoted "$tmp/quoted")"
echo "1..$n"
