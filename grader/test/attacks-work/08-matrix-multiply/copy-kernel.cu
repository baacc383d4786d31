// expect: no-gpu-work
// case: naive
// The CPU multiplies; a kernel copies the product, and spends as much arithmetic on the inputs, which it multiplies by zero. Whole numbers take fewer bytes to say than the output has, so the product is measured in the same way.
#include "matrix_multiply.h"
#include <stdlib.h>
__global__ void copy(const float *product, const float *a, const float *b, float *c, int m, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= m * n)
        return;
    for (int j = 0; j < k; j++)
        sum += a[i / n * k + j] * b[j * n + i % n];
    c[i] = product[i] + 0 * sum;
}
int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *h = (float *)malloc(sizeof(float) * (m * k + k * n + m * n)), *hb = h + m * k, *hc = hb + k * n, *d;
    cudaMemcpy(h, a, sizeof(float) * m * k, cudaMemcpyDeviceToHost);
    cudaMemcpy(hb, b, sizeof(float) * k * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < m * n; i++) {
        hc[i] = 0;
        for (int j = 0; j < k; j++)
            hc[i] += h[i / n * k + j] * hb[j * n + i % n];
    }
    cudaMalloc(&d, sizeof(float) * m * n);
    cudaMemcpy(d, hc, sizeof(float) * m * n, cudaMemcpyHostToDevice);
    copy<<<(m * n + 255) / 256, 256>>>(d, a, b, c, m, n, k);
    int err = cudaDeviceSynchronize();
    cudaFree(d);
    free(h);
    return err;
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
