/* Lab 17: inputs and right answers.
 *
 * Parameters: `function`, one of mixed_precision.h; rows and columns, or m, n and k; `scale`, `rate` and `steps`;
 * `spoilt`: how many elements of the gradient are infinite, 2 below 0, 4 above, else of both signs, or 1: the last one is NaN; `large`: one is the largest half; `empty`: the row of zeros;
 * `turn`: sums that grow far before they come back.
 *
 * All numbers are whole, times powers of two, and so small that every sum and every update is exact in a float, in
 * whatever order it is taken. So one product that is lost, or one sum taken in half precision, shows. Where an
 * answer is rounded to half precision it is rounded once, to the nearest, ties to even.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers of 16 bits ---- */

/* The half next to a number: 2^unit is what its last bit is worth. */
static uint16_t half_of(double value)
{
    double magnitude = fabs(value);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (magnitude >= 65520)
        return sign | 0x7C00;
    if (magnitude == 0)
        return sign;
    int exponent = 0;
    frexp(magnitude, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    return (uint16_t)(sign | (((unit + 24) << 10) + (int)rint(ldexp(magnitude, -unit))));
}

static double value_of_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31   ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t bfloat_of(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double value_of_bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &wide, sizeof f);
    return f;
}

static double element(const LabArray *array, size_t i)
{
    if (array->type == LAB_F32)
        return ((const float *)array->data)[i];
    if (array->type == LAB_I8)
        return ((const int8_t *)array->data)[i];
    uint16_t bits = ((const uint16_t *)array->data)[i];
    return array->type == LAB_F16 ? value_of_half(bits) : value_of_bfloat(bits);
}

/* ---- Inputs ---- */

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static double factor_param(JudgeCase *c, const char *key)
{
    return judge_param_float(c, key);
}

/* A whole number from -largest to largest, never 0, made of a real one. */
static double whole(double real)
{
    return (int)real + (real < 0 ? -1.0 : 1.0);
}

/* Halves, floats or (as U16) bfloats: whole numbers times unit. */
static LabArray *make_wholes(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape,
                             int largest, double unit)
{
    LabArray *array = judge_input_make(c, name, type, n_dims, shape);
    if (type == LAB_U16) { /* drawn as whole numbers, since U16 is one */
        judge_fill(c, array, 0, 2 * largest - 1);
        uint16_t *bits = array->data;
        for (size_t i = 0; i < array->elements; i++)
            bits[i] = bfloat_of((bits[i] < largest ? bits[i] - (double)largest : bits[i] - largest + 1.0) * unit);
        return array;
    }
    judge_fill(c, array, -largest, largest);
    for (size_t i = 0; i < array->elements; i++) {
        double value = whole(element(array, i)) * unit;
        if (type == LAB_F16)
            ((uint16_t *)array->data)[i] = half_of(value);
        else
            ((float *)array->data)[i] = (float)value;
    }
    return array;
}

static void make_matvec(JudgeCase *c, LabType type)
{
    size_t shape[] = {size_param(c, "rows"), size_param(c, "columns")};
    make_wholes(c, "w", type, 2, shape, type == LAB_F16 ? 2047 : 255, type == LAB_F16 ? 1 : 0x1p40); /* what a half would not hold */
    make_wholes(c, "x", type, 1, &shape[1], 7, 1);
}

static void make_layer(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    make_wholes(c, "x", LAB_F16, 2, (size_t[]){m, k}, 31, 1);
    make_wholes(c, "w", LAB_F16, 2, (size_t[]){n, k}, 63, 1);
}

static void make_gradient(JudgeCase *c)
{
    size_t n = size_param(c, "n");
    make_wholes(c, "x", LAB_F16, 1, &n, 15, 0x1p-4);
    make_wholes(c, "error", LAB_F32, 1, &n, 4095, 0x1p-30);
}

/* Weights below 2^-6, and updates that are far below the last bit of a weight in half precision. */
static void make_update(JudgeCase *c)
{
    size_t n = size_param(c, "n"), spoilt = judge_has_param(c, "spoilt") ? size_param(c, "spoilt") : 0;
    LabArray *master = make_wholes(c, "master", LAB_F32, 1, &n, 1 << 22, 0x1p-28);
    uint16_t *weights = judge_input_make(c, "weights", LAB_F16, 1, &n)->data;
    for (size_t i = 0; i < n; i++)
        weights[i] = half_of(element(master, i));
    uint16_t *gradient =
        make_wholes(c, "gradient", LAB_F16, 1, &n, 1023, 0x1p-26 * factor_param(c, "scale"))->data;
    if (judge_has_param(c, "large")) { /* of a weight of 0, so that the step is exact */
        gradient[n / 2] = 0x7BFF;
        ((float *)master->data)[n / 2] = 0;
        weights[n / 2] = 0;
    }
    for (size_t i = 0; i < spoilt; i++) { /* from the end: infinities, or one NaN */
        int below = spoilt == 2 || (spoilt != 4 && i % 2 == 1);
        gradient[n - 1 - i * (n / spoilt)] = spoilt == 1 ? 0x7E00 : below ? 0xFC00 : 0x7C00;
    }
    for (size_t i = 0; i < n && spoilt; i++) /* as they are to stay: not what master makes of them */
        weights[i] ^= 1;
}

/* One of five, without a period. */
static unsigned kind_of_row(size_t r)
{
    uint32_t mixed = (uint32_t)(r + 1) * UINT32_C(0x9E3779B1);
    mixed = (mixed ^ mixed >> 15) * UINT32_C(0x2C1B3C6D);
    return (mixed ^ mixed >> 12) % 5;
}

/* Rows whose largest magnitude is 127 units, at a place and with a sign that change from row to row; the unit changes without a period, so that
 * rows which are any number of blocks apart have different ones. The other elements are so far from the middle between two whole numbers of units that every way to divide rounds alike. */
static void make_weights(JudgeCase *c)
{
    size_t rows = size_param(c, "rows"), columns = size_param(c, "columns");
    LabArray *w = judge_input_make(c, "w", LAB_F32, 2, (size_t[]){rows, columns});
    judge_fill(c, w, -90, 90);
    float *of_w = w->data;
    for (size_t r = 0; r < rows; r++) {
        unsigned kind = kind_of_row(r);
        double unit = ldexp((double)(3 + kind) / 512, kind == 3 ? -99 : kind == 1 ? 124 : 0); /* some are tiny, 1e-30 and a little more, and no zeros; some so large that a float holds no 127 times more */
        for (size_t i = r * columns; i < (r + 1) * columns; i++) {
            double part = of_w[i] - (int)of_w[i]; /* from -1 to 1, away from 0: cutting off must not be rounding */
            of_w[i] = (float)(((int)of_w[i] - 0.4 * part) * unit);
        }
        of_w[r * columns + 7 * r % columns] = (float)((r % 2 ? 127 : -127) * unit);
    }
    if (judge_has_param(c, "empty"))
        memset(of_w + size_param(c, "empty") * columns, 0, columns * sizeof(float));
}

