/* Lab 17: inputs and right answers.
 *
 * Parameters: `function`, one of mixed_precision.h; rows and columns, or m, n and k; `scale`, `rate` and `steps`;
 * `spoilt`: how many elements of the gradient are infinite, or 1: the last one is NaN; `empty`: the row of zeros;
 * `turn`: sums that grow far before they come back.
 *
 * All numbers are whole, times powers of two, and so small that every sum and every update is exact in a float, in
 * whatever order it is taken. So one product that is lost, or one sum taken in half precision, shows. Where an
 * answer is rounded to half precision it is rounded once, to the nearest, ties to even.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

/* ---- Numbers of 16 bits ---- */

/* The half next to a number: 2^unit is what its last bit is worth. */
static uint16_t half_of(double value)
{
    double magnitude = fabs(value);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (magnitude >= 65520)
        return sign | 0x7C00;
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

static uint16_t bfloat_of_whole(double value)
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
            bits[i] = bfloat_of_whole(bits[i] < largest ? bits[i] - (double)largest : bits[i] - largest + 1.0);
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
    make_wholes(c, "w", type, 2, shape, type == LAB_F16 ? 2047 : 255, 1);
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
    for (size_t i = 0; i < spoilt; i++) /* from the end: infinities of both signs, or one NaN */
        gradient[n - 1 - i * (n / spoilt)] = spoilt == 1 ? 0x7E00 : (uint16_t)(0x7C00 | (i & 1) << 15);
}

/* Rows whose largest magnitude is 127 units, at a place and with a sign that change from row to row; the others
 * are so far from the middle between two whole numbers of units that every way to divide rounds alike. */
static void make_weights(JudgeCase *c)
{
    size_t rows = size_param(c, "rows"), columns = size_param(c, "columns");
    LabArray *w = judge_input_make(c, "w", LAB_F32, 2, (size_t[]){rows, columns});
    judge_fill(c, w, -90, 90);
    float *of_w = w->data;
    for (size_t r = 0; r < rows; r++) {
        double unit = (double)(3 + r % 5) / 512;
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
 * far beyond what a float holds to the last bit, and in the end it is small. */
static void make_turning(LabArray *numbers, size_t columns, int turns)
{
    int8_t *value = numbers->data;
    for (size_t i = 0; i < numbers->elements; i++) {
        int magnitude = 120 + (value[i] < 0 ? -value[i] : value[i]) % 8;
        value[i] = (int8_t)(turns && i % columns >= columns / 2 ? -magnitude : magnitude);
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
    double *after = judge_expect_precise(c, "master_after", LAB_F32, 1, master->shape);
    uint16_t *weights = judge_expect(c, "weights_after", LAB_F16, 1, master->shape);
    int32_t *overflow = judge_expect_i32(c, "overflow", 1);
    double step = factor_param(c, "rate") / factor_param(c, "scale") * factor_param(c, "steps");
    for (size_t i = 0; i < gradient->elements; i++)
        *overflow |= !isfinite(element(gradient, i));
    for (size_t i = 0; i < master->elements; i++) {
        after[i] = element(master, i) - (*overflow ? 0 : step * element(gradient, i));
        weights[i] = half_of(after[i]);
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
    if (is(c, "matvec_half") || is(c, "matvec_bfloat"))
        expect_matvec(c);
    else if (is(c, "layer_tensor"))
        expect_layer(c);
    else if (is(c, "scaled_gradient"))
        expect_gradient(c);
    else if (is(c, "update_weights"))
        expect_update(c);
    else if (is(c, "quantize_rows"))
        expect_quantized(c);
    else if (is(c, "matvec_int8"))
        expect_int8(c);
    else
        expect_csr(c);
}
