// expect: pass
// case: dot-gain

// speeds_apart with a grid-stride loop; dot_spread with up to 320 blocks, and a tree over the sums of the warps.
#include "subjects.h"

#define BLOCK 256

// ---- TODO 5: the velocities in arrays of their own ----

// Each byte of each sector is used: 16 bytes a particle move, not 36.
__global__ void speeds_apart_kernel(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        speed[i] = sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
}

int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    speeds_apart_kernel<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(vx, vy, vz, speed, n);
    return cudaGetLastError();
}

// ---- TODO 6: a dot product by the whole card ----

#define BLOCKS_MAX 320

__device__ float warp_sum(float x)
{
    for (int s = 16; s > 0; s /= 2)
        x += __shfl_down_sync(0xffffffff, x, s);
    return x;
}

// Many threads have many loads under way; what is left are a few sums of blocks.
__global__ void dot_spread_kernel(const float *x, const float *y, float *sum, int n)
{
    __shared__ float of_warp[BLOCK / 32];
    float own = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        own += x[i] * y[i];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    for (int s = BLOCK / 64; s > 0; s /= 2) {
        if (threadIdx.x < s)
            of_warp[threadIdx.x] += of_warp[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, of_warp[0]);
}

int dot_spread(const float *x, const float *y, float *sum, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    cudaError_t error = cudaMemsetAsync(sum, 0, sizeof(float));
    if (error != cudaSuccess)
        return error;
    dot_spread_kernel<<<blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
}