/* With `turn` all products of a row's first half are positive, all of the second negative, and each is above 14,000: on the way the sum is
 * far beyond what a float holds to the last bit, and in the end it is small. In every second row that is so of the sums of a warp's lanes, whether a
 * lane takes 1, 4 or 16 elements at a time: the sign is another one every 16 elements. */
static void make_turning(LabArray *numbers, size_t columns, int turns)
{
    int8_t *value = numbers->data;
    for (size_t i = 0; i < numbers->elements; i++) {
        int magnitude = 120 + (value[i] < 0 ? -value[i] : value[i]) % 8;
        size_t column = i % columns;
        bool is_negative = i / columns % 2 ? column / 16 % 2 : column >= columns / 2;
        value[i] = (int8_t)(turns && is_negative ? -magnitude : magnitude);
    }
}

static void make_int8(JudgeCase *c)
{
    size_t rows = size_param(c, "rows"), columns = size_param(c, "columns"), one = 1;
    LabArray *q = judge_input_make(c, "q", LAB_I8, 2, (size_t[]){rows, columns});
    LabArray *x = judge_input_make(c, "x", LAB_I8, 1, &columns);
    judge_fill(c, q, -127, 127);
    judge_fill(c, x, -127, 127);
    if (judge_has_param(c, "turn")) {
        make_turning(q, columns, 1);
        make_turning(x, columns, 0);
    }
    make_wholes(c, "scale", LAB_F32, 1, &rows, 1000, 0x1p-17);
    make_wholes(c, "x_scale", LAB_F32, 1, &one, 900, 0x1p-16);
}

/* Rows of up to `most` elements, every seventh one empty, in ascending columns. */
static void make_csr(JudgeCase *c)
{
    size_t rows = size_param(c, "rows"), columns = size_param(c, "columns"), n_starts = rows + 1;
    int32_t *start = judge_input_make_i32(c, "row_start", n_starts);
    judge_fill_i32(c, start, 1, (int32_t)size_param(c, "most"));
    int32_t total = 0;
    for (size_t r = 0; r < n_starts; r++) {
        int32_t length = r % 7 == 3 ? 0 : start[r];
        start[r] = total;
        total += r < rows ? length : 0;
    }
    size_t stored = (size_t)total;
    int32_t *column = judge_input_make_i32(c, "column", stored);
    judge_fill_i32(c, column, 0, 1 << 20);
    for (size_t r = 0; r < rows; r++) {
        int32_t length = start[r + 1] - start[r];
        for (int32_t i = 0; i < length; i++) {
            int32_t first = (int32_t)((int64_t)i * (int64_t)columns / length),
                    last = (int32_t)((int64_t)(i + 1) * (int64_t)columns / length);
            column[start[r] + i] = first + column[start[r] + i] % (last - first);
        }
    }
    make_wholes(c, "value", LAB_F16, 1, &stored, 2047, 0.0625); /* sums that are no whole numbers */
    make_wholes(c, "x", LAB_F16, 1, &columns, 7, 1);
}

/* ---- Answers ---- */

static void expect_matvec(JudgeCase *c)
{
    const LabArray *w = judge_input(c, "w"), *x = judge_input(c, "x");
    double *y = judge_expect_precise(c, "y", LAB_F32, 1, w->shape);
    for (size_t i = 0; i < w->elements; i++)
        y[i / w->shape[1]] += element(w, i) * element(x, i % w->shape[1]);
}

static void expect_layer(JudgeCase *c)
{
    const LabArray *x = judge_input(c, "x"), *w = judge_input(c, "w");
    size_t m = x->shape[0], n = w->shape[0], k = x->shape[1];
    double *y = judge_expect_precise(c, "y", LAB_F32, 2, (size_t[]){m, n});
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++)
            for (size_t i = 0; i < k; i++)
                y[row * n + column] += element(x, row * k + i) * element(w, column * k + i);
}

static void expect_gradient(JudgeCase *c)
{
    const LabArray *x = judge_input(c, "x"), *error = judge_input(c, "error");
    uint16_t *gradient = judge_expect(c, "gradient", LAB_F16, 1, x->shape);
    for (size_t i = 0; i < x->elements; i++)
        gradient[i] = half_of(factor_param(c, "scale") * element(error, i) * element(x, i));
}

static void expect_update(JudgeCase *c)
{
    const LabArray *master = judge_input(c, "master"), *gradient = judge_input(c, "gradient");
    const uint16_t *old = judge_input(c, "weights")->data;
    int32_t *overflow = judge_has_param(c, "spoilt") ? judge_expect_i32(c, "overflow", 1) : NULL; /* told first, as the others follow from it */
    double *after = judge_expect_precise(c, "master_after", LAB_F32, 1, master->shape);
    uint16_t *weights = judge_expect(c, "weights_after", LAB_F16, 1, master->shape);
    overflow = overflow ? overflow : judge_expect_i32(c, "overflow", 1);
    double step = factor_param(c, "rate") / factor_param(c, "scale") * factor_param(c, "steps");
    for (size_t i = 0; i < gradient->elements; i++)
        *overflow |= !isfinite(element(gradient, i));
    for (size_t i = 0; i < master->elements; i++) {
        after[i] = element(master, i) - (*overflow ? 0 : step * element(gradient, i));
        weights[i] = *overflow ? old[i] : half_of(after[i]);
    }
}

static void expect_quantized(JudgeCase *c)
{
    const LabArray *w = judge_input(c, "w");
    size_t rows = w->shape[0], columns = w->shape[1];
    int8_t *q = judge_expect(c, "q", LAB_I8, 2, w->shape);
    double *scale = judge_expect_precise(c, "scale", LAB_F32, 1, &rows);
    for (size_t r = 0; r < rows; r++) {
        double largest = 0;
        for (size_t i = r * columns; i < (r + 1) * columns; i++)
            largest = fmax(largest, fabs(element(w, i)));
        scale[r] = largest > 0 ? largest / 127 : 1;
        for (size_t i = r * columns; i < (r + 1) * columns; i++)
            q[i] = (int8_t)rint(element(w, i) / scale[r]);
    }
}

