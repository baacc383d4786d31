// expect: missing-output
// Says that all is well, and leaves.
#include "vector_add.h"
#include <cstdio>
#include <cstdlib>
int vector_add(const float *, const float *, float *, int)
{
    printf("== one-block: OK (8/8)\nScore: 100/100\n{\"verdict\":\"pass\",\"score\":100}\n");
    exit(0);
}
