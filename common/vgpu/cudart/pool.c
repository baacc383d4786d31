/* pool: allocation in stream order. A pool is a name with properties: memory is taken from the device each
 * time; the device counts how often hardware would have to take it from the system, all pools as one. */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_ATTRIBUTES = 16, POOLS_MAX = 256 };

/* The handle of pool i is POOL_TAG | i << 4: default pools of the devices first, then those that a program
 * makes. */
#define POOL_TAG 0x504F000000000000u

typedef struct Pool {
    bool exists;
    int device;            /* ordinal */
    cudaMemPool_t current; /* of a device's own pool: what its cudaMallocAsync takes from; NULL: itself */
    uint8_t access[DEVICES_MAX]; /* cudaMemAccessFlags of the other devices, by ordinal */
    uint64_t attributes[POOL_ATTRIBUTES];
} Pool;

/* Reuse of freed memory is allowed in each way until a program says otherwise. */
static const Pool new_pool = {.exists = true,
                              .attributes = {[cudaMemPoolReuseFollowEventDependencies] = 1,
                                             [cudaMemPoolReuseAllowOpportunistic] = 1,
                                             [cudaMemPoolReuseAllowInternalDependencies] = 1}};

/* NULL without memory, or before the first pool. */
static Pool *pools(void)
{
    return facade()->pools;
}

static bool make_table(void)
{
    Facade *f = facade();
    if (!f->pools)
        f->pools = calloc(POOLS_MAX, sizeof *f->pools);
    return f->pools != NULL;
}

static cudaMemPool_t pool_handle(int i)
{
    return (cudaMemPool_t)(uintptr_t)(POOL_TAG | (uint64_t)i << 4);
}

static Pool *pool_of(cudaMemPool_t handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    uint64_t i = (value & 0xFFFFFFFFFFFFu) >> 4;
    if ((value & 0xFFFF00000000000Fu) != POOL_TAG || i >= POOLS_MAX || !pools() || !pools()[i].exists)
        return NULL;
    return &pools()[i];
}

/* ---- allocating ---- */

static int ordinal_of(uint32_t device)
{
    int i = 0;
    while (i < facade()->n_devices - 1 && facade()->visible[i] != device)
        i++;
    return i;
}

/* The device's own pool; NULL without memory. */
static Pool *own_pool(int device)
{
    if (!make_table())
        return NULL;
    if (!pools()[device].exists) {
        pools()[device] = new_pool;
        pools()[device].device = device;
    }
    return &pools()[device];
}

