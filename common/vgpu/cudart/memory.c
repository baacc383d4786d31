/* memory: allocating and freeing, and what a pointer is. */
#include "common/vgpu/cudart/graph_internal.h"

/* Rows of pitched memory start on multiples of this many bytes: measured on an H100. */
enum { PITCH_BYTES = 512 };

/* ---- allocating ---- */

/* Nothing asked for is no allocation: success and NULL, even on a device that failed (measured). */
static cudaError_t allocate_memory(Call *call, void **p, size_t bytes, DeviceMemoryKind kind)
{
    if (!p) {
        call_advise(call, NULL, "an allocation that was given a null pointer, where the address of a pointer belongs",
                    "write &p for a pointer p: the call writes there where the memory is");
        return cudaErrorInvalidValue;
    }
    if (bytes == 0) {
        *p = NULL;
        return cudaSuccess;
    }
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_ALLOC};
    msg.alloc.bytes = bytes;
    msg.alloc.kind = (uint8_t)kind;
    facade()->shares_memory |= kind != DEVICE_MEMORY_DEVICE;
    call_site(call);
    cudaError_t error = call_send(call, &msg, &reply);
    if (error == cudaSuccess)
        *p = (void *)(uintptr_t)reply.value;
    if (error == cudaSuccess && kind == DEVICE_MEMORY_MANAGED)
        managed_allocated(msg.device, reply.value, bytes);
    return error;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    ENTER(API_cudaMalloc);
    return call_leave(&call, allocate_memory(&call, p, bytes, DEVICE_MEMORY_DEVICE));
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
    ENTER(API_cudaMallocHost);
    return call_leave(&call, allocate_memory(&call, p, bytes, DEVICE_MEMORY_PINNED));
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned int flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    ENTER(API_cudaHostAlloc);
    if (flags & ~known)
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, allocate_memory(&call, p, bytes, DEVICE_MEMORY_PINNED));
}

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned int flags)
{
    ENTER(API_cudaMallocManaged);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, allocate_memory(&call, p, bytes, DEVICE_MEMORY_MANAGED));
}

static cudaError_t allocate_pitched(Call *call, void **p, size_t *pitch, size_t width, size_t rows)
{
    if (!p || !pitch)
        return cudaErrorInvalidValue;
    if (width > SIZE_MAX - PITCH_BYTES)
        return cudaErrorMemoryAllocation;
    *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    size_t bytes;
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return cudaErrorMemoryAllocation;
    return allocate_memory(call, p, bytes, DEVICE_MEMORY_DEVICE);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    ENTER(API_cudaMallocPitch);
    return call_leave(&call, allocate_pitched(&call, p, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    ENTER(API_cudaMalloc3D);
    size_t rows;
    if (!p || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return call_leave(&call, cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return call_leave(&call, allocate_pitched(&call, &p->ptr, &p->pitch, extent.width, rows));
}

/* ---- freeing ---- */

static cudaError_t release_memory(Call *call, void *p, DeviceMemoryKind kind)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_FREE};
    if (!p)
        return call_send(call, &(DeviceMsg){.op = OP_DEVICE_ERROR}, &reply);
    msg.free.addr = (uint64_t)(uintptr_t)p;
    msg.free.kind = (uint8_t)kind;
    call_site(call);
    return call_send(call, &msg, &reply);
}

cudaError_t cudaFree(void *p)
{
    ENTER(API_cudaFree);
    return call_leave(&call, release_memory(&call, p, DEVICE_MEMORY_DEVICE));
}

cudaError_t cudaFreeHost(void *p)
{
    ENTER(API_cudaFreeHost);
    return call_leave(&call, release_memory(&call, p, DEVICE_MEMORY_PINNED));
}

/* ---- registered host memory ---- */

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned int flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    ENTER(API_cudaHostRegister);
    if (flags & ~known)
        return call_leave(&call, cudaErrorInvalidValue);
    DeviceMsg msg = {.op = OP_REGISTER};
    facade()->shares_memory = true;
    msg.range.addr = (uint64_t)(uintptr_t)p;
    msg.range.bytes = bytes;
    call_site(&call);
    return call_leave(&call, call_send(&call, &msg, NULL));
}

cudaError_t cudaHostUnregister(void *p)
{
    DeviceMsg msg = {.op = OP_UNREGISTER};
    ENTER(API_cudaHostUnregister);
    msg.range.addr = (uint64_t)(uintptr_t)p;
    return call_leave(&call, call_send(&call, &msg, NULL));
}

/* ---- asking about pointers ---- */

static DeviceReply look_up(Call *call, const void *p)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_POINTER};
    msg.range.addr = (uint64_t)(uintptr_t)p;
    call_send(call, &msg, &reply);
    return reply;
}

static bool is_pinned(const DeviceReply *r)
{
    return r->pointer.kind == DEVICE_MEMORY_PINNED || r->pointer.kind == DEVICE_MEMORY_REGISTERED;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    ENTER(API_cudaHostGetDevicePointer);
    DeviceReply reply = look_up(&call, host);
    if (!device || flags != 0 || !is_pinned(&reply))
        return call_leave(&call, cudaErrorInvalidValue);
    *device = host;
    return call_leave(&call, cudaSuccess);
}

