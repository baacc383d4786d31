#!/bin/bash
# Managed memory: where its pages are counted to be, the host's touches that come too early, and how often memory is taken.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu managed -lineinfo -g "$here/managed.cu" || finish

# counts OPTIONS -- ARGUMENTS: page faults of kernels and of the host, bytes moved to the device, to the host, evicted
counts() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    "$vgpu" --quiet --report="$scratch/r.json" "${options[@]}" "$scratch/managed" "$@" >"$scratch/out" 2>&1
    jq -r '.memory | "\(.page_faults) \(.host_page_faults) \(.migrated_to_device_bytes) \(.migrated_to_host_bytes) \(.evicted_bytes)"' "$scratch/r.json"
}
block=65536

# Four blocks at first; the one that the host reads goes back, and comes again; at the end the host reads all four.
same "what kernels and the host use moves" "5 5 $((5 * block)) $((5 * block)) 0" "$(counts -- rounds)"
same "a prefetch there and back spares faults" "1 2 $((5 * block)) $((5 * block)) 0" "$(counts -- rounds prefetch)"
same "the bytes are right" "1010102 1010103 1010103 1010103 1010103 1010103" "$(tr '\n' ' ' <"$scratch/out" | xargs)"
same "a prefetch to the wrong place makes it worse" "5 5 $((9 * block)) $((9 * block)) 0" "$(counts -- rounds wrong)"
same "a table goes to and fro" "4 3 $((3 * block)) $((3 * block)) 0" "$(counts -- table)"
same "one that is read mostly is in both places" "2 0 $block 0 0" "$(counts -- table read-mostly)"
same "too much memory is moved again and again" "64 1 $((32 * block)) $((49 * block)) $((48 * block))" "$(counts --memory=1 -- large)"
same "in pieces that fit it is moved once" "32 1 0 $((17 * block)) $((16 * block))" "$(counts --memory=1 -- large pieces)"
slow=$(counts --memory=1 -- large >/dev/null; jq .timeline_us "$scratch/r.json")
fast=$(counts --memory=1 -- large pieces >/dev/null; jq .timeline_us "$scratch/r.json")
[ "$(jq -n "$slow > 1.5 * $fast")" = true ]
ok $? "moving takes modelled time: $slow and $fast us"

# finding ARGUMENTS: kind, line and the other line of each
finding() {
    "$vgpu" --quiet --report="$scratch/r.json" "$scratch/managed" "$@" >"$scratch/out" 2>&1
    jq -r '.findings[] | "\(.kind) \(.verdict) \(.message) \(.line // .site.line) \(.other.line)"' "$scratch/r.json"
}
line() { grep -n "$1" "$here/managed.cu" | head -1 | cut -d: -f1; }
at=$(line 'static void launch(')
same "the host reads too early" \
    "host-race race the host reads managed memory that a kernel launched before writes, and has not waited for that kernel $(line 'seen = p\[7\]') $at" "$(finding early read)"
same "the host reads too early, for longer than one that only looks is let wait" "host-race $(line 'seen += p\[10')" \
    "$(finding early slowly | awk '{ print $1, $(NF - 1) }')"
same "it writes too early" \
    "host-race race the host writes managed memory that a kernel launched before writes, and has not waited for that kernel $(line 'p\[9\] = 5') $at" "$(finding early write)"
same "in a function of another library" \
    "host-race race the host reads managed memory that a kernel launched before writes, and has not waited for that kernel $(line 'memcpy(&seen') $at" "$(finding early copy)"
same "it has waited for another stream" \
    "host-race race the host reads managed memory that a kernel launched before writes, and has not waited for that kernel $(($(line 'cudaStreamSynchronize(b)') + 1)) $at" "$(finding early other-waited)"
same "atomics write, too" \
    "host-race race the host reads managed memory that a kernel launched before writes, and has not waited for that kernel $(line 'seen = other\[strcmp') $(line 'count_up<<<')" "$(finding early atomic)"
