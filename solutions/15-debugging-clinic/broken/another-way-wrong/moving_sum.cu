// expect: slow
// case: moving-sum-traffic
// says: needed is at most

// No shared memory, no race: and each number is read four times.
#include "debugging_clinic.h"
#include "lab.h"

__global__ void moving_sum_kernel(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = i; k < n && k < i + SUM_LENGTH; k++)
        sum += in[k];
    if (i < n)
        out[i] = sum;
}

int moving_sum(const float *in, float *out, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    moving_sum_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
