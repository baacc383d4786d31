/* Lab 13: inputs and right answers.
 *
 * Parameters: `function`, one of launch_configuration.h, or `sweep`, and its numbers under their names
 * there; `refused` when CUDA does not allow the launch. The occupancy that is wanted is that of a card of the
 * virtual GPU: most warps and blocks of a multiprocessor, its shared memory, the pieces in which that is
 * given out, and what the system takes of it for each block. walk_kernel needs too few registers to be
 * limited by them.
 */
#include "judge.h"

#include "asked.h"
#include "launch_configuration.h"

#include <string.h>

static const struct {
    const char *card;
    int warps, blocks, shared, piece, reserved;
} cards[] = {{"t4", 32, 16, 65536, 256, 0}, {"a100", 64, 32, 167936, 128, 1024}};

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

/* From random numbers to links: places of a run of 32 lead to another run, turned by a few places, so that a
 * warp that starts together stays together. The last run, if it is shorter, leads to the first. */
static void make_links(int32_t *next, size_t n)
{
    size_t runs = n / 32;
    for (size_t run = 0; run < runs; run++) {
        size_t to = (run + (size_t)next[32 * run]) % runs, turn = (size_t)next[32 * run + 1];
        for (size_t k = 0; k < 32; k++)
            next[32 * run + k] = (int32_t)(32 * to + (k + turn) % 32);
    }
    for (size_t i = 32 * runs; i < n; i++)
        next[i] = (int32_t)(runs > 0 ? i % 32 : (i * 7 + 3) % n);
}

void judge_inputs(JudgeCase *c)
{
    if (is_function(c, "walk_occupancy"))
        return;
    size_t n = (size_t)judge_param_int(c, "n");
    if (is_function(c, "window_sums") || is_function(c, "spread")) {
        size_t n_in = is_function(c, "spread") ? n * SAMPLES : n;
        judge_fill_f32(c, judge_input_make_f32(c, "in", n_in), 0, 100);
        return;
    }
    int32_t *next = judge_input_make_i32(c, "next", n);
    judge_fill_i32(c, next, 1, 1000);
    make_links(next, n);
}

static double occupancy(int card, int threads, int shared)
{
    int warps = (threads + 31) / 32, most = cards[card].warps, piece = cards[card].piece;
    int blocks = most / warps < cards[card].blocks ? most / warps : cards[card].blocks;
    int bytes = (shared + cards[card].reserved + piece - 1) / piece * piece;
    if (bytes > 0 && cards[card].shared / bytes < blocks)
        blocks = cards[card].shared / bytes;
    return (double)(blocks * warps) / most;
}

static void refer_occupancy(JudgeCase *c)
{
    int shared = (int)judge_param_int(c, "shared");
    int card = strcmp(judge_param_text(c, "card"), cards[1].card) == 0;
    for (int i = 0; i < N_ASKED; i++)
        *judge_expect_f32(c, asked[i].key, 1) = (float)occupancy(card, asked[i].threads, shared);
}

static void refer_windows(JudgeCase *c, const float *in, double *out, long n)
{
    long radius = judge_param_int(c, "radius");
    double sum = 0;
    for (long i = -radius; i < n; i++) { /* the window moves: one comes in, one goes out */
        if (i + radius < n)
            sum += in[i + radius];
        if (i - radius - 1 >= 0)
            sum -= in[i - radius - 1];
        if (i >= 0)
            out[i] = sum;
    }
}

static double spread_of(const float *in, size_t n, size_t i)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k < SAMPLES; k++)
        sum += in[k * n + i];
    for (size_t k = 0; k < SAMPLES; k++)
        squares += (in[k * n + i] - sum / SAMPLES) * (in[k * n + i] - sum / SAMPLES);
    return squares;
}

static void refer_walk(JudgeCase *c, size_t n)
{
    const int32_t *next = judge_input_i32(c, "next", NULL);
    int32_t *out = judge_expect_i32(c, "out", n);
    for (size_t i = 0; i < n; i++) {
        out[i] = (int32_t)i;
        for (int hop = 0; hop < HOPS; hop++)
            out[i] = next[out[i]];
    }
}

void judge_reference(JudgeCase *c)
{
    if (is_function(c, "walk_occupancy")) {
        refer_occupancy(c);
        return;
    }
    if (judge_has_param(c, "refused")) {
        judge_expect_value(c, "refused", 1);
        return;
    }
    size_t n = (size_t)judge_param_int(c, "n");
    if (!is_function(c, "window_sums") && !is_function(c, "spread")) {
        refer_walk(c, n);
        return;
    }
    const float *in = judge_input_f32(c, "in", NULL);
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    if (is_function(c, "window_sums"))
        refer_windows(c, in, out, (long)n);
    for (size_t i = 0; is_function(c, "spread") && i < n; i++)
        out[i] = spread_of(in, n, i);
}
