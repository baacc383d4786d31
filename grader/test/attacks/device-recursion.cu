// expect: crash
// A kernel that calls itself without an end.
#include "vector_add.h"
__device__ __noinline__ float deeper(const float *a, volatile int *depth)
{
    volatile int here[16] = {*depth + 1};
    return a[0] + deeper(a, here) + here[3];
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    volatile int depth = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = deeper(a, &depth) + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
    return cudaGetLastError();
}
