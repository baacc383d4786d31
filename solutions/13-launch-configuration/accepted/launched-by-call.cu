// expect: pass
// Launches by calls of the runtime with lists of arguments, not by <<<>>>.
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

int walk(const int *next, int *out, int n, int threads)
{
    if (n == 0)
        return cudaSuccess;
    unsigned blocks = threads > 0 ? (n - 1) / threads + 1 : 1;
    void *arguments[] = {&next, &out, &n};
    return cudaLaunchKernel((const void *)walk_kernel, dim3(blocks), dim3(threads), arguments, 0, 0);
}

// ---- How full is a multiprocessor? ----

int walk_occupancy(int threads, size_t shared_bytes, float *share)
{
    *share = 0;
    int blocks = 0, threads_max = 0, warp = 0;
    cudaError_t err =
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, walk_kernel, threads, shared_bytes, cudaOccupancyDefault);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&threads_max, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    if (err != cudaSuccess)
        return err;
    int warps = (threads + warp - 1) / warp; // a block takes whole warps, even for one thread
    *share = 1.0f * blocks * (warps * warp) / threads_max;
    return cudaSuccess;
}

// ---- The size of your choice ----

int walk_best(const int *next, int *out, int n)
{
    int least_blocks = 0, threads = 0;
    cudaError_t err = cudaOccupancyMaxPotentialBlockSize(&least_blocks, &threads, walk_kernel, 0, 0);
    if (err != cudaSuccess)
        return err;
    return walk(next, out, n, threads);
}

// ---- More shared memory than a block has unasked ----

int window_sums(const float *in, float *out, int n, int radius)
{
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + WINDOW_BLOCK - 1) / WINDOW_BLOCK;
    size_t tile_bytes = (WINDOW_BLOCK + 2 * radius) * sizeof(float);
    cudaError_t err = cudaFuncSetAttribute(window_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)tile_bytes);
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(blocks);
    launch.blockDim = dim3(WINDOW_BLOCK);
    launch.dynamicSmemBytes = tile_bytes;
    return err != cudaSuccess ? err : cudaLaunchKernelEx(&launch, window_kernel, in, out, n, radius);
}

// ---- A kernel that cannot have blocks of 1024 ----

int spread(const float *in, float *out, int n, int threads)
{
    if (n == 0)
        return cudaSuccess;
    cudaFuncAttributes kernel;
    cudaError_t err = cudaFuncGetAttributes(&kernel, spread_kernel);
    if (err != cudaSuccess)
        return err;
    int most = kernel.maxThreadsPerBlock & ~31;
    threads = threads < most ? threads : most;
    void *arguments[] = {&in, &out, &n};
    return cudaLaunchKernel((const void *)spread_kernel, (n + threads - 1) / threads, threads, arguments);
}
