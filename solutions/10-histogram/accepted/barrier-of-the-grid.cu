// expect: pass
// No memset: cooperative kernels, whose blocks set the bins to 0 together, count, and wait for the grid before they
// report. One templated kernel for all that counts in shared memory. Launched for no bytes, too.
#include "lab.h"
#include "histogram.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define THREADS 128
#define EACH    16384

// Where a value's counter is, in COPIES counters for each bin
template <int COPIES>
struct Counters {
    unsigned *counter;
    __device__ void add(unsigned bin) const
    {
        atomicAdd(counter + bin * COPIES + (COPIES > 1 ? threadIdx.x % COPIES : 0), 1u);
    }
};

struct Bytes { // a byte at a time
    const char *in;
    int n;
    template <class C>
    __device__ void count(C to, int first, int step) const
    {
        for (int i = first; i < n; i += step)
            to.add((unsigned)in[i] & 0xffu);
    }
};

struct Packs { // 16 bytes at a time, and bytes for the rest
    const char *in;
    int n;
    template <class C>
    __device__ void count(C to, int first, int step) const
    {
        union Sixteen {
            uint4 all;
            unsigned char byte[16];
        };
        int packs = n / 16;
        for (int i = first; i < packs; i += step) {
            Sixteen s;
            s.all = __ldg((const uint4 *)in + i);
#pragma unroll
            for (int k = 0; k < 16; k++)
                to.add(s.byte[k]);
        }
        Bytes{in + packs * 16, n % 16}.count(to, first, step);
    }
};

struct Numbers {
    const int *in;
    int n, low, width, n_bins;
    template <class C>
    __device__ void count(C to, int first, int step) const
    {
        for (int i = first; i < n; i += step) {
            int x = in[i] - low;
            // Division that rounds down, then between the two ends
            int k = x >= 0 ? x / width : -1;
            to.add((unsigned)(1 + (k > n_bins ? n_bins : k)));
        }
    }
};

template <class Data, int COPIES>
__global__ void count_kernel(Data data, unsigned *bins, int n_counters)
{
    extern __shared__ unsigned mine[];
    cg::grid_group grid = cg::this_grid();
    int me = (int)grid.thread_rank(), all = (int)grid.size();
    for (int b = me; b < n_counters; b += all)
        bins[b] = 0;
    for (int k = threadIdx.x; k < n_counters * COPIES; k += THREADS)
        mine[k] = 0;
    cg::this_thread_block().sync();
    data.count(Counters<COPIES>{mine}, me, all);
    grid.sync(); // all bins are 0, and all counters of the block are counted
    for (int b = threadIdx.x; b < n_counters; b += THREADS) {
        unsigned sum = 0;
        for (int k = 0; k < COPIES; k++)
            sum += mine[b * COPIES + (COPIES > 1 ? (b + k) % COPIES : 0)];
        if (sum)
            atomicAdd(&bins[b], sum);
    }
}

template <class Data, int COPIES>
static int launch(Data data, unsigned *bins, int n_counters)
{
    size_t bytes = sizeof(unsigned) * n_counters * COPIES;
    int device, processors, together;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, count_kernel<Data, COPIES>, THREADS, bytes);
    if (error != cudaSuccess)
        return error;
    int blocks = data.n / EACH + 1;
    if (blocks > processors * together)
        blocks = processors * together; // all of them have to be there at once
    void *arguments[] = {&data, &bins, &n_counters};
    return cudaLaunchCooperativeKernel((const void *)count_kernel<Data, COPIES>, dim3(blocks), dim3(THREADS), arguments, bytes, 0);
}

__global__ void global_kernel(const char *in, unsigned *bins, int n)
{
    // A grid of two dimensions
    unsigned i = (blockIdx.x * gridDim.y + blockIdx.y) * blockDim.x + threadIdx.x;
    if (i < (unsigned)n)
        atomicAdd(bins + (in[i] & 255), 1u);
}

int histogram_global(const char *in, unsigned *bins, int n)
{
    cudaError_t error = cudaMemset2DAsync(bins, 16 * sizeof *bins, 0, 16 * sizeof *bins, BINS / 16, 0);
    if (error != cudaSuccess)
        return error;
    if (n == 0)
        return 0;
    unsigned blocks = (n + THREADS - 1) / THREADS;
    global_kernel<<<dim3((blocks + 7) / 8, 8), THREADS>>>(in, bins, n);
    return cudaGetLastError();
}

int histogram_shared(const char *in, unsigned *bins, int n) { return launch<Bytes, 1>(Bytes{in, n}, bins, BINS); }

int histogram_lanes(const char *in, unsigned *bins, int n) { return launch<Bytes, 32>(Bytes{in, n}, bins, BINS); }

int histogram_wide(const char *in, unsigned *bins, int n) { return launch<Packs, 32>(Packs{in, n}, bins, BINS); }

int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins)
{
    return launch<Numbers, 1>(Numbers{in, n, low, width, n_bins}, bins, n_bins + 2);
}
