// Kernels for what a film costs (cost.sh): argv[1] names one.
#include <cstring>
#include <cuda_runtime.h>

#define TILE 16

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        of_a[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void walk(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n + i % 32; k++)
        x = (i + k) % 3 ? x * 0.5f + in[(i * 7 + k) % 4096] : x - 1;
    out[i] = x;
}

__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int column = (int)(blockIdx.x * TILE) + i % (TILE + 2) - 1, row = (int)(blockIdx.y * TILE) + i / (TILE + 2) - 1;
        bool inside = column >= 0 && column < n && row >= 0 && row < n;
        tile[i / (TILE + 2)][i % (TILE + 2)] = inside ? in[row * n + column] : 0;
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    out[y * n + x] = 0.2f * (tile[ty][tx] + tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}

__global__ void histogram(const unsigned *in, unsigned *count, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[(in[i] + i * 40503u) >> 7 & 255], 1);
    __syncthreads();
    atomicAdd(&count[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "add";
    float *a, *b, *c;
    size_t bytes = (size_t)4 << 20;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    if (strcmp(which, "add") == 0)
        add<<<4096, 256>>>(a, b, c, 1 << 20);
    else if (strcmp(which, "multiply") == 0)
        multiply<<<dim3(32, 32), dim3(TILE, TILE)>>>(a, b, c, 512);
    else if (strcmp(which, "stencil") == 0)
        stencil<<<dim3(64, 64), dim3(TILE, TILE)>>>(a, c, 1024);
    else if (strcmp(which, "histogram") == 0)
        histogram<<<128, 256>>>((unsigned *)a, (unsigned *)b, 1 << 20);
    else
        walk<<<64, 256>>>(a, c, 64);
    cudaError_t err = cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return err != cudaSuccess;
}
