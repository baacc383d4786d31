// expect: no-gpu-work
// Adds on the CPU; a kernel copies the sum, and reads an input too.
#include "vector_add.h"
__global__ void copy(const float *sum, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = sum[i] + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, 3 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, c, n * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<(n + 255) / 256, 256>>>(d + n, d, d + 2 * n, n);
    cudaMemcpy(c, d + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
