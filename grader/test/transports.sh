#!/bin/bash
# A right vector add that moves its data in one of the ways that CUDA has: transports.sh NUMBER prints the source. The number chooses how
# the inputs come to the device, how the kernel works, how the output goes back, and what stands around it; 13 numbers in a row have each way.
set -euo pipefail
number=$1

# Sets d_a, d_b (device addresses), or whatever the kernel reads by A(i) and B(i).
ways_in=(copy async pinned mapped registered managed symbol texture array pitched chunks structs doubles)
ways_kernel=(plain stride shared heap local warp pointer double matrix)
ways_out=(copy async mapped managed registered symbol surface chunks pitched)
ways_around=(none stream child events)
pick() { # NUMBER NAMES...: one of them
    local n=$1
    shift
    n=$((n % $#))
    echo "${@:n+1:1}"
}
in=$(pick "$number" "${ways_in[@]}")
kernel=$(pick $((number * 5 + number / 13)) "${ways_kernel[@]}")
out=$(pick $((number * 2 + number / 13)) "${ways_out[@]}")
around=$(pick $((number * 3 + number / 13)) "${ways_around[@]}")
# The copy and the kernel become a graph.
if [ $in == pinned ]; then around=graph out=mapped; fi

echo "// in $in, kernel $kernel, out $out, around $around"
cat <<'END'
#include "vector_add.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define MOST 512
#define TRY(call) do { int error_ = (call); if (error_) return error_; } while (0)
END

place_a='const float *a, const float *b, ' args='d_a, d_b, ' A='a[i]' B='b[i]' before='' after='' declare=''
case $in in
copy) before='TRY(cudaMalloc(&d_a, bytes)); TRY(cudaMalloc(&d_b, bytes)); TRY(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice)); TRY(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));' after='cudaFree(d_a); cudaFree(d_b);' ;;
async) before='TRY(cudaMallocAsync((void **)&d_a, 2 * bytes, stream)); d_b = d_a + n; TRY(cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, stream)); TRY(cudaMemcpyAsync(d_b, b, bytes, cudaMemcpyHostToDevice, stream));' after='cudaFreeAsync(d_a, stream);' ;;
pinned) before='float *h_a; TRY(cudaMallocHost(&h_a, 2 * bytes)); memcpy(h_a, a, bytes); memcpy(h_a + n, b, bytes); TRY(cudaMalloc(&d_a, 2 * bytes)); d_b = d_a + n; BEGIN TRY(cudaMemcpyAsync(d_a, h_a, 2 * bytes, cudaMemcpyHostToDevice, stream));' after='cudaFree(d_a); cudaFreeHost(h_a);' ;;
mapped) before='float *h_a; TRY(cudaHostAlloc(&h_a, 2 * bytes, cudaHostAllocMapped)); memcpy(h_a, a, bytes); memcpy(h_a + n, b, bytes); TRY(cudaHostGetDevicePointer((void **)&d_a, h_a, 0)); d_b = d_a + n;' after='cudaFreeHost(h_a);' ;;
registered) before='float *h_a = (float *)aligned_alloc(4096, (2 * bytes + 4095) / 4096 * 4096); memcpy(h_a, a, bytes); memcpy(h_a + n, b, bytes); TRY(cudaHostRegister(h_a, 2 * bytes, cudaHostRegisterMapped)); TRY(cudaHostGetDevicePointer((void **)&d_a, h_a, 0)); d_b = d_a + n;' after='cudaHostUnregister(h_a); free(h_a);' ;;
managed) before='TRY(cudaMallocManaged(&d_a, 2 * bytes)); d_b = d_a + n; for (int i = 0; i < n; i++) { d_a[i] = a[i]; d_b[i] = b[i]; }' after='cudaFree(d_a);' ;;
symbol) declare='__constant__ float const_a[MOST]; __device__ float var_b[MOST];' place_a='' args='' A='const_a[i]' B='var_b[i]'
    before='TRY(cudaMemcpyToSymbol(const_a, a, bytes)); TRY(cudaMemcpyToSymbol(var_b, b, bytes));' ;;
