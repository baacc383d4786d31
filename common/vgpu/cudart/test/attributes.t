#!/bin/bash
# The attributes of the virtual H100 are those of a real one (attributes-h100.txt), but for what the virtual GPU does not have or is:
# error correction, its place on the PCI bus, the driver's kind, arrays and textures of the sparse kind, clusters, sharing with other
# processes; and the numbers that the runtime's header only reserves.
here=$(dirname "$0")
. "$here/tap.sh"

differ=" 32 33 34 35 112 114 116 117 118 119 120 121 125 126 139 140 142 144 "
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
# The second-level cache as cards of 8.0 and newer have it: limits and windows are kept and given back.
cat >"$scratch/cache.cu" <<'END'
#include <cstdio>
int main()
{
    cudaDeviceProp p;
    size_t kept = 1, granularity = 1;
    cudaStream_t s;
    cudaStreamAttrValue v = {}, w = {};
    cudaGetDeviceProperties(&p, 0);
    cudaError_t set = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, p.persistingL2CacheMaxSize);
    cudaDeviceGetLimit(&kept, cudaLimitPersistingL2CacheSize);
    cudaDeviceGetLimit(&granularity, cudaLimitMaxL2FetchGranularity);
    cudaError_t more = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)1 << 40);
    cudaStreamCreate(&s);
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 0.5f;
    cudaError_t window = cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
    cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &w);
    cudaStreamDestroy(s);
    printf("%d %d %s %zu %zu %s %s %zu\n", p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize, cudaGetErrorName(set), kept, granularity,
           cudaGetErrorName(more), cudaGetErrorName(window), w.accessPolicyWindow.num_bytes);
}
END
if build_cu cache "$scratch/cache.cu"; then
    same "an A100 takes memory to persist" "26214400 134217728 cudaSuccess 26214400 64 cudaErrorInvalidValue cudaSuccess 4096" \
        "$(VGPU_DEVICE=a100 direct "$scratch/cache")"
    same "an H100 more of it" "32768000 134217728 cudaSuccess 32768000 64 cudaErrorInvalidValue cudaSuccess 4096" \
        "$(VGPU_DEVICE=h100 direct "$scratch/cache")"
    same "a T4 none" "0 0 cudaErrorUnsupportedLimit 0 64 cudaErrorUnsupportedLimit cudaSuccess 4096" "$(direct "$scratch/cache")"
fi
finish
