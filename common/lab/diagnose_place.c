/* Patterns of where the wrong elements lie, each told together with what stands there. */
#include "common/lab/diagnose_internal.h"
#include "common/lab/guard.h"
#include "common/lab/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t diagnose_first_wrong(const Evidence *e)
{
    size_t i = 0;
    while (!e->wrong[i])
        i++;
    return i;
}

static size_t last_wrong(const Evidence *e)
{
    size_t i = e->wanted->elements - 1;
    while (!e->wrong[i])
        i--;
    return i;
}

typedef bool Test(const LabArray *got, size_t i);

static bool is_zero(const LabArray *got, size_t i)
{
    return compare_element(got, i) == 0;
}

static bool is_nan(const LabArray *got, size_t i)
{
    return isnan(compare_element(got, i));
}

static bool holds_for_all_wrong(const Evidence *e, Test *test)
{
    for (size_t i = 0; i < e->wanted->elements; i++)
        if (e->wrong[i] && !test(e->got, i))
            return false;
    return true;
}

enum { FRESH_BYTES_MIN = 16 }; /* fewer odd bytes are no evidence */

/* -1 and the NaN that a GPU makes are odd bytes, too: so most of the elements have to differ from the first. */
bool diagnose_is_fresh(const Evidence *e, bool wrong_ones)
{
    const char *data = e->got->data, *first = NULL;
    size_t bytes = npy_type_bytes(e->got->type), n = 0, n_same = 0;
    for (size_t i = 0; i < e->got->elements; i++) {
        const char *at = data + i * bytes;
        if (wrong_ones && !e->wrong[i])
            continue;
        if (!guard_is_fresh(at, bytes))
            return false;
        first = first ? first : at;
        n++;
        n_same += memcmp(at, first, bytes) == 0;
    }
    return n * bytes >= FRESH_BYTES_MIN && n_same <= n / 2;
}

/* The input whose elements stand in the wrong places, of a result that is made in it; NULL: none. */
static const LabArray *input_there(const Evidence *e)
{
    size_t bytes = npy_type_bytes(e->got->type);
    for (size_t k = 0; k < e->n_inputs; k++) {
        const LabArray *input = &e->inputs[k];
        bool same = e->result.mismatches >= RELATION_MIN && input->type == e->got->type &&
                    input->elements == e->got->elements;
        for (size_t i = 0; same && i < input->elements; i++)
            same = !e->wrong[i] || memcmp((const char *)input->data + i * bytes,
                                          (const char *)e->got->data + i * bytes, bytes) == 0;
        if (same)
            return input;
    }
    return NULL;
}

bool diagnose_is_zero_there(const Evidence *e)
{
    return holds_for_all_wrong(e, is_zero);
}

/* Nothing was done there: memory as it was before. */
static bool is_untouched(const Evidence *e)
{
    return holds_for_all_wrong(e, diagnose_is_unwritten) || holds_for_all_wrong(e, is_zero) ||
           diagnose_is_fresh(e, true) || input_there(e);
}

/* What stands in the wrong places, as the end of a sentence about several elements, or about one. */
static const char *what_is_there(const Evidence *e)
{
    bool one = e->result.mismatches == 1;
    if (holds_for_all_wrong(e, diagnose_is_unwritten))
        return language_say(e->language, one ? "was never written" : "were never written");
    if (diagnose_is_fresh(e, true))
        return language_say(e->language,
                            one ? "was never written on the device" : "were never written on the device");
    if (holds_for_all_wrong(e, is_zero))
        return language_say(e->language, one ? "is zero" : "are zero");
    if (input_there(e))
        return language_say(e->language, "are the input's, unchanged");
    if (holds_for_all_wrong(e, is_nan))
        return language_say(e->language, one ? "is NaN" : "are NaN");
    return language_say(e->language, one ? "is wrong" : "are wrong");
}

bool find_everywhere(const Evidence *e, char *sentence)
{
    if (e->result.mismatches != e->wanted->elements)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, e->wanted->elements == 1 ? "the only element %s" : "all elements %s"),
             what_is_there(e));
    return true;
}

/* The wrong elements are the last ones. */
static bool is_at_end(const Evidence *e)
{
    return e->wanted->elements - diagnose_first_wrong(e) == e->result.mismatches;
}

static void tell_tail(const Evidence *e, char *sentence)
{
    if (e->result.mismatches == 1)
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only the last element %s"),
                 what_is_there(e));
    else
        snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                 language_say(e->language, "the elements from %zu to the end %s"), diagnose_first_wrong(e),
                 what_is_there(e));
}

