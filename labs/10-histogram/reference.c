/* Lab 10: inputs and right answers.
 *
 * Parameters: `function`, one of histogram.h; n; for histogram_range low, width and n_bins; for the others
 * `bytes`, what kind they are:
 *
 *   text      32 to 126, the low ones more often, as letters are in a text
 *   uniform   all values, each about as often
 *   high      128 to 255, which are negative as chars
 *   same      one value, from 128 to 255
 *
 * `calls` is the driver's; with `again` it calls the function before for half of the numbers and half of the bins, for one
 * number and for none, with `none` for none alone. Numbers for histogram_range go past both ends of the range, as far as -1,000,000 to 1,000,000 allow it,
 * and one in three is the least of its bin.
 *
 * judge_mistakes: a Slip says how often element i is counted, and in which bin, where that is not once and in its own.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 256 };

static int is_range(JudgeCase *c)
{
    return strcmp(judge_param_text(c, "function"), "histogram_range") == 0;
}

/* `bytes`. */
typedef enum Kind { UNIFORM, TEXT, HIGH, SAME } Kind;

static Kind kind_of(const char *bytes)
{
    static const char *const names[] = {"uniform", "text", "high", "same"};
    for (Kind k = TEXT; k <= SAME; k++)
        if (strcmp(bytes, names[k]) == 0)
            return k;
    return UNIFORM;
}

/* The byte for a random one; `first` is the random one at the start. */
static int byte_of(Kind kind, int random, int first)
{
    if (kind == TEXT)
        return 32 + random * random * 95 / 65536;
    if (kind == HIGH)
        return 128 + random / 2;
    if (kind == SAME)
        return 128 + first / 2;
    return random;
}

static void make_bytes(JudgeCase *c, size_t n)
{
    LabArray *in = judge_input_make(c, "in", LAB_I8, 1, &n);
    judge_fill(c, in, -128, 127);
    uint8_t *bytes = in->data;
    Kind kind = kind_of(judge_param_text(c, "bytes"));
    int first = n > 0 ? bytes[0] : 0;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)byte_of(kind, bytes[i], first);
}

enum { GREATEST = 1000000 };

/* The least number of x's bin, as if bins went on at both ends. */
static int edge_of(int x, int low, int width)
{
    int over = (x - low) % width;
    return x - (over < 0 ? over + width : over);
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (!is_range(c)) {
        make_bytes(c, n);
        return;
    }
    int low = (int)judge_param_int(c, "low");
    int span = (int)(judge_param_int(c, "width") * judge_param_int(c, "n_bins")), past = span / 4 + 2;
    int32_t *in = judge_input_make_i32(c, "in", n);
    int least = low - past < -GREATEST ? -GREATEST : low - past, greatest = low + span + past > GREATEST ? GREATEST : low + span + past;
    judge_fill_i32(c, in, least, greatest);
    for (size_t i = 0; i < n; i += 3) {
        int edge = edge_of(in[i], low, (int)judge_param_int(c, "width"));
        in[i] = edge < -GREATEST ? in[i] : edge;
    }
}

/* The first n of them, into the output `name`. */
static void count_bytes(JudgeCase *c, const char *name, size_t n)
{
    const uint8_t *in = judge_input(c, "in")->data;
    size_t shape = BINS;
    uint32_t *bins = judge_expect(c, name, LAB_U32, 1, &shape);
    for (size_t i = 0; i < n; i++)
        bins[in[i]]++;
}

static void count_range(JudgeCase *c, const char *name, size_t n, size_t n_bins)
{
    size_t shape = n_bins + 2;
    const int32_t *in = judge_input_i32(c, "in", NULL);
    int64_t low = judge_param_int(c, "low"), width = judge_param_int(c, "width");
    uint32_t *bins = judge_expect(c, name, LAB_U32, 1, &shape);
    for (size_t i = 0; i < n; i++) {
        int64_t above = in[i] - low;
        size_t bin = above < 0 ? 0 : 1 + (size_t)(above / width);
        bins[bin > n_bins + 1 ? n_bins + 1 : bin]++;
    }
}

