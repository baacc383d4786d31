/* launch: the ways to start a kernel, and host functions. */
#include "common/vgpu/cuda/cuda_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* A launch's parameters: addresses of arguments, or one buffer (`extra`) with all of them at their offsets:
 *
 *      extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
 *               CU_LAUNCH_PARAM_END}
 */
typedef struct Arguments {
    void **list;  /* address of each */
    void **owned; /* to free, or NULL */
} Arguments;

enum { EXTRA_PAIRS_MAX = 2 };

static CUresult read_extra(void **extra, char **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (int i = 0; extra[0] != CU_LAUNCH_PARAM_END; i++, extra += 2) {
        if (i == EXTRA_PAIRS_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            *bytes = *(size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static size_t count_params(CUfunction f)
{
    size_t n = 0, offset;
    while (cudaFuncGetParamInfo(f, n, &offset, NULL) == cudaSuccess)
        n++;
    return n;
}

static CUresult point_into(Arguments *out, CUfunction f, size_t n, char *buffer, size_t bytes)
{
    out->list = out->owned = calloc(n + 1, sizeof *out->owned);
    if (!out->owned)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t offset = 0, size = 0;
        cudaFuncGetParamInfo(f, i, &offset, &size);
        if (!buffer || offset + size > bytes)
            return CUDA_ERROR_INVALID_VALUE;
        out->list[i] = buffer + offset;
    }
    return CUDA_SUCCESS;
}

/* No program has memory of its own down there. */
enum { LOWEST_ADDRESS = 65536 };

/* The commonest mistake: the argument itself instead of its address. What follows is what follows on
 * hardware, mostly the end of the program; so the reason is told first. */
static void look_at_addresses(void **params, size_t n)
{
    const char *hint = "kernelParams holds the address of each argument: void *params[] = {&x, &n}";
    for (size_t i = 0; i < n; i++) {
        struct cudaPointerAttributes a = {.type = cudaMemoryTypeUnregistered};
        char text[128];
        bool low = (uintptr_t)params[i] < LOWEST_ADDRESS;
        if (!low &&
            (cudaPointerGetAttributes(&a, params[i]) != cudaSuccess || a.type != cudaMemoryTypeDevice))
            continue;
        snprintf(text, sizeof text,
                 low ? "kernelParams[%zu] is a small number, not the address of an argument"
                     : "kernelParams[%zu] is a device pointer, not the address of an argument",
                 i);
        vgpu_advise(low ? NULL : params[i], text, hint);
    }
}

static CUresult read_arguments(Arguments *out, CUfunction f, void **params, void **extra)
{
    char *buffer;
    size_t bytes, n = count_params(f);
    *out = (Arguments){.list = params};
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (params)
        look_at_addresses(params, n);
    if (!extra)
        return !params && n > 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    CUresult result = read_extra(extra, &buffer, &bytes);
    return result != CUDA_SUCCESS ? result : point_into(out, f, n, buffer, bytes);
}

static CUresult check_function(CUfunction f)
{
    return vgpu_kernel_exists((cudaKernel_t)(uintptr_t)f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult launch_function(CUfunction f, const unsigned grid[3], const unsigned block[3],
                                unsigned shared, CUstream stream, void **params, void **extra,
                                bool cooperative)
{
    Arguments arguments = {0};
    dim3 g = {grid[0], grid[1], grid[2]}, b = {block[0], block[1], block[2]};
    CUresult result = check_function(f);
    if (result == CUDA_SUCCESS)
        result = read_arguments(&arguments, f, params, extra);
    if (result == CUDA_SUCCESS)
        result =
            from_runtime(cooperative ? cudaLaunchCooperativeKernel(f, g, b, arguments.list, shared, stream)
                                     : cudaLaunchKernel(f, g, b, arguments.list, shared, stream));
    free(arguments.owned);
    return result;
}

/* Both libraries give the attributes of a launch the same numbers and layout. */
static CUresult launch_ex(const CUlaunchConfig *config, CUfunction f, CUstream stream, void **params,
                          void **extra)
{
    _Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "attributes of both libraries");
    Arguments arguments = {0};
    CUresult result = check_function(f);
    if (result == CUDA_SUCCESS)
        result = read_arguments(&arguments, f, params, extra);
    if (result == CUDA_SUCCESS) {
        cudaLaunchConfig_t c = {.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                .dynamicSmemBytes = config->sharedMemBytes,
                                .stream = stream,
                                .attrs = (cudaLaunchAttribute *)(void *)config->attrs,
                                .numAttrs = config->numAttrs};
        result = from_runtime(cudaLaunchKernelExC(&c, f, arguments.list));
    }
    free(arguments.owned);
    return result;
}

#define SHAPE                                                                                                \
    unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
        unsigned shared, CUstream stream
#define GRID  ((const unsigned[]){grid_x, grid_y, grid_z})
#define BLOCK ((const unsigned[]){block_x, block_y, block_z})

DEFINE_STREAM(cuLaunchKernel, (CUfunction f, SHAPE, void **params, void **extra),
              launch_function(f, GRID, BLOCK, shared, stream, params, extra, false))
DEFINE_STREAM(cuLaunchCooperativeKernel, (CUfunction f, SHAPE, void **params),
              launch_function(f, GRID, BLOCK, shared, stream, params, NULL, true))
DEFINE(cuLaunchKernelEx, NEEDS_CONTEXT,
       (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
       config ? launch_ex(config, f, config->hStream, params, extra) : CUDA_ERROR_INVALID_VALUE)
DEFINE(cuLaunchKernelEx_ptsz, NEEDS_CONTEXT,
       (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
       config ? launch_ex(config, f, own_stream(config->hStream), params, extra) : CUDA_ERROR_INVALID_VALUE)
DEFINE_STREAM(cuLaunchHostFunc, (CUstream stream, CUhostFn fn, void *data),
              from_runtime(cudaLaunchHostFunc(stream, fn, data)))
