// expect: pass
// control: launch parameters, constant memory and a small table that the host made, and the sum is the kernel's.
#include "vector_add.h"
__constant__ float ones[16];
__global__ void add(const float *a, const float *b, float *c, int n, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = (a[i] + b[i]) * scale * ones[i % 16];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d, host[16];
    if (n == 0)
        return 0;
    for (int i = 0; i < 16; i++)
        host[i] = 1;
    cudaMalloc(&d, 3 * n * sizeof(float));
    cudaMemcpyToSymbol(ones, host, sizeof host);
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, n * sizeof(float), cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n, 1.0f);
    int err = cudaGetLastError();
    cudaMemcpy(c, d + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return err;
}
