/* function: what can be asked and set about kernels; occupancy. */
#include "common/vgpu/cuda/cuda_internal.h"

/* ---- attributes ---- */

static CUresult check_kernel(const void *kernel)
{
    return vgpu_kernel_exists((cudaKernel_t)(uintptr_t)kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult get_attribute(int *value, CUfunction_attribute attribute, const void *kernel)
{
    struct cudaFuncAttributes a;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_kernel(kernel);
    if (result == CUDA_SUCCESS)
        result = from_runtime(cudaFuncGetAttributes(&a, kernel));
    if (result != CUDA_SUCCESS)
        return result;
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_MAX - 1] = 0, /* those of clusters, which are not there */
    };
    if ((unsigned)attribute >= CU_FUNC_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

static CUresult set_attribute(const void *kernel, CUfunction_attribute attribute, int value)
{
    CUresult result = check_kernel(kernel);
    return result != CUDA_SUCCESS
               ? result
               : from_runtime(cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)attribute, value));
}

static CUresult get_name(const char **name, const void *kernel)
{
    CUresult result = check_kernel(kernel);
    return result != CUDA_SUCCESS ? result : from_runtime(cudaFuncGetName(name, kernel));
}

static CUresult get_param(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
    CUresult result = check_kernel(kernel);
    return result != CUDA_SUCCESS ? result : from_runtime(cudaFuncGetParamInfo(kernel, index, offset, bytes));
}

static CUresult set_cache(const void *kernel, CUfunc_cache config)
{
    CUresult result = check_kernel(kernel);
    return result != CUDA_SUCCESS ? result
                                  : from_runtime(cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config));
}

/* The image that a function comes from, if it is of the kind asked for. */
static CUresult get_image(void **out, const void *kernel, bool module)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    Image *image = vgpu_kernel_image((cudaKernel_t)(uintptr_t)kernel);
    if (!image || !vgpu_image_exists(image, module))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = image;
    return CUDA_SUCCESS;
}

static CUresult is_loaded(CUfunctionLoadingState *state, const void *kernel)
{
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return check_kernel(kernel);
}

/* A kernel is a function wherever there is a context. */
static CUresult get_function(CUfunction *out, CUkernel kernel)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUfunction)(uintptr_t)kernel;
    return check_kernel(kernel);
}

DEFINE(cuFuncGetAttribute, NEEDS_CONTEXT, (int *value, CUfunction_attribute attribute, CUfunction f),
       get_attribute(value, attribute, f))
DEFINE(cuFuncSetAttribute, NEEDS_CONTEXT, (CUfunction f, CUfunction_attribute attribute, int value),
       set_attribute(f, attribute, value))
DEFINE(cuFuncSetCacheConfig, NEEDS_CONTEXT, (CUfunction f, CUfunc_cache config), set_cache(f, config))
DEFINE(cuFuncSetSharedMemConfig, NEEDS_CONTEXT, (CUfunction f, CUsharedconfig config),
       ((void)config, check_kernel(f)))
DEFINE(cuFuncGetModule, NEEDS_CONTEXT, (CUmodule * out, CUfunction f), get_image((void **)out, f, true))
DEFINE(cuFuncGetName, NEEDS_CONTEXT, (const char **name, CUfunction f), get_name(name, f))
DEFINE(cuFuncGetParamInfo, NEEDS_CONTEXT, (CUfunction f, size_t index, size_t *offset, size_t *bytes),
       get_param(f, index, offset, bytes))
DEFINE(cuFuncIsLoaded, NEEDS_CONTEXT, (CUfunctionLoadingState * state, CUfunction f), is_loaded(state, f))
DEFINE(cuFuncLoad, NEEDS_CONTEXT, (CUfunction f), check_kernel(f))
DEFINE(cuKernelGetFunction, NEEDS_CONTEXT, (CUfunction * out, CUkernel k), get_function(out, k))
DEFINE(cuKernelGetLibrary, NEEDS_INIT, (CUlibrary * out, CUkernel k), get_image((void **)out, k, false))
DEFINE(cuKernelGetName, NEEDS_INIT, (const char **name, CUkernel k), get_name(name, k))
DEFINE(cuKernelGetParamInfo, NEEDS_INIT, (CUkernel k, size_t index, size_t *offset, size_t *bytes),
       get_param(k, index, offset, bytes))
DEFINE(cuKernelGetAttribute, NEEDS_INIT,
       (int *value, CUfunction_attribute attribute, CUkernel k, CUdevice device),
       device_valid(device) ? get_attribute(value, attribute, k) : CUDA_ERROR_INVALID_DEVICE)
DEFINE(cuKernelSetAttribute, NEEDS_INIT,
       (CUfunction_attribute attribute, int value, CUkernel k, CUdevice device),
       device_valid(device) ? set_attribute(k, attribute, value) : CUDA_ERROR_INVALID_DEVICE)
DEFINE(cuKernelSetCacheConfig, NEEDS_INIT, (CUkernel k, CUfunc_cache config, CUdevice device),
       device_valid(device) ? set_cache(k, config) : CUDA_ERROR_INVALID_DEVICE)

/* ---- occupancy ---- */

static CUresult blocks_per_sm(int *blocks, CUfunction f, int threads, size_t shared)
{
    CUresult result = check_kernel(f);
    return result != CUDA_SUCCESS
               ? result
               : from_runtime(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared));
}

/* Tries every number of whole warps from the largest on; the first that keeps most threads busy is best. */
static CUresult best_block(int *min_grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
                           size_t shared, int limit)
{
    int most = 0, n_sms = 0, best = 0, best_blocks = 0;
    if (!min_grid || !block || limit < 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
    if (result != CUDA_SUCCESS)
        return result;
    most = limit > 0 && limit < most ? limit : most;
    for (int threads = (most + 31) / 32 * 32; threads > 0 && result == CUDA_SUCCESS; threads -= 32) {
        int size = threads < most ? threads : most, blocks = 0;
        result = blocks_per_sm(&blocks, f, size, shared_of ? shared_of(size) : shared);
        if (blocks * size > best_blocks * best) {
            best = size;
            best_blocks = blocks;
        }
    }
    if (result != CUDA_SUCCESS)
        return result;
    result = from_runtime(
        cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, context_device(context_current())));
    *min_grid = best_blocks * n_sms;
    *block = best;
    return result;
}

static CUresult free_shared(size_t *bytes, CUfunction f, int blocks, int threads)
{
    CUresult result = check_kernel(f);
    return result != CUDA_SUCCESS
               ? result
               : from_runtime(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

DEFINE(cuOccupancyMaxActiveBlocksPerMultiprocessor, NEEDS_CONTEXT,
       (int *blocks, CUfunction f, int threads, size_t shared), blocks_per_sm(blocks, f, threads, shared))
DEFINE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, NEEDS_CONTEXT,
       (int *blocks, CUfunction f, int threads, size_t shared, unsigned flags),
       ((void)flags, blocks_per_sm(blocks, f, threads, shared)))
DEFINE(cuOccupancyMaxPotentialBlockSize, NEEDS_CONTEXT,
       (int *min_grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit),
       best_block(min_grid, block, f, shared_of, shared, limit))
DEFINE(cuOccupancyMaxPotentialBlockSizeWithFlags, NEEDS_CONTEXT,
       (int *min_grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit,
        unsigned flags),
       ((void)flags, best_block(min_grid, block, f, shared_of, shared, limit)))
DEFINE(cuOccupancyAvailableDynamicSMemPerBlock, NEEDS_CONTEXT,
       (size_t * bytes, CUfunction f, int blocks, int threads), free_shared(bytes, f, blocks, threads))
