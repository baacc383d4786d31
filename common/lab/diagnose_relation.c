/* Patterns that relate all values of a result to the right ones: zero, scaled, shifted, transposed... */
#include "common/lab/diagnose_internal.h"
#include "common/lab/guard.h"
#include "common/lab/npy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether element i of the result is what belongs at j. */
static bool is_value_of(const Evidence *e, size_t i, size_t j)
{
    double error, allowed;
    return compare_at(e->got, i, e->wanted, j, &e->tolerance, &error, &allowed);
}

static bool all_equal_to(const LabArray *array, double value)
{
    for (size_t i = 0; i < array->elements; i++)
        if (compare_element(array, i) != value)
            return false;
    return true;
}

bool find_never_written(const Evidence *e, char *sentence)
{
    bool fresh = diagnose_is_fresh(e, false);
    for (size_t i = 0; !fresh && i < e->got->elements; i++)
        if (!diagnose_is_unwritten(e->got, i))
            return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "no element was ever written"));
    return true;
}

bool find_all_zero(const Evidence *e, char *sentence)
{
    if (!all_equal_to(e->got, 0))
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "all elements are zero"));
    return true;
}

bool find_all_nan(const Evidence *e, char *sentence)
{
    for (size_t i = 0; i < e->got->elements; i++)
        if (!isnan(compare_element(e->got, i)))
            return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "all elements are NaN"));
    return true;
}

/* All that are wrong are the limit of floats, with which a maximum or minimum began. */
bool find_float_limit(const Evidence *e, char *sentence)
{
    static const struct {
        double value;
        const char *name;
    } limits[] = {{-(double)FLT_MAX, "-FLT_MAX"}, {(double)FLT_MAX, "FLT_MAX"}, {(double)FLT_MIN, "FLT_MIN"}};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        size_t i = 0;
        while (i < e->got->elements && (!e->wrong[i] || compare_element(e->got, i) == limits[k].value))
            i++;
        if (i < e->got->elements)
            continue;
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "what is wrong is %s"), limits[k].name);
        return true;
    }
    return false;
}

bool find_constant(const Evidence *e, char *sentence)
{
    if (e->got->elements < RELATION_MIN || !all_equal_to(e->got, compare_element(e->got, 0)))
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "all elements are %.9g"),
             compare_element(e->got, 0));
    return true;
}

bool find_input_returned(const Evidence *e, char *sentence)
{
    const LabArray *got = e->got;
    for (size_t k = 0; k < e->n_inputs; k++) {
        const LabArray *input = &e->inputs[k];
        bool same = got->elements >= RELATION_MIN && input->type == got->type &&
                    input->elements == got->elements &&
                    memcmp(input->data, got->data, got->elements * npy_type_bytes(got->type)) == 0;
        if (same) {
            snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                     language_say(e->language, "the result is the input '%s', unchanged"), input->name);
            return true;
        }
    }
    return false;
}

/* A factor or an offset is taken from one rounded element: a little more room than the case's tolerance
 * gives. */
static Tolerance loosened(const Evidence *e)
{
    Tolerance loose = e->tolerance;
    loose.rtol = loose.rtol < 1e-6 ? 1e-6 : 4 * loose.rtol;
    return loose;
}

/* The first element whose right value is neither zero nor infinite; elements when there is none. */
static size_t first_plain(const LabArray *wanted)
{
    size_t i = 0;
    while (i < wanted->elements && (compare_element(wanted, i) == 0 || !isfinite(compare_element(wanted, i))))
        i++;
    return i;
}

/* i ^ 2 written for a square, or i ^ 3. */
bool find_exclusive_or(const Evidence *e, char *sentence)
{
    double power = e->got->elements < RELATION_MIN ? 0 : compare_element(e->got, 0);
    if (power != 2 && power != 3)
        return false;
    for (size_t i = 0; i < e->got->elements; i++)
        if (compare_element(e->got, i) != (double)(i ^ (size_t)power))
            return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "element i holds i ^ %d"), (int)power);
    return true;
}

