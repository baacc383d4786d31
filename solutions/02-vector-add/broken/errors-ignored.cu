// expect: out-of-bounds
// case: allocation-fails
// says: was the pointer allocated before the launch, and the error of the allocation checked?
// Looks at no error, and always says that all went well.
#include "lab.h"
#include "vector_add.h"

// Each thread adds one element.
__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    size_t bytes = n * sizeof(float);
    float *d_a = NULL;
    float *d_b = NULL;
    float *d_c = NULL;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);

    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    if (n > 0)
        add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);

    cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return cudaSuccess;
}
