// expect: out-of-bounds
// case: stencil-loop
// line: 67
// says: a halo on both sides
// The launch gives room for the halo on one side.
#include "lab.h"
#include "shared_memory.h"

// ---- Runs turned round: an array whose size the compiler knows ----

// One block for each run. No thread may write before every thread of the block has read.
__global__ void reverse_static_kernel(int *data, int n)
{
    __shared__ int tile[REVERSE_RUN];
    int t = threadIdx.x;
    int first = blockIdx.x * REVERSE_RUN;
    int count = min(REVERSE_RUN, n - first);
    if (t < count)
        tile[t] = data[first + t];
    __syncthreads();
    if (t < count)
        data[first + t] = 255 - tile[count - 1 - t];
}

int reverse_static(int *data, int n)
{
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + REVERSE_RUN - 1) / REVERSE_RUN;
    reverse_static_kernel<<<blocks, REVERSE_RUN>>>(data, n);
    return cudaGetLastError();
}

// ---- Runs turned round: the launch says how large the array is ----

__global__ void reverse_dynamic_kernel(int *data, int n)
{
    extern __shared__ int tile[]; // blockDim.x elements: a block is as large as a run
    int t = threadIdx.x;
    int first = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - first);
    if (t < count)
        tile[t] = data[first + t];
    __syncthreads();
    if (t < count)
        data[first + t] = 255 - tile[count - 1 - t];
}

int reverse_dynamic(int *data, int n, int run)
{
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + run - 1) / run;
    reverse_dynamic_kernel<<<blocks, run, run * sizeof(int)>>>(data, n);
    return cudaGetLastError();
}

// ---- What the stencils have in common ----

// All threads of the block together fill tile[0 .. count-1] with in[first .. first+count-1], and with 0 for
// what lies outside of in[0 .. n-1]. count may be more than the threads of the block. Who calls it waits for the
// other threads.
__device__ void load_tile(int *tile, int count, const int *in, int n, int first)
{
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? in[i] : 0;
    }
}

// 1 * window[0] + 2 * window[1] + ... + (2 * radius + 1) * window[2 * radius]
__device__ int weighted_sum(const int *window, int radius)
{
    int sum = 0;
    for (int d = 0; d <= 2 * radius; d++)
        sum += (d + 1) * window[d];
    return sum;
}

// ---- A stencil whose block and radius the compiler knows ----

#define STENCIL_BLOCK 256

__global__ void stencil_static_kernel(const int *in, int *out, int n)
{
    const int count = STENCIL_BLOCK + 2 * STENCIL_RADIUS;
    __shared__ int tile[count];
    int first = blockIdx.x * STENCIL_BLOCK;
    load_tile(tile, count, in, n, first - STENCIL_RADIUS);
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n)
        out[i] = weighted_sum(tile + threadIdx.x, STENCIL_RADIUS);
}

int stencil_static(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + STENCIL_BLOCK - 1) / STENCIL_BLOCK;
    stencil_static_kernel<<<blocks, STENCIL_BLOCK>>>(in, out, n);
    return cudaGetLastError();
}

// ---- A stencil of any radius, with blocks of any size ----

__global__ void stencil_dynamic_kernel(const int *in, int *out, int n, int radius)
{
    extern __shared__ int tile[]; // blockDim.x + 2 * radius elements
    int first = blockIdx.x * blockDim.x;
    load_tile(tile, blockDim.x + 2 * radius, in, n, first - radius);
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n)
        out[i] = weighted_sum(tile + threadIdx.x, radius);
}

int stencil_dynamic(const int *in, int *out, int n, int radius, int threads)
{
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + threads - 1) / threads;
    size_t tile_bytes = (threads + 2 * radius) * sizeof(int);
    stencil_dynamic_kernel<<<blocks, threads, tile_bytes>>>(in, out, n, radius);
    return cudaGetLastError();
}

// ---- A stencil with fewer blocks than tiles ----

__global__ void stencil_loop_kernel(const int *in, int *out, int n, int radius)
{
    extern __shared__ int tile[]; // blockDim.x + 2 * radius elements
    int step = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += step) {
        load_tile(tile, blockDim.x + 2 * radius, in, n, first - radius);
        __syncthreads();
        int i = first + threadIdx.x;
        if (i < n)
            out[i] = weighted_sum(tile + threadIdx.x, radius);
        __syncthreads(); // the next turn loads into the same tile, which others may still be reading
    }
}

int stencil_loop(const int *in, int *out, int n, int radius, int blocks, int threads)
{
    if (n == 0)
        return cudaSuccess;
    size_t tile_bytes = (threads + radius) * sizeof(int);
    stencil_loop_kernel<<<blocks, threads, tile_bytes>>>(in, out, n, radius);
    return cudaGetLastError();
}
