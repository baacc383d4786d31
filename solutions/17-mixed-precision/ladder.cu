// Lab 17's ladders: a matrix times a vector in fewer and fewer bits, and a layer on the tensor cores. The size is the length of a side,
// a multiple of 16, of the first; the layer's matrices have a quarter of it. With -DWITH_CUBLAS -lcublas (on a machine with a GPU) the
// layer's last rung is the library that people use.
#include "common/ladder/ladder.h"
#include "mixed_precision.cu"

#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif
#include <stdlib.h>

#define DEFAULT_SIZE 512
#define LARGE_SIZE   (16384)
#define TEST_SIZE    (16 * 11)

// ---- A matrix times a vector ----

// The same whole numbers in each format, so that all versions have one right answer, which is exact in a float.
typedef struct Problem {
    int side;
    float *w, *x, *y, *scale; // on the device
    Half *half_w, *half_x;
    signed char *byte_w, *byte_x;
    float *host_w, *host_x, *expected, *cpu;
} Problem;

// One warp for each row, in every version.
__global__ void float_kernel(const float *w, const float *x, float *y, int side)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (row >= side)
        return;
    for (int i = lane; i < side; i += 32)
        sum += w[(size_t)row * side + i] * x[i];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

__global__ void half_kernel(const Half *w, const Half *x, float *y, int side)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (row >= side)
        return;
    for (int i = lane; i < side; i += 32)
        sum += __half2float(w[(size_t)row * side + i]) * __half2float(x[i]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// The four pairs of 16 bytes times four others, added up.
__device__ float multiply_eights(uint4 w, uint4 x)
{
    const __half2 *of_w = (const __half2 *)&w, *of_x = (const __half2 *)&x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 a = __half22float2(of_w[i]), b = __half22float2(of_x[i]);
        sum += a.x * b.x + a.y * b.y;
    }
    return sum;
}

__global__ void eights_kernel(const uint4 *w, const uint4 *x, float *y, int side)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, eights = side / 8;
    float sum = 0;
    if (row >= side)
        return;
#pragma unroll 4
    for (int i = lane; i < eights; i += 32)
        sum += multiply_eights(w[(size_t)row * eights + i], x[i]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

__global__ void sixteens_kernel(const int4 *q, const float *scale, const int4 *x, const float *x_scale, float *y, int side)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sixteens = side / 16, sum = 0;
    if (row >= side)
        return;
#pragma unroll 4
    for (int i = lane; i < sixteens; i += 32) {
        int4 a = q[(size_t)row * sixteens + i], b = x[i];
        sum = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, sum))));
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = scale[row] * *x_scale * (float)sum;
}

static int run_float(void *problem)
{
    Problem *p = (Problem *)problem;
    float_kernel<<<blocks_for(p->side, WARPS), THREADS>>>(p->w, p->x, p->y, p->side);
    return cudaGetLastError();
}

static int run_half(void *problem)
{
    Problem *p = (Problem *)problem;
    half_kernel<<<blocks_for(p->side, WARPS), THREADS>>>(p->half_w, p->half_x, p->y, p->side);
    return cudaGetLastError();
}

static int run_pairs(void *problem)
{
    Problem *p = (Problem *)problem;
    return matvec_half(p->half_w, p->half_x, p->y, p->side, p->side);
}

static int run_eights(void *problem)
{
    Problem *p = (Problem *)problem;
    eights_kernel<<<blocks_for(p->side, WARPS), THREADS>>>((uint4 *)p->half_w, (uint4 *)p->half_x, p->y, p->side);
    return cudaGetLastError();
}

static int run_fours(void *problem)
{
    Problem *p = (Problem *)problem;
    return matvec_int8(p->byte_w, p->scale, p->byte_x, p->scale, p->y, p->side, p->side);
}

static int run_sixteens(void *problem)
{
    Problem *p = (Problem *)problem;
    sixteens_kernel<<<blocks_for(p->side, WARPS), THREADS>>>((int4 *)p->byte_w, p->scale, (int4 *)p->byte_x, p->scale, p->y, p->side);
    return cudaGetLastError();
}

static void multiply_on_cpu(const Problem *p, float *y)
{
    size_t side = p->side;
    for (size_t r = 0; r < side; r++) {
        y[r] = 0;
        for (size_t i = 0; i < side; i++)
            y[r] += p->host_w[r * side + i] * p->host_x[i];
    }
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    multiply_on_cpu(p, p->cpu);
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->y, 0xff, p->side * sizeof(float));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    float *y = (float *)malloc(p->side * sizeof(float));
    int right = y && cudaMemcpy(y, p->y, p->side * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int r = 0; right && r < p->side; r++)
        right = y[r] == p->expected[r];
    free(y);
    return right;
}

