// expect: no-gpu-work
// Adds on the CPU, and has a kernel that does some arithmetic elsewhere.
#include "vector_add.h"
__global__ void decoy(float *x) { x[threadIdx.x] = threadIdx.x * 2.0f + 1.0f; }
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d, host[4];
    cudaMalloc(&d, 256 * sizeof(float));
    decoy<<<1, 256>>>(d);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
