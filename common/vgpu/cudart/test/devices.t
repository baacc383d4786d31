#!/bin/bash
# Several devices: each mistake of devices.cu is found, with its words; what is right is not.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu devices -lineinfo -g "$here/devices.cu" || finish
# mistake CASE ERROR KINDS [TEXT]: the error that the program meets, the kinds of findings, and what one of them says
mistake() {
    "$vgpu" --quiet --devices=2 --report="$scratch/report.json" "$scratch/devices" "$1" >"$scratch/out" 2>"$scratch/err"
    same "$1: the error" "$2" "$(head -n 1 "$scratch/out")"
    same "$1: found" "$3" "$(jq -r '[.findings[].kind | select(. != "handle-leak")] | unique | join(",")' "$scratch/report.json")"
    [ -z "${4:-}" ] || same "$1: says" "$4" "$(jq -r '.findings[0].message' "$scratch/report.json")"
}
mistake wrong_device cudaErrorIllegalAddress other-device "write of 4 bytes in memory of device 0, by a kernel that runs on device 1"
same "and whose memory it is" "0x200000100000 1" "$(jq -r '.findings[0].allocation | "\(.address) \(.serial)"' "$scratch/report.json")"
mistake no_peer_access cudaErrorIllegalAddress other-device "read of 4 bytes in memory of device 1, by a kernel that runs on device 0"
mistake peer_access cudaSuccess ""
mistake pool_access cudaSuccess ""
for case in pool_no_access pool_peer_access pool_taken_back; do
    mistake $case cudaErrorIllegalAddress other-device "read of 4 bytes in memory of device 0, by a kernel that runs on device 1"
done
mistake foreign_stream cudaErrorInvalidResourceHandle api-misuse "a stream of device 0 is given to a launch on device 1"
mistake foreign_event cudaErrorInvalidResourceHandle api-misuse "a stream of device 1 is given to cudaEventRecord with an event of device 0"
mistake unordered cudaSuccess stream-race "a copy on device 0 reads memory that a kernel on device 1 writes, and nothing orders the two"
mistake ordered cudaSuccess ""
mistake default_stream cudaSuccess ""
mistake default_streams cudaSuccess stream-race \
    "a kernel in the default stream of device 1 reads memory that a kernel in the default stream of device 0 writes, and nothing orders the two"
mistake freed cudaErrorIllegalAddress use-after-free "copy of 4,000 bytes in memory that was freed"
mistake graph_waits cudaSuccess ""
mistake graph_waits_not cudaSuccess stream-race,uninitialized
mistake graph_in_parallel cudaSuccess stream-race

# ---- peer access is a call that can fail, and then there is none ----
failed=$(for at in $(seq 16); do
    "$vgpu" --quiet --devices=2 --fail-at="$at" --report="$scratch/report.json" "$scratch/devices" peer_access >"$scratch/out" 2>"$scratch/err"
    jq -r '"\(.errors[0].call) \(.errors[0].error) \(.findings[0].kind)"' "$scratch/report.json" | grep '^cudaDeviceEnablePeerAccess '
done)
same "cudaDeviceEnablePeerAccess fails in its turn, once" "cudaDeviceEnablePeerAccess cudaErrorTooManyPeers other-device" "$failed"
# ---- so is the first question about a device, where that is asked for ----
questions() { # OPTION...: what was made to fail, of eight runs
    for at in $(seq 8); do
        "$vgpu" --quiet --devices=2 --fail-at="$at" "$@" --report="$scratch/report.json" "$scratch/devices" questions >"$scratch/out" 2>"$scratch/err"
        jq -r '"\(.fail_at.calls) \(.errors[0].call) \(.errors[0].error)"' "$scratch/report.json"
    done | sort | uniq -c | sed 's/^ *//' | paste -sd' '
}
same "questions do not fail" "8 0 null null" "$(questions)"
same "the first about each device fails where it is asked for" \
    "1 2 cudaDeviceGetAttribute cudaErrorInvalidDevice 1 2 cudaGetDeviceProperties cudaErrorInvalidDevice 6 2 null null" "$(questions --fail-questions)"
same "and of a server" "$(questions --fail-questions)" "$(questions --fail-questions --isolated)"
finish
