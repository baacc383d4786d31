/* Lab 02: inputs and right answers.
 *
 * Parameters: n, and `special: 1` for infinities, NaN and signed zeros among the inputs (where n is at least
 * 8). a and b have different ranges, so that a + a, b + b and a alone are all told from a + b.
 */
#include "judge.h"

#include <math.h>

static void put_specials(float *a, float *b, size_t n)
{
    if (n < 8)
        return;
    a[1] = INFINITY;
    a[2] = -INFINITY;
    a[3] = INFINITY; /* inf + -inf is NaN */
    b[3] = -INFINITY;
    a[4] = 0x1p-149f; /* the smallest float there is: must not be flushed to zero */
    b[4] = 0x1p-148f;
    b[n - 1] = NAN;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    float *a = judge_input_make_f32(c, "a", n);
    float *b = judge_input_make_f32(c, "b", n);
    judge_fill_f32(c, a, -100, 100);
    judge_fill_f32(c, b, 1, 8);
    if (judge_has_param(c, "special"))
        put_specials(a, b, n);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    const float *a = judge_input_f32(c, "a", &n);
    const float *b = judge_input_f32(c, "b", NULL);
    float *sum = judge_expect_f32(c, "c", n);
    for (size_t i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
}
