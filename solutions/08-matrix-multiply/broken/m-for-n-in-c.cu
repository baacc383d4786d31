// expect: race
// case: naive
// line: 28
// Takes m for the length of a row of C, so that rows lie on top of each other.
#include "lab.h"
#include "matrix_multiply.h"

// How many blocks it takes for `count` things, if a block does `each` of them.
inline int blocks_for(int count, int each)
{
    return (count + each - 1) / each;
}

// ---- Version 1: one thread for each element of C ----

#define NAIVE_BLOCK 16 // threads in a row and in a column of a block

// Reads 2 * k floats from global memory for each element of C.
__global__ void naive_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * m + column] = sum;
}

int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 threads(NAIVE_BLOCK, NAIVE_BLOCK);
    dim3 blocks(blocks_for(n, NAIVE_BLOCK), blocks_for(m, NAIVE_BLOCK));
    naive_kernel<<<blocks, threads>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}

// ---- Version 2: tiles in shared memory ----

// Reads each element of A and B once for a whole block: TILE times fewer reads of global memory than version 1. TILE is
// a constant for the compiler, which makes a kernel for each value that is used. The launch bounds tell it how many
// threads a block has: 1,024 of them fit on a multiprocessor only if each takes at most 64 registers.
template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
    tiled_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int y = threadIdx.y, x = threadIdx.x;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads(); // the next turn loads into the same tiles, which others may still be reading
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

int multiply_tiled(const float *a, const float *b, float *c, int m, int n, int k, int tile)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 threads(tile, tile);
    dim3 blocks(blocks_for(n, tile), blocks_for(m, tile));
    if (tile == 16)
        tiled_kernel<16><<<blocks, threads>>>(a, b, c, m, n, k);
    else
        tiled_kernel<32><<<blocks, threads>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}

// ---- Version 3: several elements of C for each thread ----

#define SIDE 64             // rows and columns of C that a block works out
#define DEPTH 16            // columns of A, and rows of B, that are in shared memory at a time
#define LANES 16            // threads in a row and in a column of a block
#define EACH (SIDE / LANES) // rows and columns of C that a thread works out: 4 x 4

// A value from shared memory is used EACH times once it is in a register: 8 reads for 16 products, not 2 for one.
__global__ void registers_kernel(const float *a, const float *b, float *c, int m, int n, int k, float alpha,
                                 float beta)
{
    __shared__ float tile_a[SIDE][DEPTH], tile_b[DEPTH][SIDE];
    int y = threadIdx.y, x = threadIdx.x;
    int first_row = blockIdx.y * SIDE, first_column = blockIdx.x * SIDE;
    float sum[EACH][EACH] = {};
    for (int first = 0; first < k; first += DEPTH) {
        for (int p = y * LANES + x; p < SIDE * DEPTH; p += LANES * LANES) {
            int row = first_row + p / DEPTH, i = first + p % DEPTH;
            tile_a[p / DEPTH][p % DEPTH] = row < m && i < k ? a[row * k + i] : 0.0f;
        }
        for (int p = y * LANES + x; p < DEPTH * SIDE; p += LANES * LANES) {
            int i = first + p / SIDE, column = first_column + p % SIDE;
            tile_b[p / SIDE][p % SIDE] = i < k && column < n ? b[i * n + column] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < DEPTH; i++) {
            float of_a[EACH], of_b[EACH];
            for (int r = 0; r < EACH; r++)
                of_a[r] = tile_a[y + r * LANES][i];
            for (int s = 0; s < EACH; s++)
                of_b[s] = tile_b[i][x + s * LANES];
            for (int r = 0; r < EACH; r++)
                for (int s = 0; s < EACH; s++)
                    sum[r][s] += of_a[r] * of_b[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < EACH; r++)
        for (int s = 0; s < EACH; s++) {
            int row = first_row + y + r * LANES, column = first_column + x + s * LANES;
            if (row < m && column < n)
                c[row * n + column] = alpha * sum[r][s] + (beta == 0 ? 0 : beta * c[row * n + column]);
        }
}

int multiply_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    return sgemm(a, b, c, m, n, k, 1, 0);
}

// ---- Version 4: the same with alpha and beta ----

int sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 threads(LANES, LANES);
    dim3 blocks(blocks_for(n, SIDE), blocks_for(m, SIDE));
    registers_kernel<<<blocks, threads>>>(a, b, c, m, n, k, alpha, beta);
    return cudaGetLastError();
}
