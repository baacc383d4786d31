#!/bin/bash
# CUDA_VISIBLE_DEVICES in all its forms, on two devices: what a machine with two cards answered (visible.c), and by UUIDs.
here=$(dirname "$0")
. "$here/tap.sh"

cat >"$scratch/visible.cu" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int main()
{
    int n = -1;
    cudaError_t error = cudaGetDeviceCount(&n);
    printf("%d %s", n, cudaGetErrorName(error));
    for (int i = 0; i < n; i++) {
        cudaDeviceProp p;
        cudaGetDeviceProperties(&p, i);
        printf(" %.16s", p.uuid.bytes);
    }
    void *x;
    if (n < 0 && cudaMalloc(&x, 4) == cudaSuccess)
        printf(" but memory");
    if (n < 0 && (cudaGetLastError() != error || cudaGetLastError() != error || cudaPeekAtLastError() != error))
        printf(" but no error that lasts");
    printf("\n");
}
END
build_cu visible "$scratch/visible.cu" || finish

# shows VALUE EXPECTED
shows() {
    same "'$1'" "$2" "$(VGPU_DEVICES=2 CUDA_VISIBLE_DEVICES="$1" direct "$scratch/visible" 2>&1)"
}
zero='virtual-gpu-00' one='virtual-gpu-01' a=GPU-76697274-7561-6c2d-6770-752d30300000 b=GPU-76697274-7561-6c2d-6770-752d30310000
same "unset" "2 cudaSuccess $zero $one" "$(VGPU_DEVICES=2 direct "$scratch/visible")"
for none in "" -1 none all a NoDevFiles GPU- GPU-x GPU-7669 MIG-GPU-x ,0 2 2,0; do shows "$none" "-1 cudaErrorNoDevice"; done
for twice in 0,0 "0 ,0" 1,0,1 "$a,$a"; do shows "$twice" "-1 cudaErrorInvalidDevice"; done
for first in 0 0,-1 " 0" 0x0 00 0a 0, 0,,1 +0 0.5 "0;1" 0,2 "0,$a" "$a" "${a^^}" "${a%0000}" "$a,0" "$a,GPU-x"; do shows "$first" "1 cudaSuccess $zero"; done
shows 1 "1 cudaSuccess $one"
shows 1,0 "2 cudaSuccess $one $zero"
shows 0,1 "2 cudaSuccess $zero $one"
shows "$b,$a" "2 cudaSuccess $one $zero"
finish