/* What was not written still holds the poison, or the zeros that it was set to before. */
bool find_tail(const Evidence *e, char *sentence)
{
    if (!is_at_end(e) || !is_untouched(e))
        return false;
    tell_tail(e, sentence);
    return true;
}

/* The last of at least four equal parts, of a warp or more, is missing. */
bool find_tail_whole(const Evidence *e, char *sentence)
{
    enum { WARP = 32, PARTS = 4 };
    size_t n = e->wanted->elements, missing = n - diagnose_first_wrong(e);
    return missing % WARP == 0 && n % missing == 0 && n / missing >= PARTS && find_tail(e, sentence);
}

/* Written are as many elements as a block has threads, where there should be those of more than one further
 * block. */
bool find_first_block(const Evidence *e, char *sentence)
{
    size_t first = diagnose_first_wrong(e);
    bool is_block = first >= 32 && first <= 1024 && (first & (first - 1)) == 0;
    size_t n = e->wanted->elements;
    bool counts_bytes = n / 4 == first || n / 8 == first; /* or may do so */
    return is_block && n > 2 * first && !counts_bytes && find_tail(e, sentence);
}

/* As many bytes are right as there are elements; where blocks or warps end, that may be chance. */
bool find_first_bytes(const Evidence *e, char *sentence)
{
    enum { LEAST = 16, WARP = 32 };
    size_t n = e->wanted->elements, first = diagnose_first_wrong(e), width = npy_type_bytes(e->got->type);
    if (n < LEAST || width < 2 || first != n / width || first % WARP == 0 || !is_at_end(e))
        return false;
    tell_tail(e, sentence);
    return true;
}

bool find_first_only(const Evidence *e, char *sentence)
{
    return diagnose_first_wrong(e) == 1 && e->wanted->elements >= RELATION_MIN && find_tail(e, sentence);
}

/* All that should be 0 is 0 up to where as many bytes end as there are elements, and not behind. Where blocks or warps end, that may be
 * chance. */
bool find_zeroed_bytes(const Evidence *e, char *sentence)
{
    enum { WARP = 32 };
    size_t n = e->wanted->elements, width = npy_type_bytes(e->got->type), before = 0;
    if (width < 2 || n / width % WARP == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool zero = compare_element(e->wanted, i) == 0;
        if (e->wrong[i] != (zero && i >= n / width))
            return false;
        before += zero && i < n / width;
    }
    if (before < RELATION_MIN || e->result.mismatches < RELATION_MIN)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only elements that should be 0 are wrong, and none before [%zu]"),
             n / width);
    return true;
}

/* In so few elements, as one for each of four devices, where the wrong ones lie is no sign of blocks or of an index. */
static bool is_too_short(const Evidence *e)
{
    return e->wanted->elements <= RELATION_MIN;
}

bool find_tail_wrong(const Evidence *e, char *sentence)
{
    if (is_too_short(e) || !is_at_end(e))
        return false;
    tell_tail(e, sentence);
    return true;
}

bool find_head(const Evidence *e, char *sentence)
{
    size_t last = last_wrong(e);
    if (is_too_short(e) || last + 1 != e->result.mismatches)
        return false;
    if (last == 0)
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only the first element %s"),
                 what_is_there(e));
    else
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "the first %zu elements %s"),
                 last + 1, what_is_there(e));
    return true;
}

static size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How far from the nearest edge of its row, its column or both an element is: 0 at the edge. */
static size_t edge_distance(const LabArray *array, size_t i)
{
    size_t width = array->shape[array->n_dims - 1], x = i % width;
    size_t distance = shorter(x, width - 1 - x);
    if (array->n_dims < 2)
        return distance;
    size_t height = array->shape[array->n_dims - 2], y = i / width % height;
    return shorter(distance, shorter(y, height - 1 - y));
}

/* Wrong are some near the beginning and some near the end, all of them within an eighth of the shorter side of an edge. */
bool find_edges(const Evidence *e, char *sentence)
{
    const LabArray *wanted = e->wanted;
    if (wanted->n_dims < 1)
        return false;
    size_t side = wanted->shape[wanted->n_dims - 1], depth = 0;
    if (wanted->n_dims > 1)
        side = shorter(side, wanted->shape[wanted->n_dims - 2]);
    for (size_t i = 0; i < wanted->elements; i++) {
        size_t distance = e->wrong[i] ? edge_distance(wanted, i) : 0;
        depth = distance > depth ? distance : depth;
    }
    bool at_both =
        diagnose_first_wrong(e) < wanted->elements / 4 && last_wrong(e) >= wanted->elements - wanted->elements / 4;
    if (!at_both || (depth + 1) * 8 > side || e->result.mismatches < 2)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "only elements within %zu of an edge %s"), depth + 1,
             what_is_there(e));
    return true;
}

