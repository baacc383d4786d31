/* Lab 03: inputs, right answers, and what certain mistakes give.
 *
 * Parameters: `function`, one of shared_memory.h, and its sizes under their names there; with `again` the driver
 * calls it before for so many of the elements, with half the run, or radius, blocks and threads; with
 * `grid` the record of calls tells whether each launch has the blocks and threads that the header allows. All values are
 * integers so small that every sum fits in 32 bits; with `large` some are hardly smaller, and have more than 24 bits themselves. Those to be reversed are negative, too, and larger than a byte.
 */
#include "judge.h"

#include "shared_memory.h"

#include <stdlib.h>
#include <string.h>

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static int is_reverse(JudgeCase *c)
{
    return strncmp(judge_param_text(c, "function"), "reverse", 7) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = size_param(c, "n");
    if (is_reverse(c))
        judge_fill_i32(c, judge_input_make_i32(c, "data", n), -99999999, 99999999);
    else {
        size_t radius = judge_has_param(c, "radius") ? size_param(c, "radius") : STENCIL_RADIUS, weights = (2 * radius + 1) * (radius + 1);
        size_t most = INT32_MAX / weights;
        judge_fill_i32(c, judge_input_make_i32(c, "in", n), 1, most < 99999 || judge_has_param(c, "large") ? (int32_t)most : 99999);
    }
}

static void reverse(const int32_t *data, int32_t *after, size_t n, size_t run)
{
    for (size_t first = 0; first < n; first += run) {
        size_t count = n - first < run ? n - first : run;
        for (size_t k = 0; k < count; k++)
            after[first + k] = 255 - data[first + count - 1 - k];
    }
}

static void refer_reverse(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *data = judge_input_i32(c, "data", &n);
    int any_run = judge_has_param(c, "run");
    reverse(data, judge_expect_i32(c, "data_after", n), n, any_run ? size_param(c, "run") : REVERSE_RUN);
    if (judge_has_param(c, "again")) {
        size_t fewer = size_param(c, "again");
        reverse(data, judge_expect_i32(c, "of_fewer", fewer), fewer, any_run ? size_param(c, "run") / 2 : REVERSE_RUN);
    }
}

static void stencil(const int32_t *in, int32_t *out, size_t n, size_t radius)
{
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d <= 2 * radius; d++)
            if (i + d >= radius && i + d - radius < n)
                out[i] += (int32_t)(d + 1) * in[i + d - radius];
}

static void refer_stencil(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *in = judge_input_i32(c, "in", &n);
    int any_radius = judge_has_param(c, "radius");
    stencil(in, judge_expect_i32(c, "out", n), n, any_radius ? size_param(c, "radius") : STENCIL_RADIUS);
    if (judge_has_param(c, "again")) {
        size_t fewer = size_param(c, "again");
        stencil(in, judge_expect_i32(c, "of_fewer", fewer), fewer, any_radius ? size_param(c, "radius") / 2 : STENCIL_RADIUS);
    }
}

/* The blocks and threads of each launch: as many as the caller of a stencil asks for, and no more than the header allows. */
static void judge_grid(JudgeCase *c)
{
    size_t n_calls = 0, n = size_param(c, "n"), before = judge_has_param(c, "again") ? size_param(c, "again") : 0, part = 1;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        const char *note = judge_note(&calls[i], "something");
        if (note)
            part = *note ? 2 : 1; /* "something before" */
        if (strcmp(calls[i].op, "LAUNCH") != 0)
            continue;
        size_t blocks = calls[i].number, threads = strtoull(calls[i].text, NULL, 10);
        if (judge_has_param(c, "threads") && threads != (size_param(c, "threads") + part - 1) / part)
            judge_refuse(c, "A launch had another number of threads in a block than the caller asks for.");
        if (judge_has_param(c, "blocks") && blocks != (size_param(c, "blocks") + part - 1) / part)
            judge_refuse(c, "A launch had another number of blocks than the caller asks for.");
        if (!judge_has_param(c, "blocks") && blocks * threads > 4 * (part == 1 ? n : before) + 4096)
            judge_refuse(c,
                         "A launch had more than 4 * n + 4096 threads: is the number of blocks that of elements over those of a block, rounded up?");
    }
}

