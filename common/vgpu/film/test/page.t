#!/bin/bash
# The film page's own functions and rules for its sources, by node's test runner (page.mjs).
: "${KIT:=$PWD}"
cd "$KIT" || exit 2
node -e 'require("node:test")' 2>/dev/null || { echo "1..0 # SKIP node is not here, or is older than 18 (make setup-all)"; exit 0; }
said=$(node --test-reporter=tap common/vgpu/film/test/page.mjs 2>&1)
status=$?
grep -E '^(ok|not ok|1\.\.)' <<<"$said"
[ $status = 0 ] || grep -vE '^(ok|1\.\.)' <<<"$said" | sed 's/^/# /' | head -n 80
exit $status
