/* map: what the driver API's virtual memory management knows of handles and of what is mapped where; the memory itself is the
 * devices' (device/map.c).
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>

/* "MM" in the upper half tells a handle from a number. */
#define HANDLE_TAG 0x4D4D000000000000u

typedef struct MapHandle {
    uint32_t device; /* server's index */
    int ordinal;
    uint32_t physical; /* the device's number of it */
    uint32_t n_refs;   /* 0: released */
    size_t bytes;
} MapHandle;

typedef struct MapPiece {
    uintptr_t address;
    size_t bytes, handle; /* index */
    uint64_t users;       /* bit i: ordinal i */
} MapPiece;

struct Mappings {
    MapHandle *handles;
    size_t n_handles, handles_cap;
    MapPiece *pieces;
    size_t n_pieces, pieces_cap;
};

static struct Mappings *mappings(void)
{
    Facade *f = facade();
    if (!f->mappings)
        f->mappings = calloc(1, sizeof *f->mappings);
    return f->mappings;
}

static MapHandle *handle_of(uint64_t handle)
{
    const struct Mappings *all = facade()->mappings;
    uint64_t i = (handle & 0xFFFFFFFFFFFFu) - 1;
    bool exists = all && (handle & 0xFFFF000000000000u) == HANDLE_TAG && i < all->n_handles;
    return exists && all->handles[i].n_refs > 0 ? &all->handles[i] : NULL;
}

static uint64_t handle_value(const MapHandle *h)
{
    return HANDLE_TAG | (uint64_t)(h - facade()->mappings->handles + 1);
}

static MapPiece *piece_at(uintptr_t address)
{
    const struct Mappings *all = facade()->mappings;
    for (size_t i = 0; all && i < all->n_pieces; i++)
        if (address - all->pieces[i].address < all->pieces[i].bytes)
            return &all->pieces[i];
    return NULL;
}

/* Part of a call of the driver's library, which says what failed under its own name. */
static bool enter(Call *call)
{
    bool ok = call_enter(call, API_cudaMalloc);
    if (ok && !mappings())
        call->error = cudaErrorMemoryAllocation;
    if (ok)
        call_site(call);
    return ok && mappings();
}

#define ENTER_MAP                                                                                            \
    Call call;                                                                                               \
    if (!enter(&call))                                                                                       \
    return call_leave_quietly(&call, call.error)

cudaError_t vgpu_map_create(uint64_t *handle, size_t bytes, int device)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_PHYSICAL_CREATE, .map.bytes = bytes};
    ENTER_MAP;
    struct Mappings *all = mappings();
    if (device < 0 || device >= facade()->n_devices)
        return call_leave_quietly(&call, cudaErrorInvalidDevice);
    if (!VEC_GROW(all->handles, all->n_handles, all->handles_cap))
        return call_leave_quietly(&call, cudaErrorMemoryAllocation);
    uint32_t server_device = facade()->visible[device];
    cudaError_t error = call_send_to(&call, server_device, &msg, &reply);
    if (error != cudaSuccess)
        return call_leave_quietly(&call, error);
    all->handles[all->n_handles] = (MapHandle){
        .device = server_device, .ordinal = device, .physical = (uint32_t)reply.value, .n_refs = 1, .bytes = bytes};
    *handle = handle_value(&all->handles[all->n_handles++]);
    return call_leave_quietly(&call, cudaSuccess);
}

cudaError_t vgpu_map_release(uint64_t handle)
{
    ENTER_MAP;
    MapHandle *h = handle_of(handle);
    if (!h)
        return call_leave_quietly(&call, cudaErrorInvalidValue);
    if (--h->n_refs > 0)
        return call_leave_quietly(&call, cudaSuccess);
    DeviceMsg msg = {.op = OP_PHYSICAL_RELEASE, .map.physical = h->physical};
    return call_leave_quietly(&call, call_send_to(&call, h->device, &msg, NULL));
}

