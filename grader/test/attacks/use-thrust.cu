// expect: forbidden-call
// clang: build-error
// A library does the work that the lab wants written.
#include "vector_add.h"
#include <thrust/version.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i] + 0 * THRUST_VERSION;
    return 0;
}
