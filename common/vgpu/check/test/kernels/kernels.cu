// Kernels for test_kernels.c: for each fault that a checker must find, a kernel with it and one without it.
#include <cooperative_groups.h>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

extern "C" {

// ---- shared memory ----

__global__ void stencil(const float *in, float *out, int n, int barrier)
{
    __shared__ float tile[258];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = i < n ? in[i] : 0;                       // tile write
    if (threadIdx.x == 0)
        tile[0] = i > 0 && i <= n ? in[i - 1] : 0;     // left halo
    if (threadIdx.x == blockDim.x - 1)
        tile[t + 1] = i + 1 < n ? in[i + 1] : 0;       // right halo
    if (barrier)
        __syncthreads();
    if (i < n)
        out[i] = tile[t - 1] + tile[t] + tile[t + 1];  // tile read
}

__global__ void stencil_without_right_halo(const float *in, float *out, int n)
{
    __shared__ float tile[258];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x == 0)
        tile[0] = i > 0 && i <= n ? in[i - 1] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[t - 1] + tile[t + 1]; // uninitialised halo
}

__global__ void reduce(const float *in, float *out, int n, int sync)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k >= 32; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *v = s;
        for (int k = 16; k > 0; k /= 2) {
            float x = v[t + k]; // warp tail read
            if (sync)
                __syncwarp();
            v[t] = v[t] + x;    // warp tail write
            if (sync)
                __syncwarp();
        }
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void matmul(const float *a, const float *b, float *c, int n, int second_barrier)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];       // tile a write
        tb[y][x] = b[(k + y) * n + col];     // tile b write
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += ta[y][i] * tb[i][x];      // tiles read
        if (second_barrier)
            __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

// ---- histograms ----

__global__ void histogram(const unsigned char *in, int *bins, int n)
{
    __shared__ int local[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] % 64], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}

__global__ void histogram_plain(const unsigned char *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bins[in[i] % 64]++; // plain increment
}

__global__ void histogram_no_flush_barrier(const unsigned char *in, int *bins, int n)
{
    __shared__ int local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&local[in[i] % 64], 1); // bin atomic
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]); // flush
}

// ---- across blocks ----

__device__ unsigned arrived;

__global__ void last_block(const float *in, float *partial, float *out, int n, int fence)
{
    __shared__ float s[256];
    __shared__ bool last;
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0]; // partial write
        if (fence)
            __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    float sum = 0;
    for (unsigned b = t; b < gridDim.x; b += blockDim.x)
        sum += partial[b]; // partial read
    s[t] = sum;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < blockDim.x; k++)
            sum += s[k];
        out[0] = sum;
        arrived = 0; // reset
    }
}

__device__ int mutex_word;

__global__ void locked(int *counter, int fence)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex_word, 0, 1) != 0)
            ;
        if (fence)
            __threadfence();
        *(volatile int *)counter = *(volatile int *)counter + 1; // guarded
        if (fence)
            __threadfence();
        atomicExch(&mutex_word, 0);
    }
}

__global__ void in_place(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = i > 0 && i < n ? a[i - 1] : 0; // neighbour read
    __syncthreads();
    if (i < n)
        a[i] = left; // own write
}

__global__ void found(const int *in, int *flag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] >= 0)
        *flag = 1; // same value
}

__global__ void grid_sync(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = (float)i;
    cg::this_grid().sync();
    if (i < n)
        b[i] = a[n - 1 - i];
}

// ---- memory ----

__global__ void no_guard(const float *a, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i]; // no guard
}

__global__ void early_return(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    a[i] = 1;
    __syncthreads(); // barrier after return
}

__global__ void barriers_after_return(float *a, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    __syncthreads(); // first of two
    a[i] = 1;
    __syncthreads();
}

// Threads come apart, and then exit: one cause.
__global__ void barrier_in_loop(float *a)
{
    for (int i = threadIdx.x; i < 40; i += 32)
        __syncthreads(); // barrier in loop
    a[threadIdx.x] = 1;
    __syncthreads();
}

__global__ void exchange_in_if(int *a, int n)
{
    int i = threadIdx.x, own = i;
    if (i < n)
        own += __shfl_down_sync(0xFFFFFFFF, own, 4); // exchange in if
    a[i] = own;
}

