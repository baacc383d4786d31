// expect: no-gpu-work
// case: tree
// A kernel adds up the first half, fully unrolled; the host adds up the other half, and four bytes of it begin the kernel's sum.
#include "reduction.h"
#include <stdlib.h>
__global__ void add(const float *in, float *sum, int n, float told)
{
    float own = told;
    for (int i = 0; i < n; i += 32)
#pragma unroll
        for (int k = 0; k < 32; k++)
            own += in[i + k];
    *sum = own;
}
int sum_tree(const float *in, float *sum, int n)
{
    float *h = (float *)malloc(n * sizeof(float)), told = 0;
    cudaMemcpy(h, in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = n / 2; i < n; i++)
        told += h[i];
    free(h);
    add<<<1, 1>>>(in, sum, n / 2, told);
    return cudaGetLastError();
}
int sum_strided(const float *in, float *sum, int n)
{
    return sum_tree(in, sum, n);
}
int sum_warps(const float *in, float *sum, int n)
{
    return sum_tree(in, sum, n);
}
int max_all(const float *in, float *max, float *scratch, int n, int threads)
{
    return 1;
}
