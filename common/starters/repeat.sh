#!/bin/bash
# `make repeat`: the same work, graded again and again on a busy machine, gets the same result each time.
#
#   repeat.sh [LAB...]       all labs without one; TIMES=20 gradings of the solution and of each OTHERS-th accepted submission (OTHERS=4; 0: none),
#                            with one seed, while LOAD=4 processes keep the processors busy. COMPILER, GRADE_JOBS as for other targets.
#
# A score is a function of submission and seed. What is compared of each two gradings: scores, verdicts, points, findings and messages of
# all cases; what differs is shown. Exit status: 0, 1 when something differs, 2 when grading fails.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}" "${TIMES:=20}" "${OTHERS:=4}" "${LOAD:=4}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
work=$(mktemp -d "${TMPDIR:-/tmp}/repeat.XXXXXX")
busy=()
trap 'kill "${busy[@]}" 2>/dev/null; rm -rf "$work"' EXIT
for ((i = 0; i < LOAD; i++)); do
    (while :; do :; done) &
    busy+=($!)
done

# LAB FILE-OR-FOLDER NAME: hands it in TIMES times, as students NAME-1, NAME-2...; without a file the solution.
hand_in() {
    local i file to
    for ((i = 1; i <= TIMES; i++)); do
        to=$work/class/$3-$i/$1
        mkdir -p "$to"
        for file in "${files[@]}"; do cp "solutions/$1/$file" "$to/"; done
        if [ -d "$2" ]; then cp "$2"/* "$to/"; elif [ -n "$2" ]; then cp "$2" "$to/${files[0]}"; fi
    done
}

# What is the same in each grading.
essence() { jq -S 'del(.student, .replay) | .cases |= map(del(.replay))' "$1"; }

status=0
labs=("$@")
[ ${#labs[@]} -gt 0 ] || mapfile -t labs < <(cd solutions && printf '%s\n' [0-9][0-9]-*)
for lab in "${labs[@]}"; do
    [ -f "labs/$lab/lab.yaml" ] || { echo "repeat: there is no lab $lab" >&2; exit 2; }
    mapfile -t files < <("$BUILD/bin/labtool" files "labs/$lab")
    rm -rf "${work:?}"/*
    hand_in "$lab" "" solution
    names=(solution)
    if [ "$OTHERS" -gt 0 ]; then
        "$BUILD/bin/labtool" submissions "labs/$lab" "$work/whole" >/dev/null || exit 2
        n=0
        for other in "$work/whole/accepted"/*; do
            [ -e "$other" ] || continue
            [ $((n++ % OTHERS)) = 0 ] || continue
            hand_in "$lab" "$other" "$(basename "$other" .cu)"
            names+=("$(basename "$other" .cu)")
        done
    fi
    "$BUILD/bin/grade" run --submissions "$work/class" --out "$work/out" --labs "$lab" --seed 1 ${COMPILER:+--compiler "$COMPILER"} --jobs "${GRADE_JOBS:-$(nproc)}" >"$work/log" 2>&1
    [ $? -lt 2 ] || { cat "$work/log" >&2; exit 2; }
    for name in "${names[@]}"; do
        essence "$work/out/results/$name-1/$lab/result.json" >"$work/first"
        differ=0
        for ((i = 2; i <= TIMES; i++)); do
            essence "$work/out/results/$name-$i/$lab/result.json" >"$work/next"
            cmp -s "$work/first" "$work/next" && continue
            differ=$((differ + 1))
            diff "$work/first" "$work/next" | head -n 20
        done
        echo "$lab: $name: $TIMES gradings, $(jq -r '"\(.verdict) \(.score)"' "$work/first"), $differ differ from the first"
        [ "$differ" = 0 ] || status=1
    done
done
exit $status
