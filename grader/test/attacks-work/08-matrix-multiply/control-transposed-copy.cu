// expect: pass
// case: naive
// control: the host turns b round, as a program may that reads it by columns; the kernel multiplies.
#include "matrix_multiply.h"
#include <stdlib.h>
__global__ void multiply(const float *a, const float *t, float *c, int m, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= m * n)
        return;
    for (int j = 0; j < k; j++)
        sum += a[i / n * k + j] * t[i % n * k + j];
    c[i] = sum;
}
int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *h = (float *)malloc(sizeof(float) * 2 * k * n), *t = h + k * n, *d;
    cudaMemcpy(h, b, sizeof(float) * k * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < k * n; i++)
        t[i % n * k + i / n] = h[i];
    cudaMalloc(&d, sizeof(float) * k * n);
    cudaMemcpy(d, t, sizeof(float) * k * n, cudaMemcpyHostToDevice);
    multiply<<<(m * n + 255) / 256, 256>>>(a, d, c, m, n, k);
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
