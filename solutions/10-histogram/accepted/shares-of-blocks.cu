// expect: pass
// Histograms with cooperative groups. Every block has one piece of neighbouring elements; bins are cleared by a kernel.
#include "lab.h"
#include "histogram.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 128;
constexpr int kPiece = 16384;

int ceil_div(int a, int b) { return a / b + (a % b != 0); }

// A block's share of n elements: [begin, end), neighbours, beginning at a multiple of 16.
struct Share {
    int begin, end;
    __device__ Share(int n)
    {
        int each = (n + (int)gridDim.x - 1) / (int)gridDim.x;
        each = (each + 15) / 16 * 16;
        long long b = (long long)each * blockIdx.x;
        begin = b < n ? (int)b : n;
        end = n - begin > each ? begin + each : n;
    }
};

__global__ void clear(unsigned *bins, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        bins[k] = 0;
}

__global__ void per_byte(const unsigned char *in, unsigned *bins, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        atomicAdd(bins + in[k], 1u);
}

// Counters of the block, as many as the caller says; Find maps an element to its counter.
template <typename T, typename Find>
__device__ void count_in_block(unsigned *counter, int counters, const T *in, unsigned *bins, int n, Find find)
{
    cg::thread_block block = cg::this_thread_block();
    for (int c = block.thread_rank(); c < counters; c += block.size())
        counter[c] = 0;
    block.sync();
    Share mine(n);
    for (int k = mine.begin + (int)block.thread_rank(); k < mine.end; k += block.size())
        atomicAdd(&counter[find(in[k])], 1u);
    block.sync();
    for (int c = block.thread_rank(); c < counters; c += block.size())
        if (unsigned found = counter[c])
            atomicAdd(&bins[c], found);
}

__global__ void in_shared(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned counter[BINS];
    count_in_block(counter, BINS, in, bins, n, [](unsigned char c) { return (int)c; });
}

__global__ void in_ranges(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    extern __shared__ unsigned counter_of_range[];
    int high = low + n_bins * width;
    count_in_block(counter_of_range, n_bins + 2, in, bins, n, [=](int x) {
        if (x < low)
            return 0;
        if (x >= high)
            return n_bins + 1;
        return 1 + (x - low) / width;
    });
}

// 256 rows of 32 counters. A column belongs to a lane.
class Columns {
    unsigned (*row)[32];

public:
    __device__ explicit Columns(unsigned (*memory)[32]) : row(memory)
    {
        for (int k = threadIdx.x; k < BINS * 32; k += blockDim.x)
            row[k >> 5][k & 31] = 0;
        cg::this_thread_block().sync();
    }
    __device__ void add(unsigned value) { atomicAdd(&row[value][threadIdx.x & 31], 1u); }
    __device__ void add4(unsigned word)
    {
        add(word & 255u);
        add(word >> 8 & 255u);
        add(word >> 16 & 255u);
        add(word >> 24);
    }
    // A warp for each row: the lanes read 32 banks, and add up by shuffles.
    __device__ void report(unsigned *bins)
    {
        cg::this_thread_block().sync();
        cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
        for (int r = threadIdx.x / 32; r < BINS; r += blockDim.x / 32) {
            unsigned sum = row[r][warp.thread_rank()];
            for (int s = 16; s > 0; s >>= 1)
                sum += warp.shfl_down(sum, s);
            if (warp.thread_rank() == 0 && sum != 0)
                atomicAdd(&bins[r], sum);
        }
    }
};

__global__ void by_lanes(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned memory[BINS][32];
    Columns columns(memory);
    Share mine(n);
    for (int k = mine.begin + (int)threadIdx.x; k < mine.end; k += blockDim.x)
        columns.add(in[k]);
    columns.report(bins);
}

__global__ void by_words(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned memory[BINS][32];
    Columns columns(memory);
    Share mine(n);
    int words = (mine.end - mine.begin) / 16;
    const uint4 *quads = reinterpret_cast<const uint4 *>(in + mine.begin);
    for (int q = threadIdx.x; q < words; q += blockDim.x) {
        uint4 v = quads[q];
        columns.add4(v.x);
        columns.add4(v.y);
        columns.add4(v.z);
        columns.add4(v.w);
    }
    // only the share that ends at n is no multiple of 16
    for (int k = mine.begin + 16 * words + (int)threadIdx.x; k < mine.end; k += blockDim.x)
        columns.add(in[k]);
    columns.report(bins);
}

cudaError_t cleared(unsigned *bins, int count)
{
    clear<<<ceil_div(count, kThreads), kThreads>>>(bins, count);
    return cudaGetLastError();
}

template <typename Launch> int with_cleared(unsigned *bins, int count, int n, Launch launch)
{
    cudaError_t error = cleared(bins, count);
    if (error == cudaSuccess && n > 0) {
        launch();
        error = cudaGetLastError();
    }
    return (int)error;
}

const unsigned char *bytes_of(const char *in) { return reinterpret_cast<const unsigned char *>(in); }

int pieces(int n) { int p = ceil_div(n, kPiece); return p < 1024 ? p : 1024; }

} // namespace

int histogram_global(const char *in, unsigned *bins, int n)
{
    return with_cleared(bins, BINS, n, [=] { per_byte<<<ceil_div(n, kThreads), kThreads>>>(bytes_of(in), bins, n); });
}

int histogram_shared(const char *in, unsigned *bins, int n)
{
    return with_cleared(bins, BINS, n, [=] { in_shared<<<pieces(n), kThreads>>>(bytes_of(in), bins, n); });
}

int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    size_t shared = (size_t)(n_bins + 2) * sizeof(unsigned);
    return with_cleared(bins, n_bins + 2, n,
                        [=] { in_ranges<<<pieces(n), 2 * kThreads, shared>>>(in, bins, n, low, width, n_bins); });
}

int histogram_lanes(const char *in, unsigned *bins, int n)
{
    return with_cleared(bins, BINS, n, [=] { by_lanes<<<pieces(n), 2 * kThreads>>>(bytes_of(in), bins, n); });
}

int histogram_wide(const char *in, unsigned *bins, int n)
{
    return with_cleared(bins, BINS, n, [=] { by_words<<<pieces(n), 2 * kThreads>>>(bytes_of(in), bins, n); });
}
