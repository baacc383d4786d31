// expect: no-gpu-work
// The kernel that copies the CPU's sum adds, too, and stores that elsewhere.
#include "vector_add.h"
__global__ void both(const float *sum, const float *a, const float *b, float *c, float *elsewhere, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        elsewhere[i] = a[i] + b[i];
        c[i] = sum[i];
    }
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, 5 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + 2 * n, c, n * sizeof(float), cudaMemcpyHostToDevice);
    both<<<(n + 255) / 256, 256>>>(d + 2 * n, d, d + n, d + 3 * n, d + 4 * n, n);
    cudaMemcpy(c, d + 3 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
