/* Stream capture and graphs: what they compute, in which order, and that arguments are copied. Errors are in
 * tool/probe_graph.cuh. Prints TAP. Build it with the default stream of either kind. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thread>
#include <vector>

static int n_tests, n_bad;

static void check(bool ok, const char *what, int line)
{
    n_bad += !ok;
    printf("%s %d - %s (line %d)\n", ok ? "ok" : "not ok", ++n_tests, what, line);
}
#define CHECK(x)    check(x, #x, __LINE__)
#define OK(call)    check((call) == cudaSuccess, #call, __LINE__)
#define IS(e, call) check((call) == (e), #call " is " #e, __LINE__)

__global__ void set(int *p, int value) { *p = value; }
__global__ void add(int *p, int value) { *p += value; }
__global__ void multiply(int *p, int value) { *p *= value; }
__global__ void sum(int *out, const int *a, const int *b) { *out = *a + *b; }

static int *device_ints(int n)
{
    int *p;
    OK(cudaMalloc(&p, n * sizeof(int)));
    OK(cudaMemset(p, 0, n * sizeof(int)));
    OK(cudaDeviceSynchronize());
    return p;
}
static int read_int(const int *d)
{
    int h = -1;
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

/* Arguments are those of the capture; nothing runs before the launch; each launch runs all of it. */
static void capture_once_launch_often()
{
    int *d = device_ints(1), value = 5;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d, value);
    value = 100;
    multiply<<<1, 1, 0, s>>>(d, 2);
    OK(cudaStreamEndCapture(s, &graph));
    CHECK(read_int(d) == 0);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == ((5 * 2 + 5) * 2 + 5) * 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

/* A fork by events and its join: two branches, and what comes after both. */
static void fork_and_join()
{
    int *d = device_ints(3), h[3] = {0};
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t n = 0;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemsetAsync(d, 0, 12, a));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    set<<<1, 1, 0, a>>>(d, 3);
    set<<<1, 1, 0, b>>>(d + 1, 4);
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    sum<<<1, 1, 0, a>>>(d + 2, d, d + 1);
    OK(cudaMemcpyAsync(h, d, 12, cudaMemcpyDeviceToHost, a));
    CHECK(h[2] == 0);
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphGetNodes(graph, NULL, &n));
    CHECK(n == 5);
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &n));
    CHECK(n == 5);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    CHECK(h[0] == 3 && h[1] == 4 && h[2] == 7);
    set<<<1, 1, 0, b>>>(d, 9); // the streams are free again
    OK(cudaStreamSynchronize(b));
    CHECK(read_int(d) == 9);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(d));
}

static std::vector<int> order;
static void note(void *what)
{
    order.push_back((int)(size_t)what);
}

