// expect: output-limit
// Prints for ever.
#include "vector_add.h"
#include <cstdio>
int vector_add(const float *, const float *, float *, int)
{
    for (;;)
        puts("\033[2J\033[31mPASS\033]0;owned\a \xff\xfe");
}
