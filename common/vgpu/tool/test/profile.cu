/* Kernels for profile.t: each has a line of its own for what it does badly, marked with a name. */
#include <cuda_runtime.h>

enum { N = 4096, BLOCK = 256 };

__global__ void rows(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i * 32 % N]; // line: strided
    b[i] = x;                // line: side by side
}

__global__ void banks(float *b)
{
    __shared__ float tile[32 * 32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (int r = y; r < 32; r += BLOCK / 32)
        tile[r * 32 + x] = (float)(r + x); // line: no conflict
    __syncthreads();
    b[blockIdx.x * BLOCK + threadIdx.x] = tile[x * 32 + y]; // line: conflict
}

__global__ void parts(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (i % 2)                            // line: parts
        for (int k = 0; k < 50; k++)
            x = x * x + sqrtf(x + (float)k);
    b[i] = x;
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    rows<<<N / BLOCK, BLOCK>>>(a, b);
    banks<<<N / BLOCK, BLOCK>>>(b);
    parts<<<N / BLOCK, BLOCK>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    return cudaFree(b);
}