void judge_reference(JudgeCase *c)
{
    if (is_reverse(c))
        refer_reverse(c);
    else
        refer_stencil(c);
    if (judge_has_param(c, "grid"))
        judge_grid(c);
    judge_expect_nothing(c);
    judge_expect_launches_at_most(c, judge_has_param(c, "again") ? 2 : 1);
    if (judge_has_param(c, "radius") && size_param(c, "radius") == 0 && size_param(c, "n") > 0)
        judge_expect_launches(c); /* by a copy the sums are right, too */
}

/* ---- Mistakes of the reversals ---- */

typedef enum Turn {
    ONLY_LEFT,
    SINGLE_LEFT,
    MIDDLE_LEFT,
    MIDDLE_PAIR_LEFT,
    NOT_NEGATIVE,
    NOT_TURNED,
    WITHOUT_255,
    WHOLE_ARRAY,
    RUNS_OF_256,
    RUNS_OF_A_WARP,
    RUNS_OF_CALL_BEFORE,
    BLOCKS_OF_CALL_BEFORE,
    FIRST_RUN_ALONE,
    TAIL_LEFT,
    TAIL_ALONE,
    TAIL_NOT_TURNED,
    FIRST_LEFT,
    LAST_LEFT,
    FIRST_HALF_LEFT,
    SECOND_HALF_LEFT,
    FIRST_HALF_NOT_NEGATIVE,
    SECOND_HALF_NOT_NEGATIVE,
    N_TURNS
} Turn;

static const char *const turns[N_TURNS][2] = {
    [ONLY_LEFT] =
        {"the only element is as it was, and is to be made negative",
         "It is its own mirror image. Do count / 2 threads do the work, which are none here? Is there a block for it, and is it taken from 255 "
         "once, and not twice?"},
    [SINGLE_LEFT] =
        {"all is right but the last run, which has one element: it is as it was",
         "It is its own mirror image, and is to be made negative, too. Do count / 2 threads do the work, which are none here? Is it taken from "
         "255 once, and not twice? And is the number of blocks rounded up?"},
    [MIDDLE_LEFT] =
        {"all is right but the middle element of each run of odd length: it is as it was",
         "It is its own mirror image, and is to be made negative, too. Do count / 2 threads do the work, so that none is left for it? Or is "
         "it taken from 255 twice?"},
    [MIDDLE_PAIR_LEFT] = {"all is right but the middle of each run: one element of an odd run, or two of an even one, are as they were",
                          "How many threads exchange two elements of a run, and which two does the last of them exchange?"},
    [NOT_NEGATIVE] = {"the runs are turned round, and not made negative", "Is each element taken from 255 once, on its way in or on its way out?"},
    [NOT_TURNED] = {"the elements are made negative, and each stands where it was",
                    "Element k of a run of m comes from element m - 1 - k of it. Is the place in the tile that is read another one than that "
                    "which was written?"},
    [WITHOUT_255] = {"the runs are turned round, and element k is the other one with a minus, and not 255 less the other one",
                     "What is the element taken from?"},
    [WHOLE_ARRAY] = {"the whole array is turned round, and not each run within itself",
                     "To which block's part of data does a block store: to its own run, which begins where it loaded?"},
    [RUNS_OF_256] = {"runs of 256 are turned round, whatever `run` is",
                     "Where does REVERSE_RUN or 256 stand in TODO 2, in the kernel or in the launch, and where the size of a block?"},
    [RUNS_OF_A_WARP] = {"every 32 elements are turned round within themselves",
                        "How many elements has a run? It is as long as a block, and not as a warp."},
    [RUNS_OF_CALL_BEFORE] = {"runs of half the length are turned round, as the first call of the program has them",
                             "Does a static or global variable keep the run, or what is worked out from it, from one call to the next?"},
    [BLOCKS_OF_CALL_BEFORE] =
        {"the first runs are right, as many as the first call of the program has, and all others are as they were",
         "Is the number of blocks worked out in each call from its own n, rounded up, or does a static or global variable keep it?"},
    [FIRST_RUN_ALONE] = {"the first run is right, and all others are as they were",
                         "How many blocks does the launch have? There is one for each run."},
    [TAIL_LEFT] = {"the whole runs are right, and the last, shorter one is as it was",
                   "Is the number of blocks rounded up, and does the block of the last run load and store what there is of it?"},
    [TAIL_ALONE] = {"the last, shorter run is right, and all others are as they were",
                    "Which blocks do their work: does a test let the last one alone pass?"},
    [TAIL_NOT_TURNED] = {"the last, shorter run is made negative, and each of its elements stands where it was",
                         "How long is the run that the place is counted back from, in the block of the last run?"},
    [FIRST_LEFT] = {"all is right but the first element of each run: it is as it was",
                    "Thread 0 stores an element, too: does a test keep it off, such as a > where >= belongs?"},
    [LAST_LEFT] = {"all is right but the last element of each run: it is as it was",
                   "Thread count - 1 stores an element, too: what is the thread's number compared with, before the store?"},
    [FIRST_HALF_LEFT] = {"the second half of each run is right, and the first is as it was",
                         "Each thread of the run stores one element, or half of them store two: which stores are left out?"},
    [SECOND_HALF_LEFT] = {"the first half of each run is right, and the second is as it was",
                          "Each thread of the run stores one element, or half of them store two: which stores are left out?"},
    [FIRST_HALF_NOT_NEGATIVE] = {"all is right but the first half of each run, which is not made negative",
                                 "Where a thread exchanges two elements, are both taken from 255?"},
    [SECOND_HALF_NOT_NEGATIVE] = {"all is right but the second half of each run, which is not made negative",
                                  "Where a thread exchanges two elements, are both taken from 255?"},
};