/* Wrong exactly where the row is >= rows or the column >= columns, in every plane of the last two dimensions.
 */
bool find_corner_wrong(const Evidence *e, char *sentence)
{
    const LabArray *wanted = e->wanted;
    if (wanted->n_dims < 2)
        return false;
    size_t height = wanted->shape[wanted->n_dims - 2];
    size_t width = wanted->shape[wanted->n_dims - 1];
    size_t rows = 0, columns = 0;
    while (rows < height && !e->wrong[rows * width])
        rows++;
    while (columns < width && !e->wrong[columns])
        columns++;
    if (rows <= 1 && columns < width) /* the end of an array, whatever its shape */
        return false;
    for (size_t i = 0; i < wanted->elements; i++) {
        bool outside = i % width >= columns || i / width % height >= rows;
        if (outside != (bool)e->wrong[i])
            return false;
    }
    if (rows < height && columns < width)
        snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                 language_say(e->language, "all outside the first %zu rows and %zu columns %s"), rows,
                 columns, what_is_there(e));
    else
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "the %s from %zu on %s"),
                 language_say(e->language, rows < height ? "rows" : "columns"),
                 rows < height ? rows : columns, what_is_there(e));
    return true;
}

/* Whether all wrong elements lie within an eighth of `block` of a multiple of it, but for 0 and the end, and each of these has one. depth: how far
 * they reach, at least 1. */
static bool lie_at_seams(const Evidence *e, size_t block, size_t *depth)
{
    size_t n = e->wanted->elements, n_seams = (n - 1) / block, seam_before = 0, found = 0;
    *depth = 1;
    for (size_t i = 0; i < n; i++) {
        if (!e->wrong[i])
            continue;
        size_t seam = (i + block / 2) / block, distance = i >= seam * block ? i - seam * block + 1 : seam * block - i;
        if (seam == 0 || seam > n_seams || distance > block / 8)
            return false;
        *depth = distance > *depth ? distance : *depth;
        found += seam != seam_before;
        seam_before = seam;
    }
    return found == n_seams;
}

enum { SEAMS_MIN = 2, BLOCK_MIN = 32, BLOCK_MAX = 1024 };

/* In a list of several blocks of threads. */
bool find_seams(const Evidence *e, char *sentence)
{
    size_t n = e->wanted->elements, depth = 0;
    if (e->wanted->n_dims != 1)
        return false;
    for (size_t block = BLOCK_MAX; block >= BLOCK_MIN; block /= 2) {
        if ((n - 1) / block < SEAMS_MIN || !lie_at_seams(e, block, &depth))
            continue;
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only elements within %zu of a multiple of %zu, but for the ends, %s"), depth, block,
                 what_is_there(e));
        return true;
    }
    return false;
}

/* Side by side, and neither first nor last. */
bool find_run(const Evidence *e, char *sentence)
{
    size_t first = diagnose_first_wrong(e), last = last_wrong(e);
    if (is_too_short(e) || e->result.mismatches < 2 || last - first + 1 != e->result.mismatches)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only the elements from %zu to %zu %s"), first, last, what_is_there(e));
    return true;
}

/* Here and there, and nobody has been there. */
bool find_gaps(const Evidence *e, char *sentence)
{
    bool untouched = holds_for_all_wrong(e, diagnose_is_unwritten) || diagnose_is_fresh(e, true);
    if (!untouched || e->result.mismatches < 2)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "%zu elements, here and there, %s"), e->result.mismatches, what_is_there(e));
    return true;
}

bool find_corner(const Evidence *e, char *sentence)
{
    return is_untouched(e) && find_corner_wrong(e, sentence);
}

/* Whether exactly the elements i with i % k == r have the given flag, from the first two that have it. */
static bool is_every_kth(const Evidence *e, uint8_t flag, size_t *k, size_t *r)
{
    size_t n = e->wanted->elements;
    size_t a = 0;
    while (a < n && e->wrong[a] != flag)
        a++;
    size_t b = a + 1;
    while (b < n && e->wrong[b] != flag)
        b++;
    if (b >= n || b - a < 2 || a >= b - a)
        return false;
    *k = b - a;
    *r = a;
    for (size_t i = 0; i < n; i++)
        if ((e->wrong[i] == flag) != (i % *k == *r))
            return false;
    return n / *k >= 3;
}

