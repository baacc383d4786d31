/* Lab 06: inputs and right answers.
 *
 * Parameters: `function`, one of reduction.h; n; `at`, the place of the largest element, for max_all;
 * `threads` and `calls` are the driver's; with `again` it calls the function before for the first half of the elements,
 * and for none. With `by_the_record` the record of calls tells whether max_all has the caller's blocks.
 *
 * `kind`: `mixed` elements have both signs; for max_all they are `far` below 0 (and near the end of what a float can hold), or all are -INFINITY
 * (`infinite`); `above` and `below` 0 they are otherwise, too.
 *
 * What is added up are halves from 1 to 7.5, or from -7.5 to 7.5: up to 2^23, which is 1.1 million elements at least, every sum of
 * them is exact in a float, in whatever order it is taken. So one element that is lost, or taken twice, shows,
 * and so does a sum in whole numbers.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_max(JudgeCase *c)
{
    return strcmp(judge_param_text(c, "function"), "max_all") == 0;
}

static int is_kind(JudgeCase *c, const char *kind)
{
    return judge_has_param(c, "kind") && strcmp(judge_param_text(c, "kind"), kind) == 0;
}

/* The largest element stands where parameter `at` says, if there is one: at an end, say. */
static void fill_for_max(JudgeCase *c, float *in, size_t n)
{
    float largest = is_kind(c, "mixed") ? 1000.5f : is_kind(c, "far") ? -1e37f : -1.5f;
    double scale = is_kind(c, "far") ? 3e35 : 1;
    judge_fill_f32(c, in, -1000 * scale, is_kind(c, "mixed") ? 1000 : -10 * scale);
    for (size_t i = 0; i < n && is_kind(c, "infinite"); i++)
        in[i] = -INFINITY;
    if (judge_has_param(c, "at") && n > 0 && !is_kind(c, "infinite"))
        in[judge_param_int(c, "at")] = largest;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    float *in = judge_input_make_f32(c, "in", n);
    if (is_max(c)) {
        fill_for_max(c, in, n);
        return;
    }
    judge_fill_f32(c, in, is_kind(c, "mixed") ? -8 : 1, 8);
    for (size_t i = 0; i < n; i++)
        in[i] = (float)(int)(2 * in[i]) / 2;
}

/* What the first n elements give. */
static void expect(JudgeCase *c, const char *name, size_t n)
{
    const float *in = judge_input_f32(c, "in", NULL);
    float *result = judge_expect_f32(c, name, 1);
    double sum = 0, largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
        if (in[i] > largest)
            largest = in[i];
    }
    result[0] = (float)(is_max(c) ? largest : sum);
}

/* The launch with the most blocks has the caller's threads in each; how the last few numbers become one is free. */
static void judge_threads(JudgeCase *c)
{
    static char why[160];
    size_t n_calls = 0, blocks = 0, threads = 0, wanted = (size_t)judge_param_int(c, "threads");
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0 && calls[i].number > blocks)
            blocks = calls[i].number, threads = strtoul(calls[i].text, NULL, 10);
    if (blocks == 0 || threads == wanted)
        return;
    snprintf(why, sizeof why, "The kernel was launched in blocks of %zu threads, and the caller asks for %zu: each launch has blocks of `threads` threads.",
             threads, wanted);
    judge_refuse(c, why);
}

void judge_reference(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (judge_has_param(c, "by_the_record"))
        judge_threads(c);
    expect(c, "result", n);
    if (judge_has_param(c, "again")) {
        expect(c, "result_of_half", n / 2);
        expect(c, "result_of_none", 0);
    }
}

/* ---- Mistakes that show by their result ---- */

enum { BLOCK = 256, WARP = 32, BLOCKS_MAX = 160, ELEMENTS_MAX = 400000 };

