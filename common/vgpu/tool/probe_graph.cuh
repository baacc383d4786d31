/* Stream capture and graphs: which calls a capture allows, which end it, and what graphs answer. */

static cudaStream_t new_stream()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    return s;
}
static cudaEvent_t new_event()
{
    cudaEvent_t e;
    cudaEventCreate(&e);
    return e;
}
static int *new_zeros(size_t n)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    cudaDeviceSynchronize();
    return p;
}

/* One call in a capture in global mode: its error, whether the capture goes on, and how it ends. */
#define CAPTURED(mode, ...)                          \
    do {                                             \
        cudaStream_t s = new_stream();               \
        cudaGraph_t graph = (cudaGraph_t)1;          \
        cudaStreamCaptureStatus status;              \
        cudaStreamBeginCapture(s, mode);             \
        nothing<<<1, 1, 0, s>>>();                   \
        show(#__VA_ARGS__, __VA_ARGS__);             \
        cudaStreamIsCapturing(s, &status);           \
        VALUE(status);                               \
        CALL(cudaStreamEndCapture(s, &graph));       \
        VALUE(graph == NULL);                        \
        cudaGetLastError();                          \
    } while (0)

static void capture_calls()
{
    int *d = new_zeros(64), *spare = new_zeros(64), *pinned, h[4] = {0};
    void *p;
    cudaStream_t other = new_stream(), made;
    cudaStream_t aside;
    cudaEvent_t e = new_event(), done = new_event();
    cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
    cudaMallocHost(&pinned, 64);
    cudaEventRecord(done, other);
    cudaStreamSynchronize(other);
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamSynchronize(s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamQuery(s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaDeviceSynchronize());
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamSynchronize(other));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamQuery(other));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMalloc(&p, 64));
    CAPTURED(cudaStreamCaptureModeThreadLocal, cudaMalloc(&p, 64));
    CAPTURED(cudaStreamCaptureModeRelaxed, cudaMalloc(&p, 64));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMallocHost(&p, 64));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMallocManaged(&p, 64));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaFree(spare));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    CAPTURED(cudaStreamCaptureModeRelaxed, cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemset(d, 0, 4));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, other));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemsetAsync(d, 0, 4));
    CAPTURED(cudaStreamCaptureModeRelaxed, cudaMemsetAsync(d, 0, 4));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemsetAsync(d, 0, 4, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventRecord(e, s));
    CAPTURED(cudaStreamCaptureModeGlobal, (cudaEventRecord(e, s), cudaEventQuery(e)));
    CAPTURED(cudaStreamCaptureModeGlobal, (cudaEventRecord(e, s), cudaEventSynchronize(e)));
    CAPTURED(cudaStreamCaptureModeGlobal, (cudaEventRecord(e, s), cudaStreamWaitEvent(other, e, 0)));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamWaitEvent(s, done, 0));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventRecord(e, other));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventQuery(done));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventSynchronize(done));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventRecordWithFlags(done, s, cudaEventRecordExternal));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamWaitEvent(s, done, cudaEventWaitExternal));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamCreate(&made));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventCreate(&e));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaEventDestroy(e));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamDestroy(made));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CAPTURED(cudaStreamCaptureModeGlobal, (nothing<<<1, 1>>>(), cudaGetLastError()));
    CAPTURED(cudaStreamCaptureModeGlobal, (nothing<<<1, 1, 0, aside>>>(), cudaGetLastError()));
    CAPTURED(cudaStreamCaptureModeGlobal, (nothing<<<1, 1, 0, other>>>(), cudaGetLastError()));
    CAPTURED(cudaStreamCaptureModeGlobal, (nothing<<<1, 2048, 0, s>>>(), cudaGetLastError()));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMallocAsync(&p, 64, s));
    CAPTURED(cudaStreamCaptureModeGlobal, (cudaMallocAsync(&p, 64, s), cudaFreeAsync(p, s)));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaFreeAsync(d, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemGetInfo(NULL, NULL));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaHostRegister(h, 16, 0));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaStreamAddCallback(s, NULL, NULL, 0));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyToSymbolAsync(device_var, h, 4, 0, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaMemcpyToSymbol(device_var, h, 4));
    CAPTURED(cudaStreamCaptureModeGlobal, cudaSetDevice(0));
}