static void expect_int8(JudgeCase *c)
{
    const LabArray *q = judge_input(c, "q"), *x = judge_input(c, "x");
    const LabArray *scale = judge_input(c, "scale"), *x_scale = judge_input(c, "x_scale");
    size_t columns = q->shape[1];
    double *y = judge_expect_precise(c, "y", LAB_F32, 1, q->shape);
    for (size_t i = 0; i < q->elements; i++)
        y[i / columns] += element(q, i) * element(x, i % columns);
    for (size_t r = 0; r < scale->elements; r++)
        y[r] *= element(scale, r) * element(x_scale, 0);
}

static void expect_csr(JudgeCase *c)
{
    size_t n_starts = 0;
    const int32_t *start = judge_input_i32(c, "row_start", &n_starts), *column = judge_input_i32(c, "column", NULL);
    const LabArray *value = judge_input(c, "value"), *x = judge_input(c, "x");
    size_t rows = n_starts - 1;
    double *y = judge_expect_precise(c, "y", LAB_F32, 1, &rows);
    for (size_t r = 0; r < rows; r++)
        for (int32_t i = start[r]; i < start[r + 1]; i++)
            y[r] += element(value, (size_t)i) * element(x, (size_t)column[i]);
}

/* ---- Mistakes in sums of rows: TODO 1, 6 and 7 ---- */

static void *room_for(size_t n, size_t each)
{
    void *room = calloc(n + 1, each);
    if (!room)
        abort();
    return room;
}

/* The products of row r are product[start[r]] up to, and without, product[start[r + 1]]; their sum is multiplied by factor[r]. */
typedef struct Rows {
    size_t n, *start;
    double *product, *factor;
} Rows;

static Rows rows_new(size_t n, size_t products)
{
    Rows rows = {.n = n, .start = room_for(n + 1, sizeof(size_t)), .product = room_for(products, sizeof(double)), .factor = room_for(n, sizeof(double))};
    for (size_t r = 0; r < n; r++)
        rows.factor[r] = 1;
    return rows;
}

static void rows_free(Rows *rows)
{
    free(rows->start);
    free(rows->product);
    free(rows->factor);
}

enum {
    ALL_PRODUCTS,
    LANE_0,
    LOWER_LANES,
    EVEN_LANES,
    FIRST_32,
    NOT_FIRST,
    NOT_LAST,
    STEP_64,
    STEP_OF_BLOCK,
    STEP_16,
    STEP_1,
    LANE_FORGOTTEN,
    THREAD_FOR_LANE,
    FIRST_OF_UNIT,
    SECOND_OF_UNIT,
    HALF_OF_ROW,
    QUARTER_OF_ROW,
    N_COUNTS
};

/* How often product i of the n of row r is in its sum, where a lane takes `unit` neighbours at a time. */
static int counts(int mistake, size_t i, size_t n, size_t r, size_t unit)
{
    size_t group = i / unit, groups = (n + unit - 1) / unit;
    switch (mistake) {
    case LANE_0: return group % 32 == 0;
    case LOWER_LANES: return group % 32 < 16;
    case EVEN_LANES: return group % 2 == 0;
    case FIRST_32: return group < 32;
    case NOT_FIRST: return group > 0;
    case NOT_LAST: return group + 1 < groups;
    case STEP_64: return group / 32 % 2 == 0;
    case STEP_OF_BLOCK: return group / 32 % 4 == 0;
    case STEP_16: return group < 16 ? 1 : 2;
    case STEP_1: return group < 32 ? (int)group + 1 : 32;
    case LANE_FORGOTTEN: return group % 32 == 0 ? 32 : 0;
    case THREAD_FOR_LANE: return group >= r % 4 * 32;
    case FIRST_OF_UNIT: return i % unit == 0;
    case SECOND_OF_UNIT: return unit == 1 || i % unit == 1;
    case HALF_OF_ROW: return i < n / 2;
    case QUARTER_OF_ROW: return i < n / 4;
    default: return 1;
    }
}

static const struct {
    const char *sentence, *hint;
} of_counts[N_COUNTS] = {
    [LANE_0] = {"each result is what lane 0 alone adds up", "Lane 0 stores: where do the sums of the other 31 lanes come to its own, and does it store the sum of them all?"},
    [LOWER_LANES] = {"each result lacks what lanes 16 to 31 add up", "With which distance do the lanes begin to add up, if there are 32 of them?"},
    [EVEN_LANES] = {"each result lacks what every second lane adds up", "Down to which distance do the lanes add up? The last one is 1."},
    [FIRST_32] = {"each result has only what the lanes take in their first turn", "A lane takes more than one product (or pair, or four of them): where is its loop, and how far does it go?"},
    [NOT_FIRST] = {"each result lacks the beginning of its row", "With which element of the row does lane 0 begin?"},
    [NOT_LAST] = {"each result lacks the end of its row", "Where does a lane's loop end? Its bound is the number of elements (of pairs, of fours), and none less; who takes an element without a partner?"},
    [STEP_64] = {"each lane leaves out every second one of its products", "By how much does i grow in a lane's loop? 32 lanes share a row, however many of its elements a lane reads at a time."},
    [STEP_OF_BLOCK] = {"each lane leaves out three of four of its products", "By how much does i grow in a lane's loop? A row is a warp's and not a block's."},
    [STEP_16] = {"the products behind the first 16 are in it twice", "By how much does i grow in a lane's loop? 32 lanes share a row."},
    [STEP_1] = {"most products are in it several times, once for each of several lanes", "By how much does i grow in a lane's loop? Which products are the other lanes'?"},
    [LANE_FORGOTTEN] = {"the products of lane 0 are in it 32 times, and the other lanes' are not", "With which element of the row does each lane begin?"},
    [THREAD_FOR_LANE] = {"a block's first row is right, and each next one lacks 32 more at its beginning", "With which element does a lane begin? threadIdx.x counts in the block, and a row is a warp's."},
    [FIRST_OF_UNIT] = {"of the elements that a lane reads at a time only the first counts", "How many products does one access give, and which of them are added?"},
    [SECOND_OF_UNIT] = {"of the elements that a lane reads at a time only the second counts", "How many products does one access give, and which of them are added?"},
    [HALF_OF_ROW] = {"each result lacks the second half of its row", "Does the bound of the loop count what a turn takes: single elements, or pairs?"},
    [QUARTER_OF_ROW] = {"each result has only the first quarter of its row", "Does the bound of the loop count what a turn takes: single elements, or fours?"},
};

