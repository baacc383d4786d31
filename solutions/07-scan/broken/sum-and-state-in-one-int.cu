// expect: wrong-result
// case: fast-in-place
// says: Sums need all 32 bits of an int: is one of them shifted
// Tiles tell one another their sums in one word with two bits that say what is there: the highest bits of a sum are lost.
#include "lab.h"
#include "scan.h"

#define THREADS 256
#define WARPS (THREADS / 32)
#define PER_THREAD 8
#define TILE (THREADS * PER_THREAD)

__device__ int scan_warp(int x)
{
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(0xffffffff, x, d);
        if ((threadIdx.x & 31) >= d)
            x += y;
    }
    return x;
}

__device__ int scan_block(int x)
{
    __shared__ int partial[WARPS];
    const int warp = threadIdx.x >> 5;
    x = scan_warp(x);
    if ((threadIdx.x & 31) == 31)
        partial[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        x += partial[w];
    return x;
}

// ---- runs ----

__global__ void runs(const int *in, int *out, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int sum = scan_block(i < n ? in[i] : 0);
    if (i < n)
        out[i] = sum;
}

int scan_runs(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    runs<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);
    return cudaGetLastError();
}

// ---- three steps ----

__global__ void runs_exclusive(const int *in, int *out, int *sums, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int own = i < n ? in[i] : 0;
    const int sum = scan_block(own);
    if (i < n)
        out[i] = sum - own;
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = sum;
}

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}

int exclusive_scan(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    const int blocks = (n + THREADS - 1) / THREADS;
    int *sums = NULL;
    int err = cudaMalloc(&sums, blocks * sizeof(int));
    if (err != cudaSuccess)
        return err;
    runs_exclusive<<<blocks, THREADS>>>(in, out, sums, n);
    err = cudaGetLastError();
    if (!err && blocks > 1)
        err = exclusive_scan(sums, sums, blocks);
    if (!err && blocks > 1) {
        add_offsets<<<blocks, THREADS>>>(out, sums, n);
        err = cudaGetLastError();
    }
    cudaFree(sums);
    return err;
}

// ---- one pass ----

// What a tile tells: the lowest two bits say what the rest is, so that both come in one access.
#define TILE_EMPTY 0u  // nothing yet
#define TILE_LOCAL 1u  // the sum of the tile
#define TILE_PREFIX 2u // the sum of all tiles up to this one

__device__ unsigned encode(int value, unsigned status)
{
    return (unsigned)value << 2 | status;
}

__device__ int decode(unsigned word)
{
    return (int)word >> 2;
}

__global__ void one_pass(const int *in, int *out, unsigned *words, unsigned *ticket, int n)
{
    __shared__ unsigned tile_of_block;
    __shared__ int before_tile;
    if (threadIdx.x == 0)
        tile_of_block = atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = tile_of_block;
    const int first = tile * TILE + threadIdx.x * PER_THREAD;

    int own[PER_THREAD], total = 0;
    for (int k = 0; k < PER_THREAD; k++) {
        own[k] = first + k < n ? in[first + k] : 0;
        total += own[k];
    }
    const int sum = scan_block(total);

    if (threadIdx.x == THREADS - 1) {
        int before = 0;
        if (tile > 0)
            atomicExch(&words[tile], encode(sum, TILE_LOCAL));
        for (int t = tile - 1; t >= 0;) {
            const unsigned word = atomicOr(&words[t], 0u);
            const unsigned status = word & 3u;
            if (status == TILE_EMPTY)
                continue;
            before += decode(word);
            if (status == TILE_PREFIX)
                break;
            t--;
        }
        atomicExch(&words[tile], encode(before + sum, TILE_PREFIX));
        before_tile = before;
    }
    __syncthreads();

    int x = before_tile + sum - total;
    for (int k = 0; k < PER_THREAD; k++) {
        if (first + k < n)
            out[first + k] = x;
        x += own[k];
    }
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    const int tiles = (n + TILE - 1) / TILE;
    unsigned *words = NULL; // and the ticket behind them
    int err = cudaMalloc(&words, (tiles + 1) * sizeof(unsigned));
    if (err != cudaSuccess)
        return err;
    err = cudaMemsetAsync(words, 0, (tiles + 1) * sizeof(unsigned));
    if (!err) {
        one_pass<<<tiles, THREADS>>>(in, out, words, words + tiles, n);
        err = cudaGetLastError();
    }
    cudaFree(words);
    return err;
}
