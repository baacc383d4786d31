/* Lab 07: inputs and right answers.
 *
 * Parameters: function, n, `last` (so many elements are compared), and `in_place: 1`; with `again` the driver calls it
 * before for the first half. Elements are positive and negative, so that the sums rise and
 * fall, and small enough that every sum fits in an int: below 40 * 2^23, or n times `largest`. With `level`, a number, all elements before one whose
 * index 32 divides add up to that: who keeps a sum until it is there must tell it from one that is not, whatever it is. Large elements
 * (`largest` is 30000 or more) are then up to 60,000,000, as no sum spans more than 31 of them: neither a short nor a float has room for one. Otherwise, where `largest` is 2147483647, what comes
 * before each element adds up to any number from 0 to that, or from its negative to 0: a sum needs all 32 bits, and so does an element.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 256, LEVEL_RUN = 32, ANY_SUM = INT32_MAX };

static int is_in_place(JudgeCase *c)
{
    return judge_has_param(c, "in_place") && judge_param_int(c, "in_place") != 0;
}

static void level_sums(int32_t *in, size_t n, int32_t level)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % LEVEL_RUN == LEVEL_RUN - 1)
            in[i] = level - sum;
        sum += in[i];
    }
}

/* From numbers that are sums to the elements between them; of two arrays one has sums of the other sign. */
static void elements_between(int32_t *in, size_t n)
{
    int32_t before = 0, sign = n % 2 == 1 ? -1 : 1;
    for (size_t i = 0; i < n; i++) {
        int32_t sum = sign * in[i];
        in[i] = sum - before;
        before = sum;
    }
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    int32_t *in = judge_input_make_i32(c, "in", n), largest = judge_has_param(c, "largest") ? (int32_t)judge_param_int(c, "largest") : 40;
    int has_level = judge_has_param(c, "level") && strcmp(judge_param_text(c, "level"), "any") != 0;
    if (has_level && largest >= 30000)
        largest = 60000000;
    judge_fill_i32(c, in, largest == ANY_SUM ? 0 : -largest / 2, largest);
    if (largest == ANY_SUM)
        elements_between(in, n);
    if (has_level)
        level_sums(in, n, (int32_t)judge_param_int(c, "level"));
}

static void expect_runs(const int32_t *in, int32_t *out, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = i % RUN == 0 ? in[i] : sum + in[i];
        out[i] = sum;
    }
}

