// expect: input-modified
// Makes the inputs such that nothing is a right sum.
#include "vector_add.h"
#include <cstring>
int vector_add(const float *a, const float *b, float *c, int n)
{
    memset((void *)a, 0, n * sizeof(float));
    memset((void *)b, 0, n * sizeof(float));
    memset(c, 0, n * sizeof(float));
    return 0;
}