static void tell_right_ones(const Evidence *e, size_t k, size_t r, char *sentence)
{
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only one element in %zu, from %zu on, is right; the others %s"), k, r,
             what_is_there(e));
}

enum { WARP = 32 };

/* Wrong values, and right ones only at the end or farther apart than a warp's threads: the formula is wrong, and not the place. */
bool find_few_right(const Evidence *e, char *sentence)
{
    size_t k, r;
    if (20 * e->result.mismatches < 19 * e->wanted->elements || is_untouched(e))
        return false;
    if (is_every_kth(e, 0, &k, &r) && k > WARP)
        tell_right_ones(e, k, r, sentence);
    else
        return find_head(e, sentence);
    return true;
}

bool find_every_kth(const Evidence *e, char *sentence)
{
    size_t k, r;
    if (is_every_kth(e, 1, &k, &r))
        snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                 language_say(e->language, "one element in %zu, from %zu on, is wrong; these %s"), k, r,
                 what_is_there(e));
    else if (is_every_kth(e, 0, &k, &r))
        tell_right_ones(e, k, r, sentence);
    else
        return false;
    return true;
}

bool find_periodic(const Evidence *e, char *sentence)
{
    size_t n = e->wanted->elements;
    for (size_t period = 8; period <= 1024; period *= 2) {
        if (n < 2 * period)
            return false;
        size_t i = period;
        while (i < n && e->wrong[i] == e->wrong[i - period])
            i++;
        if (i < n)
            continue;
        size_t first = diagnose_first_wrong(e), count = 0;
        for (size_t j = 0; j < period; j++)
            count += e->wrong[j];
        snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                 language_say(e->language, "in every run of %zu elements %zu, the first at %zu, %s"), period,
                 count, first, what_is_there(e));
        return true;
    }
    return false;
}

/* The side of the last two dimensions that a pattern goes along. */
typedef enum Side { ROWS, COLUMNS } Side;

/* Whether a row (of the last two dimensions; or a column) has wrong elements only, as `wrong`, or right ones only, in every plane. */
static bool is_whole_line(const Evidence *e, Side side, size_t line, bool wrong)
{
    const LabArray *a = e->wanted;
    size_t width = a->shape[a->n_dims - 1], height = a->shape[a->n_dims - 2];
    size_t planes = a->elements / (width * height), n = side == ROWS ? width : height;
    for (size_t k = 0; k < planes * n; k++) {
        size_t y = side == ROWS ? line : k % n, x = side == ROWS ? k % n : line;
        if ((e->wrong[(k / n * height + y) * width + x] != 0) != wrong)
            return false;
    }
    return true;
}

/* The shortest period, a power of two, in which whole lines are wrong or right; 0: there is none. count: of the wrong ones in each, first: where
 * they begin. */
static size_t period_of_lines(const Evidence *e, Side side, size_t *count, size_t *first)
{
    const LabArray *a = e->wanted;
    size_t n = a->shape[a->n_dims - (side == ROWS ? 2 : 1)], across = a->shape[a->n_dims - (side == ROWS ? 1 : 2)];
    for (size_t period = 2; period <= 128 && n >= 2 * period && across > 1; period *= 2) {
        *count = *first = 0;
        for (size_t line = period; line-- > 0;)
            if (e->wrong[side == ROWS ? line * across : line])
                ++*count, *first = line;
        bool fits = *count > 0 && *count < period;
        for (size_t line = 0; fits && line < n; line++)
            fits = is_whole_line(e, side, line, e->wrong[side == ROWS ? line % period * across : line % period] != 0);
        if (fits)
            return period;
    }
    return 0;
}

static bool find_lines(const Evidence *e, Side side, const char *form, char *sentence)
{
    size_t count, first, period = e->wanted->n_dims >= 2 ? period_of_lines(e, side, &count, &first) : 0;
    if (period > 0)
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, form, period, count, first, what_is_there(e));
    return period > 0;
}

bool find_rows(const Evidence *e, char *sentence)
{
    return find_lines(e, ROWS, language_say(e->language, "of every %zu rows %zu, the first at %zu, %s"), sentence);
}

bool find_columns(const Evidence *e, char *sentence)
{
    return find_lines(e, COLUMNS, language_say(e->language, "of every %zu columns %zu, the first at %zu, %s"), sentence);
}