static void count(JudgeCase *c, const char *name, size_t n, size_t n_bins)
{
    if (is_range(c))
        count_range(c, name, n, n_bins);
    else
        count_bytes(c, name, n);
}

void judge_reference(JudgeCase *c)
{
    size_t n = judge_input(c, "in")->elements, n_bins = is_range(c) ? (size_t)judge_param_int(c, "n_bins") : 0;
    count(c, "bins", n, n_bins);
    judge_expect_destroyed(c);
    if (strcmp(judge_param_text(c, "function"), "histogram_global") == 0)
        judge_expect_threads(c, n);
    if (judge_has_param(c, "again")) {
        count(c, "bins_of_half", n / 2, (n_bins + 1) / 2);
        count(c, "bins_of_one", 1, (n_bins + 1) / 2);
        count(c, "bins_of_none", 0, (n_bins + 1) / 2);
    }
}

/* ---- What mistakes give ---- */

enum { BLOCK = 256, LANES = 32, PIECE = 16384, BLOCKS_MAX = 1024, WIDE = 16 };

/* One call of the function, and the output that comes of it. */
typedef struct Call {
    const char *output;
    const uint8_t *bytes; /* NULL: it is of numbers */
    const int32_t *numbers;
    int64_t n, low, width, n_bins; /* n_bins: without the two at the ends; of bytes 256 */
    int64_t blocks;                /* of a grid with a block for each PIECE */
} Call;

enum { GLOBAL = 1, SHARED = 2, RANGE = 4, OF_LANES = 8, OF_WIDE = 16, LOOPS = SHARED | RANGE | OF_LANES | OF_WIDE, ALL = GLOBAL | LOOPS };
enum { OF_BYTES = ALL & ~RANGE, SINGLE_BYTES = SHARED | RANGE | OF_LANES };

typedef struct Slip {
    unsigned of; /* functions */
    const char *sentence, *hint;
    int64_t (*times)(const Call *, int64_t i);  /* NULL: once */
    int64_t (*bin)(const Call *, int64_t i);    /* NULL: its own; below 0: none */
    int64_t (*kept)(const Call *, int64_t bin); /* NULL: each; 0: the bin stays 0 */
} Slip;

static int64_t all_bins(const Call *c)
{
    return c->bytes ? BINS : c->n_bins + 2;
}

static int64_t bin_of(const Call *c, int64_t i)
{
    if (c->bytes)
        return c->bytes[i];
    int64_t above = c->numbers[i] - c->low, bin = 1 + above / c->width;
    return above < 0 ? 0 : bin <= c->n_bins ? bin : c->n_bins + 1;
}

/* ---- How often element i is counted ---- */

/* By threads 0 ... threads - 1, each of which begins with its own index and jumps by `step`. */
static int64_t times_strided(int64_t i, int64_t threads, int64_t step)
{
    int64_t last = i < threads ? i : threads - 1, first = i % step;
    return last < first ? 0 : 1 + (last - first) / step;
}

static int64_t step_of_block(const Call *c, int64_t i)
{
    return times_strided(i, c->blocks * BLOCK, BLOCK);
}

static int64_t step_of_blocks(const Call *c, int64_t i)
{
    return times_strided(i, c->blocks * BLOCK, c->blocks);
}

static int64_t step_too_long(const Call *c, int64_t i)
{
    return times_strided(i, c->blocks * BLOCK, 2 * c->blocks * BLOCK);
}

static int64_t each_block_counts_all(const Call *c, int64_t i)
{
    (void)i;
    return c->blocks;
}

static int64_t first_turn(const Call *c, int64_t i)
{
    return i < c->blocks * BLOCK;
}

static int64_t capped_blocks(const Call *c, int64_t i)
{
    (void)c;
    return i < (int64_t)BLOCKS_MAX * BLOCK;
}

static int64_t capped_pieces(const Call *c, int64_t i)
{
    (void)c;
    return i < (int64_t)BLOCKS_MAX * PIECE;
}

