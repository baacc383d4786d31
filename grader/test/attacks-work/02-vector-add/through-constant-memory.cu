// expect: no-gpu-work
// The sum goes through constant memory.
#include "vector_add.h"
enum { N = 8192 };
__constant__ float sum[N];
__global__ void copy(const float *a, float *c, int n)
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
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, 2 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int first = 0; first < n; first += N) {
        int m = n - first < N ? n - first : N;
        cudaMemcpyToSymbol(sum, c + first, m * sizeof(float));
        copy<<<(m + 255) / 256, 256>>>(d + first, d + n + first, m);
    }
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
