// expect: pass
// control: of in-eight-pieces and through-mapped-memory; kernels add.
#include "vector_add.h"
#include <string.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *h;
    if (n == 0)
        return 0;
    cudaMallocHost(&h, 3 * n * sizeof(float));
    memcpy(h, a, n * sizeof(float));
    memcpy(h + n, b, n * sizeof(float));
    for (int part = 0; part < 8; part++) {
        int from = (int)((long)n * part / 8), m = (int)((long)n * (part + 1) / 8) - from;
        if (m > 0)
            add<<<(m + 255) / 256, 256>>>(h + from, h + n + from, h + 2 * n + from, m);
        cudaDeviceSynchronize();
        memcpy(c + from, h + 2 * n + from, m * sizeof(float));
    }
    cudaFreeHost(h);
    return cudaGetLastError();
}
