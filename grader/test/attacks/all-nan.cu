// expect: wrong-result
// NaN compares with nothing; a comparison written the wrong way round takes it for right.
#include "vector_add.h"
#include <cmath>
int vector_add(const float *, const float *, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = NAN;
    return 0;
}
