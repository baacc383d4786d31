// expect: pass
// Tiles of 32 x 8 elements are numbered along x, then y, then z, in a grid of one line: with two columns two of 32 lanes are at work.
#include "lab.h"
#include "indexing.h"

// A box of elements in memory: up to three lengths, and two distances in bytes.
template <typename T>
struct View {
    char *base;
    int width, height, depth;
    long long row_bytes, slice_bytes;

    __host__ __device__ T &operator()(int x, int y = 0, int z = 0) const
    {
        return reinterpret_cast<T *>(base + z * slice_bytes + y * row_bytes)[x];
    }
};

template <typename T>
static View<T> dense(T *p, int width, int height = 1, int depth = 1)
{
    long long row = (long long)width * sizeof(T);
    return {(char *)p, width, height, depth, row, row * height};
}

// The grid is a line of tiles of 32 x 8 elements, which are numbered along x, then y, then z: so no limit of a grid in
// y or z matters.
template <typename Work>
__global__ void over_tiles(int width, int height, Work work)
{
    unsigned across = (width + 31u) / 32u, down = (height + 7u) / 8u;
    unsigned tile = blockIdx.x;
    int x = tile % across * 32u + threadIdx.x;
    tile /= across;
    int y = tile % down * 8u + threadIdx.y;
    int z = tile / down;
    if (x < width && y < height)
        work(x, y, z);
}

template <typename Work>
static int tiles(int width, int height, int depth, Work work)
{
    unsigned across = (width + 31u) / 32u, down = (height + 7u) / 8u;
    over_tiles<<<across * down * depth, dim3(32, 8)>>>(width, height, work);
    return cudaGetLastError();
}

struct Ramp {
    View<const int> in;
    View<int> out;
    int per_y, per_z;
    __device__ void operator()(int x, int y, int z) const { out(x, y, z) = in(x, y, z) + x + per_y * y + per_z * z; }
};

struct Brighten {
    View<int> picture;
    int amount;
    __device__ void operator()(int x, int y, int) const { picture(x, y) += amount; }
};

int map_1d(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    return tiles(n, 1, 1, Ramp{dense(in, n), dense(out, n), 0, 0});
}

int map_2d(const int *in, int *out, int width, int height)
{
    return tiles(width, height, 1, Ramp{dense(in, width, height), dense(out, width, height), 1000, 0});
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    return tiles(width, height, depth,
                 Ramp{dense(in, width, height, depth), dense(out, width, height, depth), 100, 10000});
}

// Each block has a part of the line that is a multiple of 32 elements long, and goes through it.
__global__ void add_parts(int *sum, const int *x, int n, int part)
{
    long long begin = (long long)blockIdx.x * part;
    long long end = min(begin + part, (long long)n);
    for (long long i = begin + threadIdx.x; i < end; i += blockDim.x)
        sum[i] += x[i];
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    int part = (n + blocks - 1) / blocks;
    part = (part + 31) / 32 * 32;
    add_parts<<<blocks, threads>>>(sum, x, n, part);
    return cudaGetLastError();
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    View<int> strip = {(char *)picture + (long long)first_row * pitch, width, rows, 1, pitch, 0};
    return tiles(width, rows, 1, Brighten{strip, amount});
}
