#!/bin/bash
# `make mutants`: graded mutants of the labs' solutions, and what survives.
#
#   mutants.sh [LAB...]      all labs without one; SAMPLE=20 of each lab (0: all), SEED=1 says which, GRADE_JOBS at a time;
#                            COMPILER=clang takes half of the time that nvcc does; SURVIVORS=1: those alone that survived
#                            the last time, and what was said of the others then
#
# The mutants of a lab's first file are graded as a class, on all cases and one seed. A mutant is killed when it does not get all points;
# one that does not compile is none. Those that solutions/NN/equivalent.yaml names, with the reason, are left out, and so are survivors
# of which clang makes the same code as of the solution. The report, in $BUILD/mutants/LAB.txt and on the terminal: killed of all; of the
# killed, how many with a verdict that tells it rightly; by operator; what a mistake in each TODO costs; by verdict; by the first case that tells; survivors as diffs; cases that kill nothing that no other one kills.
# FLOOR=97: exit status 1 where fewer of a hundred are killed; 2 when a source cannot be read.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}" "${SAMPLE:=0}" "${SEED:=1}" "${FLOOR:=0}" "${SURVIVORS:=}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
. common/mutants/mutate.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$BUILD/mutants"

# LIST LAB: a line for each mutant: number, operator, killed|survived|broken, verdict, cases that tell, points lost, TODO.
judge() {
    while IFS=$'\t' read -r number operator todo _; do
        jq -r --arg n "$number" --arg o "$operator" --arg t "$todo" '
            [$n, $o,
             (if .build.verdict != "pass" then "broken" elif .score < .max_score then "killed" else "survived" end),
             .verdict, ([.cases[] | select(.points < .max_points) | .name] | join(" ")), .max_score - .score, $t] | @tsv' "$work/out/results/m$number/$2/result.json"
    done <"$1"
}

# LAB SOURCE OBJECT: compiles it under one name, so that equal code gives equal bytes.
compiled() {
    cp "$2" "$work/same.cu" && "$BUILD/bin/labcc" -arch=sm_75 -O2 -I "labs/$1" -I common/lab -c -o "$3" "$work/same.cu" 2>/dev/null
}

# LAB SOURCE: reads judged lines, and writes them with `same` for `survived` where the code is the solution's.
without_same_code() {
    local number operator what rest
    compiled "$1" "$2" "$work/solution.o"
    while IFS=$'\t' read -r number operator what rest; do
        if [ "$what" = survived ] && compiled "$1" "$work/whole/$number.cu" "$work/mutant.o" && cmp -s "$work/solution.o" "$work/mutant.o"; then what=same; fi
        printf '%s\t%s\t%s\t%s\n' "$number" "$operator" "$what" "$rest"
    done
}

