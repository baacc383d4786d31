/* Lab 13: inputs and right answers.
 *
 * Parameters: `function`, one of launch_configuration.h, or `sweep`, and its numbers under their names
 * there; `refused` when CUDA does not allow the launch, and `asked` when that is one for so many elements. The occupancy that is wanted is that of a card of the
 * virtual GPU: most warps and blocks of a multiprocessor, its shared memory, the pieces in which that is
 * given out, and what the system takes of it for each block. walk_kernel needs too few registers to be
 * limited by them.
 */
#include "judge.h"

#include "asked.h"
#include "launch_configuration.h"

#include <stdio.h>
#include <stdlib.h>
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

/* A launch that has as many blocks as a block was to have threads, and that is not as many as are needed: what the two
 * numbers give when they are exchanged. */
static int is_exchanged(const JudgeCall *call, int64_t n, int64_t threads)
{
    return strcmp(call->op, "LAUNCH") == 0 && call->number == (uint64_t)threads && (n + threads - 1) / threads != threads;
}

/* The places are right all the same, so the record has to tell. */
static void refuse_exchanged(JudgeCase *c)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    int64_t n = judge_param_int(c, "n"), threads = judge_param_int(c, "threads");
    for (size_t i = 0; i < n_calls; i++)
        if (is_exchanged(&calls[i], n, threads)) {
            judge_refuse(c, "walk_kernel was launched in as many blocks as a block was to have threads: first in <<< >>> comes the number of blocks, then that of the threads of a block.");
            return;
        }
}

/* ---- The number of blocks ---- */

/* By the record, the blocks of the last launch; 0: none. */
static uint64_t blocks_launched(JudgeCase *c)
{
    size_t n = 0;
    uint64_t blocks = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    for (size_t i = 0; calls != NULL && i < n; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0)
            blocks = calls[i].number;
    return blocks;
}

static const char *kernel_of(JudgeCase *c)
{
    return is_function(c, "window_sums") ? "window_kernel" : is_function(c, "spread") ? "spread_kernel" : "walk_kernel";
}

/* What a call is told. */
typedef struct Told {
    uint64_t n, threads; /* 0 threads: none are told */
} Told;

/* How many threads the contract asks of a block of a kernel that can have `most`; 0: as many as the function likes. */
static uint64_t threads_asked(JudgeCase *c, uint64_t threads, uint64_t most)
{
    if (is_function(c, "window_sums"))
        return WINDOW_BLOCK;
    return is_function(c, "spread") && threads > most ? most / 32 * 32 : threads;
}

/* A launch for n elements is of the kernel that the contract names, in blocks as they are asked for, and no more of them than are needed. */
static int refuse_other_launch(JudgeCase *c, const JudgeCall *launch, Told told)
{
    static char why[512];
    char *behind;
    uint64_t blocks = launch->number, threads = strtoull(launch->text, &behind, 10), most = strtoull(behind, NULL, 10);
    uint64_t wanted = threads_asked(c, told.threads, most), needed = threads > 0 ? (told.n + threads - 1) / threads : 0;
    if (strstr(launch->text, kernel_of(c)) == NULL)
        snprintf(why, sizeof why, "Another kernel than %s was launched, which is to do the work whatever n and the other numbers are.", kernel_of(c));
    else if (wanted > 0 && threads != wanted && wanted == most / 32 * 32)
        snprintf(why, sizeof why, "The launch has blocks of %llu threads, where %llu are asked for; spread_kernel can have %llu, in whole warps, and no fewer are wanted.",
                 (unsigned long long)threads, (unsigned long long)told.threads, (unsigned long long)wanted);
    else if (wanted > 0 && threads != wanted)
        snprintf(why, sizeof why, "The launch has blocks of %llu threads; %llu are asked for, and the kernel can have them.", (unsigned long long)threads,
                 (unsigned long long)wanted);
    else if (blocks > needed)
        snprintf(why, sizeof why, "The launch has %llu blocks of %llu threads for %llu elements; %llu are needed, and no more are to be launched.",
                 (unsigned long long)blocks, (unsigned long long)threads, (unsigned long long)told.n, (unsigned long long)needed);
    else
        return 0;
    judge_refuse(c, why);
    return 1;
}

