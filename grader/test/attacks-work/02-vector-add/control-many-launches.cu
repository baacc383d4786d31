// expect: pass
// control: a launch for each element, of two kernels in turn, and now and then a third: the order says nothing.
#include "vector_add.h"
__global__ void first(float *c, const float *a)
{
    *c = *a;
}
__global__ void second(float *c, const float *b)
{
    *c += *b;
}
__global__ void pause()
{
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    cudaMalloc(&d, 3 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) {
        first<<<1, 1>>>(d + 2 * n + i, d + i);
        second<<<1, 1>>>(d + 2 * n + i, d + n + i);
        if (i % 10 == 9)
            pause<<<1, 1>>>();
    }
    cudaMemcpy(c, d + 2 * n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
