/* memory: allocating and freeing, pools, and what a pointer is. */
#include "common/vgpu/cuda/cuda_internal.h"

#include <string.h>

/* ---- allocating: no bytes are no allocation, which is an error here and none in the runtime ---- */

static CUresult allocate_global(CUdeviceptr *p, size_t bytes)
{
    return !p || bytes == 0 ? CUDA_ERROR_INVALID_VALUE : from_runtime(cudaMalloc((void **)(void *)p, bytes));
}

static CUresult allocate_pitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element)
{
    if (!p || !pitch || width == 0 || height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16)
        return CUDA_ERROR_INVALID_VALUE;
    return from_runtime(cudaMallocPitch((void **)(void *)p, pitch, width, height));
}

static CUresult allocate_host(void **p, size_t bytes, unsigned flags)
{
    return !p || bytes == 0 ? CUDA_ERROR_INVALID_VALUE : from_runtime(cudaHostAlloc(p, bytes, flags));
}

static CUresult allocate_managed(CUdeviceptr *p, size_t bytes, unsigned flags)
{
    if (!p || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return from_runtime(cudaMallocManaged((void **)(void *)p, bytes, flags));
}

DEFINE(cuMemAlloc_v2, NEEDS_CONTEXT, (CUdeviceptr * p, size_t bytes), allocate_global(p, bytes))
DEFINE(cuMemAllocPitch_v2, NEEDS_CONTEXT,
       (CUdeviceptr * p, size_t *pitch, size_t width, size_t height, unsigned element),
       allocate_pitch(p, pitch, width, height, element))
DEFINE(cuMemAllocHost_v2, NEEDS_CONTEXT, (void **p, size_t bytes), allocate_host(p, bytes, 0))
DEFINE(cuMemHostAlloc, NEEDS_CONTEXT, (void **p, size_t bytes, unsigned flags),
       allocate_host(p, bytes, flags))
DEFINE(cuMemAllocManaged, NEEDS_CONTEXT, (CUdeviceptr * p, size_t bytes, unsigned flags),
       allocate_managed(p, bytes, flags))
DEFINE(cuMemFree_v2, NEEDS_CONTEXT, (CUdeviceptr p), from_runtime(cudaFree(to_pointer(p))))
DEFINE(cuMemFreeHost, NEEDS_CONTEXT, (void *p), from_runtime(cudaFreeHost(p)))
DEFINE(cuMemHostRegister_v2, NEEDS_CONTEXT, (void *p, size_t bytes, unsigned flags),
       from_runtime(cudaHostRegister(p, bytes, flags)))
DEFINE(cuMemHostUnregister, NEEDS_CONTEXT, (void *p), from_runtime(cudaHostUnregister(p)))
DEFINE(cuMemHostGetDevicePointer_v2, NEEDS_CONTEXT, (CUdeviceptr * device, void *p, unsigned flags),
       from_runtime(cudaHostGetDevicePointer((void **)(void *)device, p, flags)))
DEFINE(cuMemHostGetFlags, NEEDS_CONTEXT, (unsigned *flags, void *p), from_runtime(cudaHostGetFlags(flags, p)))
DEFINE(cuMemGetInfo_v2, NEEDS_CONTEXT, (size_t * free_bytes, size_t *total),
       from_runtime(cudaMemGetInfo(free_bytes, total)))

/* ---- in stream order, and pools ---- */

static CUresult allocate_async(CUdeviceptr *p, size_t bytes, CUstream stream)
{
    return !p || bytes == 0 ? CUDA_ERROR_INVALID_VALUE
                            : from_runtime(cudaMallocAsync((void **)(void *)p, bytes, stream));
}

static CUresult allocate_from(CUdeviceptr *p, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    if (!p || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return from_runtime(cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream));
}

static CUresult create_pool(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    _Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "both libraries' pools");
    struct cudaMemPoolProps p;
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&p, properties, sizeof p);
    return from_runtime(cudaMemPoolCreate(pool, &p));
}

DEFINE_STREAM(cuMemAllocAsync, (CUdeviceptr * p, size_t bytes, CUstream stream),
              allocate_async(p, bytes, stream))
DEFINE_STREAM(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t bytes, CUmemoryPool pool, CUstream stream),
              allocate_from(p, bytes, pool, stream))
DEFINE_STREAM(cuMemFreeAsync, (CUdeviceptr p, CUstream stream),
              from_runtime(cudaFreeAsync(to_pointer(p), stream)))
DEFINE(cuMemPoolCreate, NEEDS_INIT, (CUmemoryPool * pool, const CUmemPoolProps *properties),
       create_pool(pool, properties))
