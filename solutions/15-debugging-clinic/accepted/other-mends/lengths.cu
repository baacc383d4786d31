// expect: pass
// case: lengths

// The points are copied to a place of their own on the device, and float4 stays.
#include "debugging_clinic.h"
#include "lab.h"

// file: the version and n points, as they stand in the file
__global__ void lengths_kernel(const float *file, float *lengths, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = ((const float4 *)file)[i];
    lengths[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
}

int lengths(const float *file, float *lengths, int n)
{
    size_t bytes = 4 * (size_t)n * sizeof(float);
    float *d_file, *d_lengths;
    CUDA_CHECK(cudaMalloc(&d_file, bytes));
    CUDA_CHECK(cudaMalloc(&d_lengths, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_file, file + 1, bytes, cudaMemcpyHostToDevice));

    lengths_kernel<<<(n + 127) / 128, 128>>>(d_file, d_lengths, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(lengths, d_lengths, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_file));
    CUDA_CHECK(cudaFree(d_lengths));
    return cudaSuccess;
}
