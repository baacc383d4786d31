#!/bin/bash
# Memory and events between processes (ipc.cu): forked and executed, two and three; what calls answer; what is found, and in whose run.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu ipc -lineinfo -g "$here/ipc.cu" -lcuda || finish

# right CASE LINES [options]: these lines, and no findings
right() {
    local name=$1 lines=$2
    shift 2
    timeout 60 "$vgpu" "$@" "$scratch/ipc" "$name" >"$scratch/out" 2>"$scratch/err"
    same "$name $*: the lines" "$lines" "$(cat "$scratch/out")"
    has "$name $*: nothing is found" "$scratch/err" 'no findings'
}

for how in '' --isolated --seed=7 --jobs=2; do
    right fork "0 wrong of 1000, value 95954" $how
    right exec "0 wrong of 1000, value 95954" $how
    right three "30720 30720" $how
    right spin 42 $how
    right at_once "host function
query: cudaSuccess
17" $how
    right crash_child "the child ended by signal 9
5" $how
    right written "" $how
done

# found ARGUMENTS LINES KINDS TEXT [options]: what standard output says, the kinds of findings (advice last), and a part of the messages
found() {
    local arguments=$1 lines=$2 kinds=$3 text=$4
    shift 4
    timeout 60 "$vgpu" --quiet "$@" --report="$scratch/report.json" "$scratch/ipc" $arguments >"$scratch/out" 2>"$scratch/err"
    same "$arguments $*: the lines" "$lines" "$(cat "$scratch/out")"
    same "$arguments $*: found" "$kinds" "$(jq -r '[.findings[] | select(.kind != "cuda-error") | .kind] | unique | join(",")' "$scratch/report.json")"
    jq -r '.findings[].message' "$scratch/report.json" >"$scratch/messages"
    [ -z "$text" ] || has "$arguments $*: says" "$scratch/messages" "$text"
}

for how in '' --isolated; do
    found beyond '' out-of-bounds 'write of 4 bytes outside every allocation' $how
    found unwritten '' uninitialized '' $how
    found unclosed '' handle-leak 'memory of another process' $how
    found leaked '' leak '' $how
    found 'owner frees' 'kernel: cudaErrorIllegalAddress' api-misuse,use-after-free 'another process has open' $how
    found 'owner ends' 'kernel: cudaErrorIllegalAddress' leak,use-after-free '' $how
done
found 'owner killed' 'the child ended by signal 9
kernel: cudaErrorIllegalAddress' use-after-free ''

cat >"$scratch/errors" <<'END'
stale: cudaErrorMapBufferObjectFailed
stale event: cudaErrorMapBufferObjectFailed
flags: cudaErrorInvalidValue
event for memory: cudaErrorInvalidValue
twice: the same address
type 2 device 0
free: cudaErrorInvalidValue
handle of it: cudaErrorInvalidValue
close: cudaSuccess
still open: cudaSuccess
close: cudaSuccess
close: cudaErrorInvalidValue
record: cudaSuccess
time: cudaErrorInvalidResourceHandle
destroy: cudaSuccess
driver: 0 0 0 0 0 0 0 0 1
own: cudaErrorDeviceUninitialized
own event: cudaErrorDeviceUninitialized
pool: cudaErrorInvalidValue
managed: cudaErrorInvalidValue
pinned: cudaErrorInvalidValue
host: cudaErrorInvalidValue
NULL: cudaErrorInvalidValue
no handle: cudaErrorInvalidValue
plain event: cudaErrorInvalidResourceHandle
timing: cudaErrorInvalidValue
attribute 1, value 9
END
for how in '' --isolated; do
    timeout 60 "$vgpu" --quiet $how "$scratch/ipc" errors >"$scratch/out" 2>"$scratch/err"
    diff "$scratch/errors" "$scratch/out" >"$scratch/diff"
    ok $? "errors $how" "$scratch/diff"
done

# Where the record of provenance is kept, and without the command, nothing is shared, and the call is named.
"$vgpu" --provenance=none "$scratch/ipc" refused >"$scratch/out" 2>"$scratch/err"
same "with provenance" "memory: cudaErrorNotSupported
event: cudaErrorNotSupported" "$(cat "$scratch/out")"
has "with provenance: the call is named" "$scratch/err" 'cudaIpcGetMemHandle is not supported by the virtual GPU where'
direct "$scratch/ipc" refused >"$scratch/out" 2>"$scratch/err"
same "without the command" "memory: cudaErrorNotSupported
event: cudaErrorNotSupported" "$(cat "$scratch/out")"
finish