/* Element k of a run of `count` stays as it was. */
static int is_left_in_run(Turn turn, size_t k, size_t count)
{
    switch (turn) {
    case ONLY_LEFT:
        return 1;
    case SINGLE_LEFT:
        return count == 1;
    case MIDDLE_LEFT:
        return count % 2 == 1 && k == count / 2;
    case MIDDLE_PAIR_LEFT:
        return k == count / 2 || k == (count - 1) / 2;
    case FIRST_LEFT:
        return k == 0;
    case LAST_LEFT:
        return k == count - 1;
    case FIRST_HALF_LEFT:
        return k < count / 2;
    case SECOND_HALF_LEFT:
        return k >= count / 2;
    default:
        return 0;
    }
}

/* Runs of an array, and what the call before had; 0 where there was none. */
typedef struct Runs {
    const int32_t *data;
    size_t n, run, run_before, blocks_before;
} Runs;

static int can_be(const Runs *r, Turn turn)
{
    size_t tail = r->n % r->run, blocks = (r->n + r->run - 1) / r->run;
    if (turn == ONLY_LEFT)
        return r->n == 1;
    if (turn == SINGLE_LEFT)
        return r->n > 1 && tail == 1 && r->run % 2 == 0;
    if (turn == TAIL_LEFT || turn == TAIL_ALONE || turn == TAIL_NOT_TURNED)
        return tail > 0 && blocks > 1;
    if (turn == RUNS_OF_CALL_BEFORE)
        return r->run_before > 0 && r->run_before < r->run;
    if (turn == BLOCKS_OF_CALL_BEFORE)
        return r->blocks_before > 0 && r->blocks_before < blocks;
    return 1;
}

/* What is at i after the mistake; `right` is what should be there. */
static int32_t turned_with(const Runs *r, Turn turn, size_t i, int32_t right)
{
    size_t k = i % r->run, first = i - k, count = r->n - first < r->run ? r->n - first : r->run, whole = r->n / r->run * r->run;
    int is_half = turn == FIRST_HALF_NOT_NEGATIVE ? k < count / 2 : turn == SECOND_HALF_NOT_NEGATIVE && k >= (count + 1) / 2;
    if (turn == NOT_NEGATIVE || is_half)
        return 255 - right;
    if (turn == WITHOUT_255)
        return right - 255;
    if (turn == NOT_TURNED || (turn == TAIL_NOT_TURNED && i >= whole))
        return 255 - r->data[i];
    if ((turn == TAIL_LEFT && i >= whole) || (turn == TAIL_ALONE && i < whole) || (turn == FIRST_RUN_ALONE && i >= r->run) ||
        (turn == BLOCKS_OF_CALL_BEFORE && i >= r->blocks_before * r->run))
        return r->data[i];
    return is_left_in_run(turn, k, count) ? r->data[i] : right;
}

static void mistake_runs(JudgeCase *c, const char *output, const Runs *r)
{
    for (Turn turn = 0; turn < N_TURNS; turn++) {
        int32_t *after = can_be(r, turn) ? judge_mistake(c, output, turns[turn][0], turns[turn][1]) : NULL; /* begins with what is right */
        if (after && (turn == WHOLE_ARRAY || turn == RUNS_OF_256 || turn == RUNS_OF_A_WARP || turn == RUNS_OF_CALL_BEFORE))
            reverse(r->data, after, r->n,
                    turn == WHOLE_ARRAY           ? r->n
                    : turn == RUNS_OF_256         ? REVERSE_RUN
                    : turn == RUNS_OF_CALL_BEFORE ? r->run_before
                                                  : 32);
        for (size_t i = 0; after && i < r->n; i++)
            after[i] = turned_with(r, turn, i, after[i]);
    }
}

