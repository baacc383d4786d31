/* Lab 14: inputs and right answers.
 *
 * Parameters: `function`, one of unified_memory.h (`table` for the three of the table), and its numbers under
 * their names there; `frames` for n_frames, `buckets` for n_buckets, `calls`: how often the queries are
 * counted. Each key is asked for once at least; a third of the other queries ask for keys that are not there.
 */
#include "judge.h"

#include "unified_memory.h"

#include <stdio.h>
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

/* Half of the keys are negative. */
static int32_t shift_of(size_t n_keys)
{
    return (int32_t)(1000 * (n_keys / 2));
}

/* The place of the key in whose range a query lies; n_keys or more: in that of none. */
static size_t place_of(int32_t query, size_t n_keys)
{
    int64_t from_first = (int64_t)query + shift_of(n_keys);
    return from_first < 0 ? n_keys : (size_t)from_first / 1000;
}

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
    for (size_t i = 0; i < n_keys; i++)
        keys[i] -= shift_of(n_keys);
    for (size_t i = 0; i < n; i++)
        queries[i] -= shift_of(n_keys);
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
        size_t at = place_of(queries[i], n_keys);
        if (at < n_keys && keys[at] == queries[i])
            hits[at] += calls;
    }
}

/* So much managed memory was there, in one array or several: that of correct is the table's, relax has two arrays. */
static void judge_managed(JudgeCase *c)
{
    size_t n_calls = 0, elements = is_function(c, "correct") ? size_param(c, "n_table") : size_param(c, "n") * (is_function(c, "relax") ? 2 : 1);
    uint64_t bytes = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++)
        bytes += strcmp(calls[i].op, "ALLOC") == 0 && strcmp(calls[i].error, "OK") == 0 && strcmp(calls[i].text, "managed") == 0 ? calls[i].number : 0;
    if (calls && bytes < elements * sizeof(float))
        judge_refuse(c, is_function(c, "correct") ? "The table is not in managed memory: there is to be one table, which the kernel and the host read both."
                                                  : "The array is not in managed memory, as the contract has it: which call allocates memory that the host and the device reach by the same pointer?");
}

/* The kernels that are given do an element a thread. Who rounds up by one more block where the threads divide n has one that nobody needs. */
static void judge_blocks(JudgeCase *c)
{
    static char why[256];
    size_t n_calls = 0, n = size_param(c, "n");
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        size_t threads = strcmp(calls[i].op, "LAUNCH") == 0 ? strtoull(calls[i].text, NULL, 10) : 0;
        if (threads == 0 || n % threads != 0 || calls[i].number != n / threads + 1 || !strstr(calls[i].text, is_function(c, "correct") ? "correct_kernel" : is_function(c, "relax") ? "relax_kernel" : "scale_kernel"))
            continue;
        snprintf(why, sizeof why, "A launch has %llu blocks of %zu threads for %zu elements, which is one more than they need: round up only where the last block is not full.",
                 (unsigned long long)calls[i].number, threads, n);
        judge_refuse(c, why);
        return;
    }
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    judge_expect_nothing(c);
    if (is_function(c, "scale") || is_function(c, "relax") || is_function(c, "correct"))
        judge_blocks(c);
    if (is_function(c, "scale") || is_function(c, "relax") || is_function(c, "correct") || is_function(c, "grind"))
        judge_managed(c);
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

/* ---- What certain mistakes give ---- */

static void name_scaled(JudgeCase *c, double factor, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = factor * in[i];
}

