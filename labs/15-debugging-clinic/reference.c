/* Lab 15: inputs and right answers of the eight programs.
 *
 * Parameters: `request`, one of debugging_clinic.h, and the sizes that it takes: width and height, or n;
 * `length` of the curve; `times`, `by`; `calls` is the driver's.
 */
#include "judge.h"

#include "debugging_clinic.h"

#include <math.h>
#include <string.h>

static int is(JudgeCase *c, const char *request)
{
    return strcmp(judge_param_text(c, "request"), request) == 0;
}

static int is_picture(JudgeCase *c)
{
    return judge_has_param(c, "width");
}

static size_t size_of_list(JudgeCase *c)
{
    if (is(c, "stretch"))
        return (size_t)judge_param_int(c, "length");
    size_t n = (size_t)judge_param_int(c, "n");
    return is(c, "lengths") ? 1 + 4 * n : n;
}

void judge_inputs(JudgeCase *c)
{
    size_t shape[2] = {0};
    if (is_picture(c)) {
        shape[0] = (size_t)judge_param_int(c, "height");
        shape[1] = (size_t)judge_param_int(c, "width");
    } else {
        shape[0] = size_of_list(c);
    }
    LabArray *in = judge_input_make(c, "in", LAB_F32, is_picture(c) ? 2 : 1, shape);
    double middle = judge_has_param(c, "middle") ? judge_param_float(c, "middle") : 0;
    judge_fill(c, in, middle - 100, middle + 100);
}

/* ---- One function for each request ---- */

static void make_picture(JudgeCase *c, double factor, double plus)
{
    const LabArray *in = judge_input(c, "in");
    const float *from = in->data;
    double *out = judge_expect_precise(c, "out", LAB_F32, 2, in->shape);
    for (size_t i = 0; i < in->elements; i++)
        out[i] = factor * from[i] + plus;
}

static void make_moving_sum(const float *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n && k < i + SUM_LENGTH; k++)
            out[i] += in[k];
}

static double slope(const float *height, size_t i)
{
    return i == 0 ? 0 : fabs((double)height[i] - height[i - 1]);
}

static void make_roughness(const float *height, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = slope(height, i) + (i + 1 < n ? slope(height, i + 1) : 0);
}

static void make_row_maxima(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    const float *from = in->data;
    float *out = judge_expect_f32(c, "out", in->shape[0]);
    for (size_t y = 0; y < in->shape[0]; y++) {
        out[y] = -INFINITY;
        for (size_t x = 0; x < in->shape[1]; x++)
            if (from[y * in->shape[1] + x] > out[y])
                out[y] = from[y * in->shape[1] + x];
    }
}

static void make_lengths(const float *file, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 1 + 4 * i; k < 5 + 4 * i; k++)
            sum += (double)file[k] * file[k];
        out[i] = sqrt(sum);
    }
}

static void smooth_once(double *now, size_t n)
{
    double before = now[0];
    for (size_t i = 0; i < n; i++) {
        double own = now[i], after = now[i < n - 1 ? i + 1 : n - 1];
        now[i] = 0.25 * before + 0.5 * own + 0.25 * after;
        before = own;
    }
}

static void make_smooth(JudgeCase *c, const float *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i];
    for (int64_t i = judge_param_int(c, "times"); i > 0; i--)
        smooth_once(out, n);
}

static void make_stretch(const float *curve, size_t length, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double place = (double)i * (double)(length - 1) / (double)(n - 1);
        size_t left = (size_t)place;
        if (left > length - 2)
            left = length - 2;
        out[i] = (1 - (place - (double)left)) * curve[left] + (place - (double)left) * curve[left + 1];
    }
}

static void make_list(JudgeCase *c)
{
    const float *in = judge_input_f32(c, "in", NULL);
    size_t n = (size_t)judge_param_int(c, "n");
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    if (is(c, "moving_sum"))
        make_moving_sum(in, out, n);
    else if (is(c, "roughness"))
        make_roughness(in, out, n);
    else if (is(c, "lengths"))
        make_lengths(in, out, n);
    else if (is(c, "smooth"))
        make_smooth(c, in, out, n);
    else
        make_stretch(in, size_of_list(c), out, n);
}

void judge_reference(JudgeCase *c)
{
    if (is(c, "brighten"))
        make_picture(c, 1, judge_param_float(c, "by"));
    else if (is(c, "negative"))
        make_picture(c, -1, 255);
    else if (is(c, "row_maxima"))
        make_row_maxima(c);
    else
        make_list(c);
}
