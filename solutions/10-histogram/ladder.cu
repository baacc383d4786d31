// Lab 10's ladder: bytes counted by value, evenly spread ones, and all the same.
#include "common/ladder/ladder.h"
#include "histogram.cu"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 30)
#define TEST_SIZE    (5 * 4096 + 77)

typedef struct Problem {
    char *in; // on the device
    unsigned *bins;
    int n;
    unsigned wanted[256], cpu[256];
    unsigned char *host;
} Problem;

static int run_global(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_global(p->in, p->bins, p->n);
}

static int run_shared(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_shared(p->in, p->bins, p->n);
}

static int run_lanes(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_lanes(p->in, p->bins, p->n);
}

static int run_wide(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_wide(p->in, p->bins, p->n);
}

// The same with as many blocks as the card holds at a time: fewer counters to set and to add up, and no second wave.
static int run_full(void *problem)
{
    Problem *p = (Problem *)problem;
    int device, processors, per_processor;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (err == cudaSuccess)
        err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, wide_kernel, BLOCK, 0);
    if (err == cudaSuccess)
        err = cudaMemsetAsync(p->bins, 0, 256 * sizeof(unsigned));
    if (err != cudaSuccess)
        return err;
    wide_kernel<<<processors * per_processor, BLOCK>>>(p->in, p->bins, p->n);
    return cudaGetLastError();
}

__device__ void count_sixteen(unsigned (*of)[16], int lane, uint4 w)
{
    for (int k = 0; k < 32; k += 8) {
        atomicAdd(&of[(w.x >> k) & 0xff][lane], 1);
        atomicAdd(&of[(w.y >> k) & 0xff][lane], 1);
        atomicAdd(&of[(w.z >> k) & 0xff][lane], 1);
        atomicAdd(&of[(w.w >> k) & 0xff][lane], 1);
    }
}

// Counters for each half of a warp, and 512 threads for each set: more warps on a multiprocessor to hide the way of the bytes. A thread
// has LOADS loads under way before it counts anything.
template <int LOADS>
__global__ void __launch_bounds__(512) crowd_kernel(const char *in, unsigned *bins, int n)
{
    __shared__ unsigned of[BINS][16];
    unsigned *all = &of[0][0];
    int lane = threadIdx.x % 16;
    for (int k = threadIdx.x; k < BINS * 16; k += blockDim.x)
        all[k] = 0;
    __syncthreads();
    const uint4 *in16 = (const uint4 *)in;
    int n16 = n / 16, first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    int i = first;
    for (; i < n16 - (LOADS - 1) * step; i += LOADS * step) {
        uint4 w[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            w[k] = in16[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            count_sixteen(of, lane, w[k]);
    }
    for (; i < n16; i += step)
        count_sixteen(of, lane, in16[i]);
    for (i = 16 * n16 + first; i < n; i += step)
        atomicAdd(&of[(unsigned char)in[i]][lane], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < 16; k++)
            sum += of[b][(b + k) % 16];
        atomicAdd(&bins[b], sum);
    }
}

#define PACKED_THREADS 1024
#define PACKED_TURNS   127 // of a thread, 16 bytes each: 32 warps * 127 * 16 bytes of one value are less than 65,536

__device__ void count_packed(unsigned (*of)[32], int lane, unsigned four)
{
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        unsigned value = four >> k;
        atomicAdd(&of[(value >> 1) & 0x7f][lane], value & 1 ? 0x10000 : 1);
    }
}

