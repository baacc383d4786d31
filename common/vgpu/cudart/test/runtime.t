#!/bin/bash
# The runtime's behaviour (runtime.cu), with both kinds of default stream; each line of the program is a test here.
here=$(dirname "$0")
. "$here/tap.sh"

run_one() { # NAME nvcc-options
    local name=$1
    shift
    build_cu "$name" -lineinfo -g "$@" "$here/runtime.cu" || return
    "$vgpu" --devices=2 --quiet --error-exitcode=0 --report="$scratch/$name.json" "$scratch/$name" >"$scratch/$name.out" 2>"$scratch/$name.err"
    ok $? "$name: exits 0" "$scratch/$name.err"
    grep '^not ok' "$scratch/$name.out" >"$scratch/$name.bad"
    [ ! -s "$scratch/$name.bad" ] && grep -q '^1\.\.' "$scratch/$name.out"
    ok $? "$name: $(grep -c '^ok' "$scratch/$name.out") checks hold" "$scratch/$name.bad"
    # The program shows, with a copy past a kernel, how late things run: a race of two streams, and found as such.
    same "$name: no other findings" '["stream-race"]' "$(jq -c '[.findings[] | select(.advice | not) | .kind] | unique' "$scratch/$name.json")"
    same "$name: a refused call is named once" 1 "$(grep -c 'cudaGraphicsUnregisterResource is not supported' "$scratch/$name.err")"
}
run_one legacy
run_one per_thread --default-stream per-thread -DPER_THREAD
finish