/* What is wrong in a reduction. */
typedef enum Slip {
    RIGHT,
    /* what each thread takes */
    LAST_ELEMENT, /* is missing */
    FIRST_ELEMENT,
    PARTIAL_BLOCK,
    FIRST_BLOCK,
    ALIKE, /* each block takes the same elements */
    WHOLE_NUMBERS,
    ONE_TURN,
    LAST_OF_EACH, /* = for += */
    FIRST_TWICE,
    FIRST_TURN, /* is missing */
    LAST_TURN,
    BLOCK_STRIDE,
    REST_BY_EACH, /* of four elements each, what is left: by each block */
    REST,         /* is missing */
    ALL_BY_EACH,
    /* how the threads of a block add up */
    LAST_STEP, /* is missing */
    FIRST_STEP,
    STEPS_BY_4,
    REPLACES, /* = for += */
    NO_TREE,
    EVERY_PLACE,
    EVERY_THREAD,
    EVERY_WARP,
    EVERY_LANE,
    FIRST_WARP, /* alone */
    LAST_WARP,  /* is missing */
    STEP_TOO_MANY,
    OTHER_WAY, /* shuffles up */
    /* of the whole sum */
    BOTH_CALLS,
    FIRST_GRID, /* of sum_tree: as many blocks as the first call, for half of the elements, needs */
    NOTHING,
    WHOLE_WARPS, /* of max_all alone */
    N_SLIPS
} Slip;

typedef struct Words {
    const char *sentence, *hint;
} Words;

static const Words words[N_SLIPS] = {
    [LAST_ELEMENT] = {"the last element of all is missing in it", "How far do the elements go that are added up: i < n, or i < n - 1?"},
    [FIRST_ELEMENT] = {"the first element of all is missing in it", "With which index does thread 0 of block 0 begin?"},
    [PARTIAL_BLOCK] = {"it is the sum without the last, partial block", "Is the number of blocks rounded up?"},
    [FIRST_BLOCK] = {"it is the sum without the first block", "Which blocks do the atomicAdd?"},
    [ALIKE] = {"each block has added up the elements of block 0", "Does the index of a thread's element depend on blockIdx.x, too?"},
    [WHOLE_NUMBERS] = {"it is the sum of elements that were cut to whole numbers",
                       "Of which type is each variable and each array that an element goes through?"},
    [ONE_TURN] = {"each thread has taken its first element only",
                  "Does a thread go on to further elements after its first one? That takes a loop, and not an if."},
    [LAST_OF_EACH] = {"each thread has kept its last element only", "Is it = in the loop over a thread's elements, where += is meant?"},
    [FIRST_TWICE] = {"the first element of each thread is in it twice",
                     "With what does the thread's sum begin, and with which element does its loop?"},
    [FIRST_TURN] = {"the first element of each thread is missing in it", "With which element does a thread's loop begin?"},
    [LAST_TURN] = {"what is left for the last turn of the threads' loops is missing in it",
                   "Until when does a thread's loop go on? The index of its own element is below n, and not that of the next one."},
    [BLOCK_STRIDE] = {"each block has added up all elements from its first one to the end",
                      "By how much does a thread's loop go on? It has to jump over the elements of all threads of the grid, not of one block."},
    [REST_BY_EACH] = {"the last n % 4 elements have been added by each block",
                      "Elements come four at a time here, and the last n % 4 one by one: which threads of the whole grid add those? One block is enough."},
    [REST] = {"the last n % 4 elements are missing in it", "Elements come four at a time here: who adds the last n % 4?"},
    [ALL_BY_EACH] = {"each block has added up all elements",
                     "With which element does a thread's loop begin, and by how much does it go on? Both have to depend on all blocks: blockIdx.x and gridDim.x."},
    [LAST_STEP] = {"it is the sum of every second thread's part only, as without the step s = 1",
                   "Which is the last step of the tree? The loop goes on as long as s > 0."},
    [FIRST_STEP] = {"it is the sum of the first half of the threads' parts only",
                    "Which is the first step of the tree? Its s is half the number of values: 128 of a block, 16 of a warp."},
    [STEPS_BY_4] = {"it is what the tree's steps give when s becomes a quarter each time",
                    "By what is s divided from step to step? Each step halves the number of values."},
    [REPLACES] = {"each step of the tree has replaced a value by the other one, where it is to be added", "Is it = in the tree, where += is meant?"},
    [NO_TREE] = {"it is the sum of what thread 0 of each block has by itself", "Does the value that goes into the atomicAdd come out of the tree?"},
    [EVERY_PLACE] = {"each thread has added what is in its place at the end of the tree, and not only thread 0",
                     "Which threads do the atomicAdd? One of each block has the sum."},
    [EVERY_THREAD] = {"it is 256 times the sum: each thread of a block has added the block's sum",
                      "Which threads do the atomicAdd? One of each block is enough."},
    [EVERY_WARP] = {"it is 8 times the sum: one thread of each of a block's 8 warps has added the block's sum",
                    "How many threads of a block do the atomicAdd? lane == 0 holds in each warp, and one warp is enough."},
    [EVERY_LANE] = {"it is 32 times the sum: each lane of a warp has added the block's sum", "Which lanes do the atomicAdd? Lane 0 is enough."},
    [FIRST_WARP] = {"it is the sum of the first warp of each block only",
                    "Do the sums of all warps meet, and are they added up? What goes into the atomicAdd is the sum of these, not that of one warp."},
    [LAST_WARP] = {"the last warp of each block is missing in it", "How many warps' sums are added up? There are BLOCK / 32."},
    [STEP_TOO_MANY] = {"it is 4 times the sum: a shuffle by 32 lanes gives each lane its own value, which was added in both trees",
                       "With which s does the tree of a warp begin? 16 is half of its 32 values."},
    [OTHER_WAY] = {"lane 0 has added its own value to itself in each step",
                   "Lane 0 gets the value of lane s from __shfl_down_sync, and its own from __shfl_up_sync: which one is it?"},
    [BOTH_CALLS] = {"it is the sum of all calls together", "What is in *sum when the function is called again, and is it set to 0 in each call?"},
    [FIRST_GRID] = {"it is the sum of as many blocks as the first call needs, which is for half of the elements",
                    "Is the number of blocks worked out from n in each call? What is static keeps its first value."},
    [NOTHING] = {"it is 0, as if nothing were added behind cudaMemsetAsync",
                 "Does a thread go through its elements, is it += wherever something is added, does any thread come to the atomicAdd, and is *sum set to 0 before the launch and not behind it?"},
};

