#!/bin/bash
# Copies to constant memory and kernels of other streams (constants.cu): a race where nothing orders them, whichever ran first and however
# the kernel reads; nothing where an event does, or where it reads another variable.
here=$(dirname "$0")
. "$here/tap.sh"
build_cu constants -lineinfo -g "$here/constants.cu" || finish

found() { # CASE EXPECTED [options]
    "$vgpu" --quiet "${@:3}" --report="$scratch/report.json" "$scratch/constants" "$1" >"$scratch/out" 2>"$scratch/err"
    same "$1 ${*:3}: found" "$2" "$(jq -r '[.findings[] | "\(.kind): \(.message)"] | join(" / ")' "$scratch/report.json")"
    same "$1 ${*:3}: no call failed" cudaSuccess "$(cat "$scratch/out")"
}
late="stream-race: a copy writes memory that a kernel in another stream reads, and nothing orders the two"
found after "$late"
found after "$late" --isolated
found before "stream-race: a kernel reads memory that a copy in another stream writes, and nothing orders the two"
for options in "" --seed=1 --jobs=2; do
    found index "$late" $options
done
found global "$late"
found ordered ""
found other ""
finish
