// expect: crash
// Leaves by _exit in atexit, before anything of the harness ends.
#include "vector_add.h"
#include <cstdlib>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    atexit([] { _exit(77); });
    exit(0);
}
