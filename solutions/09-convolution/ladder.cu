// Lab 09's ladder: an image under a filter of 11 x 11 taps, from taps in global memory to sums in registers. The size is the length of
// a side.
#include "common/ladder/ladder.h"
#include "convolution.cu"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE 256
#define LARGE_SIZE   (4096)
#define TEST_SIZE    (77)
#define RADIUS       5
#define TAPS         (2 * RADIUS + 1)
#define EACH         8  // neighbours in a column that a thread of the last versions works out
#define WIDE         64 // columns of a block of the last version

typedef struct Problem {
    int *in, *out, *scratch, *taps; // on the device
    int side;
    int *host, *cpu, *filter, row[TAPS], column[TAPS];
} Problem;

// As image_kernel, with the taps in global memory.
__global__ void global_kernel(const int *in, int *out, int side, const int *filter)
{
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, sum = 0;
    if (x >= side || y >= side)
        return;
    for (int j = -RADIUS; j <= RADIUS; j++)
        for (int i = -RADIUS; i <= RADIUS; i++)
            if (y - j >= 0 && y - j < side && x - i >= 0 && x - i < side)
                sum += filter[(RADIUS + j) * TAPS + RADIUS + i] * in[(y - j) * side + x - i];
    out[y * side + x] = sum;
}

static int run_global(void *problem)
{
    Problem *p = (Problem *)problem;
    dim3 threads(TILE_X, TILE_Y), blocks((p->side + TILE_X - 1) / TILE_X, (p->side + TILE_Y - 1) / TILE_Y);
    global_kernel<<<blocks, threads>>>(p->in, p->out, p->side, p->taps);
    return cudaGetLastError();
}

static int run_constant(void *problem)
{
    Problem *p = (Problem *)problem;
    return convolve_2d(p->in, p->out, p->side, p->side, p->filter, RADIUS, RADIUS);
}

static int run_tiled(void *problem)
{
    Problem *p = (Problem *)problem;
    return convolve_tiled(p->in, p->out, p->side, p->side, p->filter, RADIUS, RADIUS);
}

// The compiler knows the radius and unrolls all loops; a value that a thread has read from the tile goes into up to EACH sums.
__global__ void __launch_bounds__(TILE_X * 4) registers_kernel(const int *in, int *out, int side)
{
    const int rows = 4 * EACH + 2 * RADIUS, columns = TILE_X + 2 * RADIUS;
    __shared__ int tile[rows][columns];
    int first_y = blockIdx.y * 4 * EACH, first_x = blockIdx.x * TILE_X;
    for (int r = threadIdx.y; r < rows; r += 4)
        for (int c = threadIdx.x; c < columns; c += TILE_X) {
            int y = first_y - RADIUS + r, x = first_x - RADIUS + c;
            tile[r][c] = y >= 0 && y < side && x >= 0 && x < side ? in[y * side + x] : 0;
        }
    __syncthreads();
    int sum[EACH] = {};
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
        int value[EACH + 2 * RADIUS];
#pragma unroll
        for (int k = 0; k < EACH + 2 * RADIUS; k++)
            value[k] = tile[threadIdx.y * EACH + k][threadIdx.x + i];
#pragma unroll
        for (int j = 0; j < TAPS; j++) {
            int tap = taps[(TAPS - 1 - j) * TAPS + TAPS - 1 - i];
#pragma unroll
            for (int k = 0; k < EACH; k++)
                sum[k] += tap * value[k + j];
        }
    }
    int x = first_x + threadIdx.x, y = first_y + threadIdx.y * EACH;
    for (int k = 0; k < EACH; k++)
        if (x < side && y + k < side)
            out[(y + k) * side + x] = sum[k];
}

static int run_registers(void *problem)
{
    Problem *p = (Problem *)problem;
    cudaError_t err = cudaMemcpyToSymbol(taps, p->filter, TAPS * TAPS * sizeof(int));
    if (err != cudaSuccess)
        return err;
    dim3 blocks((p->side + TILE_X - 1) / TILE_X, (p->side + 4 * EACH - 1) / (4 * EACH));
    registers_kernel<<<blocks, dim3(TILE_X, 4)>>>(p->in, p->out, p->side);
    return cudaGetLastError();
}

static int run_separable(void *problem)
{
    Problem *p = (Problem *)problem;
    return convolve_separable(p->in, p->out, p->scratch, p->side, p->side, p->column, RADIUS, p->row, RADIUS);
}

