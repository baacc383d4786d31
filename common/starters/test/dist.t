#!/bin/bash
# The student bundle: the same bytes twice, nothing secret inside, and a lab can be checked where it is unpacked.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
work=$(mktemp -d /tmp/dist-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
echo 1..6

report() { # STATUS NUMBER NAME OUTPUT
    if [ "$1" = 0 ]; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; sed 's/^/# /' <<<"$4"; fi
}

out=$(BUILD=$work/a common/starters/dist.sh 2>&1 && BUILD=$work/b common/starters/dist.sh 2>&1); report $? 1 "the bundle is made" "$out"
bundle=$work/a/dist/cuda-lab-kit-student.tar.gz
cmp "$bundle" "$work/b/dist/cuda-lab-kit-student.tar.gz" >"$work/cmp" 2>&1; report $? 2 "twice the same bytes" "$(cat "$work/cmp")"
mkdir "$work/x" && tar -xzf "$bundle" -C "$work/x"
kit=$work/x/cuda-lab-kit-student

secret=$(cd "$kit" && find . \( -path ./solutions -o -name 'hidden.yaml' -o -name broken -o -name accepted -o -path '*/test/*' -o -path '*example-class*' \) | head)
[ -z "$secret" ]; report $? 3 "no solution, hidden case or test is inside" "$secret"
# Nor their contents under another name.
sums=$(find solutions -type f ! -name Makefile -exec sha256sum {} + | cut -c1-64)
copies=$(find "$kit" -type f -exec sha256sum {} + | grep -F "$sums")
[ -z "$copies" ]; report $? 4 "nor a copy of one" "$copies"

if ! command -v nvcc >/dev/null; then
    for i in 5 6; do echo "ok $i - a lab works in the unpacked bundle # SKIP nvcc is not here"; done
    exit 0
fi
# MAKEFLAGS of a calling make would name a job server that is not ours.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD KIT SAN
out=$(make --no-print-directory -C "$kit" -j"$(nproc)" all 2>&1); report $? 5 "the unpacked kit builds" "$(tail -20 <<<"$out")"
out=$(make --no-print-directory -C "$kit/labs/02-vector-add" check 2>&1)
status=$?
[ $status = 2 ] && [[ $out == *wrong-result* ]]; report $? 6 "make check there judges the starter" "status $status: $out"
