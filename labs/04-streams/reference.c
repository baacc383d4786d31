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

/* Whether the devices' record has more streams, or events, made than destroyed. */
static int stays(const JudgeCall *calls, size_t n, const char *create, const char *destroy)
{
    int left = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(calls[i].error, "OK") == 0)
            left += (strcmp(calls[i].op, create) == 0) - (strcmp(calls[i].op, destroy) == 0);
    return left > 0;
}

static void judge_record(JudgeCase *c)
{
    size_t n = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    if (!calls)
        return;
    if (stays(calls, n, "STREAM_CREATE", "STREAM_DESTROY"))
        judge_refuse(c, "A stream was made and never destroyed (cudaStreamDestroy).");
    if (stays(calls, n, "EVENT_CREATE", "EVENT_DESTROY"))
        judge_refuse(c, "An event was made and never destroyed (cudaEventDestroy).");
}

void judge_reference(JudgeCase *c)
{
    judge_record(c);
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
