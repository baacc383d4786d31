// expect: no-gpu-work
// case: tree
// The host adds up and sends four bytes; a kernel that adds nothing puts them out.
#include "reduction.h"
#include <stdlib.h>
__global__ void tell(const float *in, float *sum, float told)
{
    *sum = told + (in[0] - in[0]);
}
int sum_tree(const float *in, float *sum, int n)
{
    float *h = (float *)malloc(n * sizeof(float) + 4), told = 0;
    cudaMemcpy(h, in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        told += h[i];
    free(h);
    tell<<<1, 1>>>(in, sum, told);
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
