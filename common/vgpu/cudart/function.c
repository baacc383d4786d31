/* function: what a program can ask and set about its kernels; occupancy. */
#include "common/vgpu/cudart/cudart_internal.h"

#include <string.h>

/* The kernel behind an argument, loaded. Which error an argument that is none gives was measured. */
static cudaError_t find_kernel(Call *call, const void *kernel, Kernel **k, uint32_t *function)
{
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    *k = kernel_of(kernel);
    if (!*k)
        return cudaErrorInvalidResourceHandle;
    return kernel_load(call, *k, function);
}

/* The same for a question or a setting. The first for a kernel can fail, as there may be no code of it for this device. Later ones cannot: who
 * looks for a block that fits asks again and again. */
static cudaError_t find_asked(Call *call, const void *kernel, Kernel **k, uint32_t *function)
{
    cudaError_t error = find_kernel(call, kernel, k, function);
    if (error != cudaSuccess || (*k)->asked || facade()->is_driver || thread_state()->driver_call)
        return error;
    (*k)->asked = true;
    return call_must_fail(cudaErrorInvalidDeviceFunction) ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

static cudaError_t get_info(Call *call, uint32_t function, DeviceFunctionInfo *info)
{
    DeviceMsg msg = {.op = OP_FUNCTION_INFO, .out = {.data = info, .bytes = sizeof *info}};
    msg.function.id = function;
    return call_send(call, &msg, NULL);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel)
{
    Kernel *k;
    uint32_t function;
    DeviceFunctionInfo info = {0};
    ENTER_QUESTION(API_cudaFuncGetAttributes);
    if (!a)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = find_asked(&call, kernel, &k, &function);
    if (error == cudaSuccess)
        error = get_info(&call, function, &info);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = info.static_shared,
        .constSizeBytes = info.const_bytes,
        .localSizeBytes = info.local_bytes,
        .maxThreadsPerBlock = (int)info.threads_max,
        .numRegs = (int)info.registers,
        .ptxVersion = (int)info.target,
        .binaryVersion = (int)info.target,
        .maxDynamicSharedSizeBytes = (int)info.dynamic_shared_max,
        .preferredShmemCarveout = -1,
    };
    return call_leave(&call, cudaSuccess);
}

static cudaError_t set_dynamic_shared(Call *call, uint32_t function, int value)
{
    DeviceMsg msg = {.op = OP_FUNCTION_SET};
    if (value < 0)
        return cudaErrorInvalidValue;
    msg.function.id = function;
    msg.function.dynamic_shared_max = (uint64_t)value;
    return call_send(call, &msg, NULL);
}

/* A wish for the cut between L1 cache and shared memory, which the model has no use for. */
static cudaError_t set_carveout(Call *call, int percent)
{
    if (percent >= cudaSharedmemCarveoutDefault && percent <= cudaSharedmemCarveoutMaxShared)
        return cudaSuccess;
    snprintf(call->why, sizeof call->why, "the carveout is a share in percent; %d is none", percent);
    return cudaErrorInvalidValue;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    Kernel *k;
    uint32_t function;
    ENTER_QUESTION(API_cudaFuncSetAttribute);
    cudaError_t error = find_asked(&call, kernel, &k, &function);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return call_leave(&call, set_dynamic_shared(&call, function, value));
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return call_leave(&call, set_carveout(&call, value));
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        return call_leave(&call, cudaSuccess);
    default:
        return call_leave(&call, cudaErrorInvalidValue);
    }
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config)
{
    Kernel *k;
    uint32_t function;
    ENTER(API_cudaFuncSetCacheConfig);
    cudaError_t error = find_kernel(&call, kernel, &k, &function);
    if (error == cudaSuccess && (unsigned)config > cudaFuncCachePreferEqual)
        error = cudaErrorInvalidValue;
    return call_leave(&call, error);
}

cudaError_t cudaFuncGetName(const char **name, const void *kernel)
{
    Kernel *k;
    uint32_t function;
    ENTER(API_cudaFuncGetName);
    if (!name)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = find_kernel(&call, kernel, &k, &function);
    if (error == cudaSuccess)
        *name = k->name;
    return call_leave(&call, error);
}

cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
    Kernel *k;
    uint32_t function;
    ENTER(API_cudaFuncGetParamInfo);
    cudaError_t error = find_kernel(&call, kernel, &k, &function);
    if (error == cudaSuccess && (!offset || index >= k->n_params))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *offset = k->params[index].offset;
        if (bytes)
            *bytes = k->params[index].bytes;
    }
    return call_leave(&call, error);
}

/* A kernel handle serves wherever the address of its host stub does. */
cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *kernel)
{
    ENTER(API_cudaGetKernel);
    if (!handle)
        return call_leave(&call, cudaErrorInvalidValue);
    *handle = (cudaKernel_t)kernel_of(kernel);
    return call_leave(&call, *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *kernel)
{
    ENTER(API_cudaGetFuncBySymbol);
    if (!handle)
        return call_leave(&call, cudaErrorInvalidValue);
    *handle = (cudaFunction_t)kernel_of(kernel);
    return call_leave(&call, *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

/* ---- occupancy ---- */

static cudaError_t blocks_per_sm(Call *call, uint32_t function, int threads, size_t shared, int *out)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_OCCUPANCY};
    msg.function.id = function;
    msg.function.block_threads = (uint32_t)threads;
    msg.function.dynamic_shared = shared;
    cudaError_t error = call_send(call, &msg, &reply);
    *out = (int)reply.value;
    return error;
}

static cudaError_t occupancy(Api api, int *blocks, const void *kernel, int threads, size_t shared)
{
    Kernel *k;
    uint32_t function;
    ENTER_QUESTION(api);
    if (!blocks || threads <= 0)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = find_asked(&call, kernel, &k, &function);
    if (error == cudaSuccess)
        error = blocks_per_sm(&call, function, threads, shared, blocks);
    return call_leave(&call, error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared)
{
    return occupancy(API_cudaOccupancyMaxActiveBlocksPerMultiprocessor, blocks, kernel, threads, shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    (void)flags;
    return occupancy(API_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, kernel, threads,
                     shared);
}

/* Measured: an equal share of the multiprocessor's shared memory, the system's part included, up to what a
 * block may have. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int threads)
{
    Kernel *k;
    uint32_t function;
    DeviceFunctionInfo info = {0};
    DeviceInfo device = {0};
    int fit = 0;
    ENTER_QUESTION(API_cudaOccupancyAvailableDynamicSMemPerBlock);
    if (!bytes || blocks <= 0 || threads <= 0)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = find_kernel(&call, kernel, &k, &function);
    if (error == cudaSuccess)
        error = get_info(&call, function, &info);
    if (error == cudaSuccess)
        error = blocks_per_sm(&call, function, threads, 0, &fit);
    if (error == cudaSuccess)
        error = call_send(
            &call, &(DeviceMsg){.op = OP_DEVICE_INFO, .out = {.data = &device, .bytes = sizeof device}},
            NULL);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    size_t share = device.shared_per_sm / (size_t)blocks;
    size_t room = share > info.static_shared ? share - info.static_shared : 0;
    *bytes = fit < blocks ? 0 : room < info.dynamic_shared_max ? room : info.dynamic_shared_max;
    return call_leave(&call, cudaSuccess);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}
