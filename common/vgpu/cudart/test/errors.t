#!/bin/bash
# Each runtime call returns the error that an H100 with runtime 13.0 returned for it (errors-hardware.txt, made by tool/probe.cu).
# Situations in which hardware crashed or hung ("ended by signal") are compared up to that line only.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu probe "$KIT/common/vgpu/tool/probe.cu" || finish
VGPU_DEVICE=h100 direct "$scratch/probe" >"$scratch/ours" 2>"$scratch/errors"
nvcc -cudart shared -arch=sm_120 -o "$scratch/probe120" "$KIT/common/vgpu/tool/probe.cu" >"$scratch/log" 2>&1
direct "$scratch/probe120" no_image >>"$scratch/ours" 2>>"$scratch/errors"

# Lines of one situation up to where hardware ended; exceptions-virtual.txt has the known differences, each with its reason.
lines_of() {
    grep "^$2 |" "$1" | awk '/\| ended by \|/ { exit } { print }'
}
count=0
for situation in $(grep -v '^#' "$here/errors-hardware.txt" | sed 's/ |.*//' | uniq | sort -u); do
    lines_of "$here/errors-hardware.txt" "$situation" >"$scratch/theirs"
    if grep -q "^$situation | ended by |" "$here/errors-hardware.txt"; then
        lines_of "$scratch/ours" "$situation" | head -n "$(wc -l <"$scratch/theirs")" >"$scratch/mine"
    else
        lines_of "$scratch/ours" "$situation" >"$scratch/mine"
    fi
    sed -n "s/^replace $situation: //p" "$here/exceptions-virtual.txt" | while IFS='>' read -r from to; do
        from=$(echo "$from" | sed 's/ *$//') to=$(echo "$to" | sed 's/^ *//')
        awk -v from="$from" -v to="$to" '{ i = index($0, from); if (i) print substr($0, 1, i - 1) to; else print }' \
            "$scratch/theirs" >"$scratch/changed" && mv "$scratch/changed" "$scratch/theirs"
    done
    diff "$scratch/theirs" "$scratch/mine" >"$scratch/diff"
    ok $? "$situation gives the errors of hardware" "$scratch/diff"
    count=$((count + 1))
done
[ "$count" -gt 70 ]
ok $? "the table has its situations ($count)"
grep -q "ended by" "$scratch/ours"
[ $? -ne 0 ]
ok $? "no situation ends by a signal here"

# What the virtual GPU has not it refuses: a cluster's blocks would each take themselves for the only one.
nvcc -cudart shared -arch=sm_90 -o "$scratch/clusters" "$here/clusters.cu" >"$scratch/log" 2>&1
VGPU_DEVICE=h100 direct "$scratch/clusters" >"$scratch/out" 2>"$scratch/err"
same "launches in clusters are refused" "cudaErrorNotSupported cudaErrorNotSupported cudaSuccess" "$(xargs <"$scratch/out")"
same "each kind says so, once" "cudaLaunchKernel cudaLaunchKernelExC" "$(sed -n 's/vgpu: \(.*\) is not supported by the virtual GPU in clusters of more than one block: .*/\1/p' "$scratch/err" | xargs)"
"$vgpu" --device=h100 "$scratch/clusters" >"$scratch/out" 2>"$scratch/err"
has "the failed launch is told" "$scratch/err" ': the virtual GPU has no clusters of more than one block'
finish
