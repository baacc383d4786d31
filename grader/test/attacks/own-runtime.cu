// expect: no-gpu-work
// A CUDA runtime of its own in the program: every call succeeds, and the sum is the CPU's.
#include "vector_add.h"
#include <cstdlib>
#include <cstring>
static const float *x, *y;
extern "C" cudaError_t own_malloc(void **, size_t) __asm__("cudaMalloc");
extern "C" cudaError_t own_free(void *) __asm__("cudaFree");
extern "C" cudaError_t own_memcpy(void *, const void *, size_t, enum cudaMemcpyKind) __asm__("cudaMemcpy");
extern "C" cudaError_t own_launch(const void *, dim3, dim3, void **, size_t, cudaStream_t) __asm__("cudaLaunchKernel");
extern "C" cudaError_t own_start(const void *, dim3, dim3, void **, size_t, cudaStream_t) __asm__("__cudaLaunchKernel");
cudaError_t own_malloc(void **p, size_t bytes)
{
    return (*p = malloc(bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t own_free(void *p)
{
    free(p);
    return cudaSuccess;
}
cudaError_t own_memcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t own_launch(const void *, dim3, dim3, void **arguments, size_t, cudaStream_t)
{
    float *sum = *(float **)arguments[2];
    for (int i = 0; i < *(int *)arguments[3]; i++)
        sum[i] = x[i] + y[i];
    return cudaSuccess;
}
cudaError_t own_start(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t bytes, cudaStream_t stream)
{
    return own_launch(kernel, grid, block, arguments, bytes, stream);
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    x = a;
    y = b;
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
    return cudaGetLastError();
}
