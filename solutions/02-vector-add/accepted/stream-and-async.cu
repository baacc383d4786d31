// expect: pass
// A stream of its own, asynchronous copies, and one wait at the end.
#include "lab.h"
#include "vector_add.h"

__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static cudaError_t add_on(cudaStream_t stream, float *d, const float *a, const float *b, float *c, int n)
{
    size_t bytes = n * sizeof(float);
    cudaError_t err = cudaMemcpyAsync(d, a, bytes, cudaMemcpyHostToDevice, stream);
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(d + n, b, bytes, cudaMemcpyHostToDevice, stream);
    if (err != cudaSuccess)
        return err;
    add_kernel<<<(n + 127) / 128, 128, 0, stream>>>(d, d + n, d + 2 * n, n);
    err = cudaGetLastError();
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(c, d + 2 * n, bytes, cudaMemcpyDeviceToHost, stream);
    return err == cudaSuccess ? cudaStreamSynchronize(stream) : err;
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    if (n == 0)
        return cudaSuccess;
    float *d = NULL;
    cudaStream_t stream;
    cudaError_t err = cudaMalloc(&d, 3 * n * sizeof(float));
    if (err != cudaSuccess)
        return err;
    err = cudaStreamCreate(&stream);
    if (err == cudaSuccess) {
        err = add_on(stream, d, a, b, c, n);
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaFree(d);
    return err;
}
