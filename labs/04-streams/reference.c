/* Lab 04: inputs and right answers.
 *
 * Parameters: `function`, one of streams.h, and its numbers under their names there (`streams` for
 * n_streams). `again` and `stale` are the driver's. Readings lie between 0 and 1, dark values between 0 and 0.2.
 */
#include "judge.h"

#include "calibration.h"

#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    judge_fill_f32(c, judge_input_make_f32(c, "in", n), 0, 1);
    if (is_function(c, "calibrate_dark")) {
        size_t chunk = (size_t)judge_param_int(c, "chunk");
        judge_fill_f32(c, judge_input_make_f32(c, "dark", chunk), 0, 0.2);
    }
}

static void refer_dark(JudgeCase *c, const float *in, float *out, size_t n)
{
    size_t chunk = 0;
    const float *dark = judge_input_f32(c, "dark", &chunk);
    for (size_t i = 0; i < n; i++)
        out[i] = calibrated(in[i] - dark[i % chunk]);
}

void judge_reference(JudgeCase *c)
{
    judge_expect_destroyed(c);
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    float *out = judge_expect_f32(c, "out", n);
    if (is_function(c, "calibrate_dark")) {
        refer_dark(c, in, out, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = calibrated(in[i]);
    if (!is_function(c, "calibrate_count"))
        return;
    int n_over = 0;
    float limit = (float)judge_param_float(c, "limit");
    for (size_t i = 0; i < n; i++)
        n_over += out[i] > limit;
    judge_expect_value(c, "n_over", n_over);
}