typedef struct Reduction {
    const float *in;
    size_t n, blocks, first_call; /* elements of the first call */
    int tree_only, by_warps; /* one element a thread; the last steps by warps */
    Slip slip;
} Reduction;

/* What thread t of block b has before the tree. */
static double own_sum(const Reduction *r, size_t b, size_t t)
{
    size_t threads = r->blocks * BLOCK, first = b * BLOCK + t, step = threads, end = r->n;
    double own = 0;
    if (r->slip == ALIKE || r->slip == ALL_BY_EACH)
        first = t;
    if (r->slip == BLOCK_STRIDE || r->slip == ALL_BY_EACH)
        step = BLOCK;
    if (r->slip == LAST_ELEMENT && end > 0)
        end--;
    if (r->slip == PARTIAL_BLOCK)
        end = end / BLOCK * BLOCK;
    if (r->slip == FIRST_GRID && end > r->first_call)
        end = (r->first_call + BLOCK - 1) / BLOCK * BLOCK;
    if (r->slip == FIRST_TURN)
        first += step;
    for (size_t i = first; i < end; i += step) {
        double x = r->slip == WHOLE_NUMBERS ? trunc(r->in[i]) : r->in[i];
        if ((r->slip == LAST_TURN && i + step >= end) || (r->slip == FIRST_ELEMENT && i == 0))
            break;
        own = r->slip == LAST_OF_EACH ? x : own + x;
        if (r->slip == FIRST_TWICE && i == first)
            own += x;
        if (r->slip == ONE_TURN || (r->slip == ALIKE && r->tree_only))
            break;
    }
    return own;
}

