// Lab 03: tiles in shared memory. The contract is in shared_memory.h, the steps are in README.md.
#include "lab.h"
#include "shared_memory.h"

// ---- Runs turned round: an array whose size the compiler knows ----

// One block for each run. No thread may write before every thread of the block has read.
__global__ void reverse_static_kernel(int *data, int n)
{
    // TODO 1 (kernel): declare a shared array of REVERSE_RUN elements; load the block's run into it; wait for all
    // threads of the block; store the run turned round. The last run may be shorter.
}

int reverse_static(int *data, int n)
{
    // TODO 1 (launch): one block for each run, and return what the launch gave.
    return cudaSuccess;
}

// ---- Runs turned round: the launch says how large the array is ----

__global__ void reverse_dynamic_kernel(int *data, int n)
{
    // TODO 2 (kernel): as TODO 1, with an array declared `extern __shared__` and blocks as large as a run.
}

int reverse_dynamic(int *data, int n, int run)
{
    // TODO 2 (launch): blocks of `run` threads, and the size of the shared array in bytes.
    return cudaSuccess;
}

// ---- What the stencils have in common ----

// All threads of the block together fill tile[0 .. count-1] with in[first .. first+count-1], and with 0 for
// what lies outside of in[0 .. n-1]. count may be more than the threads of the block. Who calls it waits for the
// other threads.
__device__ void load_tile(int *tile, int count, const int *in, int n, int first)
{
    // TODO 3 (load): a loop like the grid-stride loop of lab 01, over the block instead of the grid.
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
    // TODO 3 (kernel): load the elements of this block and the halo on both sides; wait; sum up one element.
}

int stencil_static(const int *in, int *out, int n)
{
    // TODO 3 (launch): blocks of STENCIL_BLOCK threads, one thread for each element.
    return cudaSuccess;
}

// ---- A stencil of any radius, with blocks of any size ----

__global__ void stencil_dynamic_kernel(const int *in, int *out, int n, int radius)
{
    // TODO 4 (kernel): as TODO 3, with a tile that is as large as blockDim.x and radius ask.
}

int stencil_dynamic(const int *in, int *out, int n, int radius, int threads)
{
    // TODO 4 (launch): blocks of `threads` threads; how many bytes has a tile with its halo?
    return cudaSuccess;
}

// ---- A stencil with fewer blocks than tiles ----

__global__ void stencil_loop_kernel(const int *in, int *out, int n, int radius)
{
    // TODO 5 (kernel): put TODO 4 in a loop over tiles, which all threads of a block go through equally often. When
    // may the next turn load into the tile?
}

int stencil_loop(const int *in, int *out, int n, int radius, int blocks, int threads)
{
    // TODO 5 (launch): with the blocks and threads that are asked for.
    return cudaSuccess;
}
