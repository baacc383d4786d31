#include "lab.h"
#include "vector_add.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    if (n == 0)
        return cudaSuccess;
    float *d_a = NULL, *d_b = NULL, *d_c = NULL;
    size_t size = n * sizeof(float);
    cudaError_t err = cudaMalloc(&d_a, size);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_b, size);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_c, size);
    if (err == cudaSuccess)
        err = cudaMemcpy(d_a, a, size, cudaMemcpyHostToDevice);
    if (err == cudaSuccess)
        err = cudaMemcpy(d_b, b, size, cudaMemcpyHostToDevice);
    if (err == cudaSuccess) {
        add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaMemcpy(c, d_c, size, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    return err;
}
