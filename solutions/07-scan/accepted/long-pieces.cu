// expect: pass
// Reduces first, then scans: few blocks, each of which goes through a long piece of its own.
#include "lab.h"
#include "scan.h"

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 1024;

// What comes before this thread's `own` in the block; *total becomes the sum of the block. All threads call it.
template <int WARPS>
__device__ int before_me(int own, int *total)
{
    __shared__ int of_warp[WARPS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int sum = own;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int left = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? left : 0;
    }
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    int base = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        base += w < warp ? of_warp[w] : 0;
        all += of_warp[w];
    }
    __syncthreads(); // of_warp may be used again
    *total = all;
    return base + sum - own;
}

__global__ void runs_kernel(const int *in, int *out, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int own = i < n ? in[i] : 0;
    int ignored;
    const int sum = before_me<THREADS / 32>(own, &ignored) + own;
    if (i < n)
        out[i] = sum;
}

int scan_runs(const int *in, int *out, int n)
{
    if (n > 0) {
        runs_kernel<<<(n - 1) / THREADS + 1, THREADS>>>(in, out, n);
        return cudaGetLastError();
    }
    return cudaSuccess;
}

// The sum of each block's piece.
__global__ void piece_sums_kernel(const int *in, int *sums, int n, int piece)
{
    const int from = blockIdx.x * piece, to = min(n, from + piece);
    int own = 0, total;
    for (int i = from + threadIdx.x; i < to; i += THREADS)
        own += in[i];
    before_me<THREADS / 32>(own, &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

// One block scans its piece, ITEMS elements for each thread at a time, and begins with what sums says.
template <int ITEMS>
__global__ void piece_scan_kernel(const int *in, int *out, const int *sums, int n, int piece)
{
    const int from = blockIdx.x * piece, to = min(n, from + piece);
    int carry = sums == nullptr ? 0 : sums[blockIdx.x];
    for (int tile = from; tile < to; tile += THREADS * ITEMS) {
        const int mine = tile + threadIdx.x * ITEMS;
        int value[ITEMS], own = 0, total;
        for (int k = 0; k < ITEMS; k++) {
            value[k] = mine + k < to ? in[mine + k] : 0;
            own += value[k];
        }
        int sum = carry + before_me<THREADS / 32>(own, &total);
        for (int k = 0; k < ITEMS; k++) {
            if (mine + k < to)
                out[mine + k] = sum;
            sum += value[k];
        }
        carry += total;
    }
}

template <int ITEMS>
static int scan_all(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    const int tile = THREADS * ITEMS;
    const int tiles = n / tile + (n % tile != 0);
    const int tiles_each = (tiles + MOST_BLOCKS - 1) / MOST_BLOCKS;
    const int blocks = (tiles + tiles_each - 1) / tiles_each, piece = tiles_each * tile;

    int *sums = nullptr;
    cudaError_t err = cudaMalloc((void **)&sums, blocks * sizeof *sums);
    if (err != cudaSuccess)
        return err;
    piece_sums_kernel<<<blocks, THREADS>>>(in, sums, n, piece);
    err = cudaGetLastError();
    if (err == cudaSuccess) {
        piece_scan_kernel<1><<<1, THREADS>>>(sums, sums, nullptr, blocks, blocks);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess) {
        piece_scan_kernel<ITEMS><<<blocks, THREADS>>>(in, out, sums, n, piece);
        err = cudaGetLastError();
    }
    const cudaError_t freed = cudaFree(sums);
    return err != cudaSuccess ? err : freed;
}

int exclusive_scan(const int *in, int *out, int n)
{
    return scan_all<1>(in, out, n);
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
    return scan_all<4>(in, out, n);
}
