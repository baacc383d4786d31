#!/bin/bash
# The attributes of the virtual H100 are those of a real one (attributes-h100.txt), but for what the virtual GPU does not have or is:
# error correction, its place on the PCI bus, the driver's kind, arrays and textures of the sparse kind, clusters, sharing with other
# processes; and the numbers that the runtime's header only reserves.
here=$(dirname "$0")
. "$here/tap.sh"

differ=" 32 33 34 35 109 112 114 116 117 118 119 120 121 125 126 139 140 142 144 "
build_cu probe "$KIT/common/vgpu/tool/probe.cu" || finish
VGPU_DEVICE=h100 direct "$scratch/probe" --device >"$scratch/ours"
n_same=0
: >"$scratch/wrong"
while read -r _ number value; do
    ours=$(awk -v n="$number" '$1 == "attribute" && $2 == n { print $3 }' "$scratch/ours")
    [ -z "$ours" ] && continue # reserved
    if [ "$ours" = "$value" ]; then
        n_same=$((n_same + 1))
    elif [ "${differ#* $number }" = "$differ" ]; then
        echo "attribute $number: $ours here, $value on the card" >>"$scratch/wrong"
    fi
done < <(grep '^attribute' "$here/attributes-h100.txt")
[ ! -s "$scratch/wrong" ]
ok $? "attributes agree" "$scratch/wrong"
[ "$n_same" -gt 95 ]
ok $? "$n_same of them are equal"
finish