__global__ void round_kernel(const float *from, Half *halves, signed char *bytes, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        halves[i] = __float2half(from[i]);
        bytes[i] = (signed char)from[i];
    }
}

static int make_on_device(Problem *p)
{
    size_t side = p->side, n = side * side;
    int err = cudaMalloc(&p->w, n * 4) | cudaMalloc(&p->half_w, n * 2) | cudaMalloc(&p->byte_w, n) | cudaMalloc(&p->x, side * 4) |
              cudaMalloc(&p->half_x, side * 2) | cudaMalloc(&p->byte_x, side) | cudaMalloc(&p->y, side * 4) |
              cudaMalloc(&p->scale, side * 4);
    if (err != cudaSuccess)
        return err;
    for (size_t i = 0; i < side; i++)
        p->cpu[i] = 1;
    err = cudaMemcpy(p->w, p->host_w, n * 4, cudaMemcpyHostToDevice) |
          cudaMemcpy(p->x, p->host_x, side * 4, cudaMemcpyHostToDevice) |
          cudaMemcpy(p->scale, p->cpu, side * 4, cudaMemcpyHostToDevice);
    round_kernel<<<264, 256>>>(p->w, p->half_w, p->byte_w, n);
    round_kernel<<<1, 256>>>(p->x, p->half_x, p->byte_x, side);
    return err != cudaSuccess ? err : cudaGetLastError();
}

static int make(Problem *p)
{
    size_t side = p->side, n = side * side;
    p->host_w = (float *)malloc(n * 4), p->host_x = (float *)malloc(side * 4);
    p->expected = (float *)malloc(side * 4), p->cpu = (float *)malloc(side * 4);
    ladder_fill(p->host_w, n);
    for (size_t i = 0; i < side; i++)
        p->host_x[i] = (float)(i % 4) - 2;
    multiply_on_cpu(p, p->expected);
    return make_on_device(p);
}

static void release(Problem *p)
{
    cudaFree(p->w), cudaFree(p->half_w), cudaFree(p->byte_w), cudaFree(p->x), cudaFree(p->half_x), cudaFree(p->byte_x);
    cudaFree(p->y), cudaFree(p->scale);
    free(p->host_w), free(p->host_x), free(p->expected), free(p->cpu);
}

static int run_matvec_ladder(const LadderOptions *o)
{
    Problem p = {};
    p.side = o->size && o->size < 40000 ? (int)o->size & ~15 : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    double n = (double)p.side * p.side;
    const LadderRung rungs[] = {
        {"float", "32 bits a number, a warp for each row", run_float},
        {"half", "half the bytes, but 64 of them for a warp's access", run_half, 2 * n},
        {"pairs", "two halves an access", run_pairs, 2 * n},
        {"eights", "16 bytes an access", run_eights, 2 * n},
        {"int8", "a quarter of the bytes, and four products in one instruction", run_fours, n},
        {"int8-sixteens", "16 bytes an access", run_sixteens, n},
    };
    Ladder ladder = {"17-mixed-precision", "matvec", rungs, sizeof rungs / sizeof *rungs, 4 * n, 2 * n, reset, check, &p,
                     {run_cpu, p.cpu, p.y, p.side * sizeof(float)}};
    int status = ladder_run(o, &ladder);
    release(&p);
    return status;
}

// ---- A layer ----

typedef struct Layer {
    int m, n; // n is the depth, too
    Half *x, *w;
    float *y, *host_x, *host_w, *cpu;
} Layer;

// Tiles of 32 x 32 in floats: what the other units of the card make of it.
__global__ void cores_kernel(const Half *x, const Half *w, float *y, int m, int n)
{
    __shared__ float tile_x[32][33], tile_w[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x, row_of_w = blockIdx.x * 32 + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < n; first += 32) {
        int i = first + threadIdx.x;
        tile_x[threadIdx.y][threadIdx.x] = row < m && i < n ? __half2float(x[(size_t)row * n + i]) : 0;
        tile_w[threadIdx.y][threadIdx.x] = row_of_w < n && i < n ? __half2float(w[(size_t)row_of_w * n + i]) : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += tile_x[threadIdx.y][k] * tile_w[threadIdx.x][k];
        __syncthreads();
    }
    if (row < m && column < n)
        y[(size_t)row * n + column] = sum;
}

#define WIDE       128              // rows and columns of Y that a block works out
#define WIDE_DEPTH 32               // of a tile
#define WIDE_ROW   (WIDE_DEPTH + 8) // halves from one row of a tile to the next: neighbouring rows begin in other banks
#define WIDE_WARPS 8                // 4 x 2 of them, each for 32 rows and 64 columns

