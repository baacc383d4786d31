// Dynamic parallelism: what is right, and the usual mistakes. children.t says what must be found.
//
//   children CASE    prints the error that the host sees, then numbers that the case worked out
#include <cstdio>
#include <cstring>

constexpr int N = 256;

__global__ void add(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += value;
}

__global__ void copy(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

__device__ cudaStream_t stream_of(int *failed)
{
    cudaStream_t s;
    *failed = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}

// Each half is sorted by a grid of its own: the partition of the middle must be seen there.
__global__ void sort(int *x, int low, int high, int depth)
{
    if (low >= high)
        return;
    if (depth == 0 || high - low < 16) {
        for (int i = low + 1; i <= high; i++)
            for (int k = i; k > low && x[k - 1] > x[k]; k--) {
                int swap = x[k];
                x[k] = x[k - 1];
                x[k - 1] = swap;
            }
        return;
    }
    int pivot = x[(low + high) / 2], i = low, k = high;
    while (i <= k) {
        while (x[i] < pivot)
            i++;
        while (x[k] > pivot)
            k--;
        if (i <= k) {
            int swap = x[i];
            x[i++] = x[k];
            x[k--] = swap;
        }
    }
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, low, k, depth - 1);
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, i, high, depth - 1);
}

// Grids of one stream follow each other.
__global__ void in_order(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    add<<<2, 128>>>(x, N, 5);
    add<<<4, 64>>>(x, N, 7);
    copy<<<2, 128>>>(y, x, N);
}

__global__ void tail(int *x, int *y)
{
    x[threadIdx.x] += 1;
    if (threadIdx.x == 0) {
        copy<<<1, N, 0, cudaStreamTailLaunch>>>(y, x, N);
        add<<<1, N, 0, cudaStreamTailLaunch>>>(y, N, 100);
        add<<<1, N, 0, cudaStreamFireAndForget>>>(x + N, N, 3);
    }
    x[threadIdx.x] += 1;
}

// The launching thread passes on what the others of its block did before a barrier.
__global__ void after_barrier(int *x, int *y)
{
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        copy<<<1, N>>>(y, x, N);
}

