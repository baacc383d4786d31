// expect: no-gpu-work
// The sum is a texture.
#include "vector_add.h"
__global__ void copy(cudaTextureObject_t sum, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = tex1Dfetch<float>(sum, i) + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    cudaMalloc(&d, 3 * n * sizeof(float) + 1024);
    float *sum = (float *)(((size_t)(d + 2 * n) + 511) / 512 * 512);
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(sum, c, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = sum;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    int err = cudaCreateTextureObject(&texture, &resource, &how, NULL);
    copy<<<(n + 255) / 256, 256>>>(texture, d, d + n, n);
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaFree(d);
    return err ? err : cudaGetLastError();
}