/* Of a few elements, such as the one sum of an array, any number is a factor: only one that is whole, of a value large enough that few numbers
 * are its multiples, is no chance. */
static bool is_whole_factor(double factor, double wanted)
{
    return factor >= 2 && factor <= 1024 && fabs(factor - round(factor)) < 1e-6 && fabs(wanted) >= 1000;
}

bool find_scaled(const Evidence *e, char *sentence)
{
    size_t plain = first_plain(e->wanted);
    if (plain == e->got->elements)
        return false;
    double wanted = compare_element(e->wanted, plain), factor = compare_element(e->got, plain) / wanted;
    if (!isfinite(factor) || fabs(factor - 1) < 1e-3) /* which "%.4g" would call 1 */
        return false;
    if (e->got->elements < RELATION_MIN && !is_whole_factor(factor, wanted))
        return false;
    if (e->result.mismatches * 2 < e->got->elements) /* a factor near 1 that most elements take for right */
        return false;
    Tolerance loose = loosened(e);
    for (size_t i = 0; i < e->got->elements; i++) {
        double error, allowed;
        double scaled = factor * compare_element(e->wanted, i);
        if (!compare_values(compare_element(e->got, i), scaled, &loose, &error, &allowed))
            return false;
    }
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, e->got->elements == 1 ? "it is %.4g times the right value" : "every element is %.4g times the right value"), factor);
    return true;
}

static bool is_whole_type(LabType type)
{
    switch (type) {
    case LAB_I32:
    case LAB_U32:
    case LAB_I64:
    case LAB_U64:
        return true;
    default:
        return false;
    }
}

/* The right value on top of the bytes that stand in an array before the program runs. */
bool find_accumulated(const Evidence *e, char *sentence)
{
    size_t bytes = npy_type_bytes(e->got->type);
    if (e->got->elements == 0 || e->wanted->type != e->got->type || !is_whole_type(e->got->type))
        return false;
    for (size_t i = 0; i < e->got->elements; i++) {
        uint64_t got = 0, wanted = 0;
        memcpy(&got, (const char *)e->got->data + i * bytes, bytes);
        memcpy(&wanted, (const char *)e->wanted->data + i * bytes, bytes);
        got -= wanted; /* its low bytes: sums wrap */
        if (!guard_is_poison(&got, i * bytes, bytes))
            return false;
    }
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "every element is the right value added to what nobody wrote"));
    return true;
}

/* Whether got is input + factor * (wanted - input) everywhere, as nearly as these sums can be. */
static bool is_change_times(const Evidence *e, const LabArray *input, double factor)
{
    Tolerance loose = loosened(e);
    for (size_t i = 0; i < e->got->elements; i++) {
        double before = compare_element(input, i), wanted = compare_element(e->wanted, i);
        double room = loose.atol + loose.rtol * fmax(fabs(before), fabs(wanted));
        if (!(fabs(compare_element(e->got, i) - before - factor * (wanted - before)) <= (1 + fabs(factor)) * room))
            return false;
    }
    return true;
}

/* The element that changes most from the input; elements when none changes, or one without end. */
static size_t most_changed(const Evidence *e, const LabArray *input)
{
    size_t most = e->wanted->elements;
    double change = 0;
    for (size_t i = 0; i < e->wanted->elements; i++) {
        double of_this = fabs(compare_element(e->wanted, i) - compare_element(input, i));
        if (!isfinite(of_this))
            return e->wanted->elements;
        most = of_this > change ? i : most;
        change = fmax(of_this, change);
    }
    return most;
}

/* An input of as many elements, which the array may have held before. */
static bool may_have_been(const Evidence *e, const LabArray *input)
{
    return e->got->elements >= 2 * RELATION_MIN && input->type == e->got->type && input->elements == e->got->elements;
}

