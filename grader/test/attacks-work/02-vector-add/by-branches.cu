// expect: no-gpu-work
// A kernel branches on the bits of its parameter, and stores ones and zeros of its own.
#include "vector_add.h"
__global__ void bits(unsigned value, unsigned *c, const float *a)
{
    unsigned all = 0;
#pragma unroll 1
    for (int i = 0; i < 32; i++)
        if (value >> i & 1)
            all |= 1u << i;
    *c = all + (unsigned)(a[0] - a[0]);
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
        bits<<<1, 1>>>(*(unsigned *)&sum, (unsigned *)(d + n + i), d + i);
    }
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
