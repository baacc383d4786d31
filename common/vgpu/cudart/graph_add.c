/* graph_add: the calls that add a node to a graph. */
#include "common/vgpu/cudart/graph_work.h"

static cudaError_t check_deps(const Graph *g, const cudaGraphNode_t *deps, size_t n)
{
    if (!g || (n > 0 && !deps))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        const GraphNode *d = node_of(deps[i]);
        if (!d || d->graph != g)
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
    call->error = out ? check_deps(g, deps, n_deps) : cudaErrorInvalidValue;
    if (call->error != cudaSuccess)
        return NULL;
    GraphNode *n = node_new(g, type);
    bool ok = n != NULL;
    for (size_t i = 0; i < n_deps && ok; i++)
        ok = node_depend(n, node_of(deps[i]));
    if (!ok && n)
        node_free(n);
    call->error = ok ? cudaSuccess : cudaErrorMemoryAllocation;
    call->node = ok ? n : NULL;
    return call->node;
}

static cudaError_t end_node(Call *call, cudaGraphNode_t *out, GraphNode *n, cudaError_t error)
{
    call->node = NULL;
    if (!n)
        return call_leave(call, call->error);
    if (error != cudaSuccess)
        node_free(n);
    else
        *out = node_handle(n);
    return call_leave(call, error);
}

/* ---- cudaGraphAdd...Node ---- */

/* ADD(api, type, parameters, work): n is the node, call the call. */
#define ADD(api, type, work, ...)                                                                            \
    cudaError_t api(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,                    \
                    size_t n_deps __VA_ARGS__)                                                               \
    {                                                                                                        \
        ENTER(API_##api);                                                                                    \
        GraphNode *n = begin_node(&call, out, graph, deps, n_deps, type);                                    \
        return end_node(&call, out, n, n ? (work) : call.error);                                             \
    }

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
    ENTER(API_cudaGraphAddNode);
    if (!p)
        return call_leave(&call, cudaErrorInvalidValue);
    for (size_t i = 0; edges && i < n_deps; i++)
        if (edges[i].to_port != 0 || edges[i].type > cudaGraphDependencyTypeProgrammatic)
            return call_leave(&call, cudaErrorInvalidValue);
    GraphNode *n = begin_node(&call, out, graph, deps, n_deps, p->type);
    return end_node(&call, out, n, n ? work_any(&call, n, p) : call.error);
}
