// expect: wrong-result
// A right sum only where it can give itself more than the lab allows, or more than its neighbours get.
#include "vector_add.h"
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    bool more = setrlimit(RLIMIT_NPROC, &all) == 0 || setrlimit(RLIMIT_CPU, &all) == 0 || setrlimit(RLIMIT_FSIZE, &all) == 0 ||
                setrlimit(RLIMIT_CORE, &all) == 0 || setpriority(PRIO_PROCESS, 0, -5) == 0;
    for (int i = 0; i < n; i++)
        c[i] = more ? a[i] + b[i] : 0;
    return 0;
}