static void expect_exclusive(const int32_t *in, int32_t *out, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

/* What the first n elements give. */
static void work_out(JudgeCase *c, int32_t *out, size_t n)
{
    const int32_t *in = judge_input_i32(c, "in", NULL);
    if (strcmp(judge_param_text(c, "function"), "scan_runs") == 0)
        expect_runs(in, out, n);
    else
        expect_exclusive(in, out, n);
}

static void expect(JudgeCase *c, const char *name, size_t n)
{
    work_out(c, judge_expect_i32(c, name, n), n);
}

static void expect_last(JudgeCase *c, size_t n, size_t last)
{
    int32_t *out = malloc(n * sizeof *out);
    if (!out)
        abort();
    work_out(c, out, n);
    memcpy(judge_expect_i32(c, "last_of_out", last), out + n - last, last * sizeof *out);
    free(out);
}

void judge_reference(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (judge_has_param(c, "last"))
        expect_last(c, n, (size_t)judge_param_int(c, "last"));
    else
        expect(c, "out", n);
    if (judge_has_param(c, "again"))
        expect(c, "out_of_half", n / 2);
    if (!is_in_place(c))
        judge_expect_value(c, "elements_of_in_that_were_changed", 0);
}

/* ---- Mistakes that show by their result ---- */

enum { WARP = 32, ITEMS = 4, LARGEST = 1 << 19 };

/* What is wrong in the way that a block adds up what its threads have, by doubling or by warps. */
typedef enum Slip {
    RIGHT,
    FIRST_STEP, /* of a block's scan: missing */
    LAST_STEP,
    STEPS_BY_4,
    LATER_THREAD, /* t > d for t >= d */
    KEEPS_LEFT,   /* = for +=, if t >= d */
    ONLY_LEFT,    /* the same for all t */
    NO_SCAN,
    BY_ITSELF, /* each warp */
    WARP_BEFORE,
    OWN_WARP_TOO,
    LOW_LANES,
    FIRST_LANE, /* tells the sum of its warp */
    FIRST_RUN,  /* is what each block takes */
    N_SLIPS
} Slip;

static int left_of(const int32_t *sum, int t, int d, Slip slip)
{
    if (slip == LOW_LANES && t < d)
        return sum[t];
    return (slip == LATER_THREAD ? t > d : t >= d) ? sum[t - d] : 0;
}

/* Doubling, of as many values as threads. */
static void double_up(int32_t *sum, int threads, Slip slip)
{
    int32_t old[RUN];
    int end = slip == LAST_STEP ? threads / 2 : threads;
    for (int d = slip == FIRST_STEP ? 2 : 1; d < end && slip != NO_SCAN; d *= slip == STEPS_BY_4 ? 4 : 2) {
        memcpy(old, sum, (size_t)threads * sizeof *sum);
        for (int t = 0; t < threads; t++)
            sum[t] = (slip == ONLY_LEFT || (slip == KEEPS_LEFT && t >= d) ? 0 : old[t]) + left_of(old, t, d, slip);
    }
}

/* The same by warps, whose sums are scanned by one of them. */
static void scan_by_warps(int32_t *own, Slip slip)
{
    int32_t of_warp[WARP] = {0};
    for (int w = 0; w < RUN / WARP; w++) {
        double_up(own + w * WARP, WARP, slip);
        of_warp[w] = own[w * WARP + (slip == FIRST_LANE ? 0 : WARP - 1)];
    }
    if (slip != WARP_BEFORE)
        double_up(of_warp, WARP, slip);
    for (int t = 0; t < RUN && slip != BY_ITSELF; t++)
        own[t] += slip == OWN_WARP_TOO ? of_warp[t / WARP] : t >= WARP ? of_warp[t / WARP - 1] : 0;
}

/* Running sums of runs, inclusive. */
static void slip_runs(const int32_t *in, int32_t *out, size_t n, Slip slip)
{
    for (size_t first = 0; first < n; first += RUN) {
        int32_t own[RUN] = {0};
        size_t length = n - first < RUN ? n - first : RUN;
        memcpy(own, slip == FIRST_RUN ? in : in + first, length * sizeof *own);
        double_up(own, RUN, slip);
        memcpy(out + first, own, length * sizeof *own);
    }
}

/* What is wrong around a right scan of blocks. */
typedef enum Fault {
    SOUND,
    INCLUSIVE,
    INCLUSIVE_EACH_TIME, /* also where the sums are scanned */
    WITHOUT_OFFSETS,
    LAST_WITHOUT_OFFSET,
    OFFSETS_UNSCANNED,
    OFFSETS_INCLUSIVE,
    PIECE_BEFORE,
    GROUPS_OF_SUMS,
    FIRST_SUMS,
    LAST_SUM, /* is not scanned */
    LAST_ELEMENT,  /* is missing in the sum of its piece */
    FIRST_ELEMENT, /* is all that there is of it */
    SUM_READ_AGAIN, /* out was written there, and is the same array: in the sum of a piece, and in each element */
    OWN_READ_AGAIN,
    FEW_OFFSETS,   /* one thread for each of ITEMS elements */
    ITEMS_ALIKE,
    TOTAL_LEFT_IN,
    TOTAL_LACKS_FIRST, /* of the four */
    TOTAL_LACKS_LAST,
    ITEMS_APART,
    ITEMS_READ_AGAIN, /* from in, where out was written */
    TOTAL_READ_AGAIN, /* and the piece's sum is what comes of it */
    N_FAULTS
} Fault;

/* What a thread adds for an element that it reads when `out` was written there. */
static int32_t read_again(int32_t sum)
{
    return (int32_t)(2 * (uint32_t)sum);
}

/* The scan of one piece of `items` elements a thread, as exclusive_scan and exclusive_scan_fast make it; its sum, as it is told. */
static int32_t slip_piece(const int32_t *in, int32_t *out, size_t n, size_t items, Slip slip, Fault fault)
{
    int32_t total[RUN] = {0}, sum[RUN], last = 0;
    size_t next = fault == ITEMS_APART ? RUN : 1, step = fault == ITEMS_APART ? 1 : items;
    for (size_t t = 0; t < RUN; t++)
        for (size_t k = 0; k < items; k++)
            if (t * step + k * next < n && !(fault == TOTAL_LACKS_FIRST && k == 0) && !(fault == TOTAL_LACKS_LAST && k == items - 1))
                total[t] += in[t * step + k * next];
    memcpy(sum, total, sizeof sum);
    scan_by_warps(sum, slip);
    for (size_t t = 0; t < RUN; t++) {
        int32_t before = fault == TOTAL_LEFT_IN ? sum[t] : sum[t] - total[t];
        for (size_t k = 0; k < items; k++) {
            size_t i = t * step + k * next;
            if (i >= n)
                break;
            out[i] = fault == OWN_READ_AGAIN ? 0 : before + (fault == INCLUSIVE || fault == INCLUSIVE_EACH_TIME ? in[i] : 0);
            before = fault == ITEMS_READ_AGAIN || fault == TOTAL_READ_AGAIN ? read_again(before) : before + (fault == ITEMS_ALIKE ? 0 : in[i]);
        }
        last = before;
    }
    if (fault == TOTAL_READ_AGAIN || (fault == SUM_READ_AGAIN && n == RUN * items))
        return fault == TOTAL_READ_AGAIN ? last : read_again(out[n - 1]);
    return fault == FIRST_ELEMENT ? sum[0] : fault == LAST_ELEMENT ? sum[RUN - 1] - total[RUN - 1] : sum[RUN - 1];
}

/* What each piece gets, in the place of the sums of the pieces. */
static void slip_offsets(int32_t *sums, size_t pieces, size_t length, Fault fault)
{
    int32_t offset = 0, before = 0;
    for (size_t p = 0; p < pieces; p++) {
        int32_t sum = sums[p];
        if (fault == GROUPS_OF_SUMS && p % length == 0)
            offset = 0;
        if (fault == OFFSETS_INCLUSIVE)
            sums[p] = offset + sum;
        else if (fault != OFFSETS_UNSCANNED && !(fault == FIRST_SUMS && p >= length) && !(fault == LAST_SUM && p == pieces - 1))
            sums[p] = fault == WITHOUT_OFFSETS ? 0 : fault == PIECE_BEFORE ? before : offset;
        offset += sum;
        before = sum;
    }
}

static int is_of_one_array(Fault fault)
{
    return fault == SUM_READ_AGAIN || fault == OWN_READ_AGAIN || fault == ITEMS_READ_AGAIN || fault == TOTAL_READ_AGAIN;
}

/* The exclusive scan of the whole array by pieces, whose sums are scanned in the same way, and in place, if that is what is wrong. */
static void slip_exclusive(const int32_t *in, int32_t *out, size_t n, size_t items, int in_place, Slip slip, Fault fault)
{
    size_t length = RUN * items, pieces = (n + length - 1) / length;
    int32_t *sums = malloc((pieces + 1) * sizeof *sums), *offsets = malloc((pieces + 1) * sizeof *offsets);
    if (!sums || !offsets)
        abort();
    for (size_t p = 0; p < pieces; p++) {
        size_t left = n - p * length;
        sums[p] = slip_piece(in + p * length, out + p * length, left < length ? left : length, items, slip,
                             in_place || !is_of_one_array(fault) ? fault : SOUND);
    }
    memcpy(offsets, sums, pieces * sizeof *sums);
    if (pieces > 1 && (slip != RIGHT || fault >= LAST_ELEMENT || fault == INCLUSIVE_EACH_TIME))
        slip_exclusive(sums, offsets, pieces, items, 1, slip, fault);
    else
        slip_offsets(offsets, pieces, length, fault);
    size_t reached = fault == FEW_OFFSETS ? pieces * RUN : fault == LAST_WITHOUT_OFFSET ? n / length * length : n;
    for (size_t i = 0; i < n && i < reached && pieces > 1; i++)
        out[i] += offsets[i / length];
    free(sums);
    free(offsets);
}

typedef struct Words {
    const char *sentence, *hint;
} Words;

static const Words of_runs[N_SLIPS] = {
    [FIRST_STEP] = {"each sum lacks every second element, as without the step with distance 1",
                    "Which d does the loop of inclusive_doubling begin with?"},
    [LAST_STEP] = {"no sum spans more than 128 elements, as without the step with distance 128",
                   "How far does d go in the loop of inclusive_doubling? Its last value has to be BLOCK / 2, so that a sum spans 256 threads."},
    [STEPS_BY_4] = {"the sums are those of distances 1, 4, 16 and 64 alone",
                    "By how much does d grow from step to step in inclusive_doubling? After the step with d a sum spans 2 * d threads, and that is the next distance."},
    [LATER_THREAD] = {"the sums are those of steps in which thread d, the first that has a value at distance d, adds nothing",
                      "Is it t > d in inclusive_doubling, where t >= d is meant? Thread d adds the value of thread 0."},
    [KEEPS_LEFT] = {"the value at distance d has replaced each thread's own in each step, where it is to be added",
                    "Is it = in inclusive_doubling, where += is meant?"},
    [ONLY_LEFT] = {"the value at distance d has replaced each thread's own in each step, where it is to be added",
                   "Is it = in inclusive_doubling, where += is meant?"},
    [FIRST_RUN] = {"each run has the sums of the first one", "Which element does a thread take? Its index depends on blockIdx.x, too."},
    [NO_SCAN] = {"each element is that of `in`: nothing was added to it",
                 "Does inclusive_doubling add, and is what it returns what the kernel stores?"},
};

static const Words of_warps[N_SLIPS] = {
    [FIRST_STEP] = {"the warps' sums are those without the step with distance 1", "Which d does the loop with __shfl_up_sync begin with?"},
    [LAST_STEP] = {"the warps' sums are those without the step with distance 16",
                   "How far does d go in the loop with __shfl_up_sync? Its last value has to be 16, so that a sum spans 32 lanes."},
    [STEPS_BY_4] = {"the warps' sums are those of distances 1, 4 and 16 alone",
                    "By how much does d grow from step to step in the loop with __shfl_up_sync? After the step with d a sum spans 2 * d lanes, and that is the next distance."},
    [LATER_THREAD] = {"the warps' sums are those of steps in which lane d, the first that has a value at distance d, adds nothing",
                      "Is it lane > d in the loop with __shfl_up_sync, where lane >= d is meant? Lane d adds the value of lane 0."},
    [KEEPS_LEFT] = {"the value from __shfl_up_sync has replaced each lane's own, where it is to be added",
                    "Is it = in the loop with __shfl_up_sync, where += is meant?"},
    [NO_SCAN] = {"nothing is added up within a warp", "Does inclusive_warps scan each warp, and is what it returns what the kernel uses?"},
    [BY_ITSELF] = {"each warp is scanned by itself, and nothing is added to what its lanes have",
                   "What does inclusive_warps add to the sums of a warp, so that the warps before it are in them?"},
    [WARP_BEFORE] = {"to each warp the sum of the one warp before it is added, and not of all before it",
                     "Does one warp scan the warps' sums before they are added, and are the scanned ones stored?"},
    [OWN_WARP_TOO] = {"to each warp the sum of all warps up to it is added, its own as well",
                      "Which place of the scanned warps' sums does warp w add? They are inclusive: that of the warp before, and warp 0 adds nothing."},
    [FIRST_LANE] = {"what counts as the sum of a warp is what its lane 0 has", "Which lane's inclusive sum spans the whole warp? That one stores it for the others."},
    [LOW_LANES] = {"the lanes below d add their own value in each step",
                   "A lane below d gets its own value back from __shfl_up_sync: which lanes may add what they get?"},
};

#define READ_ONCE "When out[i] is written, in[i] is no longer what it was: read it once, into a variable, before that. "
#define IN_PLACE  "in and out are one array: an element of in is read after out was written there"
#define SUMS_IN_PLACE(PIECE) "the sums of the " PIECE "s are scanned in place, and an element of in is read after out was written there"
#define OFF_ITSELF "all of it is 0, as out[i] - in[i] is where in and out are one array"

/* The same words for runs and for pieces. */
#define WORDS_OF_ARRAY(PIECE, ONE_ARRAY, ALL_0) { \
    [INCLUSIVE] = {"it is the inclusive scan: each element is in its own sum", \
                   "Where is the element itself taken off again, or is it added before the sum is stored?"}, \
    [INCLUSIVE_EACH_TIME] = {"each element is in its own sum, and the sums of the " PIECE "s were scanned in the same way", \
                             "Where is the element itself taken off again, or is it added before the sum is stored?"}, \
    [WITHOUT_OFFSETS] = {"each " PIECE " is scanned by itself: nothing was added to it for those before", \
                         "When is add_offsets_kernel launched, for how many elements, and what is in the offsets by then? The sums are scanned in place, which goes wrong where an element of in is read after out was written there."}, \
    [OFFSETS_UNSCANNED] = {"to each " PIECE " its own sum was added: the sums were not scanned", \
                           "Is the result of the scan of the sums what add_offsets_kernel gets? What does a scan of them in place leave there?"}, \
    [OFFSETS_INCLUSIVE] = {"to each " PIECE " the sum up to its end was added, its own as well: the scan of the sums is inclusive", \
                           "Which scan of the sums tells what comes before a run: the inclusive or the exclusive one?"}, \
    [PIECE_BEFORE] = {"to each " PIECE " the sum of the one before was added, and not of all before", \
                      "What must be done to the sums before they can be added?"}, \
    [LAST_SUM] = {"to the last " PIECE " its own sum was added, as if the scan of the sums ended before it", \
                  "How many sums are there, and how many of them are scanned?"}, \
    [LAST_ELEMENT] = {"the sum of a " PIECE " lacks what its last thread has", \
                      "Does the last thread store its sum for sums[...] before its own elements are taken off, or after?"}, \
    [FIRST_ELEMENT] = {"what counts as the sum of a " PIECE " is what its first thread has", \
                       "Which thread's inclusive sum spans the whole block? That one stores it in sums[...]."}, \
    [SUM_READ_AGAIN] = {ONE_ARRAY, READ_ONCE "Which line reads it again for the sum of the " PIECE "?"}, \
    [OWN_READ_AGAIN] = {ALL_0, READ_ONCE "Which line reads it again to take it off?"}, \
    [GROUPS_OF_SUMS] = {"the sums of the " PIECE "s were scanned in groups, each of which begins with 0 again", \
                        "The sums may be more than one block can scan: does the function call itself for them?"}, \
    [FIRST_SUMS] = {"only as many sums of " PIECE "s were scanned as one block can scan", \
                    "The sums may be more than that: does the function call itself for them?"}, \
    [LAST_WITHOUT_OFFSET] = {"nothing was added to the last " PIECE ", which is not full, for those before", \
                             "Is the grid of add_offsets_kernel rounded up?"}, \
    [FEW_OFFSETS] = {"the sum of what comes before was added to the first elements only, one for each thread of as many blocks as there are pieces", \
                     "add_offsets_kernel does one element for each thread: how many blocks of BLOCK threads do n elements need? That is more than there are pieces."}, \
    [ITEMS_ALIKE] = {"a thread's four elements all have the same sum", \
                     "In the last loop, what is added to the sum between one element of a thread and the next?"}, \
    [TOTAL_LEFT_IN] = {"each sum is too large by the total of the thread's own four elements", \
                       "inclusive_warps gives a sum with the thread's own total in it: is it taken off before the four are stored?"}, \
    [TOTAL_LACKS_FIRST] = {"the total of a thread lacks the first of its elements", "Where does the loop begin that adds up a thread's elements? There are ITEMS of them."}, \
    [TOTAL_LACKS_LAST] = {"the total of a thread lacks the last of its elements", "How far does the loop go that adds up a thread's elements? There are ITEMS of them."}, \
    [ITEMS_APART] = {"a thread's four elements lie a block apart, but are added up as if they were neighbours", \
                     "Which four elements does a thread take? They have to be neighbours: first = (the thread's number in the grid) * ITEMS."}, \
    [ITEMS_READ_AGAIN] = {ONE_ARRAY, READ_ONCE "Which line reads a thread's four again?"}, \
    [TOTAL_READ_AGAIN] = {ONE_ARRAY, READ_ONCE "Which line reads a thread's four again?"}, \
}