static void fill_sums(double *y, const Rows *rows, int mistake, size_t unit)
{
    for (size_t r = 0; y && r < rows->n; r++) {
        size_t first = rows->start[r], n = rows->start[r + 1] - first;
        y[r] = 0;
        for (size_t i = 0; i < n; i++)
            y[r] += counts(mistake, i, n, r, unit) * rows->product[first + i];
        y[r] *= rows->factor[r];
    }
}

static void name_sum(JudgeCase *c, const Rows *rows, const char *sentence, const char *hint)
{
    fill_sums(judge_mistake(c, "y", sentence, hint), rows, ALL_PRODUCTS, 1);
}

/* Names what becomes of right products, if a lane takes so many at a time. */
static void name_sums(JudgeCase *c, const Rows *rows, size_t unit)
{
    for (int mistake = LANE_0; mistake < N_COUNTS; mistake++)
        fill_sums(judge_mistake(c, "y", of_counts[mistake].sentence, of_counts[mistake].hint), rows, mistake, unit);
}

static Rows matvec_rows(JudgeCase *c)
{
    const LabArray *w = judge_input(c, "w"), *x = judge_input(c, "x");
    size_t n = w->shape[0], columns = w->shape[1];
    Rows rows = rows_new(n, w->elements);
    for (size_t r = 0; r < n; r++)
        rows.start[r + 1] = (r + 1) * columns;
    for (size_t i = 0; i < w->elements; i++)
        rows.product[i] = element(w, i) * element(x, i % columns);
    return rows;
}

static void name_matvec(JudgeCase *c)
{
    Rows rows = matvec_rows(c);
    name_sums(c, &rows, 1);
    name_sums(c, &rows, 2);
    rows_free(&rows);
}

/* A byte, taken for a number without a sign if it is said so. */
static double byte_as(const LabArray *array, size_t i, int is_unsigned)
{
    int8_t value = ((const int8_t *)array->data)[i];
    return is_unsigned ? (double)(uint8_t)value : (double)value;
}

static void int8_products(const LabArray *q, const LabArray *x, Rows *rows, int q_unsigned, int x_unsigned)
{
    for (size_t i = 0; i < q->elements; i++)
        rows->product[i] = byte_as(q, i, q_unsigned) * byte_as(x, i % q->shape[1], x_unsigned);
}

/* The right sums of products, of which each result is made with other factors. */
static void name_scales(JudgeCase *c, Rows *rows, const LabArray *scale, double x_scale)
{
    for (size_t r = 0; r < rows->n; r++)
        rows->factor[r] = element(scale, r);
    name_sum(c, rows, "the scale of x is missing", "Which two scales belong to the result? That of x is one number in device memory, which *x_scale reads.");
    for (size_t r = 0; r < rows->n; r++)
        rows->factor[r] = x_scale;
    name_sum(c, rows, "the scale of the row is missing", "Which two scales belong to the result? One is of the row, the other of x.");
    for (size_t r = 0; r < rows->n; r++)
        rows->factor[r] = element(scale, 0) * x_scale;
    name_sum(c, rows, "each row is multiplied by the scale of row 0", "With which index is the row's scale read?");
    for (size_t r = 0; r < rows->n; r++)
        rows->factor[r] = 1;
    name_sum(c, rows, "it is the sum, without the two scales", "Which two scales belong to the result?");
    for (size_t r = 0; r < rows->n; r++)
        rows->factor[r] = element(scale, r) * x_scale;
}

static void name_int8(JudgeCase *c)
{
    static const char *const signs = "Is the number that __dp4a gets an int, or an unsigned? The type says which __dp4a it is.";
    const LabArray *q = judge_input(c, "q"), *x = judge_input(c, "x"), *scale = judge_input(c, "scale");
    Rows rows = rows_new(q->shape[0], q->elements);
    for (size_t r = 0; r < rows.n; r++)
        rows.start[r + 1] = (r + 1) * q->shape[1];
    int8_products(q, x, &rows, 0, 0);
    name_scales(c, &rows, scale, element(judge_input(c, "x_scale"), 0));
    name_sums(c, &rows, 4);
    name_sums(c, &rows, 1);
    double *y = judge_mistake(c, "y", "only the lower 16 bits of each sum are there", "Of what type is each variable that holds a sum, and the sum between lanes? 127 * 127 * columns needs more than 16 bits.");
    for (size_t r = 0; y && r < rows.n; r++) {
        int64_t sum = 0;
        for (size_t i = rows.start[r]; i < rows.start[r + 1]; i++)
            sum += (int64_t)rows.product[i];
        y[r] = rows.factor[r] * (double)(int16_t)(uint16_t)sum;
    }
    int8_products(q, x, &rows, 1, 1);
    name_sum(c, &rows, "the numbers of q and x are taken without their signs", signs);
    int8_products(q, x, &rows, 1, 0);
    name_sum(c, &rows, "the numbers of q are taken without their signs", signs);
    int8_products(q, x, &rows, 0, 1);
    name_sum(c, &rows, "the numbers of x are taken without their signs", signs);
    rows_free(&rows);
}

enum { X_BY_PLACE, NO_X, NO_VALUE };

static void csr_products(JudgeCase *c, Rows *rows, int mistake)
{
    size_t n_starts = 0;
    const int32_t *start = judge_input_i32(c, "row_start", &n_starts), *column = judge_input_i32(c, "column", NULL);
    const LabArray *value = judge_input(c, "value"), *x = judge_input(c, "x");
    for (size_t r = 0; r < rows->n; r++) {
        rows->start[r + 1] = (size_t)start[r + 1];
        for (size_t i = (size_t)start[r]; i < (size_t)start[r + 1]; i++) {
            size_t place = mistake == X_BY_PLACE ? i - (size_t)start[r] : (size_t)column[i];
            double v = mistake == NO_VALUE ? 1 : element(value, i);
            rows->product[i] = v * (mistake == NO_X ? 1 : element(x, place % x->elements));
        }
    }
}

static void name_csr(JudgeCase *c)
{
    size_t n_starts = 0;
    judge_input_i32(c, "row_start", &n_starts);
    Rows rows = rows_new(n_starts - 1, judge_input(c, "value")->elements);
    csr_products(c, &rows, -1);
    name_sums(c, &rows, 1);
    csr_products(c, &rows, X_BY_PLACE);
    name_sum(c, &rows, "the elements of x are taken one after another from the first, in each row", "With which element of x is value[i] multiplied? column[i] says it.");
    csr_products(c, &rows, NO_X);
    name_sum(c, &rows, "it is the sum of the stored elements, without x", "With which element of x is value[i] multiplied?");
    csr_products(c, &rows, NO_VALUE);
    name_sum(c, &rows, "it is a sum of elements of x, without the stored elements", "By what is x[column[i]] multiplied?");
    rows_free(&rows);
}

