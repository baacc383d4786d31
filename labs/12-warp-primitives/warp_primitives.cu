// Lab 12: the lanes of a warp talk to each other. The contract is in warp_primitives.h, the steps are in README.md.
#include "lab.h"
#include "warp_primitives.h"

#include <limits.h>

#define BLOCK 256            // threads of a block: eight warps
#define ALL_LANES 0xffffffff // a mask with a bit for each of the 32 lanes

__device__ int my_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ int my_lane()
{
    return threadIdx.x % RUN;
}

// ---- The sum of a run: half of the lanes, a quarter, ... ----

__global__ void run_sums_kernel(const int *in, int *sums, int n)
{
    // TODO 1 (kernel): add up the elements of the warp by __shfl_down_sync. What does a lane without an element do?
    // Which lane has the sum in the end?
}

int run_sums(const int *in, int *sums, int n)
{
    // TODO 1 (launch): a thread for each element, if there is an element at all, in blocks of BLOCK threads.
    return cudaSuccess;
}

// ---- Running sums: from the lanes below ----

__global__ void run_scans_kernel(const int *in, int *out, int n)
{
    // TODO 2 (kernel): __shfl_up_sync with distances 1, 2, 4, 8, 16. Which lanes must not add what they get?
}

int run_scans(const int *in, int *out, int n)
{
    // TODO 2 (launch): as before.
    return cudaSuccess;
}

// ---- The largest of a group, for all of its lanes: a butterfly ----

__global__ void below_largest_kernel(const int *in, int *out, int n, int width)
{
    // TODO 3 (kernel): with __shfl_xor_sync both lanes of a pair get the other's value, so that all know the result.
}

int below_largest(const int *in, int *out, int n, int width)
{
    // TODO 3 (launch): as before.
    return cudaSuccess;
}

// ---- A vote, and what each lane reads from it ----

__global__ void positive_first_kernel(const int *in, int *out, int n)
{
    // TODO 4 (kernel): __ballot_sync tells every lane which lanes have a positive element. How many are below yours?
}

int positive_first(const int *in, int *out, int n)
{
    // TODO 4 (launch): as before.
    return cudaSuccess;
}

// ---- One atomic for a warp ----

__global__ void count_positive_kernel(const int *in, int *count, int n)
{
    // TODO 5 (kernel): a vote, and one lane that speaks for all.
}

int count_positive(const int *in, int *count, int n)
{
    // TODO 5 (launch): what is in *count before the first warp adds to it?
    return cudaSuccess;
}