static void name_scales(JudgeCase *c)
{
    double factor = judge_param_float(c, "factor");
    name_scaled(c, 1, "it is in, unchanged", factor > 1 && factor < 2 ? "Does the kernel get the array that the host fills, and does the host take the result out of that array, behind the wait? Is the factor kept in an int anywhere, which makes 1 of 1.5?" : "Does the kernel get the array that the host fills, and does the host take the result out of that array, behind the wait?");
    name_scaled(c, factor * factor, "it is in times the square of the factor", "Is the factor multiplied in twice: two launches, or the kernel and the host?");
    name_scaled(c, 0, "it is 0 everywhere", factor > -1 && factor < 1 ? "Does the host fill the managed array before the launch, with all n * sizeof(float) bytes of in? Is the factor kept in an int anywhere, which makes 0 of -0.25?" : "Does the host fill the managed array before the launch, with all n * sizeof(float) bytes of in?");
}

static void name_relaxed(JudgeCase *c, size_t rounds, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    if (out != NULL)
        refer_relax(in, out, n, rounds);
}

static void name_rounds_of_relax(JudgeCase *c)
{
    size_t rounds = size_param(c, "rounds");
    if (rounds > 1)
        name_relaxed(c, rounds - 1, "it is what one round fewer gives", "Which of the two arrays has the result of the last round, when the pointers have changed places behind it? Take that one out. Or does the loop make a round too few?");
    name_relaxed(c, 0, "it is in, unchanged", "Which of the two arrays did the kernel write last? Take that one out. Do they change places after each round, and does the loop make all rounds?");
    name_relaxed(c, 1, "it is what a single round gives", "Do the two arrays change places after each round, so that the next round begins with what this one has made?");
    name_relaxed(c, rounds + 1, "it is what one round more gives", "How many launches does the loop make for `rounds` rounds?");
}

/* out after rounds of which each adds the table's number `first` + `step` * r places behind the reading. */
static void name_corrected(JudgeCase *c, size_t first, size_t step, size_t rounds, size_t n_table, const char *sentence, const char *hint)
{
    size_t n = 0;
    const int32_t *reading = judge_input_i32(c, "reading", &n);
    const float *table = judge_input_f32(c, "table", NULL);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++) {
        out[i] = 0;
        for (size_t r = 0; r < rounds; r++)
            out[i] += table[((size_t)reading[i] + first + step * r) % n_table];
    }
}

static void name_corrections(JudgeCase *c)
{
    size_t n_table = size_param(c, "n_table"), rounds = size_param(c, "rounds");
    name_corrected(c, 0, 1, rounds - 1, n_table, "it is the sum without the last round", "From which round to which does the loop go, and is out taken out behind the last?");
    name_corrected(c, 1, 1, rounds - 1, n_table, "it is the sum without round 0", "With which number does the loop over the rounds begin?");
    name_corrected(c, 0, 1, rounds + 1, n_table, "it is the sum with one round more", "Where does the loop over the rounds end?");
    name_corrected(c, 1, 1, rounds, n_table, "it is the sum over the rounds from 1 on, one place too far", "Which number does the kernel get for the first round? It is 0.");
    name_corrected(c, 0, 0, rounds, n_table, "it is the sum of as many times round 0", "Does the kernel get the number of the round as its last argument, another one in each launch?");
    name_corrected(c, rounds - 1, 0, 1, n_table, "it is the last round alone", "Is out set to 0 once, before the first round, and never again?");
    if (judge_has_param(c, "again"))
        name_corrected(c, 0, 1, rounds, (n_table + 1) / 2, "it is what a table of half the length gives, as in the call before", "What is kept from an earlier call: a static variable, or the table's length?");
}

/* What the samples of round r are when they are taken in a certain wrong way. */
typedef enum Sample { OTHER_LENGTH, BOTH_TABLE, EXCHANGED, BEFORE, AT_THE_END, NEGATIVE, NO_TABLE, PLUS, SAMPLES } Sample;

