// Lab 06: many numbers become one. The contract is in reduction.h, the steps are in README.md.
#include "lab.h"
#include "reduction.h"

#define BLOCK 256
#define BLOCKS_MAX 160 // enough threads to keep a card busy, and few enough that each has many elements

// Version 0, which works: one atomic addition for each element. All of them want the same four bytes, so they wait
// for each other.
__global__ void sum_atomic_kernel(const float *in, float *sum, int n)
{
    int mine = blockIdx.x * blockDim.x + threadIdx.x;
    if (mine < n)
        atomicAdd(sum, in[mine]);
}

// ---- Version 1: a tree in shared memory ----

// Adds up what the threads of a block have each as `own`: all of them must call it. Thread 0 gets the sum, the
// others something.
__device__ float tree_sum(float own)
{
    // TODO 1 (tree): put every thread's value into a shared array; let half of the threads add a value of the other
    // half to theirs; then half of these; and so on.
    return own;
}

__global__ void sum_tree_kernel(const float *in, float *sum, int n)
{
    // TODO 1 (kernel): what does a thread without an element contribute? One atomicAdd for each block.
}

int sum_tree(const float *in, float *sum, int n)
{
    // TODO 1 (launch): what is in *sum before the first block adds to it?
    return cudaSuccess;
}

// ---- Version 2: many elements for each thread, before the tree ----

__global__ void sum_strided_kernel(const float *in, float *sum, int n)
{
    // TODO 2 (kernel): a grid-stride loop adds up in a register; the tree comes once, behind it.
}

int sum_strided(const float *in, float *sum, int n)
{
    // TODO 2 (launch): at most BLOCKS_MAX blocks.
    return cudaSuccess;
}

// ---- Version 3: the last steps by warps ----

// Adds up what the 32 threads of a warp have each as `own`: all of them must call it. Lane 0 gets the sum.
__device__ float warp_sum(float own)
{
    // TODO 3 (warp): the tree for 32 values, with __shfl_down_sync and no shared memory.
    return own;
}

__global__ void sum_warps_kernel(const float *in, float *sum, int n)
{
    // TODO 3 (kernel): as TODO 2; then each warp adds up its own, one barrier, and one warp adds up the warps' sums.
}

int sum_warps(const float *in, float *sum, int n)
{
    // TODO 3 (launch): as TODO 2.
    return cudaSuccess;
}

// ---- The largest element: another operation, any block, and no atomics ----

__global__ void max_kernel(const float *in, float *max_of_block, int n)
{
    // TODO 4 (kernel): the largest of this block's elements into max_of_block[blockIdx.x]. With what does `own` begin,
    // and what if the number of threads is odd?
}

int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    // TODO 4 (launches): the first finds the largest element of each block, the second the largest of these.
    return cudaSuccess;
}
