// expect: pass
// Lab 17. One loop for every product of a row, with functors that know the format; the step of training is one
// block that votes.
#include "lab.h"
#include "mixed_precision.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <mma.h>

#include <type_traits>

namespace cg = cooperative_groups;
using namespace nvcuda;

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 4096;

using Tile = cg::thread_block_tile<32>;

// ---- What one lane does with its part of a row ----

template <typename T>
struct Traits;

template <>
struct Traits<Half> {
    using Pair = __half2;
    static __device__ float one(Half v) { return __half2float(v); }
    static __device__ float2 two(Pair v) { return __half22float2(v); }
};

template <>
struct Traits<Bfloat> {
    using Pair = __nv_bfloat162;
    static __device__ float one(Bfloat v) { return __bfloat162float(v); }
    static __device__ float2 two(Pair v) { return __bfloat1622float2(v); }
};

template <typename T>
struct Dense {
    const T *w, *x;
    int columns;
    using Sum = float;

    __device__ float part(int row, unsigned lane) const
    {
        using Pair = typename Traits<T>::Pair;
        const T *mine = w + static_cast<size_t>(row) * columns;
        float sum = 0;
        if (columns % 8 == 0) {
            auto a = reinterpret_cast<const uint4 *>(mine), b = reinterpret_cast<const uint4 *>(x);
            for (int i = lane; i < columns / 8; i += 32) {
                uint4 u = a[i], v = b[i];
                const Pair *p = reinterpret_cast<const Pair *>(&u), *q = reinterpret_cast<const Pair *>(&v);
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    float2 s = Traits<T>::two(p[j]), t = Traits<T>::two(q[j]);
                    sum = fmaf(s.x, t.x, fmaf(s.y, t.y, sum));
                }
            }
        } else {
            for (int i = lane; i < columns; i += 32)
                sum = fmaf(Traits<T>::one(mine[i]), Traits<T>::one(x[i]), sum);
        }
        return sum;
    }
    __device__ float finish(int, float sum) const { return sum; }
};

struct Bytes {
    const signed char *q, *x;
    const float *scale, *x_scale;
    int columns;
    using Sum = int;

    __device__ int part(int row, unsigned lane) const
    {
        const char4 *a = reinterpret_cast<const char4 *>(q + static_cast<size_t>(row) * columns);
        const char4 *b = reinterpret_cast<const char4 *>(x);
        int sum = 0;
        for (int i = lane; i < columns / 4; i += 32)
            sum = __dp4a(a[i], b[i], sum);
        return sum;
    }
    __device__ float finish(int row, int sum) const { return scale[row] * *x_scale * static_cast<float>(sum); }
};

struct Sparse {
    const int *row_start, *column;
    const Half *value, *x;
    using Sum = float;

    __device__ float part(int row, unsigned lane) const
    {
        float sum = 0;
        for (int i = row_start[row] + static_cast<int>(lane), end = row_start[row + 1]; i < end; i += 32)
            sum = fmaf(__half2float(value[i]), __half2float(x[column[i]]), sum);
        return sum;
    }
    __device__ float finish(int, float sum) const { return sum; }
};

template <typename Row>
__global__ void rows_kernel(Row of, float *y, int rows)
{
    Tile warp = cg::tiled_partition<32>(cg::this_thread_block());
    long long stride = static_cast<long long>(gridDim.x) * (blockDim.x / 32);
    for (long long row = static_cast<long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; row < rows;
         row += stride) {
        auto sum = cg::reduce(warp, of.part(static_cast<int>(row), warp.thread_rank()),
                              cg::plus<typename Row::Sum>());
        if (warp.thread_rank() == 0)
            y[row] = of.finish(static_cast<int>(row), sum);
    }
}