// Two counters of 16 bits in each word: room for a set for each lane, in a bank of its own, at full occupancy. Before one of them can
// run over, all are added to the bins.
__global__ void __launch_bounds__(PACKED_THREADS) packed_kernel(const char *in, unsigned *bins, int n)
{
    __shared__ unsigned of[BINS / 2][32];
    unsigned *all = &of[0][0];
    const uint4 *in16 = (const uint4 *)in;
    int n16 = n / 16, lane = threadIdx.x % 32, step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int first = 0; first < n16; first += PACKED_TURNS * step) { // the same for all threads
        for (int k = threadIdx.x; k < BINS / 2 * 32; k += blockDim.x)
            all[k] = 0;
        __syncthreads();
        for (int turn = 0; turn < PACKED_TURNS && i < n16; turn++, i += step) {
            uint4 w = in16[i];
            count_packed(of, lane, w.x), count_packed(of, lane, w.y), count_packed(of, lane, w.z), count_packed(of, lane, w.w);
        }
        __syncthreads();
        if (threadIdx.x < BINS) {
            unsigned sum = 0;
            for (int k = 0; k < 32; k++)
                sum += of[threadIdx.x / 2][(threadIdx.x + k) % 32] >> threadIdx.x % 2 * 16 & 0xffff;
            atomicAdd(&bins[threadIdx.x], sum);
        }
        __syncthreads();
    }
    for (int k = 16 * n16 + blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step)
        atomicAdd(&bins[(unsigned char)in[k]], 1);
}

static int launch_crowd(void *problem, void (*kernel)(const char *, unsigned *, int), int threads)
{
    Problem *p = (Problem *)problem;
    int device, processors, per_processor;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (err == cudaSuccess)
        err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, 0);
    if (err == cudaSuccess)
        err = cudaMemsetAsync(p->bins, 0, 256 * sizeof(unsigned));
    if (err != cudaSuccess)
        return err;
    kernel<<<processors * per_processor, threads>>>(p->in, p->bins, p->n);
    return cudaGetLastError();
}

static int run_crowd(void *problem)
{
    return launch_crowd(problem, crowd_kernel<1>, 512);
}

static int run_two_loads(void *problem)
{
    return launch_crowd(problem, crowd_kernel<2>, 512);
}

static int run_packed(void *problem)
{
    return launch_crowd(problem, packed_kernel, PACKED_THREADS);
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    memset(p->cpu, 0, sizeof p->cpu);
    for (int i = 0; i < p->n; i++)
        p->cpu[p->host[i]]++;
}

static int reset(void *problem)
{
    return cudaMemset(((Problem *)problem)->bins, 0xff, 256 * sizeof(unsigned));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    unsigned bins[256];
    return cudaMemcpy(bins, p->bins, sizeof bins, cudaMemcpyDeviceToHost) == cudaSuccess &&
           memcmp(bins, p->wanted, sizeof bins) == 0;
}

static int make(Problem *p, int same)
{
    unsigned char *host = p->host;
    memset(p->wanted, 0, sizeof p->wanted);
    for (int i = 0; i < p->n; i++) {
        host[i] = same ? 200 : (unsigned)(i * 2654435761u) >> 24;
        p->wanted[host[i]]++;
    }
    return cudaMemcpy(p->in, host, p->n, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"global", "an atomic in global memory for each byte", run_global},
        {"shared", "each block counts for itself", run_shared},
        {"lanes", "each lane has counters in a bank of its own", run_lanes},
        {"wide", "16 bytes in one load", run_wide},
        {"full", "as many blocks as the card holds", run_full},
        {"crowd", "half the counters and twice the threads: every multiprocessor is full of warps", run_crowd},
        {"two-loads", "two loads under way for each thread before it counts", run_two_loads},
        {"packed", "two counters in a word: each lane has its own again, and the card is full", run_packed},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if (cudaMalloc(&p.in, p.n) != cudaSuccess || cudaMalloc(&p.bins, 256 * sizeof(unsigned)) != cudaSuccess)
        return 1;
    int status = 0;
    p.host = (unsigned char *)malloc(p.n);
    for (int same = 0; same < 2 && status == 0; same++) {
        if (make(&p, same) != cudaSuccess)
            return 1;
        Ladder ladder = {"10-histogram", same ? "all-one-value" : "uniform", rungs, 8, 1.0 * p.n, 1.0 * p.n, reset, check, &p,
                         {run_cpu, p.cpu, p.bins, sizeof p.cpu}};
        status = ladder_run(&o, &ladder);
    }
    free(p.host);
    cudaFree(p.in), cudaFree(p.bins);
    return status;
}
