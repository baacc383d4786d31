// expect: out-of-bounds
// case: global
// line: 18
// Threads past the end read a byte that is not there.
#include "lab.h"
#include "histogram.h"

#define BLOCK 256       // threads of a block
#define LANES 32        // threads of a warp
#define PIECE 16384     // elements for each block: enough that setting and adding up its counters costs little
#define BLOCKS_MAX 1024

// ---- Version 1: every byte is an atomic in global memory ----

__global__ void global_kernel(const char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[(unsigned char)in[i]], 1);
}

int histogram_global(const char *in, unsigned *bins, int n)
{
    cudaError_t err = cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    if (err != cudaSuccess || n == 0)
        return err;
    global_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, bins, n);
    return cudaGetLastError();
}

// ---- Version 2: each block counts for itself. 256 atomics of a block in global memory, however long its piece ----

static int blocks_for(int n)
{
    return min((n + PIECE - 1) / PIECE, BLOCKS_MAX);
}

__global__ void shared_kernel(const char *in, unsigned *bins, int n)
{
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[(unsigned char)in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

int histogram_shared(const char *in, unsigned *bins, int n)
{
    cudaError_t err = cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    if (err != cudaSuccess || n == 0)
        return err;
    shared_kernel<<<blocks_for(n), BLOCK>>>(in, bins, n);
    return cudaGetLastError();
}

// ---- Other bins: their number is known at the launch ----

__global__ void range_kernel(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    extern __shared__ unsigned of_block[]; // n_bins + 2
    for (int b = threadIdx.x; b < n_bins + 2; b += blockDim.x)
        of_block[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int above = in[i] - low; // tested before it is divided: -3 / 10 is 0, too
        int bin = above < 0 ? 0 : min(1 + above / width, n_bins + 1);
        atomicAdd(&of_block[bin], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < n_bins + 2; b += blockDim.x)
        atomicAdd(&bins[b], of_block[b]);
}

int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    size_t bytes = (n_bins + 2) * sizeof(unsigned);
    cudaError_t err = cudaMemsetAsync(bins, 0, bytes);
    if (err != cudaSuccess || n == 0)
        return err;
    range_kernel<<<blocks_for(n), BLOCK, bytes>>>(in, bins, n, low, width, n_bins);
    return cudaGetLastError();
}

// ---- Version 3: each lane counts in a bank of its own. No conflict, whatever the data ----

// Counters of a block: row b is for bin b, column l for lane l, which is also the bank of the column.
struct LaneCounters {
    unsigned of[BINS][LANES];
};

// All threads of the block call these three in turn, with the barriers inside of them.
__device__ void set_to_zero(LaneCounters *c)
{
    for (int k = threadIdx.x; k < BINS * LANES; k += blockDim.x)
        c->of[k / LANES][k % LANES] = 0;
    __syncthreads();
}

__device__ void count_byte(LaneCounters *c, unsigned char byte)
{
    atomicAdd(&c->of[byte][threadIdx.x % LANES], 1); // lanes of other warps share the counter
}

__device__ void add_to_bins(const LaneCounters *c, unsigned *bins)
{
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < LANES; k++)
            sum += c->of[b][(b + k) % LANES]; // neighbours begin at neighbouring banks
        atomicAdd(&bins[b], sum);
    }
}

__global__ void lanes_kernel(const char *in, unsigned *bins, int n)
{
    __shared__ LaneCounters mine;
    set_to_zero(&mine);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count_byte(&mine, in[i]);
    add_to_bins(&mine, bins);
}

int histogram_lanes(const char *in, unsigned *bins, int n)
{
    cudaError_t err = cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    if (err != cudaSuccess || n == 0)
        return err;
    lanes_kernel<<<blocks_for(n), BLOCK>>>(in, bins, n);
    return cudaGetLastError();
}

// ---- Version 4: 16 bytes in one load. A sixteenth of the loads, and more bytes on their way at a time ----

// The four bytes of a word.
__device__ void count_word(LaneCounters *c, unsigned word)
{
    for (int k = 0; k < 4; k++)
        count_byte(c, (word >> 8 * k) & 0xff);
}

__global__ void wide_kernel(const char *in, unsigned *bins, int n)
{
    __shared__ LaneCounters mine;
    set_to_zero(&mine);
    const uint4 *in16 = (const uint4 *)in;
    int n16 = n / 16, first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (int i = first; i < n16; i += step) {
        uint4 w = in16[i];
        count_word(&mine, w.x);
        count_word(&mine, w.y);
        count_word(&mine, w.z);
        count_word(&mine, w.w);
    }
    for (int i = 16 * n16 + first; i < n; i += step) // the last n % 16
        count_byte(&mine, in[i]);
    add_to_bins(&mine, bins);
}

int histogram_wide(const char *in, unsigned *bins, int n)
{
    cudaError_t err = cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned));
    if (err != cudaSuccess || n == 0)
        return err;
    wide_kernel<<<blocks_for(n), BLOCK>>>(in, bins, n);
    return cudaGetLastError();
}