static void mistake_reverse(JudgeCase *c)
{
    Runs all = {.run = REVERSE_RUN};
    all.data = judge_input_i32(c, "data", &all.n);
    int any_run = judge_has_param(c, "run");
    if (any_run)
        all.run = size_param(c, "run");
    if (judge_has_param(c, "again")) { /* as the driver has it */
        Runs fewer = {.data = all.data, .n = size_param(c, "again"), .run = any_run ? all.run / 2 : all.run};
        all.run_before = fewer.run;
        all.blocks_before = (fewer.n + fewer.run - 1) / fewer.run;
        mistake_runs(c, "of_fewer", &fewer);
    }
    mistake_runs(c, "data_after", &all);
}

/* ---- Mistakes of the stencils ---- */

typedef enum Slip {
    RADIUS_OF_TODO_3,
    SUM_OF_TODO_3,
    LOAD_OF_TODO_3,
    EDGES_REPEATED,
    EDGES_JOINED,
    FIRST_IS_0,
    LAST_IS_0,
    HALO_IS_0,
    LEFT_HALO_IS_0,
    RIGHT_HALO_IS_0,
    RADIUS_AHEAD,
    RADIUS_BEHIND,
    ONE_AHEAD,
    ONE_BEHIND,
    LAST_MISSING,
    FIRST_MISSING,
    SMALLER_RADIUS,
    SHORTER_WINDOW,
    WEIGHTS_FROM_0,
    WEIGHTS_BACKWARDS,
    WEIGHTS_1,
    FIRST_TILE_ONLY,
    RADIUS_OF_CALL_BEFORE,
    OWN_MISSING,
    LEFT_SIDE_ALONE,
    RIGHT_SIDE_ALONE,
    WEIGHTS_FROM_EDGE,
    ENDS_OUTSIDE,
    EDGES_ARE_0,
    EDGES_AS_THEY_ARE,
    N_SLIPS
} Slip;

