#!/bin/bash
# Advice (advice.cu): told at its line, costs nothing, and nothing is said of the right way; with both kinds of default stream.
here=$(dirname "$0")
. "$here/tap.sh"

# advice NAME: the report's advice, "LINE KIND: MESSAGE" each
advice() {
    "$vgpu" --quiet --check=memory,race,init --report="$scratch/report.json" "$scratch/$kind" "$1" >"$scratch/out" 2>"$scratch/err"
    status=$?
    jq -r '.findings[] | "\(.site.line // 0) \(.kind): \(.message)"' "$scratch/report.json" >"$scratch/advice"
}
told() { # NAME PATTERN
    local line
    line=$(grep -n "// advice: $1\$" "$here/advice.cu" | cut -d: -f1)
    advice "$1"
    [ "$(wc -l <"$scratch/advice")" -eq 1 ] && grep -Eq "^${line:-0} $2" "$scratch/advice"
    ok $? "$kind: $1 is told" "$scratch/advice"
    same "$kind: $1 costs nothing" 0 "$status"
    advice "$1-right"
    [ ! -s "$scratch/advice" ]
    ok $? "$kind: nothing is said of $1 done right" "$scratch/advice"
}
for kind in legacy per_thread; do
    options=()
    [ $kind = legacy ] || options=(--default-stream per-thread)
    build_cu $kind -lineinfo -g "${options[@]}" "$here/advice.cu" || continue
    told unasked "api-misuse: this launch failed, and the program never asked"
    advice peeked
    [ ! -s "$scratch/advice" ]
    ok $? "$kind: to peek is to ask" "$scratch/advice"
    told ignored "api-misuse: cudaEventElapsedTime returned cudaErrorInvalidResourceHandle, and the program went on and never asked"
    told outlived "api-misuse: cudaGraphLaunch: a fill of 4000 bytes in memory that was freed"
    advice tried
    [ ! -s "$scratch/advice" ]
    ok $? "$kind: what is tried on purpose, and who cleans up" "$scratch/advice"
    told destroyed "api-misuse: a stream is destroyed while work is queued in it"
    told pageable "api-misuse: an asynchronous copy of pageable memory"
    told offset "api-misuse: a copy of whole words to or from a variable, at an offset between two words"
    told managed "api-misuse: an asynchronous copy between the device and managed memory"
    told unwaited "api-misuse: the program ended before its kernels did"
    told registers "api-misuse: a card may refuse this launch: 1024 threads with about [0-9]+ registers each"
    told unwritten "api-uninitialized-copy: "
done
finish
