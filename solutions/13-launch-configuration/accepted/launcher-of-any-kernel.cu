// expect: pass
// A template launches any kernel by its address; the card's limits are an object.
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

// ---- A launch of any of the kernels ----

namespace {

constexpr int ceil_div(int n, int per)
{
    return (n - 1) / per + 1;
}

template <typename... Params>
class Launcher {
    void (*kernel)(Params...);

public:
    explicit Launcher(void (*k)(Params...)) : kernel(k) {}

    cudaError_t operator()(int n, int threads, size_t shared, Params... params) const
    {
        if (n == 0)
            return cudaSuccess;
        void *addresses[] = {&params...};
        cudaError_t now = cudaLaunchKernel((const void *)kernel, dim3(ceil_div(n, threads)), dim3(threads), addresses, shared, 0);
        cudaError_t kept = cudaGetLastError();
        return now != cudaSuccess ? now : kept;
    }

    cudaError_t resident(int threads, size_t shared, int &blocks) const
    {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
    }
};

const Launcher<const int *, int *, int> walker(walk_kernel);
const Launcher<const float *, float *, int, int> summer(window_kernel);

struct Limits {
    int warp = 32, warps = 0;
    cudaError_t error;

    Limits()
    {
        cudaDeviceProp card;
        int device = 0;
        error = cudaGetDevice(&device);
        if (error == cudaSuccess)
            error = cudaGetDeviceProperties(&card, device);
        if (error == cudaSuccess) {
            warp = card.warpSize;
            warps = card.maxThreadsPerMultiProcessor / warp;
        }
    }

    int of_block(int threads) const { return ceil_div(threads, warp); }
};

} // namespace

int walk(const int *next, int *out, int n, int threads)
{
    return walker(n, threads, 0, next, out, n);
}

int walk_occupancy(int threads, size_t shared_bytes, float *share)
{
    *share = 0;
    Limits limits;
    int blocks = 0;
    if (limits.error != cudaSuccess)
        return limits.error;
    if (cudaError_t err = walker.resident(threads, shared_bytes, blocks))
        return err;
    *share = float(blocks * limits.of_block(threads)) / float(limits.warps);
    return cudaSuccess;
}

int walk_best(const int *next, int *out, int n)
{
    int best = 0;
    float highest = -1;
    for (int threads = 1024; threads >= 64; threads >>= 1) {
        float share;
        if (int err = walk_occupancy(threads, 0, &share))
            return err;
        if (share > highest) {
            highest = share;
            best = threads;
        }
    }
    return walk(next, out, n, best);
}

int window_sums(const float *in, float *out, int n, int radius)
{
    const size_t tile = sizeof(float) * (WINDOW_BLOCK + 2 * radius);
    if (tile > 48 << 10)
        if (cudaError_t err = cudaFuncSetAttribute(window_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(tile)))
            return err;
    return summer(n, WINDOW_BLOCK, tile, in, out, n, radius);
}

int spread(const float *in, float *out, int n, int threads)
{
    auto fits = [](int size, bool &yes) {
        int blocks = 0;
        cudaError_t err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spread_kernel, size, 0);
        yes = blocks > 0;
        return err;
    };
    if (n == 0)
        return cudaSuccess;
    bool yes = false;
    cudaError_t err = fits(threads, yes);
    if (err == cudaSuccess && !yes)
        for (threads = (threads - 1) / 32 * 32; err == cudaSuccess && threads > 0; threads -= 32)
            if ((err = fits(threads, yes)) == cudaSuccess && yes)
                break;
    if (err != cudaSuccess)
        return err;
    spread_kernel<<<ceil_div(n, threads), threads>>>(in, out, n);
    return cudaGetLastError();
}
