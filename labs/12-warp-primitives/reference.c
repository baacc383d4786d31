/* Lab 12: inputs and right answers.
 *
 * Parameters: `function`, one of warp_primitives.h; n; width, for below_largest; `sign`: -1 for elements that
 * are all negative, -2 for the same down to the least, which make up the last run if it is short and end it, 1 for all positive, 0 or nothing for both; `ones`: each third element is 1. `calls` is the driver's.
 *
 * judge_mistakes: a Slip says what element i of the output is after a mistake; those of exchanges are worked out lane by lane.
 */
#include "judge.h"

#include <stdio.h>
#include <string.h>

enum { RUN = 32 };

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    int64_t sign = judge_has_param(c, "sign") ? judge_param_int(c, "sign") : 0;
    int32_t largest = judge_has_param(c, "largest") ? (int32_t)judge_param_int(c, "largest") : 1000;
    int32_t low = sign > 0 ? 1 : sign == -2 ? INT32_MIN : -largest, high = sign < 0 ? -1 : largest;
    int32_t *in = judge_input_make_i32(c, "in", n);
    judge_fill_i32(c, in, low, high);
    for (size_t i = n - n % RUN; sign == -2 && i < n; i++)
        in[i] = low + (int32_t)((n - 1 - i) % 7);
    for (size_t i = 0; judge_has_param(c, "ones") && i < n; i += 3)
        in[i] = 1;
    int counts = strcmp(judge_param_text(c, "function"), "count_positive") == 0 && n >= 96 && sign == 0 && largest == 1000;
    for (size_t i = 32; i < 96 && counts; i++) /* of the second run, and of the third, the last one alone is positive */
        in[i] = i % 32 == 31 ? 7 : -(int32_t)i;
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

enum { COUNTED = 65000 }; /* so many elements and more have cases that count blocks */

/* The contract's number of blocks for few elements, by the record. */
static void judge_blocks(JudgeCase *c, size_t n)
{
    static char why[256];
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && n < COUNTED && i < n_calls; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0 && calls[i].number > n / RUN + 32) {
            snprintf(why, sizeof why, "A launch has %llu blocks, for %zu elements or fewer; n / 32 + 32 are allowed, which is %zu.",
                     (unsigned long long)calls[i].number, n, n / RUN + 32);
            judge_refuse(c, why);
            return;
        }
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
    judge_expect_nothing(c);
    judge_expect_destroyed(c);
    const int32_t *in = judge_input_i32(c, "in", &n);
    judge_blocks(c, n);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        if (strcmp(functions[k].name, judge_param_text(c, "function")) == 0)
            functions[k].expect(c, in, n);
}

/* ---- What mistakes give ---- */

enum { BLOCK = 256 };

typedef struct Call {
    const int32_t *in;
    int64_t n, width;
} Call;

enum { SUMS = 1, SCANS = 2, GROUPS = 4, POSITIVE = 8, COUNT = 16 };

typedef struct Slip {
    unsigned of; /* functions */
    const char *sentence, *hint;
    int32_t (*value)(const Call *, int64_t i); /* of the output's element i */
} Slip;

static int32_t element(const Call *c, int64_t i, int32_t absent)
{
    return i < c->n ? c->in[i] : absent;
}

static int64_t end_of(const Call *c, int64_t first, int64_t length)
{
    return first + length < c->n ? first + length : c->n;
}

/* Sums wrap round, as a card's do. */
static int32_t plus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t sum_between(const Call *c, int64_t first, int64_t end)
{
    int32_t sum = 0;
    for (int64_t i = first; i < end; i++)
        sum = plus(sum, c->in[i]);
    return sum;
}

/* ---- Exchanges ---- */

typedef enum Way { DOWN, UP, XOR } Way;
typedef enum Joined { ADDED, REPLACED, LARGER } Joined;

/* The steps of an exchange: `first`, and then `by` / `over` times the one before, while they are from `least` to `most`. */
typedef struct Steps {
    Way way;
    int first, by, over, least, most;
    Joined joined;
    int test;       /* of my_lane(): 1: >= d, 2: > d, 0: none */
    int32_t absent; /* what lanes without an element put in */
} Steps;

static int partner_of(Way way, int lane, int step)
{
    int partner = way == DOWN ? lane + step : way == UP ? lane - step : lane ^ step;
    return partner < 0 || partner >= RUN ? lane : partner;
}