static int64_t whole_pieces(const Call *c, int64_t i)
{
    return i < c->n / PIECE * PIECE;
}

static int64_t whole_blocks(const Call *c, int64_t i)
{
    return i < c->n / BLOCK * BLOCK;
}

static int64_t first_block(const Call *c, int64_t i)
{
    return i / BLOCK % c->blocks == 0;
}

static int64_t not_first(const Call *c, int64_t i)
{
    (void)c;
    return i > 0;
}

static int64_t not_last(const Call *c, int64_t i)
{
    return i < c->n - 1;
}

static int64_t twice(const Call *c, int64_t i)
{
    (void)c, (void)i;
    return 2;
}

/* Of loads of 16 bytes. */
static int64_t tail(const Call *c, int64_t i)
{
    return i >= c->n / WIDE * WIDE;
}

static int64_t no_tail(const Call *c, int64_t i)
{
    return !tail(c, i);
}

static int64_t tail_alone(const Call *c, int64_t i)
{
    return tail(c, i);
}

static int64_t tail_of_each_block(const Call *c, int64_t i)
{
    return tail(c, i) ? c->blocks : 1;
}

static int64_t tail_of_each_thread(const Call *c, int64_t i)
{
    return tail(c, i) ? c->blocks * BLOCK : 1;
}

static int64_t tail_without_last(const Call *c, int64_t i)
{
    return i < c->n - 1 || !tail(c, i);
}

static int64_t word_times(const Call *c, int64_t i, const int times[4])
{
    return tail(c, i) ? 1 : times[i % WIDE / 4];
}

#define WORDS(name, x, y, z, w)                                                                                                                      \
    static int64_t name(const Call *c, int64_t i)                                                                                                    \
    {                                                                                                                                                \
        return word_times(c, i, (const int[4]){x, y, z, w});                                                                                         \
    }
WORDS(no_w, 1, 1, 1, 0)
WORDS(no_x, 0, 1, 1, 1)
WORDS(only_x, 1, 0, 0, 0)
WORDS(x_for_all, 4, 0, 0, 0)
WORDS(z_for_w, 1, 1, 2, 0)
WORDS(x_for_y, 2, 0, 1, 1)
WORDS(y_for_z, 1, 2, 0, 1)

static int64_t no_last_of_word(const Call *c, int64_t i)
{
    return tail(c, i) || i % 4 != 3;
}

static int64_t no_first_of_word(const Call *c, int64_t i)
{
    return tail(c, i) || i % 4 != 0;
}

static int64_t first_of_word(const Call *c, int64_t i)
{
    return tail(c, i) ? 1 : i % 4 == 0 ? 4 : 0;
}

/* Of counters for each lane. */
static int64_t lane_of(const Call *c, int64_t i, int is_wide)
{
    int64_t n16 = is_wide ? c->n / WIDE : 0;
    return (is_wide && i < n16 * WIDE ? i / WIDE : i - n16 * WIDE) % LANES;
}

#define COLUMNS(name, is_wide, test)                                                                                                                 \
    static int64_t name(const Call *c, int64_t i)                                                                                                    \
    {                                                                                                                                                \
        int64_t lane = lane_of(c, i, is_wide), turned = (lane + LANES - bin_of(c, i) % LANES) % LANES;                                               \
        (void)lane, (void)turned;                                                                                                                    \
        return test;                                                                                                                                 \
    }
COLUMNS(lane_0, 0, lane == 0)
COLUMNS(lane_31, 0, lane == LANES - 1)
COLUMNS(last_turned, 0, turned == LANES - 1)
COLUMNS(no_lane_31, 0, lane != LANES - 1)
COLUMNS(no_last_turned, 0, turned != LANES - 1)
COLUMNS(no_lane_0, 0, lane != 0)
COLUMNS(no_first_turned, 0, turned != 0)
COLUMNS(wide_lane_0, 1, lane == 0)
COLUMNS(wide_last_turned, 1, turned == LANES - 1)
COLUMNS(wide_no_last_turned, 1, turned != LANES - 1)
COLUMNS(wide_no_lane_31, 1, lane != LANES - 1)

