/* Lab 07: inputs and right answers.
 *
 * Parameters: function, n, and `in_place: 1`; with `again` the driver calls it before for the first half. Elements are positive and negative, so that the sums rise and
 * fall, and small enough that every sum fits in an int: at most 40 * 2^21.
 */
#include "judge.h"

#include <string.h>

enum { RUN = 256 };

void judge_inputs(JudgeCase *c)
{
    int32_t *in = judge_input_make_i32(c, "in", (size_t)judge_param_int(c, "n"));
    judge_fill_i32(c, in, -20, 40);
}

static void expect_runs(const int32_t *in, int32_t *out, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = i % RUN == 0 ? in[i] : sum + in[i];
        out[i] = sum;
    }
}

static void expect_exclusive(const int32_t *in, int32_t *out, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

/* What the first n elements give. */
static void expect(JudgeCase *c, const char *name, size_t n)
{
    const int32_t *in = judge_input_i32(c, "in", NULL);
    int32_t *out = judge_expect_i32(c, name, n);
    if (strcmp(judge_param_text(c, "function"), "scan_runs") == 0)
        expect_runs(in, out, n);
    else
        expect_exclusive(in, out, n);
}

void judge_reference(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    expect(c, "out", n);
    if (judge_has_param(c, "again"))
        expect(c, "out_of_half", n / 2);
    if (!judge_has_param(c, "in_place"))
        judge_expect_value(c, "elements_of_in_that_were_changed", 0);
}
