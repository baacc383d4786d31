#!/bin/bash
# Whole programs under the command (programs.cu): optimised and debug code, several workers, seeds, and fat binaries of every kind.
here=$(dirname "$0")
. "$here/tap.sh"

# run NAME [vgpu options] -- PROGRAM: exits 0, prints no "not ok", no finding
run() {
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    "$vgpu" "${options[@]}" "$2" >"$scratch/out" 2>"$scratch/err"
    local status=$?
    ! grep -q '^not ok' "$scratch/out" && [ $status -eq 0 ]
    ok $? "$name" "$scratch/out"
}

build_cu plain -lineinfo -g "$here/programs.cu"
run "programs" -- "$scratch/plain"
same "16 of them" "1..16" "$(tail -n 1 "$scratch/out")"
has "printf of a kernel" "$scratch/out" '^# 41 text 1.50 x 1234567890123\|7   \|00ff$'
"$vgpu" --quiet --report="$scratch/one.json" "$scratch/plain" >/dev/null
for seed in 0 1 2; do
    run "seed $seed, two jobs" --seed=$seed --jobs=2 --report="$scratch/two.json" -- "$scratch/plain"
    [ $seed -gt 0 ] || { cmp -s "$scratch/one.json" "$scratch/two.json"; ok $? "the same report as with one job"; }
done
build_cu debug -G -g "$here/programs.cu" && run "code for the debugger (-G)" -- "$scratch/debug"

cat >"$scratch/a.cu" <<'END'
#include <cuda_runtime.h>
__device__ int twice(int x);
extern __device__ int counter;
__global__ void k(int *out)
{
    out[threadIdx.x] = twice(threadIdx.x) + counter;
}
int main()
{
    int *d, h[32];
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d);
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h[5] != 110 || h[31] != 162;
}
END
cat >"$scratch/b.cu" <<'END'
__device__ int counter = 100;
__device__ int twice(int x)
{
    return 2 * x;
}
END
build_cu linked -rdc=true "$scratch/a.cu" "$scratch/b.cu" && run "relocatable code of two files" -- "$scratch/linked"
cat >"$scratch/arch.cu" <<'END'
#include <cuda_runtime.h>
__global__ void k(int *out)
{
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}
int main(int argc, char **argv)
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h / 10;
}
END
nvcc -cudart shared -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 \
    -gencode arch=compute_90,code=compute_90 -o "$scratch/arch" "$scratch/arch.cu" >"$scratch/log" 2>&1
for mode in none size speed; do
    build_cu "mode_$mode" --compress-mode=$mode "$scratch/arch.cu"
    "$vgpu" --quiet "$scratch/mode_$mode"
    same "an image compressed for $mode" 75 $?
done
for pair in t4:75 a100:80 rtx4090:80 h100:90; do
    "$vgpu" --quiet --device="${pair%:*}" "$scratch/arch"
    same "the best image for ${pair%:*}" "${pair#*:}" $?
done
finish
