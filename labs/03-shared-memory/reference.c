/* Lab 03: inputs and right answers.
 *
 * Parameters: `function`, one of shared_memory.h, and its sizes under their names there; with `again` the driver
 * calls it before for so many of the elements, with half the run or radius. All values are
 * integers of at most three digits, so that every sum is exact and fits in 32 bits: 999 times the weights of
 * radius 256, which add to 131,841, is 132 million. Those to be reversed are negative, too, and larger than a byte.
 */
#include "judge.h"

#include "shared_memory.h"

#include <string.h>

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static int is_reverse(JudgeCase *c)
{
    return strncmp(judge_param_text(c, "function"), "reverse", 7) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = size_param(c, "n");
    if (is_reverse(c))
        judge_fill_i32(c, judge_input_make_i32(c, "data", n), -999, 999);
    else
        judge_fill_i32(c, judge_input_make_i32(c, "in", n), 1, 999);
}

static void reverse(const int32_t *data, int32_t *after, size_t n, size_t run)
{
    for (size_t first = 0; first < n; first += run) {
        size_t count = n - first < run ? n - first : run;
        for (size_t k = 0; k < count; k++)
            after[first + k] = 255 - data[first + count - 1 - k];
    }
}

static void refer_reverse(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *data = judge_input_i32(c, "data", &n);
    int any_run = judge_has_param(c, "run");
    reverse(data, judge_expect_i32(c, "data_after", n), n, any_run ? size_param(c, "run") : REVERSE_RUN);
    if (judge_has_param(c, "again")) {
        size_t fewer = size_param(c, "again");
        reverse(data, judge_expect_i32(c, "of_fewer", fewer), fewer, any_run ? size_param(c, "run") / 2 : REVERSE_RUN);
    }
}

static void stencil(const int32_t *in, int32_t *out, size_t n, size_t radius)
{
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d <= 2 * radius; d++)
            if (i + d >= radius && i + d - radius < n)
                out[i] += (int32_t)(d + 1) * in[i + d - radius];
}

static void refer_stencil(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *in = judge_input_i32(c, "in", &n);
    int any_radius = judge_has_param(c, "radius");
    stencil(in, judge_expect_i32(c, "out", n), n, any_radius ? size_param(c, "radius") : STENCIL_RADIUS);
    if (judge_has_param(c, "again")) {
        size_t fewer = size_param(c, "again");
        stencil(in, judge_expect_i32(c, "of_fewer", fewer), fewer, any_radius ? size_param(c, "radius") / 2 : STENCIL_RADIUS);
    }
}

void judge_reference(JudgeCase *c)
{
    if (is_reverse(c))
        refer_reverse(c);
    else
        refer_stencil(c);
    if (judge_param_int(c, "n") == 0) /* with `again` right results keep their points */
        judge_expect_nothing(c);
}