static const char *const sample_hints[SAMPLES] = {
    [OTHER_LENGTH] = "That is what the samples give when both indexes are counted modulo n: which array has n elements, and which n_table?",
    [BOTH_TABLE] = "That is what the samples give when both indexes are counted modulo n_table: which array has n elements, and which n_table?",
    [EXCHANGED] = "That is what the samples give when 31 and 97 are exchanged: which of them belongs to out?",
    [BEFORE] = "That is what the samples give when each is taken before its round: take it behind the launch of the round, when that has been waited for.",
    [AT_THE_END] = "That is what the samples give when all are taken behind the last round: each belongs into the loop, as the next round changes out.",
    [NEGATIVE] = "That is the right number with the other sign: what is subtracted from what?",
    [NO_TABLE] = "That is what the samples give without the table: out minus a number of the table is wanted.",
    [PLUS] = "That is what the samples give when the table's number is added: it is to be subtracted.",
};

static float sample_of(const float *before, const float *now, const float *end, const float *table, size_t n, size_t n_table, size_t r, Sample s)
{
    float out = now[31 * r % n], own = table[97 * r % n_table];
    switch (s) {
    case OTHER_LENGTH:
        return 97 * r % n < n_table ? out - table[97 * r % n] : out;
    case BOTH_TABLE:
        return 31 * r % n_table < n ? now[31 * r % n_table] - own : out;
    case EXCHANGED:
        return now[97 * r % n] - table[31 * r % n_table];
    case BEFORE:
        return before[31 * r % n] - own;
    case AT_THE_END:
        return end[31 * r % n] - own;
    case NEGATIVE:
        return own - out;
    case NO_TABLE:
        return out;
    default:
        return out + own;
    }
}

/* after: [rounds + 1][n], out after so many rounds. */
static void name_controls(JudgeCase *c, const float *after, const float *table, size_t n, size_t n_table, size_t rounds)
{
    double without_first = 0, without_last = 0;
    for (int s = 0; s < SAMPLES; s++) {
        double control = 0;
        for (size_t r = 0; r < rounds; r++)
            control += (double)(r + 1) * sample_of(after + r * n, after + (r + 1) * n, after + rounds * n, table, n, n_table, r, (Sample)s);
        judge_mistake_value(c, "control", control, sample_hints[s]);
    }
    for (size_t r = 0; r < rounds; r++) {
        double sample = (double)(r + 1) * (after[(r + 1) * n + 31 * r % n] - table[97 * r % n_table]);
        without_first += r > 0 ? sample : 0;
        without_last += r + 1 < rounds ? sample : 0;
    }
    judge_mistake_value(c, "control", without_first, "That is what the samples give without that of round 0: is control[0] written?");
    judge_mistake_value(c, "control", without_last, "That is what the samples give without that of the last round: is control[rounds - 1] written?");
    judge_mistake_value(c, "control", 0, "All samples are 0, as when control is never written: the host takes one after each round.");
}

static void name_samples(JudgeCase *c)
{
    size_t n = 0, n_table = 0, rounds = size_param(c, "rounds");
    const int32_t *reading = judge_input_i32(c, "reading", &n);
    const float *table = judge_input_f32(c, "table", &n_table);
    float *after = calloc((rounds + 1) * n + 1, sizeof *after);
    for (size_t r = 0; r < rounds && after != NULL; r++)
        for (size_t i = 0; i < n; i++)
            after[(r + 1) * n + i] = after[r * n + i] + table[((size_t)reading[i] + r) % n_table];
    if (after != NULL && n > 0)
        name_controls(c, after, table, n, n_table, rounds);
    free(after);
}

/* Which keys count: `key` by its place among the keys of its list, of `last` + 1. */
typedef enum Found { ALL_KEYS, FIRST_KEY, LAST_KEY, NOT_FIRST_KEY, NOT_LAST_KEY } Found;

typedef struct Slip {
    Found found;
    int of_list;          /* a query counts for all keys of its list */
    int once;             /* a key that was asked for has 1 */
    int whole_blocks;     /* the queries of a last block that is not full do not count */
    int32_t calls, other; /* that add up; what the keys that do not count have */
} Slip;

