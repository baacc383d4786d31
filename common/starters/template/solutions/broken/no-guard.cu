// expect: out-of-bounds
// case: one-more
// line: 10
// Threads past the end double elements that are not there.
#include "lab.h"
#include "@STEM@.h"
__global__ void double_kernel(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

int @STEM@(const float *in, float *out, int n)
{
    double_kernel<<<(n + 255) / 256, 256>>>(in, out, n);
    return cudaGetLastError();
}
