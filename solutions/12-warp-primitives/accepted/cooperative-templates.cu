// expect: pass
// Lab 12 with cooperative groups, and with the width of a group as a template argument.
#include "lab.h"
#include "warp_primitives.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <climits>

namespace cg = cooperative_groups;

namespace
{

constexpr int THREADS = 128;
using Warp = cg::thread_block_tile<RUN>;

// A launch of `kernel` with a thread for each of n elements.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), int n, Arguments... arguments)
{
    if (n <= 0)
        return cudaSuccess;
    kernel<<<(n - 1) / THREADS + 1, THREADS>>>(arguments...);
    return cudaGetLastError();
}

__device__ long long index_of_thread() { return static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; }

__device__ int element(const int *in, int n, int otherwise)
{
    long long i = index_of_thread();
    return i < n ? in[i] : otherwise;
}

__global__ void sums_kernel(const int *in, int *sums, int n)
{
    Warp warp = cg::tiled_partition<RUN>(cg::this_thread_block());
    int sum = cg::reduce(warp, element(in, n, 0), cg::plus<int>());
    if (warp.thread_rank() == RUN - 1) {
        long long run = index_of_thread() / RUN;
        if (run * RUN < n)
            sums[run] = sum;
    }
}

__global__ void scans_kernel(const int *in, int *out, int n)
{
    Warp warp = cg::tiled_partition<RUN>(cg::this_thread_block());
    int sum = cg::inclusive_scan(warp, element(in, n, 0), cg::plus<int>());
    if (index_of_thread() < n)
        out[index_of_thread()] = sum;
}

template <int WIDTH> __global__ void largest_kernel(const int *in, int *out, int n)
{
    auto group = cg::tiled_partition<WIDTH>(cg::this_thread_block());
    int own = element(in, n, INT_MIN);
    int largest = cg::reduce(group, own, cg::greater<int>());
    if (index_of_thread() < n)
        out[index_of_thread()] = largest - own;
}

// Each lane asks for the element that belongs into its place: that of the lane with the k-th vote.
__global__ void first_kernel(const int *in, int *out, int n)
{
    Warp warp = cg::tiled_partition<RUN>(cg::this_thread_block());
    int own = element(in, n, 0);
    unsigned votes = warp.ballot(own > 0);
    int lane = warp.thread_rank(), whose = lane;
    unsigned left = votes;
    for (int k = 0; k < lane; k++)
        left &= left - 1;
    if (left != 0)
        whose = __ffs(left) - 1;
    int got = warp.shfl(own, whose);
    if (index_of_thread() < n)
        out[index_of_thread()] = left != 0 ? got : 0;
}

__global__ void count_kernel(const int *in, int *count, int n)
{
    int positive = __syncthreads_count(element(in, n, 0) > 0);
    if (threadIdx.x == 0 && positive > 0)
        atomicAdd(count, positive);
}

} // namespace

int run_sums(const int *in, int *sums, int n)
{
    return launch(sums_kernel, n, in, sums, n);
}

int run_scans(const int *in, int *out, int n)
{
    return launch(scans_kernel, n, in, out, n);
}

int below_largest(const int *in, int *out, int n, int width)
{
    switch (width) {
    case 2:
        return launch(largest_kernel<2>, n, in, out, n);
    case 4:
        return launch(largest_kernel<4>, n, in, out, n);
    case 8:
        return launch(largest_kernel<8>, n, in, out, n);
    case 16:
        return launch(largest_kernel<16>, n, in, out, n);
    default:
        return launch(largest_kernel<32>, n, in, out, n);
    }
}

int positive_first(const int *in, int *out, int n)
{
    return launch(first_kernel, n, in, out, n);
}

int count_positive(const int *in, int *count, int n)
{
    cudaError_t status = cudaMemsetAsync(count, 0, sizeof *count);
    return status != cudaSuccess ? status : launch(count_kernel, n, in, count, n);
}
