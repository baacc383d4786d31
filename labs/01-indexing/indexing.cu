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
    // TODO 1 (no elements): a grid of 0 blocks is an error. Return cudaSuccess before the launch.
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    map_1d_kernel<<<blocks, threads>>>(in, out, n);
    return cudaGetLastError();
}

// ---- Two dimensions ----

__global__ void map_2d_kernel(const int *in, int *out, int width, int height)
{
    // TODO 2 (kernel): work out x and y; do pixel (x, y), if there is one. What if the grid cannot have a row of
    // threads for each row of the picture?
}

int map_2d(const int *in, int *out, int width, int height)
{
    dim3 threads(32, 4);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    // TODO 2 (many rows): a grid has at most 65,535 blocks in y. Cut blocks.y to that.
    map_2d_kernel<<<blocks, threads>>>(in, out, width, height);
    return cudaGetLastError();
}

// ---- Three dimensions ----

__global__ void map_3d_kernel(const int *in, int *out, int width, int height, int depth)
{
    // TODO 3: work out x, y and z; do voxel (x, y, z), if there is one.
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    dim3 threads(32, 4, 2);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y,
                (depth + threads.z - 1) / threads.z);
    map_3d_kernel<<<blocks, threads>>>(in, out, width, height, depth);
    return cudaGetLastError();
}

// ---- More elements than threads ----

__global__ void add_stride_kernel(int *sum, const int *x, int n)
{
    // TODO 4: begin at this thread's element, and go on by as many elements as the grid has threads.
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    add_stride_kernel<<<blocks, threads>>>(sum, x, n);
    return cudaGetLastError();
}

// ---- Rows with a pitch ----

__global__ void add_strip_kernel(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    // TODO 5 (kernel): work out x and the row; find where this row begins, in bytes; change pixel x of it.
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    // TODO 5 (launch): launch add_strip_kernel for width x rows pixels.
    return cudaGetLastError();
}
