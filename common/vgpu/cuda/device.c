/* device: which devices there are, and what they are like. */
#include "common/vgpu/cuda/cuda_internal.h"

#include <stdio.h>
#include <string.h>

static CUresult get_device_handle(CUdevice *out, int ordinal)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = ordinal;
    return CUDA_SUCCESS;
}

static CUresult get_properties(struct cudaDeviceProp *p, CUdevice device)
{
    return from_runtime(cudaGetDeviceProperties(p, device));
}

static CUresult get_name(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    if (!name || length <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_properties(&p, device);
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)length, "%s", p.name);
    return result;
}

static CUresult get_total(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_properties(&p, device);
    if (result == CUDA_SUCCESS)
        *bytes = p.totalGlobalMem;
    return result;
}

static CUresult get_uuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_properties(&p, device);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, p.uuid.bytes, sizeof uuid->bytes);
    return result;
}

/* Both libraries number attributes alike; those that only the driver knows are features that are not there.
 */
static CUresult get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    if (!value || (int)attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device) != cudaSuccess)
        *value = 0;
    return CUDA_SUCCESS;
}

static CUresult compute_capability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp p;
    if (!major || !minor)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_properties(&p, device);
    if (result == CUDA_SUCCESS) {
        *major = p.major;
        *minor = p.minor;
    }
    return result;
}

DEFINE(cuDeviceGet, NEEDS_INIT, (CUdevice * out, int ordinal), get_device_handle(out, ordinal))
DEFINE(cuDeviceGetCount, NEEDS_INIT, (int *count), from_runtime(cudaGetDeviceCount(count)))
DEFINE(cuDeviceGetName, NEEDS_INIT, (char *name, int length, CUdevice device), get_name(name, length, device))
DEFINE(cuDeviceTotalMem_v2, NEEDS_INIT, (size_t * bytes, CUdevice device), get_total(bytes, device))
DEFINE(cuDeviceGetUuid, NEEDS_INIT, (CUuuid * uuid, CUdevice device), get_uuid(uuid, device))
DEFINE(cuDeviceGetUuid_v2, NEEDS_INIT, (CUuuid * uuid, CUdevice device), get_uuid(uuid, device))
DEFINE(cuDeviceGetAttribute, NEEDS_INIT, (int *value, CUdevice_attribute attribute, CUdevice device),
       get_attribute(value, attribute, device))
DEFINE(cuDeviceComputeCapability, NEEDS_INIT, (int *major, int *minor, CUdevice device),
       compute_capability(major, minor, device))
DEFINE(cuDeviceGetPCIBusId, NEEDS_INIT, (char *text, int length, CUdevice device),
       from_runtime(cudaDeviceGetPCIBusId(text, length, device)))
DEFINE(cuDeviceGetByPCIBusId, NEEDS_INIT, (CUdevice * out, const char *text),
       from_runtime(cudaDeviceGetByPCIBusId(out, text)))
DEFINE(cuDeviceCanAccessPeer, NEEDS_INIT, (int *can, CUdevice device, CUdevice peer),
       from_runtime(cudaDeviceCanAccessPeer(can, device, peer)))
DEFINE(cuDeviceGetP2PAttribute, NEEDS_INIT,
       (int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to),
       from_runtime(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, from, to)))
DEFINE(cuDeviceGetDefaultMemPool, NEEDS_INIT, (CUmemoryPool * pool, CUdevice device),
       from_runtime(cudaDeviceGetDefaultMemPool(pool, device)))
DEFINE(cuDeviceGetMemPool, NEEDS_INIT, (CUmemoryPool * pool, CUdevice device),
       from_runtime(cudaDeviceGetMemPool(pool, device)))
DEFINE(cuDeviceSetMemPool, NEEDS_INIT, (CUdevice device, CUmemoryPool pool),
       from_runtime(cudaDeviceSetMemPool(device, pool)))
