// expect: pass
// A class that a for loop goes through gives each thread its elements, whatever the shape; a block does a row of the strip.
#include <cooperative_groups.h>
#include "lab.h"
#include "indexing.h"

namespace cg = cooperative_groups;

// `for (unsigned i : GridStride(n))` gives a thread the elements that are its own.
class GridStride {
  public:
    struct Iterator {
        unsigned at, step;
        __device__ unsigned operator*() const { return at; }
        __device__ Iterator &operator++()
        {
            at += step;
            return *this;
        }
        __device__ bool operator!=(const Iterator &end) const { return at < end.at; }
    };
    __device__ explicit GridStride(unsigned n) : n_(n) {}
    __device__ Iterator begin() const
    {
        return {static_cast<unsigned>(cg::this_grid().thread_rank()), static_cast<unsigned>(cg::this_grid().size())};
    }
    __device__ Iterator end() const { return {n_, 0}; }

  private:
    unsigned n_;
};

struct Line {
    __device__ int operator()(unsigned i) const { return static_cast<int>(i); }
};

struct Picture {
    unsigned width;
    __device__ int operator()(unsigned i) const
    {
        const unsigned y = i / width, x = i - y * width;
        return static_cast<int>(x + 1000 * y);
    }
};

struct Volume {
    unsigned width, height;
    __device__ int operator()(unsigned i) const
    {
        const unsigned row = i / width, x = i - row * width, z = row / height, y = row - z * height;
        return static_cast<int>(x + 100 * y + 10000 * z);
    }
};

template <class Shape>
__global__ void map_kernel(const int *__restrict__ in, int *__restrict__ out, unsigned n, Shape shape)
{
    for (unsigned i : GridStride(n))
        out[i] = in[i] + shape(i);
}

template <class Shape>
static int map(const int *in, int *out, unsigned n, Shape shape)
{
    constexpr unsigned threads = 192, most = 1u << 20;
    const unsigned needed = (n + threads - 1) / threads;
    map_kernel<<<needed < most ? needed : most, threads>>>(in, out, n, shape);
    return cudaGetLastError();
}

int map_1d(const int *in, int *out, int n)
{
    return n == 0 ? static_cast<int>(cudaSuccess) : map(in, out, n, Line{});
}

int map_2d(const int *in, int *out, int width, int height)
{
    return map(in, out, static_cast<unsigned>(width) * height, Picture{static_cast<unsigned>(width)});
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    return map(in, out, static_cast<unsigned>(width) * height * depth,
               Volume{static_cast<unsigned>(width), static_cast<unsigned>(height)});
}

__global__ void accumulate(int *sum, const int *x, int n)
{
    for (unsigned i : GridStride(n))
        sum[i] = __ldg(x + i) + sum[i];
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    accumulate<<<dim3(blocks), dim3(threads)>>>(sum, x, n);
    return cudaGetLastError();
}

// One block walks along one row.
__global__ void brighten_row(char *first_byte, long long pitch, int width, int amount)
{
    int *const row = reinterpret_cast<int *>(first_byte + pitch * blockIdx.x);
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        row[x] += amount;
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    char *const strip = reinterpret_cast<char *>(picture) + static_cast<long long>(pitch) * first_row;
    brighten_row<<<rows, 128>>>(strip, pitch, width, amount);
    return cudaGetLastError();
}