DEFINE(cuMemPoolDestroy, NEEDS_INIT, (CUmemoryPool pool), from_runtime(cudaMemPoolDestroy(pool)))
DEFINE(cuMemPoolTrimTo, NEEDS_INIT, (CUmemoryPool pool, size_t bytes),
       from_runtime(cudaMemPoolTrimTo(pool, bytes)))
DEFINE(cuMemPoolSetAttribute, NEEDS_INIT, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
       from_runtime(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value)))
DEFINE(cuMemPoolGetAttribute, NEEDS_INIT, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
       from_runtime(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value)))
DEFINE(cuMemPoolSetAccess, NEEDS_INIT, (CUmemoryPool pool, const CUmemAccessDesc *list, size_t n),
       from_runtime(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)(const void *)list, n)))
DEFINE(cuMemPoolGetAccess, NEEDS_INIT,
       (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation *location),
       from_runtime(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)(void *)flags, pool,
                                         (struct cudaMemLocation *)(void *)location)))

/* ---- managed memory ---- */

static struct cudaMemLocation location_of(CUmemLocation l)
{
    return (struct cudaMemLocation){.type = (enum cudaMemLocationType)l.type, .id = l.id};
}

DEFINE_STREAM(cuMemPrefetchAsync_v2,
              (CUdeviceptr p, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream),
              from_runtime(cudaMemPrefetchAsync(to_pointer(p), bytes, location_of(location), flags, stream)))
DEFINE(cuMemAdvise_v2, NEEDS_CONTEXT,
       (CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation location),
       from_runtime(cudaMemAdvise(to_pointer(p), bytes, (enum cudaMemoryAdvise)advice,
                                  location_of(location))))

/* ---- what a pointer is ---- */

static CUresult address_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
    uint64_t at, n;
    uint32_t serial;
    if (!vgpu_find_memory(to_pointer(p), &at, &n, &serial))
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = at;
    if (bytes)
        *bytes = n;
    return CUDA_SUCCESS;
}

typedef struct Pointer {
    struct cudaPointerAttributes a;
    uint64_t base, bytes;
    uint32_t serial;
    bool known;
} Pointer;

static CUresult look_at(Pointer *out, CUdeviceptr p)
{
    *out = (Pointer){0};
    out->known = vgpu_find_memory(to_pointer(p), &out->base, &out->bytes, &out->serial);
    return from_runtime(cudaPointerGetAttributes(&out->a, to_pointer(p)));
}

/* Each attribute has a type of its own. CUDA_ERROR_INVALID_VALUE: it says nothing about this pointer. */
static CUresult put_attribute(void *data, CUpointer_attribute attribute, const Pointer *p)
{
    bool host = p->a.type == cudaMemoryTypeHost;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
        CUcontext context = p->a.type == cudaMemoryTypeManaged ? NULL : context_current();
        memcpy(data, &context, sizeof context);
        return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        memcpy(data, &p->a.devicePointer, sizeof(void *));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        memcpy(data, &p->a.hostPointer, sizeof(void *));
        return p->a.hostPointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = p->serial;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = p->a.type == cudaMemoryTypeManaged;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = p->a.device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        memcpy(data, &p->base, sizeof(void *));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = p->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

static CUresult get_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr p)
{
    Pointer pointer;
    if (!data)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = look_at(&pointer, p);
    if (result == CUDA_SUCCESS && !pointer.known)
        result = CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? put_attribute(data, attribute, &pointer) : result;
}

/* Several at once: what says nothing about the pointer is 0, and no error. */
static CUresult get_attributes(unsigned n, CUpointer_attribute *attributes, void **data, CUdeviceptr p)
{
    Pointer pointer;
    if (!attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = look_at(&pointer, p);
    for (unsigned i = 0; i < n && result == CUDA_SUCCESS; i++) {
        bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
        if (data[i])
            memset(data[i], 0, wide ? 8 : 4);
        if (data[i] && pointer.known)
            put_attribute(data[i], attributes[i], &pointer);
    }
    return result;
}

DEFINE(cuMemGetAddressRange_v2, NEEDS_CONTEXT, (CUdeviceptr * base, size_t *bytes, CUdeviceptr p),
       address_range(base, bytes, p))
DEFINE(cuPointerGetAttribute, NEEDS_INIT, (void *data, CUpointer_attribute attribute, CUdeviceptr p),
       get_attribute(data, attribute, p))
DEFINE(cuPointerGetAttributes, NEEDS_INIT,
       (unsigned n, CUpointer_attribute *attributes, void **data, CUdeviceptr p),
       get_attributes(n, attributes, data, p))
DEFINE(cuPointerSetAttribute, NEEDS_INIT, (const void *value, CUpointer_attribute attribute, CUdeviceptr p),
       ((void)p,
        !value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS))
