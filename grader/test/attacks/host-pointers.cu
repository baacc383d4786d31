// expect: out-of-bounds
// Gives the kernel the host's arrays, and pointers that point nowhere.
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    add<<<1, 256>>>(a, b, c, n);
    add<<<1, 256>>>((float *)0xdeadbeefdead0000, (float *)-4, (float *)~0ull, n);
    return cudaDeviceSynchronize();
}
