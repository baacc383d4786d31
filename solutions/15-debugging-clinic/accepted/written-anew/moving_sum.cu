// expect: pass
// case: moving-sum

// A cooperative group for the block, and two pieces in turn, so that one barrier a round is enough.
#include <cooperative_groups.h>

#include "debugging_clinic.h"
#include "lab.h"

#define BLOCK  128
#define BLOCKS 4
#define AFTER  (SUM_LENGTH - 1) // numbers behind the piece that its last sums need

__global__ void moving_sum_kernel(const float *in, float *out, int n)
{
    __shared__ float pieces[2][BLOCK + AFTER];
    auto block = cooperative_groups::this_thread_block();
    int t = threadIdx.x, turn = 0;
    for (int start = blockIdx.x * BLOCK; start < n; start += gridDim.x * BLOCK) {
        float *piece = pieces[turn];
        turn = 1 - turn;
        piece[t] = start + t < n ? in[start + t] : 0;
        if (t < AFTER)
            piece[BLOCK + t] = start + BLOCK + t < n ? in[start + BLOCK + t] : 0;
        block.sync();

        float sum = 0;
        for (int i = 0; i < SUM_LENGTH; i++)
            sum += piece[t + i];
        if (start + t < n)
            out[start + t] = sum;
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
