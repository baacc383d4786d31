// expect: race
// A race, and a right answer by luck; then it closes all that it has open, so that nobody hears of it.
#include "vector_add.h"
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] + (i == 1);
    if (i == 0 && n > 1)
        c[1] = a[1] + b[1];
    __syncthreads();
    if (i == 1 && n > 1)
        c[1] = a[1] + b[1];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    return 0;
}
