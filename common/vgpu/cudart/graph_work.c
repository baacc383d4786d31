/* graph_work: what the nodes of a graph do.
 *
 * A node's work is the message of the plain call: the call's own code makes and checks it, and node_take
 * keeps it. So a node takes what the call takes, and its errors are the call's.
 */
#include "common/vgpu/cudart/graph_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- taking a message ---- */

static bool keep_params(GraphNode *n, const Kernel *k, const DeviceSpan *in)
{
    uint8_t *params = malloc(in->bytes + 1);
    void **pointers = calloc(k->n_params + 1, sizeof *pointers);
    if (!params || !pointers) {
        free(params);
        free(pointers);
        return false;
    }
    memcpy(params, in->data, in->bytes);
    for (uint32_t i = 0; i < k->n_params; i++)
        pointers[i] = params + k->params[i].offset;
    free(n->params);
    free(n->param_pointers);
    n->params = params;
    n->param_pointers = pointers;
    n->msg.in.data = params;
    return true;
}

/* What cudaGraphMemcpyNodeGetParams shows of a copy that was captured. */
static void describe_copy(GraphNode *n, const DeviceCopy *c)
{
    n->copy =
        (struct cudaMemcpy3DParms){.dstPtr = {.ptr = (void *)(uintptr_t)c->dst,
                                              .pitch = c->dst_pitch,
                                              .xsize = c->width,
                                              .ysize = c->height},
                                   .srcPtr = {.ptr = (void *)(uintptr_t)c->src,
                                              .pitch = c->src_pitch,
                                              .xsize = c->width,
                                              .ysize = c->height},
                                   .extent = {.width = c->width, .height = c->height, .depth = c->depth},
                                   .kind = cudaMemcpyDefault};
}

static void describe_fill(GraphNode *n, const DeviceMsg *m)
{
    size_t element = m->fill.element == 0 ? 1 : m->fill.element;
    n->fill = (struct cudaMemsetParams){.dst = (void *)(uintptr_t)m->fill.dst,
                                        .pitch = m->fill.pitch,
                                        .value = m->fill.value,
                                        .elementSize = (unsigned)element,
                                        .width = m->fill.width / element,
                                        .height = m->fill.height};
}

cudaError_t node_take(Call *call, GraphNode *n, uint32_t device, const DeviceMsg *msg)
{
    DeviceMsg check = *msg;
    check.place = PLACE_CHECK;
    cudaError_t error = call_send_now(call, device, &check, NULL);
    if (error != cudaSuccess)
        return error;
    const DeviceSpan in = msg->in;
    void *old = n->msg.in.data;
    n->msg = *msg;
    n->msg.site = call_site(call);
    n->msg.in.data = old;
    n->device = device;
    if (msg->op == OP_COPY)
        describe_copy(n, &msg->copy);
    if (msg->op == OP_FILL)
        describe_fill(n, msg);
    if (msg->op == OP_HOST_FUNCTION)
        n->host = *call->host;
    if (msg->op == OP_LAUNCH) {
        n->kernel = (Kernel *)(uintptr_t)call->kernel;
        return keep_params(n, call->kernel, &in) ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* ---- the work of each kind, for nodes that are new and for those that change ---- */

cudaError_t work_kernel(Call *call, GraphNode *n, const struct cudaKernelNodeParams *p)
{
    if (!p || p->extra)
        return cudaErrorInvalidValue;
    call->node = n;
    bool cooperative = n->msg.op == OP_LAUNCH && n->msg.launch.cooperative;
    return launch_kernel(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, NULL,
                         cooperative);
}

/* Measured: a copy or fill of nothing is no node. */
cudaError_t work_copy(Call *call, GraphNode *n, const struct cudaMemcpy3DParms *p)
{
    if (!p || p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0)
        return cudaErrorInvalidValue;
    call->node = n;
    call_site(call);
    cudaError_t error = copy_send_box(call, p, NULL, true);
    if (error == cudaSuccess)
        n->copy = *p;
    return error;
}

cudaError_t work_line(Call *call, GraphNode *n, void *dst, const void *src, size_t bytes,
                      enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {.extent = {.width = bytes, .height = 1, .depth = 1}, .kind = kind};
    p.dstPtr = (struct cudaPitchedPtr){.ptr = dst, .pitch = bytes, .xsize = bytes, .ysize = 1};
    p.srcPtr =
        (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)src, .pitch = bytes, .xsize = bytes, .ysize = 1};
    return work_copy(call, n, &p);
}

cudaError_t work_symbol(Call *call, GraphNode *n, const void *symbol, void *other, size_t count,
                        size_t offset, enum cudaMemcpyKind kind, bool to_symbol)
{
    uint64_t at = 0;
    size_t bytes = 0;
    call->node = NULL; /* loading the module is no work of the graph's */
    cudaError_t error = symbol_find(call, symbol, &at, &bytes);
    if (error != cudaSuccess)
        return error;
    if (count > bytes || offset > bytes - count)
        return cudaErrorInvalidValue;
    void *inside = (void *)(uintptr_t)(at + offset);
    return to_symbol ? work_line(call, n, inside, other, count, kind)
                     : work_line(call, n, other, inside, count, kind);
}

cudaError_t work_fill(Call *call, GraphNode *n, const struct cudaMemsetParams *p)
{
    bool element = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
    if (!element || p->width == 0 || p->height == 0 || p->width > SIZE_MAX / 4)
        return cudaErrorInvalidValue;
    call->node = n;
    struct cudaMemsetParams mine = *p;
    if (mine.height == 1)
        mine.pitch = mine.width * mine.elementSize;
    return fill_send(call, &mine, mine.pitch * mine.height, 1, NULL);
}

cudaError_t work_host(Call *call, GraphNode *n, const struct cudaHostNodeParams *p)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    call->node = n;
    return stream_send_host_function(call, NULL, &(HostFunction){.run = p->fn, .data = p->userData});
}