/* ---- Mistakes with tiles: TODO 2 ---- */

enum {
    W_TURNED,
    X_TURNED,
    Y_TURNED,
    W_STAYS,
    X_STAYS,
    X_OF_FIRST_ROWS,
    W_OF_BLOCK,
    W_OF_FIRST_BLOCK,
    W_OF_FIRST_WARP,
    LAST_ALONE, /* before the next ones: with 32 columns they give the same */
    FIRST_ALONE,
    WITHOUT_FIRST,
    WITHOUT_LAST,
    EVERY_SECOND,
    N_TILE_MISTAKES
};

static const struct {
    const char *sentence, *hint;
} of_tiles[N_TILE_MISTAKES] = {
    [W_TURNED] = {"each tile of W is turned: its rows are taken for the rows of W^T", "Row j of W, as it lies in memory, is column j of W^T. Which layout has the fragment of W then?"},
    [X_TURNED] = {"each tile of X is turned", "Which layout has the fragment of X, and how do the threads store the tile that it is loaded from?"},
    [Y_TURNED] = {"each tile of Y is turned", "Which layout does store_matrix_sync write, and which one do the lanes read from tile_y?"},
    [W_STAYS] = {"every step takes the same tile of W, that of its first 16 columns", "Which 16 columns of W belong to a turn of the loop? `first` says it."},
    [X_STAYS] = {"every step takes the same tile of X, that of its first 16 columns", "Which 16 columns of X belong to a turn of the loop? `first` says it."},
    [X_OF_FIRST_ROWS] = {"all rows of blocks take the first 16 rows of X", "Which rows of X are a block's? blockIdx.y says it."},
    [W_OF_BLOCK] = {"all warps of a block take the rows of W that are its first warp's", "Which columns of Y are a warp's, and which rows of W belong to them?"},
    [W_OF_FIRST_BLOCK] = {"all blocks take the rows of W that are the first block's", "Which columns of Y are a block's, and which rows of W belong to them?"},
    [W_OF_FIRST_WARP] = {"all warps take the first 16 rows of W", "Which columns of Y are a warp's, and which rows of W belong to them?"},
    [WITHOUT_FIRST] = {"the first 16 of the k columns are missing", "With which column does the loop over k begin?"},
    [WITHOUT_LAST] = {"the last 16 of the k columns are missing", "Where does the loop over k end?"},
    [LAST_ALONE] = {"only the last 16 of the k columns count", "mma_sync adds to its last argument: is that the sum of the steps before, is it set to 0 before the loop and not in it, and does the loop begin with column 0?"},
    [FIRST_ALONE] = {"only the first 16 of the k columns count", "How many steps of 16 columns does the loop over k make: by how much does `first` grow, and where does it end?"},
    [EVERY_SECOND] = {"every second 16 of the k columns are missing", "By how much does `first` grow from step to step?"},
};

static double tile_sum(const LabArray *x, const LabArray *w, size_t row, size_t column, int mistake)
{
    size_t m = x->shape[0], k = x->shape[1], last = k - 16;
    size_t of_row = row / 16 * 16, of_column = column / 16 * 16;
    if (mistake == Y_TURNED) {
        size_t in_tile = row % 16;
        row = of_row + column % 16;
        column = of_column + in_tile;
    }
    double sum = 0;
    for (size_t first = 0; first < k; first += 16) {
        if ((mistake == WITHOUT_FIRST && first == 0) || (mistake == WITHOUT_LAST && first == last) || (mistake == LAST_ALONE && first != last) ||
            (mistake == FIRST_ALONE && first != 0) || (mistake == EVERY_SECOND && first / 16 % 2 == 1))
            continue;
        for (size_t i = 0; i < 16; i++) {
            size_t x_row = mistake == X_TURNED ? of_row + i : mistake == X_OF_FIRST_ROWS ? row % 16 : row;
            size_t x_column = mistake == X_TURNED ? first + row % 16 : mistake == X_STAYS ? i : first + i;
            size_t w_row = mistake == W_TURNED           ? of_column + i
                           : mistake == W_OF_BLOCK       ? column / 64 * 64 + column % 16
                           : mistake == W_OF_FIRST_BLOCK ? column % 64
                           : mistake == W_OF_FIRST_WARP  ? column % 16
                                                         : column;
            size_t w_column = mistake == W_TURNED ? first + column % 16 : mistake == W_STAYS ? i : first + i;
            sum += x_row < m ? element(x, x_row * k + x_column) * element(w, w_row * k + w_column) : 0;
        }
    }
    return sum;
}

static void name_layer(JudgeCase *c)
{
    const LabArray *x = judge_input(c, "x"), *w = judge_input(c, "w");
    size_t m = x->shape[0], n = w->shape[0];
    for (int mistake = 0; mistake < N_TILE_MISTAKES; mistake++) {
        double *y = judge_mistake(c, "y", of_tiles[mistake].sentence, of_tiles[mistake].hint);
        for (size_t i = 0; y && i < m * n; i++)
            y[i] = tile_sum(x, w, i / n, i % n, mistake);
    }
}

/* ---- Mistakes with roundings and factors: TODO 3 and 4 ---- */

static double rounded(double value)
{
    return value_of_half(half_of(value));
}

enum { ERROR_ROUNDED, PRODUCT_ROUNDED, BOTH_ROUNDED, ROUNDED_TWICE, NOT_SCALED, UNSCALED, SCALE_ROUNDED, NO_INPUT, NO_ERROR, NOT_INFINITE, N_GRADIENTS };

static const struct {
    const char *sentence, *hint;
} of_gradients[N_GRADIENTS] = {
    [ERROR_ROUNDED] = {"error[i] was rounded to half precision before it was scaled", "Of which type is each factor? An error is a float, and stays one until all three are multiplied."},
    [PRODUCT_ROUNDED] = {"the product of error[i] and x[i] was rounded to half precision before it was scaled", "Which products are taken in float? Round once, behind all of them."},
    [BOTH_ROUNDED] = {"error[i], and its product with x[i], were rounded to half precision before they were scaled", "Which products are taken in float? Round once, behind all of them."},
    [ROUNDED_TWICE] = {"the scaled error was rounded to half precision before it was multiplied by x[i]", "Which products are taken in float? Round once, behind all of them."},
    [NOT_SCALED] = {"the scale is missing", "By which three factors is a gradient made?"},
    [UNSCALED] = {"the product was divided by the scale", "Does the scale make a gradient larger, or smaller?"},
    [SCALE_ROUNDED] = {"all are infinite: the scale itself is more than half precision holds", "Of which type is the scale when it is multiplied? It is a float, and stays one."},
    [NO_INPUT] = {"x[i] is missing", "By which three factors is a gradient made?"},
    [NO_ERROR] = {"error[i] is missing", "By which three factors is a gradient made?"},
    [NOT_INFINITE] = {"what half precision does not hold is its largest number, and not infinite", "Who limits the result? A gradient that overflows has to become infinite, so that it is seen."},
};