static int32_t joined(Joined how, int32_t own, int32_t other)
{
    if (how == ADDED)
        return plus(own, other);
    return how == REPLACED || other > own ? other : own;
}

/* What `lane` of the warp whose first element is `first` has after all steps. */
static int32_t exchanged(const Call *c, const Steps *s, int64_t first, int64_t lane)
{
    int32_t own[RUN], before[RUN];
    for (int l = 0; l < RUN; l++)
        own[l] = element(c, first + l, s->absent);
    for (int step = s->first; step >= s->least && step <= s->most; step = step * s->by / s->over) {
        memcpy(before, own, sizeof own);
        for (int l = 0; l < RUN; l++)
            if (s->test == 0 || l > step || (s->test == 1 && l == step))
                own[l] = joined(s->joined, before[l], before[partner_of(s->way, l, step)]);
    }
    return own[lane];
}

/* ---- Sums of runs ---- */

#define SUM(name, lane, ...)                                                                                                                         \
    static int32_t name(const Call *c, int64_t i)                                                                                                    \
    {                                                                                                                                                \
        static const Steps steps = {__VA_ARGS__, .most = RUN};                                                                                       \
        return exchanged(c, &steps, i * RUN, lane);                                                                                                  \
    }
SUM(sum_of_last_lane, RUN - 1, DOWN, .first = 16, .by = 1, .over = 2, .least = 1)
SUM(sum_from_8, 0, DOWN, .first = 8, .by = 1, .over = 2, .least = 1)
SUM(sum_from_32, 0, DOWN, .first = 32, .by = 1, .over = 2, .least = 1)
SUM(sum_without_last_step, 0, DOWN, .first = 16, .by = 1, .over = 2, .least = 2)
SUM(sum_by_quarters, 0, DOWN, .first = 16, .by = 1, .over = 4, .least = 1)
SUM(sum_up, 0, UP, .first = 16, .by = 1, .over = 2, .least = 1)
SUM(sum_replaced, 0, DOWN, .first = 16, .by = 1, .over = 2, .least = 1, .joined = REPLACED)

static int32_t sum_is_first(const Call *c, int64_t i)
{
    return c->in[i * RUN];
}

static int32_t sum_of_block(const Call *c, int64_t i)
{
    int64_t first = i * RUN / BLOCK * BLOCK;
    return sum_between(c, first, end_of(c, first, BLOCK));
}

static int32_t sum_up_to_run(const Call *c, int64_t i)
{
    return sum_between(c, 0, end_of(c, i * RUN, RUN));
}

static int32_t sum_of_full_runs(const Call *c, int64_t i)
{
    return (i + 1) * RUN > c->n ? 0 : sum_between(c, i * RUN, (i + 1) * RUN);
}

static int32_t sum_without_first(const Call *c, int64_t i)
{
    return sum_between(c, i * RUN + (i == 0), end_of(c, i * RUN, RUN));
}

static int32_t sum_without_last(const Call *c, int64_t i)
{
    return sum_between(c, i * RUN, end_of(c, i * RUN, RUN) - (i == (c->n - 1) / RUN));
}

/* ---- Running sums ---- */

#define SCAN(name, ...)                                                                                                                              \
    static int32_t name(const Call *c, int64_t i)                                                                                                    \
    {                                                                                                                                                \
        static const Steps steps = {__VA_ARGS__};                                                                                                    \
        return exchanged(c, &steps, i / RUN * RUN, i % RUN);                                                                                         \
    }
SCAN(scan_all_add, UP, .first = 1, .by = 2, .over = 1, .least = 1, .most = 16)
SCAN(scan_above_d, UP, .first = 1, .by = 2, .over = 1, .least = 1, .most = 16, .test = 2)
SCAN(scan_to_8, UP, .first = 1, .by = 2, .over = 1, .least = 1, .most = 8, .test = 1)
SCAN(scan_from_2, UP, .first = 2, .by = 2, .over = 1, .least = 1, .most = 16, .test = 1)
SCAN(scan_by_4, UP, .first = 1, .by = 4, .over = 1, .least = 1, .most = 16, .test = 1)
SCAN(scan_down, DOWN, .first = 1, .by = 2, .over = 1, .least = 1, .most = 16, .test = 1)
SCAN(scan_replaced, UP, .first = 1, .by = 2, .over = 1, .least = 1, .most = 16, .joined = REPLACED, .test = 1)
SCAN(scan_xor, XOR, .first = 1, .by = 2, .over = 1, .least = 1, .most = 16, .test = 1)

