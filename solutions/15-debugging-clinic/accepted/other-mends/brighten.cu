// expect: pass
// case: brighten

// The threads without a pixel leave first.
#include "debugging_clinic.h"
#include "lab.h"

__global__ void brighten_kernel(const float *in, float *out, int width, int height, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = in[y * width + x] + by;
}

int brighten(const float *in, float *out, int width, int height, float by)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    dim3 block(16, 16);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    brighten_kernel<<<grid, block>>>(d_in, d_out, width, height, by);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
