// expect: wrong-result
// The first call works; all later ones copy its result, without a look at their inputs.
#include "lab.h"
#include "reduction.h"
extern "C" int sum_strided_honest(const float *in, float *sum, int n);
extern "C" int sum_strided(const float *in, float *sum, int n)
{
    static float *first;
    if (first)
        return cudaMemcpyAsync(sum, first, sizeof *first, cudaMemcpyDeviceToDevice);
    int status = sum_strided_honest(in, sum, n);
    if (status == cudaSuccess)
        status = cudaMalloc(&first, sizeof *first);
    return status ? status : cudaMemcpyAsync(first, sum, sizeof *first, cudaMemcpyDeviceToDevice);
}
#define sum_strided sum_strided_honest
