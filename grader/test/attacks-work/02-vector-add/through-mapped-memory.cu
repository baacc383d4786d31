// expect: no-gpu-work
// The sum lies in pinned memory that a kernel reads.
#include "vector_add.h"
#include <string.h>
__global__ void copy(const float *sum, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = sum[i] + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *h;
    if (n == 0)
        return 0;
    cudaMallocHost(&h, 3 * n * sizeof(float));
    memcpy(h, a, n * sizeof(float));
    for (int i = 0; i < n; i++)
        h[n + i] = a[i] + b[i];
    copy<<<(n + 255) / 256, 256>>>(h + n, h, h + 2 * n, n);
    cudaDeviceSynchronize();
    memcpy(c, h + 2 * n, n * sizeof(float));
    cudaFreeHost(h);
    return cudaGetLastError();
}
