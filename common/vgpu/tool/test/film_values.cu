// A kernel whose variables are known by a rule, for films of code with debug information.
#include <cuda_runtime.h>

__device__ __noinline__ int twice(int v)
{
    int doubled = 2 * v;
    return doubled; // line: return
}

__global__ void values(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float share = 0.25f * i;
    int pair[2] = {i, -i};
    int sum = 0;
    for (int k = 0; k < 5; k++)
        sum += in[i] * k; // line: loop
    out[i] = sum + n + twice(i) + (int)share + pair[i & 1]; // line: store
}

int main()
{
    int h[64], *in, *out;
    for (int i = 0; i < 64; i++)
        h[i] = i + 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    values<<<1, 64>>>(in, out, 7);
    return cudaDeviceSynchronize() != cudaSuccess;
}
