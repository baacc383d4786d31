#!/bin/bash
# With the devices in a process of their own, programs print, end and report as with devices in theirs, byte for byte: what passes
# between the two (shared.cu), planted bugs, whole programs, graphs. What a program does to the connection ends the program alone.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"

# both NAME [vgpu options] -- PROGRAM [arguments]: both ways, the same output and end; but for names in `varied` the same report
varied=" threads fork_after planted host_pointer "
both() {
    local name=$1 options=() other
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "$vgpu" --quiet "${options[@]}" --report="$scratch/here.json" "$@" >"$scratch/here.out" 2>"$scratch/here.err"
    status=$?
    "$vgpu" --quiet "${options[@]}" --isolated --report="$scratch/there.json" "$@" >"$scratch/there.out" 2>"$scratch/there.err"
    other=$?
    [ "$status" = "$other" ] && cmp -s "$scratch/here.out" "$scratch/there.out" &&
        { [[ $varied == *" $name "* ]] || cmp -s "$scratch/here.json" "$scratch/there.json"; }
    ok $? "$name: the same (exit status $status)" <(diff "$scratch/here.json" "$scratch/there.json" 2>/dev/null; echo "$other"; cat "$scratch/there.err")
}

# The order in which threads are served is theirs; a forked child's error is told by nobody; addresses of the host vary.
build_cu shared -std=c++17 -lineinfo -g "$here/shared.cu" || finish
declare -A ends=([no_end]=0 [follow]=139 [bad_copy]=139 [killed]=137)
rows=0
while read -r row; do
    rows=$((rows + 1))
    both "$row" --check=memory,race,init,sync -- "$scratch/shared" "$row"
    same "$row: it ends as it should" "${ends[$row]:-0}" "$status"
done < <("$scratch/shared")
same "rows" 15 "$rows"
"$vgpu" --quiet --isolated --report="$scratch/follow.json" "$scratch/shared" follow
same "a device pointer that the host follows is explained" "host-access 222" \
    "$(jq -r '.findings[0] | "\(.kind) \(.site.line)"' "$scratch/follow.json")"

kit=$here/../..
if build_cu planted -lineinfo -g "$kit/check/test/planted.cu"; then
    while read -r name; do
        both "planted $name" --max-instructions=100000000 -- "$scratch/planted" "$name" bug
    done < <(sed -n 's/^ *{"\([a-z_]*\)", [a-z_]*}, *\/\/ \([a-z-]*\)$/\1/p' "$kit/check/test/planted.cu")
fi
build_cu runtime -lineinfo -g "$kit/cudart/test/runtime.cu" && both "the runtime's calls" --devices=2 -- "$scratch/runtime"
both "a call that is made to fail" --fail-at=3 -- "$scratch/shared" large_copies
finish