/* Every kind of node, built by hand. */
static void built_by_hand()
{
    int *d = device_ints(64), h[64], h2[64];
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, kernel, host, copy, empty, inner, sub;
    cudaGraphExec_t exec;
    cudaStream_t s;
    int value = 7;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    cudaMemsetParams m = {};
    m.dst = d;
    m.value = 0x01020304;
    m.elementSize = 4;
    m.width = 64;
    m.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &m));
    void *args[] = {&d, &value};
    cudaKernelNodeParams k = {};
    k.func = (void *)set;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
    value = 8; // the node has its own
    cudaHostNodeParams hp = {note, (void *)1};
    OK(cudaGraphAddHostNode(&host, child, NULL, 0, &hp));
    hp.userData = (void *)2;
    OK(cudaGraphAddHostNode(&inner, child, &host, 1, &hp));
    OK(cudaGraphAddChildGraphNode(&sub, graph, &kernel, 1, child));
    OK(cudaGraphAddEmptyNode(&empty, graph, &sub, 1));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, h, d, 256, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(d, 64, 64, 4);
    box.dstPtr = make_cudaPitchedPtr(h2, 32, 32, 4);
    box.extent = make_cudaExtent(32, 4, 1);
    box.kind = cudaMemcpyDeviceToHost;
    OK(cudaGraphAddMemcpyNode(&copy, graph, &empty, 1, &box));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    CHECK(order.empty());
    OK(cudaStreamSynchronize(s));
    CHECK(order == std::vector<int>({1, 2}));
    CHECK(h[0] == 7 && h[1] == 0x01020304 && h[63] == 0x01020304);
    CHECK(h2[0] == 7 && h2[8] == 0x01020304 && h2[31] == 0x01020304);
    OK(cudaGraphKernelNodeGetParams(kernel, &k));
    CHECK(k.func == (void *)set && *(int *)k.kernelParams[1] == 7 && *(int **)k.kernelParams[0] == d);
    OK(cudaGraphDebugDotPrint(graph, getenv("DOT_FILE"), 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

/* An executable graph changes: one node, a disabled node, the whole. */
static void updates()
{
    int *d = device_ints(1);
    cudaStream_t s;
    cudaGraph_t graph, other, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[2];
    size_t n = 2;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    set<<<1, 1, 0, s>>>(d, 10);
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphGetNodes(graph, nodes, &n));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaKernelNodeParams k;
    OK(cudaGraphKernelNodeGetParams(nodes[1], &k));
    int five = 5;
    void *args[] = {&d, &five};
    k.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &k));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 15);
    OK(cudaGraphNodeSetEnabled(exec, nodes[0], 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 20);
    OK(cudaGraphNodeSetEnabled(exec, nodes[0], 1));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    set<<<1, 1, 0, s>>>(d, 30);
    multiply<<<1, 1, 0, s>>>(d, 3);
    OK(cudaStreamEndCapture(s, &other));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, other, &info));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 90);
    OK(cudaGraphClone(&clone, other));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(other));
    OK(cudaGraphInstantiate(&exec, clone, 0));
    OK(cudaMemset(d, 0, 4));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 90);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(clone));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

/* External events, and a graph inside a capture. */
static void events_and_nesting()
{
    int *d = device_ints(1);
    cudaStream_t s, t;
    cudaGraph_t graph, outer;
    cudaGraphExec_t exec, outer_exec;
    cudaEvent_t e, start;
    float ms = -1;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&start));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamEndCapture(s, &outer));
    OK(cudaGraphInstantiate(&outer_exec, outer, 0));
    OK(cudaEventRecord(start, s));
    OK(cudaGraphLaunch(outer_exec, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, t>>>(d, 10);
    OK(cudaStreamSynchronize(t));
    CHECK(read_int(d) == 12);
    OK(cudaEventElapsedTime(&ms, start, e));
    CHECK(ms > 0);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(outer_exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(outer));
    OK(cudaEventDestroy(e));
    OK(cudaEventDestroy(start));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(d));
}

/* Memory that lives inside a graph. */
static void memory_in_graphs()
{
    int *d = device_ints(1), *p = NULL;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&p, 4, s));
    set<<<1, 1, 0, s>>>(p, 42);
    OK(cudaMemcpyAsync(d, p, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 42);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

/* An executable graph keeps the memory of the graph that it was made from; what one graph allocates another frees, or cudaFree. */
static void memory_outlives_its_graph()
{
    int *d = device_ints(1), *p = NULL;
    cudaStream_t s;
    cudaGraph_t graph, second;
    cudaGraphExec_t exec, freeing;
    cudaGraphNode_t node, after;
    unsigned long long used = 1, reserved = 0;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&p, 4096, s));
    set<<<1, 1, 0, s>>>(p, 7);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used >= 4096);
    IS(cudaErrorInvalidValue, cudaGraphLaunch(exec, s)); // it is live
    add<<<1, 1, 0, s>>>(p, 1);
    OK(cudaMemcpyAsync(d, p, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaGraphCreate(&second, 0));
    OK(cudaGraphAddMemFreeNode(&node, second, NULL, 0, p));
    OK(cudaGraphAddEmptyNode(&after, second, &node, 1));
    OK(cudaGraphInstantiate(&freeing, second, 0));
    OK(cudaGraphDestroy(second));
    OK(cudaGraphLaunch(freeing, s));
    OK(cudaGraphLaunch(exec, s)); // and allocated anew
    OK(cudaStreamSynchronize(s));
    CHECK(read_int(d) == 8);
    OK(cudaGraphExecDestroy(exec)); // what is live stays until it is freed
    OK(cudaMemcpy(d, p, 4, cudaMemcpyDeviceToDevice));
    CHECK(read_int(d) == 7);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved >= 4096);
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved));
    CHECK(reserved >= 4096);
    reserved = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved));
    CHECK(reserved == 0);
    OK(cudaGraphExecDestroy(freeing));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

