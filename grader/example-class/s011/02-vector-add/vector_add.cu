#include "lab.h"
#include "vector_add.h"

// It is faster this way: no copies.
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
