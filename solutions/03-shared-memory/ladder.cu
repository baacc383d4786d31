// Lab 03's ladder: a stencil of radius 16 that reads each element from memory 33 times, or once.
#include "common/ladder/ladder.h"
#include "shared_memory.cu"

#include <stdlib.h>

#define DEFAULT_SIZE (1 << 18)
#define LARGE_SIZE   (1 << 24)
#define TEST_SIZE    (5 * 4096 + 77)
#define RADIUS       16
#define THREADS      256

typedef struct Problem {
    int *in, *out; // on the device
    int n;
    int *host, *cpu;
} Problem;

// Every thread reads all that it needs from global memory.
__global__ void stencil_global_kernel(const int *in, int *out, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n)
        return;
    for (int d = -radius; d <= radius; d++)
        if (i + d >= 0 && i + d < n)
            sum += (d + radius + 1) * in[i + d];
    out[i] = sum;
}

static int run_one_thread_blocks(void *problem)
{
    Problem *p = (Problem *)problem;
    return stencil_dynamic(p->in, p->out, p->n, RADIUS, 32);
}

static int run_global(void *problem)
{
    Problem *p = (Problem *)problem;
    stencil_global_kernel<<<(p->n + THREADS - 1) / THREADS, THREADS>>>(p->in, p->out, p->n, RADIUS);
    return cudaGetLastError();
}

static int run_tile(void *problem)
{
    Problem *p = (Problem *)problem;
    return stencil_dynamic(p->in, p->out, p->n, RADIUS, THREADS);
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    for (int i = 0; i < p->n; i++) {
        int sum = 0;
        for (int d = -RADIUS; d <= RADIUS; d++)
            if (i + d >= 0 && i + d < p->n)
                sum += (d + RADIUS + 1) * p->host[i + d];
        p->cpu[i] = sum;
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
    int *out = (int *)malloc(p->n * sizeof(int));
    int right = out && cudaMemcpy(out, p->out, p->n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; right && i < p->n; i++) {
        int sum = 0;
        for (int d = -RADIUS; d <= RADIUS; d++)
            if (i + d >= 0 && i + d < p->n)
                sum += (d + RADIUS + 1) * p->host[i + d];
        right = out[i] == sum;
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
    return cudaMalloc(&p->in, bytes) | cudaMalloc(&p->out, bytes) |
           cudaMemcpy(p->in, p->host, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"small-tile", "tiles of 32 elements with a halo of 32: half of what is loaded is halo", run_one_thread_blocks},
        {"global", "no tile: 33 reads for each element, most of them answered by a cache", run_global},
        {"tile", "tiles of 256 elements: each element is read about once", run_tile},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    Ladder ladder = {"03-shared-memory", "stencil",          rungs, 3, 8.0 * p.n, (4.0 * RADIUS + 2) * p.n,
                     reset,              check,              &p,        {run_cpu, p.cpu, p.out, p.n * sizeof(int)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu);
    cudaFree(p.in), cudaFree(p.out);
    return status;
}