texture) place_a='cudaTextureObject_t a, cudaTextureObject_t b, ' args='t_a, t_b, ' A='tex1Dfetch<float>(a, i)' B='tex1Dfetch<float>(b, i)'
    before='TRY(cudaMalloc(&d_a, bytes)); TRY(cudaMalloc(&d_b, bytes)); TRY(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice)); TRY(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice)); cudaTextureObject_t t_a, t_b; cudaTextureDesc how = {}; cudaResourceDesc what = {}; what.resType = cudaResourceTypeLinear; what.res.linear.desc = cudaCreateChannelDesc<float>(); what.res.linear.sizeInBytes = bytes; what.res.linear.devPtr = d_a; TRY(cudaCreateTextureObject(&t_a, &what, &how, NULL)); what.res.linear.devPtr = d_b; TRY(cudaCreateTextureObject(&t_b, &what, &how, NULL));'
    after='cudaDestroyTextureObject(t_a); cudaDestroyTextureObject(t_b); cudaFree(d_a); cudaFree(d_b);' ;;
array) place_a='cudaTextureObject_t a, cudaTextureObject_t b, ' args='t_a, t_b, ' A='tex2D<float>(a, i + 0.5f, 0.5f)' B='tex2D<float>(b, i + 0.5f, 0.5f)'
    before='cudaArray_t r_a, r_b; cudaChannelFormatDesc form = cudaCreateChannelDesc<float>(); TRY(cudaMallocArray(&r_a, &form, n, 1)); TRY(cudaMallocArray(&r_b, &form, n, 1)); TRY(cudaMemcpy2DToArray(r_a, 0, 0, a, bytes, bytes, 1, cudaMemcpyHostToDevice)); TRY(cudaMemcpy2DToArray(r_b, 0, 0, b, bytes, bytes, 1, cudaMemcpyHostToDevice)); cudaTextureObject_t t_a, t_b; cudaTextureDesc how = {}; cudaResourceDesc what = {}; what.resType = cudaResourceTypeArray; what.res.array.array = r_a; TRY(cudaCreateTextureObject(&t_a, &what, &how, NULL)); what.res.array.array = r_b; TRY(cudaCreateTextureObject(&t_b, &what, &how, NULL));'
    after='cudaDestroyTextureObject(t_a); cudaDestroyTextureObject(t_b); cudaFreeArray(r_a); cudaFreeArray(r_b);' ;;
pitched) place_a='const char *a, const char *b, ' args='(char *)d_a, (char *)d_a + pitch, '; A='((const float *)(a + 2 * (i / 16) * PITCH))[i % 16]' B='((const float *)(b + 2 * (i / 16) * PITCH))[i % 16]' declare='#define PITCH 512'
    before='size_t pitch, rows = (n + 15) / 16; TRY(cudaMallocPitch((void **)&d_a, &pitch, 64, 2 * rows)); if (pitch != PITCH) return 1; TRY(cudaMemcpy2D(d_a, 2 * pitch, a, 64, 64, rows, cudaMemcpyHostToDevice)); TRY(cudaMemcpy2D((char *)d_a + pitch, 2 * pitch, b, 64, 64, rows, cudaMemcpyHostToDevice));' after='cudaFree(d_a);' ;;
chunks) before='TRY(cudaMalloc(&d_a, bytes)); TRY(cudaMalloc(&d_b, bytes)); for (int at = 0; at < n; at += 100) { size_t part = (n - at < 100 ? n - at : 100) * sizeof(float); TRY(cudaMemcpy(d_a + at, a + at, part, cudaMemcpyHostToDevice)); TRY(cudaMemcpy(d_b + at, b + at, part, cudaMemcpyHostToDevice)); }' after='cudaFree(d_a); cudaFree(d_b);' ;;
structs) declare='struct Pair { float a, b; };' place_a='const Pair *a, ' args='d_p, ' A='a[i].a' B='a[i].b'
    before='Pair *h_p = (Pair *)malloc(2 * bytes), *d_p; for (int i = 0; i < n; i++) { h_p[i].a = a[i]; h_p[i].b = b[i]; } TRY(cudaMalloc(&d_p, 2 * bytes)); TRY(cudaMemcpy(d_p, h_p, 2 * bytes, cudaMemcpyHostToDevice));' after='cudaFree(d_p); free(h_p);' ;;
