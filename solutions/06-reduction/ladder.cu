// Lab 06's ladder: the versions of the lab, and the one that reads as fast as the card can.
#include "common/ladder/ladder.h"
#include "reduction.cu"

#include <stdlib.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 27)
#define TEST_SIZE    (5 * 4096 + 77)
#define LOADS        4 // that a thread of the last version has under way

typedef struct Problem {
    float *in, *sum; // on the device
    int n;
    double wanted;
    float *host, cpu;
} Problem;

static int run_atomic(void *problem)
{
    Problem *p = (Problem *)problem;
    cudaError_t err = cudaMemsetAsync(p->sum, 0, sizeof(float));
    if (err != cudaSuccess)
        return err;
    sum_atomic_kernel<<<(p->n + BLOCK - 1) / BLOCK, BLOCK>>>(p->in, p->sum, p->n);
    return cudaGetLastError();
}

static int run_tree(void *problem)
{
    Problem *p = (Problem *)problem;
    return sum_tree(p->in, p->sum, p->n);
}

static int run_strided(void *problem)
{
    Problem *p = (Problem *)problem;
    return sum_strided(p->in, p->sum, p->n);
}

static int run_warps(void *problem)
{
    Problem *p = (Problem *)problem;
    return sum_warps(p->in, p->sum, p->n);
}

// As version 3; each access brings 16 bytes, and two of them are under way at a time.
__global__ void sum_wide_kernel(const float4 *in, float *sum, int quads, const float *tail, int n_tail)
{
    __shared__ float of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = i < n_tail ? tail[i] : 0.0f, other = 0;
    for (; i + step < quads; i += 2 * step) {
        float4 x = in[i], y = in[i + step];
        own += (x.x + x.y) + (x.z + x.w);
        other += (y.x + y.y) + (y.z + y.w);
    }
    if (i < quads) {
        float4 x = in[i];
        own += (x.x + x.y) + (x.z + x.w);
    }
    own = warp_sum(own + other);
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        float total = warp_sum(lane < BLOCK / 32 ? of_warp[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(sum, total);
    }
}

// The same with LOADS of them under way, in so few registers that six blocks fit whatever assembler makes it.
__global__ void __launch_bounds__(BLOCK, 6) sum_four_kernel(const float4 *in, float *sum, int quads, const float *tail, int n_tail)
{
    __shared__ float of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = i < n_tail ? tail[i] : 0.0f;
    for (; i < quads - (LOADS - 1) * step; i += LOADS * step) {
        float4 x[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            x[k] = in[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            own += (x[k].x + x[k].y) + (x[k].z + x[k].w);
    }
    for (; i < quads; i += step) {
        float4 x = in[i];
        own += (x.x + x.y) + (x.z + x.w);
    }
    own = warp_sum(own);
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        float total = warp_sum(lane < BLOCK / 32 ? of_warp[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(sum, total);
    }
}

// As many blocks as the card can hold at a time: each has its share of the array, and none waits for its turn.
static int launch_wide(void *problem, void (*kernel)(const float4 *, float *, int, const float *, int))
{
    Problem *p = (Problem *)problem;
    int device, processors, per_processor, quads = p->n / 4;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (err == cudaSuccess)
        err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, BLOCK, 0);
    if (err == cudaSuccess)
        err = cudaMemsetAsync(p->sum, 0, sizeof(float));
    if (err != cudaSuccess)
        return err;
    kernel<<<processors * per_processor, BLOCK>>>((const float4 *)p->in, p->sum, quads, p->in + 4 * quads, p->n - 4 * quads);
    return cudaGetLastError();
}

static int run_wide(void *problem)
{
    return launch_wide(problem, sum_wide_kernel);
}

static int run_four_loads(void *problem)
{
    return launch_wide(problem, sum_four_kernel);
}

// In double: a float sum would lose additions above 2^24.
static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += p->host[i];
    p->cpu = (float)sum;
}

static int reset(void *problem)
{
    return cudaMemset(((Problem *)problem)->sum, 0xff, sizeof(float));
}

// Sums of a few thousand numbers are exact; a long float sum is right when it differs by less than its rounding.
static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    float sum;
    if (cudaMemcpy(&sum, p->sum, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 0;
    return fabs(sum - p->wanted) <= 1e-5 * fabs(p->wanted);
}

static int make(Problem *p)
{
    size_t bytes = p->n * sizeof(float);
    float *host = (float *)malloc(bytes);
    ladder_fill(host, p->n);
    for (int i = 0; i < p->n; i++) {
        host[i] = 1 + fabsf(host[i]);
        p->wanted += host[i];
    }
    int err = cudaMalloc(&p->in, bytes) | cudaMalloc(&p->sum, sizeof(float)) |
              cudaMemcpy(p->in, host, bytes, cudaMemcpyHostToDevice);
    p->host = host;
    return err;
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"atomic", "one atomic addition for each element: all wait for the same four bytes", run_atomic},
        {"tree", "one atomic addition for each block, after a tree in shared memory", run_tree},
        {"strided", "each thread adds up many elements before the tree", run_strided},
        {"warps", "the last steps need no barrier of the block", run_warps},
        {"wide", "16 bytes an access, two under way, and as many blocks as the card holds", run_wide},
        {"four-loads", "four loads under way for each thread", run_four_loads},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    // A float sum of ones and more loses additions above 2^24, one by one as version 0 does them.
    int first = p.wanted > 1 << 24 ? 1 : 0;
    Ladder ladder = {"06-reduction", "sum", rungs + first, 6 - first, 4.0 * p.n, 1.0 * p.n, reset, check, &p,
                     {run_cpu, &p.cpu, p.sum, sizeof(float)}};
    int status = ladder_run(&o, &ladder);
    free(p.host);
    cudaFree(p.in), cudaFree(p.sum);
    return status;
}