static const char *const slips[N_SLIPS][2] = {
    [EDGES_REPEATED] =
        {"outside of the array the first or the last element is repeated, where 0 belongs",
         "What does load_tile put into the tile for an element that does not exist: 0, or what an index that was cut to the array finds?"},
    [EDGES_JOINED] = {"outside of the array its other end follows, as in a ring, where 0 belongs",
                      "What does load_tile put into the tile for an element that does not exist: 0, or what the remainder of the index finds?"},
    [FIRST_IS_0] = {"in[0] counts as 0, as if it lay outside of the array", "Does the test of the left edge take element 0 for one that is there?"},
    [LAST_IS_0] = {"in[n - 1] counts as 0, as if it lay outside of the array",
                   "Does the test of the right edge take element n - 1 for one that is there?"},
    [HALO_IS_0] = {"neighbours in other blocks count as 0",
                   "Are the elements on both sides of the block's own loaded from in, where they exist? Only outside of the array 0 belongs."},
    [LEFT_HALO_IS_0] = {"neighbours in the block to the left count as 0",
                        "Are the elements left of the block's own loaded from in, where they exist? Only outside of the array 0 belongs."},
    [RIGHT_HALO_IS_0] = {"neighbours in the block to the right count as 0",
                         "Are the elements right of the block's own loaded from in, where they exist? Only outside of the array 0 belongs."},
    [RADIUS_AHEAD] =
        {"element i is the sum around element i + radius",
         "Which element is in tile[0]? The tile begins radius elements before the block's first one, and the window of thread t at tile[t]."},
    [RADIUS_BEHIND] = {"element i is the sum around element i - radius",
                       "Which element is in tile[0]? The tile begins radius elements before the block's first one: is the radius taken off twice?"},
    [ONE_AHEAD] = {"element i is the sum around element i + 1",
                   "Which element is in tile[0], and with which place of the tile does the window of thread 0 begin?"},
    [ONE_BEHIND] = {"element i is the sum around element i - 1",
                    "Which element is in tile[0], and with which place of the tile does the window of thread 0 begin?"},
    [LAST_MISSING] = {"the last neighbour, in[i + radius], is not in the sum", "How many elements are summed up? There are 2 * radius + 1 of them."},
    [FIRST_MISSING] = {"the first neighbour, in[i - radius], is not in the sum",
                       "With which element does the sum begin? There are 2 * radius + 1 of them."},
    [SMALLER_RADIUS] = {"it is the sum for a radius that is one less", "Which radius does the sum have, and which one the load?"},
    [SHORTER_WINDOW] = {"the last two neighbours are not in the sum, as if the radius were one less",
                        "Which radius is weighted_sum given, and with which place of the tile does the window begin?"},
    [WEIGHTS_FROM_0] = {"the weights begin with 0, and not with 1",
                        "Which weight has the first neighbour? weighted_sum, which is given, begins with 1."},
    [WEIGHTS_BACKWARDS] = {"the weights go from right to left", "Which weight has the first neighbour on the left, 1 or 2 * radius + 1?"},
    [WEIGHTS_1] = {"all weights are 1", "What is each neighbour multiplied by? weighted_sum, which is given, does it."},
    [RADIUS_OF_TODO_3] =
        {"it is the sum for radius 4, which is not the radius of this launch",
         "Which radius do the load and the sum have: the one that the kernel is given, STENCIL_RADIUS, or one less than it should be?"},
    [SUM_OF_TODO_3] = {"only 9 elements are summed up, from in[i - radius] on",
                       "Which radius is weighted_sum given: that of this launch, STENCIL_RADIUS, or one less than it should be?"},
    [LOAD_OF_TODO_3] = {"the sum begins with in[i - 4], and has as many elements as the radius asks for",
                        "How far before the block's first element does the tile begin: the radius of this launch, STENCIL_RADIUS, or one less?"},
    [FIRST_TILE_ONLY] = {"in each turn of the loop a block sums up its first tile again",
                         "Is the tile of this turn loaded, from the loop's own `first` on, or again that of blockIdx.x?"},
    [RADIUS_OF_CALL_BEFORE] = {"it is the sum for half the radius, as the first call of the program has it",
                               "Does a static or global variable keep the radius from one call to the next?"},
    [OWN_MISSING] = {"in[i] itself is not in the sum, and all its neighbours are",
                     "How many elements are summed up? The one in the middle is one of them."},
    [LEFT_SIDE_ALONE] = {"the sum ends with in[i]: the neighbours to the right are not in it",
                         "How many elements are summed up? There are 2 * radius + 1 of them. Or are the other weights 0, as those of an earlier call with half the radius are kept?"},
    [RIGHT_SIDE_ALONE] = {"the sum begins with in[i]: the neighbours to the left are not in it, and the weights are those of the right side",
                          "With which element does the sum begin? There are 2 * radius + 1 of them."},
    [WEIGHTS_FROM_EDGE] =
        {"at the left edge the first element that there is has weight 1",
         "Neighbours outside of the array count as 0, and each has its weight all the same: is a weight left out where an element is?"},
    [ENDS_OUTSIDE] = {"where a neighbour to the left is outside of the array, the sum is 0",
                      "Does the sum end at the first neighbour that does not exist, or go on behind it? Which element does load_tile put there: 0?"},
    [EDGES_ARE_0] = {"where a neighbour is outside of the array, on either side, the sum is 0",
                     "The first and the last elements have sums, too, of the neighbours that exist: which test leaves them out?"},
    [EDGES_AS_THEY_ARE] = {"where a neighbour is outside of the array, on either side, the element is as it is in `in`",
                           "The first and the last elements have sums, too, of the neighbours that exist: which test leaves them out?"},
};

typedef struct Stencil {
    const int32_t *in;
    int64_t n, radius, threads, grid; /* grid: threads of all blocks; 0 where there are as many as elements */
} Stencil;

/* What counts for element k in the sum of element i. */
static int32_t neighbour(const Stencil *s, Slip slip, int64_t i, int64_t k)
{
    if (slip == HALO_IS_0 || slip == LEFT_HALO_IS_0 || slip == RIGHT_HALO_IS_0) {
        int64_t block = i / s->threads, of = (k + s->n * s->threads) / s->threads - s->n; /* rounded down, below 0 too */
        int is_left = of < block && slip != RIGHT_HALO_IS_0, is_right = of > block && slip != LEFT_HALO_IS_0;
        if (is_left || is_right)
            return 0;
    }
    if (slip == OWN_MISSING && k == i)
        return 0;
    if ((slip == FIRST_IS_0 && k == 0) || (slip == LAST_IS_0 && k == s->n - 1))
        return 0;
    if (slip == EDGES_REPEATED)
        k = k < 0 ? 0 : k >= s->n ? s->n - 1 : k;
    if (slip == EDGES_JOINED)
        k = ((k % s->n) + s->n) % s->n;
    return k >= 0 && k < s->n ? s->in[k] : 0;
}