/* ---- In which bin ---- */

static int signed_of(const Call *c, int64_t i)
{
    return (int8_t)c->bytes[i];
}

static int64_t plus_128(const Call *c, int64_t i)
{
    return signed_of(c, i) + 128;
}

static int64_t seven_bits(const Call *c, int64_t i)
{
    return c->bytes[i] & 127;
}

static int64_t absolute(const Call *c, int64_t i)
{
    return abs(signed_of(c, i));
}

static int64_t negative_left_out(const Call *c, int64_t i)
{
    return signed_of(c, i);
}

static int64_t negative_as_0(const Call *c, int64_t i)
{
    return signed_of(c, i) < 0 ? 0 : signed_of(c, i);
}

static int64_t limited(const Call *c, int64_t bin)
{
    return bin < 0 ? 0 : bin <= c->n_bins + 1 ? bin : c->n_bins + 1;
}

static int64_t divided_first(const Call *c, int64_t i)
{
    return limited(c, 1 + (c->numbers[i] - c->low) / c->width);
}

static int64_t below_in_first(const Call *c, int64_t i)
{
    return bin_of(c, i) == 0 ? 1 : bin_of(c, i);
}

static int64_t above_in_last(const Call *c, int64_t i)
{
    return bin_of(c, i) > c->n_bins ? c->n_bins : bin_of(c, i);
}

static int64_t ends_in_range(const Call *c, int64_t i)
{
    return bin_of(c, i) == 0 ? 1 : above_in_last(c, i);
}

static int64_t below_left_out(const Call *c, int64_t i)
{
    return bin_of(c, i) == 0 ? -1 : bin_of(c, i);
}

static int64_t above_left_out(const Call *c, int64_t i)
{
    return bin_of(c, i) > c->n_bins ? -1 : bin_of(c, i);
}

static int64_t outside_left_out(const Call *c, int64_t i)
{
    return bin_of(c, i) == 0 ? -1 : above_left_out(c, i);
}

static int64_t below_at_the_end(const Call *c, int64_t i)
{
    return bin_of(c, i) == 0 ? c->n_bins + 1 : bin_of(c, i);
}

static int64_t above_at_the_start(const Call *c, int64_t i)
{
    return bin_of(c, i) > c->n_bins ? 0 : bin_of(c, i);
}

static int64_t ends_exchanged(const Call *c, int64_t i)
{
    int64_t bin = bin_of(c, i);
    return bin == 0 ? c->n_bins + 1 : bin > c->n_bins ? 0 : bin;
}

static int64_t one_too_low(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    return above < 0 ? 0 : limited(c, above / c->width);
}

static int64_t low_is_below(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low ? 0 : bin_of(c, i);
}

static int64_t least_in_bin_before(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    return above <= 0 ? 0 : limited(c, 1 + (above - 1) / c->width);
}

static int64_t least_but_low_in_bin_before(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low ? 1 : least_in_bin_before(c, i);
}

static int64_t greatest_in_next_bin(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low + 1;
    return above < 0 ? 0 : limited(c, 1 + above / c->width);
}

static int64_t greatest_from_low_in_next_bin(const Call *c, int64_t i)
{
    return c->numbers[i] < c->low ? 0 : greatest_in_next_bin(c, i);
}

/* The range with the number at its upper end, without its last one, and with the one before it. */
static int64_t end_in_last(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low + c->n_bins * c->width ? c->n_bins : bin_of(c, i);
}

static int64_t last_is_above(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low + c->n_bins * c->width - 1 ? c->n_bins + 1 : bin_of(c, i);
}

static int64_t one_less_in_first(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low - 1 ? 1 : bin_of(c, i);
}

static int64_t ends_exclusive(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low ? 0 : end_in_last(c, i);
}

static int64_t last_bin_above(const Call *c, int64_t i)
{
    return bin_of(c, i) == c->n_bins ? c->n_bins + 1 : bin_of(c, i);
}

