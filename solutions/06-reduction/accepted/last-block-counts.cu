// expect: pass
// Functors and templates; launches through cudaLaunchKernel; *sum set by a copy; the last block adds up in sum_warps;
// a tree that folds to a power of two first in max_all.
#include "lab.h"
#include "reduction.h"

namespace
{
constexpr int BLOCK = 256;
constexpr int BLOCKS_MAX = 160;
constexpr unsigned FULL = 0xffffffffu;
const float ZERO = 0.0f;

struct Plus
{
    static constexpr __host__ __device__ float identity() { return 0.0f; }
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Larger
{
    static __device__ float identity() { return -INFINITY; }
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

// The result is in place[0], for all threads to read; any number of threads.
template <class Op> __device__ void fold(float *place, float own, int threads, Op op)
{
    const int t = threadIdx.x;
    place[t] = own;
    int power = 1;
    while (power * 2 <= threads)
        power *= 2;
    __syncthreads();
    if (t + power < threads)
        place[t] = op(place[t], place[t + power]);
    for (int s = power >> 1; s != 0; s >>= 1)
    {
        __syncthreads();
        if (t < s)
            place[t] = op(place[t], place[t + s]);
    }
    __syncthreads();
}

template <class F> cudaError_t launch(F *kernel, dim3 grid, dim3 block, size_t bytes, void **args)
{
    (void)cudaLaunchKernel((const void *)kernel, grid, block, args, bytes, 0);
    return cudaGetLastError();
}

int blocks_of(int n, int most)
{
    const int blocks = 1 + (n - 1) / BLOCK;
    return blocks < most ? blocks : most;
}
} // namespace

__global__ void tree_once(const float *in, float *sum, int n)
{
    extern __shared__ float place[];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    float own = Plus::identity();
    if (i < n)
        own = in[i];
    fold(place, own, BLOCK, Plus());
    if (threadIdx.x == BLOCK - 1)
        atomicAdd(sum, place[0]);
}

int sum_tree(const float *in, float *sum, int n)
{
    cudaError_t err = cudaMemcpyAsync(sum, &ZERO, sizeof ZERO, cudaMemcpyHostToDevice, 0);
    if (err == cudaSuccess && n > 0)
    {
        void *args[] = {&in, &sum, &n};
        err = launch(tree_once, blocks_of(n, n), BLOCK, BLOCK * sizeof(float), args);
    }
    return err;
}

__global__ void tree_late(const float *__restrict__ in, float *sum, int n)
{
    __shared__ float place[BLOCK];
    const int all = gridDim.x * BLOCK;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float a = 0, b = 0, c = 0, d = 0; // four loads on their way at a time
    for (; i + 3 * all < n; i += 4 * all)
    {
        a += in[i];
        b += in[i + all];
        c += in[i + 2 * all];
        d += in[i + 3 * all];
    }
    while (i < n)
    {
        a += in[i];
        i += all;
    }
    fold(place, (a + b) + (c + d), BLOCK, Plus());
    if (!threadIdx.x)
        atomicAdd(sum, *place);
}

int sum_strided(const float *in, float *sum, int n)
{
    cudaError_t err = cudaMemcpyAsync(sum, &ZERO, sizeof ZERO, cudaMemcpyHostToDevice, 0);
    if (err == cudaSuccess && n > 0)
    {
        void *args[] = {&in, &sum, &n};
        err = launch(tree_late, blocks_of(n, BLOCKS_MAX), BLOCK, 0, args);
    }
    return err;
}

__device__ float of_block[BLOCKS_MAX];
__device__ unsigned int done; // goes back to 0 by itself: atomicInc wraps round

__device__ float butterfly(float own)
{
#pragma unroll
    for (int s = 1; s < 32; s <<= 1)
        own += __shfl_xor_sync(FULL, own, s);
    return own; // in all lanes
}

__global__ void tree_warps(const float *in, float *sum, int n)
{
    __shared__ float of_warp[BLOCK / 32];
    const int lane = threadIdx.x & 31;
    float own = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x)
        own += in[i];
    own = butterfly(own);
    if (lane == 31)
        of_warp[threadIdx.x >> 5] = own;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    own = butterfly(lane < BLOCK / 32 ? of_warp[lane] : 0.0f);
    unsigned int ticket = 0;
    if (lane == 0)
    {
        atomicExch(&of_block[blockIdx.x], own);
        __threadfence();
        ticket = atomicInc(&done, gridDim.x - 1);
        __threadfence();
    }
    __syncwarp();
    if (__shfl_sync(FULL, ticket, 0) != gridDim.x - 1)
        return;
    own = 0.0f;
    for (int i = lane; i < gridDim.x; i += 32)
        own += atomicAdd(&of_block[i], 0.0f);
    own = butterfly(own);
    if (lane == 0)
        *sum = own;
}

int sum_warps(const float *in, float *sum, int n)
{
    if (n == 0)
        return cudaMemsetAsync(sum, 0, sizeof *sum, 0);
    void *args[] = {&in, &sum, &n};
    return launch(tree_warps, blocks_of(n, BLOCKS_MAX), BLOCK, 0, args);
}

__global__ void __launch_bounds__(1024) largest(const float *in, float *out, int n)
{
    extern __shared__ float place[];
    const long long all = (long long)gridDim.x * blockDim.x;
    Larger op;
    float own = op.identity();
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        own = op(own, in[i]);
    fold(place, own, blockDim.x, op);
    if (threadIdx.x == 0)
        out[blockIdx.x] = place[0];
}

int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    const size_t bytes = threads * sizeof(float);
    if (n <= threads) // one block sees them all: no second launch needed
    {
        void *args[] = {&in, &max, &n};
        return launch(largest, 1, threads, bytes, args);
    }
    int blocks = (n - 1) / threads + 1;
    if (blocks > SCRATCH_FLOATS)
        blocks = SCRATCH_FLOATS;
    void *first[] = {&in, &scratch, &n};
    void *second[] = {&scratch, &max, &blocks};
    cudaError_t err = launch(largest, blocks, threads, bytes, first);
    return err != cudaSuccess ? err : launch(largest, 1, threads, bytes, second);
}
