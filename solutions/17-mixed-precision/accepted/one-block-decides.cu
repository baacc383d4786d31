// expect: pass
// One block looks at all gradients and updates: its barrier does what the second launch does elsewhere.
#include "lab.h"
#include "mixed_precision.h"

#include <mma.h>

using namespace nvcuda;

#define ALL_LANES 0xFFFFFFFF
#define THREADS 128          // of a block
#define WARPS (THREADS / 32) // of a block

// How many blocks it takes for `count` things, if a block does `each` of them.
inline int blocks_for(int count, int each)
{
    return (count + each - 1) / each;
}

// The sum of the lanes' values; lane 0 gets it. All lanes of the warp must call it.
template <typename T>
__device__ T warp_sum(T value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

// ---- 1: storage in 16 bits, sums in float ----

__device__ inline float to_float(Half value)
{
    return __half2float(value);
}

__device__ inline float to_float(Bfloat value)
{
    return __bfloat162float(value);
}

__device__ inline float2 to_floats(__half2 pair)
{
    return __half22float2(pair);
}

__device__ inline float2 to_floats(__nv_bfloat162 pair)
{
    return __bfloat1622float2(pair);
}

// One warp for each row. T is Half or Bfloat, and PAIR two of them in 32 bits: __half2 or __nv_bfloat162.
template <typename T, typename PAIR>
__global__ void matvec_kernel(const T *w, const T *x, float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    w += (size_t)row * columns;
    float sum = 0;
    if (columns % 2 == 0) { // each row begins where a pair may
        for (int i = lane; i < columns / 2; i += 32) {
            float2 a = to_floats(((const PAIR *)w)[i]), b = to_floats(((const PAIR *)x)[i]);
            sum += a.x * b.x + a.y * b.y;
        }
    } else {
        for (int i = lane; i < columns; i += 32)
            sum += to_float(w[i]) * to_float(x[i]);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

int matvec_half(const Half *w, const Half *x, float *y, int rows, int columns)
{
    if (rows == 0)
        return cudaSuccess;
    matvec_kernel<Half, __half2><<<blocks_for(rows, WARPS), THREADS>>>(w, x, y, rows, columns);
    return cudaGetLastError();
}

int matvec_bfloat(const Bfloat *w, const Bfloat *x, float *y, int rows, int columns)
{
    if (rows == 0)
        return cudaSuccess;
    matvec_kernel<Bfloat, __nv_bfloat162><<<blocks_for(rows, WARPS), THREADS>>>(w, x, y, rows, columns);
    return cudaGetLastError();
}

// ---- 2: tensor cores ----

#define TILE 16 // rows, columns and depth of what a warp multiplies at once

// A block does 16 rows of Y. Its warps share the tile of X, which lies in shared memory, and each does 16 columns.
__global__ void layer_kernel(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    __shared__ __align__(32) Half tile_x[TILE * TILE];
    __shared__ __align__(32) float tile_y[WARPS][TILE * TILE];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first_row = blockIdx.y * TILE, first_column = (blockIdx.x * WARPS + warp) * TILE;
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, Half, wmma::row_major> of_x;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, Half, wmma::col_major> of_w; // column j of W^T is row j of W
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
    wmma::fill_fragment(sum, 0);
    for (int first = 0; first < k; first += TILE) {
        for (int p = threadIdx.x; p < TILE * TILE; p += THREADS) {
            int row = first_row + p / TILE;
            tile_x[p] = row < m ? x[row * k + first + p % TILE] : __float2half(0);
        }
        __syncthreads();
        if (first_column < n) { // the same for all lanes of a warp
            wmma::load_matrix_sync(of_x, tile_x, TILE);
            wmma::load_matrix_sync(of_w, w + first_column * k + first, k);
            wmma::mma_sync(sum, of_x, of_w, sum);
        }
        __syncthreads(); // the next turn loads into the same tile
    }
    if (first_column >= n)
        return;
    wmma::store_matrix_sync(tile_y[warp], sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int p = lane; p < TILE * TILE; p += 32) {
        int row = first_row + p / TILE;
        if (row < m)
            y[row * n + first_column + p % TILE] = tile_y[warp][p];
    }
}

int layer_tensor(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    if (m == 0 || n == 0)
        return cudaSuccess;
    dim3 blocks(blocks_for(n, WARPS * TILE), blocks_for(m, TILE));
    layer_kernel<<<blocks, THREADS>>>(x, w, y, m, n, k);
    return cudaGetLastError();
}

// ---- 3: gradients that half precision can hold ----

__global__ void gradient_kernel(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        gradient[i] = __float2half(scale * error[i] * __half2float(x[i]));
}

int scaled_gradient(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    if (n == 0)
        return cudaSuccess;
    gradient_kernel<<<blocks_for(n, THREADS), THREADS>>>(x, error, gradient, n, scale);
    return cudaGetLastError();
}

// ---- 4: small updates ----

__global__ void update_kernel(float *master, Half *weights, const Half *gradient, int n, float rate, float scale,
                              int *overflow)
{
    int spoilt = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        spoilt |= !isfinite(__half2float(gradient[i]));
    spoilt = __syncthreads_or(spoilt);
    if (threadIdx.x == 0)
        *overflow = spoilt != 0;
    for (int i = threadIdx.x; i < n && !spoilt; i += blockDim.x) {
        master[i] -= rate / scale * __half2float(gradient[i]);
        weights[i] = __float2half(master[i]);
    }
}

int update_weights(float *master, Half *weights, const Half *gradient, int n, float rate, float scale,
                   int *overflow)
{
    update_kernel<<<1, 512>>>(master, weights, gradient, n, rate, scale, overflow);
    return cudaGetLastError();
}

// ---- 5: eight bits ----

// One warp for each row.
__global__ void quantize_kernel(const float *w, signed char *q, float *scale, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    w += (size_t)row * columns;
    q += (size_t)row * columns;
    int lane = threadIdx.x % 32;
    float largest = 0;
    for (int i = lane; i < columns; i += 32)
        largest = fmaxf(largest, fabsf(w[i]));
    for (int distance = 16; distance > 0; distance /= 2) // all lanes need it
        largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, distance));
    float unit = largest > 0 ? largest / 127 : 1;
    for (int i = lane; i < columns; i += 32)
        q[i] = (signed char)rintf(w[i] / unit);
    if (lane == 0)
        scale[row] = unit;
}

int quantize_rows(const float *w, signed char *q, float *scale, int rows, int columns)
{
    if (rows == 0)
        return cudaSuccess;
    quantize_kernel<<<blocks_for(rows, WARPS), THREADS>>>(w, q, scale, rows, columns);
    return cudaGetLastError();
}

// ---- 6: four products in one instruction ----

// One warp for each row. Four neighbouring numbers of 8 bits are one int, and __dp4a(a, b, sum) adds their four products.
__global__ void int8_kernel(const signed char *q, const float *scale, const signed char *x, const float *x_scale,
                            float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    int lane = threadIdx.x % 32;
    const int *fours_of_q = (const int *)(q + (size_t)row * columns), *fours_of_x = (const int *)x;
    int sum = 0;
    for (int i = lane; i < columns / 4; i += 32)
        sum = __dp4a(fours_of_q[i], fours_of_x[i], sum);
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = scale[row] * *x_scale * (float)sum;
}

int matvec_int8(const signed char *q, const float *scale, const signed char *x, const float *x_scale, float *y,
                int rows, int columns)
{
    if (rows == 0)
        return cudaSuccess;
    int8_kernel<<<blocks_for(rows, WARPS), THREADS>>>(q, scale, x, x_scale, y, rows, columns);
    return cudaGetLastError();
}

// ---- 7: only what is not zero ----

// One warp for each row.
__global__ void csr_kernel(const int *row_start, const int *column, const Half *value, const Half *x, float *y,
                           int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    int lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = row_start[row] + lane; i < row_start[row + 1]; i += 32)
        sum += __half2float(value[i]) * __half2float(x[column[i]]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

int matvec_csr(const int *row_start, const int *column, const Half *value, const Half *x, float *y, int rows)
{
    if (rows == 0)
        return cudaSuccess;
    csr_kernel<<<blocks_for(rows, WARPS), THREADS>>>(row_start, column, value, x, y, rows);
    return cudaGetLastError();
}
