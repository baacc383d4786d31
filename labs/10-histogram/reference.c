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
 * number and for none. Numbers for histogram_range go past both ends of the range, and one in three
 * is the least of its bin.
 */
#include "judge.h"

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
    judge_fill_i32(c, in, low - past, low + span + past);
    for (size_t i = 0; i < n; i += 3)
        in[i] = edge_of(in[i], low, (int)judge_param_int(c, "width"));
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
    if (judge_has_param(c, "again")) {
        count(c, "bins_of_half", n / 2, (n_bins + 1) / 2);
        count(c, "bins_of_one", 1, (n_bins + 1) / 2);
        count(c, "bins_of_none", 0, (n_bins + 1) / 2);
    }
}