static int64_t first_bin_below(const Call *c, int64_t i)
{
    return bin_of(c, i) == 1 ? 0 : bin_of(c, i);
}

static int64_t end_left_out(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low + c->n_bins * c->width ? -1 : bin_of(c, i);
}

static int64_t low_left_out(const Call *c, int64_t i)
{
    return c->numbers[i] == c->low ? -1 : bin_of(c, i);
}

static int64_t by_reciprocal(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    float reciprocal = 1.0f / (float)c->width;
    return above < 0 ? 0 : limited(c, 1 + (int64_t)((float)above * reciprocal));
}

static int64_t by_reciprocal_in_double(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    return above < 0 ? 0 : limited(c, 1 + (int64_t)((double)above * (1.0 / (double)c->width)));
}

static int64_t to_nearest(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    return above < 0 ? 0 : limited(c, 1 + (above + c->width / 2) / c->width);
}

static int64_t without_low(const Call *c, int64_t i)
{
    int64_t x = c->numbers[i];
    return x < 0 ? 0 : limited(c, 1 + x / c->width);
}

static int64_t low_added(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] + c->low;
    return above < 0 ? 0 : limited(c, 1 + above / c->width);
}

static int64_t by_n_bins(const Call *c, int64_t i)
{
    int64_t above = c->numbers[i] - c->low;
    return above < 0 ? 0 : limited(c, 1 + above / c->n_bins);
}

/* ---- Which bins get anything ---- */

static int64_t no_last_bin(const Call *c, int64_t bin)
{
    return bin < all_bins(c) - 1;
}

static int64_t no_last_two_bins(const Call *c, int64_t bin)
{
    return bin < all_bins(c) - 2;
}

static int64_t no_first_bin(const Call *c, int64_t bin)
{
    (void)c;
    return bin > 0;
}

static int64_t bins_of_block(const Call *c, int64_t bin)
{
    (void)c;
    return bin < BLOCK;
}

static const char
    TURNS[] = "In the grid-stride loop: where does a thread begin, by how much does it jump, and where does it end? It begins with its index in the "
              "grid, jumps by gridDim.x * blockDim.x, and goes on while i < n.",
    GRID[] = "How many blocks are launched? n / BLOCK is to be rounded up.",
    LIMIT[] = "A kernel without a loop counts one byte for each thread: does the launch have n / BLOCK blocks, rounded up, and no fewer? PIECE and "
              "BLOCKS_MAX are for kernels with a loop.",
    TAIL[] = "Which thread counts the bytes from n / 16 * 16 on? Each of them is one thread's in the whole grid.",
    WORD[] = "Is each of x, y, z and w counted once? Look for a line that was copied.",
    SHIFT[] = "In the loop over the bytes of a word: by how much is it shifted, and how many turns are there? 0, 8, 16 and 24, and & 0xff.",
    COLUMN[] = "In the loop that adds up the counters of a bin: is it += and not =, and are there 32 turns, one for each lane from 0 on?",
    SIGN[] = "A char goes from -128 to 127, and the byte 200 is the char -56: it becomes an unsigned char before it becomes an index.",
    ENDS[] = "Which bin takes a number below low, and which one a number of low + n_bins * width or more? They are bins[0] and bins[n_bins + 1].",
    EDGE[] = "For x = low + k * width, what does your formula give, and is it 1 + k? Work it out by hand, with whole numbers.",
    UPPER[] = "What does your formula give for low + n_bins * width - 1, and for low + n_bins * width? The first is in bins[n_bins], the second in "
              "bins[n_bins + 1].",
    REPORT[] =
        "In the loop that adds the counters to the bins: with which bin does it begin and end, and has it more turns than one if there are more "
        "bins than threads?";

