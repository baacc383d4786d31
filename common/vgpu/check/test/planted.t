#!/bin/bash
# Planted bugs (planted.cu), each in a run of its own: found, at its line, and the right twin is silent.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"

# The line that carries "// bug: NAME".
line_of() {
    grep -n "// bug: $1\$" "$here/planted.cu" | cut -d: -f1
}

try() { # NAME KIND
    "$vgpu" --max-instructions=100000000 --report="$scratch/bug.json" "$scratch/planted" "$1" bug >"$scratch/out" 2>"$scratch/err"
    local lines
    lines=" $(jq -r --arg kind "$2" '.findings[] | select(.kind == $kind) | .line // .site.line, .other.line // empty' \
        "$scratch/bug.json" | tr '\n' ' ')"
    case $lines in *" $(line_of "$1") "*) true ;; *) false ;; esac
    ok $? "$1: $2 is found at its line" "$scratch/err"
    "$vgpu" --report="$scratch/twin.json" "$scratch/planted" "$1" right >"$scratch/out" 2>"$scratch/err"
    ok $? "$1: its twin exits 0" "$scratch/err"
    same "$1: its twin is silent" '[]' "$(jq -c '[.findings[].text]' "$scratch/twin.json")"
}

if build_cu planted -lineinfo -g "$here/planted.cu"; then
    rows=0
    while read -r name kind; do
        rows=$((rows + 1))
        try "$name" "$kind"
    done < <(sed -n 's/^ *{"\([a-z_]*\)", [a-z_]*}, *\/\/ \([a-z-]*\)$/\1 \2/p' "$here/planted.cu")
    "$vgpu" "$scratch/planted" outside_mask bug >"$scratch/out" 2>"$scratch/err"
    grep -q "sync-mask: a warp operation that lanes execute which its mask does not name" "$scratch/err" && ! grep -q "do not take part" "$scratch/err"
    ok $? "a lane outside the mask is told as that" "$scratch/err"
    [ "$rows" -ge 20 ]
    ok $? "the table has $rows rows"
    "$vgpu" "$scratch/planted" constant_written bug >"$scratch/out" 2>"$scratch/err"
    grep -q "hint: .*nvcc put a trap where it writes a __constant__ variable" "$scratch/err"
    ok $? "a write of constant memory: the hint says so" "$scratch/err"
    "$vgpu" "$scratch/planted" ragged_loop bug >"$scratch/out" 2>"$scratch/err"
    grep -q "hint: .*use an atomic such as atomicAdd" "$scratch/err" && ! grep -q "hint: .*__syncthreads" "$scratch/err"
    ok $? "in a loop of another length in each thread an atomic is advised, and no barrier" "$scratch/err"
    "$vgpu" "$scratch/planted" tile_reuse bug >"$scratch/out" 2>"$scratch/err"
    grep -q "hint: .*__syncthreads" "$scratch/err"
    ok $? "in one of the same length a barrier" "$scratch/err"
    "$vgpu" "$scratch/planted" past_variable bug >"$scratch/out" 2>"$scratch/err"
    grep -q "after the variable inside (16 bytes" "$scratch/err"
    ok $? "a variable is called as the program calls it" "$scratch/err"
    "$vgpu" "$scratch/planted" told_by_shuffle bug >"$scratch/out" 2>"$scratch/err"
    grep -q "hint: .*a shuffle or a vote alone, which orders no memory: put __syncwarp() behind it" "$scratch/err"
    ok $? "what a warp knows by a shuffle: __syncwarp is advised" "$scratch/err"
    "$vgpu" "$scratch/planted" half_block bug >"$scratch/out" 2>"$scratch/err"
    ok $? "threads that exit before a barrier are advice: the exit status is 0" "$scratch/err"
    "$vgpu" --raise=barrier-exited --report="$scratch/raised.json" "$scratch/planted" half_block bug >"$scratch/out" 2>"$scratch/err"
    same "--raise: the exit status is 1" 1 $?
    same "--raise: its verdict is barrier" '["barrier",false]' "$(jq -c '.findings[] | [.verdict, .advice]' "$scratch/raised.json")"
    "$vgpu" --isolated --raise=barrier-exited "$scratch/planted" half_block bug >"$scratch/out" 2>"$scratch/err"
    same "--raise --isolated: the exit status is 1" 1 $?
    "$vgpu" --raise=barrier-exited,race "$scratch/planted" half_block right >"$scratch/out" 2>"$scratch/err"
    [ $? -ne 0 ]
    ok $? "--raise refuses what is no advice" "$scratch/err"
    grep -q "'race'" "$scratch/err"
    ok $? "... and names it" "$scratch/err"
fi
finish
