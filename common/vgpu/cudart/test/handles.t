#!/bin/bash
# What is created and never destroyed (handles.cu): advice at its line; a finding with --raise; in a process of its own too.
here=$(dirname "$0")
. "$here/tap.sh"

# told NAME MODE [OPTION...]: the report's findings, "LINE KIND: MESSAGE" each
told() {
    local name=$1 mode=$2
    shift 2
    "$vgpu" --quiet "$@" --report="$scratch/report.json" "$scratch/handles" "$name" "$mode" >"$scratch/out" 2>"$scratch/err"
    status=$?
    jq -r '.findings[] | "\(.site.line // .line // 0) \(.kind): \(.message)"' "$scratch/report.json"
}
line_of() {
    grep -n "// leak: $1\$" "$here/handles.cu" | cut -d: -f1
}
if build_cu handles -lineinfo -g "$here/handles.cu"; then
    while read -r name what; do
        for isolated in "" --isolated; do
            same "$name is told $isolated" "$(line_of "$name") handle-leak: $what that was never destroyed" "$(told "$name" wrong $isolated)"
            same "$name: nothing is said of the right way $isolated" "" "$(told "$name" right $isolated)"
        done
        told "$name" wrong >"$scratch/said"
        same "$name costs nothing" 0 "$status"
        told "$name" wrong --raise=handle-leak >"$scratch/said"
        same "$name: raised, it counts" 1 "$status"
    done <<'END'
stream a stream
event an event
texture a texture object
graph a graph
captured a graph
executable an executable graph
END
    told array wrong >"$scratch/said"
    grep -q "leak: " "$scratch/said"
    ok $? "an array is memory: a leak" "$scratch/said"
    same "an array that is freed" "" "$(told array right)"
    same "the runtime's own streams" "" "$(told own wrong)"
fi
finish
