// expect: invalid-free
// Calls of the runtime with sizes and pointers that nothing can have.
#include "vector_add.h"
#include <cstdint>
int vector_add(const float *a, const float *b, float *c, int n)
{
    void *p = NULL;
    cudaMalloc(&p, SIZE_MAX);
    cudaMalloc(&p, SIZE_MAX / 2);
    cudaMemcpy((void *)16, (void *)16, SIZE_MAX, cudaMemcpyDefault);
    cudaMemset((void *)-1, 1, SIZE_MAX);
    cudaFree((void *)a);
    cudaHostAlloc(&p, SIZE_MAX, 0);
    cudaMemcpy2D(c, SIZE_MAX, a, SIZE_MAX, SIZE_MAX, SIZE_MAX, cudaMemcpyDefault);
    cudaFuncSetAttribute((void *)&p, cudaFuncAttributeMaxDynamicSharedMemorySize, INT32_MIN);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
