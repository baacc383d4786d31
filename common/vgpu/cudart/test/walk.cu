/* Calls everything that can fail, goes on after errors, and frees what it got: for walks of --fail-at and of failing
 * allocations. Exit status 0 in any case; "failed" when a call failed. */
#include <cuda_runtime.h>

#include <stdio.h>

static bool failed;
#define TRY(call) (failed |= (call) != cudaSuccess)

__device__ int variable;
__managed__ int managed;
__global__ void add(int *p, int n)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = variable + managed;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += tile[threadIdx.x ^ 1];
}
__global__ void cooperative(int *p) { atomicAdd(p, 1); }
static void nothing(void *) {}

static void memory_and_copies(cudaStream_t s)
{
    int *d = NULL, *e = NULL, *m = NULL, *h = NULL, *g = NULL, r[32], one = 1;
    cudaPitchedPtr box = {};
    size_t pitch = 0;
    TRY(cudaMalloc(&d, 4096));
    TRY(cudaMallocPitch((void **)&e, &pitch, 100, 10));
    TRY(cudaMalloc3D(&box, make_cudaExtent(64, 4, 4)));
    TRY(cudaMallocManaged(&m, 4096));
    TRY(cudaMallocHost(&h, 4096));
    TRY(cudaHostAlloc(&g, 4096, cudaHostAllocMapped));
    TRY(cudaHostRegister(r, sizeof r, 0));
    TRY(cudaMemset(d, 0, 4096));
    TRY(cudaMemsetAsync(d, 0, 4096, s));
    TRY(cudaMemcpyToSymbol(variable, &one, 4));
    TRY(cudaMemcpyFromSymbol(&one, variable, 4));
    if (h != NULL)
        TRY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, s));
    TRY(cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy2D(e, pitch, r, 16, 16, 4, cudaMemcpyHostToDevice));
    add<<<2, 32, 0, s>>>(d, 40);
    TRY(cudaGetLastError());
    void *args[] = {&d};
    TRY(cudaLaunchCooperativeKernel((void *)cooperative, dim3(2), dim3(32), args, 0, s));
    TRY(cudaStreamSynchronize(s));
    int *p = NULL;
    TRY(cudaMallocAsync(&p, 256, s));
    if (p != NULL)
        TRY(cudaFreeAsync(p, s));
    cudaHostUnregister(r);
    cudaFreeHost(h), cudaFreeHost(g);
    cudaFree(d), cudaFree(e), cudaFree(m), cudaFree(box.ptr);
}

static void events_and_graphs(cudaStream_t s)
{
    cudaEvent_t a = NULL, b = NULL;
    cudaGraph_t graph = NULL, captured = NULL, clone = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t node;
    int *d = NULL;
    float ms;
    TRY(cudaMalloc(&d, 4096));
    TRY(cudaMemset(d, 0, 4096));
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventCreate(&a));
    TRY(cudaEventCreateWithFlags(&b, cudaEventDefault));
    TRY(cudaEventRecord(a, s));
    TRY(cudaLaunchHostFunc(s, nothing, NULL));
    TRY(cudaEventRecord(b, s));
    TRY(cudaEventSynchronize(b));
    TRY(cudaEventElapsedTime(&ms, a, b));
    TRY(cudaGraphCreate(&graph, 0));
    cudaHostNodeParams host = {nothing, NULL};
    TRY(cudaGraphAddHostNode(&node, graph, NULL, 0, &host));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<2, 32, 0, s>>>(d, 40);
    TRY(cudaGetLastError());
    TRY(cudaMemsetAsync(d, 0, 64, s));
    TRY(cudaStreamEndCapture(s, &captured));
    if (captured != NULL) {
        TRY(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, captured));
        TRY(cudaGraphClone(&clone, captured));
    }
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    if (exec != NULL)
        TRY(cudaGraphLaunch(exec, s));
    TRY(cudaDeviceSynchronize());
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph), cudaGraphDestroy(captured), cudaGraphDestroy(clone);
    cudaEventDestroy(a), cudaEventDestroy(b);
    cudaFree(d);
}

int main()
{
    cudaStream_t s = NULL, t = NULL;
    int n;
    TRY(cudaGetDeviceCount(&n));
    TRY(cudaSetDevice(0));
    TRY(cudaStreamCreate(&s));
    TRY(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    memory_and_copies(s);
    events_and_graphs(t);
    cudaStreamDestroy(s), cudaStreamDestroy(t);
    puts(failed ? "failed" : "fine");
    return 0;
}
