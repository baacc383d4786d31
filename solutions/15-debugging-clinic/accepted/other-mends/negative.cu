// expect: pass
// case: negative

// A row of 256 threads.
#include "debugging_clinic.h"
#include "lab.h"

__global__ void negative_kernel(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = 255 - in[y * width + x];
}

int negative(const float *in, float *out, int width, int height)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    dim3 block(256, 1);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    negative_kernel<<<grid, block>>>(d_in, d_out, width, height);
    CUDA_CHECK_LAUNCH(); // a launch returns nothing: somebody must ask

    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
