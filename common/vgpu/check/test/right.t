#!/bin/bash
# Right kernels (right.cu) under all checks, in three orders of blocks and warps, and on two workers: each gives the right
# result, and nothing is found.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"

program=right
run() { # NAME vgpu-options
    local name=$1
    shift
    "$vgpu" "$@" --report="$scratch/right.json" "$scratch/$program" >"$scratch/right.out" 2>"$scratch/right.err"
    ok $? "$name: all results are right, nothing is found" "$scratch/right.err"
    same "$name: no advice either" '[]' "$(jq -c '[.findings[].text]' "$scratch/right.json")"
    [ "$(grep -c ' right$' "$scratch/right.out")" -ge 60 ] && ! grep -v ' right$' "$scratch/right.out" >"$scratch/wrong"
    ok $? "$name: at least 60 kernels ran" "$scratch/wrong"
}
if build_cu right -std=c++17 -lineinfo "$here/right.cu"; then
    run "in order"
    run "seed 1" --seed=1
    run "seed 2" --seed=2
    run "two workers" --jobs=2
fi
program=plain # compilers keep much more in local memory then
if build_cu plain -std=c++17 -G "$here/right.cu"; then
    run "without optimisation"
fi
finish
