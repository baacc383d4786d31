#!/bin/bash
# Programs that only look at memory a kernel changes, and what reports say of memory that is never copied.
here=$(dirname "$0")
. "$here/tap.sh"

cat >"$scratch/poll.cu" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
__global__ void raise_flag(volatile int *p) { *p = 1; }
__global__ void copy_when(volatile int *flag, int *out) { while (*flag == 0) {} *out = 7; }
static void note(void *p) { *(volatile int *)p = 1; }
int main(int argc, char **argv)
{
    int *p = NULL, kind = atoi(argv[1]), registered[4] = {0};
    cudaStream_t s;
    cudaStreamCreate(&s);
    if (kind == 0) cudaHostAlloc(&p, 16, cudaHostAllocMapped);
    if (kind == 1) cudaMallocManaged(&p, 16);
    if (kind == 2) cudaHostRegister(p = registered, 16, cudaHostRegisterMapped);
    if (kind == 3 || kind == 4) cudaMallocHost(&p, 16);
    p[0] = p[1] = 0;
    if (kind < 3) raise_flag<<<1, 1, 0, s>>>(p);
    if (kind == 3) { raise_flag<<<1, 1, 0, s>>>(p + 1); cudaLaunchHostFunc(s, note, p); }
    if (kind == 4) { copy_when<<<1, 1, 0, s>>>(p + 1, p); p[1] = 1; }
    while (*(volatile int *)p == 0) {}
    printf("seen %d\n", *p);
    cudaStreamSynchronize(s);
    if (kind == 1) cudaFree(p);
    else if (kind == 2) cudaHostUnregister(p);
    else cudaFreeHost(p);
    cudaStreamDestroy(s);
}
END
build_cu poll -lineinfo -g "$scratch/poll.cu" || finish
names=("mapped memory" "managed memory" "registered memory" "a host function" "a kernel that waits for the host")
for kind in 0 1 2 3 4; do
    timeout 30 "$vgpu" --quiet --report="$scratch/r$kind.json" "$scratch/poll" $kind >"$scratch/out" 2>&1 &
    pids[$kind]=$!
done
for kind in 0 1 2 3 4; do
    wait ${pids[$kind]}
    ok $? "the host may look for ever: ${names[$kind]}" "$scratch/out"
done
same "no findings" 0 "$(jq -s '[.[].findings[]] | length' "$scratch"/r?.json)"

cat >"$scratch/shared.cu" <<'END'
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void write(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
    int *m, *h, out[32];
    cudaMallocManaged(&m, 128);
    cudaMallocHost(&h, 256);
    write<<<1, 32>>>(m);
    write<<<1, 16>>>(h);
    cudaDeviceSynchronize();
    if (argc > 1)
        cudaMemcpy(out, m, 128, cudaMemcpyDeviceToHost);
    cudaFree(m);
    cudaFreeHost(h);
    return 0;
}
END
build_cu shared -lineinfo -g "$scratch/shared.cu" || finish
kernel_bytes() { "$vgpu" --quiet --report="$scratch/s.json" "$scratch/shared" "$@" >/dev/null 2>&1; jq .memory.d2h_kernel_bytes "$scratch/s.json"; }
same "bytes that kernels wrote to managed and pinned memory count" 192 "$(kernel_bytes)"
same "once, also when they are copied" 192 "$(kernel_bytes copy)"
finish