/* As many blocks as `threads` asks for, when the kernel can have none so large: too few for n. */
static int refuse_blocks_as_asked(JudgeCase *c, const JudgeCall *launch, uint64_t n)
{
    static char why[512];
    uint64_t wished = (uint64_t)judge_param_int(c, "threads"), blocks = launch->number, threads = strtoull(launch->text, NULL, 10);
    if (threads >= wished || blocks * threads >= n || blocks != (n + wished - 1) / wished)
        return 0;
    snprintf(why, sizeof why, "The launch has %llu blocks, which is the number for blocks of the %llu threads that were asked for. Those that the kernel can have are smaller, and more of them are needed: work out the number of blocks behind the line that lowers `threads`.",
             (unsigned long long)blocks, (unsigned long long)wished);
    judge_refuse(c, why);
    return 1;
}

/* The first launch and the last one: with `again` the first is for half of the elements, in blocks of four fifths of the threads. Without it other cases count blocks, or threads. */
static void refuse_other_launches(JudgeCase *c)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls), *first = NULL, *last = NULL;
    Told told = {(uint64_t)judge_param_int(c, "n"), judge_has_param(c, "threads") ? (uint64_t)judge_param_int(c, "threads") : 0};
    for (size_t i = 0; calls && i < n_calls; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0 && strcmp(calls[i].error, "OK") == 0) {
            first = first ? first : &calls[i];
            last = &calls[i];
        }
    if (last == NULL || (is_function(c, "spread") && refuse_blocks_as_asked(c, last, told.n)) || !(judge_has_param(c, "again") || is_function(c, "walk_best")))
        return;
    Told less = {told.n / 2, told.threads - told.threads / 5};
    if (!refuse_other_launch(c, last, told) && first != last && less.n > 0)
        refuse_other_launch(c, first, less);
}

/* A launch that is refused has a number of blocks, too. */
static void judge_blocks_refused(JudgeCase *c)
{
    static char why[512];
    uint64_t threads = (uint64_t)judge_param_int(c, "threads"), n = (uint64_t)judge_param_int(c, "asked");
    uint64_t blocks = blocks_launched(c), needed = (n + threads - 1) / threads;
    if (blocks == 0 || blocks == needed)
        return;
    snprintf(why, sizeof why, "The launch for %llu elements in blocks of %llu has %llu blocks; %llu are needed.%s", (unsigned long long)n,
             (unsigned long long)threads, (unsigned long long)blocks, (unsigned long long)needed,
             blocks == threads        ? " First in <<< >>> comes the number of blocks, then that of the threads of a block."
             : blocks == n / threads  ? " Either it is rounded down, or it is worked out in float, which holds 24 bits, so that the last block gets lost: divide whole numbers, and round up."
             : blocks == 65535        ? " 65,535 is the limit in y and in z; in x a grid can have 2^31 - 1 blocks, and an element without a thread gets no result."
             : blocks == needed + 1   ? " It is one more where the threads divide n, or worked out in float, which holds 24 bits: divide whole numbers, and round up."
                                      : " Which numbers are divided, of which type? A float holds 24 bits only.");
    judge_refuse(c, why);
}

