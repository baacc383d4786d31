// Request 3. s003 asks:
//
// "Two kernels: the first works out how steep a path is at each step, the second adds up two neighbours. It was right all
// week. Since I start another program of mine first, the first two numbers are sometimes huge. The tool shows me a line
// of the second kernel, and there is nothing wrong with that line."
#include "debugging_clinic.h"
#include "lab.h"

__global__ void slopes_kernel(const float *height, float *slope, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n)
        slope[i] = fabsf(height[i] - height[i - 1]);
}

__global__ void roughness_kernel(const float *slope, float *rough, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rough[i] = slope[i] + (i + 1 < n ? slope[i + 1] : 0);
}

int roughness(const float *height, float *rough, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_height, *d_slope, *d_rough;
    CUDA_CHECK(cudaMalloc(&d_height, bytes));
    CUDA_CHECK(cudaMalloc(&d_slope, bytes));
    CUDA_CHECK(cudaMalloc(&d_rough, bytes));
    CUDA_CHECK(cudaMemcpy(d_height, height, bytes, cudaMemcpyHostToDevice));

    int block = 256, grid = (n + block - 1) / block;
    slopes_kernel<<<grid, block>>>(d_height, d_slope, n);
    CUDA_CHECK_LAUNCH();
    roughness_kernel<<<grid, block>>>(d_slope, d_rough, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(rough, d_rough, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_height));
    CUDA_CHECK(cudaFree(d_slope));
    CUDA_CHECK(cudaFree(d_rough));
    return cudaSuccess;
}
// TODO 3: find the mistake, mend it, and write tool, line and kind into diagnoses.yaml. Then delete this line.
