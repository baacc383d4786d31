#!/bin/bash
# The report in headless Chromium (browser/pages.mjs): sort, filter, keyboard, widths, dark and light, axe-core, and that nothing of a submission runs.
: "${BUILD:=build}" "${KIT:=$PWD}"
cd "$KIT" || exit 2
. grader/test/tap.sh
here=grader/report/test/browser
command -v node >/dev/null || skip_all "node is not here (make setup-all)"
[ -d $here/node_modules/playwright-core ] || skip_all "playwright-core is not here (make setup-all)"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$CHROMIUM" ] || skip_all "chromium is not here (make setup-all)"
export CHROMIUM
made=$(export KEEP_HTML=1; for test in report leaderboard; do "$BUILD/grader/report/test/test_$test" 2>&1; done)
folder() { sed -n "s/^# $1: kept in //p" <<<"$made"; }
folders=("$(folder class)" "$(folder hostile)" "$(folder similar)" "$(folder leaderboard)")
trap 'rm -rf "${folders[@]}"' EXIT
node $here/pages.mjs "${folders[@]}"
