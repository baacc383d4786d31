// expect: out-of-bounds
// The file of its line is named by a directive: an escape sequence, a C1 control and an override of the direction.
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#line 7 "e[31mvil2J‮uc.dda_rotcev"
    c[i + n * 1000] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], n * sizeof(float));
    cudaMemcpy(d[0], a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, n * sizeof(float), cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], n * sizeof(float), cudaMemcpyDeviceToHost);
    return cudaGetLastError();
}
