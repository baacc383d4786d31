// expect: race
// case: row-maxima
// says: shared memory

// The barrier that the tool complained about is gone.
#include "debugging_clinic.h"
#include "lab.h"

#define BLOCK 128

__global__ void row_maxima_kernel(const float *in, float *maxima, int width)
{
    __shared__ float largest[BLOCK];
    int t = threadIdx.x;
    const float *row = in + (size_t)blockIdx.x * width;

    float own = -INFINITY;
    for (int x = t; x < width; x += BLOCK)
        own = fmaxf(own, row[x]);
    largest[t] = own;
    __syncthreads();

    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            largest[t] = fmaxf(largest[t], largest[t + s]);
    }
    if (t == 0)
        maxima[blockIdx.x] = largest[0];
}

int row_maxima(const float *in, float *maxima, int width, int height)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *d_in, *d_maxima;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_maxima, height * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    row_maxima_kernel<<<height, BLOCK>>>(d_in, d_maxima, width);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(maxima, d_maxima, height * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_maxima));
    return cudaSuccess;
}
