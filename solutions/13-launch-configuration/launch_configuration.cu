// Lab 13: how many threads a block should have. The contract is in launch_configuration.h, the steps are in README.md.
#include "lab.h"
#include "launch_configuration.h"

// ---- Given: three kernels, which are right for blocks of any size ----

// Each step needs the place that the step before has found: a warp does little but wait for memory.
__global__ void walk_kernel(const int *next, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int place = i;
    for (int hop = 0; hop < HOPS; hop++)
        place = next[place];
    out[i] = place;
}

// The sum of a window around each element. All its inputs are in the tile; a prefix sum would need fewer additions.
__global__ void window_kernel(const float *in, float *out, int n, int radius)
{
    extern __shared__ float tile[]; // blockDim.x + 2 * radius floats
    int first = blockIdx.x * blockDim.x - radius;
    for (int k = threadIdx.x; k < blockDim.x + 2 * radius; k += blockDim.x)
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; k++)
        sum += tile[threadIdx.x + k];
    out[i] = sum;
}

// Keeps all samples of an element in registers, as they are needed twice.
__global__ void spread_kernel(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sample[SAMPLES], sum = 0, squares = 0;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        sample[k] = in[k * n + i];
        sum += sample[k];
    }
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        float distance = sample[k] - sum / SAMPLES;
        squares += distance * distance;
    }
    out[i] = squares;
}

// ---- Blocks of a given size ----

//@ show walk
int walk(const int *next, int *out, int n, int threads)
{
    //@ solution 1
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + threads - 1) / threads;
    walk_kernel<<<blocks, threads>>>(next, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1: launch walk_kernel with enough blocks of `threads` threads, and return what the launch gave.
    //| return cudaSuccess;
    //@ end
}
//@ end

// ---- How full is a multiprocessor? ----

int walk_occupancy(int threads, size_t shared_bytes, float *share)
{
    *share = 0;
    //@ solution 2
    int blocks = 0, threads_max = 0, warp = 0;
    cudaError_t err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_kernel, threads, shared_bytes);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&threads_max, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    if (err != cudaSuccess)
        return err;
    int warps = (threads + warp - 1) / warp; // a block takes whole warps, even for one thread
    *share = (float)(blocks * warps) / (float)(threads_max / warp);
    return cudaSuccess;
    //@ stub
    //| // TODO 2: ask cudaOccupancyMaxActiveBlocksPerMultiprocessor for the blocks that fit, and cudaDeviceGetAttribute for the
    //| // threads that a multiprocessor can hold. Count in warps.
    //| return cudaSuccess;
    //@ end
}

// ---- The size of your choice ----

int walk_best(const int *next, int *out, int n)
{
    //@ solution 3
    int least_blocks = 0, threads = 0;
    cudaError_t err = cudaOccupancyMaxPotentialBlockSize(&least_blocks, &threads, walk_kernel, 0, 0);
    if (err != cudaSuccess)
        return err;
    return walk(next, out, n, threads);
    //@ stub
    //| // TODO 3: which block? `make sweep` shows you, or ask cudaOccupancyMaxPotentialBlockSize.
    //| return walk(next, out, n, 1);
    //@ end
}

// ---- More shared memory than a block has unasked ----

int window_sums(const float *in, float *out, int n, int radius)
{
    //@ solution 4
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + WINDOW_BLOCK - 1) / WINDOW_BLOCK;
    size_t tile_bytes = (WINDOW_BLOCK + 2 * radius) * sizeof(float);
    cudaError_t err = cudaFuncSetAttribute(window_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)tile_bytes);
    if (err != cudaSuccess)
        return err;
    window_kernel<<<blocks, WINDOW_BLOCK, tile_bytes>>>(in, out, n, radius);
    return cudaGetLastError();
    //@ stub
    //| // TODO 4: launch window_kernel with its tile. More than 48 KiB have to be asked for first: cudaFuncSetAttribute.
    //| return cudaSuccess;
    //@ end
}

// ---- A kernel that cannot have blocks of 1024 ----

int spread(const float *in, float *out, int n, int threads)
{
    //@ solution 5
    if (n == 0)
        return cudaSuccess;
    cudaFuncAttributes kernel;
    cudaError_t err = cudaFuncGetAttributes(&kernel, spread_kernel);
    if (err != cudaSuccess)
        return err;
    if (threads > kernel.maxThreadsPerBlock)
        threads = kernel.maxThreadsPerBlock / 32 * 32;
    spread_kernel<<<(n + threads - 1) / threads, threads>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 5: the most threads that a block of this kernel can have: cudaFuncGetAttributes says it. Then launch.
    //| return cudaSuccess;
    //@ end
}
