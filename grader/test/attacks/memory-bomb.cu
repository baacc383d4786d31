// expect: memory-limit
#include "vector_add.h"
#include <cstdlib>
#include <cstring>
int vector_add(const float *, const float *, float *, int)
{
    for (;;)
        if (void *p = malloc(64 << 20))
            memset(p, 1, 64 << 20);
}
