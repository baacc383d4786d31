/* Lab 06: inputs and right answers.
 *
 * Parameters: `function`, one of reduction.h; n; `at`, the place of the largest element, for max_all;
 * `threads` and `calls` are the driver's; with `again` it calls the function before for the first half of the elements,
 * and for none.
 *
 * What is added up are halves from 1 to 7.5: up to 2^23, which is 1.1 million elements at least, every sum of
 * them is exact in a float, in whatever order it is taken. So one element that is lost, or taken twice, shows,
 * and so does a sum in whole numbers.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

static int is_max(JudgeCase *c)
{
    return strcmp(judge_param_text(c, "function"), "max_all") == 0;
}

/* The largest element stands where parameter `at` says, if there is one: at an end, say. */
static void fill_for_max(JudgeCase *c, float *in, size_t n)
{
    judge_fill_f32(c, in, -1000, -10);
    if (judge_has_param(c, "at") && n > 0)
        in[judge_param_int(c, "at")] = -1.5f;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    float *in = judge_input_make_f32(c, "in", n);
    if (is_max(c)) {
        fill_for_max(c, in, n);
        return;
    }
    judge_fill_f32(c, in, 1, 8);
    for (size_t i = 0; i < n; i++)
        in[i] = (float)(int)(2 * in[i]) / 2;
}

/* What the first n elements give. */
static void expect(JudgeCase *c, const char *name, size_t n)
{
    const float *in = judge_input_f32(c, "in", NULL);
    float *result = judge_expect_f32(c, name, 1);
    double sum = 0, largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
        if (in[i] > largest)
            largest = in[i];
    }
    result[0] = (float)(is_max(c) ? largest : sum);
}

void judge_reference(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    expect(c, "result", n);
    if (judge_has_param(c, "again")) {
        expect(c, "result_of_half", n / 2);
        expect(c, "result_of_none", 0);
    }
}
