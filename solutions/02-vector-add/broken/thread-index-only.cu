// expect: wrong-result
// case: one-more
// says: only the last element
// Every block adds the first 256 elements.
#include "lab.h"
#include "vector_add.h"

// Each thread adds one element.
__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    int i = threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    cudaError_t err = cudaSuccess;

    size_t bytes = n * sizeof(float);
    float *d_a = NULL;
    float *d_b = NULL;
    float *d_c = NULL;
    err = cudaMalloc(&d_a, bytes);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_b, bytes);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_c, bytes);

    if (err == cudaSuccess)
        err = cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    if (err == cudaSuccess)
        err = cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    if (err == cudaSuccess && n > 0) {
        int threads = 256;
        int blocks = (n + threads - 1) / threads;
        add_kernel<<<blocks, threads>>>(d_a, d_b, d_c, n);
        err = cudaGetLastError();
    }

    if (err == cudaSuccess)
        err = cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return err;
}
