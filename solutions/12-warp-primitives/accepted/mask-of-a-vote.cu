// expect: pass
// A vote tells which lanes have an element; only these go on, and only these are named.
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

// One thread for each element, and whole warps also where the array ends.
static int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

__global__ void run_sums_kernel(const int *in, int *sums, int n)
{
    int i = my_index();
    unsigned here = __ballot_sync(ALL_LANES, i < n);
    if (i >= n)
        return;
    int own = in[i];
    for (int s = RUN / 2; s > 0; s /= 2) {
        int above = __shfl_down_sync(here, own, s);
        if (my_lane() + s < __popc(here))
            own += above;
    }
    if (my_lane() == 0)
        sums[i / RUN] = own;
}

int run_sums(const int *in, int *sums, int n)
{
    if (n > 0)
        run_sums_kernel<<<blocks_for(n), BLOCK>>>(in, sums, n);
    return cudaGetLastError();
}

// ---- Running sums: from the lanes below ----

__global__ void run_scans_kernel(const int *in, int *out, int n)
{
    int i = my_index();
    int own = i < n ? in[i] : 0;
    for (int d = 1; d < RUN; d *= 2) {
        int below = __shfl_up_sync(ALL_LANES, own, d); // all lanes take part in the exchange,
        if (my_lane() >= d)                            // and those with a lane d below them add
            own += below;
    }
    if (i < n)
        out[i] = own;
}

int run_scans(const int *in, int *out, int n)
{
    if (n > 0)
        run_scans_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
    return cudaGetLastError();
}

// ---- The largest of a group, for all of its lanes: a butterfly ----

__global__ void below_largest_kernel(const int *in, int *out, int n, int width)
{
    int i = my_index();
    int own = i < n ? in[i] : INT_MIN; // larger than nothing
    int largest = own;
    for (int s = width / 2; s > 0; s /= 2)
        largest = max(largest, __shfl_xor_sync(ALL_LANES, largest, s));
    if (i < n)
        out[i] = largest - own;
}

int below_largest(const int *in, int *out, int n, int width)
{
    if (n > 0)
        below_largest_kernel<<<blocks_for(n), BLOCK>>>(in, out, n, width);
    return cudaGetLastError();
}

// ---- A vote, and what each lane reads from it ----

__device__ unsigned lanes_below()
{
    return (1u << my_lane()) - 1;
}

__global__ void positive_first_kernel(const int *in, int *out, int n)
{
    int i = my_index(), first = i - my_lane(); // of the run
    int own = i < n ? in[i] : 0;
    unsigned positive = __ballot_sync(ALL_LANES, own > 0);
    if (own > 0)
        out[first + __popc(positive & lanes_below())] = own;
    else if (i < n) // behind the positive ones, in the order of the lanes
        out[first + __popc(positive) + __popc(~positive & lanes_below())] = 0;
}

int positive_first(const int *in, int *out, int n)
{
    if (n > 0)
        positive_first_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
    return cudaGetLastError();
}

// ---- One atomic for a warp ----

__global__ void count_positive_kernel(const int *in, int *count, int n)
{
    int i = my_index();
    unsigned positive = __ballot_sync(ALL_LANES, i < n && in[i] > 0);
    if (my_lane() == 0 && positive != 0)
        atomicAdd(count, __popc(positive));
}

int count_positive(const int *in, int *count, int n)
{
    cudaError_t err = cudaMemsetAsync(count, 0, sizeof(int));
    if (err != cudaSuccess || n == 0)
        return err;
    count_positive_kernel<<<blocks_for(n), BLOCK>>>(in, count, n);
    return cudaGetLastError();
}
