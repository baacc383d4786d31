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

//@ solution 1
// One thread for each element, and whole warps also where the array ends.
static int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

//@ stub
//@ end
__global__ void run_sums_kernel(const int *in, int *sums, int n)
{
    //@ solution 1
    int i = my_index();
    int own = i < n ? in[i] : 0; // every lane goes on, also those without an element
    for (int s = RUN / 2; s > 0; s /= 2)
        own += __shfl_down_sync(ALL_LANES, own, s);
    if (my_lane() == 0 && i < n) // only lane 0 has the sum of all
        sums[i / RUN] = own;
    //@ stub
    //| // TODO 1 (kernel): add up the elements of the warp by __shfl_down_sync. What does a lane without an element do?
    //| // Which lane has the sum in the end?
    //@ end
}

int run_sums(const int *in, int *sums, int n)
{
    //@ solution 1
    if (n > 0)
        run_sums_kernel<<<blocks_for(n), BLOCK>>>(in, sums, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch): a thread for each element, if there is an element at all, in blocks of BLOCK threads.
    //| return cudaSuccess;
    //@ end
}

// ---- Running sums: from the lanes below ----

__global__ void run_scans_kernel(const int *in, int *out, int n)
{
    //@ solution 2
    int i = my_index();
    int own = i < n ? in[i] : 0;
    for (int d = 1; d < RUN; d *= 2) {
        int below = __shfl_up_sync(ALL_LANES, own, d); // all lanes take part in the exchange,
        if (my_lane() >= d)                            // and those with a lane d below them add
            own += below;
    }
    if (i < n)
        out[i] = own;
    //@ stub
    //| // TODO 2 (kernel): __shfl_up_sync with distances 1, 2, 4, 8, 16. Which lanes must not add what they get?
    //@ end
}

int run_scans(const int *in, int *out, int n)
{
    //@ solution 2
    if (n > 0)
        run_scans_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 2 (launch): as before.
    //| return cudaSuccess;
    //@ end
}

// ---- The largest of a group, for all of its lanes: a butterfly ----

__global__ void below_largest_kernel(const int *in, int *out, int n, int width)
{
    //@ solution 3
    int i = my_index();
    int own = i < n ? in[i] : INT_MIN; // larger than nothing
    int largest = own;
    for (int s = width / 2; s > 0; s /= 2)
        largest = max(largest, __shfl_xor_sync(ALL_LANES, largest, s));
    if (i < n)
        out[i] = largest - own;
    //@ stub
    //| // TODO 3 (kernel): with __shfl_xor_sync both lanes of a pair get the other's value, so that all know the result.
    //@ end
}

int below_largest(const int *in, int *out, int n, int width)
{
    //@ solution 3
    if (n > 0)
        below_largest_kernel<<<blocks_for(n), BLOCK>>>(in, out, n, width);
    return cudaGetLastError();
    //@ stub
    //| // TODO 3 (launch): as before.
    //| return cudaSuccess;
    //@ end
}

// ---- A vote, and what each lane reads from it ----

//@ solution 4
__device__ unsigned lanes_below()
{
    return (1u << my_lane()) - 1;
}

//@ stub
//@ end
__global__ void positive_first_kernel(const int *in, int *out, int n)
{
    //@ solution 4
    int i = my_index(), first = i - my_lane(); // of the run
    int own = i < n ? in[i] : 0;
    unsigned positive = __ballot_sync(ALL_LANES, own > 0);
    if (own > 0)
        out[first + __popc(positive & lanes_below())] = own;
    else if (i < n) // behind the positive ones, in the order of the lanes
        out[first + __popc(positive) + __popc(~positive & lanes_below())] = 0;
    //@ stub
    //| // TODO 4 (kernel): __ballot_sync tells every lane which lanes have a positive element. How many are below yours?
    //@ end
}

int positive_first(const int *in, int *out, int n)
{
    //@ solution 4
    if (n > 0)
        positive_first_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 4 (launch): as before.
    //| return cudaSuccess;
    //@ end
}

// ---- One atomic for a warp ----

__global__ void count_positive_kernel(const int *in, int *count, int n)
{
    //@ solution 5
    int i = my_index();
    unsigned positive = __ballot_sync(ALL_LANES, i < n && in[i] > 0);
    if (my_lane() == 0 && positive != 0)
        atomicAdd(count, __popc(positive));
    //@ stub
    //| // TODO 5 (kernel): a vote, and one lane that speaks for all.
    //@ end
}

int count_positive(const int *in, int *count, int n)
{
    //@ solution 5
    cudaError_t err = cudaMemsetAsync(count, 0, sizeof(int));
    if (err != cudaSuccess || n == 0)
        return err;
    count_positive_kernel<<<blocks_for(n), BLOCK>>>(in, count, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 5 (launch): what is in *count before the first warp adds to it?
    //| return cudaSuccess;
    //@ end
}
