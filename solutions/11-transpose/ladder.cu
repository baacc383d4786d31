// Lab 11's ladder: rows become columns, beside a copy. The size is the length of a side, a multiple of four.
#include "common/ladder/ladder.h"
#include "transpose.cu"

#include <stdlib.h>

#define DEFAULT_SIZE 1024
#define LARGE_SIZE   (16384)
#define TEST_SIZE    (4 * 37)
#define WIDE         64 // side of the last version's tile

typedef struct Problem {
    float *in, *out; // on the device
    int side, is_copy;
    float *host, *cpu;
} Problem;

static int run_copy(void *problem)
{
    Problem *p = (Problem *)problem;
    p->is_copy = 1;
    return copy_matrix(p->in, p->out, p->side, p->side);
}

static int run_naive(void *problem)
{
    Problem *p = (Problem *)problem;
    p->is_copy = 0;
    return transpose_naive(p->in, p->out, p->side, p->side);
}

static int run_tiled(void *problem)
{
    Problem *p = (Problem *)problem;
    return transpose_tiled(p->in, p->out, p->side, p->side);
}

static int run_padded(void *problem)
{
    Problem *p = (Problem *)problem;
    return transpose_padded(p->in, p->out, p->side, p->side);
}

// A tile of 64 x 64 for 16 x 16 threads, each of which moves four quads: four times as many bytes under way for each thread.
__global__ void wide_kernel(const float *in, float *out, int side)
{
    __shared__ float tile[WIDE][WIDE + 1];
    int x = blockIdx.x * WIDE + 4 * threadIdx.x, y = blockIdx.y * WIDE + threadIdx.y;
    for (int k = 0; k < WIDE; k += WIDE / 4) {
        if (x >= side || y + k >= side)
            continue;
        float4 q = *(const float4 *)(in + (size_t)(y + k) * side + x);
        float *to = &tile[threadIdx.y + k][4 * threadIdx.x];
        to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
    }
    __syncthreads();
    x = blockIdx.y * WIDE + 4 * threadIdx.x, y = blockIdx.x * WIDE + threadIdx.y;
    for (int k = 0; k < WIDE; k += WIDE / 4) {
        if (x >= side || y + k >= side)
            continue;
        const float *from = &tile[4 * threadIdx.x][threadIdx.y + k];
        *(float4 *)(out + (size_t)(y + k) * side + x) = make_float4(from[0], from[WIDE + 1], from[2 * (WIDE + 1)], from[3 * (WIDE + 1)]);
    }
}

static int run_wide(void *problem)
{
    Problem *p = (Problem *)problem;
    dim3 blocks((p->side + WIDE - 1) / WIDE, (p->side + WIDE - 1) / WIDE);
    wide_kernel<<<blocks, dim3(WIDE / 4, WIDE / 4)>>>(p->in, p->out, p->side);
    return cudaGetLastError();
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    size_t side = p->side;
    p->is_copy = 0;
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            p->cpu[y * side + x] = p->host[x * side + y];
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->out, 0xff, (size_t)p->side * p->side * sizeof(float));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    size_t side = p->side, bytes = side * side * sizeof(float);
    float *out = (float *)malloc(bytes);
    int right = out && cudaMemcpy(out, p->out, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (size_t y = 0; right && y < side; y++)
        for (size_t x = 0; right && x < side; x++)
            right = out[y * side + x] == p->host[p->is_copy ? y * side + x : x * side + y];
    free(out);
    return right;
}

static int make(Problem *p)
{
    size_t n = (size_t)p->side * p->side, bytes = n * sizeof(float);
    p->host = (float *)malloc(bytes), p->cpu = (float *)malloc(bytes);
    for (size_t i = 0; i < n; i++)
        p->host[i] = (float)(i % 16777213);
    return cudaMalloc(&p->in, bytes) | cudaMalloc(&p->out, bytes) | cudaMemcpy(p->in, p->host, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"copy", "no turn at all: the mark to reach", run_copy, 0, 0, 1},
        {"naive", "a warp reads a row, and writes 32 places far apart", run_naive},
        {"tiled", "rows are read and written; the tile in shared memory takes the turn", run_tiled},
        {"padded", "a column more: no bank conflicts", run_padded},
        {"wide", "16 bytes an access, and 64 x 64 elements a block", run_wide},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.side = o.size && o.size < 40000 ? (int)o.size & ~3 : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    double n = (double)p.side * p.side;
    Ladder ladder = {"11-transpose", "transpose", rungs, 5, 8 * n, 0, reset, check, &p,
                     {run_cpu, p.cpu, p.out, (size_t)p.side * p.side * sizeof(float)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu);
    cudaFree(p.in), cudaFree(p.out);
    return status;
}