cudaError_t vgpu_map_properties(uint64_t handle, int *device)
{
    ENTER_MAP;
    const MapHandle *h = handle_of(handle);
    if (h)
        *device = h->ordinal;
    return call_leave_quietly(&call, h ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t vgpu_map_retain(const void *address, uint64_t *handle)
{
    ENTER_MAP;
    const MapPiece *piece = piece_at((uintptr_t)address);
    MapHandle *h = piece ? &mappings()->handles[piece->handle] : NULL;
    if (!h || h->n_refs == 0) /* the devices keep what is mapped, but nobody names it any more */
        return call_leave_quietly(&call, cudaErrorInvalidValue);
    h->n_refs++;
    *handle = handle_value(h);
    return call_leave_quietly(&call, cudaSuccess);
}

/* ---- addresses ---- */

cudaError_t vgpu_map_reserve(uintptr_t *address, size_t bytes, size_t align, uintptr_t wanted)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_ADDRESS_RESERVE, .map = {.bytes = bytes, .align = align, .addr = wanted}};
    ENTER_MAP;
    cudaError_t error = call_send(&call, &msg, &reply);
    if (error == cudaSuccess)
        *address = (uintptr_t)reply.value;
    return call_leave_quietly(&call, error);
}

static cudaError_t send_range(Call *call, DeviceOp op, uintptr_t address, size_t bytes)
{
    DeviceMsg msg = {.op = op, .map = {.addr = address, .bytes = bytes}};
    return call_send(call, &msg, NULL);
}

cudaError_t vgpu_map_unreserve(uintptr_t address, size_t bytes)
{
    Call call;
    return call_leave_quietly(&call, enter(&call) ? send_range(&call, OP_ADDRESS_FREE, address, bytes) : call.error);
}

/* ---- mapping ---- */

cudaError_t vgpu_map_map(uintptr_t address, size_t bytes, uint64_t handle)
{
    ENTER_MAP;
    struct Mappings *all = mappings();
    const MapHandle *h = handle_of(handle);
    if (!h || bytes != h->bytes)
        return call_leave_quietly(&call, cudaErrorInvalidValue);
    if (!VEC_GROW(all->pieces, all->n_pieces, all->pieces_cap))
        return call_leave_quietly(&call, cudaErrorMemoryAllocation);
    DeviceMsg msg = {.op = OP_MAP, .map = {.addr = address, .physical = h->physical}};
    cudaError_t error = call_send_to(&call, h->device, &msg, NULL);
    if (error == cudaSuccess)
        all->pieces[all->n_pieces++] =
            (MapPiece){.address = address, .bytes = bytes, .handle = (size_t)(h - all->handles)};
    return call_leave_quietly(&call, error);
}

cudaError_t vgpu_map_unmap(uintptr_t address, size_t bytes)
{
    ENTER_MAP;
    struct Mappings *all = mappings();
    cudaError_t error = send_range(&call, OP_UNMAP, address, bytes);
    for (size_t i = all->n_pieces; error == cudaSuccess && i-- > 0;)
        if (all->pieces[i].address - address < bytes)
            all->pieces[i] = all->pieces[--all->n_pieces];
    return call_leave_quietly(&call, error);
}

cudaError_t vgpu_map_set_access(uintptr_t address, size_t bytes, int device, bool may)
{
    ENTER_MAP;
    if (device < 0 || device >= facade()->n_devices)
        return call_leave_quietly(&call, cudaErrorInvalidDevice);
    struct Mappings *all = mappings();
    DeviceMsg msg = {.op = OP_MAP_ACCESS,
                     .map = {.addr = address, .bytes = bytes, .peer = facade()->visible[device], .may = may}};
    cudaError_t error = call_send(&call, &msg, NULL);
    uint64_t bit = (uint64_t)1 << device;
    for (size_t i = 0; i < all->n_pieces && error == cudaSuccess; i++)
        if (all->pieces[i].address - address < bytes)
            all->pieces[i].users = may ? all->pieces[i].users | bit : all->pieces[i].users & ~bit;
    return call_leave_quietly(&call, error);
}

cudaError_t vgpu_map_get_access(uintptr_t address, int device, bool *may)
{
    ENTER_MAP;
    const MapPiece *piece = piece_at(address);
    if (!piece || device < 0 || device >= facade()->n_devices)
        return call_leave_quietly(&call, piece ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *may = piece->users >> device & 1;
    return call_leave_quietly(&call, cudaSuccess);
}