static int32_t scan_exclusive(const Call *c, int64_t i)
{
    return sum_between(c, i / RUN * RUN, i);
}

static int32_t scan_from_end(const Call *c, int64_t i)
{
    return sum_between(c, i, end_of(c, i / RUN * RUN, RUN));
}

static int32_t scan_total(const Call *c, int64_t i)
{
    return sum_between(c, i / RUN * RUN, end_of(c, i / RUN * RUN, RUN));
}

static int32_t scan_of_block(const Call *c, int64_t i)
{
    return sum_between(c, i / BLOCK * BLOCK, i + 1);
}

static int32_t own_element(const Call *c, int64_t i)
{
    return c->in[i];
}

/* ---- The largest of a group ---- */

static int32_t largest_between(const Call *c, int64_t first, int64_t end, int32_t most)
{
    for (int64_t i = first; i < end; i++)
        most = c->in[i] > most ? c->in[i] : most;
    return most;
}

static int32_t largest_of_group(const Call *c, int64_t i, int64_t width)
{
    int64_t first = i / width * width;
    return largest_between(c, first, end_of(c, first, width), c->in[first]);
}

static int32_t less(int32_t largest, int32_t own)
{
    return (int32_t)((uint32_t)largest - (uint32_t)own);
}

static int32_t of_whole_run(const Call *c, int64_t i)
{
    return less(largest_of_group(c, i, RUN), c->in[i]);
}

static int32_t of_groups_of_8(const Call *c, int64_t i)
{
    return less(largest_of_group(c, i, 8), c->in[i]);
}

static int32_t of_two_groups(const Call *c, int64_t i)
{
    return less(largest_of_group(c, i, c->width < RUN ? 2 * c->width : RUN), c->in[i]);
}

static int32_t of_half_a_group(const Call *c, int64_t i)
{
    return less(largest_of_group(c, i, c->width / 2), c->in[i]);
}

static int32_t butterfly(const Call *c, int64_t i, Steps steps)
{
    return less(exchanged(c, &steps, i / RUN * RUN, i % RUN), c->in[i]);
}

static int32_t without_last_step(const Call *c, int64_t i)
{
    return butterfly(c, i, (Steps){XOR, (int)c->width / 2, 1, 2, 2, RUN, LARGER, .absent = INT32_MIN});
}

static int32_t by_quarters(const Call *c, int64_t i)
{
    return butterfly(c, i, (Steps){XOR, (int)c->width / 2, 1, 4, 1, RUN, LARGER, .absent = INT32_MIN});
}

static int32_t downwards(const Call *c, int64_t i)
{
    return butterfly(c, i, (Steps){DOWN, (int)c->width / 2, 1, 2, 1, RUN, LARGER, .absent = INT32_MIN});
}

static int32_t downwards_in_group(const Call *c, int64_t i)
{
    int64_t first = i / c->width * c->width;
    return less(largest_between(c, i, end_of(c, first, c->width), c->in[i]), c->in[i]);
}

static int32_t upwards(const Call *c, int64_t i)
{
    return butterfly(c, i, (Steps){UP, (int)c->width / 2, 1, 2, 1, RUN, LARGER, .absent = INT32_MIN});
}

static int32_t absent_is_0(const Call *c, int64_t i)
{
    int64_t first = i / c->width * c->width;
    int32_t most = largest_of_group(c, i, c->width);
    return less(first + c->width > c->n && most < 0 ? 0 : most, c->in[i]);
}

static int32_t begins_with_0(const Call *c, int64_t i)
{
    int32_t most = largest_of_group(c, i, c->width);
    return less(most < 0 ? 0 : most, c->in[i]);
}

static int32_t of_first_group(const Call *c, int64_t i)
{
    return less(largest_of_group(c, i / RUN * RUN, c->width), c->in[i]);
}

