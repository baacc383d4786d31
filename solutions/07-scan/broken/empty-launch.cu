// expect: cuda-error
// case: runs-empty
// says: cudaErrorInvalidValue
// Launches a grid of no blocks when n is 0.
#include "lab.h"
#include "scan.h"

#define BLOCK 256 // threads of a block, and elements of a run of scan_runs
#define ITEMS 4   // elements of a thread in exclusive_scan_fast

// ---- Version 1: doubling in shared memory ----

// The sum of `own` over this thread and all before it in the block: all threads of the block must call it.
// 8 steps, in each of which nearly every thread adds: simple, and more additions than needed.
__device__ int inclusive_doubling(int own)
{
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
}

__global__ void scan_runs_kernel(const int *in, int *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int sum = inclusive_doubling(i < n ? in[i] : 0); // threads without an element take part, too
    if (i < n)
        out[i] = sum;
}

int scan_runs(const int *in, int *out, int n)
{
    scan_runs_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    return cudaGetLastError();
}

// ---- Version 2: any number of blocks ----

// The exclusive scan of each run by itself; the sum of the whole run goes to sums[the run].
__global__ void scan_blocks_kernel(const int *in, int *out, int *sums, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int own = i < n ? in[i] : 0;
    int sum = inclusive_doubling(own);
    if (i < n)
        out[i] = sum - own;
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = sum;
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
}

// ---- Version 3: warps, and several elements for each thread ----

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

// As inclusive_doubling, with two barriers only.
__device__ int inclusive_warps(int own)
{
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
}

// As scan_blocks_kernel, for pieces of BLOCK * ITEMS elements: each thread has ITEMS neighbours, sums them up,
// learns from the block what comes before them, and goes through them once more.
__global__ void scan_pieces_kernel(const int *in, int *out, int *sums, int n)
{
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
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
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
}
