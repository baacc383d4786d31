// expect: out-of-bounds
// case: smooth
// says: memory that was freed

// Each round frees what it allocated, while it is still needed.
#include "debugging_clinic.h"
#include "lab.h"

__global__ void smooth_kernel(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float before = in[i > 0 ? i - 1 : 0];
    float after = in[i < n - 1 ? i + 1 : n - 1];
    out[i] = 0.25f * before + 0.5f * in[i] + 0.25f * after;
}

int smooth(const float *in, float *out, int n, int times)
{
    size_t bytes = n * sizeof(float);
    float *d_now, *d_next;
    CUDA_CHECK(cudaMalloc(&d_now, bytes));
    CUDA_CHECK(cudaMalloc(&d_next, bytes)); // one for all rounds: they swap
    CUDA_CHECK(cudaMemcpy(d_now, in, bytes, cudaMemcpyHostToDevice));

    for (int i = 0; i < times; i++) {
        smooth_kernel<<<(n + 255) / 256, 256>>>(d_now, d_next, n);
        CUDA_CHECK_LAUNCH();
        float *swap = d_now;
        d_now = d_next;
        d_next = swap;
        CUDA_CHECK(cudaFree(d_next));
        CUDA_CHECK(cudaMalloc(&d_next, bytes));
        CUDA_CHECK(cudaFree(d_now));
    }

    CUDA_CHECK(cudaMemcpy(out, d_now, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_now));
    CUDA_CHECK(cudaFree(d_next));
    return cudaSuccess;
}