__global__ void without_barrier(int *x, int *y)
{
    x[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        copy<<<1, N>>>(y, x, N);
}

__global__ void parent_reads(int *x, int *y)
{
    if (threadIdx.x == 0)
        add<<<1, N>>>(x, N, 5);
    __syncthreads();
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void two_streams(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    int failed[2];
    cudaStream_t a = stream_of(&failed[0]), b = stream_of(&failed[1]);
    add<<<1, N, 0, a>>>(x, N, 5);
    add<<<1, N, 0, b>>>(x, N, 7);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    y[0] = failed[0] + failed[1];
}

__global__ void two_blocks(int *x, int *y)
{
    if (threadIdx.x == 0)
        add<<<1, 32>>>(x, 32, blockIdx.x + 1);
}

__global__ void child_outside(int *x, int *y)
{
    if (threadIdx.x == 0)
        add<<<3, 128>>>(x + N, 3 * 128, 1);
}

__global__ void shared_pointer(int *x, int *y)
{
    __shared__ int tile[32];
    if (threadIdx.x < 32)
        tile[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        add<<<1, 32>>>(tile, 32, 1);
}

// x[0] counts the levels, x[1] has the error at the end.
__global__ void deeper(int *x)
{
    x[0]++;
    deeper<<<1, 1>>>(x);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        x[1] = error;
}

// Twice as many grids on every level.
__global__ void without_end(int *x)
{
    atomicAdd(x, 1);
    without_end<<<1, 1>>>(x);
    without_end<<<1, 1>>>(x);
}

__global__ void many(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    for (int i = 0; i < 6; i++) {
        count<<<1, 1>>>(x);
        y[i] = cudaGetLastError();
    }
}

__global__ void wrong_shape(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    add<<<1, 2000>>>(x, N, 1);
    y[0] = cudaPeekAtLastError();
    y[1] = cudaGetLastError();
    y[2] = cudaGetLastError();
    add<<<1, 32, 1 << 20>>>(x, N, 1);
    y[3] = cudaGetLastError();
    cudaStream_t s;
    y[4] = cudaStreamCreateWithFlags(&s, cudaStreamDefault);
    add<<<1, 32>>>(x, 32, 9);
}

// ---- events: one stream waits for what another one holds ----

__device__ cudaEvent_t event_of(int *failed)
{
    cudaEvent_t e;
    *failed += cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    return e;
}

// a adds, b waits for it, and c for b, which holds nothing itself.
__global__ void events(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    int failed[4] = {};
    cudaStream_t a = stream_of(&failed[0]), b = stream_of(&failed[1]), c = stream_of(&failed[2]);
    cudaEvent_t first = event_of(&failed[3]), second = event_of(&failed[3]), third = event_of(&failed[3]);
    add<<<2, 128, 0, a>>>(x, N, 5);
    failed[3] += cudaEventRecord(first, a);
    failed[3] += cudaStreamWaitEvent(b, first, 0);
    failed[3] += cudaEventRecordWithFlags(second, b, 0);
    failed[3] += cudaEventDestroy(first);
    failed[3] += cudaStreamWaitEvent(c, second, 0);
    add<<<2, 128, 0, c>>>(x, N, 7);
    failed[3] += cudaEventRecord(third, c);
    failed[3] += cudaStreamWaitEvent(0, third, 0); // the block's default stream
    copy<<<2, 128>>>(y + 2, x, 2);
    y[0] = failed[0] + failed[1] + failed[2] + failed[3];
    y[1] = cudaGetLastError();
}

// The event was recorded before the grid that b should wait for.
__global__ void early_event(int *x, int *y)
{
    if (threadIdx.x != 0)
        return;
    int failed[2];
    cudaStream_t a = stream_of(&failed[0]), b = stream_of(&failed[1]);
    cudaEvent_t e = event_of(&failed[0]);
    cudaEventRecord(e, a);
    add<<<1, N, 0, a>>>(x, N, 5);
    cudaStreamWaitEvent(b, e, 0);
    add<<<1, N, 0, b>>>(x, N, 7);
}

__global__ void event_errors(int *x, int *y)
{
    cudaEvent_t e = 0;
    int n = 0, failed = 0;
    if (threadIdx.x != 0)
        return;
    y[n++] = cudaEventCreateWithFlags(&e, cudaEventDefault);
    y[n++] = cudaEventRecord(e, 0);
    y[n++] = cudaGetLastError();
    e = event_of(&failed);
    y[n++] = cudaEventRecord(e, cudaStreamTailLaunch);
    y[n++] = cudaStreamWaitEvent(0, e, 1);
    cudaEventDestroy(e);
    y[n++] = cudaEventRecord(e, 0);
}

// ---- memory of the kernels' heap ----

__global__ void device_memory(int *x, int *y)
{
    int i = threadIdx.x, *p = nullptr, *empty = x;
    int bad = cudaMalloc(&p, 4 * sizeof(int)) != cudaSuccess || p == nullptr;
    for (int k = 0; k < 4 && !bad; k++)
        p[k] = i + k;
    bad |= cudaMalloc(&empty, 0) != cudaSuccess || empty != nullptr || cudaFree(empty) != cudaSuccess;
    x[i] = bad ? -1 : p[0] + p[3];
    if (cudaFree(p) != cudaSuccess)
        x[i] = -2;
}

// One block asks for more than the heap has.
__global__ void heap_is_full(int *x, int *y)
{
    void *small = y, *large = y;
    if (threadIdx.x != 0)
        return;
    y[0] = cudaMalloc(&large, (size_t)64 << 20);
    y[1] = large == nullptr;
    y[2] = malloc((size_t)64 << 20) == nullptr;
    y[3] = cudaMalloc(&small, 1 << 20);
    y[4] = small != nullptr;
    cudaFree(small);
}

__global__ void heap_leak(int *x, int *y)
{
    void *p;
    if (threadIdx.x == 0)
        y[0] = cudaMalloc(&p, 24);
}

__global__ void heap_double_free(int *x, int *y)
{
    void *p;
    if (threadIdx.x == 0) {
        cudaMalloc(&p, 24);
        cudaFree(p);
        cudaFree(p);
    }
}

__global__ void heap_free_of_host(int *x, int *y)
{
    if (threadIdx.x == 0)
        cudaFree(x);
}

__global__ void heap_outside(int *x, int *y)
{
    int *p;
    if (threadIdx.x != 0)
        return;
    cudaMalloc(&p, 6 * sizeof(int));
    for (int i = 0; i <= 6; i++)
        p[i] = i;
    cudaFree(p);
}

__global__ void heap_uninitialized(int *x, int *y)
{
    int *p;
    if (threadIdx.x != 0)
        return;
    cudaMalloc(&p, sizeof(int));
    y[0] = *p + 1;
    cudaFree(p);
}

// The pointer itself lies in memory that the host has allocated.
__global__ void heap_pointer_stored(int *x, int *y)
{
    void **slot = (void **)(x + N) + threadIdx.x % 32;
    if (threadIdx.x < 32) {
        y[threadIdx.x] = cudaMalloc(slot, 8);
        cudaFree(*slot);
    }
}

static const struct {
    const char *name;
    void (*kernel)(int *x, int *y);
} kernels[] = {
    {"events", events},
    {"early_event", early_event},
    {"event_errors", event_errors},
    {"device_memory", device_memory},
    {"heap_is_full", heap_is_full},
    {"heap_leak", heap_leak},
    {"heap_double_free", heap_double_free},
    {"heap_free_of_host", heap_free_of_host},
    {"heap_outside", heap_outside},
    {"heap_uninitialized", heap_uninitialized},
    {"heap_pointer_stored", heap_pointer_stored},
    {"in_order", in_order},
    {"tail", tail},
    {"after_barrier", after_barrier},
    {"without_barrier", without_barrier},
    {"parent_reads", parent_reads},
    {"two_streams", two_streams},
    {"two_blocks", two_blocks},
    {"child_outside", child_outside},
    {"shared_pointer", shared_pointer},
    {"many", many},
    {"wrong_shape", wrong_shape},
};

static void launch(const char *name, int *x, int *y)
{
    if (strcmp(name, "sort") == 0)
        sort<<<1, 1>>>(x, 0, N - 1, 10);
    if (strcmp(name, "deeper") == 0)
        deeper<<<1, 1>>>(x);
    if (strcmp(name, "without_end") == 0)
        without_end<<<1, 1>>>(x);
    if (strcmp(name, "many") == 0)
        cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4);
    if (strcmp(name, "heap_is_full") == 0)
        cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20);
    int blocks = strcmp(name, "two_blocks") == 0 ? 2 : 1;
    for (const auto &k : kernels)
        if (strcmp(name, k.name) == 0)
            k.kernel<<<blocks, N>>>(x, y);
}

int main(int argc, char **argv)
{
    int *x, *y, host[2 * N] = {};
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "sort") == 0)
        for (int i = 0; i < N; i++)
            host[i] = i * 167 % 256;
    size_t guard = strcmp(name, "child_outside") == 0 ? N : 2 * N;
    cudaMalloc(&x, guard * sizeof(int));
    cudaMalloc(&y, N * sizeof(int));
    cudaMemcpy(x, host, guard * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, N * sizeof(int));
    launch(name, x, y);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (cudaMemcpy(host, x, guard * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess) {
        int sum = 0, sorted = 1;
        for (int i = 0; i < N; i++)
            sum += host[i] * (i % 7), sorted &= i == 0 || host[i - 1] <= host[i];
        printf("x %d %d, at the end %d, sum %d, sorted %d\n", host[0], host[1], host[guard - 1], sum, sorted);
        cudaMemcpy(host, y, N * sizeof(int), cudaMemcpyDeviceToHost);
        printf("y %d %d %d %d %d %d, at the end %d\n", host[0], host[1], host[2], host[3], host[4], host[5],
               host[N - 1]);
    }
    cudaFree(x);
    cudaFree(y);
}