/* The tree of a block or a warp: what is left in place 0. */
static double climb(double *own, size_t count, Slip slip)
{
    for (size_t s = slip == FIRST_STEP ? count / 4 : count / 2; s > (slip == LAST_STEP); s /= slip == STEPS_BY_4 ? 4 : 2)
        for (size_t t = 0; t < s; t++)
            own[t] = (slip == REPLACES ? 0 : own[t]) + own[t + s];
    return own[0];
}

/* What a block adds to the sum. */
static double block_sum(const Reduction *r, size_t b)
{
    double own[BLOCK], of_warp[WARP] = {0}, sum = 0;
    for (size_t t = 0; t < BLOCK; t++)
        own[t] = own_sum(r, b, t);
    if (r->slip == NO_TREE)
        return own[0];
    if (!r->by_warps) {
        sum = climb(own, BLOCK, r->slip);
        for (size_t t = 1; t < BLOCK && r->slip == EVERY_PLACE; t++)
            sum += own[t];
        return sum;
    }
    if (r->slip == OTHER_WAY)
        return 1024 * own[0];
    for (size_t w = 0; w < BLOCK / WARP; w++)
        of_warp[w] = r->slip == LAST_WARP && w == BLOCK / WARP - 1 ? 0 : climb(own + w * WARP, WARP, r->slip);
    return r->slip == FIRST_WARP ? of_warp[0] : climb(of_warp, WARP, r->slip == FIRST_STEP ? RIGHT : r->slip);
}

static float slip_sum(JudgeCase *c, const Reduction *r)
{
    float sum = 0;
    int times = r->slip == EVERY_THREAD                          ? BLOCK
                : r->slip == EVERY_WARP                          ? BLOCK / WARP
                : r->slip == EVERY_LANE                          ? WARP
                : r->slip == STEP_TOO_MANY                       ? 4
                : r->slip == BOTH_CALLS && judge_has_param(c, "calls") ? (int)judge_param_int(c, "calls")
                                                                 : 1;
    for (size_t b = r->slip == FIRST_BLOCK; b < r->blocks && r->slip != NOTHING; b++)
        sum += (float)block_sum(r, b);
    for (size_t i = r->n - r->n % 4; i < r->n && (r->slip == REST || r->slip == REST_BY_EACH); i++)
        sum += r->in[i] * (r->slip == REST ? -1 : (float)(r->blocks - 1));
    return sum * (float)times;
}

/* Not all functions can go wrong in all ways. */
static int can_be(const Reduction *r, Slip slip)
{
    if (slip == FIRST_GRID)
        return r->tree_only;
    if (slip >= ONE_TURN && slip <= ALL_BY_EACH)
        return !r->tree_only;
    if (slip == EVERY_PLACE || slip == REPLACES) /* a warp's sum becomes that of lane 31 then, and the block's that of none: 0 */
        return !r->by_warps;
    return slip < EVERY_LANE || slip > OTHER_WAY || r->by_warps;
}

/* The largest of n values by a tree of `threads`, as max_all's kernel finds it. */
static float climb_max(float *own, size_t threads, Slip slip)
{
    size_t first = slip == FIRST_STEP ? threads / 2 : slip == WHOLE_WARPS ? threads / WARP * WARP : threads;
    for (size_t count = first; count > (slip == LAST_STEP ? 2u : 1u);) {
        size_t half = slip == REPLACES ? count / 2 : (count + 1) / 2;
        for (size_t t = 0; t < half && t + half < count; t++)
            own[t] = fmaxf(own[t], own[t + half]);
        count = half;
    }
    return own[0];
}

static float launch_max(const float *in, float *out, size_t n, size_t blocks, size_t threads, Slip slip)
{
    float own[1024];
    for (size_t b = 0; b < blocks; b++) {
        for (size_t t = 0; t < threads; t++) {
            own[t] = -INFINITY;
            for (size_t i = b * threads + t; i < n; i += blocks * threads) {
                own[t] = slip == LAST_OF_EACH ? in[i] : fmaxf(own[t], in[i]);
                if (slip == ONE_TURN)
                    break;
            }
        }
        out[b] = climb_max(own, threads, slip);
    }
    return out[0];
}