static int32_t smallest(const Call *c, int64_t i)
{
    int64_t first = i / c->width * c->width, end = end_of(c, first, c->width);
    int32_t least = c->in[first];
    for (int64_t k = first; k < end; k++)
        least = c->in[k] < least ? c->in[k] : least;
    return less(least, c->in[i]);
}

static int32_t largest_unsigned(const Call *c, int64_t i)
{
    int64_t first = i / c->width * c->width, end = end_of(c, first, c->width);
    int32_t most = c->in[first];
    for (int64_t k = first; k < end; k++)
        most = (uint32_t)c->in[k] > (uint32_t)most ? c->in[k] : most;
    return less(most, c->in[i]);
}

static int32_t largest_alone(const Call *c, int64_t i)
{
    return largest_of_group(c, i, c->width);
}

static int32_t other_sign(const Call *c, int64_t i)
{
    return less(c->in[i], largest_of_group(c, i, c->width));
}

static int32_t less_the_first(const Call *c, int64_t i)
{
    return less(c->in[i / c->width * c->width], c->in[i]);
}

static int32_t always_0(const Call *c, int64_t i)
{
    (void)c, (void)i;
    return 0;
}

/* ---- The positive ones first ---- */

/* The place of the run's `which`-th element with that sign, from 0 on; -1: there are not so many. */
static int64_t place_of(const Call *c, int64_t first, int64_t end, int sign, int64_t which)
{
    for (int64_t i = first; i < end; i++)
        if ((c->in[i] > 0) - (c->in[i] < 0) == sign && which-- == 0)
            return i;
    return -1;
}

static int64_t count_between(const Call *c, int64_t first, int64_t end, int sign)
{
    int64_t count = 0;
    for (int64_t i = first; i < end; i++)
        count += (c->in[i] > 0) - (c->in[i] < 0) == sign;
    return count;
}

static int32_t or_0(const Call *c, int64_t i)
{
    return i < 0 ? 0 : c->in[i];
}

/* Element i of a run, or of a longer piece, in which those with this sign come first. */
static int32_t front_of(const Call *c, int64_t i, int64_t length, int sign)
{
    int64_t first = i / length * length;
    return or_0(c, place_of(c, first, end_of(c, first, length), sign, i - first));
}

static int32_t not_moved(const Call *c, int64_t i)
{
    return c->in[i] > 0 ? c->in[i] : 0;
}

static int32_t negative_first(const Call *c, int64_t i)
{
    return front_of(c, i, RUN, -1);
}

static int32_t front_of_block(const Call *c, int64_t i)
{
    return front_of(c, i, BLOCK, 1);
}

static int32_t turned_round(const Call *c, int64_t i)
{
    int64_t first = i / RUN * RUN, end = end_of(c, first, RUN), count = count_between(c, first, end, 1);
    return i - first < count ? c->in[place_of(c, first, end, 1, count - 1 - (i - first))] : 0;
}

static int32_t at_the_end(const Call *c, int64_t i)
{
    int64_t first = i / RUN * RUN, end = end_of(c, first, RUN), count = count_between(c, first, end, 1);
    return i < end - count ? 0 : c->in[place_of(c, first, end, 1, i - (end - count))];
}

static int32_t rest_as_it_was(const Call *c, int64_t i)
{
    int64_t first = i / RUN * RUN, end = end_of(c, first, RUN);
    return i - first < count_between(c, first, end, 1) ? front_of(c, i, RUN, 1) : c->in[i];
}

static int32_t rest_moved(const Call *c, int64_t i)
{
    int64_t first = i / RUN * RUN, end = end_of(c, first, RUN), which = i - first - count_between(c, first, end, 1);
    for (int64_t k = first; which >= 0 && k < end; k++)
        if (c->in[k] <= 0 && which-- == 0)
            return c->in[k];
    return front_of(c, i, RUN, 1);
}

static int32_t zeros_count(const Call *c, int64_t i)
{
    int64_t first = i / RUN * RUN, end = end_of(c, first, RUN), which = i - first;
    for (int64_t k = first; k < end; k++)
        if (c->in[k] >= 0 && which-- == 0)
            return c->in[k];
    return 0;
}

/* ---- How many are positive ---- */

