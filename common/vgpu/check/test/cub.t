#!/bin/bash
# CUB and Thrust under all checks: sort, in-place unique, scan, reduce and radix sort give the right result, and
# nothing is found. Their look-backs publish by relaxed and volatile words. N sets the number of elements.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"

if build_cu cub -lineinfo "$here/cub.cu"; then
    "$vgpu" --report="$scratch/cub.json" "$scratch/cub" "${N:-30000}" >"$scratch/cub.out" 2>"$scratch/cub.err"
    ok $? "runs" "$scratch/cub.err"
    same "results are right" right "$(cat "$scratch/cub.out")"
    same "nothing is found, no advice either" '[]' "$(jq -c '[.findings[].kind] | unique' "$scratch/cub.json")"
fi
finish
