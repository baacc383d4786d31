// expect: pass
// Lab 10 with C++: one kernel for all versions in shared memory. A "store" is where a block counts, a "source" is what
// it counts.
#include "lab.h"
#include "histogram.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

namespace
{

constexpr unsigned WARP = 32;

// ---- Where a block counts ----

struct Flat { // a counter for each bin
    unsigned *counters;
    int n_bins;
    static size_t bytes(int n_bins) { return n_bins * sizeof(unsigned); }
    __device__ void clear(const cg::thread_block &block)
    {
        for (int b = block.thread_rank(); b < n_bins; b += block.size())
            counters[b] = 0u;
    }
    __device__ void count(int bin) { atomicInc(counters + bin, 0xffffffffu); }
    __device__ void report(const cg::thread_block &block, unsigned *bins)
    {
        for (int b = block.thread_rank(); b < n_bins; b += block.size())
            if (unsigned own = counters[b])
                atomicAdd(bins + b, own);
    }
};

struct Striped { // a row of 32 counters for each bin, one for each lane
    unsigned *counters;
    int n_bins;
    static size_t bytes(int n_bins) { return n_bins * WARP * sizeof(unsigned); }
    __device__ void clear(const cg::thread_block &block)
    {
        for (int k = block.thread_rank(); k < n_bins * (int)WARP; k += block.size())
            counters[k] = 0u;
    }
    __device__ void count(int bin) { atomicAdd(counters + bin * WARP + threadIdx.x % WARP, 1u); }
    __device__ void report(const cg::thread_block &block, unsigned *bins)
    {
        auto warp = cg::tiled_partition<WARP>(block);
        for (int b = warp.meta_group_rank(); b < n_bins; b += warp.meta_group_size()) {
            unsigned sum = cg::reduce(warp, counters[b * WARP + warp.thread_rank()], cg::plus<unsigned>());
            if (warp.thread_rank() == 0 && sum != 0)
                atomicAdd(bins + b, sum);
        }
    }
};

// ---- What it counts: each calls `found` with the bin of every element of its own ----

struct Bytes {
    const char *in;
    int n;
    template <typename Found> __device__ void each(long long me, long long all, Found found) const
    {
        for (long long i = me; i < n; i += all)
            found(static_cast<unsigned char>(in[i]));
    }
};

struct WideBytes {
    const char *in;
    int n;
    template <typename Found> __device__ void each(long long me, long long all, Found found) const
    {
        auto four = [&](unsigned word) {
#pragma unroll
            for (unsigned k = 0; k < 4; k++)
                found(__byte_perm(word, 0, 0x4440 + k));
        };
        const uint4 *in16 = reinterpret_cast<const uint4 *>(in);
        for (long long i = me; i < n / 16; i += all) {
            uint4 w = __ldg(in16 + i);
            four(w.x), four(w.y), four(w.z), four(w.w);
        }
        long long last = n / 16 * 16 + me;
        if (me < n % 16)
            found(static_cast<unsigned char>(in[last]));
    }
};

struct Ranges {
    const int *in;
    int n, low, width, n_bins;
    template <typename Found> __device__ void each(long long me, long long all, Found found) const
    {
        for (long long i = me; i < n; i += all) {
            int above = in[i] - low;
            found(above < 0 ? 0 : min(above / width, n_bins) + 1);
        }
    }
};

template <typename Store, typename Source> __global__ void count_kernel(Source source, unsigned *bins, int n_bins)
{
    extern __shared__ unsigned room[];
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    Store store{room, n_bins};
    store.clear(block);
    block.sync();
    source.each(grid.thread_rank(), grid.size(), [&](int bin) { store.count(bin); });
    block.sync();
    store.report(block, bins);
}

__global__ void clear_kernel(unsigned *bins, int n_bins)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < n_bins)
        bins[b] = 0;
}

__global__ void direct_kernel(const char *in, unsigned *bins, int n)
{
    long long i = cg::this_grid().thread_rank();
    if (i < n)
        atomicAdd(bins + static_cast<unsigned char>(in[i]), 1u);
}

cudaError_t clear(unsigned *bins, int n_bins)
{
    clear_kernel<<<(n_bins + 127) / 128, 128>>>(bins, n_bins);
    return cudaGetLastError();
}

template <typename Store, typename Source> int count_all(Source source, unsigned *bins, int n_bins)
{
    cudaError_t status = clear(bins, n_bins);
    if (status != cudaSuccess || source.n == 0)
        return status;
    int blocks = source.n / 12000 + 1;
    if (blocks > 600)
        blocks = 600;
    count_kernel<Store><<<blocks, 512, Store::bytes(n_bins)>>>(source, bins, n_bins);
    return cudaGetLastError();
}

} // namespace

int histogram_global(const char *in, unsigned *bins, int n)
{
    cudaError_t status = clear(bins, BINS);
    if (status == cudaSuccess && n > 0) {
        direct_kernel<<<(n + 511) / 512, 512>>>(in, bins, n);
        status = cudaGetLastError();
    }
    return status;
}

int histogram_shared(const char *in, unsigned *bins, int n)
{
    return count_all<Flat>(Bytes{in, n}, bins, BINS);
}

int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    return count_all<Flat>(Ranges{in, n, low, width, n_bins}, bins, n_bins + 2);
}

int histogram_lanes(const char *in, unsigned *bins, int n)
{
    return count_all<Striped>(Bytes{in, n}, bins, BINS);
}

int histogram_wide(const char *in, unsigned *bins, int n)
{
    return count_all<Striped>(WideBytes{in, n}, bins, BINS);
}