/* The sum over all runs of what one adds: `positive` of its `n` elements are. */
#define ADDS(name, condition, what)                                                                                                                  \
    static int32_t name(const Call *c, int64_t i)                                                                                                    \
    {                                                                                                                                                \
        int64_t sum = 0;                                                                                                                             \
        for (int64_t first = i; first < c->n; first += RUN) {                                                                                        \
            int64_t end = end_of(c, first, RUN), positive = count_between(c, first, end, 1), n = end - first;                                        \
            (void)n, (void)positive;                                                                                                                 \
            sum += (condition) ? (what) : 0;                                                                                                         \
        }                                                                                                                                            \
        return (int32_t)(uint32_t)sum;                                                                                                               \
    }
ADDS(each_lane_adds, 1, positive *n)
ADDS(each_thread_adds, 1, positive *RUN)
ADDS(each_positive_adds, 1, positive *positive)
ADDS(one_for_a_run, positive > 0, 1)
ADDS(leader_is_positive, c->in[first] > 0, positive)
ADDS(first_lanes, c->in[first] > 0, 1)
ADDS(full_runs, n == RUN, positive)
ADDS(first_of_blocks, first % BLOCK == 0, positive)
ADDS(two_calls, 1, 2 * positive)
ADDS(last_run, first + RUN >= c->n, positive)
ADDS(all_elements, 1, n)
ADDS(negative_ones, 1, count_between(c, first, end, -1))
ADDS(not_negative, 1, positive + count_between(c, first, end, 0))
ADDS(not_zero, 1, n - count_between(c, first, end, 0))
ADDS(without_first, 1, positive - (first == 0 && c->in[0] > 0))
ADDS(without_last, 1, positive - (end == c->n && c->in[c->n - 1] > 0))
ADDS(by_lane_behind, 1, positive == 1 && end - first == RUN && c->in[end - 1] > 0 ? 0 : positive)

static int32_t ballots_added(const Call *c, int64_t i)
{
    uint32_t sum = 0;
    for (; i < c->n; i++)
        sum += c->in[i] > 0 ? 1u << i % RUN : 0;
    return (int32_t)sum;
}

static int32_t values_added(const Call *c, int64_t i)
{
    int32_t sum = 0;
    for (; i < c->n; i++)
        sum = c->in[i] > 0 ? plus(sum, c->in[i]) : sum;
    return sum;
}

static const char LANE
    [] = "Which lane has the sum of all after the last exchange? Only lane 0; what the others have is garbage.",
    STEPS
        [] = "Which steps does the loop take? In a warp 16, 8, 4, 2 and 1: look at its first value, at the condition and at what a turn does with s.",
   WAY[] = "Which lane's value does this exchange give? __shfl_down_sync that of a lane above, __shfl_up_sync that of a lane below, and its own "
           "where there is none.",
   JOIN[] = "What does a lane do with the value that it gets? It is joined to its own (+=), and does not take its place (=).",
   RUNS[] = "To which run does an element belong, and which warp works on it? Element i is in run i / 32, and a run begins anew.",
   ENDS[] = "Which elements does the test of i let in? All from 0 to n - 1, in the last run too; only a lane with i >= n puts in 0.",
   DISTANCES[] = "Which distances does the loop take? 1, 2, 4, 8 and 16, while d < 32.",
   BELOW[] = "Which lanes must not add what they get? Those without a lane d below them: lane d itself has one, lane 0.",
   INCLUDED[] = "Is a lane's own element in its sum? It is the sum from the run's first element to this one, this one included.",
   WIDTH[] = "How far does the first step reach, and how far the last? In a group of `width` lanes from width / 2 down to 1.",
   PAIRS[] =
       "Which lanes know the largest after the last step? With __shfl_down_sync one of each group; a butterfly, __shfl_xor_sync, gives it to all.",
   NOTHING[] = "With what does a lane begin, and what does a lane without an element put in? All elements may be negative: 0 is larger than they "
               "are, INT_MIN is not.",
   RESULT[] = "What is stored? The largest of the group less the lane's own element, largest - own.",
   PLACE[] = "What is the place of a positive element in its run? The number of positive ones in the lanes below it: the bits of the vote below bit "
             "`lane`, counted.",
   REST[] =
       "What stands behind the positive ones? As many zeros as there are other elements in the run: each lane without a positive element writes a 0.",
   VOTE[] = "What does each lane vote? i < n && in[i] > 0: 0 is not positive, and a lane without an element has no vote.",
   SPEAKER[] = "Which lane adds for its warp, and how much? One that is surely there, whatever its own element is, and __popc of the vote.",
   START[] = "Is *count 0 when the kernel begins, in each call, and does each warp add once?";

