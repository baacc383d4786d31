/* Lab 01: inputs and right answers.
 *
 * Parameters: `function`, one of indexing.h, and its sizes under their names there; `pitch` counts bytes. All
 * values are integers, so results are compared exactly. 32-bit sums wrap around in unsigned arithmetic, as on
 * the device.
 */
#include "judge.h"

#include <string.h>

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

/* The shape of a map's array, slowest length first; the number of dimensions. */
static int shape_of_map(JudgeCase *c, size_t shape[3])
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "map_1d") == 0) {
        shape[0] = size_param(c, "n");
        return 1;
    }
    int n = 0;
    if (strcmp(function, "map_3d") == 0)
        shape[n++] = size_param(c, "depth");
    shape[n++] = size_param(c, "height");
    shape[n++] = size_param(c, "width");
    return n;
}

void judge_inputs(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "add_stride") == 0) {
        size_t n = size_param(c, "n");
        judge_fill_i32(c, judge_input_make_i32(c, "sum", n), -1000, 1000);
        judge_fill_i32(c, judge_input_make_i32(c, "x", n), 1, 9999);
    } else if (strcmp(function, "add_strip") == 0) {
        size_t shape[2] = {size_param(c, "rows"), size_param(c, "width")};
        judge_fill(c, judge_input_make(c, "strip", LAB_I32, 2, shape), 0, 255);
    } else {
        size_t shape[3];
        int n_dims = shape_of_map(c, shape);
        judge_fill(c, judge_input_make(c, "in", LAB_I32, n_dims, shape), 0, 999);
    }
}

static void refer_map(JudgeCase *c)
{
    static const uint32_t weights[4][3] = {
        {0}, {1}, {1000, 1}, {10000, 100, 1}}; /* by dimensions, slowest first */
    size_t shape[3] = {1, 1, 1};
    int n_dims = shape_of_map(c, shape);
    const int32_t *in = judge_input(c, "in")->data;
    int32_t *out = judge_expect(c, "out", LAB_I32, n_dims, shape);
    size_t i = 0;
    for (size_t p = 0; p < shape[0]; p++)
        for (size_t q = 0; q < shape[1]; q++)
            for (size_t r = 0; r < shape[2]; r++, i++) {
                const uint32_t *w = weights[n_dims];
                uint32_t ramp = w[0] * (uint32_t)p + w[1] * (uint32_t)q + w[2] * (uint32_t)r;
                out[i] = (int32_t)((uint32_t)in[i] + ramp);
            }
}

static void refer_stride(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *sum = judge_input_i32(c, "sum", &n);
    const int32_t *x = judge_input_i32(c, "x", NULL);
    int32_t *after = judge_expect_i32(c, "sum_after", n);
    for (size_t i = 0; i < n; i++)
        after[i] = sum[i] + x[i];
}

static void refer_strip(JudgeCase *c)
{
    const LabArray *strip = judge_input(c, "strip");
    int32_t amount = (int32_t)judge_param_int(c, "amount");
    int32_t *after = judge_expect(c, "strip_after", LAB_I32, 2, strip->shape);
    for (size_t i = 0; i < strip->elements; i++)
        after[i] = ((const int32_t *)strip->data)[i] + amount;
    judge_expect_value(c, "bytes_changed_between_the_rows", 0);
}

void judge_reference(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "add_stride") == 0)
        refer_stride(c);
    else if (strcmp(function, "add_strip") == 0)
        refer_strip(c);
    else
        refer_map(c);
    if (judge_has_param(c, "n") && judge_param_int(c, "n") == 0)
        judge_expect_nothing(c);
}
