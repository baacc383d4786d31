// expect: no-gpu-work
// Adds on the CPU, takes the sum to the device and back, and has a kernel that works on something else.
#include "vector_add.h"
__global__ void busy(float *x)
{
    for (int i = 0; i < 1000; i++)
        x[threadIdx.x] += 1;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d, *other;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&other, 256 * sizeof(float));
    cudaMemset(other, 0, 256 * sizeof(float));
    cudaMemcpy(d, c, n * sizeof(float), cudaMemcpyHostToDevice);
    busy<<<1, 256>>>(other);
    cudaMemcpy(c, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(other);
    return cudaGetLastError();
}