// Both passes in one kernel: what the row's filter makes of a tile stays in shared memory, where the column's filter finds it.
__global__ void __launch_bounds__(WIDE * 4) fused_kernel(const int *in, int *out, int side)
{
    const int rows = 4 * EACH + 2 * RADIUS, columns = WIDE + 2 * RADIUS;
    __shared__ int tile[rows][columns], middle[rows][WIDE];
    int first_y = blockIdx.y * 4 * EACH, first_x = blockIdx.x * WIDE;
    for (int r = threadIdx.y; r < rows; r += 4)
        for (int c = threadIdx.x; c < columns; c += WIDE) {
            int y = first_y - RADIUS + r, x = first_x - RADIUS + c;
            tile[r][c] = y >= 0 && y < side && x >= 0 && x < side ? in[y * side + x] : 0;
        }
    __syncthreads();
    for (int r = threadIdx.y; r < rows; r += 4) {
        int sum = 0;
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            sum += taps[TAPS - 1 - i] * tile[r][threadIdx.x + i];
        middle[r][threadIdx.x] = sum;
    }
    __syncthreads();
    int value[EACH + 2 * RADIUS], x = first_x + threadIdx.x, y = first_y + threadIdx.y * EACH;
#pragma unroll
    for (int k = 0; k < EACH + 2 * RADIUS; k++)
        value[k] = middle[threadIdx.y * EACH + k][threadIdx.x];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int sum = 0;
#pragma unroll
        for (int j = 0; j < TAPS; j++)
            sum += taps[TAPS + TAPS - 1 - j] * value[k + j]; // the column's taps stand behind the row's
        if (x < side && y + k < side)
            out[(y + k) * side + x] = sum;
    }
}

static int run_fused(void *problem)
{
    Problem *p = (Problem *)problem;
    int both[2 * TAPS];
    memcpy(both, p->row, sizeof p->row);
    memcpy(both + TAPS, p->column, sizeof p->column);
    cudaError_t err = cudaMemcpyToSymbol(taps, both, sizeof both);
    if (err != cudaSuccess)
        return err;
    dim3 blocks((p->side + WIDE - 1) / WIDE, (p->side + 4 * EACH - 1) / (4 * EACH));
    fused_kernel<<<blocks, dim3(WIDE, 4)>>>(p->in, p->out, p->side);
    return cudaGetLastError();
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->out, 0xff, (size_t)p->side * p->side * sizeof(int));
}

static int element(const Problem *p, int y, int x)
{
    int sum = 0;
    for (int j = -RADIUS; j <= RADIUS; j++)
        for (int i = -RADIUS; i <= RADIUS; i++)
            if (y - j >= 0 && y - j < p->side && x - i >= 0 && x - i < p->side)
                sum += p->filter[(RADIUS + j) * TAPS + RADIUS + i] * p->host[(y - j) * p->side + x - i];
    return sum;
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    for (int y = 0; y < p->side; y++)
        for (int x = 0; x < p->side; x++)
            p->cpu[y * p->side + x] = element(p, y, x);
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    int side = p->side, right = 1, *row = (int *)malloc(side * sizeof(int));
    for (int y = 0; right && y < side; y += side > 300 ? side / 31 : 1) {
        right = cudaMemcpy(row, p->out + (size_t)y * side, side * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
        for (int x = 0; right && x < side; x++)
            right = row[x] == element(p, y, x);
    }
    free(row);
    return right;
}

static int make(Problem *p)
{
    size_t n = (size_t)p->side * p->side, bytes = n * sizeof(int);
    p->host = (int *)malloc(bytes), p->cpu = (int *)malloc(bytes);
    p->filter = (int *)malloc(TAPS * TAPS * sizeof(int));
    for (size_t i = 0; i < n; i++)
        p->host[i] = (int)((unsigned)(i * 2654435761u) >> 24) - 100;
    for (int k = 0; k < TAPS; k++)
        p->column[k] = k * k - 7, p->row[k] = 3 * k - 11;
    for (int k = 0; k < TAPS * TAPS; k++)
        p->filter[k] = p->column[k / TAPS] * p->row[k % TAPS];
    return cudaMalloc(&p->in, bytes) | cudaMalloc(&p->out, bytes) | cudaMalloc(&p->scratch, bytes) |
           cudaMalloc(&p->taps, TAPS * TAPS * sizeof(int)) | cudaMemcpy(p->in, p->host, bytes, cudaMemcpyHostToDevice) |
           cudaMemcpy(p->taps, p->filter, TAPS * TAPS * sizeof(int), cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"global", "image and taps in global memory", run_global},
        {"constant", "all threads of a warp get a tap in one read", run_constant},
        {"tiled", "each element of the image is read from global memory about once", run_tiled},
        {"registers", "a value from the tile serves eight sums, and all loops are unrolled", run_registers},
        {"separable", "a column times a row: 22 products instead of 121", run_separable},
        {"fused", "both passes in one kernel: what lies between them never leaves the multiprocessor", run_fused},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.side = o.size && o.size < 40000 ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    double n = (double)p.side * p.side;
    Ladder ladder = {"09-convolution", "image", rungs, 6, 8 * n, 2 * TAPS * TAPS * n, reset, check, &p,
                     {run_cpu, p.cpu, p.out, (size_t)p.side * p.side * sizeof(int)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu), free(p.filter);
    cudaFree(p.in), cudaFree(p.out), cudaFree(p.scratch), cudaFree(p.taps);
    return status;
}
