// expect: race
// case: warps
// line: 94
// Reads the sums of the warps before all of them are there.
#include "lab.h"
#include "reduction.h"

#define BLOCK 256
#define BLOCKS_MAX 160 // enough threads to keep a card busy, and few enough that each has many elements

// ---- Version 1: a tree in shared memory ----

// Adds up what the threads of a block have each as `own`: all of them must call it. Thread 0 gets the sum, the
// others something.
__device__ float tree_sum(float own)
{
    __shared__ float partial[BLOCK];
    int t = threadIdx.x;
    partial[t] = own;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            partial[t] += partial[t + s];
        __syncthreads();
    }
    return partial[0];
}

__global__ void sum_tree_kernel(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = tree_sum(i < n ? in[i] : 0.0f);
    if (threadIdx.x == 0)
        atomicAdd(sum, total);
}

int sum_tree(const float *in, float *sum, int n)
{
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float)); // all bits 0 are the float 0
    if (err != cudaSuccess || n == 0)
        return err;
    sum_tree_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sum, n);
    return cudaGetLastError();
}

// ---- Version 2: many elements for each thread, before the tree ----

// Blocks for n elements: one thread each, until there are enough blocks.
static int blocks_for(int n)
{
    return min((n + BLOCK - 1) / BLOCK, BLOCKS_MAX);
}

__global__ void sum_strided_kernel(const float *in, float *sum, int n)
{
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    float total = tree_sum(own);
    if (threadIdx.x == 0)
        atomicAdd(sum, total);
}

int sum_strided(const float *in, float *sum, int n)
{
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float));
    if (err != cudaSuccess || n == 0)
        return err;
    sum_strided_kernel<<<blocks_for(n), BLOCK>>>(in, sum, n);
    return cudaGetLastError();
}

// ---- Version 3: the last steps by warps ----

// Adds up what the 32 threads of a warp have each as `own`: all of them must call it. Lane 0 gets the sum.
__device__ float warp_sum(float own)
{
    for (int s = 16; s > 0; s /= 2)
        own += __shfl_down_sync(0xffffffff, own, s);
    return own;
}

__global__ void sum_warps_kernel(const float *in, float *sum, int n)
{
    __shared__ float of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    own = warp_sum(own);
    if (lane == 0)
        of_warp[warp] = own;
    if (warp == 0) {
        float total = warp_sum(lane < BLOCK / 32 ? of_warp[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(sum, total);
    }
}

int sum_warps(const float *in, float *sum, int n)
{
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float));
    if (err != cudaSuccess || n == 0)
        return err;
    sum_warps_kernel<<<blocks_for(n), BLOCK>>>(in, sum, n);
    return cudaGetLastError();
}

// ---- The largest element: another operation, any block, and no atomics ----

__global__ void max_kernel(const float *in, float *max_of_block, int n)
{
    extern __shared__ float partial[]; // blockDim.x floats
    int t = threadIdx.x;
    float own = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        own = fmaxf(own, in[i]);
    partial[t] = own;
    __syncthreads();
    for (int count = blockDim.x; count > 1;) {
        int half = (count + 1) / 2; // of an odd number the middle one waits for the next round
        if (t + half < count)
            partial[t] = fmaxf(partial[t], partial[t + half]);
        __syncthreads();
        count = half;
    }
    if (t == 0)
        max_of_block[blockIdx.x] = partial[0];
}

int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    size_t bytes = threads * sizeof(float);
    long long wanted = ((long long)n + threads - 1) / threads;
    int blocks = wanted < 1 ? 1 : wanted > BLOCKS_MAX ? BLOCKS_MAX : (int)wanted; // one block does n = 0
    max_kernel<<<blocks, threads, bytes>>>(in, scratch, n);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        return err;
    max_kernel<<<1, threads, bytes>>>(scratch, max, blocks);
    return cudaGetLastError();
}
