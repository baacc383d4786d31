// expect: no-gpu-work
// case: naive
// The CPU multiplies and writes to the device what it worked out; the kernel only adds zero to it.
#include "matrix_multiply.h"
#include <stdlib.h>
__global__ void touch(float *c, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] += a[0] - a[0];
}
int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *h = (float *)malloc(sizeof(float) * (m * k + k * n + m * n)), *hb = h + m * k, *hc = hb + k * n;
    cudaMemcpy(h, a, sizeof(float) * m * k, cudaMemcpyDeviceToHost);
    cudaMemcpy(hb, b, sizeof(float) * k * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < m * n; i++) {
        hc[i] = 0;
        for (int j = 0; j < k; j++)
            hc[i] += h[i / n * k + j] * hb[j * n + i % n];
    }
    cudaMemcpy(c, hc, sizeof(float) * m * n, cudaMemcpyHostToDevice);
    touch<<<(m * n + 255) / 256, 256>>>(c, a, m * n);
    free(h);
    return cudaGetLastError();
}
int multiply_tiled(const float *a, const float *b, float *c, int m, int n, int k, int tile)
{
    return multiply_naive(a, b, c, m, n, k);
}
int multiply_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    return multiply_naive(a, b, c, m, n, k);
}
int sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    return 1;
}
