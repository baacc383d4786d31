/* A program for the tests of the command: its first argument names what it does wrong. */
#include <cuda_runtime.h>

#include <assert.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i; /* line: write */
}
/* Two arrays of which the second one lies behind the first: what goes wrong far behind the end of one is near another. */
__global__ void gather(const int *from, int *to, int by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < 2; turn++)
        if (i < n)
            to[i] += from[i + by * turn]; /* line: gather */
}

__global__ void chase(int *const *table, int *to)
{
    *to = *table[0]; /* line: chase */
}

__global__ void turns(int *to)
{
    __shared__ int tile[64];
    for (int turn = 0; turn < 2; turn++) {
        tile[threadIdx.x] = turn; /* line: next turn */
        __syncthreads();
        to[threadIdx.x] += tile[63 - threadIdx.x];
    }
}

__global__ void endless(int *p, int by)
{
    for (int i = threadIdx.x; i < 100; i += by)
        p[i] = i;
}

__global__ void forever(volatile int *p)
{
    while (*p == 0) { /* line: flag */
    }
}

/* Each block waits for the one before it: by its place in the grid, or by the number that it took when it began. */
__global__ void chain(int *told, int *ticket)
{
    __shared__ int number;
    if (threadIdx.x == 0) {
        number = ticket ? atomicAdd(ticket, 1) : (int)blockIdx.x;
        while (number > 0 && atomicAdd(&told[number - 1], 0) == 0) { /* line: chain */
        }
        atomicExch(&told[number], 1);
    }
    __syncthreads();
}

__global__ void add_rows(int *p)
{
    atomicAdd(p + threadIdx.x % 2, 1);
}

__global__ void count_forever(volatile int *p)
{
    for (unsigned i = 0; *p == 0; i++) /* line: count */
        if (i == 4000000000u)
            p[1] = 1;
}

__global__ void assert_small(int x)
{
    assert(x == 1); /* line: assertion */
}
__global__ void write_both(int *p)
{
    p[1 - threadIdx.x] = threadIdx.x + p[threadIdx.x];
}

/* ---- host code that touches device memory ---- */

static sigjmp_buf back;

static void on_fault(int signal)
{
    fprintf(stderr, "own handler: %d\n", signal);
    siglongjmp(back, 1);
}

static __attribute__((noinline)) int add_up(const int *p)
{
    int sum = 0;
    for (int i = 4; i < 8; i++)
        sum += p[i]; /* line: host read */
    return sum;
}

__attribute__((noinline)) static int deeper(int level)
{
    volatile int room[64];
    room[level & 63] = level;
    return room[level & 63] + deeper(level + 1) * room[0]; /* line: host deeper */
}

static int touch(const char *what)
{
    int *d, *plain = NULL, h[4] = {0};
    bool handled = strcmp(what, "touch-handled") == 0;
    if (handled)
        signal(SIGSEGV, on_fault);
    cudaMalloc(&d, 4000); /* line: touched */
    if (strcmp(what, "touch-read") == 0)
        return add_up(d);
    if (strcmp(what, "touch-memcpy") == 0)
        memcpy(d + 10, h, sizeof h); /* line: host copy */
    if (strcmp(what, "touch-freed") == 0)
        cudaFree(d);
    if (strcmp(what, "touch-null") == 0)
        plain[0] = 1; /* line: host null */
    if (strcmp(what, "touch-deeper") == 0)
        return deeper(h[0]);
    if (strcmp(what, "touch-pinned") == 0) {
        cudaMallocHost(&plain, 4000); /* line: pinned */
        for (int i = 0; i < 1 << 18; i++)
            ((volatile int *)plain)[i] = i; /* counts ints, where bytes are meant */
    }
    if (strcmp(what, "touch-little") == 0) {
        cudaMallocHost(&plain, 4000); /* line: little */
        ((volatile int *)plain)[1000] = 0;
        cudaFreeHost(plain); /* line: little freed */
    }
    if (strcmp(what, "touch-managed") == 0) {
        cudaMallocManaged(&plain, 4000);
        ((volatile int *)plain)[1001] = 0;
        cudaDeviceSynchronize(); /* line: managed waited */
        cudaFree(plain);
        ((volatile int *)plain)[3] = 0; /* line: managed late */
    }
    if (strcmp(what, "touch-free") == 0) {
        cudaMallocHost(&plain, 4000);
        free(plain); /* line: host free */
    }
    if (strcmp(what, "touch-byte") == 0) {
        char *text = (char *)malloc(20); // of 24
        volatile size_t end = 20;
        text[end] = 0;
        free(text); /* line: byte */
        return 0;
    }
    if (strcmp(what, "touch-way") == 0) {
        void *pinned, *device;
        cudaMallocHost(&pinned, 64);
        cudaMalloc(&device, 64);
        memset(pinned, 0, 64);
        cudaMemcpy(device, pinned, 64, cudaMemcpyDeviceToHost); /* line: wrong way */
        cudaMemcpy(pinned, device, 64, cudaMemcpyDeviceToHost);
        cudaFree(device);
        cudaFreeHost(pinned);
        return 0;
    }
    if (strcmp(what, "touch-heap") == 0) {
        char *volatile a = (char *)malloc(24), *volatile b = (char *)malloc(24);
        for (int i = 0; i < 64; i++)
            a[i] = 'x';
        free(b); /* line: heap */
    }
    if (strcmp(what, "touch-index") == 0)
        return raise(SIGILL); /* line: out of bounds */
    if (strcmp(what, "touch-divide") == 0) {
        volatile int threads = 20;
        return 1000 / (threads / 32 * 32); /* line: divide */
    }
    if (strncmp(what, "touch-little", 12) == 0)
        return cudaFree(d);
    if (!handled || sigsetjmp(back, 1) == 0)
        d[1] = 7; /* line: host write */
    cudaFree(d);
    return 0;
}

