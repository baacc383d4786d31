// expect: wrong-result
// The same for every element, by a kernel.
#include "vector_add.h"
__global__ void fill(float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = 0.5f;
}
int vector_add(const float *, const float *, float *c, int n)
{
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    fill<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(c, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return 0;
}
