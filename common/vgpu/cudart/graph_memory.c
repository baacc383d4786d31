/* graph_memory: memory that graphs allocate and free.
 *
 * The address is known when the node is made, so the memory is taken then, and stays as long as the graph
 * does, or an executable graph made of it. It is live from a launch of the graph that allocates it until a free: by a node of this or another
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
    for (size_t i = 0; all && i < all->n_memory; i++)
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
        (GraphMemory){.addr = reply.value, .bytes = bytes, .device = device};
    n->device = device;
    n->msg.site = call->site;
    n->graph->has_memory = true;
    *out = (void *)(uintptr_t)reply.value;
    n->alloc = (struct cudaMemAllocNodeParams){.bytesize = bytes, .dptr = *out};
    n->alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    n->alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    return cudaSuccess;
}

/* Gives the memory back to the device, when the stream gets there. */
static void release_graph_memory(GraphMemory *m, uint32_t stream)
{
    struct Graphs *all = graphs();
    Call call = {.api = API_cudaGraphDestroy};
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_FREE};
    msg.stream = stream;
    msg.free.addr = m->addr;
    msg.free.kind = DEVICE_MEMORY_POOL;
    if (call_send_now(&call, m->device, &msg, &reply) == cudaErrorInvalidResourceHandle) {
        msg.stream = DEVICE_STREAM_LEGACY; /* the stream is gone */
        call_send_now(&call, m->device, &msg, &reply);
    }
    *m = all->memory[--all->n_memory];
}

static bool allocates(const Graph *g, uint64_t addr)
{
    for (size_t i = 0; i < g->nodes.n && g->has_memory; i++)
        if (g->nodes.items[i]->type == cudaGraphNodeTypeMemAlloc &&
            (uint64_t)(uintptr_t)g->nodes.items[i]->alloc.dptr == addr)
            return true;
    return false;
}

static bool another_allocates(const Graph *g, uint64_t addr)
{
    const HandleTable *t = &graphs()->graphs;
    for (size_t i = 1; i < t->n; i++)
        if (t->items[i] && t->items[i] != g && allocates(t->items[i], addr))
            return true;
    return false;
}

void graph_memory_release(Graph *g)
{
    struct Graphs *all = graphs();
    for (size_t i = all->n_memory; g->has_memory && i-- > 0;) {
        GraphMemory *m = &all->memory[i];
        if (!allocates(g, m->addr) || another_allocates(g, m->addr))
            continue;
        m->orphan = true;
        if (!m->live)
            release_graph_memory(m, m->stream);
    }
}

bool graph_memory_free(Call *call, uint32_t device, uint32_t stream, uint64_t addr, bool wait,
                       cudaError_t *error)
{
    GraphMemory *m = graph_memory_find(addr);
    if (!m)
        return false;
    if (wait && m->live)
        *error = call_send_now(call, device, &(DeviceMsg){.op = OP_DEVICE_SYNC}, NULL);
    *error = m->live ? cudaSuccess : cudaErrorInvalidValue;
    m->live = false;
    if (m->orphan)
        release_graph_memory(m, wait ? DEVICE_STREAM_LEGACY : stream);
    return true;
}

static uint64_t used(uint32_t device)
{
    const struct Graphs *all = facade()->graphs;
    uint64_t bytes = 0;
    for (size_t i = 0; all && i < all->n_memory; i++)
        if (all->memory[i].device == device && all->memory[i].live)
            bytes += all->memory[i].bytes;
    return bytes;
}

static uint64_t highest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* All that the graph allocates is in use at once. */
static void note_use(void)
{
    for (uint32_t i = 0; i < DEVICES_MAX; i++) {
        GraphUse *use = &graphs()->use[i];
        use->used_high = highest(use->used_high, used(i));
        use->reserved = highest(use->reserved, used(i));
        use->reserved_high = highest(use->reserved_high, use->reserved);
    }
}

/* Refuses before it changes anything. */
cudaError_t graph_memory_launch(const GraphExec *e, uint32_t stream)
{
    const NodeList *nodes = &e->graph->nodes;
    bool frees_itself = e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    for (size_t i = 0; i < nodes->n && e->graph->has_memory; i++) {
        const GraphNode *n = nodes->items[i];
        const GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)n->alloc.dptr);
        if (n->type == cudaGraphNodeTypeMemAlloc && (!m || (m->live && !frees_itself)))
            return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < nodes->n && e->graph->has_memory; i++)
        if (nodes->items[i]->type == cudaGraphNodeTypeMemAlloc) {
            GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)nodes->items[i]->alloc.dptr);
            m->live = true;
            m->stream = stream;
        }
    if (e->graph->has_memory)
        note_use();
    for (size_t i = 0; i < nodes->n && e->graph->has_memory; i++) {
        GraphMemory *m = graph_memory_find((uint64_t)(uintptr_t)nodes->items[i]->freed);
        if (nodes->items[i]->type == cudaGraphNodeTypeMemFree && m)
            m->live = false;
    }
    return cudaSuccess;
}

/* ---- what the device holds for graphs ---- */

static bool enter_device(Call *call, Api api, int device)
{
    if (!call_enter(call, api))
        return false;
    call->error = graphs() ? cudaErrorInvalidDevice : cudaErrorMemoryAllocation;
    return graphs() && device >= 0 && device < facade()->n_devices;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    ENTER_BY(enter_device, API_cudaDeviceGetGraphMemAttribute, device);
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return call_leave(&call, cudaErrorInvalidValue);
    const GraphUse *use = &graphs()->use[facade()->visible[device]];
    const uint64_t values[] = {[cudaGraphMemAttrUsedMemCurrent] = used(facade()->visible[device]),
                               [cudaGraphMemAttrUsedMemHigh] = use->used_high,
                               [cudaGraphMemAttrReservedMemCurrent] = use->reserved,
                               [cudaGraphMemAttrReservedMemHigh] = use->reserved_high};
    memcpy(value, &values[attribute], sizeof values[attribute]);
    return call_leave(&call, cudaSuccess);
}

/* The highest values can be set to 0: then they begin anew with what there is. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    ENTER_BY(enter_device, API_cudaDeviceSetGraphMemAttribute, device);
    uint64_t bytes = 1;
    if (value)
        memcpy(&bytes, value, sizeof bytes);
    GraphUse *use = &graphs()->use[facade()->visible[device]];
    if (bytes == 0 && attribute == cudaGraphMemAttrUsedMemHigh)
        use->used_high = used(facade()->visible[device]);
    else if (bytes == 0 && attribute == cudaGraphMemAttrReservedMemHigh)
        use->reserved_high = use->reserved;
    else
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    ENTER_BY(enter_device, API_cudaDeviceGraphMemTrim, device);
    graphs()->use[facade()->visible[device]].reserved = used(facade()->visible[device]);
    return call_leave(&call, cudaSuccess);
}
