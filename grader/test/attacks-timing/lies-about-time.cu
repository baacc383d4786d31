// expect: as-right
// Every clock of the program goes at a tenth of its speed, and events do not go at all. Who asks has another one.
#include "lab.h"
#include "reduction.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
extern "C" int clock_gettime(clockid_t clock, struct timespec *t) noexcept
{
    static struct timespec first;
    long status = syscall(SYS_clock_gettime, clock, t);
    if (first.tv_sec == 0)
        first = *t;
    long long ns = ((t->tv_sec - first.tv_sec) * 1000000000LL + t->tv_nsec - first.tv_nsec) / 10 + first.tv_nsec;
    t->tv_sec = first.tv_sec + ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return (int)status;
}
extern "C" cudaError_t event_time(float *ms, cudaEvent_t, cudaEvent_t) __asm__("cudaEventElapsedTime");
cudaError_t event_time(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 0;
    return cudaSuccess;
}
