// Lab 17: fewer bits a number. The contract is in mixed_precision.h, the steps are in README.md.
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

// One warp for each row. T is Half or Bfloat, and PAIR two of them in 32 bits: __half2 or __nv_bfloat162.
template <typename T, typename PAIR>
__global__ void matvec_kernel(const T *w, const T *x, float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    w += (size_t)row * columns;
    float sum = 0;
    // TODO 1 (kernel): each lane adds up every 32nd product; then the warp adds up its lanes' sums. First read one
    // element at a time. When that is right, read pairs, where a row begins at a place that a pair may begin at.
}

int matvec_half(const Half *w, const Half *x, float *y, int rows, int columns)
{
    // TODO 1 (launch): matvec_kernel<Half, __half2>, a warp for each row.
    return cudaSuccess;
}

int matvec_bfloat(const Bfloat *w, const Bfloat *x, float *y, int rows, int columns)
{
    // TODO 1 (launch): the same with Bfloat.
    return cudaSuccess;
}

// ---- 2: tensor cores ----

#define TILE 16 // rows, columns and depth of what a warp multiplies at once

// A block does 16 rows of Y. Its warps share the tile of X, which lies in shared memory, and each does 16 columns.
__global__ void layer_kernel(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    // TODO 2 (kernel): a shared tile_x[TILE * TILE] of halves, and a tile_y[WARPS][TILE * TILE] of floats, both
    // __align__(32). Three fragments: of X, of W and of the sum, which begins as 0. For each 16 of the k columns:
    // all threads load tile_x (zeros past row m); wait; each warp that has columns loads its fragments, of X from
    // tile_x and of W from w, and multiplies; wait. Then through tile_y[warp] to Y, as far as there are rows.
}

int layer_tensor(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    // TODO 2 (launch): a block does 16 rows and WARPS * 16 columns of Y.
    return cudaSuccess;
}

// ---- 3: gradients that half precision can hold ----

__global__ void gradient_kernel(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    // TODO 3 (kernel): in which precision is each of the two products taken, and when is rounded?
}

int scaled_gradient(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    // TODO 3 (launch)
    return cudaSuccess;
}

// ---- 4: small updates ----

// Sets *overflow, which is 0 before, to 1 if any gradient is infinite or NaN.
__global__ void overflow_kernel(const Half *gradient, int n, int *overflow)
{
    // TODO 4 (first kernel): several threads may find one at a time.
}

__global__ void update_kernel(float *master, Half *weights, const Half *gradient, int n, float rate, float scale,
                              const int *overflow)
{
    // TODO 4 (second kernel): it begins when the first one has ended, so all threads read the same *overflow.
}

int update_weights(float *master, Half *weights, const Half *gradient, int n, float rate, float scale,
                   int *overflow)
{
    // TODO 4 (launch): *overflow holds anything at first. Then the two kernels.
    return cudaSuccess;
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
    // TODO 5 (kernel): the largest magnitude, in every lane (__shfl_xor_sync); from it the scale; then the numbers,
    // rounded to the nearest.
}

int quantize_rows(const float *w, signed char *q, float *scale, int rows, int columns)
{
    // TODO 5 (launch)
    return cudaSuccess;
}

// ---- 6: four products in one instruction ----

// One warp for each row. Four neighbouring numbers of 8 bits are one int, and __dp4a(a, b, sum) adds their four products.
__global__ void int8_kernel(const signed char *q, const float *scale, const signed char *x, const float *x_scale,
                            float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    // TODO 6 (kernel): as TODO 1, four at a time. What type has the sum?
}

int matvec_int8(const signed char *q, const float *scale, const signed char *x, const float *x_scale, float *y,
                int rows, int columns)
{
    // TODO 6 (launch)
    return cudaSuccess;
}

// ---- 7: only what is not zero ----

// One warp for each row.
__global__ void csr_kernel(const int *row_start, const int *column, const Half *value, const Half *x, float *y,
                           int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    // TODO 7 (kernel): from where to where are the elements of this row, and which element of x goes with each?
}

int matvec_csr(const int *row_start, const int *column, const Half *value, const Half *x, float *y, int rows)
{
    // TODO 7 (launch)
    return cudaSuccess;
}
