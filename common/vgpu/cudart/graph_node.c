/* graph_node: the calls that read and change nodes, of a graph and of an executable one. */
#include "common/vgpu/cudart/graph_work.h"

#include <string.h>

/* The node of a call, if it is of this type. */
static bool enter_node(Call *call, Api api, cudaGraphNode_t handle, enum cudaGraphNodeType type,
                       GraphNode **n)
{
    if (!call_enter(call, api))
        return false;
    *n = node_of(handle);
    call->error = cudaErrorInvalidValue;
    return *n && (*n)->type == type;
}

/* The node of an executable graph that a node of its original stands for, in child graphs too. */
static GraphNode *find_copy(const Graph *g, uint64_t original)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        GraphNode *n = g->nodes.items[i];
        GraphNode *inner = n->child ? find_copy(n->child, original) : NULL;
        if (n->original == original || inner)
            return inner ? inner : n;
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
    if (!e || !original)
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
        GraphNode *n;                                                                                        \
        ENTER_BY(enter_node, API_##api, node, of_type, &n);                                                  \
        if (!out)                                                                                            \
            return call_leave(&call, cudaErrorInvalidValue);                                                 \
        statement;                                                                                           \
        return call_leave(&call, cudaSuccess);                                                               \
    }

/* SET and EXEC_SET: a node of a graph, and of an executable graph, gets other work of its type. */
#define SET(api, of_type, work, ...)                                                                         \
    cudaError_t api(cudaGraphNode_t node __VA_ARGS__)                                                        \
    {                                                                                                        \
        GraphNode *n;                                                                                        \
        ENTER_BY(enter_node, API_##api, node, of_type, &n);                                                  \
        return leave_node(&call, work);                                                                      \
    }
#define EXEC_SET(api, of_type, work, ...)                                                                    \
    cudaError_t api(cudaGraphExec_t exec, cudaGraphNode_t node __VA_ARGS__)                                  \
    {                                                                                                        \
        GraphNode *n;                                                                                        \
        ENTER_BY(enter_exec, API_##api, exec, node, &n);                                                     \
        return leave_node(&call, n->type == (of_type) ? (work) : cudaErrorInvalidValue);                     \
    }

static void show_kernel(const GraphNode *n, struct cudaKernelNodeParams *out)
{
    const DeviceLaunchMsg *l = &n->msg.launch;
    *out = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(n->kernel->host ? n->kernel->host : (const void *)n->kernel),
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
    bool rows = n->fill.height != 1 || (p && p->height != 1);
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
    if (!p || !enter_node(&call, API_cudaGraphNodeSetParams, node, p->type, &n))
        return p ? call_leave(&call, call.error) : cudaErrorInvalidValue;
    return leave_node(&call, work_any(&call, n, p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p)
{
    GraphNode *n;
    ENTER_BY(enter_exec, API_cudaGraphExecNodeSetParams, exec, node, &n);
    bool fits = p && n->type == p->type;
    return leave_node(&call, fits ? work_any(&call, n, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    GraphNode *n;
    ENTER_BY(enter_exec, API_cudaGraphNodeSetEnabled, exec, node, &n);
    if (n->type > cudaGraphNodeTypeMemset) /* kernels, copies and fills */
        return call_leave(&call, cudaErrorInvalidValue);
    n->disabled = enabled == 0;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    GraphNode *n;
    ENTER_BY(enter_exec, API_cudaGraphNodeGetEnabled, exec, node, &n);
    if (!enabled || n->type > cudaGraphNodeTypeMemset)
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
    GraphNode *n;
    ENTER_BY(enter_node, API_cudaGraphKernelNodeGetAttribute, node, cudaGraphNodeTypeKernel, &n);
    return call_leave(&call, value ? get_attribute(n, id, value) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value)
{
    GraphNode *n;
    ENTER_BY(enter_node, API_cudaGraphKernelNodeSetAttribute, node, cudaGraphNodeTypeKernel, &n);
    cudaLaunchAttributeValue known;
    if (!value || get_attribute(n, id, &known) != cudaSuccess)
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
    GraphNode *a;
    ENTER_BY(enter_node, API_cudaGraphKernelNodeCopyAttributes, to, cudaGraphNodeTypeKernel, &a);
    const GraphNode *b = node_of(from);
    if (!b || b->type != cudaGraphNodeTypeKernel)
        return call_leave(&call, cudaErrorInvalidValue);
    a->msg.launch.cooperative = b->msg.launch.cooperative;
    a->priority = b->priority;
    return call_leave(&call, cudaSuccess);
}
