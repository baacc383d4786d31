#!/bin/bash
# One program under one tool of compute-sanitizer; the last line says what the tool reported.
#
#   sanitize.sh memcheck|racecheck|initcheck|synccheck PROGRAM CASEDIR
#
# Prints: TOOL <tab> COUNT <tab> the first report. The tools sum up in different words: racecheck's hazards are not in "ERROR SUMMARY".
# KEEP=FILE keeps the first lines of what the tool printed, where it reported something.
set -uo pipefail
tool=$1
program=$2
folder=$3
options=()
[ "$tool" = memcheck ] && options=(--leak-check full)
[ "$tool" = racecheck ] && options=(--racecheck-report analysis)
out=$(timeout 20 compute-sanitizer --tool "$tool" --print-limit 20 "${options[@]}" "$program" "$folder" 2>&1)
status=$?
[ "$status" != 124 ] || { printf '%s\t-1\tno end within 20 s\n' "$tool"; exit; }
if [ "$tool" = racecheck ]; then
    count=$(sed -n 's/.*RACECHECK SUMMARY: \([0-9]*\) hazards* displayed.*/\1/p' <<<"$out" | head -1)
    first=$(grep -m1 -E '^========= (Error|Warning|ERROR|WARNING)' <<<"$out")
else
    count=$(sed -n "s/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p" <<<"$out" | head -1)
    first=$(grep '^=========' <<<"$out" | grep -v -E 'COMPUTE-SANITIZER|SUMMARY|=========     |^========= *$' | head -1)
fi
[ -z "${KEEP:-}" ] || [ "${count:--2}" = 0 ] || head -60 <<<"$out" >"$KEEP"
printf '%s\t%s\t%s\n' "$tool" "${count:--2}" "${first#========= }"
