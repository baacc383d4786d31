# shellcheck shell=bash disable=SC2154
# grade --sanitize on a card: test-gpu's part `graded-sanitizer`. A submission for each of the tools and verdicts, in one case, must get the verdict that the
# virtual GPU gives it; and a right one must pass. These are the positive controls of the grader's way through the tools.
# graded-sanitizer.tsv: lab, submission, verdict wanted, verdict, kinds of findings; graded-sanitizer.txt: what a student would read.

controls() {
    cat <<END
02-vector-add solution one-more pass
02-vector-add no-guard one-more out-of-bounds
02-vector-add double-free one-block invalid-free
02-vector-add elements-copied-in one-block uninitialized
02-vector-add leak one-block leak
03-shared-memory no-barrier reverse race
06-reduction barrier-in-if tree barrier
17-mixed-precision pairs-in-odd-rows - misaligned
END
}

# LAB NAME CASE WANTED [OPTION]
sanitize_graded() {
    local lab=$1 name=$2 case=$3 wanted=$4 option=${5:-} files place=$work/graded-san/$1-$2${5:+-other} result verdict kinds
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    mkdir -p "$place/class/s001/$lab"
    (cd "solutions/$lab" && cp "${files[@]}" "$place/class/s001/$lab")
    [ "$name" = solution ] || cp "solutions/$lab/broken/$name.cu" "$place/class/s001/$lab/${files[0]}"
    [ "$case" != - ] || case=$(sed -n 's/^\/\/ case: *\([a-z0-9-]*\).*/\1/p' "solutions/$lab/broken/$name.cu" | head -1)
    timeout 200 build/bin/grade run --device gpu --allow-weak-sandbox --sanitize ${option:+"$option"} --jobs 1 --seed 1 --case "$case" --submissions "$place/class" --out "$place/out" >"$place/log" 2>&1
    result=$place/out/results/s001/$lab/result.json
    [ -e "$result" ] || { cp "$place/log" "$result.log" 2>/dev/null; printf '%s\t%s\t%s\tno result\t%s\n' "$lab" "$name" "$wanted" "$(tail -1 "$place/log")"; return; }
    verdict=$(sed -n 's/^ *"verdict": *"\([^"]*\)".*/\1/p' "$result" | head -1)
    kinds=$(sed -n 's/^ *"kind": *"\([^"]*\)".*/\1/p' "$result" | grep -vx gpu | sort -u | tr '\n' ' ')
    printf '%s\t%s\t%s\t%s\t%s\n' "$lab" "$name" "$wanted" "$verdict" "$kinds"
    cp "$result" "$place.json"
}
export -f sanitize_graded

part_graded-sanitizer() {
    local lab name wanted verdict kinds file
    if ! command -v compute-sanitizer >/dev/null; then
        skip "compute-sanitizer is not here"
        return
    fi
    mkdir -p "$work/graded-san"
    controls | while read -r lab rest; do [[ " $labs " != *" $lab "* ]] || echo "$lab $rest"; done |
        xargs -r -L1 -P "$processors" bash -c 'sanitize_graded "$@"' _ | sort >"$out/graded-sanitizer.tsv"
    while IFS=$'\t' read -r lab name wanted verdict kinds; do
        if [ "$verdict" != "$wanted" ]; then bad "grade --sanitize: $lab $name is $verdict, not $wanted"
        elif [[ " $kinds " = *" no-result "* ]]; then bad "grade --sanitize: $lab $name: a tool gave no result"
        else ok; fi
    done <"$out/graded-sanitizer.tsv"
    if grep -q no-result "$out/graded-sanitizer.tsv"; then # which wall is in its way?
        echo "without bubblewrap: $(sanitize_graded 02-vector-add leak one-block leak --bwrap=/usr/bin/false)"
    fi
    for file in "$work"/graded-san/*.json; do
        [ ! -e "$file" ] || { echo "== $(basename "$file" .json)"; grep -E '"(verdict|message|text)"' "$file" | sed 's/\\n/\n/g'; }
    done >"$out/graded-sanitizer.txt"
    cat "$out/graded-sanitizer.tsv"
}
