// Lab 02's ladder: c = a + b for arrays that are on the device, from one block to wide loads.
#include "common/ladder/ladder.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 26)
#define TEST_SIZE    (5 * 4096 + 77)

typedef struct Problem {
    float *a, *b, *c; // on the device
    int n;
    float *host, *cpu;
} Problem;

__global__ void add_strided(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

// Each thread has a piece of its own, so the threads of a warp are a piece apart.
__global__ void add_pieces(const float *a, const float *b, float *c, int n, int piece)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    for (int i = first; i < min(first + piece, n); i++)
        c[i] = a[i] + b[i];
}

__global__ void add_one_each(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void add_four_each(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (int k = 4 * i; k < n; k++)
            ((float *)c)[k] = ((const float *)a)[k] + ((const float *)b)[k];
    }
}

static int run_one_block(void *problem)
{
    Problem *p = (Problem *)problem;
    add_strided<<<1, 256>>>(p->a, p->b, p->c, p->n);
    return cudaGetLastError();
}

static int run_pieces(void *problem)
{
    Problem *p = (Problem *)problem;
    const int piece = 64;
    int threads = (p->n + piece - 1) / piece;
    add_pieces<<<(threads + 255) / 256, 256>>>(p->a, p->b, p->c, p->n, piece);
    return cudaGetLastError();
}

static int run_one_each(void *problem)
{
    Problem *p = (Problem *)problem;
    add_one_each<<<(p->n + 255) / 256, 256>>>(p->a, p->b, p->c, p->n);
    return cudaGetLastError();
}

static int run_four_each(void *problem)
{
    Problem *p = (Problem *)problem;
    int threads = (p->n + 3) / 4;
    add_four_each<<<(threads + 255) / 256, 256>>>((float4 *)p->a, (float4 *)p->b, (float4 *)p->c, p->n);
    return cudaGetLastError();
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    for (int i = 0; i < p->n; i++)
        p->cpu[i] = p->host[i] + p->host[p->n - 1 - i];
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->c, 0xff, p->n * sizeof(float));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    float *c = (float *)malloc(p->n * sizeof(float));
    int right = c && cudaMemcpy(c, p->c, p->n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; right && i < p->n; i++)
        right = c[i] == p->host[i] + p->host[p->n - 1 - i];
    free(c);
    return right;
}

static int make(Problem *p)
{
    size_t bytes = p->n * sizeof(float);
    float *reversed = (float *)malloc(bytes);
    p->host = (float *)malloc(bytes), p->cpu = (float *)malloc(bytes);
    ladder_fill(p->host, p->n);
    for (int i = 0; i < p->n; i++)
        reversed[i] = p->host[p->n - 1 - i];
    int err = cudaMalloc(&p->a, bytes) | cudaMalloc(&p->b, bytes) | cudaMalloc(&p->c, bytes) |
              cudaMemcpy(p->a, p->host, bytes, cudaMemcpyHostToDevice) |
              cudaMemcpy(p->b, reversed, bytes, cudaMemcpyHostToDevice);
    free(reversed);
    return err;
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"one-block", "one block of 256 threads: one multiprocessor works, the others wait", run_one_block},
        {"pieces", "all multiprocessors, but neighbouring threads read places that are 256 bytes apart", run_pieces},
        {"one-each", "neighbouring threads read neighbouring elements", run_one_each},
        {"four-each", "16 bytes a thread and access: a quarter of the requests", run_four_each},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    Ladder ladder = {"02-vector-add", "add", rungs, 4, 12.0 * p.n, 1.0 * p.n, reset, check, &p,
                     {run_cpu, p.cpu, p.c, p.n * sizeof(float)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu);
    cudaFree(p.a), cudaFree(p.b), cudaFree(p.c);
    return status;
}
