/* graph_work: what the nodes of a graph do: making them, and reading and changing their parameters.
 *
 * A node's work is the message of the plain call: the call's own code makes and checks it, and node_take
 * keeps it. So a node takes what the call takes, and its errors are the call's.
 */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- taking a message ---- */

static bool keep_params(GraphNode *n, const Kernel *k, const DeviceSpan *in)
{
    uint8_t *params = malloc(in->bytes + 1);
    void **pointers = calloc(k->n_params + 1, sizeof *pointers);
    if (params == NULL || pointers == NULL) {
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
    DeviceReply reply;
    DeviceMsg check = *msg;
    check.place = PLACE_CHECK;
    cudaError_t error = call_send_now(call, device, &check, &reply);
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

/* ---- adding nodes ---- */

static cudaError_t check_deps(const Graph *g, const cudaGraphNode_t *deps, size_t n)
{
    if (g == NULL || (n > 0 && deps == NULL))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        const GraphNode *d = node_of(deps[i]);
        if (d == NULL || d->graph != g)
            return cudaErrorInvalidValue;
        for (size_t k = 0; k < i; k++)
            if (deps[k] == deps[i])
                return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* A call that adds a node: begin_node, the node's work, end_node. */
static GraphNode *begin_node(Call *call, cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             size_t n_deps, enum cudaGraphNodeType type)
{
    Graph *g = graph_of(graph);
    call->error = out == NULL ? cudaErrorInvalidValue : check_deps(g, deps, n_deps);
    if (call->error != cudaSuccess)
        return NULL;
    GraphNode *n = node_new(g, type);
    bool ok = n != NULL;
    for (size_t i = 0; i < n_deps && ok; i++)
        ok = node_depend(n, node_of(deps[i]));
    if (!ok && n != NULL)
        node_free(n);
    call->error = ok ? cudaSuccess : cudaErrorMemoryAllocation;
    call->node = ok ? n : NULL;
    return call->node;
}

static cudaError_t end_node(Call *call, cudaGraphNode_t *out, GraphNode *n, cudaError_t error)
{
    call->node = NULL;
    if (n == NULL)
        return call_leave(call, call->error);
    if (error != cudaSuccess)
        node_free(n);
    else
        *out = node_handle(n);
    return call_leave(call, error);
}

/* ---- the work of each kind, for nodes that are new and for those that change ---- */

static cudaError_t work_kernel(Call *call, GraphNode *n, const struct cudaKernelNodeParams *p)
{
    if (p == NULL || p->extra != NULL)
        return cudaErrorInvalidValue;
    call->node = n;
    bool cooperative = n->msg.op == OP_LAUNCH && n->msg.launch.cooperative;
    return launch_kernel(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, NULL,
                         cooperative);
}

/* Measured: a copy or fill of nothing is no node. */
static cudaError_t work_copy(Call *call, GraphNode *n, const struct cudaMemcpy3DParms *p)
{
    if (p == NULL || p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0)
        return cudaErrorInvalidValue;
    call->node = n;
    call_site(call);
    cudaError_t error = copy_send_box(call, p, NULL, true);
    if (error == cudaSuccess)
        n->copy = *p;
    return error;
}

static cudaError_t work_line(Call *call, GraphNode *n, void *dst, const void *src, size_t bytes,
                             enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {.extent = {.width = bytes, .height = 1, .depth = 1}, .kind = kind};
    p.dstPtr = (struct cudaPitchedPtr){.ptr = dst, .pitch = bytes, .xsize = bytes, .ysize = 1};
    p.srcPtr =
        (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)src, .pitch = bytes, .xsize = bytes, .ysize = 1};
    return work_copy(call, n, &p);
}

static cudaError_t work_symbol(Call *call, GraphNode *n, const void *symbol, void *other, size_t count,
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

static cudaError_t work_fill(Call *call, GraphNode *n, const struct cudaMemsetParams *p)
{
    bool element = p != NULL && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
    if (!element || p->width == 0 || p->height == 0 || p->width > SIZE_MAX / 4)
        return cudaErrorInvalidValue;
    call->node = n;
    struct cudaMemsetParams mine = *p;
    if (mine.height == 1)
        mine.pitch = mine.width * mine.elementSize;
    return fill_send(call, &mine, mine.pitch * mine.height, 1, NULL);
}

static cudaError_t work_host(Call *call, GraphNode *n, const struct cudaHostNodeParams *p)
{
    if (p == NULL || p->fn == NULL)
        return cudaErrorInvalidValue;
    call->node = n;
    return stream_send_host_function(call, NULL, &(HostFunction){.run = p->fn, .data = p->userData});
}

static cudaError_t work_event(Call *call, GraphNode *n, cudaEvent_t event, bool record)
{
    uint32_t id, device;
    if (!event_of(event, &id, &device))
        return cudaErrorInvalidValue;
    call->node = n;
    n->event = event;
    return stream_send_event(call, event, NULL, record);
}

static cudaError_t work_child(GraphNode *n, cudaGraph_t child)
{
    const Graph *g = graph_of(child);
    if (g == NULL || g == n->graph || g->has_memory)
        return cudaErrorInvalidValue;
    Graph *copy = graph_copy(g);
    if (copy == NULL)
        return cudaErrorMemoryAllocation;
    if (n->child != NULL)
        graph_free(n->child);
    copy->owned = true;
    n->child = copy;
    return cudaSuccess;
}

static cudaError_t work_alloc(Call *call, GraphNode *n, struct cudaMemAllocNodeParams *p)
{
    const struct cudaMemPoolProps *pool = p == NULL ? NULL : &p->poolProps;
    if (p == NULL || pool->allocType != cudaMemAllocationTypePinned ||
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
static cudaError_t work_free(GraphNode *n, void *p)
{
    if (graph_memory_find((uint64_t)(uintptr_t)p) == NULL)
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
static cudaError_t work_any(Call *call, GraphNode *n, struct cudaGraphNodeParams *p)
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
    default:
        return cudaErrorNotSupported;
    }
}

/* ---- cudaGraphAdd...Node ---- */

/* ADD(api, type, parameters, work): n is the node, call the call. */
#define ADD(api, type, work, ...)                                                                            \
    cudaError_t api(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,                    \
                    size_t n_deps __VA_ARGS__)                                                               \
    {                                                                                                        \
        Call call;                                                                                           \
        if (!call_enter(&call, API_##api))                                                                   \
            return call_leave(&call, call.error);                                                            \
        GraphNode *n = begin_node(&call, out, graph, deps, n_deps, type);                                    \
        return end_node(&call, out, n, n == NULL ? call.error : (work));                                     \
    }
#define AND ,

ADD(cudaGraphAddEmptyNode, cudaGraphNodeTypeEmpty, cudaSuccess)
ADD(cudaGraphAddKernelNode, cudaGraphNodeTypeKernel, work_kernel(&call, n, p),
    AND const struct cudaKernelNodeParams *p)
ADD(cudaGraphAddMemcpyNode, cudaGraphNodeTypeMemcpy, work_copy(&call, n, p),
    AND const struct cudaMemcpy3DParms *p)
ADD(cudaGraphAddMemcpyNode1D, cudaGraphNodeTypeMemcpy, work_line(&call, n, dst, src, bytes, kind),
    AND void *dst AND const void *src AND size_t bytes AND enum cudaMemcpyKind kind)
ADD(cudaGraphAddMemcpyNodeToSymbol, cudaGraphNodeTypeMemcpy,
    work_symbol(&call, n, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true),
    AND const void *symbol AND const void *src AND size_t bytes AND size_t offset
        AND enum cudaMemcpyKind kind)
ADD(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphNodeTypeMemcpy,
    work_symbol(&call, n, symbol, dst, bytes, offset, kind, false),
    AND void *dst AND const void *symbol AND size_t bytes AND size_t offset AND enum cudaMemcpyKind kind)
ADD(cudaGraphAddMemsetNode, cudaGraphNodeTypeMemset, work_fill(&call, n, p),
    AND const struct cudaMemsetParams *p)
ADD(cudaGraphAddHostNode, cudaGraphNodeTypeHost, work_host(&call, n, p),
    AND const struct cudaHostNodeParams *p)
ADD(cudaGraphAddChildGraphNode, cudaGraphNodeTypeGraph, work_child(n, child), AND cudaGraph_t child)
ADD(cudaGraphAddEventRecordNode, cudaGraphNodeTypeEventRecord, work_event(&call, n, event, true),
    AND cudaEvent_t event)
ADD(cudaGraphAddEventWaitNode, cudaGraphNodeTypeWaitEvent, work_event(&call, n, event, false),
    AND cudaEvent_t event)
ADD(cudaGraphAddMemAllocNode, cudaGraphNodeTypeMemAlloc, work_alloc(&call, n, p),
    AND struct cudaMemAllocNodeParams *p)
ADD(cudaGraphAddMemFreeNode, cudaGraphNodeTypeMemFree, work_free(n, p), AND void *p)

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t n_deps, struct cudaGraphNodeParams *p)
{
    Call call;
    if (!call_enter(&call, API_cudaGraphAddNode))
        return call_leave(&call, call.error);
    if (p == NULL)
        return call_leave(&call, cudaErrorInvalidValue);
    for (size_t i = 0; edges != NULL && i < n_deps; i++)
        if (edges[i].to_port != 0 || edges[i].type > cudaGraphDependencyTypeProgrammatic)
            return call_leave(&call, cudaErrorInvalidValue);
    GraphNode *n = begin_node(&call, out, graph, deps, n_deps, p->type);
    return end_node(&call, out, n, n == NULL ? call.error : work_any(&call, n, p));
}

/* ---- reading and changing nodes ---- */

/* The node of a call, if it is of this type. */
static bool enter_node(Call *call, Api api, cudaGraphNode_t handle, enum cudaGraphNodeType type,
                       GraphNode **n)
{
    if (!call_enter(call, api))
        return false;
    *n = node_of(handle);
    call->error = cudaErrorInvalidValue;
    return *n != NULL && (*n)->type == type;
}

/* The node of an executable graph that a node of its original stands for, in child graphs too. */
static GraphNode *find_copy(const Graph *g, uint64_t original)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        GraphNode *n = g->nodes.items[i];
        GraphNode *inner = n->child == NULL ? NULL : find_copy(n->child, original);
        if (n->original == original || inner != NULL)
            return inner != NULL ? inner : n;
    }
    return NULL;
}

static bool enter_exec(Call *call, Api api, cudaGraphExec_t exec, cudaGraphNode_t node, GraphNode **n)
{
    if (!call_enter(call, api))
        return false;
    const GraphExec *e = exec_of(exec);
    const GraphNode *original = node_of(node);
    call->error = cudaErrorInvalidValue;
    if (e == NULL || original == NULL)
        return false;
    *n = find_copy(e->graph, original->id);
    return *n != NULL;
}

/* An event's record or wait by which a message may have found its way to the wrong node ends here. */
static cudaError_t leave_node(Call *call, cudaError_t error)
{
    call->node = NULL;
    return call_leave(call, error);
}

/* GET(api, type, what it gives): out is what the program passes. */
#define GET(api, of_type, out_type, statement)                                                               \
    cudaError_t api(cudaGraphNode_t node, out_type out)                                                      \
    {                                                                                                        \
        Call call;                                                                                           \
        GraphNode *n;                                                                                        \
        if (!enter_node(&call, API_##api, node, of_type, &n))                                                \
            return call_leave(&call, call.error);                                                            \
        if (out == NULL)                                                                                     \
            return call_leave(&call, cudaErrorInvalidValue);                                                 \
        statement;                                                                                           \
        return call_leave(&call, cudaSuccess);                                                               \
    }

/* SET and EXEC_SET: a node of a graph, and of an executable graph, gets other work of its type. */
#define SET(api, of_type, work, ...)                                                                         \
    cudaError_t api(cudaGraphNode_t node __VA_ARGS__)                                                        \
    {                                                                                                        \
        Call call;                                                                                           \
        GraphNode *n;                                                                                        \
        if (!enter_node(&call, API_##api, node, of_type, &n))                                                \
            return call_leave(&call, call.error);                                                            \
        return leave_node(&call, work);                                                                      \
    }
#define EXEC_SET(api, of_type, work, ...)                                                                    \
    cudaError_t api(cudaGraphExec_t exec, cudaGraphNode_t node __VA_ARGS__)                                  \
    {                                                                                                        \
        Call call;                                                                                           \
        GraphNode *n;                                                                                        \
        if (!enter_exec(&call, API_##api, exec, node, &n))                                                   \
            return call_leave(&call, call.error);                                                            \
        return leave_node(&call, n->type == (of_type) ? (work) : cudaErrorInvalidValue);                     \
    }

static void show_kernel(const GraphNode *n, struct cudaKernelNodeParams *out)
{
    const DeviceLaunchMsg *l = &n->msg.launch;
    *out = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(n->kernel->host != NULL ? n->kernel->host : (const void *)n->kernel),
        .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
        .blockDim = {l->block[0], l->block[1], l->block[2]},
        .sharedMemBytes = (unsigned)l->dynamic_shared,
        .kernelParams = n->param_pointers};
}

GET(cudaGraphKernelNodeGetParams, cudaGraphNodeTypeKernel, struct cudaKernelNodeParams *, show_kernel(n, out))
GET(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms *, *out = n->copy)
GET(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, struct cudaMemsetParams *, *out = n->fill)
GET(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams *,
    *out = ((struct cudaHostNodeParams){.fn = n->host.run, .userData = n->host.data}))
GET(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, cudaGraph_t *, *out = graph_handle(n->child))
GET(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t *, *out = n->event)
GET(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t *, *out = n->event)
GET(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, struct cudaMemAllocNodeParams *,
    *out = n->alloc)
GET(cudaGraphMemFreeNodeGetParams, cudaGraphNodeTypeMemFree, void *, memcpy(out, &n->freed, sizeof n->freed))

SET(cudaGraphKernelNodeSetParams, cudaGraphNodeTypeKernel, work_kernel(&call, n, p),
    AND const struct cudaKernelNodeParams *p)
SET(cudaGraphMemcpyNodeSetParams, cudaGraphNodeTypeMemcpy, work_copy(&call, n, p),
    AND const struct cudaMemcpy3DParms *p)
SET(cudaGraphMemcpyNodeSetParams1D, cudaGraphNodeTypeMemcpy, work_line(&call, n, dst, src, bytes, kind),
    AND void *dst AND const void *src AND size_t bytes AND enum cudaMemcpyKind kind)
SET(cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphNodeTypeMemcpy,
    work_symbol(&call, n, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true),
    AND const void *symbol AND const void *src AND size_t bytes AND size_t offset
        AND enum cudaMemcpyKind kind)
SET(cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphNodeTypeMemcpy,
    work_symbol(&call, n, symbol, dst, bytes, offset, kind, false),
    AND void *dst AND const void *symbol AND size_t bytes AND size_t offset AND enum cudaMemcpyKind kind)
SET(cudaGraphMemsetNodeSetParams, cudaGraphNodeTypeMemset, work_fill(&call, n, p),
    AND const struct cudaMemsetParams *p)
SET(cudaGraphHostNodeSetParams, cudaGraphNodeTypeHost, work_host(&call, n, p),
    AND const struct cudaHostNodeParams *p)
SET(cudaGraphEventRecordNodeSetEvent, cudaGraphNodeTypeEventRecord, work_event(&call, n, event, true),
    AND cudaEvent_t event)
SET(cudaGraphEventWaitNodeSetEvent, cudaGraphNodeTypeWaitEvent, work_event(&call, n, event, false),
    AND cudaEvent_t event)

/* A fill of several rows cannot be changed once it can run, nor become one (measured). */
static cudaError_t change_fill(Call *call, GraphNode *n, const struct cudaMemsetParams *p)
{
    bool rows = n->fill.height != 1 || (p != NULL && p->height != 1);
    return rows ? cudaErrorInvalidValue : work_fill(call, n, p);
}

EXEC_SET(cudaGraphExecKernelNodeSetParams, cudaGraphNodeTypeKernel, work_kernel(&call, n, p),
         AND const struct cudaKernelNodeParams *p)
EXEC_SET(cudaGraphExecMemcpyNodeSetParams, cudaGraphNodeTypeMemcpy, work_copy(&call, n, p),
         AND const struct cudaMemcpy3DParms *p)
EXEC_SET(cudaGraphExecMemcpyNodeSetParams1D, cudaGraphNodeTypeMemcpy,
         work_line(&call, n, dst, src, bytes, kind),
         AND void *dst AND const void *src AND size_t bytes AND enum cudaMemcpyKind kind)
EXEC_SET(cudaGraphExecMemcpyNodeSetParamsToSymbol, cudaGraphNodeTypeMemcpy,
         work_symbol(&call, n, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true),
         AND const void *symbol AND const void *src AND size_t bytes AND size_t offset
             AND enum cudaMemcpyKind kind)
EXEC_SET(cudaGraphExecMemcpyNodeSetParamsFromSymbol, cudaGraphNodeTypeMemcpy,
         work_symbol(&call, n, symbol, dst, bytes, offset, kind, false),
         AND void *dst AND const void *symbol AND size_t bytes AND size_t offset AND enum cudaMemcpyKind kind)
EXEC_SET(cudaGraphExecMemsetNodeSetParams, cudaGraphNodeTypeMemset, change_fill(&call, n, p),
         AND const struct cudaMemsetParams *p)
EXEC_SET(cudaGraphExecHostNodeSetParams, cudaGraphNodeTypeHost, work_host(&call, n, p),
         AND const struct cudaHostNodeParams *p)
EXEC_SET(cudaGraphExecChildGraphNodeSetParams, cudaGraphNodeTypeGraph, work_child(n, child),
         AND cudaGraph_t child)
EXEC_SET(cudaGraphExecEventRecordNodeSetEvent, cudaGraphNodeTypeEventRecord,
         work_event(&call, n, event, true), AND cudaEvent_t event)
EXEC_SET(cudaGraphExecEventWaitNodeSetEvent, cudaGraphNodeTypeWaitEvent, work_event(&call, n, event, false),
         AND cudaEvent_t event)

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    Call call;
    GraphNode *n;
    if (p == NULL || !enter_node(&call, API_cudaGraphNodeSetParams, node, p->type, &n))
        return p == NULL ? cudaErrorInvalidValue : call_leave(&call, call.error);
    return leave_node(&call, work_any(&call, n, p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p)
{
    Call call;
    GraphNode *n;
    if (!enter_exec(&call, API_cudaGraphExecNodeSetParams, exec, node, &n))
        return call_leave(&call, call.error);
    bool fits = p != NULL && n->type == p->type;
    return leave_node(&call, fits ? work_any(&call, n, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    Call call;
    GraphNode *n;
    if (!enter_exec(&call, API_cudaGraphNodeSetEnabled, exec, node, &n))
        return call_leave(&call, call.error);
    if (n->type > cudaGraphNodeTypeMemset) /* kernels, copies and fills */
        return call_leave(&call, cudaErrorInvalidValue);
    n->disabled = enabled == 0;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    Call call;
    GraphNode *n;
    if (!enter_exec(&call, API_cudaGraphNodeGetEnabled, exec, node, &n))
        return call_leave(&call, call.error);
    if (enabled == NULL || n->type > cudaGraphNodeTypeMemset)
        return call_leave(&call, cudaErrorInvalidValue);
    *enabled = !n->disabled;
    return call_leave(&call, cudaSuccess);
}

/* ---- attributes of kernel nodes: those that change what a launch does; hints are taken and read back ----
 */

static cudaError_t get_attribute(const GraphNode *n, cudaLaunchAttributeID id,
                                 cudaLaunchAttributeValue *value)
{
    memset(value, 0, sizeof *value);
    if (id == cudaLaunchAttributeCooperative)
        value->cooperative = n->msg.launch.cooperative;
    else if (id == cudaLaunchAttributePriority)
        value->priority = n->priority;
    else if (id == cudaLaunchAttributeClusterDimension)
        value->clusterDim.x = value->clusterDim.y = value->clusterDim.z = 1;
    else if (id != cudaLaunchAttributeAccessPolicyWindow && id != cudaLaunchAttributeMemSyncDomain)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value)
{
    Call call;
    GraphNode *n;
    if (!enter_node(&call, API_cudaGraphKernelNodeGetAttribute, node, cudaGraphNodeTypeKernel, &n))
        return call_leave(&call, call.error);
    return call_leave(&call, value == NULL ? cudaErrorInvalidValue : get_attribute(n, id, value));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value)
{
    Call call;
    GraphNode *n;
    if (!enter_node(&call, API_cudaGraphKernelNodeSetAttribute, node, cudaGraphNodeTypeKernel, &n))
        return call_leave(&call, call.error);
    cudaLaunchAttributeValue known;
    if (value == NULL || get_attribute(n, id, &known) != cudaSuccess)
        return call_leave(&call, cudaErrorInvalidValue);
    if (id == cudaLaunchAttributeClusterDimension &&
        value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
        return call_leave(&call, cudaErrorNotSupported);
    if (id == cudaLaunchAttributeCooperative)
        n->msg.launch.cooperative = value->cooperative != 0;
    if (id == cudaLaunchAttributePriority)
        n->priority = value->priority;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    Call call;
    GraphNode *a;
    if (!enter_node(&call, API_cudaGraphKernelNodeCopyAttributes, to, cudaGraphNodeTypeKernel, &a))
        return call_leave(&call, call.error);
    const GraphNode *b = node_of(from);
    if (b == NULL || b->type != cudaGraphNodeTypeKernel)
        return call_leave(&call, cudaErrorInvalidValue);
    a->msg.launch.cooperative = b->msg.launch.cooperative;
    a->priority = b->priority;
    return call_leave(&call, cudaSuccess);
}
