// expect: no-gpu-work
// Each byte of the sum is a cudaMemset; a kernel copies what that makes.
#include "vector_add.h"
__global__ void copy(const float *sum, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = sum[i] + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    cudaMalloc(&d, 3 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) {
        float sum = a[i] + b[i];
        for (int k = 0; k < 4; k++)
            cudaMemset((char *)(d + n + i) + k, ((unsigned char *)&sum)[k], 1);
    }
    copy<<<(n + 255) / 256, 256>>>(d + n, d, d + 2 * n, n);
    cudaMemcpy(c, d + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