void judge_reference(JudgeCase *c)
{
    judge_expect_nothing(c);
    if (is_function(c, "walk_occupancy")) {
        refer_occupancy(c);
        return;
    }
    if (judge_has_param(c, "refused")) {
        judge_expect_value(c, "refused", 1);
        if (judge_has_param(c, "asked"))
            judge_blocks_refused(c);
        else
            judge_expect_value(c, "returned_by_a_good_call_behind_it", 0);
        return;
    }
    size_t n = (size_t)judge_param_int(c, "n");
    if (is_function(c, "walk") && !judge_has_param(c, "again") && n > 0)
        refuse_exchanged(c);
    if (n > 0)
        refuse_other_launches(c);
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

/* ---- What certain mistakes give ---- */

typedef enum Slip {
    WITHOUT_SHARED,
    IN_THREADS,
    WHOLE_NUMBERS,
    OF_A_BLOCK,
    IN_BLOCKS,
    WITHOUT_BLOCKS,
    WARP_MORE,
    WARPS_DOWN,
    ONE_BLOCK,
    N_SLIPS
} Slip;

static const struct {
    const char *when, *hint;
} slips[N_SLIPS] = {
    [WITHOUT_SHARED] = {"no block has shared memory of its own", "Does shared_bytes reach cudaOccupancyMaxActiveBlocksPerMultiprocessor, as its last argument?"},
    [IN_THREADS] = {"threads are counted in place of warps", "How many warps does a block of 33 threads take? Round up, and count those."},
    [WHOLE_NUMBERS] = {"whole numbers are divided", "Which type do the two numbers have that are divided? One of them must be a float before that."},
    [OF_A_BLOCK] = {"1,024 threads, or 32 warps, are taken for what a multiprocessor holds", "Which attribute of the card says how many threads a multiprocessor holds? That of a block is another one, and the number is not the same on all cards."},
    [IN_BLOCKS] = {"blocks are counted in place of warps", "The blocks that fit are not the answer yet: how many warps does each of them have, and how many warps can a multiprocessor hold?"},
    [WITHOUT_BLOCKS] = {"only the room for warps limits the blocks", "A multiprocessor holds a limited number of blocks, too: take the blocks that cudaOccupancyMaxActiveBlocksPerMultiprocessor gives."},
    [WARP_MORE] = {"a block is taken to have threads / 32 + 1 warps", "How many warps does a block of exactly 32 threads take? One: round up, and add none where nothing is left over."},
    [WARPS_DOWN] = {"the warps of a block are rounded down", "How many warps does a block of 33 threads take, and one of a single thread? Round up."},
    [ONE_BLOCK] = {"a multiprocessor holds a single block", "Are the warps of all blocks counted that fit on a multiprocessor, or those of one?"},
};

static double slipped(int card, int threads, int shared, Slip slip)
{
    int warps = (threads + 31) / 32, most = cards[card].warps, with = slip == WITHOUT_SHARED ? 0 : shared;
    double share = occupancy(card, threads, with), blocks = share * most / warps;
    switch (slip) {
    case IN_THREADS:
        return blocks * threads / (32 * most);
    case WHOLE_NUMBERS:
        return share < 1 ? 0 : 1;
    case OF_A_BLOCK:
        return blocks * warps / 32;
    case IN_BLOCKS:
        return blocks / cards[card].blocks;
    case WITHOUT_BLOCKS:
        return (double)(most / warps * warps) / most;
    case WARP_MORE:
        return blocks * (threads / 32 + 1) / most;
    case WARPS_DOWN:
        return blocks * (threads / 32) / most;
    case ONE_BLOCK:
        return (double)warps / most;
    default:
        return share;
    }
}

enum { TEXT_MAX = 640 };

/* All that give the same share are told together. */
static void name_share(JudgeCase *c, const char *key, const double *shares, int first, char sentence[TEXT_MAX], char hint[TEXT_MAX])
{
    int nothing = shares[first] == 0;
    int at = snprintf(sentence, TEXT_MAX, "it is what %scomes out when ", nothing ? "*share was set to at first, or what " : "");
    int hint_at = snprintf(hint, TEXT_MAX, "%s", nothing ? "Is *share set behind the questions?" : "");
    for (int s = first; s < N_SLIPS; s++)
        if (shares[s] == shares[first]) {
            at += snprintf(sentence + at, (size_t)(TEXT_MAX - at), "%s%s", s > first ? ", or " : "", slips[s].when);
            hint_at += snprintf(hint + hint_at, (size_t)(TEXT_MAX - hint_at), "%s%s", hint_at > 0 ? " " : "", slips[s].hint);
        }
    float *out = judge_mistake(c, key, sentence, hint);
    if (out)
        *out = (float)shares[first];
}

static void name_shares(JudgeCase *c)
{
    static char texts[N_ASKED][N_SLIPS][2][TEXT_MAX];
    int shared = (int)judge_param_int(c, "shared");
    int card = strcmp(judge_param_text(c, "card"), cards[1].card) == 0;
    for (int i = 0; i < N_ASKED; i++) {
        double shares[N_SLIPS], right = occupancy(card, asked[i].threads, shared);
        for (int s = 0; s < N_SLIPS; s++) {
            shares[s] = slipped(card, asked[i].threads, shared, (Slip)s);
            if (shares[s] == right)
                shares[s] = -1; /* it does not show */
        }
        for (int s = 0; s < N_SLIPS; s++) {
            int told = shares[s] < 0;
            for (int before = 0; before < s; before++)
                told |= shares[before] == shares[s];
            if (!told)
                name_share(c, asked[i].key, shares, s, texts[i][s][0], texts[i][s][1]);
        }
    }
}

/* The record says whether CUDA refused the launch. */
static const char *why_not_refused(JudgeCase *c)
{
    size_t n = 0;
    int64_t threads = judge_param_int(c, "threads");
    const JudgeCall *calls = judge_calls(c, &n);
    if (!calls)
        return "First in <<< >>> comes the number of blocks, then that of the threads of a block; and what cudaGetLastError() says behind the launch is returned.";
    for (size_t i = 0; i < n; i++) {
        int is_launch = strcmp(calls[i].op, "LAUNCH") == 0, is_right = strcmp(calls[i].error, "OK") == 0;
        if (is_launch && is_right && calls[i].number == (uint64_t)threads)
            return "CUDA took the launch, which had as many blocks as a block was to have threads: first in <<< >>> comes the number of blocks, then that of the threads of a block.";
        if (is_launch && is_right)
            return "CUDA took the launch, so a block of it had fewer threads than were asked for: is `threads` made smaller anywhere?";
    }
    return "No launch was taken, and walk returned 0: is it launched at all, and is what cudaGetLastError() says behind the launch returned? Ask once: a second call returns 0, as the first has taken the error away.";
}

/* The sums of a call before, which was for a smaller radius. */
static void name_windows(JudgeCase *c)
{
    size_t n_in = 0;
    const float *in = judge_input_f32(c, "in", &n_in);
    long n = (long)n_in, radius = (long)judge_param_int(c, "radius"), other = radius - radius / 5;
    double *kept = judge_has_param(c, "again") ? judge_mistake(c, "out", "they are the sums for the radius of the call before", "What is kept from an earlier call: a static variable?") : NULL;
    for (long i = 0; i < n && kept != NULL; i++) {
        kept[i] = 0;
        for (long k = i > other ? i - other : 0; k <= i + other && k < n; k++)
            kept[i] += in[k];
    }
}

void judge_mistakes(JudgeCase *c)
{
    if (is_function(c, "window_sums"))
        name_windows(c);
    if (is_function(c, "walk_occupancy"))
        name_shares(c);
    if (judge_has_param(c, "refused"))
        judge_mistake_value(c, "refused", 0, why_not_refused(c));
    if (judge_has_param(c, "refused") && !judge_has_param(c, "asked"))
        judge_mistake_value(c, "returned_by_a_good_call_behind_it", 1, /* cudaErrorInvalidValue */
                            "The launch behind the refused one worked, and walk returned the old error once more: cudaPeekAtLastError leaves an error where it is. Which call takes it away?");
}
