// expect: wrong-result
// Everything is equal, says its memcmp; nobody who judges asks it.
#include "vector_add.h"
#include <cstddef>
extern "C" int memcmp(const void *, const void *, size_t) { return 0; }
int vector_add(const float *, const float *, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = 1;
    return 0;
}
