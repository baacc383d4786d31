// expect: pass
// case: tree
// control: the same kernel, unrolled as far, adds up all.
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
    add<<<1, 1>>>(in, sum, n, 0.0f);
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
