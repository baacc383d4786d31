/* graph: stream capture and graphs: the runtime's, under the driver's names. Handles are the same. */
#include "common/vgpu/cuda/cuda_internal.h"

/* ---- capture ---- */

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
    return from_runtime(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

DEFINE_STREAM(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode),
              from_runtime(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode)))
DEFINE_STREAM(cuStreamEndCapture, (CUstream stream, CUgraph *out),
              from_runtime(cudaStreamEndCapture(stream, out)))
DEFINE(cuThreadExchangeStreamCaptureMode, NEEDS_INIT, (CUstreamCaptureMode * mode), exchange_mode(mode))

/* ---- graphs as a whole ---- */

static CUresult get_nodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    return n ? from_runtime(cudaGraphGetNodes(graph, nodes, n)) : CUDA_ERROR_INVALID_VALUE;
}

/* What an update ran into has the same numbers in both libraries. */
static CUresult update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo theirs = {0};
    CUresult result = from_runtime(cudaGraphExecUpdate(exec, graph, &theirs));
    if (info)
        *info = (CUgraphExecUpdateResultInfo){.result = (CUgraphExecUpdateResult)theirs.result,
                                              .errorNode = theirs.errorNode,
                                              .errorFromNode = theirs.errorFromNode};
    return result;
}

DEFINE(cuGraphCreate, NEEDS_INIT, (CUgraph * out, unsigned flags), from_runtime(cudaGraphCreate(out, flags)))
DEFINE(cuGraphClone, NEEDS_INIT, (CUgraph * out, CUgraph graph), from_runtime(cudaGraphClone(out, graph)))
DEFINE(cuGraphDestroy, NEEDS_INIT, (CUgraph graph), from_runtime(cudaGraphDestroy(graph)))
DEFINE(cuGraphGetNodes, NEEDS_INIT, (CUgraph graph, CUgraphNode *nodes, size_t *n),
       get_nodes(graph, nodes, n))
DEFINE(cuGraphGetRootNodes, NEEDS_INIT, (CUgraph graph, CUgraphNode *nodes, size_t *n),
       from_runtime(cudaGraphGetRootNodes(graph, nodes, n)))
DEFINE(cuGraphInstantiateWithFlags, NEEDS_CONTEXT,
       (CUgraphExec * out, CUgraph graph, unsigned long long flags),
       from_runtime(cudaGraphInstantiateWithFlags(out, graph, flags)))
DEFINE_STREAM(cuGraphLaunch, (CUgraphExec exec, CUstream stream), from_runtime(cudaGraphLaunch(exec, stream)))
DEFINE_STREAM(cuGraphUpload, (CUgraphExec exec, CUstream stream), from_runtime(cudaGraphUpload(exec, stream)))
DEFINE(cuGraphExecDestroy, NEEDS_INIT, (CUgraphExec exec), from_runtime(cudaGraphExecDestroy(exec)))
DEFINE(cuGraphExecUpdate_v2, NEEDS_CONTEXT,
       (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info), update(exec, graph, info))

/* ---- nodes ---- */

/* Only a function of a module or library is a kernel here, never the address of a host stub. */
static CUresult kernel_params(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParams *out)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (struct cudaKernelNodeParams){.func = p->func ? (void *)p->func : (void *)p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
    return vgpu_kernel_exists((cudaKernel_t)out->func) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult add_kernel(CUgraphNode *out, CUgraph graph, const CUgraphNode *from, size_t n,
                           const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct cudaKernelNodeParams params;
    CUresult result = kernel_params(p, &params);
    return result != CUDA_SUCCESS ? result
                                  : from_runtime(cudaGraphAddKernelNode(out, graph, from, n, &params));
}

static CUresult set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct cudaKernelNodeParams params;
    CUresult result = kernel_params(p, &params);
    return result != CUDA_SUCCESS ? result
                                  : from_runtime(cudaGraphExecKernelNodeSetParams(exec, node, &params));
}

static CUresult add_fill(CUgraphNode *out, CUgraph graph, const CUgraphNode *from, size_t n,
                         const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
    CUresult result = p ? context_check(context) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    struct cudaMemsetParams params = {.dst = to_pointer(p->dst),
                                      .pitch = p->pitch,
                                      .value = p->value,
                                      .elementSize = p->elementSize,
                                      .width = p->width,
                                      .height = p->height};
    return from_runtime(cudaGraphAddMemsetNode(out, graph, from, n, &params));
}

static CUresult add_host(CUgraphNode *out, CUgraph graph, const CUgraphNode *from, size_t n,
                         const CUDA_HOST_NODE_PARAMS *p)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    struct cudaHostNodeParams params = {.fn = p->fn, .userData = p->userData};
    return from_runtime(cudaGraphAddHostNode(out, graph, from, n, &params));
}

static CUresult get_type(CUgraphNode node, CUgraphNodeType *type)
{
    enum cudaGraphNodeType theirs;
    if (!type)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(cudaGraphNodeGetType(node, &theirs));
    if (result == CUDA_SUCCESS)
        *type = (CUgraphNodeType)theirs;
    return result;
}

DEFINE(cuGraphAddKernelNode_v2, NEEDS_CONTEXT,
       (CUgraphNode * out, CUgraph graph, const CUgraphNode *from, size_t n,
        const CUDA_KERNEL_NODE_PARAMS *p),
       add_kernel(out, graph, from, n, p))
DEFINE(cuGraphExecKernelNodeSetParams_v2, NEEDS_CONTEXT,
       (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p), set_kernel(exec, node, p))
DEFINE(cuGraphAddMemsetNode, NEEDS_INIT,
       (CUgraphNode * out, CUgraph graph, const CUgraphNode *from, size_t n, const CUDA_MEMSET_NODE_PARAMS *p,
        CUcontext context),
       add_fill(out, graph, from, n, p, context))
DEFINE(cuGraphAddHostNode, NEEDS_INIT,
       (CUgraphNode * out, CUgraph graph, const CUgraphNode *from, size_t n, const CUDA_HOST_NODE_PARAMS *p),
       add_host(out, graph, from, n, p))
DEFINE(cuGraphAddEmptyNode, NEEDS_INIT, (CUgraphNode * out, CUgraph graph, const CUgraphNode *from, size_t n),
       from_runtime(cudaGraphAddEmptyNode(out, graph, from, n)))
DEFINE(cuGraphAddChildGraphNode, NEEDS_INIT,
       (CUgraphNode * out, CUgraph graph, const CUgraphNode *from, size_t n, CUgraph child),
       from_runtime(cudaGraphAddChildGraphNode(out, graph, from, n, child)))
DEFINE(cuGraphNodeGetType, NEEDS_INIT, (CUgraphNode node, CUgraphNodeType *type), get_type(node, type))
DEFINE(cuGraphDestroyNode, NEEDS_INIT, (CUgraphNode node), from_runtime(cudaGraphDestroyNode(node)))
