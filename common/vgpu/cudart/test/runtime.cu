/* The runtime's behaviour, one function a case: streams and events, late execution, pageable and pinned copies, host functions,
 * pools, managed memory, symbols, pitched copies, peers. Prints TAP. Build it with the default stream of either kind. */
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

static int n_tests, n_bad;

static void check(bool ok, const char *what, int line)
{
    n_bad += !ok;
    printf("%s %d - %s (line %d)\n", ok ? "ok" : "not ok", ++n_tests, what, line);
}
#define CHECK(x)  check(x, #x, __LINE__)
#define OK(call)  check((call) == cudaSuccess, #call, __LINE__)
#define IS(e, call) check((call) == (e), #call " is " #e, __LINE__)

__global__ void set(int *p, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = value;
}
__global__ void add(int *p, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value;
}
__global__ void busy(int *p, int rounds)
{
    int x = *p;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
    *p = x;
}

__device__ int device_value = 7;
__constant__ int constant_value[2] = {3, 4};
__managed__ int managed_value = 11;
__global__ void read_symbols(int *out)
{
    out[0] = device_value;
    out[1] = constant_value[0] + constant_value[1];
    out[2] = managed_value;
    device_value = 100;
    managed_value = 200;
}

/* Work runs as late as it can: without a wait nothing is there. */
static void late_execution()
{
    int *pinned, *d;
    cudaStream_t s;
    OK(cudaMallocHost(&pinned, 4));
    OK(cudaMalloc(&d, 4));
    OK(cudaStreamCreate(&s));
    *pinned = -1;
    set<<<1, 32, 0, s>>>(d, 5, 1);
    OK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    CHECK(*(volatile int *)pinned == -1);
    OK(cudaStreamSynchronize(s));
    CHECK(*(volatile int *)pinned == 5);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
}

/* The source of an asynchronous copy: pageable memory is read at the call, pinned memory when the copy runs. */
static void source_of_async_copies()
{
    int *pinned, pageable = 1, *d, h[2];
    cudaStream_t s;
    OK(cudaMallocHost(&pinned, 4));
    OK(cudaMalloc(&d, 8));
    OK(cudaStreamCreate(&s));
    *pinned = 1;
    OK(cudaMemcpyAsync(d, &pageable, 4, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(d + 1, pinned, 4, cudaMemcpyHostToDevice, s));
    pageable = 2;
    *pinned = 2;
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 1);
    CHECK(h[1] == 2);
    set<<<1, 32, 0, s>>>(d, 9, 2);
    OK(cudaMemcpyAsync(h, d, 8, cudaMemcpyDeviceToHost, s)); /* to pageable memory: done when it returns */
    CHECK(h[0] == 9 && h[1] == 9);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
}

/* The legacy default stream waits for blocking streams and they for it; a non-blocking one stands aside. */
static void default_stream()
{
    int *d, h = 0, *pinned;
    cudaStream_t blocking, aside;
    OK(cudaMalloc(&d, 8));
    OK(cudaMallocHost(&pinned, 8));
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking));
    OK(cudaMemset(d, 0, 8));
    OK(cudaDeviceSynchronize());
    set<<<1, 32, 0, blocking>>>(d, 3, 1);
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
#ifdef PER_THREAD
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
#endif
    CHECK(h == 3);
    pinned[0] = 0;
    set<<<1, 32, 0, aside>>>(d + 1, 4, 1);
    OK(cudaMemcpyAsync(pinned, d + 1, 4, cudaMemcpyDeviceToHost, blocking));
    OK(cudaStreamSynchronize(blocking));
    CHECK(pinned[0] == 0);
    OK(cudaStreamSynchronize(aside));
    OK(cudaStreamDestroy(blocking));
    OK(cudaStreamDestroy(aside));
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
}

/* An event orders two streams, and time passes between two of them. */
static void events()
{
    int *d, h = 0;
    cudaStream_t a, b;
    cudaEvent_t start, middle, end;
    float first = -1, whole = -1;
    OK(cudaMalloc(&d, 4));
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&middle));
    OK(cudaEventCreate(&end));
    set<<<1, 32, 0, a>>>(d, 1, 1);
    OK(cudaEventRecord(start, a));
    busy<<<1, 1, 0, a>>>(d, 1000);
    OK(cudaEventRecord(middle, a));
    OK(cudaStreamWaitEvent(b, middle, 0));
    set<<<1, 32, 0, b>>>(d, 42, 1);
    busy<<<1, 1, 0, b>>>(d, 0);
    OK(cudaEventRecord(end, b));
    IS(cudaErrorNotReady, cudaEventQuery(end));
    OK(cudaEventSynchronize(end));
    OK(cudaEventQuery(end));
    OK(cudaEventElapsedTime(&first, start, middle));
    OK(cudaEventElapsedTime(&whole, start, end));
    CHECK(first > 0 && whole > first);
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 42);
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(middle));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(d));
}

