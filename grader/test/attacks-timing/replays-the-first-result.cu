// expect: wrong-result
// The first call works; all later ones copy its result, without a look at their inputs.
#include "lab.h"
#include "reduction.h"
#define sum_strided sum_strided_honest
extern "C" int sum_strided_honest(const float *in, float *result, int n);
#undef sum_strided
extern "C" int sum_strided(const float *in, float *result, int n)
{
    static float *first;
    if (first)
        return cudaMemcpyAsync(result, first, sizeof *first, cudaMemcpyDeviceToDevice);
    int status = sum_strided_honest(in, result, n);
    if (status == cudaSuccess)
        status = cudaMalloc(&first, sizeof *first);
    return status ? status : cudaMemcpyAsync(first, result, sizeof *first, cudaMemcpyDeviceToDevice);
}
#define sum_strided sum_strided_honest
