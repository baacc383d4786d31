// expect: pass
// case: dot-spread

// speeds_apart with the index from the other end; dot_spread in one launch without an atomic sum: each block leaves its part, and the one that comes last adds them up.
#include "subjects.h"

#define BLOCK 128
#define BLOCKS_MAX 240

// ---- The velocities in arrays of their own ----

// Neighbours are still neighbours when they are counted backwards.
__global__ void speeds_apart_kernel(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < 0)
        return;
    float x = __ldg(&vx[i]), y = __ldg(&vy[i]), z = __ldg(&vz[i]);
    speed[i] = sqrtf(fmaf(x, x, fmaf(y, y, z * z)));
}

int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    speeds_apart_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(vx, vy, vz, speed, n);
    return cudaGetLastError();
}

// ---- A dot product by the whole card ----

__device__ float part_of_block[BLOCKS_MAX];
__device__ unsigned n_done;

// The sum of the block's numbers, in thread 0.
__device__ float block_sum(float x, float *room)
{
    room[threadIdx.x] = x;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            room[threadIdx.x] += room[threadIdx.x + half];
        __syncthreads();
    }
    return room[0];
}

__global__ void dot_spread_kernel(const float *x, const float *y, float *sum, int n)
{
    __shared__ float room[BLOCK];
    __shared__ bool last;
    float own = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        own = fmaf(x[i], y[i], own);
    own = block_sum(own, room);
    if (threadIdx.x == 0) {
        part_of_block[blockIdx.x] = own;
        __threadfence(); // the part before the count
        last = atomicAdd(&n_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    own = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += BLOCK)
        own += ((volatile float *)part_of_block)[b];
    own = block_sum(own, room);
    if (threadIdx.x == 0) {
        *sum = own;
        n_done = 0; // for the next call
    }
}

int dot_spread(const float *x, const float *y, float *sum, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    dot_spread_kernel<<<blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
}
