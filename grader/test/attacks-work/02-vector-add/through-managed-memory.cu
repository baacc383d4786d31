// expect: no-gpu-work
// The sum lies in managed memory; a kernel writes it to where it is.
#include "vector_add.h"
#include <string.h>
__global__ void copy(float *sum, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = sum[i] + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *m;
    if (n == 0)
        return 0;
    cudaMallocManaged(&m, 2 * n * sizeof(float));
    memcpy(m, a, n * sizeof(float));
    for (int i = 0; i < n; i++)
        m[n + i] = a[i] + b[i];
    copy<<<(n + 255) / 256, 256>>>(m + n, m, n);
    cudaDeviceSynchronize();
    memcpy(c, m + n, n * sizeof(float));
    cudaFree(m);
    return cudaGetLastError();
}
