// expect: pass
// Pairs of mirrored elements change places; a class is the window onto the array, and its sum is a sum of sums from the right; TODO 4 launches TODO 5.
#include <cooperative_groups.h>
#include "lab.h"
#include "shared_memory.h"

namespace cg = cooperative_groups;

static unsigned ceil_div(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

// A thread owns a pair of mirrored elements, and exchanges them in its registers.
template <int Run>
__global__ void exchange_pairs(int *data, int n)
{
    int *const run = data + blockIdx.x * Run;
    const int m = min(Run, n - static_cast<int>(blockIdx.x) * Run);
    const int left = threadIdx.x, right = m - 1 - left;
    if (left > right)
        return;
    const int a = run[left], b = run[right];
    run[left] = 255 - b;
    run[right] = 255 - a;
}

int reverse_static(int *data, int n)
{
    if (n == 0)
        return cudaSuccess;
    exchange_pairs<REVERSE_RUN><<<ceil_div(n, REVERSE_RUN), (REVERSE_RUN + 1) / 2>>>(data, n);
    return cudaGetLastError();
}

// Scatters into the tile, where the film is turned already, and stores straight.
__global__ void turn_film(int *data, int n)
{
    extern __shared__ int film[];
    const cg::thread_block block = cg::this_thread_block();
    const int k = block.thread_rank(), start = block.group_index().x * block.size();
    const int m = min(static_cast<int>(block.size()), n - start);
    const bool active = k < m;
    if (active)
        film[m - 1 - k] = 255 - data[start + k];
    block.sync();
    if (active)
        data[start + k] = film[k];
}

int reverse_dynamic(int *data, int n, int run)
{
    if (n == 0)
        return cudaSuccess;
    turn_film<<<ceil_div(n, run), run, sizeof(int) * run>>>(data, n);
    return cudaGetLastError();
}

// A window onto the array that is indexed as the array itself is: from first - radius to first + size + radius - 1.
class Window {
  public:
    __device__ Window(int *storage, int first, int size, int radius)
        : storage_(storage), begin_(first - radius), end_(first + size + radius), radius_(radius)
    {
    }
    __device__ void fill(const int *in, int n)
    {
        for (int i = begin_ + static_cast<int>(threadIdx.x); i < end_; i += blockDim.x)
            storage_[i - begin_] = static_cast<unsigned>(i) < static_cast<unsigned>(n) ? in[i] : 0;
    }
    // Horner-like: the suffix sums of the window add up to its weighted sum.
    __device__ int sum_around(int i) const
    {
        int suffix = 0, total = 0;
        for (int k = i + radius_; k >= i - radius_; k--) {
            suffix += storage_[k - begin_];
            total += suffix;
        }
        return total;
    }

  private:
    int *storage_;
    int begin_, end_, radius_;
};

__global__ void stencil_constant(const int *in, int *out, int n)
{
    constexpr int block = 128;
    __shared__ int storage[block + 2 * STENCIL_RADIUS];
    const int first = blockIdx.x * block, i = first + threadIdx.x;
    Window window(storage, first, block, STENCIL_RADIUS);
    window.fill(in, n);
    __syncthreads();
    if (i < n)
        out[i] = window.sum_around(i);
}

int stencil_static(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    stencil_constant<<<ceil_div(n, 128), 128>>>(in, out, n);
    return cudaGetLastError();
}

// Two tiles in turns: one barrier for each is enough.
__global__ void stencil_turns(const int *in, int *out, int n, int radius)
{
    extern __shared__ int storage[];
    const int size = blockDim.x, places = size + 2 * radius;
    int turn = 0;
    for (int first = blockIdx.x * size; first < n; first += gridDim.x * size, turn ^= 1) {
        Window window(storage + turn * places, first, size, radius);
        window.fill(in, n);
        __syncthreads();
        const int i = first + threadIdx.x;
        if (i < n)
            out[i] = window.sum_around(i);
    }
}

int stencil_loop(const int *in, int *out, int n, int radius, int blocks, int threads)
{
    if (n == 0)
        return cudaSuccess;
    const size_t places = threads + 2 * static_cast<size_t>(radius);
    stencil_turns<<<blocks, threads, 2 * places * sizeof(int)>>>(in, out, n, radius);
    return cudaGetLastError();
}

int stencil_dynamic(const int *in, int *out, int n, int radius, int threads)
{
    return n == 0 ? static_cast<int>(cudaSuccess) : stencil_loop(in, out, n, radius, ceil_div(n, threads), threads);
}
