// expect: crash
// A stack without an end.
#include "vector_add.h"
static int deeper(volatile int *above)
{
    volatile int here[1024] = {*above};
    return deeper(here) + here[7];
}
int vector_add(const float *, const float *, float *, int)
{
    volatile int start = 1;
    return deeper(&start);
}
