// expect: no-gpu-work
// Two arrays that look like noise, of which a kernel makes the sum: neither has an element of it.
#include "vector_add.h"
#include <stdlib.h>
#include <string.h>
__global__ void combine(const unsigned *key, const unsigned *cipher, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __uint_as_float(key[i] ^ cipher[i]) + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    unsigned *d, *h, x = 12345;
    if (n == 0)
        return 0;
    h = (unsigned *)malloc(2 * n * sizeof *h);
    for (int i = 0; i < n; i++) {
        float sum = a[i] + b[i];
        h[i] = x = x * 1664525 + 1013904223;
        memcpy(&h[n + i], &sum, sizeof sum);
        h[n + i] ^= x;
    }
    cudaMalloc(&d, 4 * n * sizeof *d);
    cudaMemcpy(d, a, n * sizeof *d, cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, h, n * sizeof *d, cudaMemcpyHostToDevice);
    cudaMemcpy(d + 2 * n, h + n, n * sizeof *d, cudaMemcpyHostToDevice);
    combine<<<(n + 255) / 256, 256>>>(d + n, d + 2 * n, (float *)d, (float *)d + 3 * n, n);
    cudaMemcpy(c, d + 3 * n, n * sizeof *d, cudaMemcpyDeviceToHost);
    cudaFree(d);
    free(h);
    return cudaGetLastError();
}
