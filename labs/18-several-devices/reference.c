/* Lab 18: inputs and right answers.
 *
 * Parameters: `function`, one of several_devices.h, its numbers under their names there, and `devices` for
 * n_devices; with `fails` only the device is asked for that is current afterwards. Readings lie between 0 and 1, temperatures between 0 and 100; samples between -1 and 1, and what
 * y is made of is no linear function of them, so that errors stay.
 */
#include "judge.h"

#include "model.h"
#include "several_devices.h"

#include <stdlib.h>
#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (is_function(c, "train")) {
        judge_fill_f32(c, judge_input_make_f32(c, "x", n * FEATURES), -1, 1);
        judge_fill_f32(c, judge_input_make_f32(c, "y", n), -2, 2);
        judge_fill_f32(c, judge_input_make_f32(c, "first", FEATURES), -0.5, 0.5);
    } else if (!is_function(c, "share_of")) {
        judge_fill_f32(c, judge_input_make_f32(c, "in", n), 0, is_function(c, "heat") ? 100 : 1);
    }
}

static void refer_shares(JudgeCase *c)
{
    int n = (int)judge_param_int(c, "n"), n_devices = (int)judge_param_int(c, "devices"), next = 0;
    int32_t *first = judge_expect_i32(c, "first", (size_t)n_devices);
    int32_t *count = judge_expect_i32(c, "count", (size_t)n_devices);
    for (int d = 0; d < n_devices; d++) {
        first[d] = next;
        count[d] = n / n_devices + (d < n % n_devices ? 1 : 0);
        next += count[d];
    }
}

static void refer_heat(JudgeCase *c, const float *in, size_t n)
{
    size_t shape = n;
    double *now = judge_expect_precise(c, "out", LAB_F32, 1, &shape);
    double *before = malloc(n * sizeof *before);
    if (before == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        now[i] = in[i];
    for (int64_t step = judge_param_int(c, "steps"); step > 0; step--) {
        memcpy(before, now, n * sizeof *before);
        for (size_t i = 1; i + 1 < n; i++)
            now[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
    }
    free(before);
}

/* One step of train. */
static void refer_step(const float *x, const float *y, size_t n, double rate, double *w)
{
    double g[FEATURES] = {0};
    for (size_t i = 0; i < n; i++) {
        double error = -(double)y[i];
        for (int j = 0; j < FEATURES; j++)
            error += x[i * FEATURES + j] * w[j];
        for (int j = 0; j < FEATURES; j++)
            g[j] += error * x[i * FEATURES + j];
    }
    for (int j = 0; j < FEATURES; j++)
        w[j] -= rate * g[j] / (double)n;
}

static void refer_train(JudgeCase *c)
{
    size_t n = 0, n_w = 0;
    const float *y = judge_input_f32(c, "y", &n), *first = judge_input_f32(c, "first", &n_w);
    const float *x = judge_input_f32(c, "x", NULL);
    double *w = judge_expect_precise(c, "w", LAB_F32, 1, &n_w);
    for (int j = 0; j < FEATURES; j++)
        w[j] = first[j];
    int64_t calls = judge_has_param(c, "calls") ? judge_param_int(c, "calls") : 1;
    for (int64_t step = calls * judge_param_int(c, "steps"); step > 0; step--)
        refer_step(x, y, n, judge_param_float(c, "rate"), w);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    if (is_function(c, "share_of")) {
        refer_shares(c);
        return;
    }
    judge_expect_destroyed(c);
    judge_expect_value(c, "current_device", (double)((judge_param_int(c, "devices") - 1) / 2));
    if (judge_has_param(c, "fails"))
        return;
    if (is_function(c, "train")) {
        refer_train(c);
        return;
    }
    const float *in = judge_input_f32(c, "in", &n);
    if (is_function(c, "heat")) {
        refer_heat(c, in, n);
        return;
    }
    float *out = judge_expect_f32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = transformed(in[i]);
}
