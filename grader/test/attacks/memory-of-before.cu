// expect: wrong-result
// Hopes that fresh memory, on the host and on the device, still holds an earlier sum.
#include "vector_add.h"
int vector_add(const float *, const float *, float *c, int n)
{
    float *d[64];
    for (int i = 0; i < 64; i++)
        cudaMalloc(&d[i], n * sizeof(float));
    cudaMemcpy(c, d[2], n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        cudaFree(d[i]);
    return 0;
}
