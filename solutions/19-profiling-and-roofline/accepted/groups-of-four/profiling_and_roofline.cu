// expect: pass
// case: dot-few

// Four elements a thread, as float4, and the rest one by one; the block's sum by cooperative groups.
#include "subjects.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#define BLOCK 256
#define BLOCKS_MAX 160

// ---- The velocities in arrays of their own ----

__device__ float length_of(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}

// The arrays begin at an allocation's start, so that four floats from a multiple of four on are aligned.
__global__ void speeds_apart_kernel(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int i = 4 * (int)cg::this_grid().thread_rank();
    if (i + 3 < n) {
        float4 x = *(const float4 *)(vx + i), y = *(const float4 *)(vy + i), z = *(const float4 *)(vz + i);
        *(float4 *)(speed + i) = make_float4(length_of(x.x, y.x, z.x), length_of(x.y, y.y, z.y), length_of(x.z, y.z, z.z), length_of(x.w, y.w, z.w));
    } else {
        for (; i < n; i++)
            speed[i] = length_of(vx[i], vy[i], vz[i]);
    }
}

int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n)
{
    int threads = (n + 3) / 4;
    speeds_apart_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(vx, vy, vz, speed, n);
    return cudaGetLastError();
}

// ---- A dot product by the whole card ----

__global__ void clear_kernel(float *sum)
{
    *sum = 0;
}

__global__ void dot_spread_kernel(const float *x, const float *y, float *sum, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ float of_warp[BLOCK / 32];
    int first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    float own = 0;
    for (int i = first; i < n / 4; i += step) {
        float4 a = ((const float4 *)x)[i], b = ((const float4 *)y)[i];
        own += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int i = n / 4 * 4 + first; i < n; i += step)
        own += x[i] * y[i];
    own = cg::reduce(warp, own, cg::plus<float>());
    if (warp.thread_rank() == 0)
        of_warp[warp.meta_group_rank()] = own;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        own = cg::reduce(warp, warp.thread_rank() < BLOCK / 32 ? of_warp[warp.thread_rank()] : 0, cg::plus<float>());
        if (warp.thread_rank() == 0)
            atomicAdd(sum, own);
    }
}

int dot_spread(const float *x, const float *y, float *sum, int n)
{
    int blocks = (n / 4 + BLOCK) / BLOCK;
    clear_kernel<<<1, 1>>>(sum);
    dot_spread_kernel<<<blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
}
