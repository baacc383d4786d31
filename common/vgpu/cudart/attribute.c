/* attribute: attributes of streams. How the host waits and what the second-level cache keeps are hints: they
 * are kept and given back. The priority is the stream's own. */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct StreamValue {
    uint32_t device, stream;
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue value;
} StreamValue;

typedef struct StreamValues {
    StreamValue *items;
    size_t n, cap;
} StreamValues;

static bool is_hint(cudaLaunchAttributeID id)
{
    return id == cudaLaunchAttributeAccessPolicyWindow || id == cudaLaunchAttributeSynchronizationPolicy ||
           id == cudaLaunchAttributeMemSyncDomain || id == cudaLaunchAttributeMemSyncDomainMap;
}

/* NULL: it was never set. */
static StreamValue *find_stream_value(uint32_t device, uint32_t stream, cudaLaunchAttributeID id)
{
    StreamValues *all = facade()->stream_values;
    for (size_t i = 0; all && i < all->n; i++)
        if (all->items[i].device == device && all->items[i].stream == stream && all->items[i].id == id)
            return &all->items[i];
    return NULL;
}

static bool attribute_keep(uint32_t device, uint32_t stream, cudaLaunchAttributeID id,
                 const cudaLaunchAttributeValue *value)
{
    Facade *f = facade();
    if (!f->stream_values)
        f->stream_values = calloc(1, sizeof *f->stream_values);
    StreamValues *all = f->stream_values;
    StreamValue *v = find_stream_value(device, stream, id);
    if (!v) {
        if (!all || !VEC_GROW(all->items, all->n, all->cap))
            return false;
        v = &all->items[all->n++];
    }
    *v = (StreamValue){.device = device, .stream = stream, .id = id, .value = *value};
    return true;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value)
{
    DeviceReply reply;
    uint32_t number, device;
    ENTER(API_cudaStreamGetAttribute);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (!value || (!is_hint(id) && id != cudaLaunchAttributePriority))
        return call_leave(&call, cudaErrorInvalidValue);
    const StreamValue *kept = find_stream_value(device, number, id);
    memset(value, 0, sizeof *value);
    if (kept)
        *value = kept->value;
    else if (id == cudaLaunchAttributeSynchronizationPolicy)
        memset(&value->syncPolicy, 0xFF, sizeof value->syncPolicy); /* measured: the device's */
    cudaError_t error = cudaSuccess;
    if (id == cudaLaunchAttributePriority) {
        error = call_send_to(&call, device, &(DeviceMsg){.op = OP_STREAM_INFO, .stream = number}, &reply);
        value->priority = (int)(int64_t)reply.value2;
    }
    return call_leave(&call, error);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value)
{
    uint32_t number, device;
    ENTER(API_cudaStreamSetAttribute);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (!value || !is_hint(id))
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, attribute_keep(device, number, id, value) ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    uint32_t a, b, device_a, device_b;
    ENTER(API_cudaStreamCopyAttributes);
    if (!stream_of(&call, to, &a, &device_a) || !stream_of(&call, from, &b, &device_b))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    const StreamValues *all = facade()->stream_values;
    for (size_t i = 0, n = all ? all->n : 0; i < n; i++) {
        const StreamValue v = all->items[i];
        if (v.device == device_b && v.stream == b && !attribute_keep(device_a, a, v.id, &v.value))
            return call_leave(&call, cudaErrorMemoryAllocation);
    }
    return call_leave(&call, cudaSuccess);
}
