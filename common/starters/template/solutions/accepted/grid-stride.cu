// expect: pass
// A fixed grid, whose threads do several elements each.
#include "lab.h"
#include "@STEM@.h"

__global__ void double_kernel(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + in[i];
}

int @STEM@(const float *in, float *out, int n)
{
    double_kernel<<<13, 96>>>(in, out, n);
    return cudaGetLastError();
}
