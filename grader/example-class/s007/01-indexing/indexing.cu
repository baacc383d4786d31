// Lab 01: which element is this thread's? The contract is in indexing.h, the steps are in README.md.
#include "lab.h"
#include "indexing.h"

// ---- One dimension ----

__global__ void map_1d_kernel(const int *in, int *out, int n)
{
    // TODO 1 (kernel): work out i from blockIdx, blockDim and threadIdx; do element i, if there is one.
}

int map_1d(const int *in, int *out, int n)
{
    // TODO 1 (launch): launch map_1d_kernel with enough blocks for n elements, and return what the launch gave.
    return cudaSuccess;
}

// ---- Two dimensions ----

__global__ void map_2d_kernel(const int *in, int *out, int width, int height)
{
    // TODO 2 (kernel): work out x and y; do pixel (x, y), if there is one. What if the grid cannot have a row of
    // threads for each row of the picture?
}

int map_2d(const int *in, int *out, int width, int height)
{
    // TODO 2 (launch): launch map_2d_kernel with two-dimensional blocks and a two-dimensional grid.
    return cudaSuccess;
}

// ---- Three dimensions ----

__global__ void map_3d_kernel(const int *in, int *out, int width, int height, int depth)
{
    // TODO 3 (kernel): work out x, y and z; do voxel (x, y, z), if there is one.
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    // TODO 3 (launch): launch map_3d_kernel with three-dimensional blocks and a three-dimensional grid.
    return cudaSuccess;
}

// ---- More elements than threads ----

__global__ void add_stride_kernel(int *sum, const int *x, int n)
{
    // TODO 4 (kernel): begin at this thread's element, and go on by as many elements as the grid has threads.
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    // TODO 4 (launch): launch add_stride_kernel with the blocks and threads that are asked for.
    return cudaSuccess;
}

// ---- Rows with a pitch ----

__global__ void add_strip_kernel(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    // TODO 5 (kernel): work out x and the row; find where this row begins, in bytes; change pixel x of it.
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    // TODO 5 (launch): launch add_strip_kernel for width x rows pixels.
    return cudaSuccess;
}
