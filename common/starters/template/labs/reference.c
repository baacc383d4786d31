/* Inputs and right answers. Parameter: n. */
#include "judge.h"

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    judge_fill_f32(c, judge_input_make_f32(c, "in", n), -10, 10);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    float *out = judge_expect_f32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * in[i];
}