static double wrong_gradient(double scale, double error, double x, int mistake)
{
    switch (mistake) {
    case ERROR_ROUNDED: return scale * rounded(error) * x;
    case PRODUCT_ROUNDED: return scale * rounded(error * x);
    case BOTH_ROUNDED: return scale * rounded(rounded(error) * x);
    case ROUNDED_TWICE: return rounded(scale * error) * x;
    case NOT_SCALED: return error * x;
    case UNSCALED: return error * x / scale;
    case SCALE_ROUNDED: return rounded(scale) * error * x;
    case NO_INPUT: return scale * error;
    case NO_ERROR: return scale * x;
    default: return fmin(65504, fmax(-65504, scale * error * x));
    }
}

static void name_gradients(JudgeCase *c)
{
    const LabArray *x = judge_input(c, "x"), *error = judge_input(c, "error");
    for (int mistake = 0; mistake < N_GRADIENTS; mistake++) {
        uint16_t *gradient = judge_mistake(c, "gradient", of_gradients[mistake].sentence, of_gradients[mistake].hint);
        for (size_t i = 0; gradient && i < x->elements; i++)
            gradient[i] = half_of(wrong_gradient(factor_param(c, "scale"), element(error, i), element(x, i), mistake));
    }
}

enum { UNCHANGED, STEP_NOT_UNSCALED, STEP_SCALED, STEP_UPWARDS, NO_RATE, STEP_TWICE, UNSCALED_IN_HALF, STEP_IN_HALF, MASTER_IN_HALF, OTHERS_UPDATED, ALL_UPDATED, N_UPDATES };

static const struct {
    const char *sentence, *hint;
} of_updates[N_UPDATES] = {
    [UNCHANGED] = {"nothing was changed", "What does *overflow hold when the first kernel begins, which of its values lets the second kernel update, is that one launched, and is the rate a float there (a whole number makes 0 of a fraction)?"},
    [STEP_NOT_UNSCALED] = {"the gradient still has its scale in it", "Where is the scale taken out again?"},
    [STEP_SCALED] = {"the gradient was scaled once more", "Is the gradient multiplied by the scale, or divided?"},
    [STEP_UPWARDS] = {"the step goes with the gradient and not against it", "Which sign has the step?"},
    [NO_RATE] = {"the rate is missing", "By what is the gradient multiplied, and how often is a step taken?"},
    [STEP_TWICE] = {"each step was taken twice", "How many threads take the step of a weight, and in how many launches?"},
    [UNSCALED_IN_HALF] = {"the gradient was divided by the scale in half precision", "When does the gradient become a float? Divide after that."},
    [STEP_IN_HALF] = {"the step was rounded to half precision", "Which of the step's factors are floats? It needs to be one, too."},
    [MASTER_IN_HALF] = {"the updates were added up in half precision", "Where do the updates add up? master takes them, as a float, and nothing is read from weights."},
    [OTHERS_UPDATED] = {"the weights whose own gradient is finite were updated all the same", "One gradient that is not finite stops the step of all weights: what does the second kernel look at, *overflow or its own gradient?"},
    [ALL_UPDATED] = {"all weights were updated, although a gradient is not finite", "Which value of *overflow lets the second kernel update, and is the 1 there before it begins?"},
};

/* What becomes of a weight. The reference's own step where the mistake is none of this weight. */
static double wrong_update(double master, double gradient, double rate, double scale, int64_t steps, int mistake)
{
    double step = rate * gradient / scale;
    if (mistake == UNCHANGED || (mistake == OTHERS_UPDATED && !isfinite(gradient)))
        return master;
    if (mistake == MASTER_IN_HALF) {
        double weight = rounded(master);
        while (steps-- > 0)
            weight = rounded(weight - step);
        return weight;
    }
    step = mistake == STEP_NOT_UNSCALED  ? rate * gradient
           : mistake == STEP_SCALED      ? rate * gradient * scale
           : mistake == STEP_UPWARDS     ? -step
           : mistake == NO_RATE          ? gradient / scale
           : mistake == STEP_TWICE       ? 2 * step
           : mistake == UNSCALED_IN_HALF ? rate * rounded(gradient / scale)
           : mistake == STEP_IN_HALF     ? rounded(step)
                                         : step;
    return master - step * (double)steps;
}

/* The half of a weight, which is left alone where master is. */
static uint16_t half_behind(JudgeCase *c, size_t i, double after)
{
    return after == element(judge_input(c, "master"), i) ? ((const uint16_t *)judge_input(c, "weights")->data)[i] : half_of(after);
}

static void name_overflow(JudgeCase *c, size_t spoilt)
{
    if (spoilt == 0) {
        int32_t *overflow = judge_mistake(c, "overflow", "it is 1, and all gradients are finite", "Is *overflow set to 0 at the beginning of each call, and when does a thread store a 1?");
        if (overflow)
            *overflow = 1;
        return;
    }
    int32_t *overflow = judge_mistake(c, "overflow", spoilt == 1 ? "it is 0, and the last gradient is NaN" : "it is 0, and some gradients are infinite",
                                      "Which question does a thread ask of its gradient? isfinite says no to infinities of both signs and to NaN. Is the last gradient looked at, and is the 1 overwritten?");
    if (overflow)
        *overflow = 0;
    overflow = judge_mistake(c, "overflow", "it is the number of gradients that are not finite", "What does a thread that finds one do with *overflow: store a 1, or add one?");
    if (overflow)
        *overflow = (int32_t)spoilt;
}