// Eight neighbours of a row, or zeros where the matrix has none; its rows have a multiple of 16.
__device__ uint4 load_eight(const Half *matrix, int rows, int columns, int row, int column)
{
    return row < rows && column < columns ? *(const uint4 *)(matrix + (size_t)row * columns + column) : uint4{0, 0, 0, 0};
}

// A fragment's 16 x 16 sums, as far as there are rows; a fragment at the lower edge goes through shared memory.
__device__ void store_tile(const wmma::fragment<wmma::accumulator, 16, 16, 16, float> &sum, float *y, int m, int n, int row, int column,
                           float *stage)
{
    if (row >= m || column >= n)
        return;
    if (row + 16 <= m) {
        wmma::store_matrix_sync(y + (size_t)row * n + column, sum, n, wmma::mem_row_major);
        return;
    }
    wmma::store_matrix_sync(stage, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int p = threadIdx.x % 32; p < (m - row) * 16; p += 32)
        y[(size_t)(row + p / 16) * n + column + p % 16] = stage[p];
    __syncwarp();
}

// Each warp keeps 2 x 4 fragments of sums in registers, and each tile it loads serves several products. While one pair of tiles is
// multiplied, the next is on its way; there is one barrier for each.
__global__ void __launch_bounds__(WIDE_WARPS * 32) wide_kernel(const Half *x, const Half *w, float *y, int m, int n)
{
    __shared__ __align__(32) Half tiles[2][2][WIDE][WIDE_ROW]; // [which pair][of X, of W]
    int t = threadIdx.x, warp = t / 32, first_row = blockIdx.y * WIDE, first_column = blockIdx.x * WIDE;
    int load_row = t / 2, load_i = t % 2 * 16; // 16 halves of a row of each tile
    int y_warp = warp / 2 * 32, x_warp = warp % 2 * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 4; s++)
            wmma::fill_fragment(sum[r][s], 0);
    uint4 next[2][2];
    for (int h = 0; h < 2; h++) {
        next[0][h] = load_eight(x, m, n, first_row + load_row, load_i + 8 * h);
        next[1][h] = load_eight(w, n, n, first_column + load_row, load_i + 8 * h);
    }
    for (int first = 0, now = 0; first < n; first += WIDE_DEPTH, now ^= 1) {
        for (int of = 0; of < 2; of++)
            for (int h = 0; h < 2; h++)
                *(uint4 *)&tiles[now][of][load_row][load_i + 8 * h] = next[of][h];
        __syncthreads(); // who has passed it knows that all are done with the other pair, which is written next
        for (int h = 0; h < 2; h++) {
            next[0][h] = load_eight(x, m, n, first_row + load_row, first + WIDE_DEPTH + load_i + 8 * h);
            next[1][h] = load_eight(w, n, n, first_column + load_row, first + WIDE_DEPTH + load_i + 8 * h);
        }
#pragma unroll
        for (int i = 0; i < WIDE_DEPTH; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, Half, wmma::row_major> of_x[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, Half, wmma::col_major> of_w[4];
            for (int r = 0; r < 2; r++)
                wmma::load_matrix_sync(of_x[r], &tiles[now][0][y_warp + 16 * r][i], WIDE_ROW);
            for (int s = 0; s < 4; s++)
                wmma::load_matrix_sync(of_w[s], &tiles[now][1][x_warp + 16 * s][i], WIDE_ROW);
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 4; s++)
                    wmma::mma_sync(sum[r][s], of_x[r], of_w[s], sum[r][s]);
        }
    }
    __syncthreads(); // the tiles are free, and serve as stages
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 4; s++)
            store_tile(sum[r][s], y, m, n, first_row + y_warp + 16 * r, first_column + x_warp + 16 * s, (float *)tiles + warp * 256);
}

static int run_cores(void *problem)
{
    Layer *l = (Layer *)problem;
    cores_kernel<<<dim3(blocks_for(l->n, 32), blocks_for(l->m, 32)), dim3(32, 32)>>>(l->x, l->w, l->y, l->m, l->n);
    return cudaGetLastError();
}

static int run_tensor(void *problem)
{
    Layer *l = (Layer *)problem;
    return layer_tensor(l->x, l->w, l->y, l->m, l->n, l->n);
}

static int run_wide(void *problem)
{
    Layer *l = (Layer *)problem;
    wide_kernel<<<dim3(blocks_for(l->n, WIDE), blocks_for(l->m, WIDE)), WIDE_WARPS * 32>>>(l->x, l->w, l->y, l->m, l->n);
    return cudaGetLastError();
}

