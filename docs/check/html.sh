#!/bin/bash
# html.sh PAGE.html...: each page is well-formed and, as Debian's tidy reads it, valid HTML 5. Prints "page:line: what"; exit status 1 for a fault.
#
# Passed over: tidy asks tables for the attribute `summary`, which HTML 5 has not, does not know aria-current (WAI-ARIA 1.1), nor how EPUB and HTML write Chinese ids.
set -uo pipefail
command -v tidy >/dev/null || { echo "tidy is not installed (make setup-all)"; exit 2; }
status=0
for page in "$@"; do
    found=$(xmllint --noout "$page" 2>&1 | grep -v '^ ' | head -5)
    found+=$(tidy -e -q -utf8 --show-info no --fix-uri no "$page" 2>&1 | grep -vE '<table> lacks "summary" attribute|proprietary attribute "aria-current"|malformed URI reference' |
        sed -E "s|^line ([0-9]+) column [0-9]+ - |${page//|/_}:\1: |")
    [ -z "$found" ] || { echo "$found"; status=1; }
done
exit $status