doubles) place_a='const double *a, const double *b, ' args='d_d, d_d + n, ' A='(float)a[i]' B='(float)b[i]'
    before='double *h_d = (double *)malloc(4 * bytes), *d_d; for (int i = 0; i < n; i++) { h_d[i] = a[i]; h_d[n + i] = b[i]; } TRY(cudaMalloc(&d_d, 4 * bytes)); TRY(cudaMemcpy(d_d, h_d, 4 * bytes, cudaMemcpyHostToDevice));' after='cudaFree(d_d); free(h_d);' ;;
esac

place_c='float *c, ' arg_c='d_c, ' put='c[i] = sum;' made='' back=''
case $out in
copy) made='TRY(cudaMalloc(&d_c, bytes));' back='TRY(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost)); cudaFree(d_c);' ;;
async) made='TRY(cudaMalloc(&d_c, bytes)); float *h_c; TRY(cudaMallocHost(&h_c, bytes));' back='TRY(cudaMemcpyAsync(h_c, d_c, bytes, cudaMemcpyDeviceToHost, stream)); TRY(cudaStreamSynchronize(stream)); memcpy(c, h_c, bytes); cudaFreeHost(h_c); cudaFree(d_c);' ;;
mapped) made='float *h_c; TRY(cudaHostAlloc(&h_c, bytes, cudaHostAllocMapped)); TRY(cudaHostGetDevicePointer((void **)&d_c, h_c, 0));' back='TRY(cudaDeviceSynchronize()); memcpy(c, h_c, bytes); cudaFreeHost(h_c);' ;;
managed) made='TRY(cudaMallocManaged(&d_c, bytes));' back='TRY(cudaDeviceSynchronize()); for (int i = 0; i < n; i++) c[i] = d_c[i]; cudaFree(d_c);' ;;
registered) made='float *h_c = (float *)aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); TRY(cudaHostRegister(h_c, bytes, cudaHostRegisterMapped)); TRY(cudaHostGetDevicePointer((void **)&d_c, h_c, 0));' back='TRY(cudaDeviceSynchronize()); memcpy(c, h_c, bytes); cudaHostUnregister(h_c); free(h_c);' ;;
symbol) declare+=$'\n__device__ float var_c[MOST];' place_c='' arg_c='' put='var_c[i] = sum;' back='TRY(cudaMemcpyFromSymbol(c, var_c, bytes));' ;;
surface) place_c='cudaSurfaceObject_t c, ' arg_c='s_c, ' put='surf1Dwrite(sum, c, i * 4);'
    made='cudaArray_t r_c; cudaChannelFormatDesc form_c = cudaCreateChannelDesc<float>(); TRY(cudaMallocArray(&r_c, &form_c, n, 0, cudaArraySurfaceLoadStore)); cudaSurfaceObject_t s_c; cudaResourceDesc what_c = {}; what_c.resType = cudaResourceTypeArray; what_c.res.array.array = r_c; TRY(cudaCreateSurfaceObject(&s_c, &what_c));'
    back='TRY(cudaMemcpy2DFromArray(c, bytes, r_c, 0, 0, bytes, 1, cudaMemcpyDeviceToHost)); cudaDestroySurfaceObject(s_c); cudaFreeArray(r_c);' ;;
chunks) made='TRY(cudaMalloc(&d_c, bytes));' back='for (int at = 0; at < n; at += 50) TRY(cudaMemcpy(c + at, d_c + at, (n - at < 50 ? n - at : 50) * sizeof(float), cudaMemcpyDeviceToHost)); cudaFree(d_c);' ;;
pitched) made='size_t wide; TRY(cudaMallocPitch((void **)&d_c, &wide, 64, (n + 15) / 16)); if (wide != 512) return 1;' put='((float *)((char *)c + i / 16 * 512))[i % 16] = sum;' back='TRY(cudaMemcpy2D(c, 64, d_c, wide, 64, n / 16, cudaMemcpyDeviceToHost)); cudaFree(d_c);' ;;
esac