#ifdef WITH_CUBLAS
// Column after column is what the library knows: there Y is Y^T = W X^T.
static int run_cublas(void *problem)
{
    static cublasHandle_t handle;
    Layer *l = (Layer *)problem;
    const float one = 1, zero = 0;
    if (!handle && cublasCreate(&handle))
        return cudaErrorUnknown;
    return cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, l->n, l->m, l->n, &one, l->w, CUDA_R_16F, l->n, l->x, CUDA_R_16F, l->n, &zero,
                        l->y, CUDA_R_32F, l->n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
               ? cudaErrorUnknown
               : cudaSuccess;
}
#endif

static float layer_element(const Layer *l, int row, int column)
{
    float sum = 0;
    for (int i = 0; i < l->n; i++)
        sum += l->host_x[(size_t)row * l->n + i] * l->host_w[(size_t)column * l->n + i];
    return sum;
}

static void run_layer_cpu(void *problem)
{
    Layer *l = (Layer *)problem;
    for (int row = 0; row < l->m; row++)
        for (int column = 0; column < l->n; column++)
            l->cpu[(size_t)row * l->n + column] = layer_element(l, row, column);
}

static int reset_layer(void *problem)
{
    Layer *l = (Layer *)problem;
    return cudaMemset(l->y, 0xff, (size_t)l->m * l->n * sizeof(float));
}

// A few rows, the last one too, are enough: each has elements of all columns.
static int check_layer(void *problem)
{
    Layer *l = (Layer *)problem;
    int step = l->m > 300 ? l->m / 7 : 1, right = 1;
    float *y = (float *)malloc(l->n * sizeof(float));
    for (int row = (l->m - 1) % step; right && row < l->m; row += step) {
        right = cudaMemcpy(y, l->y + (size_t)row * l->n, l->n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
        for (int column = 0; right && column < l->n; column++)
            right = y[column] == layer_element(l, row, column);
    }
    free(y);
    return right;
}

static int make_layer(Layer *l)
{
    size_t of_x = (size_t)l->m * l->n, of_w = (size_t)l->n * l->n;
    Half *halves = (Half *)malloc((of_x + of_w) * sizeof(Half));
    l->host_x = (float *)malloc(of_x * 4), l->host_w = (float *)malloc(of_w * 4), l->cpu = (float *)malloc(of_x * 4);
    ladder_fill(l->host_w, of_w);
    for (size_t i = 0; i < of_x; i++)
        l->host_x[i] = (float)(i % 5) - 2;
    for (size_t i = 0; i < of_x + of_w; i++)
        halves[i] = __float2half(i < of_x ? l->host_x[i] : l->host_w[i - of_x]);
    int err = cudaMalloc(&l->x, of_x * 2) | cudaMalloc(&l->w, of_w * 2) | cudaMalloc(&l->y, of_x * 4) |
              cudaMemcpy(l->x, halves, of_x * 2, cudaMemcpyHostToDevice) |
              cudaMemcpy(l->w, halves + of_x, of_w * 2, cudaMemcpyHostToDevice);
    free(halves);
    return err;
}

static int run_layer_ladder(const LadderOptions *o)
{
    static const LadderRung rungs[] = {
        {"float", "tiles of 32 x 32, multiplied without the tensor cores", run_cores},
        {"tensor", "16 x 16 elements a warp: the tensor cores wait for memory", run_tensor},
        {"wide", "32 x 64 elements a warp, 128 x 128 a block, the next tiles on their way", run_wide},
#ifdef WITH_CUBLAS
        {"cublas", "the library", run_cublas, 0, 0, 1},
#endif
    };
    Layer l = {};
    l.m = (o->size && o->size < 40000 ? (int)o->size : DEFAULT_SIZE) / 4;
    l.n = (l.m + 15) & ~15;
    if (make_layer(&l) != cudaSuccess)
        return 1;
    double n = (double)l.m * l.n;
    Ladder ladder = {"17-mixed-precision", "layer", rungs, sizeof rungs / sizeof *rungs, 6 * n + 2.0 * l.n * l.n, 2 * n * l.n, reset_layer,
                     check_layer, &l, {run_layer_cpu, l.cpu, l.y, (size_t)n * sizeof(float)}, "tensor16"};
    int status = ladder_run(o, &ladder);
    cudaFree(l.x), cudaFree(l.w), cudaFree(l.y);
    free(l.host_x), free(l.host_w), free(l.cpu);
    return status;
}

int main(int argc, char **argv)
{
    LadderOptions o = ladder_options(argc, argv);
    int matvec = run_matvec_ladder(&o);
    return matvec | run_layer_ladder(&o);
}
