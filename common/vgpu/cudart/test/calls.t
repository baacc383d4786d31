#!/bin/bash
# The record of calls (common/vgpu/device/calls.c): a variable that a launch finds as an earlier one left it, and no array that one kernel fills for another;
# a stream that the program makes, and no default stream of a thread; what a graph does, each time it is launched, and not when it is made.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu calls -std=c++17 -lineinfo -g "$here/calls.cu" || finish
recorded() { # WHAT FILTER
    "$vgpu" --quiet --calls="$scratch/record" "$scratch/calls" "$1" >"$scratch/out" 2>&1
    sed -n "$2" "$scratch/record" | sort | tr '\n' ' '
}
same "variables that keep something" "added_to counter total " "$(recorded variables 's/^NOTE OK 0 kept //p')"
same "a thread's default stream is not made by the program" "" "$(recorded thread '/^STREAM_[CD]/p')"
same "a stream that is made is" "STREAM_CREATE OK 0  STREAM_DESTROY OK 0  " "$(recorded stream '/^STREAM_[CD]/p')"
each="COPY OK 128 to-host COPY OK 128 to-host FILL OK 128 0 FILL OK 128 0 HOST_FUNCTION OK 0  HOST_FUNCTION OK 0  LAUNCH OK 1 32 1024 _Z3setPii LAUNCH OK 1 32 1024 _Z3setPii "
for way in nodes captured; do
    same "a graph's work when it is launched, of $way" "$each" "$(recorded $way '/^\(LAUNCH\|COPY\|FILL\|HOST_FUNCTION\)/p')"
done
same "a launch that is refused while it is captured" "LAUNCH INVALID_VALUE 1 4096 1024 _Z3setPii " "$(recorded refused '/^LAUNCH/p')"
"$vgpu" --calls="$scratch/record" "$scratch/calls" counter >"$scratch/out" 2>&1
same "a race between blocks names the counter that an earlier launch left" 1 "$(grep -c "hint: the device's variable done holds at the beginning of this launch what an earlier one left in it: who sets it back" "$scratch/out")"
finish
