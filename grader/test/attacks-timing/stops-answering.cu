// expect: crash
// It hangs up in the second round, so that nothing can be measured, and would have its results judged all the same.
#include "lab.h"
#include "reduction.h"
#include <unistd.h>
extern "C" int sum_strided_honest(const float *in, float *sum, int n);
extern "C" int sum_strided(const float *in, float *sum, int n)
{
    static int calls;
    if (++calls == 3)
        close(3);
    return sum_strided_honest(in, sum, n);
}
#define sum_strided sum_strided_honest
