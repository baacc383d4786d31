#!/bin/bash
# Kernels that launch kernels (children.cu): order, memory, limits and errors as the programming guide has them; what is wrong is found.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu children -rdc=true -lineinfo -g "$here/children.cu" -lcudadevrt || finish
build_cu debug -rdc=true -G -lineinfo --default-stream per-thread "$here/children.cu" -lcudadevrt || finish

# right CASE LINES: in any order of blocks, on several processors too, and in both programs: these lines, and nothing is found
right() {
    local how
    for how in "--seed=0 $scratch/children" "--seed=7 $scratch/children" "--jobs=3 --seed=3 $scratch/children" "--seed=5 $scratch/debug"; do
        # shellcheck disable=SC2086
        "$vgpu" --report="$scratch/report.json" $how "$1" >"$scratch/out" 2>"$scratch/err"
        [ "$2" = "$(cat "$scratch/out")" ] || { same "$1 ($how)" "$2" "$(cat "$scratch/out")"; return; }
        grep -q 'no findings' "$scratch/err" || { ok 1 "$1 ($how): nothing is found" "$scratch/err"; return; }
    done
    ok 0 "$1"
}

# wrong CASE ERROR KINDS [TEXT]: the error that the host sees, the kinds of findings, and a part of the message of the first
wrong() {
    "$vgpu" --quiet --report="$scratch/report.json" "$scratch/children" "$1" >"$scratch/out" 2>"$scratch/err"
    same "$1: the error" "$2" "$(head -n 1 "$scratch/out")"
    same "$1: found" "$3" "$(jq -r '[.findings[].kind] | unique | join(",")' "$scratch/report.json")"
    jq -r '.findings[].message' "$scratch/report.json" >"$scratch/messages"
    [ -z "${4:-}" ] || has "$1: says" "$scratch/messages" "$4"
}
line() { grep -n "$1" "$here/children.cu" | head -n 1 | cut -d: -f1; }

right sort $'cudaSuccess\nx 0 1, at the end 0, sum 97412, sorted 1\ny 0 0 0 0 0 0, at the end 0'
right in_order $'cudaSuccess\nx 12 12, at the end 0, sum 9144, sorted 1\ny 12 12 12 12 12 12, at the end 12'
right tail $'cudaSuccess\nx 2 2, at the end 3, sum 1524, sorted 1\ny 102 102 102 102 102 102, at the end 102'
right after_barrier $'cudaSuccess\nx 0 1, at the end 0, sum 97412, sorted 1\ny 0 1 2 3 4 5, at the end 255'
right deeper $'cudaSuccess\nx 25 65, at the end 0, sum 65, sorted 0\ny 0 0 0 0 0 0, at the end 0'
right many $'cudaSuccess\nx 4 0, at the end 0, sum 0, sorted 0\ny 0 0 0 0 69 69, at the end 0'
right wrong_shape $'cudaSuccess\nx 9 9, at the end 0, sum 810, sorted 0\ny 9 9 0 9 1 0, at the end 0'

right events $'cudaSuccess\nx 12 12, at the end 0, sum 9144, sorted 1\ny 0 0 12 12 0 0, at the end 0'
right event_errors $'cudaSuccess\nx 0 0, at the end 0, sum 0, sorted 1\ny 1 400 400 1 1 400, at the end 0'
right device_memory $'cudaSuccess\nx 3 5, at the end 0, sum 197110, sorted 1\ny 0 0 0 0 0 0, at the end 0'
right heap_is_full $'cudaSuccess\nx 0 0, at the end 0, sum 0, sorted 1\ny 2 1 1 0 1 0, at the end 0'
right heap_pointer_stored $'cudaSuccess\nx 0 0, at the end 0, sum 0, sorted 1\ny 0 0 0 0 0 0, at the end 0'

wrong early_event cudaSuccess race "launched by early_event.*; the other in add.*, launched by early_event"
wrong heap_leak cudaSuccess leak "24 bytes never freed"
same "heap_leak: where the kernel has allocated it" "$(line 'cudaMalloc(&p, 24);')" "$(jq '.findings[0].site.line' "$scratch/report.json")"
wrong heap_double_free cudaErrorLaunchFailure trap "free of an address that malloc did not return, or that was freed before"
wrong heap_free_of_host cudaErrorLaunchFailure trap "free of an address that malloc did not return"
wrong heap_outside cudaErrorIllegalAddress out-of-bounds "write of 4 bytes outside every allocation"
same "heap_outside: where the kernel has allocated it" "$(line 'cudaMalloc(&p, 6')" "$(jq '.findings[0].allocation.line' "$scratch/report.json")"
wrong heap_uninitialized cudaSuccess uninitialized "read of global memory that nobody wrote"
wrong without_barrier cudaSuccess race "\\(the other in copy.*, launched by without_barrier\\(int\\*, int\\*\\) at children.cu:[0-9]+\\)"
wrong parent_reads cudaSuccess race "\\(add\\(int\\*, int, int\\), launched by parent_reads\\(int\\*, int\\*\\) at children.cu:$(line 'add<<<1, N>>>(x, N, 5);'); the other in parent_reads"
wrong two_streams cudaSuccess race "launched by two_streams.*; the other in add.*, launched by two_streams"
wrong two_blocks cudaSuccess race "launched by two_blocks.*; the other in add.*, launched by two_blocks"
wrong child_outside cudaErrorIllegalAddress out-of-bounds "launched by child_outside\\(int\\*, int\\*\\) at children.cu:$(line 'add<<<3, 128>>>')"
same "child_outside: thread and block are those of the child" "add(int*, int, int) [0,0,0] [0,0,0]" \
    "$(jq -rc '.findings[0] | "\(.kernel) \(.block) \(.thread)"' "$scratch/report.json")"
wrong shared_pointer cudaErrorInvalidAddressSpace wrong-space "launched by shared_pointer"

"$vgpu" --quiet --max-instructions=20000 --report="$scratch/report.json" "$scratch/children" without_end >"$scratch/out" 2>"$scratch/err"
same "the budget of instructions is for the whole family" "cudaErrorLaunchTimeout timeout" "$(head -n 1 "$scratch/out") $(jq -r '.findings[0].kind' "$scratch/report.json")"

"$vgpu" --quiet --timeline="$scratch/timeline.json" --report="$scratch/report.json" "$scratch/children" in_order >/dev/null 2>&1
same "every grid is a launch of the report, and says who launched it" "in_order:null add:in_order add:in_order copy:in_order" \
    "$(jq -r '[.launches[] | "\(.kernel | sub("\\(.*"; "")):\(.launcher | if . then sub("\\(.*"; "") else . end)"] | join(" ")' "$scratch/report.json")"
same "totals count them all" 4 "$(jq '.totals.launches' "$scratch/report.json")"
same "grids of a stream follow each other on the time line" true \
    "$(jq '[.traceEvents[] | select(.ph == "X" and (.name | test("^(in_order|add|copy)\\("))) | [.ts, .ts + .dur]] | length == 4 and ([range(1; 4) as $i | .[$i][0] >= .[$i - 1][1] - 0.002] | all)' "$scratch/timeline.json")"
finish