static int destroyed;
static void destroy(void *) { destroyed++; }

static void user_objects()
{
    cudaUserObject_t o;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaUserObjectCreate(&o, NULL, destroy, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, o, 1, cudaGraphUserObjectMove));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 0);
    OK(cudaGraphExecDestroy(exec));
    CHECK(destroyed == 1);
}

/* Modes: what another thread may do meanwhile. */
static void threads()
{
    cudaStream_t s;
    cudaGraph_t graph;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int mode = cudaStreamCaptureModeGlobal; mode <= cudaStreamCaptureModeRelaxed; mode++) {
        cudaError_t other = cudaSuccess, exchanged = cudaSuccess;
        OK(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        std::thread([&] {
            void *p = NULL, *q = NULL;
            cudaStreamCaptureMode mine = cudaStreamCaptureModeRelaxed;
            cudaThreadExchangeStreamCaptureMode(&mine);
            exchanged = cudaMalloc(&p, 64);
            cudaThreadExchangeStreamCaptureMode(&mine);
            other = cudaMalloc(&q, 64);
            mine = cudaStreamCaptureModeRelaxed;
            cudaThreadExchangeStreamCaptureMode(&mine);
            cudaFree(p);
            cudaFree(q);
        }).join();
        CHECK(exchanged == cudaSuccess);
        CHECK(other == (mode == cudaStreamCaptureModeGlobal ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
        IS(mode == cudaStreamCaptureModeGlobal ? cudaErrorStreamCaptureInvalidated : cudaSuccess,
           cudaStreamEndCapture(s, &graph));
        cudaError_t ended = cudaSuccess;
        OK(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        std::thread([&] { ended = cudaStreamEndCapture(s, &graph); }).join();
        CHECK(ended == (mode == cudaStreamCaptureModeRelaxed ? cudaSuccess : cudaErrorStreamCaptureWrongThread));
        if (ended != cudaSuccess)
            OK(cudaStreamEndCapture(s, &graph));
    }
    OK(cudaStreamDestroy(s));
}

/* The tails of a capture can be read and set. */
static void dependencies_of_capture()
{
    int *d = device_ints(2);
    cudaStream_t s;
    cudaGraph_t graph, seen;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    const cudaGraphNode_t *deps;
    cudaGraphNode_t first;
    size_t n;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&first, graph, NULL, 0));
    OK(cudaStreamBeginCaptureToGraph(s, graph, &first, NULL, 1, cudaStreamCaptureModeRelaxed));
    set<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &seen, &deps, NULL, &n));
    CHECK(status == cudaStreamCaptureStatusActive && seen == graph && n == 1 && deps[0] != first);
    OK(cudaStreamUpdateCaptureDependencies(s, &first, NULL, 1, cudaStreamSetCaptureDependencies));
    set<<<1, 1, 0, s>>>(d + 1, 2);
    OK(cudaStreamEndCapture(s, &seen));
    CHECK(seen == graph);
    OK(cudaGraphNodeGetDependentNodes(first, NULL, NULL, &n));
    CHECK(n == 2);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

int main()
{
    capture_once_launch_often();
    fork_and_join();
    built_by_hand();
    updates();
    events_and_nesting();
    memory_in_graphs();
    memory_outlives_its_graph();
    user_objects();
    dependencies_of_capture();
    threads();
    printf("1..%d\n", n_tests);
    return n_bad != 0;
}