static const Slip slips[] = {
    {SUMS, "the results are those of lane 31", LANE, sum_of_last_lane},
    {SUMS, "only the first 16 elements of each run are in its sum, as when steps begin with 8", STEPS, sum_from_8},
    {SUMS, "each sum is twice what it must be, as when steps begin with 32", STEPS, sum_from_32},
    {SUMS, "every other element of each run is left out, as without the step of 1", STEPS, sum_without_last_step},
    {SUMS, "only 8 elements of each run are in its sum, as with steps of 16, 4 and 1", STEPS, sum_by_quarters},
    {SUMS, "each sum is 32 times the first element of its run", WAY, sum_up},
    {SUMS, "each sum is the last element of its run, that of lane 31", JOIN, sum_replaced},
    {SUMS, "each sum is the first element of its run alone",
     "Is the result of the exchange used? It gives the value of another lane, and changes nothing by itself.", sum_is_first},
    {SUMS, "each sum is that of all runs of its block", RUNS, sum_of_block},
    {SUMS, "each sum has the runs before it as well", RUNS, sum_up_to_run},
    {SUMS, "the last run, which is not full, has the sum 0", ENDS, sum_of_full_runs},
    {SUMS, "element 0 is left out", ENDS, sum_without_first},
    {SUMS, "the last element is left out", ENDS, sum_without_last},
    {SCANS, "lanes without a lane d below them have added their own value again", BELOW, scan_all_add},
    {SCANS, "lane d has not added what lane 0 had", BELOW, scan_above_d},
    {SCANS, "each sum has 16 elements at most, as without the distance of 16", DISTANCES, scan_to_8},
    {SCANS, "every other element is left out, as without the distance of 1", DISTANCES, scan_from_2},
    {SCANS, "each sum has 8 elements at most, as with distances of 1, 4 and 16", DISTANCES, scan_by_4},
    {SCANS, "lanes have added what lanes above them had", WAY, scan_down},
    {SCANS, "values were moved to other lanes, and not added", JOIN, scan_replaced},
    {SCANS, "lanes have added what their partners in pairs had", WAY, scan_xor},
    {SCANS, "each sum is without its own element", INCLUDED, scan_exclusive},
    {SCANS, "each sum goes from its element to the last one of the run", WAY, scan_from_end},
    {SCANS, "each sum is that of the whole run", "Which elements are in the sum of lane l? Those of lanes 0 to l, and none above.", scan_total},
    {SCANS, "the sums run on from one run of a block to the next", RUNS, scan_of_block},
    {SCANS, "they are the elements themselves, and nothing is added to them", JOIN, own_element},
    {GROUPS, "m is the largest of the whole run, and not of the group", WIDTH, of_whole_run},
    {GROUPS, "m is the largest of two groups", WIDTH, of_two_groups},
    {GROUPS, "m is the largest of half a group", WIDTH, of_half_a_group},
    {GROUPS, "m is the largest of 8 neighbours, whatever width is", WIDTH, of_groups_of_8},
    {GROUPS, "m is the largest of every other element of the group, as without the last step, of 1", WIDTH, without_last_step},
    {GROUPS, "m is what steps of width / 2, width / 8 and so on give, each a fourth of the one before", WIDTH, by_quarters},
    {GROUPS, "m is the largest from the lane's own element upwards, beyond the group too", PAIRS, downwards},
    {GROUPS, "m is the largest from the lane's own element to the group's last", PAIRS, downwards_in_group},
    {GROUPS, "m is the largest from the lane's own element downwards, beyond the group too", PAIRS, upwards},
    {GROUPS, "in the last group, which is not full, m is 0", NOTHING, absent_is_0},
    {GROUPS, "m is 0 where all elements of a group are negative", NOTHING, begins_with_0},
    {GROUPS, "m is the largest of the warp's first group, for all of its groups",
     "From which lane do all lanes take the result? Each group has a first lane of its own: lane / width * width.", of_first_group},
    {GROUPS, "m is the smallest of the group", "Does each step keep the larger of two values?", smallest},
    {GROUPS, "m is what comes out as the largest where the elements are taken for unsigned numbers, of which a negative one is larger than any positive one",
     "Of which type are the numbers that are compared: the variables, casts, arguments of max or of __reduce_max_sync?", largest_unsigned},
    {GROUPS, "it is m itself", RESULT, largest_alone},
    {GROUPS, "it is in[i] - m", RESULT, other_sign},
    {GROUPS, "m is the first element of the group", "Is each value that a lane gets compared with the largest that it has so far?", less_the_first},
    {GROUPS, "all elements are 0, as if each element were the largest",
     "Is the result of each exchange kept? And is the lane's own element kept beside the largest so far?", always_0},
    {POSITIVE, "the positive elements are where they were, and the others are 0", PLACE, not_moved},
    {POSITIVE, "the negative elements are at the front", VOTE, negative_first},
    {POSITIVE, "the positive elements of a block are at its front, and not those of a run", RUNS, front_of_block},
    {POSITIVE, "the positive elements are in the opposite order", PLACE, turned_round},
    {POSITIVE, "the positive elements are at the end of the run", PLACE, at_the_end},
    {POSITIVE, "the rest of each run is as it was in `in`", REST, rest_as_it_was},
    {POSITIVE, "behind the positive elements there are the others, and not zeros", REST, rest_moved},
    {POSITIVE, "zeros have a place among the positive elements", VOTE, zeros_count},
    {COUNT, "each lane with an element has added what its whole warp has found", SPEAKER, each_lane_adds},
    {COUNT, "all 32 lanes have added what their warp has found", SPEAKER, each_thread_adds},
    {COUNT, "each lane with a positive element has added what its whole warp has found", SPEAKER, each_positive_adds},
    {COUNT, "it is the sum of the votes, taken as numbers", "How many bits of the vote are 1? __popc counts them.", ballots_added},
    {COUNT, "it is the sum of the positive elements", "What is added for a positive element? 1, whatever it is.", values_added},
    {COUNT, "it is how many runs have a positive element", SPEAKER, one_for_a_run},
    {COUNT, "only runs whose first element is positive are counted", SPEAKER, leader_is_positive},
    {COUNT, "only the first element of each run is counted", SPEAKER, first_lanes},
    {COUNT, "only the first run of each block is counted",
     "Which lane adds for its warp? A block has eight warps: it is the first lane of the warp, not of the block.", first_of_blocks},
    {COUNT, "it is how many are positive in full runs", ENDS, full_runs},
    {COUNT, "it is twice as many", START, two_calls},
    {COUNT, "it is how many are positive in the last run", "Does each warp add to *count, by atomicAdd, and not store its own number there?",
     last_run},
    {COUNT, "it is n", VOTE, all_elements},
    {COUNT, "it is how many are negative", VOTE, negative_ones},
    {COUNT, "it is how many are not negative", VOTE, not_negative},
    {COUNT, "it is how many are not 0", VOTE, not_zero},
    {COUNT, "it is how many are positive without element 0", ENDS, without_first},
    {COUNT, "it is how many are positive without the last element", ENDS, without_last},
    {COUNT, "runs of which only the last element is positive are missing", "Which lane adds for its warp, and is it there in every warp? __ffs counts from 1: the first lane of a mask is __ffs(mask) - 1.", by_lane_behind},
};

static unsigned function_of(JudgeCase *c)
{
    static const char *const names[] = {"run_sums", "run_scans", "below_largest", "positive_first", "count_positive"};
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(names[k], judge_param_text(c, "function")) == 0)
            return 1u << k;
    return 0;
}

void judge_mistakes(JudgeCase *c)
{
    size_t n = 0;
    unsigned of = function_of(c);
    Call call = {.in = judge_input_i32(c, "in", &n)};
    call.n = (int64_t)n;
    call.width = of == GROUPS ? judge_param_int(c, "width") : RUN;
    int64_t n_out = of == COUNT ? 1 : of == SUMS ? (call.n + RUN - 1) / RUN : call.n;
    for (size_t k = 0; k < sizeof slips / sizeof slips[0] && n > 0; k++) {
        int32_t *out = slips[k].of == of ? judge_mistake(c, "out", slips[k].sentence, slips[k].hint) : NULL;
        for (int64_t i = 0; i < n_out && out; i++)
            out[i] = slips[k].value(&call, i);
    }
}
