#!/bin/bash
# `make bench`: every ladder has a row, with its CPU's result checked; the picture is one; an unknown device is refused.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -60; fi; }
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s BUILD="$BUILD" ladder-programs >"$tmp/log" 2>&1
result $? "the ladders are built" "$(cat "$tmp/log")"
SIZE=test common/ladder/bench.sh virtual "$tmp/picture.svg" >"$tmp/table" 2>"$tmp/said"
result $? "it runs" "$(cat "$tmp/said")"
missing=$(for l in "$BUILD"/ladders/*; do grep -q "^${l##*/} .* [0-9.]*x$" "$tmp/table" || echo "${l##*/}"; done)
[ -z "$missing" ]
result $? "each ladder has a row with a speed-up" "$missing"
if command -v gnuplot >/dev/null; then
    xmllint --noout "$tmp/picture.svg" && grep -q 'vector-add' "$tmp/picture.svg"
    result $? "the picture is XML, and names the labs" ""
else
    result 0 "the picture # SKIP no gnuplot"
fi
wrong=$("$BUILD/bin/vgpu" --quiet --check=none "$BUILD/ladders/07-scan" --cpu --size=1000 | awk -F'\t' '$4 == "cpu" { print $10 }')
[ "$wrong" = right ]
result $? "the CPU's result goes through the same check" "$wrong"
common/ladder/bench.sh nowhere >"$tmp/said" 2>&1
[ $? = 2 ]
result $? "an unknown device is refused" "$(cat "$tmp/said")"
echo "1..$n"
