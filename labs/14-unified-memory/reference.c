/* Lab 14: inputs and right answers.
 *
 * Parameters: `function`, one of unified_memory.h (`table` for the three of the table), and its numbers under
 * their names there; `frames` for n_frames, `buckets` for n_buckets, `calls`: how often the queries are
 * counted. Each key is asked for once at least; a third of the other queries ask for keys that are not there.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

/* ---- inputs ---- */

/* Keys that differ: each in a range of its own. Queries hit keys in an order without a pattern, some of them
 * never, some often. */
static void make_table(JudgeCase *c)
{
    size_t n_keys = size_param(c, "keys"), n = size_param(c, "n");
    int32_t *keys = judge_input_make_i32(c, "keys", n_keys);
    int32_t *queries = judge_input_make_i32(c, "queries", n);
    judge_fill_i32(c, keys, 0, 998);
    judge_fill_i32(c, queries, 0, 1 << 29);
    for (size_t i = 0; i < n_keys; i++)
        keys[i] += (int32_t)(1000 * i);
    for (size_t i = 0; i < n_keys && i < n; i++)
        queries[i] = keys[(7919 * i + 13) % n_keys]; /* all of them: 7919 is a prime */
    for (size_t i = n_keys; i < n && n_keys > 0; i++) {
        size_t at = (size_t)queries[i] % n_keys;
        at = at * at / n_keys; /* low ones more often */
        queries[i] = queries[i] % 3 == 0 ? (int32_t)(1000 * at) + 999 : keys[at];
    }
}

void judge_inputs(JudgeCase *c)
{
    if (is_function(c, "table")) {
        make_table(c);
        return;
    }
    size_t n = size_param(c, "n");
    if (is_function(c, "correct")) {
        judge_fill_f32(c, judge_input_make_f32(c, "table", size_param(c, "n_table")), 0.5, 1.5);
        judge_fill_i32(c, judge_input_make_i32(c, "reading", n), 0, 1 << 20);
        return;
    }
    size_t frames = is_function(c, "smooth_frames") ? size_param(c, "frames") : 1;
    judge_fill_f32(c, judge_input_make_f32(c, "in", n * frames), -1, 3);
}

/* ---- answers ---- */

static void refer_relax(const float *in, double *out, size_t n, size_t rounds)
{
    double *now = malloc((n + 1) * sizeof *now);
    for (size_t i = 0; i < n && now != NULL; i++)
        out[i] = in[i];
    for (size_t r = 0; r < rounds && now != NULL && n > 0; r++) {
        memcpy(now, out, n * sizeof *now);
        for (size_t i = 0; i < n; i++) {
            double left = now[i == 0 ? 0 : i - 1], right = now[i + 1 == n ? i : i + 1];
            out[i] = 0.25 * left + 0.5 * now[i] + 0.25 * right;
        }
    }
    free(now);
}

static void refer_correct(JudgeCase *c)
{
    size_t n = 0, n_table = 0, rounds = size_param(c, "rounds");
    const int32_t *reading = judge_input_i32(c, "reading", &n);
    const float *table = judge_input_f32(c, "table", &n_table);
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    double control = 0;
    for (size_t r = 0; r < rounds && n > 0; r++) {
        for (size_t i = 0; i < n; i++)
            out[i] = (float)out[i] + table[((size_t)reading[i] + r) % n_table];
        float sample = (float)out[31 * r % n] - table[97 * r % n_table];
        control += (double)(r + 1) * sample;
    }
    judge_expect_value(c, "control", control);
}

static void refer_table(JudgeCase *c)
{
    size_t n_keys = 0, n = 0;
    const int32_t *keys = judge_input_i32(c, "keys", &n_keys), *queries = judge_input_i32(c, "queries", &n);
    int32_t *hits = judge_expect_i32(c, "hits", n_keys), calls = (int32_t)judge_param_int(c, "calls");
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)queries[i] / 1000;
        if (at < n_keys && keys[at] == queries[i])
            hits[at] += calls;
    }
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    if (is_function(c, "correct")) {
        refer_correct(c);
        return;
    }
    if (is_function(c, "table")) {
        refer_table(c);
        return;
    }
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    if (is_function(c, "relax"))
        refer_relax(in, out, n, size_param(c, "rounds"));
    for (size_t i = 0; i < n && is_function(c, "scale"); i++)
        out[i] = judge_param_float(c, "factor") * in[i];
    for (size_t f = 0, cells = size_param(c, "n"); is_function(c, "smooth_frames") && f < size_param(c, "frames"); f++)
        refer_relax(in + f * cells, out + f * cells, cells, 2);
    for (size_t i = 0; i < n && is_function(c, "grind"); i++) {
        out[i] = in[i];
        for (size_t r = 0; r < size_param(c, "rounds"); r++)
            out[i] = 0.75 * out[i] + 0.5;
    }
}
