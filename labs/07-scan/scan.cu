// Lab 07: running sums, in parallel. The contract is in scan.h, the steps are in README.md.
#include "lab.h"
#include "scan.h"

#define BLOCK 256 // threads of a block, and elements of a run of scan_runs
#define ITEMS 4   // elements of a thread in exclusive_scan_fast

// ---- Version 1: doubling in shared memory ----

// The sum of `own` over this thread and all before it in the block: all threads of the block must call it.
// 8 steps, in each of which nearly every thread adds: simple, and more additions than needed.
__device__ int inclusive_doubling(int own)
{
    // TODO 1 (block): running sums by doubling: after the step with distance d, every sum spans 2 * d threads.
    return own;
}

__global__ void scan_runs_kernel(const int *in, int *out, int n)
{
    // TODO 1 (kernel): one run for each block. What do threads without an element contribute?
}

int scan_runs(const int *in, int *out, int n)
{
    // TODO 1 (launch)
    return cudaSuccess;
}

// ---- Version 2: any number of blocks ----

// The exclusive scan of each run by itself; the sum of the whole run goes to sums[the run].
__global__ void scan_blocks_kernel(const int *in, int *out, int *sums, int n)
{
    // TODO 2: as scan_runs_kernel, but each element is left out of its own sum. Which thread knows the sum of the run?
}

// Adds to each element what comes before its piece: pieces have `length` elements.
__global__ void add_offsets_kernel(int *out, const int *offsets, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += offsets[i / length];
}

int exclusive_scan(const int *in, int *out, int n)
{
    // TODO 3: scan the runs, scan their sums, add these to the runs. The sums may be more than one block can scan.
    return cudaSuccess;
}

// ---- Version 3: warps, and several elements for each thread ----

// As inclusive_doubling, with two barriers only.
__device__ int inclusive_warps(int own)
{
    // TODO 4: scan each warp with __shfl_up_sync; let one warp scan the warps' sums; add what comes before the warp.
    return own;
}

// As scan_blocks_kernel, for pieces of BLOCK * ITEMS elements: each thread has ITEMS neighbours, sums them up,
// learns from the block what comes before them, and goes through them once more.
__global__ void scan_pieces_kernel(const int *in, int *out, int *sums, int n)
{
    // TODO 5 (kernel): the elements of a thread stay in registers between the two times that it needs them.
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
    // TODO 5 (host): as exclusive_scan, with pieces of BLOCK * ITEMS elements.
    return cudaSuccess;
}
