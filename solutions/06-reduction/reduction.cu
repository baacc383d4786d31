// Lab 06: many numbers become one. The contract is in reduction.h, the steps are in README.md.
#include "lab.h"
#include "reduction.h"

#define BLOCK 256
#define BLOCKS_MAX 160 // enough threads to keep a card busy, and few enough that each has many elements

//@ show slow
// Version 0, which works: one atomic addition for each element. All of them want the same four bytes, so they wait
// for each other.
__global__ void sum_atomic_kernel(const float *in, float *sum, int n)
{
    int mine = blockIdx.x * blockDim.x + threadIdx.x;
    if (mine < n)
        atomicAdd(sum, in[mine]);
}
//@ end

// ---- Version 1: a tree in shared memory ----

// Adds up what the threads of a block have each as `own`: all of them must call it. Thread 0 gets the sum, the
// others something.
__device__ float tree_sum(float own)
{
    //@ solution 1
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
    //@ stub
    //| // TODO 1 (tree): put every thread's value into a shared array; let half of the threads add a value of the other
    //| // half to theirs; then half of these; and so on.
    //| return own;
    //@ end
}

__global__ void sum_tree_kernel(const float *in, float *sum, int n)
{
    //@ solution 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = tree_sum(i < n ? in[i] : 0.0f);
    if (threadIdx.x == 0)
        atomicAdd(sum, total);
    //@ stub
    //| // TODO 1 (kernel): what does a thread without an element contribute? One atomicAdd for each block.
    //@ end
}

int sum_tree(const float *in, float *sum, int n)
{
    //@ solution 1
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float)); // all bits 0 are the float 0
    if (err != cudaSuccess || n == 0)
        return err;
    sum_tree_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sum, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch): what is in *sum before the first block adds to it?
    //| return cudaSuccess;
    //@ end
}

// ---- Version 2: many elements for each thread, before the tree ----

//@ solution 2
// Blocks for n elements: one thread each, until there are enough blocks.
static int blocks_for(int n)
{
    return min((n + BLOCK - 1) / BLOCK, BLOCKS_MAX);
}

//@ stub
//@ end
__global__ void sum_strided_kernel(const float *in, float *sum, int n)
{
    //@ solution 2
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    float total = tree_sum(own);
    if (threadIdx.x == 0)
        atomicAdd(sum, total);
    //@ stub
    //| // TODO 2 (kernel): a grid-stride loop adds up in a register; the tree comes once, behind it.
    //@ end
}

int sum_strided(const float *in, float *sum, int n)
{
    //@ solution 2
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float));
    if (err != cudaSuccess || n == 0)
        return err;
    sum_strided_kernel<<<blocks_for(n), BLOCK>>>(in, sum, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 2 (launch): at most BLOCKS_MAX blocks.
    //| return cudaSuccess;
    //@ end
}

// ---- Version 3: the last steps by warps ----

// Adds up what the 32 threads of a warp have each as `own`: all of them must call it. Lane 0 gets the sum.
__device__ float warp_sum(float own)
{
    //@ solution 3
    for (int s = 16; s > 0; s /= 2)
        own += __shfl_down_sync(0xffffffff, own, s);
    return own;
    //@ stub
    //| // TODO 3 (warp): the tree for 32 values, with __shfl_down_sync and no shared memory.
    //| return own;
    //@ end
}

__global__ void sum_warps_kernel(const float *in, float *sum, int n)
{
    //@ solution 3
    __shared__ float of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    own = warp_sum(own);
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        float total = warp_sum(lane < BLOCK / 32 ? of_warp[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(sum, total);
    }
    //@ stub
    //| // TODO 3 (kernel): as TODO 2; then each warp adds up its own, one barrier, and one warp adds up the warps' sums.
    //@ end
}

int sum_warps(const float *in, float *sum, int n)
{
    //@ solution 3
    cudaError_t err = cudaMemsetAsync(sum, 0, sizeof(float));
    if (err != cudaSuccess || n == 0)
        return err;
    sum_warps_kernel<<<blocks_for(n), BLOCK>>>(in, sum, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 3 (launch): as TODO 2.
    //| return cudaSuccess;
    //@ end
}

// ---- The largest element: another operation, any block, and no atomics ----

__global__ void max_kernel(const float *in, float *max_of_block, int n)
{
    //@ solution 4
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
    //@ stub
    //| // TODO 4 (kernel): the largest of this block's elements into max_of_block[blockIdx.x]. With what does `own` begin,
    //| // and what if the number of threads is odd?
    //@ end
}

int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    //@ solution 4
    size_t bytes = threads * sizeof(float);
    long long wanted = ((long long)n + threads - 1) / threads;
    int blocks = wanted < 1 ? 1 : wanted > BLOCKS_MAX ? BLOCKS_MAX : (int)wanted; // one block does n = 0
    max_kernel<<<blocks, threads, bytes>>>(in, scratch, n);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        return err;
    max_kernel<<<1, threads, bytes>>>(scratch, max, blocks);
    return cudaGetLastError();
    //@ stub
    //| // TODO 4 (launches): the first finds the largest element of each block, the second the largest of these.
    //| return cudaSuccess;
    //@ end
}
