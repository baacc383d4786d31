// expect: pass
// case: roughness

// One kernel, without the slopes between.
#include "debugging_clinic.h"
#include "lab.h"

__device__ float slope(const float *height, int i)
{
    return i == 0 ? 0 : fabsf(height[i] - height[i - 1]);
}

__global__ void roughness_kernel(const float *height, float *rough, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rough[i] = slope(height, i) + (i + 1 < n ? slope(height, i + 1) : 0);
}

int roughness(const float *height, float *rough, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_height, *d_rough;
    CUDA_CHECK(cudaMalloc(&d_height, bytes));
    CUDA_CHECK(cudaMalloc(&d_rough, bytes));
    CUDA_CHECK(cudaMemcpy(d_height, height, bytes, cudaMemcpyHostToDevice));
    roughness_kernel<<<(n + 99) / 100, 100>>>(d_height, d_rough, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(rough, d_rough, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_height));
    CUDA_CHECK(cudaFree(d_rough));
    return cudaSuccess;
}