bool find_change_scaled(const Evidence *e, char *sentence)
{
    for (size_t k = 0; k < e->n_inputs; k++) {
        const LabArray *input = &e->inputs[k];
        size_t most = may_have_been(e, input) ? most_changed(e, input) : e->wanted->elements;
        if (most == e->wanted->elements)
            continue;
        double before = compare_element(input, most);
        double factor = (compare_element(e->got, most) - before) / (compare_element(e->wanted, most) - before);
        if (!isfinite(factor) || fabs(factor) < 1e-3 || fabs(factor - 1) < 1e-3 || !is_change_times(e, input, factor))
            continue;
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "what was added to the input '%s' is %.4g times what it should be"), input->name,
                 factor);
        return true;
    }
    return false;
}

bool find_input_missing(const Evidence *e, char *sentence)
{
    Tolerance loose = loosened(e);
    for (size_t k = 0; k < e->n_inputs; k++) {
        const LabArray *input = &e->inputs[k];
        bool missing = may_have_been(e, input) && !all_equal_to(input, 0);
        for (size_t i = 0; missing && i < e->got->elements; i++) {
            double before = compare_element(input, i), wanted = compare_element(e->wanted, i);
            double room = loose.atol + loose.rtol * fmax(fabs(before), fabs(wanted));
            missing = fabs(compare_element(e->got, i) - (wanted - before)) <= 2 * room;
        }
        if (!missing)
            continue;
        snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "every element is the right value less the input '%s'"), input->name);
        return true;
    }
    return false;
}

bool find_offset(const Evidence *e, char *sentence)
{
    if (e->got->elements < RELATION_MIN)
        return false;
    double offset = compare_element(e->got, 0) - compare_element(e->wanted, 0);
    if (!isfinite(offset) || offset == 0 || e->result.mismatches * 2 < e->got->elements)
        return false;
    Tolerance loose = loosened(e);
    for (size_t i = 0; i < e->got->elements; i++) {
        double error, allowed;
        double moved = compare_element(e->wanted, i) + offset;
        if (!compare_values(compare_element(e->got, i), moved, &loose, &error, &allowed))
            return false;
    }
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "every element is the right value %+.4g"), offset);
    return true;
}

static bool is_whole(double value)
{
    return isfinite(value) && value == trunc(value);
}

/* One number is whole by chance. A quotient has lost what it had behind the point, and a sum something of nearly each element. */
static bool lost_fractions(double got, double wanted)
{
    return fabs(wanted) >= 16 && (got == trunc(wanted) || fabs(got - wanted) > fabs(wanted) / 128);
}

/* All whole where a quarter or more of the right ones are not, and nine in ten near the right one. */
bool find_whole(const Evidence *e, char *sentence)
{
    size_t n = e->got->elements, n_fractions = 0, n_near = 0;
    for (size_t i = 0; i < n; i++) {
        double got = compare_element(e->got, i), wanted = compare_element(e->wanted, i);
        if (!is_whole(got))
            return false;
        n_fractions += isfinite(wanted) && !is_whole(wanted);
        n_near += fabs(got - wanted) <= 1 + fabs(wanted) / 8;
    }
    if ((n < RELATION_MIN && !(n == 1 && lost_fractions(compare_element(e->got, 0), compare_element(e->wanted, 0)))) || n_fractions * 4 < n || n_near * 10 < n * 9)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, n == 1
                                           ? "the only element is a whole number, and the right one is not"
                                           : "all elements are whole numbers, and the right ones are not"));
    return true;
}

/* Those that are wrong are off by one factor. */
bool find_scaled_part(const Evidence *e, char *sentence)
{
    size_t n = e->wanted->elements;
    double factor = 0;
    if (e->result.mismatches < 2 * RELATION_MIN || e->result.mismatches == n)
        return false;
    for (size_t i = 0; i < n; i++) {
        double got = compare_element(e->got, i), wanted = compare_element(e->wanted, i);
        if (!e->wrong[i])
            continue;
        if (wanted == 0 || !isfinite(got / wanted) || got == 0)
            return false;
        factor = factor == 0 ? got / wanted : factor;
        if (fabs(factor - 1) < 1e-3 || fabs(got - factor * wanted) > 1e-5 * fabs(got))
            return false;
    }
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "those that are wrong are %.4g times the right value"), factor);
    return true;
}