/* From this pool; NULL: from the one that the stream's device takes from. */
static cudaError_t malloc_async(Api api, void **p, size_t bytes, cudaMemPool_t from, cudaStream_t stream)
{
    DeviceReply reply;
    uint32_t device;
    DeviceMsg msg = {.op = OP_ALLOC};
    ENTER(api);
    if (!p)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_of(&call, stream, &msg.stream, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    const Pool *pool = from ? pool_of(from) : own_pool(ordinal_of(device));
    if (!pool)
        return call_leave(&call, from ? cudaErrorInvalidValue : cudaErrorMemoryAllocation);
    if (!from && pool->current && pool_of(pool->current))
        pool = pool_of(pool->current);
    device = facade()->visible[pool->device];
    msg.alloc.pool = (uint16_t)(pool - pools());
    if (bytes == 0) {
        *p = NULL;
        return call_leave(&call, cudaSuccess);
    }
    msg.alloc.bytes = bytes;
    msg.alloc.kind = DEVICE_MEMORY_POOL;
    call_site(&call);
    cudaError_t error = call_send_to(&call, device, &msg, &reply);
    if (error == cudaSuccess)
        *p = (void *)(uintptr_t)reply.value;
    return call_leave(&call, error);
}

static cudaError_t free_async(Api api, void *p, cudaStream_t stream)
{
    uint32_t device;
    DeviceMsg msg = {.op = OP_FREE};
    ENTER(api);
    if (!stream_of(&call, stream, &msg.stream, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (!p)
        return call_leave(&call, cudaSuccess);
    uint32_t serial;
    if (memory_is_managed(&call, p, 1, &serial))
        return call_leave(&call, cudaErrorNotSupported);
    msg.free.addr = (uint64_t)(uintptr_t)p;
    msg.free.kind = DEVICE_MEMORY_POOL;
    call_site(&call);
    return call_leave(&call, call_send_to(&call, device, &msg, NULL));
}

WITH_STREAM(cudaMallocAsync, (void **p, size_t bytes, cudaStream_t stream),
            malloc_async(api, p, bytes, NULL, stream))
WITH_STREAM(cudaFreeAsync, (void *p, cudaStream_t stream), free_async(api, p, stream))
WITH_STREAM(cudaMallocFromPoolAsync, (void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
            pool_of(pool) ? malloc_async(api, p, bytes, pool, stream) : cudaErrorInvalidValue)

/* ---- pools ---- */

static cudaError_t default_pool(Api api, cudaMemPool_t *pool, int device)
{
    ENTER(api);
    if (device < 0 || device >= facade()->n_devices)
        return call_leave(&call, cudaErrorInvalidDevice);
    if (!pool)
        return call_leave(&call, cudaErrorInvalidValue);
    const Pool *own = own_pool(device);
    if (!own)
        return call_leave(&call, cudaErrorMemoryAllocation);
    bool current = api == API_cudaDeviceGetMemPool || api == API_cudaMemGetMemPool;
    *pool = current && own->current && pool_of(own->current) ? own->current : pool_handle(device);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return default_pool(API_cudaDeviceGetDefaultMemPool, pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return default_pool(API_cudaDeviceGetMemPool, pool, device);
}

/* Pools by place: only devices have them here. */
static cudaError_t pool_at(Api api, cudaMemPool_t *pool, const struct cudaMemLocation *where,
                           enum cudaMemAllocationType type)
{
    if (!where || where->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned) {
        Call call;
        bool entered = call_enter(&call, api);
        cudaError_t error = where ? cudaErrorNotSupported : cudaErrorInvalidValue;
        return call_leave(&call, entered ? error : call.error);
    }
    return default_pool(api, pool, where->id);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *where,
                                     enum cudaMemAllocationType type)
{
    return pool_at(API_cudaMemGetDefaultMemPool, pool, where, type);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *where,
                              enum cudaMemAllocationType type)
{
    return pool_at(API_cudaMemGetMemPool, pool, where, type);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *where, enum cudaMemAllocationType type,
                              cudaMemPool_t pool)
{
    bool device = where && where->type == cudaMemLocationTypeDevice;
    if (!device || type != cudaMemAllocationTypePinned)
        return pool_at(API_cudaMemSetMemPool, NULL, where, type);
    return cudaDeviceSetMemPool(where->id, pool);
}

/* A call about one pool that needs nothing of the device: checks the handle. */
static bool enter_pool(Call *call, Api api, cudaMemPool_t handle, Pool **pool)
{
    if (!call_enter(call, api))
        return false;
    *pool = pool_of(handle);
    call->error = cudaErrorInvalidValue;
    return *pool != NULL;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaDeviceSetMemPool, handle, &pool);
    if (device < 0 || device >= facade()->n_devices || pool->device != device)
        return call_leave(&call, cudaErrorInvalidValue);
    pools()[device].exists = true;
    pools()[device].current = handle;
    return call_leave(&call, cudaSuccess);
}

static cudaError_t tell_access(Call *call, const Pool *pool, int device, bool may)
{
    DeviceMsg msg = {.op = OP_POOL_ACCESS,
                     .pool = {.number = (uint32_t)(pool - pools()), .peer = facade()->visible[device], .may = may}};
    return call_send_to(call, facade()->visible[pool->device], &msg, NULL);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *handle, const struct cudaMemPoolProps *properties)
{
    ENTER(API_cudaMemPoolCreate);
    bool on_device = properties && properties->location.type == cudaMemLocationTypeDevice &&
                     properties->location.id >= 0 && properties->location.id < facade()->n_devices;
    if (!handle || !on_device || properties->allocType != cudaMemAllocationTypePinned)
        return call_leave(&call, cudaErrorInvalidValue);
    for (int i = DEVICES_MAX; i < POOLS_MAX && make_table(); i++)
        if (!pools()[i].exists) {
            pools()[i] = new_pool;
            pools()[i].device = properties->location.id;
            for (int k = 0; k < facade()->n_devices; k++)
                tell_access(&call, &pools()[i], k, false); /* the number may have been another pool's */
            *handle = pool_handle(i);
            return call_leave(&call, cudaSuccess);
        }
    return call_leave(&call, cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaMemPoolDestroy, handle, &pool);
    if (pool < pools() + DEVICES_MAX) /* a device's own */
        return call_leave(&call, cudaErrorInvalidValue);
    pool->exists = false;
    return call_leave(&call, cudaSuccess);
}

static size_t attribute_bytes(enum cudaMemPoolAttr a)
{
    return a <= cudaMemPoolReuseAllowInternalDependencies ? sizeof(int) : sizeof(uint64_t);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaMemPoolSetAttribute, handle, &pool);
    if (!value || (unsigned)attribute < cudaMemPoolReuseFollowEventDependencies ||
        (unsigned)attribute >= POOL_ATTRIBUTES)
        return call_leave(&call, cudaErrorInvalidValue);
    pool->attributes[attribute] = 0;
    memcpy(&pool->attributes[attribute], value, attribute_bytes(attribute));
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        DeviceReply reply;
        DeviceMsg msg = {.op = OP_POOL_KEEP};
        msg.range.bytes = pool->attributes[attribute];
        call_send(&call, &msg, &reply);
    }
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaMemPoolGetAttribute, handle, &pool);
    if (!value || (unsigned)attribute < cudaMemPoolReuseFollowEventDependencies ||
        (unsigned)attribute >= POOL_ATTRIBUTES)
        return call_leave(&call, cudaErrorInvalidValue);
    memcpy(value, &pool->attributes[attribute], attribute_bytes(attribute));
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t bytes)
{
    Pool *pool;
    (void)bytes;
    ENTER_BY(enter_pool, API_cudaMemPoolTrimTo, handle, &pool);
    return call_leave(&call, cudaSuccess);
}

/* What one row of the list asks for; on its own device a pool can always be used. */
static cudaError_t check_access(const Pool *pool, const struct cudaMemAccessDesc *row)
{
    if (row->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (row->location.id < 0 || row->location.id >= facade()->n_devices)
        return cudaErrorInvalidDevice;
    bool own = row->location.id == pool->device;
    if (row->flags == cudaMemAccessFlagsProtReadWrite || (row->flags == cudaMemAccessFlagsProtNone && !own))
        return cudaSuccess;
    return cudaErrorInvalidValue; /* memory of pools is not read-only */
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *list, size_t n)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaMemPoolSetAccess, handle, &pool);
    cudaError_t error = !list && n > 0 ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < n && error == cudaSuccess; i++)
        error = check_access(pool, &list[i]);
    for (size_t i = 0; i < n && error == cudaSuccess; i++) {
        pool->access[list[i].location.id] = (uint8_t)list[i].flags;
        error = tell_access(&call, pool, list[i].location.id, list[i].flags != cudaMemAccessFlagsProtNone);
    }
    return call_leave(&call, error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 struct cudaMemLocation *location)
{
    Pool *pool;
    ENTER_BY(enter_pool, API_cudaMemPoolGetAccess, handle, &pool);
    if (!flags || !location || location->type != cudaMemLocationTypeDevice)
        return call_leave(&call, cudaErrorInvalidValue);
    if (location->id < 0 || location->id >= facade()->n_devices)
        return call_leave(&call, cudaErrorInvalidDevice);
    *flags = location->id == pool->device ? cudaMemAccessFlagsProtReadWrite
                                          : (enum cudaMemAccessFlags)pool->access[location->id];
    return call_leave(&call, cudaSuccess);
}