for way in elsewhere waited atomic-elsewhere; do same "no race: $way" "" "$(finding early $way)"; done
same "a list through its first node" "host-race $(line 'sum += node->value')" "$(finding list | awk '{ print $1, $(NF - 1) }')"
same "a list after a wait" "" "$(finding list wait)"
same "its sum" 15 "$(cat "$scratch/out")"
same "host functions and system calls" "" "$(finding in-order)"
same "see and change the right values" "3 16" "$(cat "$scratch/out")"
"$vgpu" --quiet --check=memory --report="$scratch/r.json" "$scratch/managed" early read >"$scratch/out" 2>&1
same "not when races are not looked for" 0 "$(jq '.findings | length' "$scratch/r.json")"

for isolated in "" --isolated; do
    for way in "" flag; do
        timeout 100 "$vgpu" $isolated --quiet --report="$scratch/r.json" "$scratch/managed" beside $way >"$scratch/out" 2>"$scratch/err"
        ok $? "a host thread while another waits: ${way:-elsewhere} $isolated" "$scratch/err"
        same "... finds nothing" 0 "$(jq '[.findings[] | select(.advice | not)] | length' "$scratch/r.json")"
    done
    same "... and computes" "1024 1" "$(timeout 100 "$vgpu" $isolated --quiet "$scratch/managed" beside flag)"
done
same "the host walks into what the kernel writes" "host-race $(line '// walks')" "$(finding walk | awk '{ print $1, $(NF - 1) }')"
same "... stopped for more than a second on its way" "host-race $(line '// walks')" "$(finding walk stopped | awk '{ print $1, $(NF - 1) }')"
same "after a wait it may" "" "$(finding walk wait)"
for way in function copy fill file; do
    same "written by a $way" "" "$(finding written $way)"
    same "its value" 1 "$(cat "$scratch/out")"
done
same "written by nobody" "uninitialized uninitialized read of global memory that nobody wrote $(line 'p\[i\]++') null" "$(finding written)"
same "its hint is about managed memory" true "$(jq '.findings[0].hint | contains("cudaMallocManaged")' "$scratch/r.json")"
same "and isolated" uninitialized "$("$vgpu" --isolated --quiet --report="$scratch/r.json" "$scratch/managed" written >"$scratch/out" 2>&1; jq -r '.findings[].kind' "$scratch/r.json")"

for isolated in "" --isolated; do
    same "new memory of the host's is not cleared $isolated" "0 0 0 " "$("$vgpu" $isolated --quiet "$scratch/managed" fresh)"
done

taken() { "$vgpu" --quiet --report="$scratch/r.json" "$scratch/managed" buffers "$1" >"$scratch/out" 2>&1; jq .memory.allocations "$scratch/r.json"; }
same "allocating in a loop takes memory each time" 10 "$(taken loop)"
same "once before it" 1 "$(taken once)"
same "a pool keeps what nobody waits for" 1 "$(taken pool)"
same "and gives it back when somebody waits" 10 "$(taken pool-waits)"
same "unless it may keep it" 1 "$(taken keep)"

"$vgpu" --quiet --report="$scratch/r.json" "$scratch/managed" fetched >"$scratch/out" 2>&1
same "what kernels wrote counts each time that the host fetches it" $((3 * 4096)) "$(jq .memory.d2h_kernel_bytes "$scratch/r.json")"
"$vgpu" --quiet --report="$scratch/r.json" "$scratch/managed" copied >"$scratch/out" 2>&1
same "and what a copy brings into pages that the host holds" 4096 "$(jq .memory.d2h_kernel_bytes "$scratch/r.json")"

"$vgpu" --memory=1 --profile "$scratch/managed" large >"$scratch/out" 2>&1
has "--profile says what moved" "$scratch/out" "managed memory: 64 page faults of kernels, 1 of the host; .* of which for want of room $((48 * block))"
"$vgpu" --memory=many "$scratch/managed" large >"$scratch/out" 2>&1
same "--memory wants a number" 2 $?
finish
