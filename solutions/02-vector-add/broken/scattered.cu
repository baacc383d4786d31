// expect: slow
// case: traffic
// Neighbouring threads add elements that lie far apart.
#include "lab.h"
#include "vector_add.h"

// Each thread adds one element.
__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    // Thread t of the whole grid takes element t * 1021 modulo n: every element once, for n is no multiple of 1021.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        int i = n % 1021 == 0 ? t : (int)((long long)t * 1021 % n);
        c[i] = a[i] + b[i];
    }
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