cudaError_t work_event(Call *call, GraphNode *n, cudaEvent_t event, bool record)
{
    uint32_t id, device;
    if (!event_of(event, &id, &device))
        return cudaErrorInvalidValue;
    call->node = n;
    n->event = event;
    return stream_send_event(call, event, NULL, record);
}

cudaError_t work_child(GraphNode *n, cudaGraph_t child)
{
    const Graph *g = graph_of(child);
    if (!g || g == n->graph || graph_is_single(g))
        return cudaErrorInvalidValue;
    Graph *copy = graph_copy(g);
    if (!copy)
        return cudaErrorMemoryAllocation;
    if (n->child)
        graph_free(n->child);
    copy->owned = true;
    n->child = copy;
    return cudaSuccess;
}

cudaError_t work_alloc(Call *call, GraphNode *n, struct cudaMemAllocNodeParams *p)
{
    const struct cudaMemPoolProps *pool = p ? &p->poolProps : NULL;
    if (!p || pool->allocType != cudaMemAllocationTypePinned ||
        pool->location.type != cudaMemLocationTypeDevice || pool->location.id < 0 ||
        pool->location.id >= facade()->n_devices || p->bytesize == 0)
        return cudaErrorInvalidValue;
    cudaError_t error =
        graph_memory_add(call, n, p->bytesize, facade()->visible[pool->location.id], &p->dptr);
    if (error == cudaSuccess)
        n->alloc = *p;
    return error;
}

/* One free a graph, and of memory that some graph allocates (measured). */
cudaError_t work_free(GraphNode *n, void *p)
{
    if (!graph_memory_find((uint64_t)(uintptr_t)p))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n->graph->nodes.n; i++)
        if (n->graph->nodes.items[i]->type == cudaGraphNodeTypeMemFree &&
            n->graph->nodes.items[i]->freed == p)
            return cudaErrorInvalidValue;
    n->freed = p;
    n->graph->has_memory = true;
    return cudaSuccess;
}

static struct cudaKernelNodeParams kernel_params(const struct cudaKernelNodeParamsV2 *p)
{
    return (struct cudaKernelNodeParams){.func = p->func,
                                         .gridDim = p->gridDim,
                                         .blockDim = p->blockDim,
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

/* The work that cudaGraphNodeParams describes. */
cudaError_t work_any(Call *call, GraphNode *n, struct cudaGraphNodeParams *p)
{
    struct cudaKernelNodeParams kernel;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        kernel = kernel_params(&p->kernel);
        return work_kernel(call, n, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return work_copy(call, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return work_fill(call, n,
                         &(struct cudaMemsetParams){.dst = p->memset.dst,
                                                    .pitch = p->memset.pitch,
                                                    .value = p->memset.value,
                                                    .elementSize = p->memset.elementSize,
                                                    .width = p->memset.width,
                                                    .height = p->memset.height});
    case cudaGraphNodeTypeHost:
        return work_host(call, n,
                         &(struct cudaHostNodeParams){.fn = p->host.fn, .userData = p->host.userData});
    case cudaGraphNodeTypeGraph:
        return work_child(n, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return work_event(call, n, p->eventWait.event, false);
    case cudaGraphNodeTypeEventRecord:
        return work_event(call, n, p->eventRecord.event, true);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams alloc = {.poolProps = p->alloc.poolProps,
                                               .bytesize = p->alloc.bytesize};
        cudaError_t error = work_alloc(call, n, &alloc);
        p->alloc.dptr = alloc.dptr;
        return error;
    }
    case cudaGraphNodeTypeMemFree:
        return work_free(n, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return work_conditional(n, &p->conditional);
    default:
        return cudaErrorNotSupported;
    }
}
