// Lab 07's ladder: the versions of the lab, and one that allocates nothing and reads the array twice.
#include "common/ladder/ladder.h"
#include "scan.cu"

#include <stdlib.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 26)
#define TEST_SIZE    (5 * 4096 + 77)
#define WIDE         4096 // elements of a piece of the last version: 256 threads, 4 times 4 elements each
#define PIECES_MAX   (1 << 18)

typedef struct Problem {
    int *in, *out, *sums; // on the device
    int n;
    int *host, *cpu;
} Problem;

static int run_doubling(void *problem)
{
    Problem *p = (Problem *)problem;
    return exclusive_scan(p->in, p->out, p->n);
}

static int run_fast(void *problem)
{
    Problem *p = (Problem *)problem;
    return exclusive_scan_fast(p->in, p->out, p->n);
}

// Element k of four neighbours at `first`; 0 beyond the end. A whole quad is one access.
__device__ int4 load_quad(const int *in, int first, int n)
{
    if (first + 3 < n)
        return *(const int4 *)(in + first);
    int4 q = {};
    if (first < n)
        q.x = in[first];
    if (first + 1 < n)
        q.y = in[first + 1];
    if (first + 2 < n)
        q.z = in[first + 2];
    return q;
}

__device__ int sum_of(int4 q)
{
    return q.x + q.y + q.z + q.w;
}

// The sum of each piece.
__global__ void sum_pieces_kernel(const int *in, int *sums, int n)
{
    int own = 0;
    for (int k = 0; k < WIDE; k += 4 * BLOCK)
        own += sum_of(load_quad(in, blockIdx.x * WIDE + k + 4 * threadIdx.x, n));
    own = inclusive_warps(own);
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = own;
}

// One block: sums become offsets, in as many turns as it takes.
__global__ void scan_sums_kernel(int *sums, int count)
{
    __shared__ int turn_total;
    int before = 0;
    for (int first = 0; first < count; first += BLOCK) {
        int i = first + threadIdx.x;
        int own = i < count ? sums[i] : 0, sum = inclusive_warps(own);
        if (i < count)
            sums[i] = before + sum - own;
        if (threadIdx.x == BLOCK - 1)
            turn_total = sum;
        __syncthreads();
        before += turn_total;
        __syncthreads();
    }
}

// The piece again, quad by quad: all of a warp's accesses are neighbours.
__global__ void scan_wide_kernel(const int *in, int *out, const int *offsets, int n)
{
    __shared__ int turn_total;
    int before = offsets[blockIdx.x];
    int4 q[WIDE / (4 * BLOCK)];
    for (int k = 0; k < WIDE / (4 * BLOCK); k++)
        q[k] = load_quad(in, blockIdx.x * WIDE + 4 * (k * BLOCK + threadIdx.x), n);
    for (int k = 0; k < WIDE / (4 * BLOCK); k++) {
        int total = sum_of(q[k]), sum = inclusive_warps(total);
        int first = blockIdx.x * WIDE + 4 * (k * BLOCK + threadIdx.x), x = before + sum - total;
        int4 r = {x, x + q[k].x, x + q[k].x + q[k].y, x + q[k].x + q[k].y + q[k].z};
        if (first + 3 < n) {
            *(int4 *)(out + first) = r;
        } else {
            for (int e = 0; e < 3 && first + e < n; e++)
                out[first + e] = e == 0 ? r.x : e == 1 ? r.y : r.z;
        }
        if (threadIdx.x == BLOCK - 1)
            turn_total = sum;
        __syncthreads();
        before += turn_total;
        __syncthreads();
    }
}

static int run_wide(void *problem)
{
    Problem *p = (Problem *)problem;
    int pieces = (p->n + WIDE - 1) / WIDE;
    sum_pieces_kernel<<<pieces, BLOCK>>>(p->in, p->sums, p->n);
    scan_sums_kernel<<<1, BLOCK>>>(p->sums, pieces);
    scan_wide_kernel<<<pieces, BLOCK>>>(p->in, p->out, p->sums, p->n);
    return cudaGetLastError();
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    int sum = 0;
    for (int i = 0; i < p->n; i++) {
        p->cpu[i] = sum;
        sum += p->host[i];
    }
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->out, 0xff, p->n * sizeof(int));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    int *out = (int *)malloc(p->n * sizeof(int)), sum = 0;
    int right = out && cudaMemcpy(out, p->out, p->n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; right && i < p->n; i++) {
        right = out[i] == sum;
        sum += p->host[i];
    }
    free(out);
    return right;
}

static int make(Problem *p)
{
    size_t bytes = p->n * sizeof(int);
    p->host = (int *)malloc(bytes), p->cpu = (int *)malloc(bytes);
    for (int i = 0; i < p->n; i++)
        p->host[i] = (int)((unsigned)(i * 2654435761u) >> 28) - 8;
    return cudaMalloc(&p->in, bytes) | cudaMalloc(&p->out, bytes) | cudaMalloc(&p->sums, PIECES_MAX * sizeof(int)) |
           cudaMemcpy(p->in, p->host, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"doubling", "runs of 256 by doubling, then their sums, then one more pass over all", run_doubling},
        {"warps", "a quarter of the runs, and two barriers for each", run_fast},
        {"reduce-then-scan", "the array is read twice and written once, 16 bytes an access", run_wide},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if ((p.n + WIDE - 1) / WIDE > PIECES_MAX || make(&p) != cudaSuccess)
        return 1;
    Ladder ladder = {"07-scan", "scan", rungs, 3, 8.0 * p.n, 1.0 * p.n, reset, check, &p,
                     {run_cpu, p.cpu, p.out, p.n * sizeof(int)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu);
    cudaFree(p.in), cudaFree(p.out), cudaFree(p.sums);
    return status;
}
