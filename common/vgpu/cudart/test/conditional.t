#!/bin/bash
# Conditional nodes of graphs (conditional.cu): what runs and how often, the errors, and what is found.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu conditional -lineinfo -g "$here/conditional.cu" || finish

# right CASE LINES: in any order of blocks these lines, and nothing is found
right() {
    local seed
    for seed in 0 7; do
        "$vgpu" --seed=$seed --report="$scratch/report.json" "$scratch/conditional" "$1" >"$scratch/out" 2>"$scratch/err"
        [ "$2" = "$(cat "$scratch/out")" ] || { same "$1 (seed $seed)" "$2" "$(cat "$scratch/out")"; return; }
        grep -q 'no findings' "$scratch/err" || { ok 1 "$1 (seed $seed): nothing is found" "$scratch/err"; return; }
    done
    ok 0 "$1"
}

# wrong CASE LINE KINDS TEXT: the line, the kinds of findings, and a part of the message of the first
wrong() {
    "$vgpu" --quiet --max-instructions=20000000 --report="$scratch/report.json" "$scratch/conditional" "$1" >"$scratch/out" 2>"$scratch/err"
    same "$1: the error" "$2" "$(head -n 1 "$scratch/out")"
    same "$1: found" "$3" "$(jq -r '[.findings[] | select(.kind != "cuda-error") | .kind] | unique | join(",")' "$scratch/report.json")"
    jq -r '.findings[].message' "$scratch/report.json" >"$scratch/messages"
    [ -z "$4" ] || has "$1: says" "$scratch/messages" "$4"
}

right if '120 122 122 124 122 122 '
right default 3
right switch '1 2 3 4 0 '
right loops '1015 5 3 15'
right captured '4 9'
"$vgpu" --quiet "$scratch/conditional" errors >"$scratch/out" 2>"$scratch/err"
cat >"$scratch/errors" <<'END'
flags: cudaErrorInvalidValue
no handle: cudaErrorInvalidValue
if 0: cudaErrorInvalidValue
if 3: cudaErrorInvalidValue
while 0: cudaErrorInvalidValue
while 2: cudaErrorInvalidValue
switch 0: cudaErrorInvalidValue
type 3: cudaErrorInvalidValue
wrong handle: cudaErrorInvalidValue
handle of another graph: cudaErrorInvalidValue
used handle: cudaErrorInvalidValue
type 13
new parameters: cudaErrorInvalidValue
destroy body: cudaErrorInvalidValue
clone: cudaErrorNotSupported
child: cudaErrorInvalidValue
host node in a body: cudaErrorNotSupported
result 3, that node
unused handle: cudaErrorInvalidValue
result 5
instantiate: cudaSuccess
twice: cudaErrorNotSupported
after the first: cudaSuccess
END
same "errors" "$(cat "$scratch/errors")" "$(cat "$scratch/out")"

wrong not_set 'wait: cudaSuccess' api-misuse 'looks at a condition that nothing has set'
wrong set_by_one 'wait: cudaSuccess' '' ''
wrong set_by_two 'wait: cudaSuccess' race 'write and write of one place'
wrong wrong_handle 'wait: cudaErrorLaunchFailure' trap 'cudaGraphSetConditional with a handle that no graph has'
wrong for_ever 'wait: cudaErrorLaunchTimeout' '' ''
has "for_ever: standard error says why" "$scratch/err" 'a while node of a graph runs for ever'
finish
