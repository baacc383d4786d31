#!/bin/bash
# Threads of the host have clocks of their own (clocks.cu): times are the same in each run, whoever comes first, and no thread's wait
# is in another one's time. With the devices in a process of their own it is the same.
here=$(dirname "$0")
. "$here/tap.sh"
build_cu clocks -lineinfo "$here/clocks.cu" || finish

for case in devices streams; do
    for options in "" --isolated; do
        for run in 0 1 2 3 4 5; do
            "$vgpu" --quiet --devices=2 $options --report="$scratch/report.json" "$scratch/clocks" $case $run >"$scratch/out" 2>"$scratch/err"
            echo "$(cat "$scratch/out") $(jq -c '[.timeline_us, .kernel_us]' "$scratch/report.json")"
        done >"$scratch/$case$options"
        same "$case $options: one answer in six runs" 1 "$(sort -u "$scratch/$case$options" | wc -l)"
        ok $? "it is" "$scratch/$case$options"
    done
    same "$case: the same in another process" "$(head -n 1 "$scratch/$case")" "$(head -n 1 "$scratch/$case--isolated")"
    read -r short long error _ <"$scratch/$case"
    same "$case: no error" cudaSuccess "$error"
    awk -v short="$short" -v long="$long" 'BEGIN { exit !(short > 0 && long > 2.5 * short) }'
    ok $? "$case: the short work does not wait for the long one ($short us, $long us)"
done
finish