/* Measured: pinned memory is always mapped and portable. */
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    ENTER(API_cudaHostGetFlags);
    DeviceReply reply = look_up(&call, host);
    if (!flags || !is_pinned(&reply))
        return call_leave(&call, cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped | cudaHostAllocPortable;
    return call_leave(&call, cudaSuccess);
}

static int visible_index(uint32_t server_device)
{
    for (int i = 0; i < facade()->n_devices; i++)
        if (facade()->visible[i] == server_device)
            return i;
    return 0;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    ENTER(API_cudaPointerGetAttributes);
    if (!a)
        return call_leave(&call, cudaErrorInvalidValue);
    DeviceReply reply = look_up(&call, p);
    void *pointer = (void *)(uintptr_t)p;
    *a = (struct cudaPointerAttributes){.device = visible_index(reply.pointer.device)};
    const GraphMemory *graph_memory = graph_memory_find(reply.pointer.base);
    if (graph_memory && !graph_memory->live)
        reply.pointer.kind = DEVICE_MEMORY_NONE; /* until a launch allocates it (measured) */
    switch ((DeviceMemoryKind)reply.pointer.kind) {
    case DEVICE_MEMORY_NONE:
    case DEVICE_MEMORY_NOWHERE:
        a->type = cudaMemoryTypeUnregistered;
        a->device = cudaInvalidDeviceId;
        a->hostPointer = pointer;
        break;
    case DEVICE_MEMORY_PINNED:
    case DEVICE_MEMORY_REGISTERED:
        a->type = cudaMemoryTypeHost;
        a->hostPointer = a->devicePointer = pointer;
        break;
    case DEVICE_MEMORY_MANAGED:
        a->type = cudaMemoryTypeManaged;
        a->hostPointer = a->devicePointer = pointer;
        break;
    default:
        a->type = cudaMemoryTypeDevice;
        a->devicePointer = pointer;
        break;
    }
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    DeviceReply reply;
    ENTER(API_cudaMemGetInfo);
    cudaError_t error = call_send(&call, &(DeviceMsg){.op = OP_MEMORY_INFO}, &reply);
    if (error == cudaSuccess && free_bytes)
        *free_bytes = reply.value;
    if (error == cudaSuccess && total)
        *total = reply.value2;
    return call_leave(&call, error);
}

/* ---- managed memory: where its pages are is only a matter of time (managed.c follows them) ---- */

static bool valid_location(struct cudaMemLocation l)
{
    return l.type == cudaMemLocationTypeDevice
               ? l.id >= 0 && l.id < facade()->n_devices
               : l.type >= cudaMemLocationTypeHost && l.type <= cudaMemLocationTypeHostNumaCurrent;
}

bool memory_is_managed(Call *call, const void *p, size_t bytes, uint32_t *serial)
{
    DeviceReply reply = look_up(call, p);
    uint64_t addr = (uint64_t)(uintptr_t)p;
    bool kind = reply.pointer.kind == DEVICE_MEMORY_MANAGED || reply.pointer.kind == DEVICE_MEMORY_VARIABLE;
    *serial = reply.pointer.serial;
    return kind && bytes <= reply.pointer.bytes && addr - reply.pointer.base <= reply.pointer.bytes - bytes;
}

static cudaError_t prefetch(Api api, const void *p, size_t bytes, struct cudaMemLocation location,
                            unsigned int flags, cudaStream_t stream)
{
    DeviceMsg msg = {.op = OP_MIGRATE};
    uint32_t device, serial;
    ENTER(api);
    if (!valid_location(location))
        return call_leave(&call, cudaErrorInvalidDevice);
    if (flags != 0 || bytes == 0 || !memory_is_managed(&call, p, bytes, &serial))
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_of(&call, stream, &msg.stream, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    msg.range.addr = (uint64_t)(uintptr_t)p;
    msg.range.bytes = bytes;
    msg.range.to = location.type == cudaMemLocationTypeDevice ? facade()->visible[location.id] : DEVICE_HOST;
    cudaError_t error = call_send_to(&call, device, &msg, NULL);
    if (error == cudaSuccess)
        range_prefetched(serial, location);
    return call_leave(&call, error);
}

WITH_STREAM(cudaMemPrefetchAsync,
            (const void *p, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream),
            prefetch(api, p, bytes, location, flags, stream))

cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    ENTER(API_cudaMemAdvise);
    bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    uint32_t serial;
    if (!known || bytes == 0 || !valid_location(location) || !memory_is_managed(&call, p, bytes, &serial))
        return call_leave(&call, cudaErrorInvalidValue);
    if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly) {
        DeviceReply reply;
        DeviceMsg msg = {.op = OP_READ_MOSTLY};
        msg.range.addr = (uint64_t)(uintptr_t)p;
        msg.range.flag = advice == cudaMemAdviseSetReadMostly;
        call_send(&call, &msg, &reply);
    }
    return call_leave(&call,
                      range_advise(serial, advice, location) ? cudaSuccess : cudaErrorMemoryAllocation);
}