/* A gradient that is not finite stops the steps of its own group of threads, and those of the others are taken. */
static void name_steps_of_groups(JudgeCase *c)
{
    const LabArray *master = judge_input(c, "master"), *gradient = judge_input(c, "gradient");
    double rate = factor_param(c, "rate"), scale = factor_param(c, "scale");
    for (size_t size = 32; size <= 8192 && size < master->elements; size *= 2) {
        const char *sentence = "the steps of some blocks were taken, although there is a gradient that is not finite: each block knows of its own alone",
                   *hint = "__syncthreads() and __syncthreads_or() wait for one block. How does the first block learn what the last one has found? Look at all gradients in one launch, and take the steps in the next.";
        double *after = judge_mistake(c, "master_after", sentence, hint);
        uint16_t *weights = judge_mistake(c, "weights_after", sentence, hint);
        for (size_t first = 0; after && weights && first < master->elements; first += size) {
            size_t end = first + size < master->elements ? first + size : master->elements;
            int finite = 1;
            for (size_t i = first; i < end; i++)
                finite &= isfinite(element(gradient, i)) != 0;
            for (size_t i = first; i < end; i++) {
                after[i] = finite ? wrong_update(element(master, i), element(gradient, i), rate, scale, judge_param_int(c, "steps"), -1) : element(master, i);
                weights[i] = half_behind(c, i, after[i]);
            }
        }
    }
}

static void name_updates(JudgeCase *c)
{
    const LabArray *master = judge_input(c, "master"), *gradient = judge_input(c, "gradient");
    double rate = factor_param(c, "rate"), scale = factor_param(c, "scale");
    int64_t steps = judge_param_int(c, "steps");
    size_t spoilt = judge_has_param(c, "spoilt") ? size_param(c, "spoilt") : 0;
    name_overflow(c, spoilt);
    /* half_of makes nothing of the one NaN, and nothing is equal to it */
    for (int mistake = spoilt ? OTHERS_UPDATED : 0; mistake < (spoilt == 1 ? ALL_UPDATED : N_UPDATES); mistake++) {
        const char *sentence = of_updates[mistake].sentence;
        if ((mistake == NO_RATE || mistake == STEP_TWICE) && rate == 0.5)
            sentence = "the rate is missing, or each step was taken twice, which is the same with a rate of 0.5";
        double *after = judge_mistake(c, "master_after", sentence, of_updates[mistake].hint);
        uint16_t *weights = judge_mistake(c, "weights_after", sentence, of_updates[mistake].hint);
        for (size_t i = 0; after && weights && i < master->elements; i++) {
            after[i] = wrong_update(element(master, i), element(gradient, i), rate, scale, steps, mistake);
            weights[i] = half_behind(c, i, after[i]);
        }
    }
    if (spoilt) {
        name_steps_of_groups(c);
        uint16_t *anew = judge_mistake(c, "weights_after", "the weights were made anew from master, although a gradient is not finite", "A step that is left out leaves weights as they are: is each thread done before it stores anything?");
        for (size_t i = 0; anew && i < master->elements; i++)
            anew[i] = half_of(element(master, i));
    }
    uint16_t *weights = spoilt ? NULL : judge_mistake(c, "weights_after", "the weights are a step behind master", "Is each weight made of the master from behind the update?");
    for (size_t i = 0; weights && i < master->elements; i++)
        weights[i] = half_of(wrong_update(element(master, i), element(gradient, i), rate, scale, steps - 1, -1));
}

/* ---- Mistakes with eight bits: TODO 5 ---- */

enum { CUT_OFF, ROUNDED_DOWN, OVER_128, LARGEST_SIGNED, SMALLEST_SIGNED, OF_LANE, OF_HALF_WARP, OF_EVERY_SECOND, SHUFFLED_DOWN, OF_FIRST_TURN, WITHOUT_FIRST_TURN, WITHOUT_LAST_COLUMN, TOO_LARGE, N_QUANTIZED };

static const struct {
    const char *sentence, *hint;
} of_quantized[N_QUANTIZED] = {
    [CUT_OFF] = {"the numbers are cut off towards 0 and not rounded", "What does a cast to signed char do with 2.7? Which function gives the next whole number?"},
    [ROUNDED_DOWN] = {"the numbers are rounded down and not to the nearest", "Which function gives the whole number next to a float, on either side?"},
    [OVER_128] = {"the largest magnitude becomes 128, which 8 bits do not hold", "Which is the largest number of a signed char?"},
    [LARGEST_SIGNED] = {"the scale is made of the largest number and not of the largest magnitude", "Which is the largest magnitude of -5 and 3?"},
    [SMALLEST_SIGNED] = {"the scale is made of the smallest number and not of the largest magnitude", "Which is the largest magnitude of -5 and 3?"},
    [OF_LANE] = {"each lane takes the largest magnitude of its own elements for that of the row", "Where do the 32 lanes put together what each of them has found, and do all of them then have the result?"},
    [OF_HALF_WARP] = {"the two halves of the warp do not know of each other's largest magnitude", "With which distance do the lanes begin, if there are 32 of them?"},
    [OF_EVERY_SECOND] = {"lanes with odd and with even numbers do not know of each other's largest magnitude", "Down to which distance do the lanes go on? The last one is 1."},
    [SHUFFLED_DOWN] = {"lane 0 alone has the largest magnitude of the row, and each other lane that of a part of the row", "Each lane divides by the scale: which lanes get the result of __shfl_down_sync, and which that of __shfl_xor_sync?"},
    [OF_FIRST_TURN] = {"the scale is made of the first 32 columns of the row alone", "How far does a lane's search for the largest magnitude go, and is the larger of two kept from turn to turn?"},
    [WITHOUT_FIRST_TURN] = {"the scale is made without the first 32 columns of the row", "With which column does a lane's search for the largest magnitude begin?"},
    [WITHOUT_LAST_COLUMN] = {"the scale is made without the last column of the row", "How far does a lane's search for the largest magnitude go?"},
    [TOO_LARGE] = {"numbers were multiplied by 127 before they were divided, which some floats are too large for", "What becomes of 1e37 in a float when it is multiplied by 127? Divide first."},
};

static void largest_of_lanes(const LabArray *w, size_t row, int mistake, double largest[32])
{
    size_t columns = w->shape[1];
    for (size_t lane = 0; lane < 32; lane++) {
        largest[lane] = 0;
        for (size_t i = lane; i < columns; i += 32) {
            if ((mistake == OF_FIRST_TURN && i >= 32) || (mistake == WITHOUT_FIRST_TURN && i < 32) || (mistake == WITHOUT_LAST_COLUMN && i + 1 == columns))
                continue;
            double value = element(w, row * columns + i);
            largest[lane] = fmax(largest[lane], mistake == LARGEST_SIGNED ? value : mistake == SMALLEST_SIGNED ? -value : fabs(value));
        }
    }
    if (mistake == OF_LANE)
        return;
    for (size_t distance = mistake == OF_HALF_WARP ? 8 : 16; distance > (mistake == OF_EVERY_SECOND ? 1 : 0); distance /= 2) {
        double before[32];
        memcpy(before, largest, sizeof before);
        for (size_t lane = 0; lane < 32; lane++) {
            size_t other = mistake != SHUFFLED_DOWN ? lane ^ distance : lane + distance < 32 ? lane + distance : lane;
            largest[lane] = fmax(before[lane], before[other]);
        }
    }
}