static int run_checked(void) /* every call checked: the status tells which one failed */
{
    int *d, h[4], k = 10;
    cudaStream_t s;
    cudaEvent_t e;
    cudaFuncAttributes attributes;
#define STEP(call)                                  \
    do {                                            \
        cudaError_t error = (call);                 \
        if (error != cudaSuccess) {                 \
            printf("%d %s\n", k, cudaGetErrorName(error)); \
            return k;                               \
        }                                           \
        k++;                                        \
    } while (0)
    STEP(cudaStreamCreate(&s));
    STEP(cudaEventCreate(&e));
    STEP(cudaMalloc(&d, 16));
    fill<<<1, 4>>>(d, 4);
    STEP(cudaGetLastError());
    STEP(cudaDeviceSynchronize());
    STEP(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    STEP(cudaDeviceSynchronize()); /* for what has been waited for: it cannot fail */
    STEP(cudaFuncGetAttributes(&attributes, fill));
    STEP(cudaFuncGetAttributes(&attributes, fill)); /* only the first question about a kernel can fail */
    STEP(cudaFree(d));
    STEP(cudaEventDestroy(e));
    STEP(cudaStreamDestroy(s));
    return 0;
}

static void on_term(int)
{
    _exit(42);
}

/* Two pieces in two streams, or one after the other in one stream. */
static int pieces(bool side_by_side)
{
    const int n = 65536, bytes = n * (int)sizeof(int);
    int *h, *d;
    cudaStream_t stream[2];
    cudaMallocHost(&h, 2 * bytes);
    cudaMalloc(&d, 2 * bytes);
    memset(h, 0, 2 * bytes);
    cudaStreamCreate(&stream[0]);
    cudaStreamCreate(&stream[1]);
    for (int i = 0; i < 2; i++) {
        cudaStream_t s = stream[side_by_side ? i : 0];
        cudaMemcpyAsync(d + i * n, h + i * n, bytes, cudaMemcpyHostToDevice, s);
        fill<<<n / 64, 64, 0, s>>>(d + i * n, n);
        cudaMemcpyAsync(h + i * n, d + i * n, bytes, cudaMemcpyDeviceToHost, s);
    }
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream[0]);
    cudaStreamDestroy(stream[1]);
    cudaFree(d);
    cudaFreeHost(h);
    return 0;
}