/* For max_all the slips have words of their own; REPLACES is the half of an odd count, rounded down. */
static const Words words_of_max[N_SLIPS] = {
    [LAST_ELEMENT] = {"it is the largest of all elements but the last", "How far do the elements go that are compared: i < n, or i < n - 1?"},
    [PARTIAL_BLOCK] = {"it is the largest without those of the last, partial block", "Is the number of blocks rounded up?"},
    [ONE_TURN] = {"it is the largest of the first element of each thread",
                  "Does a thread go on to further elements after its first one, in both launches?"},
    [LAST_OF_EACH] = {"it is the largest of the last element of each thread",
                      "Does a thread's loop keep the larger of what it has and the next element?"},
    [LAST_STEP] = {"it is what the trees leave without their last step",
                   "How many values are left when the loop of the tree ends? It goes on as long as there is more than one."},
    [FIRST_STEP] = {"it is what the trees leave of the first half of the threads",
                    "With how many values does the tree begin? Each of a block's threads has one."},
    [REPLACES] = {"of each odd number of values in the tree the last one is lost",
                  "Half of 25 is not a whole number: what happens to the last of 25 values? Round up, and the middle one waits."},
    [FIRST_BLOCK] = {"it is the largest of all blocks but the first", "Of which blocks does the second launch take what the first has found?"},
    [FIRST_WARP] = {"it is the largest of the first block's elements only",
                    "Does the second launch go through what all blocks of the first have found?"},
    [LAST_WARP] = {"it is the largest of all blocks but the last",
                   "How many numbers does the second launch go through? One for each block of the first."},
    [WHOLE_WARPS] = {"it is what the threads of whole warps have: the last warp of a block, which is not full, is left out",
                     "How many warps has a block of so many threads? (threads + 31) / 32 of them, and the last one may be smaller."},
    [NOTHING] = {"it is 0, which is larger than all elements", "With what does the largest begin? With a number that is no larger than any other."},
    [EVERY_PLACE] = {"it is FLT_MIN, the smallest positive float, which is larger than all elements",
                     "With what does the largest begin? With a number that is no larger than any other: FLT_MIN is above 0."},
    [EVERY_THREAD] = {"it is -FLT_MAX, which is larger than -INFINITY", "With what does the largest begin? Of no element it has to be -INFINITY."},
    [EVERY_WARP] = {"it is -INFINITY, as if no element were compared",
                    "Which element does a thread begin with, and does what the threads have come to thread 0 and to the second launch? Where warps find their largest first: how many of them has a block of fewer than 32 threads?"},
    [OTHER_WAY] = {"it is the smallest element", "Which of two numbers is kept where a thread goes through its elements, and which in the tree?"},
};

static float slip_max(const float *in, float *scratch, size_t n, size_t threads, Slip slip)
{
    float smallest = INFINITY;
    for (size_t i = 0; i < n; i++)
        smallest = fminf(smallest, in[i]);
    switch (slip) {
    case NOTHING:
        return 0;
    case EVERY_PLACE:
        return FLT_MIN;
    case EVERY_THREAD:
        return n == 0 ? -FLT_MAX : 1;
    case EVERY_WARP:
        return -INFINITY;
    case OTHER_WAY:
        return smallest;
    case LAST_ELEMENT:
        n -= n > 0;
        break;
    case PARTIAL_BLOCK:
        n = n / threads * threads;
        break;
    default:
        break;
    }
    size_t wanted = (n + threads - 1) / threads, blocks = wanted < 1 ? 1 : wanted > BLOCKS_MAX ? BLOCKS_MAX : wanted;
    launch_max(in, scratch, n, blocks, threads, slip);
    if (slip == FIRST_WARP)
        return scratch[0];
    size_t from = slip == FIRST_BLOCK && blocks > 1, left = blocks - from - (slip == LAST_WARP && blocks > 1);
    return launch_max(scratch + from, scratch, left, 1, threads, slip);
}

