// expect: pass
// Cleans up behind a label, as C programs do.
#include "lab.h"
#include "vector_add.h"

__global__ void add_kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    c[i] = a[i] + b[i];
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    float *device[3] = {NULL, NULL, NULL};
    size_t bytes = sizeof(float) * (size_t)n;
    cudaError_t err = cudaSuccess;
    if (n == 0)
        return err;
    for (int k = 0; k < 3; k++)
        if ((err = cudaMalloc(&device[k], bytes)) != cudaSuccess)
            goto done;
    if ((err = cudaMemcpy(device[0], a, bytes, cudaMemcpyDefault)) != cudaSuccess)
        goto done;
    if ((err = cudaMemcpy(device[1], b, bytes, cudaMemcpyDefault)) != cudaSuccess)
        goto done;
    add_kernel<<<(n + 1023) / 1024, 1024>>>(device[0], device[1], device[2], n);
    if ((err = cudaGetLastError()) != cudaSuccess)
        goto done;
    if ((err = cudaDeviceSynchronize()) != cudaSuccess)
        goto done;
    err = cudaMemcpy(c, device[2], bytes, cudaMemcpyDefault);
done:
    for (int k = 0; k < 3; k++)
        cudaFree(device[k]);
    return err;
}
