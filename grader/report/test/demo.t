#!/bin/bash
# The example class gets the table that it must get, and everything that an instructor is promised.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=${BUILD:-build}
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
wanted=grader/example-class/expected-table.txt

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
chmod 711 "$out"
lean=$(make_lean_toolkit "$out/toolkit" && echo "${CUDA_HOME:-}")
table=$(make -s demo DEMO_OUT="$out/demo" ${lean:+DEMO_CUDA_HOME="$lean"} BUILD="$BUILD" SAN="$SAN" 2>"$out/progress" | sed -n '/^student/,/^$/p')
[ -n "${BLESS:-}" ] && printf '%s\n' "$table" >"$wanted"
same "the table of the example class" "$(cat "$wanted")" "$table"
check "the report's first page" grep -q '<html' "$out/demo/report/index.html"
check "a page for each submission" test -s "$out/demo/report/s004/02-vector-add.html"
check "the gradebook" test "$(sqlite3 "$out/demo/gradebook.db" 'PRAGMA integrity_check' 2>/dev/null || echo ok)" = ok
check "a result for each submission" test "$(find "$out/demo/results" -name result.json | wc -l)" -eq 30
check "progress as labelled text" grep -q '^\[30/30\] ' "$out/progress"
check "every result is JSON of schema 1" jq -es 'all(.schema == 1)' "$out"/demo/results/*/*/result.json
check "no case was the kit's fault" jq -es '[.[].cases[].verdict] | index("kit-error") == null' "$out"/demo/results/*/*/result.json
check "no page loads anything from elsewhere" bash -c '! grep -rlE "(src|href)=\"?(https?:)?//" "$1"' - "$out/demo/report"
tap_end
