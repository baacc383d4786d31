// whole
// case: allocation-fails
// case: later-call-fails
// points-at-most: 0
// Makes calls, ignores what they say, and returns an error of its own.
#include "vector_add.h"
int vector_add(const float *a, const float *, float *, int n)
{
    for (int i = 0; i < 5; i++) {
        float *d = NULL;
        if (cudaMalloc((void **)&d, n * sizeof *d) == cudaSuccess)
            cudaMemcpy(d, a, n * sizeof *d, cudaMemcpyHostToDevice);
        cudaFree(d);
    }
    return 1;
}