static int is_found(Found found, size_t place, size_t last)
{
    switch (found) {
    case FIRST_KEY:
        return place == 0;
    case LAST_KEY:
        return place == last;
    case NOT_FIRST_KEY:
        return place > 0;
    case NOT_LAST_KEY:
        return place < last;
    default:
        return 1;
    }
}

static void name_hits(JudgeCase *c, Slip slip, const char *sentence, const char *hint)
{
    size_t n_keys = 0, n = 0;
    int buckets = (int)size_param(c, "buckets");
    const int32_t *keys = judge_input_i32(c, "keys", &n_keys), *queries = judge_input_i32(c, "queries", &n);
    int32_t *hits = judge_mistake(c, "hits", sentence, hint), *asked = calloc((size_t)buckets + 1, sizeof *asked);
    n = slip.whole_blocks ? n / 256 * 256 : n;
    for (size_t q = 0; q < n && asked != NULL; q++)
        asked[bucket_of(queries[q], buckets)]++;
    int32_t *own = calloc(n_keys + 1, sizeof *own);
    for (size_t q = 0; q < n && own != NULL; q++)
        if (place_of(queries[q], n_keys) < n_keys && keys[place_of(queries[q], n_keys)] == queries[q])
            own[place_of(queries[q], n_keys)]++;
    for (size_t i = 0; i < n_keys && hits != NULL && own != NULL && asked != NULL; i++) {
        size_t place = 0, last = 0;
        for (size_t k = 0; k < n_keys; k++)
            if (bucket_of(keys[k], buckets) == bucket_of(keys[i], buckets)) {
                last += k != i;
                place += k < i;
            }
        int32_t count = slip.of_list ? asked[bucket_of(keys[i], buckets)] : own[i];
        hits[i] = !is_found(slip.found, place, last) ? slip.other : slip.once ? count > 0 : count * slip.calls;
    }
    free(own);
    free(asked);
}

static void name_all_hits(JudgeCase *c)
{
    static const char first[] = "Does the kernel go on from node to node, until there is no next one, when the key is another one?";
    static const char last[] = "The loop goes on while there is a node, and not while there is a next one: the last of a list counts, too.";
    int32_t calls = (int32_t)judge_param_int(c, "calls");
    name_hits(c, (Slip){.calls = 0}, "no hit was counted", "Does table_count launch the kernel over all queries, and does the kernel add to the nodes that the host reads?");
    if (calls > 1)
        name_hits(c, (Slip){.calls = 1}, "they are the hits of a single call", "Hits of several calls add up: table_create sets them to 0 once. Are they set to 0 again in table_count or in the kernel, does a hit store 1 where it has to add, or is a call left out?");
    name_hits(c, (Slip){.once = 1}, "each key that was asked for has 1", "Does each hit add 1 to what is there?");
    name_hits(c, (Slip){.calls = calls, .whole_blocks = 1}, "the queries of the last block, which is not full, do not count", "How many blocks do n queries need, rounded up?");
    name_hits(c, (Slip){.calls = calls, .found = LAST_KEY}, "only the key that came last into each list is found", first);
    name_hits(c, (Slip){.calls = calls, .found = FIRST_KEY}, "only the key that came first into each list is found", first);
    name_hits(c, (Slip){.calls = calls, .found = NOT_FIRST_KEY}, "the key that came first into each list is never found", last);
    name_hits(c, (Slip){.calls = calls, .found = NOT_LAST_KEY}, "the key that came last into each list is never found", last);
    name_hits(c, (Slip){.calls = calls, .of_list = 1}, "each key has the queries of its whole list", "Is the node's key compared with the query before it gets a hit?");
    name_hits(c, (Slip){.calls = calls, .of_list = 1, .found = LAST_KEY}, "the key that came last into each list has the queries of the whole list", "Is the node's key compared with the query before it gets a hit?");
    name_hits(c, (Slip){.calls = calls, .found = LAST_KEY, .other = -1}, "each list has only the key that came last, and the host does not find the others (-1)", "Does a new node's next lead to the node that was the first until then?");
}

