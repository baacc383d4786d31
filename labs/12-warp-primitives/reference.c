/* Lab 12: inputs and right answers.
 *
 * Parameters: `function`, one of warp_primitives.h; n; width, for below_largest; `sign`: -1 for elements that
 * are all negative, 1 for all positive, 0 or nothing for both; `ones`: each third element is 1. `calls` is the driver's.
 */
#include "judge.h"

#include <string.h>

enum { RUN = 32 };

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    int64_t sign = judge_has_param(c, "sign") ? judge_param_int(c, "sign") : 0;
    int32_t largest = judge_has_param(c, "largest") ? (int32_t)judge_param_int(c, "largest") : 1000;
    int32_t low = sign > 0 ? 1 : -largest, high = sign < 0 ? -1 : largest;
    int32_t *in = judge_input_make_i32(c, "in", n);
    judge_fill_i32(c, in, low, high);
    for (size_t i = 0; judge_has_param(c, "ones") && i < n; i += 3)
        in[i] = 1;
}

static void sums(JudgeCase *c, const int32_t *in, size_t n)
{
    int32_t *out = judge_expect_i32(c, "out", (n + RUN - 1) / RUN);
    for (size_t i = 0; i < n; i++)
        out[i / RUN] += in[i];
}

static void scans(JudgeCase *c, const int32_t *in, size_t n)
{
    int32_t *out = judge_expect_i32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] + (i % RUN ? out[i - 1] : 0);
}

static void below_largest(JudgeCase *c, const int32_t *in, size_t n)
{
    size_t width = (size_t)judge_param_int(c, "width");
    int32_t *out = judge_expect_i32(c, "out", n);
    for (size_t i = 0; i < n; i++) {
        size_t first = i / width * width;
        int32_t most = in[first];
        for (size_t k = first; k < first + width && k < n; k++)
            most = in[k] > most ? in[k] : most;
        out[i] = most - in[i];
    }
}

static void positive(JudgeCase *c, const int32_t *in, size_t n)
{
    int32_t *out = judge_expect_i32(c, "out", n);
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % RUN == 0)
            to = i;
        if (in[i] > 0)
            out[to++] = in[i];
    }
}

static void count(JudgeCase *c, const int32_t *in, size_t n)
{
    int32_t *out = judge_expect_i32(c, "out", 1);
    for (size_t i = 0; i < n; i++)
        out[0] += in[i] > 0;
}

void judge_reference(JudgeCase *c)
{
    static const struct {
        const char *name;
        void (*expect)(JudgeCase *, const int32_t *, size_t);
    } functions[] = {{"run_sums", sums},
                     {"run_scans", scans},
                     {"below_largest", below_largest},
                     {"positive_first", positive},
                     {"count_positive", count}};
    size_t n = 0;
    const int32_t *in = judge_input_i32(c, "in", &n);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        if (strcmp(functions[k].name, judge_param_text(c, "function")) == 0)
            functions[k].expect(c, in, n);
}
