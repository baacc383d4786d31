// expect: pass
// One kernel for all three: a template that is given what a thread stores.
#include <cooperative_groups.h>
#include "lab.h"
#include "first_kernel.h"

namespace cg = cooperative_groups;

namespace {

struct Constant {
    int value;
    __device__ int operator()(unsigned) const { return value; }
};

struct Identity {
    __device__ int operator()(unsigned rank) const { return static_cast<int>(rank); }
};

struct Square {
    __device__ int operator()(unsigned rank) const { return static_cast<int>(rank * rank); }
};

template <typename Value>
__global__ void fill(int *begin, int *end, Value value)
{
    const unsigned rank = cg::this_thread_block().thread_rank();
    int *const mine = begin + rank;
    if (mine >= end)
        return;
    *mine = value(rank);
}

template <typename Value>
int start(int *out, int elements, int threads, Value value)
{
    int *end = out + elements;
    void *arguments[] = {&out, &end, &value};
    const cudaError_t launched =
        cudaLaunchKernel(reinterpret_cast<const void *>(&fill<Value>), dim3(1), dim3(threads), arguments, 0, nullptr);
    const cudaError_t last = cudaGetLastError();
    return launched != cudaSuccess ? launched : last;
}

} // namespace

int write_number(int *out, int number)
{
    return start(out, 1, 1, Constant{number});
}

int write_indexes(int *out, int n)
{
    return start(out, n, n, Identity{});
}

int write_squares(int *out, int n, int threads)
{
    return start(out, n, threads, Square{});
}
