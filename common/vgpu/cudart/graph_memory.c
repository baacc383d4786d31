/* graph_memory: memory that graphs allocate and free.
 *
 * The address is known when the node is made, so the memory is taken then, and stays as long as the graph
 * does. It is live from a launch of the graph that allocates it until a free: by a node of this or another
 * graph, by cudaFree or cudaFreeAsync. A launch that would allocate what is live is refused, unless the graph
 * frees it or was made with cudaGraphInstantiateFlagAutoFreeOnLaunch (measured).
 *
 * Limits: a kernel that uses the memory while it is not live is not told from one that may; memory is never
 * given from one allocation to another.
 */
#include "common/vgpu/cudart/graph_internal.h"

#include <string.h>

GraphMemory *graph_memory_find(uint64_t addr)
{
    struct Graphs *all = facade()->graphs;
    for (size_t i = 0; all != NULL && i < all->n_memory; i++)
        if (all->memory[i].addr == addr)
            return &all->memory[i];
    return NULL;
}

cudaError_t graph_memory_add(Call *call, GraphNode *n, size_t bytes, uint32_t device, void **out)
{
    struct Graphs *all = graphs();
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_ALLOC};
    if (!VEC_GROW(all->memory, all->n_memory, all->memory_cap))
        return cudaErrorMemoryAllocation;
    msg.alloc.bytes = bytes;
    msg.alloc.kind = DEVICE_MEMORY_POOL;
    call_site(call);
    cudaError_t error = call_send_now(call, device, &msg, &reply);
    if (error != cudaSuccess)
        return error;
    all->memory[all->n_memory++] =
        (GraphMemory){.addr = reply.value, .bytes = bytes, .graph = n->graph->id, .device = device};
    n->device = device;
    n->msg.site = call->site;
    n->graph->has_memory = true;
    *out = (void *)(uintptr_t)reply.value;
    n->alloc = (struct cudaMemAllocNodeParams){.bytesize = bytes, .dptr = *out};
    n->alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    n->alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    return cudaSuccess;
}

/* Gives the memory back to the device. */
static void release(GraphMemory *m)
{
    struct Graphs *all = graphs();
    Call call = {.api = API_cudaGraphDestroy};
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_FREE};
    msg.free.addr = m->addr;
    msg.free.kind = DEVICE_MEMORY_POOL;
    call_send_now(&call, m->device, &msg, &reply);
    *m = all->memory[--all->n_memory];
}

void graph_memory_release(Graph *g)
{
    struct Graphs *all = graphs();
    for (size_t i = all->n_memory; g->has_memory && i-- > 0;) {
        GraphMemory *m = &all->memory[i];
        if (m->graph != g->id)
            continue;
        m->graph = 0;
        if (!m->live)
            release(m);
    }
}

bool graph_memory_free(Call *call, uint32_t device, uint64_t addr, bool wait, cudaError_t *error)
{
    GraphMemory *m = graph_memory_find(addr);
    DeviceReply reply;
    if (m == NULL)
        return false;
    if (wait && m->live)
        *error = call_send_now(call, device, &(DeviceMsg){.op = OP_DEVICE_SYNC}, &reply);
    *error = m->live ? cudaSuccess : cudaErrorInvalidValue;
    m->live = false;
    if (m->graph == 0)
        release(m);
    return true;
}

static bool frees(const Graph *g, uint64_t addr)
{
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.items[i]->type == cudaGraphNodeTypeMemFree &&
            (uint64_t)(uintptr_t)g->nodes.items[i]->freed == addr)
            return true;
    return false;
}

/* Refuses before it changes anything. */
cudaError_t graph_memory_launch(Call *call, const GraphExec *e)
{
    (void)call;
    const NodeList *nodes = &e->graph->nodes;
    bool frees_itself = e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    for (size_t i = 0; i < nodes->n && e->graph->has_memory; i++) {
        const GraphNode *n = nodes->items[i];
        const GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)n->alloc.dptr);
        if (n->type == cudaGraphNodeTypeMemAlloc && (m == NULL || (m->live && !frees_itself)))
            return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < nodes->n && e->graph->has_memory; i++) {
        const GraphNode *n = nodes->items[i];
        if (n->type == cudaGraphNodeTypeMemAlloc) {
            GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)n->alloc.dptr);
            m->live = !frees(e->graph, m->addr);
        } else if (n->type == cudaGraphNodeTypeMemFree) {
            GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)n->freed);
            if (m != NULL)
                m->live = false;
        }
    }
    return cudaSuccess;
}

/* ---- what the device holds for graphs ---- */

static uint64_t reserved(uint32_t device)
{
    const struct Graphs *all = facade()->graphs;
    uint64_t bytes = 0;
    for (size_t i = 0; all != NULL && i < all->n_memory; i++)
        if (all->memory[i].device == device)
            bytes += all->memory[i].bytes;
    return bytes;
}

static bool enter_device(Call *call, Api api, int device)
{
    if (!call_enter(call, api))
        return false;
    call->error = cudaErrorInvalidDevice;
    return device >= 0 && device < facade()->n_devices;
}

/* Highest values are the current ones: nothing is given back before it has to be. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    Call call;
    if (!enter_device(&call, API_cudaDeviceGetGraphMemAttribute, device))
        return call_leave(&call, call.error);
    if (value == NULL || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return call_leave(&call, cudaErrorInvalidValue);
    uint64_t bytes = reserved(facade()->visible[device]);
    memcpy(value, &bytes, sizeof bytes);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    Call call;
    if (!enter_device(&call, API_cudaDeviceSetGraphMemAttribute, device))
        return call_leave(&call, call.error);
    uint64_t bytes = 1;
    if (value != NULL)
        memcpy(&bytes, value, sizeof bytes);
    bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    return call_leave(&call, high && bytes == 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    Call call;
    if (!enter_device(&call, API_cudaDeviceGraphMemTrim, device))
        return call_leave(&call, call.error);
    return call_leave(&call, cudaSuccess);
}