/* A loop that polls ends. */
static void polling()
{
    int *d, rounds = 0;
    cudaStream_t s;
    OK(cudaMalloc(&d, 4));
    OK(cudaMemset(d, 0, 4));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreate(&s));
    busy<<<1, 1, 0, s>>>(d, 10000);
    while (cudaStreamQuery(s) == cudaErrorNotReady && rounds < 100000)
        rounds++;
    CHECK(rounds > 0 && rounds < 100000);
    OK(cudaStreamQuery(s));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

static std::vector<int> order;
static void note(void *data)
{
    order.push_back((int)(size_t)data);
}
static void note_callback(cudaStream_t, cudaError_t, void *data)
{
    order.push_back((int)(size_t)data);
}

static void host_functions()
{
    int *d, h = 0;
    cudaStream_t s;
    order.clear();
    OK(cudaMalloc(&d, 4));
    OK(cudaStreamCreate(&s));
    OK(cudaLaunchHostFunc(s, note, (void *)1));
    set<<<1, 32, 0, s>>>(d, 6, 1);
    OK(cudaStreamAddCallback(s, note_callback, (void *)2, 0));
    CHECK(order.empty());
    OK(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
    CHECK(h == 6);
    CHECK(order.size() == 2 && order[0] == 1 && order[1] == 2);
    OK(cudaLaunchHostFunc(s, note, (void *)3));
    OK(cudaStreamDestroy(s));
    CHECK(order.size() == 2); // the handle is gone, the work is not
    OK(cudaFree(d));
    CHECK(order.size() == 3);
}

static void pools()
{
    int *p = NULL, h[4] = {0};
    cudaStream_t s;
    cudaMemPool_t pool;
    OK(cudaStreamCreate(&s));
    OK(cudaMallocAsync((void **)&p, 16, s));
    set<<<1, 32, 0, s>>>(p, 8, 4);
    OK(cudaMemcpyAsync(h, p, 16, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 8 && h[3] == 8);
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long keep = 1 << 20, back = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &back));
    CHECK(back == keep);
    OK(cudaMallocFromPoolAsync((void **)&p, 16, pool, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamDestroy(s));
}

static void managed_memory()
{
    int *p;
    OK(cudaMallocManaged(&p, 64));
    CHECK(p[0] != 0); // new memory is not cleared
    for (int i = 0; i < 16; i++)
        p[i] = i;
    add<<<1, 32>>>(p, 10, 16);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 10 && p[15] == 25);
    OK(cudaFree(p));
}

static void symbols()
{
    int *d, h[3], value = 21, more[2] = {30, 40};
    void *address;
    size_t bytes;
    OK(cudaMalloc(&d, 12));
    read_symbols<<<1, 1>>>(d);
    OK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 7 && h[1] == 7 && h[2] == 11);
    OK(cudaMemcpyFromSymbol(&value, device_value, 4));
    CHECK(value == 100);
    CHECK(managed_value == 200);
    OK(cudaMemcpyToSymbol(constant_value, more, 8));
    OK(cudaMemcpyToSymbol(constant_value, &value, 4, 4));
    OK(cudaGetSymbolAddress(&address, device_value));
    OK(cudaMemset(address, 0, 4));
    managed_value = 1;
    read_symbols<<<1, 1>>>(d);
    OK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 130 && h[2] == 1);
    OK(cudaGetSymbolSize(&bytes, constant_value));
    CHECK(bytes == 8);
    OK(cudaFree(d));
}

