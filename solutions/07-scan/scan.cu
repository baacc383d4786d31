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
    //@ solution 1
    __shared__ int sum[BLOCK];
    int t = threadIdx.x;
    sum[t] = own;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int left = t >= d ? sum[t - d] : 0;
        __syncthreads(); // all have read the old sums
        sum[t] += left;
        __syncthreads(); // all have written the new ones
    }
    return sum[t];
    //@ stub
    //| // TODO 1 (block): running sums by doubling: after the step with distance d, every sum spans 2 * d threads.
    //| return own;
    //@ end
}

__global__ void scan_runs_kernel(const int *in, int *out, int n)
{
    //@ solution 1
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int sum = inclusive_doubling(i < n ? in[i] : 0); // threads without an element take part, too
    if (i < n)
        out[i] = sum;
    //@ stub
    //| // TODO 1 (kernel): one run for each block. What do threads without an element contribute?
    //@ end
}

int scan_runs(const int *in, int *out, int n)
{
    //@ solution 1
    if (n == 0)
        return cudaSuccess;
    scan_runs_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch)
    //| return cudaSuccess;
    //@ end
}

// ---- Version 2: any number of blocks ----

// The exclusive scan of each run by itself; the sum of the whole run goes to sums[the run].
__global__ void scan_blocks_kernel(const int *in, int *out, int *sums, int n)
{
    //@ solution 2
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int own = i < n ? in[i] : 0;
    int sum = inclusive_doubling(own);
    if (i < n)
        out[i] = sum - own;
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = sum;
    //@ stub
    //| // TODO 2: as scan_runs_kernel, but each element is left out of its own sum. Which thread knows the sum of the run?
    //@ end
}

//@ show add
// Adds to each element what comes before its piece: pieces have `length` elements.
__global__ void add_offsets_kernel(int *out, const int *offsets, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += offsets[i / length];
}
//@ end

int exclusive_scan(const int *in, int *out, int n)
{
    //@ solution 3
    int blocks = (n + BLOCK - 1) / BLOCK;
    int *sums = NULL;
    if (n == 0)
        return cudaSuccess;
    int err = cudaMalloc(&sums, blocks * sizeof(int));
    if (err == cudaSuccess) {
        scan_blocks_kernel<<<blocks, BLOCK>>>(in, out, sums, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess && blocks > 1)
        err = exclusive_scan(sums, sums, blocks); // sums become offsets, however many there are
    if (err == cudaSuccess && blocks > 1) {
        add_offsets_kernel<<<blocks, BLOCK>>>(out, sums, BLOCK, n);
        err = cudaGetLastError();
    }
    cudaFree(sums);
    return err;
    //@ stub
    //| // TODO 3: scan the runs, scan their sums, add these to the runs. The sums may be more than one block can scan.
    //| return cudaSuccess;
    //@ end
}

// ---- Version 3: warps, and several elements for each thread ----

//@ solution 4
// The sum of `own` over this lane and all before it in the warp: 5 steps without a barrier.
__device__ int inclusive_warp(int own)
{
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, own, d);
        if (threadIdx.x % 32 >= d)
            own += left;
    }
    return own;
}

//@ stub
//@ end
// As inclusive_doubling, with two barriers only.
__device__ int inclusive_warps(int own)
{
    //@ solution 4
    __shared__ int of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    own = inclusive_warp(own);
    if (lane == 31)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        int sum = inclusive_warp(lane < BLOCK / 32 ? of_warp[lane] : 0);
        if (lane < BLOCK / 32)
            of_warp[lane] = sum;
    }
    __syncthreads();
    return warp > 0 ? own + of_warp[warp - 1] : own;
    //@ stub
    //| // TODO 4: scan each warp with __shfl_up_sync; let one warp scan the warps' sums; add what comes before the warp.
    //| return own;
    //@ end
}

// As scan_blocks_kernel, for pieces of BLOCK * ITEMS elements: each thread has ITEMS neighbours, sums them up,
// learns from the block what comes before them, and goes through them once more.
__global__ void scan_pieces_kernel(const int *in, int *out, int *sums, int n)
{
    //@ solution 5
    int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
    int own[ITEMS];
    int total = 0;
    for (int k = 0; k < ITEMS; k++) {
        own[k] = first + k < n ? in[first + k] : 0;
        total += own[k];
    }
    int sum = inclusive_warps(total);
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = sum;
    sum -= total;
    for (int k = 0; k < ITEMS; k++) {
        if (first + k < n)
            out[first + k] = sum;
        sum += own[k];
    }
    //@ stub
    //| // TODO 5 (kernel): the elements of a thread stay in registers between the two times that it needs them.
    //@ end
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
    //@ solution 5
    const int piece = BLOCK * ITEMS;
    int pieces = (n + piece - 1) / piece;
    int *sums = NULL;
    if (n == 0)
        return cudaSuccess;
    int err = cudaMalloc(&sums, pieces * sizeof(int));
    if (err == cudaSuccess) {
        scan_pieces_kernel<<<pieces, BLOCK>>>(in, out, sums, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess && pieces > 1)
        err = exclusive_scan_fast(sums, sums, pieces);
    if (err == cudaSuccess && pieces > 1) {
        add_offsets_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, sums, piece, n);
        err = cudaGetLastError();
    }
    cudaFree(sums);
    return err;
    //@ stub
    //| // TODO 5 (host): as exclusive_scan, with pieces of BLOCK * ITEMS elements.
    //| return cudaSuccess;
    //@ end
}