static int streams_race(bool by_default)
{
    int *d;
    cudaStream_t stream[2];
    cudaMalloc(&d, 400);
    cudaStreamCreateWithFlags(&stream[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking);
    fill<<<2, 64, 0, stream[0]>>>(d, 100); /* line: first stream */
    if (by_default)
        fill<<<2, 64>>>(d, 100);
    else
        fill<<<2, 64, 0, stream[1]>>>(d, 100); /* line: second stream */
    cudaFree(d);
    return 0;
}

/* What a kernel meant by an address: "far", behind the end of the first of two arrays; "freed", before it, where memory was freed; "chased", a pointer from
 * memory that leads to freed memory. */
static int arrays(const char *what)
{
    int *gone, *from, *to, **table;
    cudaMalloc(&gone, 4000);
    cudaMalloc(&from, 400);
    cudaMalloc(&to, 400);
    cudaMalloc(&table, sizeof *table);
    cudaMemset(gone, 0, 4000);
    cudaMemset(from, 0, 400);
    cudaMemset(to, 0, 400);
    cudaMemcpy(table, &gone, sizeof gone, cudaMemcpyHostToDevice);
    cudaFree(gone);
    if (strcmp(what, "far") == 0)
        gather<<<1, 128>>>(from, to, 300, 100); /* line: far */
    else if (strcmp(what, "freed") == 0)
        gather<<<1, 128>>>(from, to, -700, 100);
    else if (strcmp(what, "chased") == 0)
        chase<<<1, 1>>>(table, to);
    else if (strcmp(what, "turns") == 0)
        turns<<<1, 64>>>(to);
    else
        endless<<<1, 32>>>(to, 0);
    cudaDeviceSynchronize();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    int *d, h[200];
    if (strcmp(what, "overlap") == 0 || strcmp(what, "serial") == 0)
        return pieces(strcmp(what, "overlap") == 0);
    if (strncmp(what, "streams-", 8) == 0)
        return streams_race(strcmp(what, "streams-default") == 0);
    if (strcmp(what, "host-beyond") == 0) {
        int *pinned;
        cudaMallocHost(&pinned, 4096);
        cudaMalloc(&d, 4096);
        return cudaMemcpy(d, pinned + (1 << 28), 4096, cudaMemcpyHostToDevice); /* line: beyond */
    }
    if (strncmp(what, "overread", 8) == 0) { /* of an array as a lab has it: the first four of eight numbers */
        static const int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        auto tell = (void (*)(const void *, size_t))dlsym(RTLD_DEFAULT, "vgpu_lab_array");
        int *four, first = strcmp(what, "overread") == 0;
        if (tell)
            tell(numbers, 4 * sizeof(int));
        cudaMalloc(&four, 4 * sizeof(int));
        cudaMemcpy(four, numbers + first, 4 * sizeof(int), cudaMemcpyHostToDevice); /* line: overread */
        cudaMemcpy(four, numbers + 4, 4 * sizeof(int), cudaMemcpyHostToDevice); /* another array */
        return cudaFree(four);
    }
    if (strcmp(what, "nothing") == 0)
        return cudaFree(NULL);
    if (strcmp(what, "checked") == 0)
        return run_checked();
    if (strcmp(what, "sleep") == 0) {
        signal(SIGTERM, on_term);
        puts("ready");
        fflush(stdout);
        sleep(20);
        return 1;
    }
    if (strncmp(what, "touch-", 6) == 0)
        return touch(what);
    if (strcmp(what, "assert") == 0) {
        assert_small<<<1, 1>>>(2);
        return cudaDeviceSynchronize() != cudaErrorAssert;
    }
    if (strncmp(what, "array-", 6) == 0)
        return arrays(what + 6);
    if (strcmp(what, "asked-twice") == 0) {
        fill<<<1, 2048>>>(NULL, 0);
        bool failed = cudaGetLastError() != cudaSuccess;
        return failed ? (int)cudaGetLastError() : 1; /* line: asked twice */
    }
    if (strcmp(what, "asked-and-cleared") == 0) {
        fill<<<1, 2048>>>(NULL, 0);
        cudaError_t error = cudaGetLastError();
        cudaDeviceSynchronize();
        return cudaGetLastError() != cudaSuccess || error == cudaSuccess;
    }
    cudaMalloc(&d, 400); /* line: allocation */
    if (strcmp(what, "race-twice") == 0) {
        cudaMemset(d, 0, 400);
        for (int i = 0; i < 3; i++)
            write_both<<<1, 2>>>(d);
    }
    if (strcmp(what, "bounds") == 0)
        fill<<<2, 64>>>(d, 128); /* line: launch */
    else
        fill<<<2, 64>>>(d, 100);
    if (strcmp(what, "copies") == 0) {
        int *other;
        cudaMalloc(&other, 800);
        cudaMemset(other, 7, 800);
        cudaMemset(other, 0, 100); /* counts as a kernel's zeros, the 7s do not */
        cudaMemcpy(other + 100, d, 400, cudaMemcpyDeviceToDevice);
        cudaMemcpy(h, other, 800, cudaMemcpyDeviceToHost);
        cudaFree(other);
    }
    if (strcmp(what, "forever") == 0) {
        cudaMemset(d, 0, 4);
        forever<<<1, 1>>>(d);
    }
    if (strcmp(what, "chain") == 0 || strcmp(what, "chain-of-tickets") == 0) {
        int *told, n = 2000;
        cudaMalloc(&told, (n + 1) * sizeof(int));
        cudaMemset(told, 0, (n + 1) * sizeof(int));
        chain<<<n, 256>>>(told, strcmp(what, "chain") == 0 ? NULL : told + n);
        cudaDeviceSynchronize();
        cudaFree(told);
    }
    if (strcmp(what, "count-forever") == 0 || strcmp(what, "deaf") == 0) {
        if (strcmp(what, "deaf") == 0)
            signal(SIGTERM, SIG_IGN);
        cudaMemset(d, 0, 8);
        printf("launched\n");
        fflush(stdout);
        count_forever<<<2, 33>>>(d);
    }
    if (strcmp(what, "late-rows") == 0) {
        while (clock() < 2 * CLOCKS_PER_SEC)
            ;
        add_rows<<<4096, 256>>>(d);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (strcmp(what, "print") == 0)
        printf("%s\n", cudaGetErrorName(error));
    if (strcmp(what, "status") == 0)
        return 5;
    if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(what, "quick-exit") == 0)
        _exit(0);
    if (strcmp(what, "leak") != 0)
        cudaFree(d);
    if (strcmp(what, "free-twice") == 0)
        cudaFree(d); /* line: second free */
    return 0;
}
