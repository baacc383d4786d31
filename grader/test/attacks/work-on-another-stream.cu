// expect: wrong-result
// Takes the result while the work still stands on a stream that nobody has waited for.
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3], *pinned;
    cudaStream_t stream;
    size_t bytes = n * sizeof(float);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocHost(&pinned, bytes);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256, 0, stream>>>(d[0], d[1], d[2], n);
    cudaMemcpyAsync(pinned, d[2], bytes, cudaMemcpyDeviceToHost, stream);
    for (int i = 0; i < n; i++)
        c[i] = pinned[i];
    return 0;
}
