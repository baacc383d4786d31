// Lab 19: two kernels made quicker, after you have found out what limits them. The others are in subjects.h.
#include "subjects.h"

#define BLOCK 256

// ---- The velocities in arrays of their own ----

//@ solution 5
// Each byte of each sector is used: 16 bytes a particle move, not 36.
__global__ void speeds_apart_kernel(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        speed[i] = sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
}

//@ end
int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    //@ solution 5
    speeds_apart_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(vx, vy, vz, speed, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 5: write a kernel for the three arrays, and launch it.
    //| return cudaSuccess;
    //@ end
}

// ---- A dot product by the whole card ----

//@ solution 6
#define BLOCKS_MAX 160 // four blocks for each of 40 multiprocessors

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
    if (threadIdx.x < 32) {
        own = warp_sum(threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            atomicAdd(sum, own);
    }
}

//@ end
int dot_spread(const float *x, const float *y, float *sum, int n)
{
    //@ solution 6
    int blocks = (n + BLOCK - 1) / BLOCK;
    cudaError_t error = cudaMemsetAsync(sum, 0, sizeof(float));
    if (error != cudaSuccess)
        return error;
    dot_spread_kernel<<<blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 6: as in subjects.h, but with many blocks. Who adds up what the blocks have?
    //| return cudaSuccess;
    //@ end
}