prologue='int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;' epilogue='' extra=''
case $kernel in
plain) body="float sum = $A + $B; $put" ;;
stride) prologue='for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 64) {' epilogue='}' body="float sum = $A + $B; $put" ;;
shared) prologue='__shared__ float tile[256]; int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) tile[threadIdx.x] = '"$A"'; __syncthreads(); if (i >= n) return;' body="float sum = tile[threadIdx.x] + $B; $put" ;;
heap) body="float *own = (float *)malloc(2 * sizeof(float)); own[0] = $A; own[1] = $B; float sum = own[0] + own[1]; free(own); $put" ;;
local) body="float own[8]; for (int k = 0; k < 8; k++) own[(k + n) % 8] = k % 2 ? $A : $B; float sum = own[n % 8] + own[(n + 1) % 8]; $put" ;;
warp) prologue='int i = blockIdx.x * blockDim.x + threadIdx.x, last = n - 1, own = i; i = i < n ? i : last;' body="float other = __shfl_xor_sync(0xFFFFFFFF, $B, 1); float sum = $A + __shfl_xor_sync(0xFFFFFFFF, other, 1); if (own < n) { $put }" ;;
pointer) extra='__device__ float add_them(float x, float y) { return x + y; } __device__ float (*which)(float, float) = add_them;' body="float sum = which($A, $B); $put" ;;
double) body="double sum = (double)$A + $B; $put" ;;
matrix) extra='#include <mma.h>' prologue='__shared__ float tile[256]; int i = blockIdx.x * blockDim.x + threadIdx.x; tile[threadIdx.x] = i < n ? '"$A"' : 0; __syncthreads(); if (threadIdx.x < 32) { nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> x; nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> y; nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> z; nvcuda::wmma::fill_fragment(x, __float2half(0)); nvcuda::wmma::fill_fragment(y, __float2half(0)); nvcuda::wmma::load_matrix_sync(z, tile, 16, nvcuda::wmma::mem_row_major); nvcuda::wmma::mma_sync(z, x, y, z); nvcuda::wmma::store_matrix_sync(tile, z, 16, nvcuda::wmma::mem_row_major); } __syncthreads(); if (i >= n) return;' body="float sum = tile[threadIdx.x] + $B; $put" ;;
esac

start='' begin='' end='' launch_stream=0
case $around in
graph) start='TRY(cudaStreamCreate(&stream));' begin='cudaGraph_t graph; cudaGraphExec_t exec; TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));' end='TRY(cudaStreamEndCapture(stream, &graph)); TRY(cudaGraphInstantiate(&exec, graph, 0)); TRY(cudaGraphLaunch(exec, stream)); TRY(cudaStreamSynchronize(stream)); cudaGraphExecDestroy(exec); cudaGraphDestroy(graph);' launch_stream=stream ;;
stream) start='TRY(cudaStreamCreate(&stream));' end='TRY(cudaStreamSynchronize(stream));' launch_stream=stream ;;
child) start='pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, NULL, 0);' ;;
events) start='cudaEvent_t done; TRY(cudaEventCreate(&done));' end='TRY(cudaEventRecord(done)); TRY(cudaEventSynchronize(done)); cudaEventDestroy(done);' ;;
esac
before=${before/BEGIN/$begin}

cat <<END
$declare
$extra
__global__ void add(${place_a}${place_c}int n)
{
    $prologue
    $body
    $epilogue
}
extern "C" int vector_add(const float *a, const float *b, float *c, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_a = NULL, *d_b = NULL, *d_c = NULL;
    cudaStream_t stream = 0;
    (void)d_a, (void)d_b, (void)d_c, (void)stream;
    if (n == 0)
        return 0;
    $start
    $made
    $before
    add<<<$([ $kernel == stride ] && echo 1, 64 || echo '(n + 255) / 256, 256'), 0, $launch_stream>>>(${args}${arg_c}n);
    TRY(cudaGetLastError());
    $end
    $back
    $after
    return 0;
}
END