static int32_t sum_with(const Stencil *s, Slip slip, int64_t i)
{
    int64_t r = s->radius, begin = i - r, count = 2 * r + 1, weight = 1, step = 1;
    switch (slip) {
    case RADIUS_AHEAD:
        begin += r;
        break;
    case RADIUS_BEHIND:
        begin -= r;
        break;
    case ONE_AHEAD:
        begin++;
        break;
    case ONE_BEHIND:
        begin--;
        break;
    case LAST_MISSING:
        count--;
        break;
    case FIRST_MISSING:
        begin++, count--, weight++;
        break;
    case SMALLER_RADIUS:
        begin++, count -= 2;
        break;
    case SHORTER_WINDOW:
        count -= 2;
        break;
    case WEIGHTS_FROM_0:
        weight = 0;
        break;
    case WEIGHTS_BACKWARDS:
        weight = count, step = -1;
        break;
    case WEIGHTS_1:
        step = 0;
        break;
    case RADIUS_OF_TODO_3:
        begin = i - STENCIL_RADIUS, count = 2 * STENCIL_RADIUS + 1;
        break;
    case SUM_OF_TODO_3:
        count = 2 * STENCIL_RADIUS + 1;
        break;
    case LOAD_OF_TODO_3:
        begin = i - STENCIL_RADIUS;
        break;
    case FIRST_TILE_ONLY:
        begin = i % s->grid - r;
        break;
    case RADIUS_OF_CALL_BEFORE:
        begin = i - r / 2, count = r / 2 * 2 + 1;
        break;
    case LEFT_SIDE_ALONE:
        count = r + 1;
        break;
    case RIGHT_SIDE_ALONE:
        begin = i, count = r + 1, weight = r + 1;
        break;
    case WEIGHTS_FROM_EDGE:
        if (begin < 0)
            count += begin, begin = 0;
        break;
    case ENDS_OUTSIDE:
    case EDGES_ARE_0:
    case EDGES_AS_THEY_ARE:
        if (begin < 0 || (slip != ENDS_OUTSIDE && i + r >= s->n))
            return slip == EDGES_AS_THEY_ARE ? s->in[i] : 0;
        break;
    default:
        break;
    }
    int64_t sum = 0;
    for (int64_t d = 0; d < count; d++, weight += step)
        sum += weight * neighbour(s, slip, i, begin + d);
    return (int32_t)sum;
}

static void mistake_stencil(JudgeCase *c)
{
    size_t n = 0;
    Stencil s = {.in = judge_input_i32(c, "in", &n), .radius = STENCIL_RADIUS, .threads = 256};
    s.n = (int64_t)n;
    if (judge_has_param(c, "radius"))
        s.radius = judge_param_int(c, "radius"), s.threads = judge_param_int(c, "threads");
    if (judge_has_param(c, "blocks"))
        s.grid = judge_param_int(c, "blocks") * s.threads;
    for (Slip slip = 0; slip < N_SLIPS; slip++) {
        int is_of_todo_3 = slip == RADIUS_OF_TODO_3 || slip == SUM_OF_TODO_3 || slip == LOAD_OF_TODO_3;
        if (s.radius == 0 && !is_of_todo_3) /* no neighbours: what is left may be 0, or right */
            continue;
        if ((is_of_todo_3 && !judge_has_param(c, "radius")) || (slip == FIRST_TILE_ONLY && s.grid == 0) ||
            (slip == RADIUS_OF_CALL_BEFORE && !(judge_has_param(c, "radius") && judge_has_param(c, "again"))))
            continue;
        int32_t *out = judge_mistake(c, "out", slips[slip][0], slips[slip][1]);
        for (int64_t i = 0; out && i < s.n; i++)
            out[i] = sum_with(&s, slip, i);
    }
}

void judge_mistakes(JudgeCase *c)
{
    if (is_reverse(c))
        mistake_reverse(c);
    else
        mistake_stencil(c);
}