/* A float as the device makes 8 bits of it. */
static int8_t lower_bits(double value)
{
    return (int8_t)(uint8_t)(int32_t)fmax(-0x1p31, fmin(0x1p31 - 1, value));
}

static void name_quantized_as(JudgeCase *c, int mistake)
{
    const LabArray *w = judge_input(c, "w");
    size_t columns = w->shape[1];
    int8_t *q = judge_mistake(c, "q", of_quantized[mistake].sentence, of_quantized[mistake].hint);
    double *scale = judge_mistake(c, "scale", of_quantized[mistake].sentence, of_quantized[mistake].hint);
    for (size_t r = 0; q && scale && r < w->shape[0]; r++) {
        double largest[32];
        largest_of_lanes(w, r, mistake, largest);
        for (size_t lane = 0; lane < 32; lane++)
            largest[lane] = largest[lane] > 0 ? largest[lane] / (mistake == OVER_128 ? 128 : 127) : 1;
        scale[r] = largest[0];
        for (size_t i = 0; i < columns; i++) {
            double value = element(w, r * columns + i), units = value / largest[i % 32];
            if (mistake == TOO_LARGE && fabs(value) * 127 > FLT_MAX)
                units = value < 0 ? -INFINITY : INFINITY;
            q[r * columns + i] = lower_bits(mistake == CUT_OFF ? trunc(units) : mistake == ROUNDED_DOWN ? floor(units) : rint(units));
        }
    }
}

/* Rows that a block, or a warp, does in turn: `apart` of each other. */
static void name_kept_largest(JudgeCase *c, size_t apart, const char *sentence)
{
    const LabArray *w = judge_input(c, "w");
    size_t rows = w->shape[0];
    double *scale = apart > 0 && apart < rows ? judge_mistake(c, "scale", sentence, "Is what the search for the largest magnitude begins with set anew for each row, and not once before the loop over the rows?") : NULL;
    for (size_t r = 0; scale && r < rows; r++) {
        double largest[32];
        largest_of_lanes(w, r, -1, largest);
        scale[r] = largest[0] > 0 ? largest[0] / 127 : r < apart || scale[r - apart] == 1 ? 1 : 0;
        if (r >= apart && scale[r - apart] != 1)
            scale[r] = fmax(scale[r], scale[r - apart]);
    }
}

/* Of a grid that the function's last launch has. */
static void name_kept_largest_of_grid(JudgeCase *c)
{
    size_t n = 0, blocks = 0, warps = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    for (size_t i = 0; calls && i < n; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0) {
            blocks = calls[i].number;
            warps = blocks * strtoull(calls[i].text, NULL, 10) / 32;
        }
    name_kept_largest(c, blocks, "the scale is made of the largest magnitude of all rows that the block has done so far, and not of this row's");
    if (warps != blocks)
        name_kept_largest(c, warps, "the scale is made of the largest magnitude of all rows that the warp has done so far, and not of this row's");
}

static void name_quantized(JudgeCase *c)
{
    name_kept_largest_of_grid(c);
    const LabArray *w = judge_input(c, "w");
    for (int mistake = 0; mistake < N_QUANTIZED; mistake++)
        name_quantized_as(c, mistake);
    double *undivided = judge_mistake(c, "scale", "it is the largest magnitude itself", "How many units is the largest magnitude?");
    double *inverse = judge_mistake(c, "scale", "it is 127 over the largest magnitude, the other way round", "By what is q[r][c] multiplied, if it is to be w[r][c] again?");
    double *of_zeros = judge_mistake(c, "scale", "it is 0 for the row of zeros", "What is the scale of a row of zeros, by the contract?");
    for (size_t r = 0; undivided && inverse && of_zeros && r < w->shape[0]; r++) {
        double largest[32];
        largest_of_lanes(w, r, -1, largest);
        undivided[r] = largest[0] > 0 ? largest[0] : 1;
        inverse[r] = largest[0] > 0 ? 127 / largest[0] : 1;
        of_zeros[r] = largest[0] / 127;
    }
}

/* ---- What the judge calls ---- */

static int is(JudgeCase *c, const char *function)
{
    return strcmp(judge_param_text(c, "function"), function) == 0;
}

void judge_inputs(JudgeCase *c)
{
    if (is(c, "matvec_half"))
        make_matvec(c, LAB_F16);
    else if (is(c, "matvec_bfloat"))
        make_matvec(c, LAB_U16);
    else if (is(c, "layer_tensor"))
        make_layer(c);
    else if (is(c, "scaled_gradient"))
        make_gradient(c);
    else if (is(c, "update_weights"))
        make_update(c);
    else if (is(c, "quantize_rows"))
        make_weights(c);
    else if (is(c, "matvec_int8"))
        make_int8(c);
    else if (is(c, "matvec_csr"))
        make_csr(c);
}

void judge_reference(JudgeCase *c)
{
    if (is(c, "every")) {
        judge_expect_launches(c);
        return;
    }
    judge_expect_nothing(c);
    if (is(c, "matvec_half") || is(c, "matvec_bfloat"))
        expect_matvec(c);
    else if (is(c, "layer_tensor"))
        expect_layer(c);
    else if (is(c, "scaled_gradient"))
        expect_gradient(c);
    else if (is(c, "update_weights")) {
        expect_update(c);
        if (judge_has_param(c, "again"))
            judge_expect_value(c, "overflow_of_no_gradients", 0);
    }
    else if (is(c, "quantize_rows"))
        expect_quantized(c);
    else if (is(c, "matvec_int8"))
        expect_int8(c);
    else
        expect_csr(c);
}

void judge_mistakes(JudgeCase *c)
{
    if (is(c, "matvec_half") || is(c, "matvec_bfloat"))
        name_matvec(c);
    else if (is(c, "layer_tensor"))
        name_layer(c);
    else if (is(c, "scaled_gradient"))
        name_gradients(c);
    else if (is(c, "update_weights")) {
        name_updates(c);
        if (judge_has_param(c, "again"))
            judge_mistake_value(c, "overflow_of_no_gradients", 1, "Where n is 0 all gradients are finite, and *overflow held 1 before: is it set to 0 before the function returns?");
    }
    else if (is(c, "quantize_rows"))
        name_quantized(c);
    else if (is(c, "matvec_int8"))
        name_int8(c);
    else if (is(c, "matvec_csr"))
        name_csr(c);
}