status=0
labs=("$@")
[ ${#labs[@]} -gt 0 ] || mapfile -t labs < <(cd solutions && printf '%s\n' [0-9][0-9]-*)
for lab in "${labs[@]}"; do
    [ -f "labs/$lab/lab.yaml" ] || { echo "mutants: there is no lab $lab" >&2; exit 2; }
    mapfile -t files < <("$BUILD/bin/labtool" files "labs/$lab")
    source=solutions/$lab/${files[0]}
    rm -rf "${work:?}"/*
    mkdir -p "$work/whole" "$work/class"
    mutate "$lab" "$source" >"$work/all" || { status=2; continue; }
    sample=(); [ "$SAMPLE" = 0 ] || sample=("--sample=$SAMPLE" "--seed=$SEED")
    mutate "$lab" "$source" "--whole=$work/whole" "${sample[@]}" >"$work/list" || { status=2; continue; }
    named=/dev/null
    [ ! -f "solutions/$lab/equivalent.yaml" ] || named=solutions/$lab/equivalent.yaml
    awk -f common/mutants/named.awk "$named" "$work/list" | sed -n 's/^other\t//p' >"$work/graded"
    named=$(($(wc -l <"$work/list") - $(wc -l <"$work/graded")))
    : >"$work/before"
    if [ "$SURVIVORS" ]; then
        [ -f "$BUILD/mutants/$lab.tsv" ] && cmp -s "$work/all" "$BUILD/mutants/$lab.list" ||
            { echo "mutants: of the mutants that $lab has now, it is not known which survive: grade them all first" >&2; exit 2; }
        awk -F'\t' 'FILENAME == ARGV[1] { known[$1] = 1; next } $1 in known && $3 != "survived"' "$work/graded" "$BUILD/mutants/$lab.tsv" >"$work/before"
        awk -F'\t' 'FILENAME == ARGV[1] { if ($3 == "survived") left[$1] = 1; next } $1 in left' "$BUILD/mutants/$lab.tsv" "$work/graded" >"$work/left"
        mv "$work/left" "$work/graded"
    fi
    while IFS=$'\t' read -r number _; do
        mkdir -p "$work/class/m$number/$lab"
        for file in "${files[@]}"; do cp "solutions/$lab/$file" "$work/class/m$number/$lab/"; done
        cp "$work/whole/$number.cu" "$work/class/m$number/$lab/${files[0]}"
    done <"$work/graded"
    mkdir -p "$work/class/solution/$lab" && for file in "${files[@]}"; do cp "solutions/$lab/$file" "$work/class/solution/$lab/"; done
    [ ! -s "$work/graded" ] || "$BUILD/bin/grade" run --submissions "$work/class" --out "$work/out" --labs "$lab" --seed 1 ${COMPILER:+--compiler "$COMPILER"} --jobs "${GRADE_JOBS:-$(nproc)}" >"$work/log" 2>&1
    [ $? -lt 2 ] || { cat "$work/log" >&2; exit 2; }
    [ ! -s "$work/graded" ] || jq -e '.score == .max_score' "$work/out/results/solution/$lab/result.json" >/dev/null ||
        { echo "mutants: the solution of $lab itself does not get all points: mend that first" >&2; exit 2; }
    judge "$work/graded" "$lab" | without_same_code "$lab" "$source" | cat "$work/before" - >"$work/judged"
    "$BUILD/bin/mutate" --operators >"$work/operators"
    awk -F'\t' -v lab="$lab" -v all="$(wc -l <"$work/all")" -v equivalent="$named" '
        FILENAME == ARGV[1] { right[$1] = " " $2 " "; next }
        $3 == "broken" { broken++; next }
        $3 == "same" { same++; next }
        {
            n++; total[$2]++
            if ($3 != "killed") next
            killed++; dead[$2]++; verdicts[$4]++
            if (!($7 in least) || $6 < least[$7]) least[$7] = $6
            if ($6 > most[$7]) most[$7] = $6
            if (index(right[$2], " " $4 " ")) told++
            else wrongly = wrongly sprintf("  %s: mutant %s is %s\n", $2, $1, $4)
            k = split($5, cases, " ")
            for (i = 1; i <= k; i++) { by[cases[i]]++; if (k == 1) alone[cases[i]]++ }
        }
        END {
            printf "%s: %d mutants in all; graded %d, %d more do not compile, %d compile to the same code, %d are named equivalent\n", lab, all, n, broken, same, equivalent
            printf "killed %d of %d (%.0f %%), with a right verdict %d of %d (%.0f %%)\n", killed, n, n ? 100 * killed / n : 100, told, killed, killed ? 100 * told / killed : 100
            for (o in total) printf "  operator %s: %d of %d\n", o, dead[o], total[o] | "sort"
            close("sort")
            for (t in least) if (t > 0) printf "  TODO %s: a mistake costs %s to %s points\n", t, least[t], most[t] | "sort"
            close("sort")
            for (v in verdicts) printf "  verdict %s: %d\n", v, verdicts[v] | "sort"
            close("sort")
            for (c in by) printf "  case %s: tells %d, alone %d\n", c, by[c], alone[c] | "sort"
            close("sort")
            if (wrongly) printf "told by another verdict:\n%s", wrongly
        }' "$work/operators" "$work/judged" >"$work/report"
    awk -F'\t' '$3 == "survived" { print $1 }' "$work/judged" | while read -r number; do
        printf 'survived: %s\n' "$(awk -F'\t' -v n="$number" '$1 == n { print n ", " $2 ", TODO " $3 }' "$work/list")"
        diff -U0 "$source" "$work/whole/$number.cu" | sed 1,2d
    done >>"$work/report"
    [ -s "$work/graded" ] && [ -z "$SURVIVORS" ] && jq -r '.cases[].name' "$work/out/results/solution/$lab/result.json" | while read -r name; do grep -q "^  case $name:" "$work/report" || echo "  case $name: tells none of these"; done >>"$work/report"
    tee "$BUILD/mutants/$lab.txt" <"$work/report"
    cp "$work/judged" "$BUILD/mutants/$lab.tsv"
    cp "$work/all" "$BUILD/mutants/$lab.list"
    rate=$(awk -F'\t' '$3 != "broken" && $3 != "same" { n++; k += $3 == "killed" } END { print n ? int(100 * k / n) : 100 }' "$work/judged")
    [ "$rate" -ge "$FLOOR" ] || { echo "$lab: $rate of a hundred are killed, and $FLOOR are wanted"; [ $status = 2 ] || status=1; }
done
exit $status
