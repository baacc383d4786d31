// expect: barrier
// case: moving-sum

// The second barrier stands inside the if: the threads behind the end never reach it.
#include "debugging_clinic.h"
#include "lab.h"

#define BLOCK  128
#define BLOCKS 4
#define AFTER  (SUM_LENGTH - 1) // numbers behind the piece that its last sums need

__global__ void moving_sum_kernel(const float *in, float *out, int n)
{
    __shared__ float piece[BLOCK + AFTER];
    int t = threadIdx.x;
    for (int start = blockIdx.x * BLOCK; start < n; start += gridDim.x * BLOCK) {
        piece[t] = start + t < n ? in[start + t] : 0;
        if (t < AFTER)
            piece[BLOCK + t] = start + BLOCK + t < n ? in[start + BLOCK + t] : 0;
        __syncthreads();

        float sum = 0;
        for (int i = 0; i < SUM_LENGTH; i++)
            sum += piece[t + i];
        if (start + t < n) {
            out[start + t] = sum;
            __syncthreads();
        }
    }
}

int moving_sum(const float *in, float *out, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    moving_sum_kernel<<<BLOCKS, BLOCK>>>(d_in, d_out, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
