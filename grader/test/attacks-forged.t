#!/bin/bash
# Every wrong submission of a lab, with code at its end that writes the values which the judge wants to read: in the case that it names
# (`// case:`, the lab's first else) it gets the verdict that it is there for, as check-starters.t shows without that code, or no points.
# The code is grader/test/attacks-forged/NN-name.cu; added to the lab's solution it costs nothing. With SHORT=1 one submission
# of each case has the code: what is read depends on the case.
#
#   bash grader/test/attacks-forged.t [BROKEN...]     only these of solutions/NN-name/broken; LABS: only these labs
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
[ -z "${SAN:-}" ] || skip_all "the virtual GPU is in the program's own process under a sanitizer"
tmp=$(mktemp -d /tmp/attacks-forged-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
. grader/test/quick-kit.sh
. common/mk/test/short.sh
make_lean_toolkit "$tmp/toolkit"
labs=${LABS:-$(cd grader/test/attacks-forged && basename -s .cu ./*.cu)}

said() { # FILE WORD: what a submission's head says
    sed -n "s,^// $2: ,,p" "$1" | head -n 1
}
# LAB CLASS [ARGUMENT...]
grade_class() {
    "$grade" run --submissions "$tmp/$1/$2" --out "$tmp/out-$1/$2" --labs "$1" --seed 1 --jobs "${GRADE_JOBS:-2}" "${@:3}" >/dev/null 2>"$tmp/log" ||
        sed 's/^/# /' "$tmp/log" | grep -v '^# \[' || true
}

for lab in $labs; do
    file=$("$BUILD/bin/labtool" files "labs/$lab" | head -n 1)
    first=$("$BUILD/bin/labtool" cases "labs/$lab" | head -n 1 | cut -f 1)
    "$BUILD/bin/labtool" submissions "$lab" "$tmp/whole-$lab"
    case_of() {
        local named
        named=$(said "$tmp/whole-$lab/broken/$1.cu" case)
        echo "${named:-$first}"
    }
    names=("${@}")
    if [ $# = 0 ]; then
        all=($(cd "$tmp/whole-$lab/broken" && basename -s .cu ./*.cu))
        for name in "${all[@]}"; do is_repeated "$lab $(case_of "$name")" || names+=("$name"); done
        left_out $((${#all[@]} - ${#names[@]})) "wrong submissions that try to forge the values of a case, as others do"
    fi
    hand_in() { # SOURCE CLASS/STUDENT
        mkdir -p "$tmp/$lab/$2/$lab"
        cat "$1" "grader/test/attacks-forged/$lab.cu" >"$tmp/$lab/$2/$lab/$file"
    }
    hand_in "solutions/$lab/$file" every-case/solution
    for name in "${names[@]}"; do hand_in "$tmp/whole-$lab/broken/$name.cu" "$(case_of "$name")/$name"; done
    for class in "$tmp/$lab"/*; do
        class=${class##*/}
        if [ "$class" = every-case ]; then grade_class "$lab" every-case; else grade_class "$lab" "$class" --case "$class"; fi
    done
    result=$tmp/out-$lab/every-case/results/solution/$lab/result.json
    same "$lab: forging takes nothing from the solution" "$(jq .max_score "$result")" "$(jq .score "$result")"
    for name in "${names[@]}"; do
        result=$tmp/out-$lab/$(case_of "$name")/results/$name/$lab/result.json
        wanted=$(said "$tmp/whole-$lab/broken/$name.cu" expect)
        same "$lab $name: forging gains no points" "$wanted" \
            "$(jq -r --arg wanted "$wanted" 'if .score == 0 then $wanted else .cases[0] | "\(.verdict)" end' "$result")"
    done
done
tap_end