static const Slip slips[] = {
    {LOOPS, "each element is counted once for each block", TURNS, .times = each_block_counts_all},
    {SINGLE_BYTES, "blocks count the same elements, as with a jump by blockDim.x", TURNS, .times = step_of_block},
    {SINGLE_BYTES, "threads count the same elements, as with a jump by gridDim.x", TURNS, .times = step_of_blocks},
    {SINGLE_BYTES, "every other piece of the length of the grid is left out", TURNS, .times = step_too_long},
    {SINGLE_BYTES, "only one element for each thread is counted", TURNS, .times = first_turn},
    {GLOBAL, "the elements from 1,024 blocks of 256 on are left out", LIMIT, .times = capped_blocks},
    {GLOBAL, "only 256 bytes of each 16,384 are counted", LIMIT, .times = first_turn},
    {LOOPS, "the elements from 1,024 pieces on are left out", "BLOCKS_MAX limits the number of blocks: does the loop go on until all n are counted?",
     .times = capped_pieces},
    {LOOPS, "the elements behind the last whole piece are left out",
     "How many blocks are launched, and which elements are whose? n / PIECE is to be rounded up.", .times = whole_pieces},
    {ALL, "the elements behind the last whole block of 256 are left out", GRID, .times = whole_blocks},
    {SINGLE_BYTES, "only what the first block has counted is in the bins", "In the last phase: does every block add its counters to the bins?",
     .times = first_block},
    {OF_WIDE, "the last n % 16 bytes are left out", TAIL, .times = no_tail},
    {OF_WIDE, "only the last n % 16 bytes are counted",
     "In the loop over the words of 16 bytes: does it run to n / 16, and are all four words counted?", .times = tail_alone},
    {OF_WIDE, "each block counts the last n % 16 bytes", TAIL, .times = tail_of_each_block},
    {OF_WIDE, "each thread counts the last n % 16 bytes", TAIL, .times = tail_of_each_thread},
    {OF_WIDE, "the last byte is left out", TAIL, .times = tail_without_last},
    {OF_WIDE, "word w of each uint4 is left out", WORD, .times = no_w},
    {OF_WIDE, "word x of each uint4 is left out", WORD, .times = no_x},
    {OF_WIDE, "only word x of each uint4 is counted", WORD, .times = only_x},
    {OF_WIDE, "word x of each uint4 is counted four times, and the others never", WORD, .times = x_for_all},
    {OF_WIDE, "word z of each uint4 is counted twice, and word w never", WORD, .times = z_for_w},
    {OF_WIDE, "word x of each uint4 is counted twice, and word y never", WORD, .times = x_for_y},
    {OF_WIDE, "word y of each uint4 is counted twice, and word z never", WORD, .times = y_for_z},
    {OF_WIDE, "the last byte of each word is left out", SHIFT, .times = no_last_of_word},
    {OF_WIDE, "the first byte of each word is left out", SHIFT, .times = no_first_of_word},
    {OF_WIDE, "the first byte of each word is counted four times, and the others never", SHIFT, .times = first_of_word},
    {ALL, "element 0 is left out", "With which index does the first thread begin? With 0.", .times = not_first},
    {ALL, "the last element is left out", "Up to which index is counted? i < n, and not i < n - 1.", .times = not_last},
    {ALL, "each element is counted twice", "Is each element counted by one thread in one turn, and do the bins begin with 0 in each call?",
     .times = twice},
    {OF_LANES, "only one of the 32 counters of each bin is in it", COLUMN, .times = lane_0},
    {OF_LANES, "only one of the 32 counters of each bin is in it", COLUMN, .times = lane_31},
    {OF_LANES, "only one of the 32 counters of each bin is in it", COLUMN, .times = last_turned},
    {OF_LANES, "one of the 32 counters of each bin is left out", COLUMN, .times = no_lane_31},
    {OF_LANES, "one of the 32 counters of each bin is left out", COLUMN, .times = no_last_turned},
    {OF_LANES, "one of the 32 counters of each bin is left out", COLUMN, .times = no_lane_0},
    {OF_LANES, "one of the 32 counters of each bin is left out", COLUMN, .times = no_first_turned},
    {OF_WIDE, "only one of the 32 counters of each bin is in it", COLUMN, .times = wide_lane_0},
    {OF_WIDE, "only one of the 32 counters of each bin is in it", COLUMN, .times = wide_last_turned},
    {OF_WIDE, "one of the 32 counters of each bin is left out", COLUMN, .times = wide_no_last_turned},
    {OF_WIDE, "one of the 32 counters of each bin is left out", COLUMN, .times = wide_no_lane_31},
    {OF_BYTES, "each byte is counted 128 bins from its own", SIGN, .bin = plus_128},
    {OF_BYTES, "bytes from 128 on are counted 128 bins too low", SIGN, .bin = seven_bits},
    {OF_BYTES, "bytes from 128 on are counted in the bin of their negative", SIGN, .bin = absolute},
    {OF_BYTES, "bytes from 128 on are left out", SIGN, .bin = negative_left_out},
    {OF_BYTES, "bytes from 128 on are counted in bin 0", SIGN, .bin = negative_as_0},
    {RANGE, "numbers a little below low are counted in bins[1]",
     "For which numbers is (x - low) / width equal to 0? Division rounds toward 0: test for x < low first.", .bin = divided_first},
    {RANGE, "all numbers below low are counted in bins[1]", ENDS, .bin = below_in_first},
    {RANGE, "all numbers above the range are counted in bins[n_bins]", ENDS, .bin = above_in_last},
    {RANGE, "all numbers outside of the range are counted in its first and its last bin", ENDS, .bin = ends_in_range},
    {RANGE, "numbers below low are left out", ENDS, .bin = below_left_out},
    {RANGE, "numbers above the range are left out", ENDS, .bin = above_left_out},
    {RANGE, "numbers outside of the range are left out", ENDS, .bin = outside_left_out},
    {RANGE, "the two bins at the ends are exchanged", ENDS, .bin = ends_exchanged},
    {RANGE, "all numbers outside of the range are counted in bins[n_bins + 1]", ENDS, .bin = below_at_the_end},
    {RANGE, "all numbers outside of the range are counted in bins[0]", ENDS, .bin = above_at_the_start},
    {RANGE, "some least numbers of bins are counted in the bin before, as a product with 1.0f / width gives it",
     "1 / width is rounded, and so is a product with it. Divide whole numbers: (x - low) / width.", .bin = by_reciprocal},
    {RANGE, "some least numbers of bins are counted in the bin before, as a product with 1.0 / width gives it, also in double",
     "1 / width is rounded, and so is a product with it. Divide whole numbers: (x - low) / width.", .bin = by_reciprocal_in_double},
    {RANGE, "numbers from low on are counted one bin too low", "Which bin takes low itself? bins[1], since bins[0] is for what is less.",
     .bin = one_too_low},
    {RANGE, "low itself is counted as if it were less than low", "Is low itself in the range? Only x < low belongs to bins[0].", .bin = low_is_below},
    {RANGE, "low is counted as if it were less than low, and low + n_bins * width in bins[n_bins]",
     "Which end of the range belongs to it? It begins with low, and low + n_bins * width is the first number above it.", .bin = ends_exclusive},
    {RANGE, "low - 1 is counted in bins[1]", "Is low - 1 in the range? All x < low belong to bins[0].", .bin = one_less_in_first},
    {RANGE, "low itself is left out", EDGE, .bin = low_left_out},
    {RANGE, "the numbers that are low + n_bins * width are counted in bins[n_bins]", UPPER, .bin = end_in_last},
    {RANGE, "the numbers that are low + n_bins * width are left out", UPPER, .bin = end_left_out},
    {RANGE, "the numbers that are low + n_bins * width - 1 are counted in bins[n_bins + 1]", UPPER, .bin = last_is_above},
    {RANGE, "all numbers of bins[n_bins] are counted in bins[n_bins + 1]", UPPER, .bin = last_bin_above},
    {RANGE, "all numbers of bins[1] are counted in bins[0]", "From which number on does bins[1] count? From low on, and not from low + width on.",
     .bin = first_bin_below},
    {RANGE, "the least number of each bin is counted in the bin before", EDGE, .bin = least_in_bin_before},
    {RANGE, "the least number of each bin but the first is counted in the bin before", EDGE, .bin = least_but_low_in_bin_before},
    {RANGE, "the greatest number of each bin is counted in the bin behind it",
     "For x = low + k * width - 1, what does your formula give, and is it k? Work it out by hand, with whole numbers.", .bin = greatest_in_next_bin},
    {RANGE, "the greatest number of each bin from bins[1] on is counted in the bin behind it",
     "For x = low + k * width - 1, what does your formula give, and is it k? Work it out by hand, with whole numbers.",
     .bin = greatest_from_low_in_next_bin},
    {RANGE, "the upper half of each bin is counted in the bin behind it", "Is the quotient rounded down, and not to the nearest?", .bin = to_nearest},
    {RANGE, "numbers are counted as if low were 0", "From where are bins counted? From low: (x - low) / width.", .bin = without_low},
    {RANGE, "numbers are counted as if low had the other sign", "From where are bins counted? From low: (x - low) / width.", .bin = low_added},
    {RANGE, "numbers are counted as if each bin had n_bins numbers", "By what is x - low divided? A bin has `width` numbers.", .bin = by_n_bins},
    {ALL, "the last bin is 0", REPORT, .kept = no_last_bin},
    {RANGE, "the last two bins are 0", REPORT, .kept = no_last_two_bins},
    {ALL, "the first bin is 0", REPORT, .kept = no_first_bin},
    {RANGE, "the bins from 256 on are 0", REPORT, .kept = bins_of_block},
};

