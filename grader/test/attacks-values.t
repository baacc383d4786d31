#!/bin/bash
# Submissions that write down what they want to be believed, better a ratio with traffic of no use, or return errors that
# nobody gave: they get what their heads say at most, and the lab's solution gets all points of the same cases.
#
# A file of attacks-values/NN-name/ has these heads: `case` (one or several), `points-at-most` or `points-at-least` of each,
# `verdict`, `metric-at-least: NAME NUMBER`. It is added to the lab's solution, or to the wrong submission that `from`
# names (labtool broken), changed by the sed commands in `edit`; with `whole` it stands alone. Names that begin with `control` are no attacks.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
[ -z "${SAN:-}" ] || skip_all "the virtual GPU is in the program's own process under a sanitizer"
tmp=$(mktemp -d /tmp/attacks-values-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
make_lean_toolkit "$tmp/toolkit"
labs=${LABS:-$(ls grader/test/attacks-values)}

heads() { # FILE WORD
    sed -n "s,^// $2: ,,p" "$1"
}
file_of() { # LAB
    "$BUILD/bin/labtool" files "labs/$1" | head -n 1
}
hand_in() { # LAB FILE STUDENT
    local lab=$1 file=$2 to=$tmp/$1/$3/$1 from
    mkdir -p "$to"
    for from in $("$BUILD/bin/labtool" files "labs/$lab"); do cp "solutions/$lab/$from" "$to/"; done
    [ -n "$file" ] || return 0
    from=$(heads "$file" from)
    [ -z "$from" ] || "$BUILD/bin/labtool" broken "labs/$lab" "$from" >"$to/$(file_of "$lab")"
    heads "$file" edit >"$tmp/edits"
    sed -i -f "$tmp/edits" "$to/$(file_of "$lab")"
    if grep -q '^// whole$' "$file"; then cp "$file" "$to/$(file_of "$lab")"
    else cat "$file" >>"$to/$(file_of "$lab")"; fi
}
of_case() { # LAB STUDENT CASE FILTER
    jq -r --arg case "$3" '.cases[] | select(.name == $case) | '"$4" "$tmp/out-$1-$3/results/$2/$1/result.json"
}
judge() { # LAB FILE CASE
    local lab=$1 file=$2 case=$3 name most least metric verdict
    name=$(basename "$file" .cu)
    most=$(heads "$file" points-at-most) least=$(heads "$file" points-at-least) verdict=$(heads "$file" verdict)
    metric=$(heads "$file" metric-at-least)
    echo "# $lab $name: $(of_case "$lab" "$name" "$case" '"\(.verdict) \(.points)/\(.max_points): \(.message[0:160])"' | tr '\n' ' ')"
    [ -z "$most" ] || check "$lab $name: $case gives at most $most" [ "$(of_case "$lab" "$name" "$case" ".points <= $most")" = true ]
    [ -z "$least" ] || check "$lab $name: $case gives $least" [ "$(of_case "$lab" "$name" "$case" ".points >= $least")" = true ]
    [ -z "$verdict" ] || same "$lab $name: $case is $verdict" "$verdict" "$(of_case "$lab" "$name" "$case" .verdict)"
    [ -z "$metric" ] || check "$lab $name: $case has ${metric% *} ${metric#* } or more" \
        [ "$(of_case "$lab" "$name" "$case" ".metrics[\"${metric% *}\"] >= ${metric#* }")" = true ]
}

for lab in $labs; do
    hand_in "$lab" "" solution
    for file in grader/test/attacks-values/"$lab"/*.cu; do hand_in "$lab" "$file" "$(basename "$file" .cu)"; done
    for case in $(cat grader/test/attacks-values/"$lab"/*.cu | sed -n 's,^// case: ,,p' | sort -u); do
        students=solution
        for file in $(grep -l "^// case: $case\$" grader/test/attacks-values/"$lab"/*.cu); do students+=,$(basename "$file" .cu); done
        "$grade" run --submissions "$tmp/$lab" --out "$tmp/out-$lab-$case" --labs "$lab" --students "$students" --case "$case" \
            --seed 7 --jobs 2 >/dev/null 2>"$tmp/log" || sed 's/^/# /' "$tmp/log"
        check "$lab solution: $case gives all its points" [ "$(of_case "$lab" solution "$case" '.points == .max_points and .verdict == "pass"')" = true ]
        for file in $(grep -l "^// case: $case\$" grader/test/attacks-values/"$lab"/*.cu); do judge "$lab" "$file" "$case"; done
    done
done
tap_end
