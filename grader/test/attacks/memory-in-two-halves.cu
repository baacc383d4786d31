// expect: memory-limit
// Takes the memory that a program may have, and the same again on the device: each alone would be within the limit.
#include "vector_add.h"
#include <cstdlib>
#include <cstring>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    size_t half = (size_t)400 << 20, bytes = n * sizeof(float);
    char *host = (char *)malloc(half), *device;
    memset(host, 1, half);
    cudaMalloc(&device, half);
    for (int i = 0; i < 20; i++)
        cudaMemcpy(device, host, half, cudaMemcpyHostToDevice);
    cudaFree(device);
    free(host);
    float *d[3];
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
