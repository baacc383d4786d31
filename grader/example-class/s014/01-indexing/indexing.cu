#include "lab.h"
#include "indexing.h"

__global__ void line(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + i;
}

int map_1d(const int *in, int *out, int n)
{
    if (n == 0)
        return 0;
    line<<<(n + 255) / 256, 256>>>(in, out, n);
    return cudaGetLastError();
}

__global__ void picture_2d(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y)
        if (x < width)
            out[y * width + x] = in[y * width + x] + x + 1000 * y;
}

int map_2d(const int *in, int *out, int width, int height)
{
    dim3 block(32, 8);
    int rows = (height + 7) / 8;
    dim3 grid((width + 31) / 32, rows < 65535 ? rows : 65535);
    picture_2d<<<grid, block>>>(in, out, width, height);
    return cudaGetLastError();
}

__global__ void volume(const int *in, int *out, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < width && y < height && z < depth) {
        int i = (z * height + y) * width + x;
        out[i] = in[i] + x + 100 * y + 10000 * z;
    }
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    dim3 block(16, 8, 2);
    dim3 grid((width + 15) / 16, (height + 7) / 8, (depth + 1) / 2);
    volume<<<grid, block>>>(in, out, width, height, depth);
    return cudaGetLastError();
}

__global__ void stride_add(int *sum, const int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum[i] += x[i];
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    stride_add<<<blocks, threads>>>(sum, x, n);
    return cudaGetLastError();
}

__global__ void strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows)
        return;
    char *row = (char *)picture + (size_t)(first_row + y) * pitch;
    ((int *)row)[x] += amount;
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    dim3 block(32, 8);
    dim3 grid((width + 31) / 32, (rows + 7) / 8);
    strip<<<grid, block>>>(picture, pitch, width, first_row, rows, amount);
    return cudaGetLastError();
}
