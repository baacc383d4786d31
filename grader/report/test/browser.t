#!/bin/bash
# The report in headless Chromium (browser/pages.mjs): sort, filter, keyboard, widths, dark and light, and that nothing of a submission runs.
: "${BUILD:=build}" "${KIT:=$PWD}"
cd "$KIT" || exit 2
. grader/test/tap.sh
here=grader/report/test/browser
command -v node >/dev/null || skip_all "node is not here (make setup-all)"
[ -d $here/node_modules/playwright-core ] || skip_all "playwright-core is not here (make setup-all)"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$CHROMIUM" ] || skip_all "chromium is not here (make setup-all)"
export CHROMIUM
made=$(KEEP_HTML=1 "$BUILD/grader/report/test/test_report" 2>&1)
folder() { sed -n "s/^# $1: kept in //p" <<<"$made"; }
trap 'rm -rf "$(folder class)" "$(folder hostile)"' EXIT
node $here/pages.mjs "$(folder class)" "$(folder hostile)"