static void pitched()
{
    char in[6 * 40], out[6 * 40], *d;
    size_t pitch;
    for (int i = 0; i < (int)sizeof in; i++)
        in[i] = (char)i;
    memset(out, 0, sizeof out);
    OK(cudaMallocPitch((void **)&d, &pitch, 30, 6));
    OK(cudaMemset2D(d, pitch, 1, 30, 6));
    OK(cudaMemcpy2D(d, pitch, in, 40, 30, 6, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(out, 40, d, pitch, 30, 6, cudaMemcpyDeviceToHost));
    bool same = true, rest = true;
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 40; x++)
            if (x < 30)
                same = same && out[y * 40 + x] == in[y * 40 + x];
            else
                rest = rest && out[y * 40 + x] == 0;
    CHECK(same);
    CHECK(rest);
    OK(cudaFree(d));

    cudaPitchedPtr box;
    int cube[4 * 3 * 2], back[4 * 3 * 2];
    for (int i = 0; i < 24; i++)
        cube[i] = i;
    OK(cudaMalloc3D(&box, make_cudaExtent(16, 3, 2)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube, 16, 4, 3);
    p.dstPtr = box;
    p.extent = make_cudaExtent(16, 3, 2);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(back, 16, 4, 3);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    CHECK(memcmp(cube, back, sizeof cube) == 0);
    OK(cudaFree(box.ptr));
}

/* Two devices: memory of the other is reached after enabling it. */
static void peers()
{
    int n = 0, can = 0, *here, *there, h = 0;
    OK(cudaGetDeviceCount(&n));
    CHECK(n == 2);
    OK(cudaMalloc(&here, 4));
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&there, 4));
    set<<<1, 32>>>(there, 77, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(0));
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(cudaMemcpyPeer(here, 0, there, 1, 4));
    OK(cudaMemcpy(&h, here, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 77);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    IS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    add<<<1, 32>>>(there, 1, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, there, 4, cudaMemcpyDefault));
    CHECK(h == 78);
    OK(cudaDeviceDisablePeerAccess(1));
    OK(cudaFree(here));
    OK(cudaFree(there));
    cudaGetLastError();
}

static void many_launches()
{
    int *d, h;
    OK(cudaMalloc(&d, 4));
    OK(cudaMemset(d, 0, 4));
    for (int i = 0; i < 5000; i++)
        add<<<1, 1>>>(d, 1, 1);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 5000);
    OK(cudaFree(d));
}

static void refusals()
{
    IS(cudaErrorNotSupported, cudaGraphicsUnregisterResource(NULL));
    IS(cudaErrorNotSupported, cudaGraphicsUnregisterResource(NULL));
    IS(cudaErrorNotSupported, cudaGetLastError());
    OK(cudaProfilerStart());
}


static void batches()
{
    int *d, *m, h[8] = {1, 2, 3, 4}, out[4] = {0};
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, 16));
    OK(cudaMallocManaged(&m, 64));
    void *to[] = {d, d + 2};
    const void *from[] = {h, h + 2};
    size_t sizes[] = {8, 8}, first = 0, wrong = 1;
    cudaMemcpyAttributes a = {};
    a.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &a, &first, 1, s));
    IS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, &a, &wrong, 1, s));
    IS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 2, &a, &first, 1, cudaStreamLegacy));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 1 && out[3] == 4);
    void *p[] = {m, m + 8};
    size_t parts[] = {32, 32};
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchBatchAsync(p, parts, 2, &here, &first, 1, 0, s));
    IS(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(p, parts, 0, &here, &first, 1, 0, s));
    int where = 7;
    OK(cudaMemRangeGetAttribute(&where, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 64));
    CHECK(where == 0);
    cudaGetLastError();
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(d));
    OK(cudaFree(m));
    OK(cudaStreamDestroy(s));
}

/* Needs a register for each of its values: blocks of 1,024 threads have no room for that. */
__global__ void many_registers(float *p)
{
    float value[80], sum = 0;
#pragma unroll
    for (int i = 0; i < 80; i++) {
        value[i] = p[i];
        sum += value[i];
    }
#pragma unroll
    for (int i = 0; i < 80; i++)
        sum += value[i] * sum;
    if (threadIdx.x == 0)
        p[80] = sum;
}

/* What is said to be the largest block can be launched, and a larger one cannot. */
static void largest_block()
{
    cudaFuncAttributes a;
    float *d;
    OK(cudaMalloc(&d, 81 * sizeof(float)));
    OK(cudaMemset(d, 0, 81 * sizeof(float)));
    OK(cudaFuncGetAttributes(&a, many_registers));
    CHECK(a.maxThreadsPerBlock >= 32 && a.maxThreadsPerBlock < 1024 && a.maxThreadsPerBlock % 32 == 0);
    int blocks = -1, threads = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many_registers, a.maxThreadsPerBlock, 0));
    CHECK(blocks >= 1);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, many_registers, 0, 0));
    CHECK(threads > 0 && threads <= a.maxThreadsPerBlock);
    many_registers<<<1, a.maxThreadsPerBlock>>>(d);
    OK(cudaDeviceSynchronize());
    for (int larger : {a.maxThreadsPerBlock + 32, 1024}) {
        many_registers<<<1, larger>>>(d);
        CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    }
    OK(cudaFree(d));
}

int main()
{
    late_execution();
    batches();
    source_of_async_copies();
    default_stream();
    events();
    polling();
    host_functions();
    pools();
    managed_memory();
    symbols();
    pitched();
    many_launches();
    largest_block();
    peers();
    refusals();
    printf("1..%d\n", n_tests);
    return n_bad != 0;
}
