#!/bin/bash
# Starters, solutions, broken and accepted submissions of every lab: each compiles, and gets what it must.
#
# LABS=02-vector-add restricts it; COMPILER=clang says what compiles (auto otherwise); GRADE_JOBS submissions at a time; GRADE_OPTIONS=--in-process
# are further options of `grade run`. Everything is a student: `solution`, `starter`, and one for each file
# or folder in broken/ and accepted/. A file stands for the lab's first file, a folder has some of the lab's files; the others are the
# solution's. Each file of a folder that begins with a comment `expect:` says what is expected of a case. Edits are made whole first; one
# that no longer applies is named. Exit status: 0, 1 when a test is not ok, 2 when there is no such lab.
#
# A submission that names one case is graded on that case alone: those of the same case are a class. All others are a class of their own,
# graded on all cases. Compiling is what costs most: only the solution and the starter are compiled with all of the compiler's headers.
#
# With SHORT=1, as `make test` has it, a third of the labs has wrong and accepted submissions graded (common/mk/test/short.sh): a broken one of one case
# where none before it, by name, expects the same verdict in the lab; of the accepted ones the first, and each third of the others. Of the other
# labs none is but what must not compile. The device code of those that are left out is compiled.
#
# clang-differs.tsv beside this lists the submissions that get another verdict or line when clang compiles them, with the reason. COMPILER=clang
# holds each row.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
check_result=$BUILD/common/starters/test/check_result
. grader/test/quick-kit.sh
. common/mk/test/short.sh
work=$(mktemp -d /tmp/check-starters.XXXXXX)
chmod 711 "$work" # the sandboxes' users find the toolkit in it
trap 'rm -rf "$work"' EXIT

