// expect: pass
// Lab 11 with one tile class for all versions. Its second version has no column more: it turns each row of the tile by a
// number of its own, by exclusive or.
#include "lab.h"
#include "transpose.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace
{

constexpr int SIDE = 32, HIGH = 8;

__host__ __device__ constexpr int tiles(int length) { return (length + SIDE - 1) / SIDE; }

struct Plain {
    static __device__ int place(int row, int column) { return row * SIDE + column; }
};

struct Swizzled {
    static __device__ int place(int row, int column) { return row * SIDE + (column ^ row); }
};

template <typename T> struct Matrix {
    T *data;
    int width, height;
    __device__ T *at(int x, int y) const
    {
        return x < width && y < height ? data + static_cast<size_t>(y) * width + x : nullptr;
    }
};

template <typename Layout> struct Tile {
    float *room;

    template <typename T> __device__ void take(Matrix<T> from, int tile_x, int tile_y)
    {
#pragma unroll
        for (int r = threadIdx.y; r < SIDE; r += HIGH)
            if (const float *p = from.at(tile_x * SIDE + threadIdx.x, tile_y * SIDE + r))
                room[Layout::place(r, threadIdx.x)] = *p;
    }

    __device__ void give(Matrix<float> to, int tile_x, int tile_y, float factor)
    {
#pragma unroll
        for (int r = threadIdx.y; r < SIDE; r += HIGH)
            if (float *p = to.at(tile_x * SIDE + threadIdx.x, tile_y * SIDE + r))
                *p = factor * room[Layout::place(threadIdx.x, r)];
    }
};

__global__ void copy_kernel(const float *in, float *out, int width, int height)
{
    int column = blockIdx.x * SIDE + threadIdx.x;
    int row = blockIdx.y * SIDE + threadIdx.y;
    for (int below = 0; below < SIDE; below += HIGH) {
        if (column < width && row + below < height)
            out[(row + below) * width + column] = in[(row + below) * width + column];
    }
}

// A grid-stride loop over the elements of out, in their order: stores go along rows.
__global__ void naive(const float *in, float *out, int width, int height)
{
    long long count = static_cast<long long>(width) * height;
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
        int x = static_cast<int>(i / height), y = static_cast<int>(i % height);
        out[i] = in[static_cast<size_t>(y) * width + x];
    }
}

template <typename Layout> __global__ void turn(Matrix<const float> in, Matrix<float> out)
{
    __shared__ float room[SIDE * SIDE];
    Tile<Layout> tile{room};
    int across = tiles(in.width), tile_x = blockIdx.x % across, tile_y = blockIdx.x / across;
    tile.take(in, tile_x, tile_y);
    cg::this_thread_block().sync();
    tile.give(out, tile_y, tile_x, 1.0f);
}

// Pairs of tiles are numbered row by row in the triangle below the diagonal, and this included: (0, 0), (0, 1), (1, 1), ...
__device__ int row_of_pair(int pair)
{
    int row = static_cast<int>((sqrt(8.0 * pair + 1.0) - 1.0) / 2.0);
    while (row * (row + 1) / 2 > pair)
        row--;
    while ((row + 1) * (row + 2) / 2 <= pair)
        row++;
    return row;
}

__global__ void turn_pairs(Matrix<float> data, float factor)
{
    __shared__ float room[2][SIDE * SIDE];
    Tile<Swizzled> mine{room[0]}, other{room[1]};
    int row = row_of_pair(blockIdx.x), column = blockIdx.x - row * (row + 1) / 2;
    mine.take(data, column, row);
    other.take(data, row, column);
    cg::this_thread_block().sync();
    mine.give(data, row, column, factor);
    if (row != column)
        other.give(data, column, row, factor);
}

int blocks_for(long long count)
{
    long long blocks = (count + 255) / 256;
    return static_cast<int>(blocks < 4096 ? blocks : 4096);
}

template <typename Layout> int turn_by(const float *in, float *out, int width, int height)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    turn<Layout><<<tiles(width) * tiles(height), dim3(SIDE, HIGH)>>>(Matrix<const float>{in, width, height},
                                                                    Matrix<float>{out, height, width});
    return cudaGetLastError();
}

} // namespace

int copy_matrix(const float *in, float *out, int width, int height)
{
    if (width > 0 && height > 0)
        copy_kernel<<<dim3(tiles(width), tiles(height)), dim3(SIDE, HIGH)>>>(in, out, width, height);
    return cudaGetLastError();
}

int transpose_naive(const float *in, float *out, int width, int height)
{
    long long count = static_cast<long long>(width) * height;
    if (count > 0)
        naive<<<blocks_for(count), 256>>>(in, out, width, height);
    return cudaGetLastError();
}

int transpose_tiled(const float *in, float *out, int width, int height)
{
    return turn_by<Plain>(in, out, width, height);
}

int transpose_padded(const float *in, float *out, int width, int height)
{
    return turn_by<Swizzled>(in, out, width, height);
}

int transpose_in_place(float *data, int n, float factor)
{
    if (n == 0)
        return cudaSuccess;
    turn_pairs<<<tiles(n) * (tiles(n) + 1) / 2, dim3(SIDE, HIGH)>>>(Matrix<float>{data, n, n}, factor);
    return cudaGetLastError();
}
