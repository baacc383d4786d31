// Doubles every element. The contract is in @STEM@.h, the steps are in README.md.
#include "lab.h"
#include "@STEM@.h"

__global__ void double_kernel(const float *in, float *out, int n)
{
    //@ solution 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
    //@ stub
    //| // TODO 1 (kernel): double this thread's element, if there is one.
    //@ end
}

int @STEM@(const float *in, float *out, int n)
{
    //@ solution 1
    double_kernel<<<(n + 255) / 256, 256>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch): launch double_kernel for n elements, and return what the launch gave.
    //| return cudaSuccess;
    //@ end
}