static bool is_ramp(const LabArray *array)
{
    for (size_t i = 2; i < array->elements; i++)
        if (compare_element(array, i) - compare_element(array, i - 1) !=
            compare_element(array, 1) - compare_element(array, 0))
            return false;
    return true;
}

/* Whether all are off by multiples of 2^bits, and none needs more bits; or by several such multiples, as sums of what a smaller type
 * kept are; or by one, where no type is so small. These would say little of elements whose last bits are 0 anyway. */
static bool is_off_by_multiples(const Evidence *e, double range)
{
    size_t n = e->wanted->elements, n_telling = 0;
    double first = 0;
    bool is_kept = range <= 65536, differ = range > 65536;
    for (size_t i = 0; i < n; i++) {
        double got = compare_element(e->got, i), wanted = compare_element(e->wanted, i), off = got - wanted;
        if (off / range != trunc(off / range))
            return false;
        is_kept &= got >= -range / 2 && got < range;
        if (off == 0)
            continue;
        n_telling += wanted / range != trunc(wanted / range);
        differ |= first != 0 && off != first;
        first = off;
    }
    return is_kept || (range >= 65536 && differ && n_telling >= 2 * RELATION_MIN);
}

static bool may_lack_bits(const Evidence *e)
{
    return is_whole_type(e->wanted->type) && e->result.mismatches >= 2 * RELATION_MIN && !is_ramp(e->wanted);
}

/* What is left of whole numbers without their highest bits. */
bool find_high_bits(const Evidence *e, char *sentence)
{
    for (double range = 1 << 30; range > 65536 && may_lack_bits(e); range /= 2)
        if (is_off_by_multiples(e, range)) {
            snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "those that are wrong are off by multiples of %d"), (int)range);
            return true;
        }
    return false;
}

/* What is left of whole numbers in a smaller type. A ramp is the same where an index begins again. */
bool find_low_bits(const Evidence *e, char *sentence)
{
    for (double range = 256; range <= 65536 && may_lack_bits(e); range *= 256)
        if (is_off_by_multiples(e, range)) {
            snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                     language_say(e->language, "those that are wrong are off by multiples of %d"), (int)range);
            return true;
        }
    return false;
}

/* A fourth of the elements or more, each off by little of what the right ones are in the middle: 1 of 256, as half precision is; of whole
 * numbers as much as a float rounds them, and then a few are enough, unless they are the end. */
bool find_near(const Evidence *e, char *sentence)
{
    size_t n = e->wanted->elements;
    double squares = 0, farthest = 0;
    for (size_t i = 0; i < n; i++) {
        double got = compare_element(e->got, i), wanted = compare_element(e->wanted, i);
        if (!isfinite(got) || !isfinite(wanted))
            return false;
        squares += wanted * wanted;
        farthest = fmax(farthest, fabs(got - wanted));
    }
    double middle = sqrt(squares / (double)n), least = is_whole_type(e->wanted->type) ? 0x1p-18 : 0x1p-8;
    bool enough = e->result.mismatches * 4 >= n || (is_whole_type(e->wanted->type) && !e->wrong[n - 1]);
    if (n < RELATION_MIN || !enough || farthest > middle * least)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "no element is farther than %.2g from the right value"), farthest);
    return true;
}

/* Whether got[i] is what belongs at i + by, for every i for which that is inside. */
static bool is_shifted(const Evidence *e, ptrdiff_t by)
{
    size_t n = e->got->elements;
    size_t distance = (size_t)(by < 0 ? -by : by);
    if (distance * 2 > n || n < RELATION_MIN)
        return false;
    size_t start = by < 0 ? distance : 0;
    size_t stop = by < 0 ? n : n - distance;
    for (size_t i = start; i < stop; i++)
        if (!is_value_of(e, i, (size_t)((ptrdiff_t)i + by)))
            return false;
    return true;
}

enum { SHIFT_MAX = 16 };

static size_t width_of(const LabArray *array)
{
    return array->n_dims > 0 ? array->shape[array->n_dims - 1] : 1;
}

