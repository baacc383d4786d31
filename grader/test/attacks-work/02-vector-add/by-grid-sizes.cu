// expect: no-gpu-work
// Each byte of the sum is the size of a grid; the kernel stores what its grid's size is.
#include "vector_add.h"
__global__ void size_is_value(unsigned char *c, const float *a)
{
    if (blockIdx.x == 0)
        *c = gridDim.x - 1 + (unsigned char)(a[0] - a[0]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    cudaMalloc(&d, 2 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) {
        float sum = a[i] + b[i];
        for (int k = 0; k < 4; k++)
            size_is_value<<<((unsigned char *)&sum)[k] + 1, 1>>>((unsigned char *)(d + n + i) + k, d + i);
    }
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