static void capture_begin_end()
{
    cudaStream_t s = new_stream(), t = new_stream();
    cudaGraph_t graph = NULL;
    cudaEvent_t e = new_event();
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    CALL(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    CALL(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)7));
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamEndCapture(s, NULL));
    CALL(cudaStreamIsCapturing(s, NULL));
    CALL(cudaStreamIsCapturing(NULL, &status));
    CALL(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamIsCapturing(NULL, &status));
    CALL(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    size_t n = 77;
    CALL(cudaGraphGetNodes(graph, NULL, &n));
    VALUE(n);
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, s));
    CALL(cudaStreamWaitEvent(t, e, 0));
    CALL(cudaStreamIsCapturing(t, &status));
    VALUE(status);
    CALL(cudaStreamEndCapture(t, &graph));
    CALL(cudaStreamIsCapturing(s, &status));
    VALUE(status);
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, s));
    CALL(cudaStreamWaitEvent(t, e, 0));
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, s));
    CALL(cudaStreamWaitEvent(t, e, 0));
    nothing<<<1, 1, 0, t>>>();
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamIsCapturing(t, &status));
    VALUE(status);
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, s));
    CALL(cudaStreamWaitEvent(t, e, 0));
    CALL(cudaStreamEndCapture(t, &graph));
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL(cudaStreamGetCaptureInfo(s, &status, &id, NULL, NULL, NULL, NULL));
    VALUE(status);
    VALUE(id != 0);
    CALL(cudaStreamDestroy(s));
    CALL(cudaEventQuery(e));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CALL(cudaThreadExchangeStreamCaptureMode(&mode));
    VALUE(mode);
}

static void graph_arguments()
{
    cudaGraph_t graph = NULL, clone = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t a, b, c;
    cudaStream_t s = new_stream();
    int *d = new_zeros(64), h[64];
    size_t n = 0;
    cudaGraphNodeType type;
    CALL(cudaGraphCreate(NULL, 0));
    CALL(cudaGraphCreate(&graph, 1));
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&a, NULL, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&a, graph, NULL, 1));
    CALL(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    cudaGraphNode_t twice[2] = {a, a};
    CALL(cudaGraphAddEmptyNode(&c, graph, twice, 2));
    CALL(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, &a, &a, NULL, 1));
    CALL(cudaGraphAddEmptyNode(&c, graph, NULL, 0));
    CALL(cudaGraphAddDependencies(graph, &b, &c, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, &c, &a, NULL, 1));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1));
    CALL(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1));
    CALL(cudaGraphInstantiate(&exec, graph, 64));
    CALL(cudaGraphInstantiate(NULL, graph, 0));
    CALL(cudaGraphInstantiate(&exec, NULL, 0));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(NULL, s));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaGraphUpload(exec, s));
    CALL(cudaGraphUpload(NULL, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaGraphGetNodes(graph, NULL, NULL));
    CALL(cudaGraphGetNodes(graph, NULL, &n));
    VALUE(n);
    CALL(cudaGraphGetEdges(graph, NULL, NULL, NULL, &n));
    VALUE(n);
    cudaGraphNode_t list[8] = {a, a, a, a, a, a, a, a};
    n = 8;
    CALL(cudaGraphGetRootNodes(graph, list, &n));
    VALUE(n);
    VALUE(list[0] == a);
    VALUE(list[7] == NULL);
    CALL(cudaGraphNodeGetDependencies(b, NULL, NULL, &n));
    VALUE(n);
    CALL(cudaGraphNodeGetDependentNodes(b, NULL, NULL, &n));
    VALUE(n);
    CALL(cudaGraphNodeGetType(b, &type));
    VALUE(type);
    CALL(cudaGraphNodeGetType(NULL, &type));
    CALL(cudaGraphDestroyNode(b));
    CALL(cudaGraphDestroyNode(NULL));
    CALL(cudaGraphGetNodes(graph, NULL, &n));
    VALUE(n);
    CALL(cudaGraphClone(&clone, graph));
    CALL(cudaGraphClone(NULL, graph));
    CALL(cudaGraphNodeFindInClone(&b, a, clone));
    CALL(cudaGraphNodeFindInClone(&b, a, graph));
    CALL(cudaGraphNodeFindInClone(NULL, a, clone));
    cudaKernelNodeParams k = {};
    k.func = (void *)nothing;
    k.gridDim = dim3(1);
    k.blockDim = dim3(2048);
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, NULL));
    k.blockDim = dim3(0);
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    k.blockDim = dim3(1);
    k.sharedMemBytes = 1 << 20;
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    k.sharedMemBytes = 0;
    k.func = NULL;
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    k.func = h;
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    k.func = (void *)nothing;
    CALL(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    cudaMemsetParams m = {};
    m.dst = d;
    m.elementSize = 3;
    m.width = 4;
    m.height = 1;
    CALL(cudaGraphAddMemsetNode(&c, graph, NULL, 0, &m));
    m.elementSize = 4;
    m.width = 1024;
    CALL(cudaGraphAddMemsetNode(&c, graph, NULL, 0, &m));
    m.width = 64;
    CALL(cudaGraphAddMemsetNode(&c, graph, NULL, 0, &m));
    m.width = 0;
    CALL(cudaGraphAddMemsetNode(&c, graph, NULL, 0, &m));
    CALL(cudaGraphAddMemcpyNode1D(&c, graph, NULL, 0, h, d, 1024, cudaMemcpyDeviceToHost));
    CALL(cudaGraphAddMemcpyNode1D(&c, graph, NULL, 0, h, h, 4, cudaMemcpyDeviceToHost));
    CALL(cudaGraphAddMemcpyNode1D(&c, graph, NULL, 0, h, d, 0, cudaMemcpyDeviceToHost));
    CALL(cudaGraphAddMemcpyNode1D(&c, graph, NULL, 0, h, d, 256, cudaMemcpyDeviceToHost));
    CALL(cudaGraphAddChildGraphNode(&c, graph, NULL, 0, NULL));
    CALL(cudaGraphAddChildGraphNode(&c, graph, NULL, 0, clone));
    CALL(cudaGraphAddEventRecordNode(&c, graph, NULL, 0, NULL));
    CALL(cudaGraphKernelNodeGetParams(c, &k));
    CALL(cudaGraphMemsetNodeGetParams(b, &m));
    CALL(cudaGraphAddMemFreeNode(&c, graph, NULL, 0, d));
    CALL(cudaGraphDestroy(NULL));
    CALL(cudaGraphDestroy(clone));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphExecDestroy(NULL));
}

