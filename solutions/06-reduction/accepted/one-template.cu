// expect: pass
// One template for everything: an operation, a way to read, and cooperative groups; versions 2 and 3 end in one launch, in
// which the block that comes last adds up what the others left.
#include "lab.h"
#include "reduction.h"

#include <cooperative_groups.h>
#include <math.h>

namespace cg = cooperative_groups;

namespace {

constexpr int kBlock = 256;
constexpr int kMostBlocks = 160;

struct Plus {
    static __device__ constexpr float identity() { return 0.0f; }
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Larger {
    static __device__ float identity() { return -INFINITY; }
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

__device__ float left_by_block[kMostBlocks];
__device__ unsigned int blocks_done;

// Each thread's share of the array.
template <typename Op, typename At> __device__ float share(int begin, int step, int end, Op op, At at)
{
    float own = Op::identity();
    for (int i = begin; i < end; i += step)
        own = op(own, at(i));
    return own;
}

// A tree in shared memory, written from the root's side: the recursion is unrolled by the compiler.
template <int HALF> struct Tree {
    static __device__ void climb(const cg::thread_block &block, float *partial)
    {
        const unsigned t = block.thread_rank();
        if (t < HALF)
            partial[t] += partial[t + HALF];
        block.sync();
        Tree<HALF / 2>::climb(block, partial);
    }
};
template <> struct Tree<0> {
    static __device__ void climb(const cg::thread_block &, float *) {}
};

__device__ float by_tree(const cg::thread_block &block, float own)
{
    __shared__ float partial[kBlock];
    partial[block.thread_rank()] = own;
    block.sync();
    Tree<kBlock / 2>::climb(block, partial);
    const float total = partial[0];
    block.sync();
    return total;
}

// By butterflies: every lane ends with the sum. One barrier.
__device__ float by_warps(const cg::thread_block &block, float own)
{
    __shared__ float of_warp[kBlock / 32];
    auto warp = cg::tiled_partition<32>(block);
    for (int s = 1; s < 32; s <<= 1)
        own += warp.shfl_xor(own, s);
    if (warp.thread_rank() == 0)
        of_warp[warp.meta_group_rank()] = own;
    block.sync();
    float all = warp.thread_rank() < kBlock / 32 ? of_warp[warp.thread_rank()] : 0.0f;
    for (int s = 1; s < kBlock / 32; s <<= 1)
        all += warp.shfl_xor(all, s);
    return all;
}

__global__ void tree_kernel(const float *in, float *sum, int n)
{
    auto block = cg::this_thread_block();
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const float total = by_tree(block, i < n ? in[i] : 0.0f);
    if (block.thread_rank() == 0)
        atomicAdd(sum, total);
}

__global__ void strided_kernel(const float *in, float *sum, int n)
{
    auto block = cg::this_thread_block();
    __shared__ bool last;
    const float total = by_tree(block, share(blockIdx.x * kBlock + threadIdx.x, gridDim.x * kBlock, n, Plus(),
                                             [in](int i) { return __ldg(in + i); }));
    if (block.thread_rank() == 0) {
        left_by_block[blockIdx.x] = total;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    block.sync();
    if (!last)
        return;
    const volatile float *left = left_by_block;
    const float all = by_tree(block, share(threadIdx.x, kBlock, gridDim.x, Plus(), [left](int i) { return left[i]; }));
    if (block.thread_rank() == 0)
        *sum = all;
}

__global__ void warps_kernel(const float *in, float *sum, int n)
{
    auto block = cg::this_thread_block();
    const float total = by_warps(block, share(blockIdx.x * kBlock + threadIdx.x, gridDim.x * kBlock, n, Plus(),
                                              [in](int i) { return in[i]; }));
    if (block.thread_rank() == 0)
        atomicAdd(sum, total);
}

// The largest of a block of any size: each warp, which may be a part of one, hands down; then warp 0 does the same with
// what the warps have found.
__device__ float largest_of(float own, int width, int lane)
{
    const unsigned mask = width >= 32 ? 0xffffffffu : (1u << width) - 1;
    for (int s = 16; s > 0; s >>= 1) {
        const float other = __shfl_down_sync(mask, own, s);
        if (lane + s < width)
            own = Larger()(own, other);
    }
    return own;
}

__global__ void largest_kernel(const float *in, float *result, int n)
{
    __shared__ float of_warp[32];
    const int threads = blockDim.x, t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float own = share(blockIdx.x * threads + t, gridDim.x * threads, n, Larger(), [in](int i) { return in[i]; });
    own = largest_of(own, threads - warp * 32, lane);
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    const int warps = (threads + 31) / 32;
    if (t < warps)
        own = largest_of(of_warp[t], warps, lane);
    if (t == 0)
        result[blockIdx.x] = own;
}

int ceil_div(int a, int b)
{
    return a / b + (a % b != 0);
}

int at_most(int a, int b)
{
    return a < b ? a : b;
}

} // namespace

int sum_tree(const float *in, float *sum, int n)
{
    if (cudaError_t err = cudaMemsetAsync(sum, 0, sizeof *sum))
        return err;
    if (n > 0) {
        tree_kernel<<<ceil_div(n, kBlock), kBlock>>>(in, sum, n);
        return cudaGetLastError();
    }
    return cudaSuccess;
}

int sum_strided(const float *in, float *sum, int n)
{
    if (n == 0)
        return cudaMemsetAsync(sum, 0, sizeof *sum);
    strided_kernel<<<at_most(ceil_div(n, kBlock), kMostBlocks), kBlock>>>(in, sum, n);
    return cudaGetLastError();
}

int sum_warps(const float *in, float *sum, int n)
{
    if (cudaError_t err = cudaMemsetAsync(sum, 0, sizeof *sum))
        return err;
    if (n == 0)
        return cudaSuccess;
    void *args[] = {&in, &sum, &n};
    return cudaLaunchKernel((const void *)warps_kernel, dim3(at_most(ceil_div(n, kBlock), kMostBlocks)), dim3(kBlock), args,
                            0, 0);
}

int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    const int blocks = n == 0 ? 1 : at_most(ceil_div(n, threads), SCRATCH_FLOATS);
    largest_kernel<<<blocks, threads>>>(in, scratch, n);
    if (cudaError_t err = cudaGetLastError())
        return err;
    largest_kernel<<<1, threads>>>(scratch, max, blocks);
    return cudaGetLastError();
}
