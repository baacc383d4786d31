// expect: crash
// Asks for a core file as large as it can be, and dies.
#include "vector_add.h"
#include <cstdlib>
#include <sys/resource.h>
int vector_add(const float *, const float *, float *, int)
{
    struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &r);
    abort();
}