/* Frame f of out is made of what begins at element at[f] of in. */
static void name_frames(JudgeCase *c, size_t from, size_t step, size_t rounds, const char *sentence, const char *hint)
{
    size_t n = size_param(c, "n"), frames = size_param(c, "frames");
    const float *in = judge_input_f32(c, "in", NULL);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t f = 0; f < frames && out != NULL; f++)
        refer_relax(in + from + f * step, out + f * n, n, rounds);
}

static void name_all_frames(JudgeCase *c)
{
    size_t n = size_param(c, "n"), frames = size_param(c, "frames");
    name_relaxed(c, 2, "all frames were smoothed as one long one, across their borders", "Where does a frame end for relax_kernel? Its n is that of one frame, whose ends are their own neighbours.");
    name_frames(c, 0, n, 1, "it is what one round gives", "Each frame is smoothed by two rounds: is the second one made, and which array has its result?");
    name_frames(c, 0, n, 0, "it is the frames, unchanged", "Which array has the result of the second round, and is that the one that is taken out?");
    name_frames(c, 0, n, 3, "it is what three rounds give", "How many rounds does a frame get?");
    name_frames(c, 0, 0, 2, "each frame is what the first one gives", "Where does frame f begin in frames? In which of the copies does f stand?");
    name_frames(c, (frames - 1) * n, 0, 2, "what is there is what the last frame gives", "Where does frame f begin in out? Does a frame wait for its buffer until the one before has been taken out of it?");
    name_frames(c, 0, 1, 2, "frame f is made of what begins at element f", "Where does frame f begin: after f frames of n floats each?");
    double *out = judge_mistake(c, "out", "frame f is stored from element f on", "Where does frame f begin in out: after f frames of n floats each?");
    for (size_t f = 0; f < frames && out != NULL; f++)
        refer_relax(judge_input_f32(c, "in", NULL) + f * n, out + f, n, 2);
}

/* `rounds` rounds for the first `done` elements, none for the others. */
static void name_ground(JudgeCase *c, size_t rounds, size_t done, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++) {
        out[i] = in[i];
        for (size_t r = 0; r < rounds && i < done; r++)
            out[i] = 0.75 * out[i] + 0.5;
    }
}

static void name_rounds_of_grind(JudgeCase *c)
{
    size_t n = size_param(c, "n"), rounds = size_param(c, "rounds");
    static const char all[] = "How many rounds does each piece get, and how many times does each piece come?";
    name_ground(c, 0, n, "it is in, unchanged", "Is a kernel launched at all, for which elements, and does out get what it has made? How long is a piece when little memory is free?");
    name_ground(c, rounds - 1, n, "it is what one round fewer gives", all);
    name_ground(c, rounds + 1, n, "it is what one round more gives", all);
    name_ground(c, 1, n, "it is what a single round gives", all);
    name_ground(c, 2 * rounds, n, "it is what twice as many rounds give", all);
    name_ground(c, rounds * rounds, n, "each element has got its rounds as many times as there are rounds", all);
    if (judge_has_param(c, "again"))
        name_ground(c, rounds, n / 2, "the second half is in, unchanged: the call before was for the first half", "What is kept from an earlier call: a static variable, or a number of elements?");
}

void judge_mistakes(JudgeCase *c)
{
    if (size_param(c, "n") == 0)
        return;
    if (is_function(c, "scale"))
        name_scales(c);
    if (is_function(c, "relax"))
        name_rounds_of_relax(c);
    if (is_function(c, "correct")) {
        name_corrections(c);
        name_samples(c);
    }
    if (is_function(c, "table") && size_param(c, "keys") > 0)
        name_all_hits(c);
    if (is_function(c, "smooth_frames"))
        name_all_frames(c);
    if (is_function(c, "grind"))
        name_rounds_of_grind(c);
}
