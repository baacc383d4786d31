// whole
// case: allocation-fails
// case: later-call-fails
// points-at-least: 3
// verdict: pass
// Right, with two calls that can fail: managed memory, and the launch.
#include <cstring>
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *m = NULL;
    size_t bytes = n * sizeof(float);
    if (n == 0)
        return cudaSuccess;
    cudaError_t e = cudaMallocManaged((void **)&m, 3 * bytes);
    if (e != cudaSuccess)
        return e;
    memcpy(m, a, bytes);
    memcpy(m + n, b, bytes);
    add<<<(n + 255) / 256, 256>>>(m, m + n, m + 2 * n, n);
    e = cudaGetLastError();
    cudaError_t done = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        e = done;
    if (e == cudaSuccess)
        memcpy(c, m + 2 * n, bytes);
    cudaFree(m);
    return e;
}
