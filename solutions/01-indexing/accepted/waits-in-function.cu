// expect: pass
// Waits for each kernel and returns what went wrong inside it too.
#include "lab.h"
#include "indexing.h"

// ---- One dimension ----

__global__ void map_1d_kernel(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + i;
}

int map_1d(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    map_1d_kernel<<<blocks, threads>>>(in, out, n);
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}

// ---- Two dimensions ----

__global__ void map_2d_kernel(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first_y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width)
        return;
    for (int y = first_y; y < height; y += gridDim.y * blockDim.y)
        out[y * width + x] = in[y * width + x] + x + 1000 * y;
}

int map_2d(const int *in, int *out, int width, int height)
{
    dim3 threads(32, 4);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    if (blocks.y > 65535)
        blocks.y = 65535;
    map_2d_kernel<<<blocks, threads>>>(in, out, width, height);
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}

// ---- Three dimensions ----

__global__ void map_3d_kernel(const int *in, int *out, int width, int height, int depth)
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
    dim3 threads(32, 4, 2);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y,
                (depth + threads.z - 1) / threads.z);
    map_3d_kernel<<<blocks, threads>>>(in, out, width, height, depth);
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}

// ---- More elements than threads ----

__global__ void add_stride_kernel(int *sum, const int *x, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum[i] += x[i];
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    add_stride_kernel<<<blocks, threads>>>(sum, x, n);
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}

// ---- Rows with a pitch ----

__global__ void add_strip_kernel(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && row < rows) {
        size_t offset = (size_t)(first_row + row) * pitch;
        int *pixels = (int *)((char *)picture + offset);
        pixels[x] += amount;
    }
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    dim3 threads(32, 4);
    dim3 blocks((width + threads.x - 1) / threads.x, (rows + threads.y - 1) / threads.y);
    add_strip_kernel<<<blocks, threads>>>(picture, pitch, width, first_row, rows, amount);
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}