/* What may be changed in an executable graph. */
static void graph_update()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, c, d2;
    cudaStream_t s = new_stream();
    int *d = new_zeros(64);
    unsigned on = 7;
    cudaKernelNodeParams k = {};
    cudaMemsetParams m = {};
    cudaGraphExecUpdateResultInfo info = {};
    cudaGraphCreate(&graph, 0);
    cudaGraphCreate(&other, 0);
    k.func = (void *)nothing;
    k.gridDim = k.blockDim = dim3(1);
    m.dst = d;
    m.elementSize = 4;
    m.width = 4;
    m.height = 1;
    CALL(cudaGraphAddKernelNode(&a, graph, NULL, 0, &k));
    CALL(cudaGraphAddMemsetNode(&b, graph, &a, 1, &m));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphExecKernelNodeSetParams(exec, a, &k));
    CALL(cudaGraphExecKernelNodeSetParams(exec, b, &k));
    k.blockDim = dim3(2048);
    CALL(cudaGraphExecKernelNodeSetParams(exec, a, &k));
    k.blockDim = dim3(1);
    m.width = 8;
    CALL(cudaGraphExecMemsetNodeSetParams(exec, b, &m));
    m.height = 2;
    m.pitch = 64;
    CALL(cudaGraphExecMemsetNodeSetParams(exec, b, &m));
    m.height = 1;
    CALL(cudaGraphNodeGetEnabled(exec, a, &on));
    VALUE(on);
    CALL(cudaGraphNodeSetEnabled(exec, a, 0));
    CALL(cudaGraphNodeGetEnabled(exec, a, &on));
    VALUE(on);
    CALL(cudaGraphNodeSetEnabled(exec, NULL, 0));
    CALL(cudaGraphExecUpdate(exec, graph, &info));
    VALUE(info.result);
    CALL(cudaGraphAddKernelNode(&c, other, NULL, 0, &k));
    CALL(cudaGraphExecUpdate(exec, other, &info));
    VALUE(info.result);
    CALL(cudaGraphAddMemsetNode(&d2, other, NULL, 0, &m));
    CALL(cudaGraphExecUpdate(exec, other, &info));
    VALUE(info.result);
    CALL(cudaGraphAddDependencies(other, &c, &d2, NULL, 1));
    CALL(cudaGraphExecUpdate(exec, other, &info));
    VALUE(info.result);
    CALL(cudaGraphDestroyNode(d2));
    CALL(cudaGraphAddEmptyNode(&d2, other, &c, 1));
    CALL(cudaGraphExecUpdate(exec, other, &info));
    VALUE(info.result);
    VALUE(info.errorNode == d2);
    CALL(cudaGraphExecUpdate(exec, graph, NULL));
    CALL(cudaGraphLaunch(exec, s));
    unsigned long long flags = 99;
    CALL(cudaGraphExecGetFlags(exec, &flags));
    VALUE(flags);
    CALL(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUpload));
    CALL(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    CALL(cudaStreamSynchronize(s));
}