/* Names those whose result is nobody else's: a single number may be that of several. 0 is what NOTHING says, whoever else gives it. */
static void name_unique(JudgeCase *c, const char *name, const float *result, const Words *all)
{
    for (int i = 1; i < N_SLIPS; i++) {
        int same = 0;
        for (int k = 0; k < N_SLIPS; k++)
            same += (k == RIGHT || (all[k].sentence && i != NOTHING) || k == i) && result[k] == result[i];
        float *wrong = all[i].sentence && same == 1 ? judge_mistake(c, name, all[i].sentence, all[i].hint) : NULL;
        if (wrong)
            *wrong = result[i];
    }
}

static void name_mistakes(JudgeCase *c, const char *name, size_t n, size_t threads)
{
    const char *function = judge_param_text(c, "function");
    Reduction r = {.in = judge_input_f32(c, "in", NULL), .n = n, .blocks = (n + BLOCK - 1) / BLOCK};
    float result[N_SLIPS], scratch[BLOCKS_MAX];
    Words all[N_SLIPS];
    r.first_call = (size_t)judge_param_int(c, "n") / (judge_has_param(c, "again") ? 2 : 1);
    r.tree_only = strcmp(function, "sum_tree") == 0;
    r.by_warps = strcmp(function, "sum_warps") == 0;
    if (!r.tree_only && r.blocks > BLOCKS_MAX)
        r.blocks = BLOCKS_MAX;
    for (r.slip = RIGHT; r.slip < N_SLIPS; r.slip++) {
        int maximum = is_max(c), known = r.slip == RIGHT || (maximum ? r.slip != WHOLE_WARPS || threads >= WARP : can_be(&r, r.slip));
        all[r.slip] = !known ? (Words){NULL, NULL} : maximum ? words_of_max[r.slip] : words[r.slip];
        if (r.slip == RIGHT || all[r.slip].sentence)
            result[r.slip] = maximum ? slip_max(r.in, scratch, n, threads, r.slip) : slip_sum(c, &r);
    }
    name_unique(c, name, result, all);
}

/* A thread takes a fixed number of elements, and the grid is not large enough for all of them. */
static void name_first_elements(JudgeCase *c, const char *name, size_t n)
{
    enum { TIMES_MAX = 16 };
    size_t n_calls = 0, known[4] = {0}, n_known = 0;
    const float *in = judge_input_f32(c, "in", NULL);
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls && n_known < 4; i++) {
        size_t threads = strcmp(calls[i].op, "LAUNCH") == 0 ? (size_t)calls[i].number * strtoul(calls[i].text, NULL, 10) : 0;
        for (size_t k = 0; k < n_known; k++)
            threads = threads == known[k] ? 0 : threads;
        if (threads == 0)
            continue;
        known[n_known++] = threads;
        double sum = 0;
        for (size_t k = 0; k < n && k < TIMES_MAX * threads; k++) {
            if (k > 0 && k % threads == 0) {
                float *wrong = judge_mistake(c, name, "it is the sum of the first elements alone: as many as the launch has threads, or a few times as many",
                                             "How many elements does the launch reach? Does each thread go on in a loop, by as many elements as the grid has threads, until none is left, or does it take a fixed number of them?");
                if (wrong)
                    *wrong = (float)sum;
            }
            sum += in[k];
        }
    }
}

void judge_mistakes(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n"), threads = is_max(c) ? (size_t)judge_param_int(c, "threads") : BLOCK;
    if (n > ELEMENTS_MAX)
        return;
    name_mistakes(c, "result", n, threads);
    if (!is_max(c))
        name_first_elements(c, "result", n);
    if (judge_has_param(c, "again")) {
        name_mistakes(c, "result_of_half", n / 2, is_max(c) ? (threads + 1) / 2 : threads);
        name_mistakes(c, "result_of_none", 0, is_max(c) ? (threads + 1) / 2 : threads);
    }
}
