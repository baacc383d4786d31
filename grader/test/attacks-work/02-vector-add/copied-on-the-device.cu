// expect: no-gpu-work
// A kernel adds, and the CPU's sum is copied over its own on the device.
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, 4 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + 3 * n, c, n * sizeof(float), cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n);
    cudaMemcpy(d + 2 * n, d + 3 * n, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(c, d + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