n=0 failed=0
# NAME COMMAND...: one test; the command's output is shown when it fails.
try() {
    local name=$1 out
    shift
    n=$((n + 1))
    if out=$("$@" 2>&1); then echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/# /' <<<"$out"
        failed=1
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

labs=${LABS:-}
[ -n "$labs" ] || labs=$(cd solutions && echo [0-9][0-9]-*)
labs=${labs//,/ }
for lab in $labs; do [ -f "labs/$lab/lab.yaml" ] || { echo "Bail out! there is no lab $lab"; exit 2; }; done
mkdir "$work/whole"
differs=common/starters/test/clang-differs.tsv

files_of() { "$BUILD/bin/labtool" files "labs/$1"; }

# LAB FOLDER CLASS/STUDENT: hands in what lies in labs/NN-name or solutions/NN-name.
hand_in() {
    local file
    mkdir -p "$work/class/$3/$1"
    for file in $(files_of "$1"); do cp "$2/$1/$file" "$work/class/$3/$1/"; done
}

# LAB FILE-OR-FOLDER CLASS/STUDENT: the same of the solution, with something else in its place.
hand_in_other() {
    hand_in "$1" solutions "$3"
    if [ -d "$2" ]; then cp "$2"/* "$work/class/$3/$1/"
    else cp "$2" "$work/class/$3/$1/$(files_of "$1" | head -n 1)"; fi
}

# Verdict and case that a submission expects, where it is one of each; else `every-case` alone.
expected_of() {
    if [ -d "$1" ] || [ "$(basename "$(dirname "$1")")" = accepted ]; then echo every-case
    else awk '!/^(\/\/|#)/ { exit } $2 == "expect:" { e++; verdict = $3 } $2 == "case:" { c++; name = $3 } END { print e == 1 && c == 1 ? verdict " " name : "every-case" }' "$1"; fi
}
# Class and student of a submission: the class is that of the one case that is named, or `every-case`.
student_of() {
    local expected
    expected=$(expected_of "$1")
    echo "${expected#* }/$(basename "$(dirname "$1")")-$(basename "$1" .cu)"
}

# The lab's submissions as whole sources, in folders broken/ and accepted/; and such a source by its place in solutions/.
submissions_of() { local path; for path in "$work/whole/$1"/"$2"/*; do [ ! -e "$path" ] || echo "$path"; done; }
shown() { echo "${1/#"$work/whole"/solutions}"; }

# Whether something else is expected of a submission that clang compiles, of one case: it goes to $work/other.
clang_differs() {
    [ "${COMPILER:-auto}" = clang ] &&
        awk -F'\t' -v name="$(shown "$1")" -v major="$("$BUILD/bin/labcc" --version | sed -n 's/.*clang \([0-9]*\).*/\1/p')" '
            $1 == name && (!$2 || major <= $2) { print "// expect: " $3 "\n// case: " $4; if ($5) print "// line: " $5; n++ }
            END { exit n != 1 }' "$differs" >"$work/other"
}

# The files of a submission in broken/ or accepted/ that say what is expected.
expectations_of() {
    if [ -d "$1" ]; then grep -lE -m1 '^(//|#) expect: ' "$1"/*; else echo "$1"; fi
}

# LAB FOLDER WANTED: the optional part, from labs/NN-name or solutions/NN-name; it ends well, or politely not.
extra_ends() {
    local out status
    out=$(make -s -C "labs/$1" extra DEVICE=virtual KIT_BUILD="$BUILD" EXTRA_FROM="$KIT/$2/$1" EXTRA_BUILD="$work/extra-$2" 2>&1)
    status=$?
    echo "$out"
    ! grep -q 'warning' <<<"$out" || return 1
    if [ "$3" = right ]; then [ $status = 0 ] && grep -q 'vgpu: no findings' <<<"$out"
    else [ $status != 0 ] && grep -q 'exit status 1$' <<<"$out"; fi
}

# LAB FILE...: the sources as one, each in a namespace of its own with the lab's headers and its macros, behind all other headers. A function that is
# declared for C stands in no namespace: $work/headers has the lab's headers without that.
as_one() {
    local lab=$1 file n=0
    shift
    mkdir -p "$work/headers"
    for file in "labs/$lab"/*.h; do
        perl -0pe 's/^extern "C" \{\n//mg; s/^#ifdef __cplusplus\n\}\n#endif.*\n//mg; s/^extern "C" //mg' "$file" >"$work/headers/${file##*/}"
    done
    cat "$work"/headers/*.h "$@" | grep -E '^[[:space:]]*#[[:space:]]*include\b' | awk '!seen[$0]++' | grep -vF "$(cd "$work/headers" && printf '"%s"\n' *.h)"
    for file; do
        printf 'namespace submission_%d {\n#include "%s"\n}\n' $((++n)) "$file"
        sed -nE 's/^[[:space:]]*#[[:space:]]*define[[:space:]]+([A-Za-z_0-9]+).*/#undef \1/p' "$work"/headers/*.h "$file"
    done
}
# LAB FILE [HEADERS]: the source compiles, as far as the device's code. What the compiler refuses it refuses without optimizing too.
compile_device() {
    local compiler=("$BUILD/bin/labcc" -lineinfo)
    [ "${COMPILER:-auto}" = clang ] || ! command -v nvcc >/dev/null || compiler=("${CUDA_HOME:-$(common/mk/cuda-home.sh)}/bin/nvcc" -G)
    "${compiler[@]}" -arch=compute_75 ${3:+-I "$3"} -I "labs/$1" -I common/lab -ptx -o "$work/compiled.ptx" "$2"
}
# LAB FILE-OR-FOLDER...: all of them compile: at once, which takes little more than one of them; where they do not, one by one.
compile_all() {
    local file files
    mapfile -t files < <(find "${@:2}" -name '*.cu' | LC_ALL=C sort)
    as_one "$1" "${files[@]}" >"$work/as_one.cu"
    ! compile_device "$1" "$work/as_one.cu" "$work/headers" >/dev/null 2>&1 || return 0
    for file in "${files[@]}"; do compile_device "$1" "$file" || { echo "$(shown "$file") does not compile"; return 1; }; done
}

# LAB: each `expect:` of a wrong submission has its `says:`, the words of the first screen that lead to the cure.
says_everywhere() {
    find "solutions/$1/broken" -type f -exec awk '
        !/^(\/\/|#)/ { nextfile }
        $2 == "expect:" { n[FILENAME]++ }
        $2 == "says:" && NF > 2 { n[FILENAME]-- }
        END { for (f in n) if (n[f]) { print f ": an expect: without its says:"; bad = 1 } exit bad }' {} +
}
declare -A passed_over=()
# LAB SUBMISSION: whether the short run leaves it out.
is_passed_over() {
    local verdict case
    read -r verdict case < <(expected_of "$2")
    ! grep -qsx '// expect: build-error' "$2" || return 1
    ! is_out_of_turn "${1%%-*}" || return 0
    if [ -n "$case" ]; then is_repeated "$1 $verdict"
    else [[ $2 = */accepted/* ]] && is_repeated "$1 accepted" && is_out_of_turn "$(cksum <<<"$2" | cut -d' ' -f1)"; fi
}

for lab in $labs; do
    try "$lab: starter and handout agree with the solution" "$BUILD/bin/starters" --check "$lab"
    if command -v nvcc >/dev/null && grep -q '^extra:' "labs/$lab/lab.yaml"; then
        try "$lab: the solution of the optional part is right" extra_ends "$lab" solutions right
        try "$lab: its starter is not, and says so" extra_ends "$lab" labs polite
    fi
    hand_in "$lab" labs ours/starter
    hand_in "$lab" solutions ours/solution
    try "$lab: every edit applies to the solution" "$BUILD/bin/labtool" submissions "labs/$lab" "$work/whole/$lab"
    for submission in $(submissions_of "$lab" broken) $(submissions_of "$lab" accepted); do
        if is_passed_over "$lab" "$submission"; then passed_over[$lab]+=" $submission"
        else hand_in_other "$lab" "$submission" "$(student_of "$submission")"; fi
    done
done

if ! "$BUILD/bin/grade" doctor >"$work/doctor" 2>&1; then
    problems=$(sed -n 's/^[0-9][0-9]-.* PROBLEM: .*/&/p' "$work/doctor") # a lab's own fault, and no facility that this machine lacks
    if [ -n "$problems" ]; then
        try "verdicts of all submissions" eval 'echo "$problems"; false'
        echo "1..$n"
        exit 1
    fi
    skip "verdicts of all submissions" "grade doctor: $(grep -m1 -i 'not found\|not built\|missing\|does not' "$work/doctor" | tr '#' ' ')"
    echo "1..$n"
    exit $failed
fi
# CLASS [ARGUMENT...]
grade() {
    "$BUILD/bin/grade" run --submissions "$work/class/$1" --out "$work/out/$1" --seed 1 --compiler "${COMPILER:-auto}" --jobs "${GRADE_JOBS:-$(nproc)}" ${GRADE_OPTIONS:-} "${@:2}" >"$work/log" 2>&1
    [ $? -lt 2 ] || sed 's/^/# /' "$work/log"
}
mkdir "$work/out"
grade ours
[ "${COMPILER:-auto}" = clang ] || make_lean_toolkit "$work/toolkit"
for class in "$work"/class/*; do
    class=${class##*/}
    case $class in
    ours) ;;
    every-case) grade every-case ;;
    *) grade "$class" --case "$class" ;;
    esac
done

# LAB CLASS/STUDENT
result() { echo "$work/out/${2%/*}/results/${2#*/}/$1/result.json"; }
# RESULT.json: what compiler and linker said is kept in it.
compiles_silently() { jq -e '.build | if .verdict == "pass" and .log == "" then true else ., false end' "$1"; }
says_a_warning() { ! compiles_silently <(echo '{"build": {"verdict": "pass", "log": "a.cu(3): warning"}}'); }
try "a warning of the compiler is seen" says_a_warning
# Each row is whole and names a submission; they are at most 3 of 100.
differs_is_short() {
    local name lab rows=0 all
    while IFS=$'\t' read -r name _; do
        lab=${name#solutions/} lab=${lab%%/*}
        [ -d "solutions/$lab" ] || continue
        [ -e "$name.edit" ] || [ -e "$name" ] || { echo "there is no $name"; return 1; }
        rows=$((rows + 1))
    done < <(grep -v '^#' "$differs")
    ! grep -v '^#' "$differs" | grep -vP '^solutions/[^\t]+\t[0-9]*\t[a-z-]+\t[a-z0-9-]+\t[0-9]*\t[^\t]+$' || return 1
    all=$(ls -d solutions/*/{broken,accepted}/* | wc -l)
    [ $((rows * 100)) -le $((all * 3)) ] || { echo "$rows of $all"; return 1; }
}
try "what clang compiles differs in few submissions" differs_is_short
for lab in $labs; do
    floor=$(sed -n 's/^starter_floor: *//p' "labs/$lab/lab.yaml")
    try "$lab: the solution gets all points" "$check_result" --score 100 100 "$(result "$lab" ours/solution)"
    try "$lab: the starter compiles without a warning" compiles_silently "$(result "$lab" ours/starter)"
    try "$lab: the starter gets at most ${floor:-0} points" "$check_result" --score 0 "${floor:-0}" "$(result "$lab" ours/starter)"
    [ -z "${passed_over[$lab]:-}" ] || try "$lab: submissions that are not graded compile: $(wc -w <<<"${passed_over[$lab]}")" compile_all "$lab" ${passed_over[$lab]}
    left_out "$(wc -w <<<"${passed_over[$lab]:-}")" "wrong or unusual submissions, compiled and not graded"
    for submission in $(submissions_of "$lab" broken) $(submissions_of "$lab" accepted); do
        [[ " ${passed_over[$lab]:-} " != *" $submission "* ]] || continue
        files=$(expectations_of "$submission")
        if clang_differs "$submission"; then
            try "$(shown "$submission"), as clang compiles it" "$check_result" "$work/other" "$(result "$lab" "$(student_of "$submission")")"
            continue
        fi
        [ -n "$files" ] || try "$(shown "$submission") says what is expected" false
        for file in $files; do try "$(shown "$file")" "$check_result" "$file" "$(result "$lab" "$(student_of "$submission")")"; done
    done
    for submission in $(submissions_of "$lab" accepted); do
        [[ " ${passed_over[$lab]:-} " != *" $submission "* ]] || continue
        clang_differs "$submission" || try "$(shown "$submission") gets all points" "$check_result" --score 100 100 "$(result "$lab" "$(student_of "$submission")")"
    done
    try "$lab: wrong submissions have the words that lead to the cure" says_everywhere "$lab"
done
echo "1..$n"
exit $failed
