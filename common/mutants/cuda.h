/* What libclang has to know of CUDA C++ to read a solution: words, built-in variables and functions, with
 * types and without bodies. Nothing is compiled with this; nvcc compiles the mutants. The runtime's
 * declarations are the toolkit's.
 */
#ifndef COMMON_MUTANTS_CUDA_H
#define COMMON_MUTANTS_CUDA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>
#undef __global__
#undef __device__
#undef __shared__
#undef __constant__
#undef __host__
#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__     __attribute__((host))
#define __launch_bounds__(...)

#pragma clang force_cuda_host_device begin
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
enum { warpSize = 32 };

extern "C" unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared = 0,
                                                void *stream = 0);

template <typename T> cudaError_t cudaMalloc(T **p, size_t bytes);
template <typename T> cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0);
template <typename T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = 1);
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0);
template <typename T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value);
template <typename T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel);
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads, size_t shared);
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, T kernel, size_t shared = 0,
                                               int most = 0);

void __syncthreads(void);
void __syncwarp(unsigned mask = 0xffffffff);
void __threadfence(void);
void __threadfence_block(void);
template <typename T> T __shfl_sync(unsigned mask, T x, int lane, int width = 32);
template <typename T> T __shfl_up_sync(unsigned mask, T x, unsigned d, int width = 32);
template <typename T> T __shfl_down_sync(unsigned mask, T x, unsigned d, int width = 32);
template <typename T> T __shfl_xor_sync(unsigned mask, T x, int s, int width = 32);
unsigned __ballot_sync(unsigned mask, int condition);
int __any_sync(unsigned mask, int condition);
int __all_sync(unsigned mask, int condition);
int __popc(unsigned x);
float4 make_float4(float x, float y, float z, float w);
template <typename T, typename U> T atomicAdd(T *p, U x);
template <typename T, typename U> T atomicMax(T *p, U x);
template <typename T, typename U> T atomicExch(T *p, U x);
extern "C" float fmaxf(float a, float b), fminf(float a, float b), fabsf(float a), expf(float a),
    logf(float a), sqrtf(float a), rintf(float a);
#define INFINITY __builtin_inff()
template <typename T> T min(T a, T b);
template <typename T> T max(T a, T b);
#pragma clang force_cuda_host_device end

#define __CUDACC__ 1

#endif