/* Memory that a graph allocates. */
static void graph_memory()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t alloc, set;
    cudaStream_t s = new_stream();
    cudaMemAllocNodeParams p = {};
    cudaGraphCreate(&graph, 0);
    p.bytesize = 256;
    CALL(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    CALL(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    VALUE(p.dptr != NULL);
    cudaMemsetParams m = {};
    m.dst = p.dptr;
    m.elementSize = 4;
    m.width = 64;
    m.height = 1;
    CALL(cudaGraphAddMemsetNode(&set, graph, &alloc, 1, &m));
    cudaPointerAttributes pa;
    CALL(cudaPointerGetAttributes(&pa, p.dptr));
    VALUE(pa.type);
    CALL(cudaFree(p.dptr));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaStreamSynchronize(s));
    int x = 5;
    CALL(cudaMemcpy(&x, p.dptr, 4, cudaMemcpyDeviceToHost));
    VALUE(x);
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaFreeAsync(p.dptr, s));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaFree(p.dptr));
    CALL(cudaFree(p.dptr));
    cudaGraph_t clone;
    CALL(cudaGraphClone(&clone, graph));
    CALL(cudaGraphDestroyNode(set));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphExec_t second;
    CALL(cudaGraphInstantiate(&second, graph, 0));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaMemcpy(&x, p.dptr, 4, cudaMemcpyDeviceToHost));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(graph));
    size_t used = 0;
    CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CALL(cudaDeviceGraphMemTrim(0));
}

/* Attributes of streams, ranges of managed memory, pools by place, entry points: what they answer. */
static void other_calls()
{
    cudaStream_t s = new_stream(), t = new_stream();
    cudaStreamAttrValue v = {};
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    void *p, *fn = NULL;
    int value = 0;
    cudaMemPool_t pool;
    cudaDriverEntryPointQueryResult found;
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    VALUE(v.syncPolicy);
    v.syncPolicy = cudaSyncPolicySpin;
    CALL(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    CALL(cudaStreamCopyAttributes(t, s));
    v.syncPolicy = cudaSyncPolicyAuto;
    CALL(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &v));
    VALUE(v.syncPolicy);
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v));
    VALUE(v.priority);
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &v));
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &v));
    CALL(cudaMallocManaged(&p, 8192));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 8192));
    VALUE(value);
    CALL(cudaMemAdvise(p, 8192, cudaMemAdviseSetReadMostly, here));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 8192));
    VALUE(value);
    CALL(cudaMemAdvise(p, 8192, cudaMemAdviseUnsetReadMostly, here));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 8192));
    VALUE(value);
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, p, 8192));
    VALUE(value);
    CALL(cudaMemAdvise(p, 8192, cudaMemAdviseSetPreferredLocation, here));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, p, 8192));
    VALUE(value);
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 8192));
    VALUE(value);
    CALL(cudaMemPrefetchAsync(p, 8192, here, 0, 0));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 8192));
    VALUE(value);
    int list[2] = {7, 7};
    CALL(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, here));
    CALL(cudaMemRangeGetAttribute(list, 8, cudaMemRangeAttributeAccessedBy, p, 8192));
    VALUE(list[0]);
    VALUE(list[1]);
    CALL(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, p, 8192));
    CALL(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)77, p, 8192));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, &value, 4));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 0));
    CALL(cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
    CALL(cudaMemGetMemPool(&pool, &here, cudaMemAllocationTypePinned));
    CALL(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
    CALL(cudaGetDriverEntryPointByVersion("cuMemAlloc", &fn, 13000, 0, &found));
    VALUE(found);
    CALL(cudaGetDriverEntryPointByVersion("noSuchName", &fn, 13000, 0, &found));
    VALUE(found);
    VALUE(fn == NULL);
    CALL(cudaLaunchHostFunc(s, NULL, NULL));
    CALL(cudaStreamAddCallback(s, NULL, NULL, 0));
    cudaLibrary_t lib;
    CALL(cudaLibraryLoadData(&lib, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CALL(cudaLibraryLoadData(&lib, ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 g;\n.visible .entry k(.param .u64 p)\n{\n ret;\n}\n", NULL, NULL, 0, NULL, NULL, 0));
    cudaKernel_t k;
    size_t bytes = 0;
    CALL(cudaLibraryGetKernel(&k, lib, "k"));
    CALL(cudaLibraryGetKernel(&k, lib, "none"));
    CALL(cudaLibraryGetGlobal(&p, &bytes, lib, "g"));
    VALUE(bytes);
    CALL(cudaLibraryGetGlobal(&p, &bytes, lib, "none"));
    CALL(cudaLibraryGetManaged(&p, &bytes, lib, "g"));
    CALL(cudaLibraryUnload(lib));
    CALL(cudaLibraryLoadFromFile(&lib, "/nonexistent/file", NULL, NULL, 0, NULL, NULL, 0));
    cudaGetLastError();
}
