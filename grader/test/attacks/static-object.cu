// expect: missing-output
// A static object's constructor prints a pass and leaves.
#include "vector_add.h"
#include <cstdio>
#include <unistd.h>
struct First {
    First()
    {
        puts("PASS 100/100");
        fflush(stdout);
        _exit(0);
    }
} first;
int vector_add(const float *, const float *, float *, int) { return 0; }