static void count_wrongly(const Call *c, const Slip *s, uint32_t *bins)
{
    if (!bins)
        return;
    memset(bins, 0, (size_t)all_bins(c) * sizeof *bins);
    for (int64_t i = 0; i < c->n; i++) {
        int64_t bin = s->bin ? s->bin(c, i) : bin_of(c, i);
        if (bin >= 0 && (!s->kept || s->kept(c, bin)))
            bins[bin] += (uint32_t)(s->times ? s->times(c, i) : 1);
    }
}

static unsigned function_of(JudgeCase *c)
{
    static const char *const names[] = {"histogram_global", "histogram_shared", "histogram_range", "histogram_lanes", "histogram_wide"};
    for (unsigned k = 0; k < 5; k++)
        if (strcmp(names[k], judge_param_text(c, "function")) == 0)
            return 1u << k;
    return 0;
}

/* Of very many elements only where they end. */
static int is_cheap(const Call *call, const Slip *s)
{
    return call->n <= 4000000 || s->times == capped_blocks || s->times == capped_pieces || s->times == whole_pieces || s->times == whole_blocks ||
           s->times == not_last;
}

static void name_slips(JudgeCase *c, const Call *call)
{
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++)
        if ((slips[k].of & function_of(c)) && is_cheap(call, &slips[k]))
            count_wrongly(call, &slips[k], judge_mistake(c, call->output, slips[k].sentence, slips[k].hint));
}

static Call read_call(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    Call call = {.output = "bins", .n = (int64_t)in->elements, .n_bins = BINS};
    if (is_range(c)) {
        call.numbers = in->data;
        call.low = judge_param_int(c, "low");
        call.width = judge_param_int(c, "width");
        call.n_bins = judge_param_int(c, "n_bins");
    } else {
        call.bytes = in->data;
    }
    return call;
}

static void set_blocks(Call *call)
{
    call->blocks = (call->n + PIECE - 1) / PIECE < BLOCKS_MAX ? (call->n + PIECE - 1) / PIECE : BLOCKS_MAX;
}

void judge_mistakes(JudgeCase *c)
{
    Call call = read_call(c);
    set_blocks(&call);
    name_slips(c, &call);
    if (!judge_has_param(c, "again"))
        return;
    call.output = "bins_of_half";
    call.n /= 2;
    call.n_bins = call.numbers ? (call.n_bins + 1) / 2 : BINS;
    set_blocks(&call);
    name_slips(c, &call);
}
