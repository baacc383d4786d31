// on-gpu: slow 1
// Right, and four times as slow as it could be: what the clock of a card is tried with.
#include "lab.h"
#include "reduction.h"
extern "C" int sum_strided_honest(const float *in, float *sum, int n);
extern "C" int sum_strided(const float *in, float *sum, int n)
{
    int status = 0;
    for (int i = 0; i < 4 && status == 0; i++)
        status = sum_strided_honest(in, sum, n);
    return status;
}
#define sum_strided sum_strided_honest
