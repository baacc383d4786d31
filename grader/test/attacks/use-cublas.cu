// expect: forbidden-call
// Declares a library's function itself, so that no header tells.
#include "vector_add.h"
extern "C" int cublasSaxpy_v2(void *, int, const float *, const float *, int, float *, int);
int vector_add(const float *a, const float *b, float *c, int n)
{
    float one = 1;
    return a == b ? cublasSaxpy_v2(NULL, n, &one, a, 1, c, 1) : 1;
}
