// expect: output-limit
// A kernel that prints without end.
#include "vector_add.h"
#include <cstdio>
__global__ void talk(int n)
{
    for (int i = 0; i < n; i++)
        printf("thread %d says %d times that it passed\n", threadIdx.x, i);
}
int vector_add(const float *, const float *, float *, int)
{
    for (int i = 0; i < 100; i++) {
        talk<<<8, 256>>>(100);
        cudaDeviceSynchronize();
    }
    return 0;
}