static const Words of_array_by_runs[2][N_FAULTS] = {WORDS_OF_ARRAY("run", SUMS_IN_PLACE("run"), SUMS_IN_PLACE("run")),
                                                    WORDS_OF_ARRAY("run", IN_PLACE, OFF_ITSELF)};
static const Words of_array_by_pieces[2][N_FAULTS] = {WORDS_OF_ARRAY("piece", SUMS_IN_PLACE("piece"), SUMS_IN_PLACE("piece")),
                                                      WORDS_OF_ARRAY("piece", IN_PLACE, OFF_ITSELF)};

static void name_mistakes(JudgeCase *c, const char *name, size_t n)
{
    const int32_t *in = judge_input_i32(c, "in", NULL);
    const char *function = judge_param_text(c, "function");
    int runs = strcmp(function, "scan_runs") == 0, fast = strcmp(function, "exclusive_scan_fast") == 0;
    int in_place = is_in_place(c);
    const Words *words = runs ? of_runs : of_warps, *around = fast ? of_array_by_pieces[in_place] : of_array_by_runs[in_place];
    if (runs) {
        int32_t *whole = judge_mistake(c, name, "the sums go on from run to run", "Each block has a run of its own, whose first sum is its first element: where does a run's sum begin?");
        for (size_t i = 0; i < n && whole; i++)
            whole[i] = in[i] + (i > 0 ? whole[i - 1] : 0);
        int32_t *before = judge_mistake(c, name, "it is the exclusive scan of each run: no element is in its own sum", "scan_runs is inclusive: out[i] has in[i] in it. What is stored, and of which thread?");
        for (size_t i = 0; i < n && before; i++)
            before[i] = i % RUN == 0 ? 0 : before[i - 1] + in[i - 1];
    }
    for (Slip slip = RIGHT; slip < N_SLIPS && (runs || fast); slip++)
        if (words[slip].sentence) {
            int32_t *out = judge_mistake(c, name, words[slip].sentence, words[slip].hint);
            if (out && runs)
                slip_runs(in, out, n, slip);
            else if (out)
                slip_exclusive(in, out, n, ITEMS, 0, slip, SOUND);
        }
    for (Fault fault = SOUND; fault < N_FAULTS && !runs; fault++)
        if (around[fault].sentence && (fast || fault < FEW_OFFSETS)) {
            int32_t *out = judge_mistake(c, name, around[fault].sentence, around[fault].hint);
            if (out)
                slip_exclusive(in, out, n, fast ? ITEMS : 1, in_place, RIGHT, fault);
        }
}

void judge_mistakes(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (n > LARGEST)
        return;
    name_mistakes(c, "out", n);
    if (judge_has_param(c, "again"))
        name_mistakes(c, "out_of_half", n / 2);
}
