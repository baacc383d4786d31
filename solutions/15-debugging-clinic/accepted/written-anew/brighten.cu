// expect: pass
// case: brighten

// One dimension is enough.
#include "debugging_clinic.h"
#include "lab.h"

__global__ void brighten_kernel(const float *in, float *out, size_t n, float by)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + by;
}

int brighten(const float *in, float *out, int width, int height, float by)
{
    size_t n = (size_t)width * height, bytes = n * sizeof(float);
    float *d;
    CUDA_CHECK(cudaMalloc(&d, bytes));
    CUDA_CHECK(cudaMemcpy(d, in, bytes, cudaMemcpyHostToDevice));
    brighten_kernel<<<20, 192>>>(d, d, n, by);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out, d, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d));
    return cudaSuccess;
}
