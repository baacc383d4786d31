#!/bin/bash
# The model of time puts the versions of all ladders in the order measured on an H100; the judge of orders itself is tried with orders that are
# right, reversed, tied and unknown.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -60; fi; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
row() { printf 'ladder\tlab\tsum\t%s\t%s\t%s\t%s\t1\t1\tright\tgain\n' "$1" "$2" "${3:-$2}" "${4:-$2}"; } # NAME MEDIAN [MIN MAX]
rank() { "$KIT/common/ladder/rank.sh" "$tmp/modelled" "$tmp/measured" >"$tmp/out" 2>&1; }

{ row a 4; row b 2; row c 1; row only-there 1; } >"$tmp/measured"
{ row a 8; row b 7; row c 6; row only-here 1; } >"$tmp/modelled"
rank && grep -q 'all: tau 1.000 of 3 pairs' "$tmp/out" && grep -q 'only-here: not measured' "$tmp/out" && grep -q '^1 measured versions did not run' "$tmp/out"
result $? "the same order is tau 1, and rows that only one side has are told" "$(cat "$tmp/out")"

{ row a 6; row b 7; row c 8; } >"$tmp/modelled"
rank
[ $? = 1 ] && grep -q 'all: tau -1.000 of 3 pairs' "$tmp/out"
result $? "the control: a reversed order is tau -1, and fails" "$(cat "$tmp/out")"

{ row a 4; row b 3.9; row c 1; } >"$tmp/measured"
{ row a 7; row b 8; row c 6; } >"$tmp/modelled"
rank && grep -q 'all: tau 1.000 of 2 pairs (0 the other way round), 1 ties' "$tmp/out"
result $? "measured times within 5 % are a tie" "$(cat "$tmp/out")"

{ row a 4; row b 3 2 5; row c 1; } >"$tmp/measured"
rank && grep -q 'all: tau 1.000 of 2 pairs (0 the other way round), 1 ties' "$tmp/out"
result $? "a measured time among those of the other is a tie" "$(cat "$tmp/out")"

row z 1 >"$tmp/modelled"
rank
[ $? = 2 ]
result $? "nothing to compare is status 2" "$(cat "$tmp/out")"

if ! command -v nvcc >/dev/null; then
    n=$((n + 1))
    echo "ok $n - all ladders # SKIP nvcc is not here"
else
    make -s -C "$KIT" BUILD="$BUILD" model-rank >"$tmp/out" 2>&1
    result $? "all ladders: $(grep '^all:' "$tmp/out")" "$(cat "$tmp/out")"
fi
echo "1..$n"
