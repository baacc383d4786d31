// expect: no-gpu-work
// Clocks of its own that stand still; who judges has another.
#include "vector_add.h"
#include <sys/time.h>
#include <ctime>
extern "C" int clock_gettime(clockid_t, struct timespec *t) noexcept
{
    *t = {};
    return 0;
}
extern "C" time_t time(time_t *) noexcept
{
    return 0;
}
extern "C" clock_t clock() noexcept
{
    return 0;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
