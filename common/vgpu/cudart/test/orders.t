#!/bin/bash
# Random programs of kernels, events, waits and graphs in streams of two devices (orders.cu): a stream-race is found in those that have one, and in no other.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu orders -std=c++17 -lineinfo "$here/orders.cu" || finish
for number in $(seq "${FIRST:-1}" "${LAST:-150}"); do
    promised=$("$vgpu" --quiet --devices=2 --report="$scratch/report.json" "$scratch/orders" "$number" 2>"$scratch/err") || true
    echo "$number $promised $(jq -r '[.findings[].kind] | unique | join(",")' "$scratch/report.json")"
done >"$scratch/all"
! grep -Ev '^[0-9]+ (none |race stream-race|some (stream-race)?)$' "$scratch/all" >"$scratch/wrong"
ok $? "each program has what its promises leave open, and nothing else" "$scratch/wrong"
[ "$(grep -c ' none ' "$scratch/all")" -ge 20 ] && [ "$(grep -c ' race ' "$scratch/all")" -ge 50 ]
ok $? "there are many of both" "$scratch/all"
finish
