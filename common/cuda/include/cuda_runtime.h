/* The CUDA runtime for C++ (CUDA Runtime API reference, "C++ API Routines"), and the words of CUDA C++. The
 * kit's compiler driver includes it before a source's first line, as nvcc does. */
#ifndef KIT_CUDA_RUNTIME_H
#define KIT_CUDA_RUNTIME_H

#if defined(__CUDACC_RTC__) /* there it is found by its path, not by that of the system's headers */
#pragma clang system_header
#endif

#if defined(__CUDA__) && !defined(__CUDACC__)
#define __CUDACC__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 0
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDA__)
#include "kit/device.h"
#endif

static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent e = {width, height, depth};
    return e;
}
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos p = {x, y, z};
    return p;
}
static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize,
                                                                     size_t ysize)
{
    struct cudaPitchedPtr p = {ptr, pitch, xsize, ysize};
    return p;
}

#if defined(__cplusplus)
#include "channel_descriptor.h"

#include <utility>

/* ---- memory ---- */

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return ::cudaMalloc((void **)(void *)p, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)p, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
static inline cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(p, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)p, length, flags);
}

/* ---- variables ---- */

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                                                  size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return ::cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* ---- functions and launches ---- */

template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *kernel)
{
    return ::cudaFuncGetAttributes(a, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *kernel)
{
    return ::cudaFuncGetName(name, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t *handle, T *kernel)
{
    return ::cudaGetKernel(handle, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, T *kernel)
{
    return ::cudaGetFuncBySymbol(handle, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                                      size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class... Expected, class... Given>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Expected...),
                                             Given &&...given)
{
    return [&](Expected... values) {
        void *args[sizeof...(values) + 1] = {(void *)&values...};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, args);
    }(std::forward<Given>(given)...);
}

/* ---- occupancy ---- */

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                                        size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel,
                                                                                 int threads, size_t shared,
                                                                                 unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads,
                                                                    shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks,
                                                                    int threads)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}

/* The size of a block with the most threads in flight, from the largest on; of equals the larger one. */
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *least_grid, int *best_block, T kernel, Shared shared_of_block, int limit = 0, unsigned int flags = 0)
{
    int device = 0, warp = 32, n_sms = 0, per_sm = 0, best = 0;
    cudaFuncAttributes attributes;
    if (least_grid == nullptr || best_block == nullptr || kernel == nullptr)
        return cudaErrorInvalidValue;
    cudaError_t error = ::cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = ::cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (error != cudaSuccess)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most)
        most = limit;
    *best_block = *least_grid = 0; /* where no block fits */
    for (int rounded = (most + warp - 1) / warp * warp; rounded > 0 && best < per_sm; rounded -= warp) {
        int blocks = 0, threads = rounded < most ? rounded : most;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, threads,
                                                                         shared_of_block(threads), flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > best) {
            best = blocks * threads;
            *best_block = threads;
            *least_grid = blocks * n_sms;
        }
    }
    return cudaSuccess;
}
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *least_grid, int *best_block,
                                                                         T kernel, Shared shared_of_block,
                                                                         int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(least_grid, best_block, kernel,
                                                                   shared_of_block, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *least_grid, int *best_block, T kernel,
                                                                      size_t shared = 0, int limit = 0,
                                                                      unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        least_grid, best_block, kernel, [=](int) { return shared; }, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *least_grid, int *best_block, T kernel,
                                                             size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(least_grid, best_block, kernel, shared, limit);
}

/* ---- overloads ---- */

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
#endif

#endif
