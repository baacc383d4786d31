// Lab 10: how often does each value occur? The contract is in histogram.h, the steps are in README.md.
#include "lab.h"
#include "histogram.h"

#define BLOCK 256       // threads of a block
#define LANES 32        // threads of a warp
#define PIECE 16384     // elements for each block: enough that setting and adding up its counters costs little
#define BLOCKS_MAX 1024

// ---- Version 1: every byte is an atomic in global memory ----

__global__ void global_kernel(const char *in, unsigned *bins, int n)
{
    // TODO 1 (kernel): one thread for each byte. Which bin belongs to a char that is negative?
}

int histogram_global(const char *in, unsigned *bins, int n)
{
    // TODO 1 (launch): what is in the bins before the first byte is counted?
    return cudaSuccess;
}

// ---- Version 2: each block counts for itself. 256 atomics of a block in global memory, however long its piece ----

__global__ void shared_kernel(const char *in, unsigned *bins, int n)
{
    // TODO 2 (kernel): counters of the block in shared memory: set them to 0; count, in a grid-stride loop; add them
    // to the bins. Who has to wait for whom, and where?
}

int histogram_shared(const char *in, unsigned *bins, int n)
{
    // TODO 2 (launch): a block for each PIECE of the bytes, and at most BLOCKS_MAX blocks.
    return cudaSuccess;
}

// ---- Other bins: their number is known at the launch ----

__global__ void range_kernel(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    // TODO 3 (kernel): as TODO 2, with n_bins + 2 counters in dynamic shared memory. Which one takes a number below low?
}

int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    // TODO 3 (launch): how many bytes of shared memory does a block need?
    return cudaSuccess;
}

// ---- Version 3: each lane counts in a bank of its own. No conflict, whatever the data ----

__global__ void lanes_kernel(const char *in, unsigned *bins, int n)
{
    // TODO 4 (kernel): BINS * LANES counters. How do they have to lie, so that the lanes of a warp always use different
    // banks: when they count, and when the 32 counters of a bin are added up?
}

int histogram_lanes(const char *in, unsigned *bins, int n)
{
    // TODO 4 (launch): as TODO 2.
    return cudaSuccess;
}

// ---- Version 4: 16 bytes in one load. A sixteenth of the loads, and more bytes on their way at a time ----

__global__ void wide_kernel(const char *in, unsigned *bins, int n)
{
    // TODO 5 (kernel): as TODO 4, over uint4 values of 16 bytes each. What about the last n % 16 bytes?
}

int histogram_wide(const char *in, unsigned *bins, int n)
{
    // TODO 5 (launch): as TODO 2.
    return cudaSuccess;
}
