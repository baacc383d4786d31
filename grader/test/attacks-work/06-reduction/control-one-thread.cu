// expect: pass
// case: tree
// control: one thread adds up all, to what a parameter says.
#include "reduction.h"
__global__ void add(const float *in, float *sum, int n, float start)
{
    float own = start;
    for (int i = 0; i < n; i++)
        own += in[i];
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
