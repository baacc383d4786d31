#!/bin/bash
# `make styles`: the labs' solutions, written otherwise and still right, get all points.
#
#   styles.sh [LAB...]      all labs without one; SAMPLE=20 of a lab's (0: all), SEED=1 says which; ACCEPTED=1: its accepted
#                           submissions too; GRADE_JOBS at a time; COMPILER=clang takes half of the time that nvcc does;
#                           STYLES=FOLDER of other styles
#
# A style (styles/NAME.h) is C++ that stands before the source: its macros and functions take the place of what the source uses. A line
# `// source: launches` or `// source: wide` says that the source itself is rewritten (`mutate --style`). A source that uses nothing of it
# has no such style; one that does not compile in it is counted, and no fault. What falls short is told, with the cases; styles/short.tsv
# lists those that must fall short (lab, style, reason). Exit status 1 where another one does, or where a solution of the list does not; 2 when
# something cannot be read.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}" "${SAMPLE:=0}" "${SEED:=1}" "${ACCEPTED:=}"
cd "$KIT" || exit 2
styles=${STYLES:-$KIT/common/mutants/styles}
BUILD=$(realpath "$BUILD")
. common/mutants/mutate.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/styles.XXXXXX")
trap 'rm -rf "$work"' EXIT

# LAB STYLE SOURCE: writes the source in that style; status 1 where it uses nothing of it.
restyle() {
    local header=$styles/$2.h way
    way=$(sed -n 's|^// source: ||p' "$header")
    if [ -n "$way" ]; then
        mutate "$1" "$3" "--style=$way" >"$work/rewritten" 2>"$work/said" ||
            { cat "$work/said" >&2; touch "$work/unread"; return 1; }
        ! cmp -s "$work/rewritten" "$3" || return 1
    else
        grep -qwFf <(sed -nE 's/^#define ([A-Za-z_]+).*/\1/p' "$header") "$3" || return 1
        cp "$3" "$work/rewritten"
    fi
    printf '#include <cuda_runtime.h>\n#line 1 "%s.h"\n' "$2"
    cat "$header"
    printf '#line 1 "%s"\n' "$(basename "$3")"
    cat "$work/rewritten"
}

# LAB FOLDER NAME: a class of that submission in every style.
in_styles() {
    local style name file changed
    for style in "$styles"/*.h; do
        style=$(basename "$style" .h)
        name=$3.$style changed=
        mkdir -p "$work/class/$name/$1"
        for file in "${files[@]}"; do
            if [[ $file == *.cu ]] && restyle "$1" "$style" "$2/$file" >"$work/restyled"; then
                cp "$work/restyled" "$work/class/$name/$1/$file"
                changed=1
            else
                cp "$2/$file" "$work/class/$name/$1/$file"
            fi
        done
        [ -n "$changed" ] || rm -r "$work/class/$name"
    done
}

status=0
labs=("$@")
[ ${#labs[@]} -gt 0 ] || mapfile -t labs < <(cd solutions && printf '%s\n' [0-9][0-9]-*)
for lab in "${labs[@]}"; do
    [ -f "labs/$lab/lab.yaml" ] || { echo "styles: there is no lab $lab" >&2; exit 2; }
    mapfile -t files < <("$BUILD/bin/labtool" files "labs/$lab")
    rm -rf "${work:?}"/*
    in_styles "$lab" "solutions/$lab" solution
    if [ -n "$ACCEPTED" ]; then
        "$BUILD/bin/labtool" submissions "labs/$lab" "$work/whole" >/dev/null
        for submission in "$work"/whole/accepted/*; do
            mkdir -p "$work/one" && cp "solutions/$lab/"*.* "$work/one/"
            if [ -d "$submission" ]; then cp "$submission"/* "$work/one/"; else cp "$submission" "$work/one/${files[0]}"; fi
            in_styles "$lab" "$work/one" "$(basename "$submission" .cu)"
            rm -r "$work/one"
        done
    fi
    if [ "$SAMPLE" != 0 ]; then # those whose digests come first
        for name in "$work"/class/*; do echo "$(echo "$SEED $(basename "$name")" | sha256sum) $name"; done | sort | tail -n +$((SAMPLE + 1)) | sed 's/.* //' | xargs -r rm -r
    fi
    "$BUILD/bin/grade" run --submissions "$work/class" --out "$work/out" --labs "$lab" --seed 1 ${COMPILER:+--compiler "$COMPILER"} --jobs "${GRADE_JOBS:-$(nproc)}" >"$work/log" 2>&1
    [ $? -lt 2 ] || { cat "$work/log" >&2; exit 2; }
    right=0 broken=0 short=0
    for name in "$work"/class/*; do
        name=$(basename "$name")
        result=$work/out/results/$name/$lab/result.json
        must=$(awk -F'\t' -v lab="$lab" -v style="${name#*.}" '$1 == lab && $2 == style { print $3 }' "$styles/short.tsv")
        if jq -e '.build.verdict != "pass"' "$result" >/dev/null; then
            broken=$((broken + 1))
            echo "  $name does not compile: $(jq -r '.build.log' "$result" | grep -m1 error)"
        elif jq -e '.score == .max_score' "$result" >/dev/null; then
            right=$((right + 1))
            [ -z "$must" ] || [[ $name != solution.* ]] || { echo "  $name has all points, and short.tsv has it"; [ $status = 2 ] || status=1; }
        else
            short=$((short + 1))
            [ -n "$must" ] || [ $status = 2 ] || status=1
            jq -r --arg name "$name" --arg must "${must:+ (as it must: $must)}" '"  \($name): \(.score) of \(.max_score)\($must)",
                (select($must == "") | [.cases[] | select(.points < .max_points)] | (.[:4][] | "    \(.name): \(.verdict): \(.message | gsub("\n"; " / "))"), (select(length > 4) | "    and \(length - 4) more cases"))' "$result"
        fi
    done
    [ ! -f "$work/unread" ] || status=2
    echo "$lab: $right right in other styles, $short short of all points, $broken that do not compile"
done
exit $status
