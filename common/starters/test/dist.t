#!/bin/bash
# The student bundle: the same bytes twice, nothing secret inside, and a lab can be checked where it is unpacked.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
work=$(mktemp -d /tmp/dist-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
echo 1..13

report() { # STATUS NUMBER NAME OUTPUT
    if [ "$1" = 0 ]; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; sed 's/^/# /' <<<"$4"; fi
}

out=$(BUILD=$work/a common/starters/dist.sh 2>&1 && BUILD=$work/b common/starters/dist.sh 2>&1); report $? 1 "the bundle is made" "$out"
bundle=$work/a/dist/cuda-lab-kit-student.tar.gz
cmp "$bundle" "$work/b/dist/cuda-lab-kit-student.tar.gz" >"$work/cmp" 2>&1; report $? 2 "twice the same bytes" "$(cat "$work/cmp")"
mkdir "$work/x" && tar -xzf "$bundle" -C "$work/x"
kit=$work/x/cuda-lab-kit-student

secret=$({ cd "$kit" && find . \( -path ./solutions -o -name 'hidden.yaml' -o -name broken -o -name accepted -o -path '*/test/*' -o -path '*example-class*' \) | head || echo "nothing was unpacked"; } 2>&1)
[ -z "$secret" ]; report $? 3 "no solution, hidden case or test is inside" "$secret"
# Nor their contents under another name.
sums=$(find solutions -type f ! -name Makefile -exec sha256sum {} + | cut -c1-64)
copies=$(find "$kit" -type f -exec sha256sum {} + | grep -F "$sums")
[ -z "$copies" ]; report $? 4 "nor a copy of one" "$copies"

# ---- An examination: two labs, no hints, one public case ----
out=$(BUILD=$work/e EXAM=1 LABS=02-vector-add,04-streams common/starters/dist.sh 2>&1 && mkdir "$work/y" && tar -xzf "$work/e/dist/cuda-lab-kit-exam.tar.gz" -C "$work/y" 2>&1)
report $? 5 "the bundle of an examination is made" "$out"
exam=$work/y/cuda-lab-kit-exam
out=$(ls "$exam/labs"); [ "$out" = "$(printf '02-vector-add\n04-streams')" ]; report $? 6 "with the labs that were asked for" "$out"
out=$(grep -nE 'hint|message:|tiers:$' "$exam"/labs/*/lab*.yaml; grep -n '<summary>' "$exam"/labs/*/README*.md); out+=$(grep -rn 'make hint\|^hint:\|Common mistakes' "$exam/labs" "$exam/common/mk" "$exam/README.md" "$exam"/docs/student* 2>/dev/null); [ -z "$out" ]; report $? 7 "without hints" "$out"
out=$(grep -c '^  - name:' "$exam"/labs/*/lab.yaml | grep -v ':1$'); [ -z "$out" ]; report $? 8 "with one public case each" "$out"
printf 'cases:\n  - name: a\n    params: {hint: 1}\n' >"$work/odd.yaml"
out=$(perl common/starters/exam.pl "$work/odd.yaml" 2>&1); [ $? != 0 ] && [[ $out == *"cannot take this out"* ]]; report $? 9 "what cannot be taken out is refused" "$out"
out=$(BUILD=$work/e LABS=99-none common/starters/dist.sh 2>&1); [ $? = 2 ] && [[ $out == *"no lab 99-none"* ]]; report $? 10 "a lab that is not there is refused" "$out"

if ! command -v nvcc >/dev/null; then
    for i in 11 12 13; do echo "ok $i - a lab works in the unpacked bundle # SKIP nvcc is not here"; done
    exit 0
fi
# Of the same bytes under the same names this kit has made objects already: they stand for what compiling would give there, as long as all that they include
# is there too, which make sees to. Archives and programs are made anew. A sanitizer's objects are none of a student's kit.
different=$(cd "$kit" && find common grader labs -name '*.[ch]' -exec sh -c 'for f; do cmp "$f" "$0/$f"; done' "$PWD" {} + 2>&1 | head)
[ -z "$different" ]; report $? 11 "its sources are this kit's" "$different"
if [ -z "${SAN:-}${COV:-}" ]; then
    mkdir "$kit/build"
    (cd "$BUILD" && find flags common grader labs student \( -name '*.[od]' -o -name flags \) ! -path '*/test/*' ! -path '*/fuzz/*' -print0 | tar -c --null --files-from=-) | tar -x -C "$kit/build"
fi
# MAKEFLAGS of a calling make would name a job server that is not ours.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD KIT SAN
out=$(make --no-print-directory -C "$kit" -j"$(nproc)" all 2>&1); report $? 12 "the unpacked kit builds" "$(tail -20 <<<"$out")"
out=$(make --no-print-directory -C "$kit/labs/02-vector-add" check 2>&1)
status=$?
[ $status = 2 ] && [[ $out == *wrong-result* ]]; report $? 13 "make check there judges the starter" "status $status: $out"
