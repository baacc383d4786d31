/* Lab 19: inputs and right answers.
 *
 * Parameters: `function`, one of profiling_and_roofline.h, or `every`; n; `against`, `timed`, `again` and `ridge` are the driver's.
 * The functions on 16 bits keep the upper half of each float, so that results differ by the last of those bits.
 *
 * For dot the numbers are quarters and small, so that every sum is exact. For the others they lie between 0 and 1:
 * a polynomial of high degree stays small there.
 */
#include "judge.h"

#include "profiling_and_roofline.h"

#include <math.h>
#include <string.h>

static int is(JudgeCase *c, const char *prefix)
{
    return strncmp(judge_param_text(c, "function"), prefix, strlen(prefix)) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    const char *names[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        float *array = judge_input_make_f32(c, names[k], n);
        judge_fill_f32(c, array, is(c, "dot") ? 1 : 0, is(c, "dot") ? 5 : 0.9);
        for (size_t i = 0; i < n && is(c, "dot"); i++)
            array[i] = (float)(int)array[i] / 4;
    }
}

/* A number as the function keeps it: in the upper half of a float, or all of it. gcc 14.2 leaves out a mask that it knows. */
static double as_stored(int in_16, float x)
{
    const volatile uint32_t upper_half = 0xffff0000u;
    uint32_t bits;
    if (!in_16)
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits &= upper_half;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double polynomial_of(double x)
{
    double p = 1;
    for (int k = 1; k <= POLYNOMIAL_DEGREE; k++)
        p = p * x + 1.0 / k;
    return p;
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0, n_out;
    if (is(c, "every")) {
        judge_expect_launches(c);
        return;
    }
    const float *x = judge_input_f32(c, "x", &n), *y = judge_input_f32(c, "y", NULL),
                *z = judge_input_f32(c, "z", NULL);
    const int dot = is(c, "dot"), speeds = is(c, "speeds"), scale = is(c, "scale"),
              in_16 = strstr(judge_param_text(c, "function"), "_16") != NULL;
    n_out = dot ? 1 : n;
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n_out);
    for (size_t i = 0; i < n; i++) {
        double vx = as_stored(in_16, x[i]), vy = as_stored(in_16, y[i]), vz = z[i];
        if (dot)
            out[0] += vx * vy;
        else if (speeds)
            out[i] = sqrt(vx * vx + vy * vy + vz * vz);
        else
            out[i] = as_stored(in_16, (float)(scale ? 3 * vx + vy : polynomial_of(vx)));
    }
}
