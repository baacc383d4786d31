// expect: no-gpu-work
// An eighth of the sum at a time, each by a copy and a launch of its own.
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
    cudaMalloc(&d, 3 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    for (int part = 0; part < 8; part++) {
        int from = (int)((long)n * part / 8), m = (int)((long)n * (part + 1) / 8) - from;
        if (m == 0)
            continue;
        cudaMemcpy(d + n + from, c + from, m * sizeof(float), cudaMemcpyHostToDevice);
        copy<<<(m + 255) / 256, 256>>>(d + n + from, d + from, d + 2 * n + from, m);
        cudaMemcpy(c + from, d + 2 * n + from, m * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(d);
    return cudaGetLastError();
}