int grid_for(long long count, int each)
{
    long long blocks = (count + each - 1) / each;
    return static_cast<int>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

template <typename Row>
int launch_rows(Row of, float *y, int rows)
{
    if (rows <= 0)
        return cudaSuccess;
    rows_kernel<<<grid_for(rows, kThreads / 32), kThreads>>>(of, y, rows);
    return cudaGetLastError();
}

// ---- The layer: a warp alone, 32 rows and 16 columns of Y, as two products of 32 x 8 ----

constexpr int kRows = 32, kColumns = 8, kDepth = 16;

__global__ void __launch_bounds__(32) tall_kernel(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    __shared__ __align__(32) unsigned char room[kRows * 16 * sizeof(float)];
    Half *tile_x = reinterpret_cast<Half *>(room);
    float *tile_y = reinterpret_cast<float *>(room);
    const int across = n / 16;
    const int row0 = blockIdx.x / across * kRows, column0 = blockIdx.x % across * 16;

    wmma::fragment<wmma::matrix_a, kRows, kColumns, kDepth, Half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, kRows, kColumns, kDepth, Half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, kRows, kColumns, kDepth, float> sum[2];
    for (auto &s : sum)
        wmma::fill_fragment(s, 0.0f);

    for (int depth = 0; depth < k; depth += kDepth) {
        const int row = row0 + static_cast<int>(threadIdx.x);
        uint4 *to = reinterpret_cast<uint4 *>(tile_x + threadIdx.x * kDepth);
        if (row < m) {
            const uint4 *from = reinterpret_cast<const uint4 *>(x + static_cast<size_t>(row) * k + depth);
            to[0] = from[0];
            to[1] = from[1];
        } else {
            to[0] = to[1] = make_uint4(0, 0, 0, 0);
        }
        __syncwarp();
        wmma::load_matrix_sync(a, tile_x, kDepth);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            wmma::load_matrix_sync(b, w + static_cast<size_t>(column0 + half * kColumns) * k + depth, k);
            wmma::mma_sync(sum[half], a, b, sum[half]);
        }
        __syncwarp();
    }
#pragma unroll
    for (int half = 0; half < 2; half++)
        wmma::store_matrix_sync(tile_y + half * kColumns, sum[half], 16, wmma::mem_row_major);
    __syncwarp();
    for (int p = threadIdx.x; p < kRows * 4; p += 32) {
        int row = row0 + p / 4;
        if (row < m)
            reinterpret_cast<float4 *>(y + static_cast<size_t>(row) * n + column0)[p % 4] =
                reinterpret_cast<const float4 *>(tile_y)[p];
    }
}

// ---- Element by element ----

__global__ void scaled_kernel(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        gradient[i] = __float2half_rn(__half2float(x[i]) * (error[i] * scale));
}

// One block: it looks at everything, votes, and only then moves.
__global__ void __launch_bounds__(1024) vote_kernel(float *master, Half *weights, const Half *gradient, int n,
                                                    float rate, float scale, int *overflow)
{
    bool bad = false;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        bad = bad || (__half_as_ushort(gradient[i]) & 0x7C00) == 0x7C00;
    const int any = __syncthreads_or(bad);
    if (threadIdx.x == 0)
        *overflow = any ? 1 : 0;
    if (any)
        return;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        float moved = master[i] - rate * (__half2float(gradient[i]) / scale);
        master[i] = moved;
        weights[i] = __float2half_rn(moved);
    }
}

// A block a row. Magnitudes of floats are in the order of their bits, so that an integer's maximum will do.
__global__ void bits_kernel(const float *w, signed char *q, float *scale, int rows, int columns)
{
    __shared__ unsigned largest;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *from = w + static_cast<size_t>(row) * columns;
        signed char *to = q + static_cast<size_t>(row) * columns;
        if (threadIdx.x == 0)
            largest = 0;
        __syncthreads();
        unsigned own = 0;
        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            own = max(own, __float_as_uint(from[i]) & 0x7FFFFFFFu);
        atomicMax(&largest, own);
        __syncthreads();
        const float unit = largest == 0 ? 1.0f : __uint_as_float(largest) / 127.0f;
        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            to[i] = static_cast<signed char>(__float2int_rn(from[i] / unit));
        if (threadIdx.x == 0)
            scale[row] = unit;
        __syncthreads();
    }
}

} // namespace

int matvec_half(const Half *w, const Half *x, float *y, int rows, int columns)
{
    return launch_rows(Dense<Half>{w, x, columns}, y, rows);
}

int matvec_bfloat(const Bfloat *w, const Bfloat *x, float *y, int rows, int columns)
{
    return launch_rows(Dense<Bfloat>{w, x, columns}, y, rows);
}

int layer_tensor(const Half *x, const Half *w, float *y, int m, int n, int k)
{
    if (m <= 0 || n <= 0)
        return cudaSuccess;
    tall_kernel<<<(n / 16) * ((m + kRows - 1) / kRows), 32>>>(x, w, y, m, n, k);
    return cudaGetLastError();
}

int scaled_gradient(const Half *x, const float *error, Half *gradient, int n, float scale)
{
    if (n <= 0)
        return cudaSuccess;
    scaled_kernel<<<grid_for(n, kThreads), kThreads>>>(x, error, gradient, n, scale);
    return cudaGetLastError();
}

int update_weights(float *master, Half *weights, const Half *gradient, int n, float rate, float scale, int *overflow)
{
    vote_kernel<<<1, 1024>>>(master, weights, gradient, n, rate, scale, overflow);
    return cudaGetLastError();
}

int quantize_rows(const float *w, signed char *q, float *scale, int rows, int columns)
{
    if (rows <= 0)
        return cudaSuccess;
    bits_kernel<<<grid_for(rows, 1), 128>>>(w, q, scale, rows, columns);
    return cudaGetLastError();
}

int matvec_int8(const signed char *q, const float *scale, const signed char *x, const float *x_scale, float *y,
                int rows, int columns)
{
    return launch_rows(Bytes{q, x, scale, x_scale, columns}, y, rows);
}

int matvec_csr(const int *row_start, const int *column, const Half *value, const Half *x, float *y, int rows)
{
    return launch_rows(Sparse{row_start, column, value, x}, y, rows);
}
