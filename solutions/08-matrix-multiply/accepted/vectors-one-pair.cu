// expect: pass
// Loads of four floats, and one pair of tiles with two barriers: the step before the last of the ladder.
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
    c[row * n + column] = sum;
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
__global__ void registers_kernel(const float *a, const float *b, float *c, int m, int n, int k)
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
                c[row * n + column] = sum[r][s];
        }
}

int multiply_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 threads(LANES, LANES);
    dim3 blocks(blocks_for(n, SIDE), blocks_for(m, SIDE));
    registers_kernel<<<blocks, threads>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}

// ---- Version 4: the best we can ----

#define BIG 128     // rows and columns of C that a block works out: half the reads of global memory of version 3
#define BIG_DEPTH 8 // columns of A, and rows of B, in a tile
#define PAD 4       // more places in a row of tile_a, so that its columns do not meet in one bank

// The four elements of a row that begin at `column`, and 0 for those that do not exist. FOURS: rows have a multiple of
// four elements, so that all four exist or none, and one load of 16 bytes brings them.
template <bool FOURS>
__device__ float4 load_four(const float *matrix, int rows, int columns, int row, int column)
{
    float4 four = {0, 0, 0, 0};
    if (row >= rows || column >= columns)
        return four;
    const float *from = matrix + row * columns + column;
    if (FOURS)
        return *(const float4 *)from;
    four.x = from[0];
    if (column + 1 < columns)
        four.y = from[1];
    if (column + 2 < columns)
        four.z = from[2];
    if (column + 3 < columns)
        four.w = from[3];
    return four;
}

// Makes four neighbours of a row alpha * sum + beta * what they were; if `left` is less than 4, only so many exist.
template <bool FOURS>
__device__ void store_four(float *to, int left, const float *sum, float alpha, float beta)
{
    if (FOURS) {
        float4 old = beta == 0 ? float4{0, 0, 0, 0} : *(const float4 *)to;
        *(float4 *)to = float4{alpha * sum[0] + beta * old.x, alpha * sum[1] + beta * old.y,
                               alpha * sum[2] + beta * old.z, alpha * sum[3] + beta * old.w};
    } else {
#pragma unroll
        for (int s = 0; s < 4; s++)
            if (s < left)
                to[s] = alpha * sum[s] + (beta == 0 ? 0 : beta * to[s]);
    }
}

// 64 elements of C for each of 256 threads, four neighbours at a time: 4 reads of 16 bytes from shared memory for 64
// products. While the products of one pair of tiles are added up, the next pair is on its way from global memory into
// registers, and goes into a second pair of arrays: so there is one barrier for a pair of tiles.
template <bool FOURS>
__global__ void __launch_bounds__(256, 2)
    sgemm_kernel(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    // tile_a stands on its side, [column][row]: four neighbouring rows are one float4.
    __shared__ __align__(16) float tile_a[1][BIG_DEPTH][BIG + PAD], tile_b[1][BIG_DEPTH][BIG];
    int t = threadIdx.x;
    int first_row = blockIdx.y * BIG, first_column = blockIdx.x * BIG;
    int load_row = t / 2, load_i = t % 2 * 4;     // what this thread loads of a tile of A
    int load_j = t / 32, load_column = t % 32 * 4; // and of B
    int y = t / 16 * 4, x = t % 16 * 4;            // its rows of C: y to y + 3, y + 64 to y + 67; columns alike
    float sum[8][8] = {};

    const int now = 0;
    for (int first = 0; first < k; first += BIG_DEPTH) {
        float4 next_a = load_four<FOURS>(a, m, k, first_row + load_row, first + load_i);
        float4 next_b = load_four<FOURS>(b, k, n, first + load_j, first_column + load_column);
        __syncthreads();
        tile_a[now][load_i][load_row] = next_a.x;
        tile_a[now][load_i + 1][load_row] = next_a.y;
        tile_a[now][load_i + 2][load_row] = next_a.z;
        tile_a[now][load_i + 3][load_row] = next_a.w;
        *(float4 *)&tile_b[now][load_j][load_column] = next_b;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BIG_DEPTH; i++) {
            float of_a[8], of_b[8];
            *(float4 *)of_a = *(float4 *)&tile_a[now][i][y];
            *(float4 *)(of_a + 4) = *(float4 *)&tile_a[now][i][y + BIG / 2];
            *(float4 *)of_b = *(float4 *)&tile_b[now][i][x];
            *(float4 *)(of_b + 4) = *(float4 *)&tile_b[now][i][x + BIG / 2];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++)
                    sum[r][s] += of_a[r] * of_b[s];
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 8; s += 4) {
            int row = first_row + y + r % 4 + r / 4 * (BIG / 2);
            int column = first_column + x + s / 4 * (BIG / 2);
            if (row < m && column < n)
                store_four<FOURS>(c + row * n + column, n - column, sum[r] + s, alpha, beta);
        }
}

int sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 blocks(blocks_for(n, BIG), blocks_for(m, BIG));
    if (n % 4 == 0 && k % 4 == 0)
        sgemm_kernel<true><<<blocks, 256>>>(a, b, c, m, n, k, alpha, beta);
    else
        sgemm_kernel<false><<<blocks, 256>>>(a, b, c, m, n, k, alpha, beta);
    return cudaGetLastError();
}
