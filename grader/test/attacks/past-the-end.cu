// expect: host-overrun
// Writes behind the output array on the host.
#include "vector_add.h"
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    c[n] = 0;
    return 0;
}
