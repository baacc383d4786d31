/* map: virtual memory management: addresses are reserved, memory is created, and the one is mapped at the other. */
#include "common/vgpu/cuda/cuda_internal.h"

/* Of sizes and of addresses, as on cards. */
enum { GRANULARITY = 2 << 20 };

static bool is_whole(size_t bytes)
{
    return bytes > 0 && bytes % GRANULARITY == 0;
}

/* What can be made here: memory of a device. */
static CUresult check_properties(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return p->location.type == CU_MEM_LOCATION_TYPE_INVALID ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    return device_valid(p->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult granularity(size_t *out, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags option)
{
    if (!out ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_properties(p);
    if (result == CUDA_SUCCESS)
        *out = GRANULARITY;
    return result;
}

static CUresult create(CUmemGenericAllocationHandle *out, size_t bytes, const CUmemAllocationProp *p,
                       unsigned long long flags)
{
    uint64_t handle = 0;
    if (!out || flags != 0 || !is_whole(bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_properties(p);
    if (result == CUDA_SUCCESS)
        result = from_runtime(vgpu_map_create(&handle, bytes, p->location.id));
    if (result == CUDA_SUCCESS)
        *out = handle;
    return result;
}

static CUresult properties(CUmemAllocationProp *out, CUmemGenericAllocationHandle handle)
{
    int device = 0;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(vgpu_map_properties(handle, &device));
    if (result == CUDA_SUCCESS)
        *out = (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
    return result;
}

static CUresult retain(CUmemGenericAllocationHandle *out, const void *address)
{
    uint64_t handle = 0;
    CUresult result = out ? from_runtime(vgpu_map_retain(address, &handle)) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *out = handle;
    return result;
}

static CUresult reserve_addresses(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr wanted,
                                  unsigned long long flags)
{
    uintptr_t address = 0;
    if (!out || flags != 0 || !is_whole(bytes) || (align & (align - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(vgpu_map_reserve(&address, bytes, align, wanted));
    if (result == CUDA_SUCCESS)
        *out = address;
    return result;
}

static CUresult map(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags)
{
    if (flags != 0 || offset != 0 || !is_whole(bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return from_runtime(vgpu_map_map(address, bytes, handle));
}

/* All rows are looked at before one of them is done. Memory that can only be read is not there. */
static CUresult set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t n)
{
    if (!list || n == 0 || !is_whole(bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        if (!device_valid(list[i].location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        if (list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ) {
            vgpu_say("memory that can only be read (CU_MEM_ACCESS_FLAGS_PROT_READ) is not supported by the virtual GPU: "
                     "cuMemSetAccess returns CUDA_ERROR_NOT_SUPPORTED");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = from_runtime(vgpu_map_set_access(address, bytes, list[i].location.id,
                                                  list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    return result;
}

static CUresult get_access(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr address)
{
    bool may = false;
    if (!flags || !where || where->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(vgpu_map_get_access(address, where->id, &may));
    if (result == CUDA_SUCCESS)
        *flags = may ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return result;
}

DEFINE(cuMemGetAllocationGranularity, NEEDS_INIT,
       (size_t * out, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags option), granularity(out, p, option))
DEFINE(cuMemCreate, NEEDS_INIT,
       (CUmemGenericAllocationHandle * out, size_t bytes, const CUmemAllocationProp *p, unsigned long long flags),
       create(out, bytes, p, flags))
DEFINE(cuMemRelease, NEEDS_INIT, (CUmemGenericAllocationHandle handle), from_runtime(vgpu_map_release(handle)))
DEFINE(cuMemGetAllocationPropertiesFromHandle, NEEDS_INIT,
       (CUmemAllocationProp * out, CUmemGenericAllocationHandle handle), properties(out, handle))
DEFINE(cuMemRetainAllocationHandle, NEEDS_INIT, (CUmemGenericAllocationHandle * out, void *address), retain(out, address))
DEFINE(cuMemAddressReserve, NEEDS_INIT,
       (CUdeviceptr * out, size_t bytes, size_t align, CUdeviceptr wanted, unsigned long long flags),
       reserve_addresses(out, bytes, align, wanted, flags))
DEFINE(cuMemAddressFree, NEEDS_INIT, (CUdeviceptr address, size_t bytes),
       from_runtime(vgpu_map_unreserve(address, bytes)))
DEFINE(cuMemMap, NEEDS_INIT,
       (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),
       map(address, bytes, offset, handle, flags))
DEFINE(cuMemUnmap, NEEDS_INIT, (CUdeviceptr address, size_t bytes), from_runtime(vgpu_map_unmap(address, bytes)))
DEFINE(cuMemSetAccess, NEEDS_INIT, (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t n),
       set_access(address, bytes, list, n))
DEFINE(cuMemGetAccess, NEEDS_INIT,
       (unsigned long long *flags, const CUmemLocation *where, CUdeviceptr address), get_access(flags, where, address))
