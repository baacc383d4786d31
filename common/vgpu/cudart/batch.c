/* batch: many copies or prefetches in one call. They are queued one after the other in the stream; the order
 * within a batch is free on hardware, so that programs cannot count on any. */
#include "common/vgpu/cudart/cudart_internal.h"

/* Entry k of a list is for items indexes[k] up to indexes[k + 1]: from 0 on, ascending. */
static bool valid_indexes(const size_t *indexes, size_t n_indexes, size_t n)
{
    if (!indexes || n_indexes == 0 || n_indexes > n || indexes[0] != 0)
        return false;
    for (size_t i = 1; i < n_indexes; i++)
        if (indexes[i] <= indexes[i - 1] || indexes[i] >= n)
            return false;
    return true;
}

static cudaError_t copy_batch(Call *call, void *const *dsts, const void *const *srcs, const size_t *sizes,
                              size_t n, const struct cudaMemcpyAttributes *attrs, const size_t *indexes,
                              size_t n_attrs, cudaStream_t stream)
{
    uint32_t number, device;
    if (!dsts || !srcs || !sizes || n == 0 || !attrs || !valid_indexes(indexes, n_attrs, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n_attrs; i++)
        if (attrs[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
            attrs[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny)
            return cudaErrorInvalidValue;
    if (!stream_of(call, stream, &number, &device))
        return cudaErrorInvalidResourceHandle;
    if (number == DEVICE_STREAM_LEGACY)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        CopyShape shape = {
            .dst_pitch = sizes[i], .src_pitch = sizes[i], .width = sizes[i], .height = 1, .depth = 1};
        cudaError_t error = sizes[i] == 0
                                ? cudaErrorInvalidValue
                                : copy_any(call, dsts[i], srcs[i], &shape, cudaMemcpyDefault, stream, true);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t enter_copy_batch(Api api, void *const *dsts, const void *const *srcs, const size_t *sizes,
                                    size_t n, const struct cudaMemcpyAttributes *attrs, const size_t *indexes,
                                    size_t n_attrs, cudaStream_t stream)
{
    ENTER(api);
    return call_leave(&call, copy_batch(&call, dsts, srcs, sizes, n, attrs, indexes, n_attrs, stream));
}

WITH_STREAM(cudaMemcpyBatchAsync,
            (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t n,
             struct cudaMemcpyAttributes *attrs, size_t *indexes, size_t n_attrs, cudaStream_t stream),
            enter_copy_batch(api, dsts, srcs, sizes, n, attrs, indexes, n_attrs, stream))

/* Each prefetch is a call of its own in reports. */
static cudaError_t prefetch_batch(Api api, void **p, const size_t *sizes, size_t n,
                                  const struct cudaMemLocation *where, const size_t *indexes, size_t n_where,
                                  unsigned long long flags, cudaStream_t stream)
{
    Call call;
    bool valid = p && sizes && n > 0 && where && flags == 0 && valid_indexes(indexes, n_where, n);
    bool entered = call_enter(&call, api);
    cudaError_t entering = call_leave(&call, !entered ? call.error
                                             : valid  ? cudaSuccess
                                                      : cudaErrorInvalidValue);
    if (entering != cudaSuccess)
        return entering;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (k + 1 < n_where && indexes[k + 1] == i)
            k++;
        cudaError_t error = cudaMemPrefetchAsync(p[i], sizes[i], where[k], 0, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

WITH_STREAM(cudaMemPrefetchBatchAsync,
            (void **p, size_t *sizes, size_t n, struct cudaMemLocation *where, size_t *indexes, size_t n_where,
             unsigned long long flags, cudaStream_t stream),
            prefetch_batch(api, p, sizes, n, where, indexes, n_where, flags, stream))