bool find_shifted(const Evidence *e, char *sentence)
{
    ptrdiff_t width = (ptrdiff_t)width_of(e->wanted);
    for (int sign = -1; sign <= 1; sign += 2) {
        if (e->wanted->n_dims > 1 && width > 1 && is_shifted(e, sign * width)) {
            snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                     language_say(e->language, "each row holds what belongs in the row %s it"),
                     language_say(e->language, sign < 0 ? "above" : "below"));
            return true;
        }
        for (ptrdiff_t by = 1; by <= SHIFT_MAX; by++) {
            if (!is_shifted(e, sign * by))
                continue;
            snprintf(sentence, DIAGNOSIS_TEXT_MAX,
                     language_say(e->language, "element i holds what belongs at i %c %d"),
                     sign < 0 ? '-' : '+', (int)by);
            return true;
        }
    }
    return false;
}

/* The last two lengths of an array of two or more dimensions, and how many such planes there are. */
static bool plane_of(const LabArray *array, size_t *rows, size_t *columns, size_t *planes)
{
    if (array->n_dims < 2 || array->elements < RELATION_MIN)
        return false;
    *rows = array->shape[array->n_dims - 2];
    *columns = array->shape[array->n_dims - 1];
    *planes = array->elements / (*rows * *columns);
    return *rows > 1 && *columns > 1;
}

bool find_transposed(const Evidence *e, char *sentence)
{
    size_t rows, columns, planes;
    if (!plane_of(e->wanted, &rows, &columns, &planes))
        return false;
    for (size_t p = 0; p < planes; p++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++) {
                size_t plane = p * rows * columns;
                if (!is_value_of(e, plane + c * rows + r, plane + r * columns + c))
                    return false;
            }
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "the result is transposed: it lies in memory column by column"));
    return true;
}

bool find_swapped_xy(const Evidence *e, char *sentence)
{
    size_t rows, columns, planes;
    if (!plane_of(e->wanted, &rows, &columns, &planes))
        return false;
    size_t side = rows < columns ? rows : columns, wrong = 0;
    for (size_t p = 0; p < planes; p++)
        for (size_t r = 0; r < side; r++)
            for (size_t c = 0; c < side; c++) {
                size_t plane = p * rows * columns;
                if (!is_value_of(e, plane + r * columns + c, plane + c * columns + r))
                    return false;
                wrong += e->wrong[plane + r * columns + c] != 0;
            }
    if (wrong == 0) /* the square is right, and what lies beyond it is something else */
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX,
             language_say(e->language, "element [row, column] holds what belongs at [column, row]"));
    return true;
}

/* Some that should be 0 are not, and all others are right. */
bool find_not_zeroed(const Evidence *e, char *sentence)
{
    size_t others = 0;
    for (size_t i = 0; i < e->wanted->elements; i++) {
        bool zero = compare_element(e->wanted, i) == 0;
        if (e->wrong[i] && !zero)
            return false;
        others += !zero;
    }
    if (e->result.mismatches < RELATION_MIN || others < RELATION_MIN)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "only elements that should be 0 are wrong"));
    return true;
}

/* Whole numbers that are too large in some places by as much as they are too small in others: nothing was lost, and nothing is there twice. */
bool find_same_sum(const Evidence *e, char *sentence)
{
    double got = 0, wanted = 0;
    if ((e->got->type != LAB_I32 && e->got->type != LAB_U32) || e->result.mismatches < 2)
        return false;
    for (size_t i = 0; i < e->wanted->elements; i++) {
        got += compare_element(e->got, i);
        wanted += compare_element(e->wanted, i);
    }
    if (got != wanted)
        return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "the sum of all elements is right, and some stand in wrong places"));
    return true;
}

bool find_reversed(const Evidence *e, char *sentence)
{
    size_t n = e->got->elements;
    if (n < RELATION_MIN)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_value_of(e, i, n - 1 - i))
            return false;
    snprintf(sentence, DIAGNOSIS_TEXT_MAX, language_say(e->language, "the result is in reverse order"));
    return true;
}
