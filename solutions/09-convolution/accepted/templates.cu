// expect: pass
// Lab 09, by one kernel template: a "view" says what an element of the input is, a "shape" what a filter is.
#include "lab.h"
#include "convolution.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int MAX_SIDE = 2 * RADIUS_MAX + 1;

struct Filters {
    int plane[MAX_SIDE * MAX_SIDE];
    int column[MAX_SIDE];
    int row[MAX_SIDE];
};

__constant__ Filters filters;

// The first error of a sequence of calls; later calls are not made.
class Chain
{
  public:
    template <typename Call> Chain &then(Call call)
    {
        if (status_ == cudaSuccess)
            status_ = call();
        return *this;
    }
    int code() const { return static_cast<int>(status_); }

  private:
    cudaError_t status_ = cudaSuccess;
};

struct Image {
    const int *data;
    int height, width;
    __device__ int at(int y, int x) const
    {
        bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
                      static_cast<unsigned>(x) < static_cast<unsigned>(width);
        return inside ? __ldg(data + static_cast<size_t>(y) * width + x) : 0;
    }
};

// ---- One dimension: a thread makes four neighbours, from a window of the array in shared memory ----

constexpr int LINE_THREADS = 128, PER_THREAD = 4, LINE_PIECE = LINE_THREADS * PER_THREAD;

__global__ void line(Image in, int *out, int radius)
{
    __shared__ int window[LINE_PIECE + 2 * RADIUS_MAX];
    auto block = cg::this_thread_block();
    int first = blockIdx.x * LINE_PIECE, n = in.width;
    for (int k = block.thread_rank(); k < LINE_PIECE + 2 * radius; k += block.size())
        window[k] = in.at(0, first - radius + k);
    block.sync();
#pragma unroll
    for (int q = 0; q < PER_THREAD; q++) {
        int k = q * LINE_THREADS + block.thread_rank();
        int sum = 0;
        for (int t = 0; t <= 2 * radius; t++)
            sum += filters.plane[t] * window[k + 2 * radius - t];
        if (first + k < n)
            out[first + k] = sum;
    }
}

// ---- Two dimensions, straight from global memory; a flat block of four rows of 64 ----

__global__ void image(Image in, int *out, int ry, int rx)
{
    int x = blockIdx.x * 64 + threadIdx.x % 64, y = blockIdx.y * 4 + threadIdx.x / 64;
    if (x >= in.width || y >= in.height)
        return;
    const int *tap = filters.plane;
    int sum = 0;
    for (int yy = y + ry; yy >= y - ry; yy--)
        for (int xx = x + rx; xx >= x - rx; xx--)
            sum += *tap++ * in.at(yy, xx);
    out[static_cast<size_t>(y) * in.width + x] = sum;
}

// ---- Tiles: 32 x 32 elements by 32 x 8 threads. Which taps are used is a type ----

constexpr int SIDE = 32, LANES_Y = 8;

struct Plane {
    static __device__ int tap(int j, int i, int columns) { return filters.plane[j * columns + i]; }
};
struct Row {
    static __device__ int tap(int, int i, int) { return filters.row[i]; }
};
struct Column {
    static __device__ int tap(int j, int, int) { return filters.column[j]; }
};

template <typename Taps> __global__ void tiles(Image in, int *out, int ry, int rx)
{
    extern __shared__ int tile[];
    auto block = cg::this_thread_block();
    int pitch = SIDE + 2 * rx, rows = SIDE + 2 * ry;
    int x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE;
    for (int r = threadIdx.y; r < rows; r += LANES_Y)
        for (int c = threadIdx.x; c < pitch; c += SIDE)
            tile[r * pitch + c] = in.at(y0 - ry + r, x0 - rx + c);
    block.sync();
    int x = x0 + threadIdx.x;
    for (int k = threadIdx.y; k < SIDE; k += LANES_Y) {
        int sum = 0;
        for (int j = 0; j <= 2 * ry; j++) {
            const int *place = tile + (k + 2 * ry - j) * pitch + threadIdx.x + 2 * rx;
            for (int i = 0; i <= 2 * rx; i++)
                sum += Taps::tap(j, i, 2 * rx + 1) * *place--;
        }
        if (x < in.width && y0 + k < in.height)
            out[static_cast<size_t>(y0 + k) * in.width + x] = sum;
    }
}

template <typename Taps> cudaError_t launch_tiles(Image in, int *out, int ry, int rx)
{
    dim3 grid((in.width + SIDE - 1) / SIDE, (in.height + SIDE - 1) / SIDE), block(SIDE, LANES_Y);
    size_t bytes = sizeof(int) * (SIDE + 2 * ry) * (SIDE + 2 * rx);
    tiles<Taps><<<grid, block, bytes>>>(in, out, ry, rx);
    return cudaGetLastError();
}

cudaError_t upload(const int *from, int count, size_t offset)
{
    return cudaMemcpyToSymbol(filters, from, count * sizeof(int), offset, cudaMemcpyHostToDevice);
}


int convolve_1d(const int *in, int *out, int n, const int *filter, int radius)
{
    if (n <= 0)
        return cudaSuccess;
    return Chain()
        .then([=] { return upload(filter, 2 * radius + 1, offsetof(Filters, plane)); })
        .then([=] {
            line<<<(n + LINE_PIECE - 1) / LINE_PIECE, LINE_THREADS>>>(Image{in, 1, n}, out, radius);
            return cudaGetLastError();
        })
        .code();
}

int convolve_2d(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    return Chain()
        .then([=] { return upload(filter, (2 * radius_y + 1) * (2 * radius_x + 1), offsetof(Filters, plane)); })
        .then([=] {
            image<<<dim3((width + 63) / 64, (height + 3) / 4), 256>>>(Image{in, height, width}, out, radius_y,
                                                                      radius_x);
            return cudaGetLastError();
        })
        .code();
}

int convolve_tiled(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    return Chain()
        .then([=] { return upload(filter, (2 * radius_y + 1) * (2 * radius_x + 1), offsetof(Filters, plane)); })
        .then([=] { return launch_tiles<Plane>(Image{in, height, width}, out, radius_y, radius_x); })
        .code();
}

int convolve_separable(const int *in, int *out, int *scratch, int height, int width, const int *column, int radius_y,
                       const int *row, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    return Chain()
        .then([=] { return upload(column, 2 * radius_y + 1, offsetof(Filters, column)); })
        .then([=] { return upload(row, 2 * radius_x + 1, offsetof(Filters, row)); })
        .then([=] { return launch_tiles<Column>(Image{in, height, width}, scratch, radius_y, 0); })
        .then([=] { return launch_tiles<Row>(Image{scratch, height, width}, out, 0, radius_x); })
        .code();
}
