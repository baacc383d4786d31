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

/* Only the first question about a kernel can fail. */
static void questions(void)
{
    cudaFuncAttributes a;
    int blocks = 0, threads = 0;
    TRY(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    TRY(cudaFuncGetAttributes(&a, add));
    TRY(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, cooperative, 0, 0));
}

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

__global__ void sample(cudaTextureObject_t t, cudaSurfaceObject_t to)
{
    float v = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
    surf2Dwrite(v + 1, to, threadIdx.x * sizeof(float), threadIdx.y);
}

static void textures(cudaStream_t s)
{
    float h[8][8] = {}, *linear = NULL;
    cudaArray_t from = NULL, to = NULL, layers = NULL;
    cudaTextureObject_t t = 0, u = 0;
    cudaSurfaceObject_t surface = 0;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaTextureDesc d = {};
    cudaResourceDesc r = {}, w = {}, l = {};
    TRY(cudaMallocArray(&from, &f, 8, 8));
    TRY(cudaMallocArray(&to, &f, 8, 8, cudaArraySurfaceLoadStore));
    TRY(cudaMalloc3DArray(&layers, &f, make_cudaExtent(8, 8, 3), cudaArrayLayered));
    TRY(cudaMalloc(&linear, 4096));
    if (from != NULL)
        TRY(cudaMemcpy2DToArray(from, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    r.resType = w.resType = cudaResourceTypeArray;
    r.res.array.array = from;
    w.res.array.array = to;
    l.resType = cudaResourceTypeLinear;
    l.res.linear.devPtr = linear;
    l.res.linear.desc = f;
    l.res.linear.sizeInBytes = 4096;
    if (from != NULL)
        TRY(cudaCreateTextureObject(&t, &r, &d, NULL));
    if (to != NULL)
        TRY(cudaCreateSurfaceObject(&surface, &w));
    if (linear != NULL)
        TRY(cudaCreateTextureObject(&u, &l, &d, NULL));
    if (t != 0 && surface != 0) {
        sample<<<1, dim3(8, 8), 0, s>>>(t, surface);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy2DFromArrayAsync(h, 32, to, 0, 0, 32, 8, cudaMemcpyDeviceToHost, s));
    }
    TRY(cudaStreamSynchronize(s));
    cudaDestroyTextureObject(t), cudaDestroyTextureObject(u), cudaDestroySurfaceObject(surface);
    cudaFreeArray(from), cudaFreeArray(to), cudaFreeArray(layers), cudaFree(linear);
}

static void managed_memory(cudaStream_t s)
{
    int *p = NULL, *q = NULL;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    TRY(cudaMallocManaged(&p, 1 << 17));
    TRY(cudaMallocManaged(&q, 4096, cudaMemAttachHost));
    if (p != NULL && q != NULL) {
        void *there = NULL;
        p[0] = q[0] = 1;
        if (cudaGetSymbolAddress(&there, managed) == cudaSuccess) // else it has no memory
            managed = 1;
        TRY(cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetReadMostly, device));
        TRY(cudaMemPrefetchAsync(p, 1 << 17, device, 0, s));
        TRY(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachSingle));
        add<<<2, 32, 0, s>>>(p, 40);
        TRY(cudaGetLastError());
        TRY(cudaMemPrefetchAsync(p, 1 << 16, host, 0, s));
        TRY(cudaStreamSynchronize(s));
        p[1] += p[0]; // a page that was on the device
    }
    cudaFree(p), cudaFree(q);
}

__global__ void child(int *p) { atomicAdd(p, 1); }
__global__ void parent(int *p)
{
    int *own = (int *)malloc(64);
    if (own != NULL)
        own[threadIdx.x] = 1;
    free(own);
    cudaStream_t t;
    if (cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking) == cudaSuccess) {
        child<<<2, 32, 0, t>>>(p);
        cudaStreamDestroy(t);
    }
    child<<<1, 32>>>(p);
    child<<<1, 32, 0, cudaStreamTailLaunch>>>(p);
    if (threadIdx.x == 0)
        printf("%s %d\n", "a parent of", 3);
}

static void children(cudaStream_t s)
{
    int *d = NULL;
    TRY(cudaMalloc(&d, 4));
    TRY(cudaMemset(d, 0, 4));
    parent<<<1, 2, 0, s>>>(d);
    TRY(cudaGetLastError());
    TRY(cudaStreamSynchronize(s));
    cudaFree(d);
}

static void two_devices()
{
    int *here = NULL, *there = NULL, can = 0;
    TRY(cudaMalloc(&here, 4096));
    TRY(cudaSetDevice(1));
    TRY(cudaMalloc(&there, 4096));
    TRY(cudaDeviceCanAccessPeer(&can, 1, 0));
    TRY(cudaDeviceEnablePeerAccess(0, 0));
    if (here != NULL && there != NULL)
        TRY(cudaMemcpyPeer(there, 1, here, 0, 4096));
    TRY(cudaDeviceSynchronize());
    cudaDeviceDisablePeerAccess(0);
    cudaFree(there);
    TRY(cudaSetDevice(0));
    cudaFree(here);
    cudaGetLastError();
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
    questions();
    memory_and_copies(s);
    events_and_graphs(t);
    textures(s);
    managed_memory(t);
    children(s);
    if (n > 1)
        two_devices();
    cudaStreamDestroy(s), cudaStreamDestroy(t);
    puts(failed ? "failed" : "fine");
    return 0;
}