// Lanes past n exit, and full masks name them: right, as nobody reads a value of theirs.
__global__ void exited_lanes_named(unsigned *a, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    unsigned votes = __ballot_sync(0xFFFFFFFF, i % 2), first = __shfl_sync(0xFFFFFFFF, i, 0);
    __syncwarp();
    a[i] = votes + first + __any_sync(0xFFFFFFFF, i == 3);
}

// The same in an if that the kernel ends with.
__global__ void vote_in_last_if(unsigned *a, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        unsigned votes = __ballot_sync(0xFFFFFFFF, i % 2);
        if (i == 0)
            a[0] = votes;
    }
}

__global__ void sum_of_exited(int *a, int n)
{
    int i = threadIdx.x, sum = i;
    if (i >= n)
        return;
    for (int s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, s); // shuffle from exited
    if (i == 0)
        a[0] = sum;
}

// ---- compare and swap ----

// The programming guide's loop.
__global__ void swap_loop(unsigned long long *a, int n)
{
    unsigned long long old = a[threadIdx.x % n], assumed; // guess
    do {
        assumed = old;
        old = atomicCAS(&a[threadIdx.x % n], assumed, // swap
                        __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
}

__global__ void swap_in_shared(int *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int old = sum, assumed; // shared guess
    do {
        assumed = old;
        old = atomicCAS(&sum, assumed, assumed + 3); // shared swap
    } while (assumed != old);
    __syncthreads();
    out[threadIdx.x] = sum;
}

// NVIDIA's own, which rounds by branches that the value decides.
__global__ void add_bfloat16(__nv_bfloat16 *a)
{
    atomicAdd(a, __float2bfloat16(1.0f)); // bfloat16
}

// The value also goes elsewhere.
__global__ void swap_and_store(int *a, int *out)
{
    int old = *a, assumed; // kept guess
    out[threadIdx.x] = old;
    do {
        assumed = old;
        old = atomicCAS(a, assumed, assumed + 1); // kept swap
    } while (assumed != old);
}

// The value decides whether there is a swap at all.
__global__ void swap_if_small(int *a, int most)
{
    int old = *a; // deciding read
    if (old < most)
        atomicCAS(a, old, old + 1); // decided swap
}

// The swap is of another place, and does not check the value.
__global__ void swap_elsewhere(int *a, int *b)
{
    int seen = *a;         // read for another
    atomicCAS(b, seen, 7);
    atomicAdd(a, 1); // changed by others
}

// Nobody compares with the value: it is lost or kept by chance.
__global__ void blind_swap(int *a)
{
    int seen = *a;              // read for blind
    atomicCAS(a, 0, seen + 1); // blind swap
}

// A guess and another thread's plain write.
__global__ void swap_and_set(int *a)
{
    if (threadIdx.x == 40) {
        *a = 5; // plain set
        return;
    }
    int old = *a, assumed; // guess beside a set
    do {
        assumed = old;
        old = atomicCAS(a, assumed, assumed + 1); // swap beside a set
    } while (assumed != old);
}

__global__ void divergent_barrier(float *a)
{
    if (threadIdx.x % 2) {
        a[threadIdx.x] = 1;
        __syncthreads(); // odd barrier
    } else {
        a[threadIdx.x] = 2;
        __syncthreads(); // even barrier
    }
}
}

/* nvcc loads `v` whatever the condition, and then selects. */
__device__ __noinline__ void set_if(bool set, int *v)
{
    if (set)
        *v = 7;
}

extern "C" __global__ void speculated(const int *in, int *out, int all)
{
    int v;
    bool set = in[threadIdx.x] % 2 == 0;
    set_if(set, &v);
    out[threadIdx.x] = (set || all ? v : 3) * in[threadIdx.x]; // speculated
}

extern "C" __global__ void unlocked(int *locks, int *out, int keep)
{
    int was = atomicExch(&locks[threadIdx.x], 0); // unlocked
    if (keep)
        out[threadIdx.x] = was + 1;
}

extern "C" __global__ void copied(const int *from, int *to, int n)
{
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = from[i];
    __syncthreads();
    if (i < n)
        to[i] = tile[63 - threadIdx.x];
}

extern "C" __global__ void copied_and_changed(const int *from, int *to, int n)
{
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = from[i]; // from nobody
    __syncthreads();
    if (i < n)
        to[i] = tile[63 - threadIdx.x] + 1;
}
