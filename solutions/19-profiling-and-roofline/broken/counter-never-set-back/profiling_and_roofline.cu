// expect: wrong-result
// case: dot-long
// says: is a variable of the device (a sum, a counter of blocks) still what that call left

// Lab 19: two kernels made quicker, after you have found out what limits them. The others are in subjects.h.
#include "subjects.h"

#define BLOCK 256

// ---- The velocities in arrays of their own ----

__global__ void speeds_apart_kernel(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        speed[i] = sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
}

int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int grid = (n + BLOCK - 1) / BLOCK;
    speeds_apart_kernel<<<grid, BLOCK>>>(vx, vy, vz, speed, n);
    return cudaGetLastError();
}

// ---- A dot product by the whole card ----

#define MOST_BLOCKS 160

// What each block found, and how many blocks have put theirs there. The last one adds them up.
__device__ float block_sums[MOST_BLOCKS];
__device__ unsigned int blocks_done = 0;

// The sum of the block's values; thread 0 gets it.
__device__ float block_sum(float own)
{
    __shared__ float partial[BLOCK];
    partial[threadIdx.x] = own;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    return partial[0];
}

__global__ void dot_spread_kernel(const float *x, const float *y, float *sum, int n)
{
    __shared__ bool last;
    float own = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i] * y[i];
    float total = block_sum(own);
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        total = block_sum(threadIdx.x < gridDim.x ? block_sums[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            *sum = total;
    }
}

int dot_spread(const float *x, const float *y, float *sum, int n)
{
    int grid = (n + BLOCK - 1) / BLOCK;
    if (grid > MOST_BLOCKS)
        grid = MOST_BLOCKS;
    dot_spread_kernel<<<grid, BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
}
