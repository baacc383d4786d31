/* Products of matrices: rows of results in vectors against the sum of each result by itself, on random bits of every form in the table;
 * and that places are what tensor.c takes them for. tensor.t compares with hardware. */
#include "common/vgpu/exec/tensor/tensor_internal.h"

#include "common/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MMA = TENSOR_MMA, WMMA = TENSOR_WMMA, TRIALS = 300 };

typedef struct Form {
    uint8_t op, elem;
    uint16_t m, n, k;
    uint8_t regs[2];
} Form;

static const Form forms[] = {
#define X(kind, elements, m, n, k, a, b) {kind, ELEM_##elements, m, n, k, {a, b}},
#include "common/vgpu/ir/tensor.def"
#undef X
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static bool is_integer(uint8_t elem)
{
    return elem == ELEM_S8 || elem == ELEM_U8 || elem == ELEM_S4 || elem == ELEM_U4 || elem == ELEM_B1;
}

static IrTensor tensor_of(const Form *f)
{
    uint8_t sum = f->elem == ELEM_F64 ? ELEM_F64 : is_integer(f->elem) ? ELEM_S32 : ELEM_F32;
    IrTensor t = {.op = f->op, .m = f->m, .n = f->n, .k = f->k, .elem = {sum, f->elem, f->elem, sum}};
    for (int part = 0; part < IR_N_PARTS; part++) {
        TensorLayout l = tensor_layout(&t, part);
        uint32_t elements = part == PART_A ? l.m * l.k : part == PART_B ? l.n * l.k : l.m * l.n;
        uint32_t quads = f->op == MMA && f->elem == ELEM_F16 && f->m == 8 ? 4 : 1, given = part == PART_A || part == PART_B ? f->regs[part - PART_A] : 0;
        t.n_regs[part] = (uint8_t)(given ? given : elements * quads / WARP_LANES / l.per_reg);
    }
    return t;
}

/* ---- places ---- */

static void check_places(const TensorLayout *l)
{
    const bool b = l->part == PART_B;
    const uint32_t rows = b ? l->n : l->m, columns = l->part == PART_A || b ? l->k : l->n;
    TensorIndexes x;
    tensor_indexes(l, l->n_regs, &x);
    for (uint32_t reg = 0; reg < l->n_regs; reg++)
        for (uint32_t e = 0; e < l->per_reg; e++)
            for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
                const TensorPlace p = tensor_place(l, lane, reg, e);
                const uint32_t row = b ? p.col : p.row, col = b ? p.row : p.col;
                assert_int_equal((p.quad * rows + row) * columns + col, x.lane[lane] + x.element[reg][e]);
            }
}

static void indexes_are_sums_of_lane_and_register(void **state)
{
    (void)state;
    for (int i = 0; i < N_FORMS; i++)
        for (int col = 0; col < 4; col++) {
            IrTensor t = tensor_of(&forms[i]);
            t.col[PART_A] = col & 1;
            t.col[PART_B] = col >> 1;
            for (int part = 0; part < IR_N_PARTS; part++) {
                TensorLayout l = tensor_layout(&t, part);
                assert_true(l.n_regs > 0);
                check_places(&l);
            }
        }
}

/* ---- sums ---- */

/* Finite, of few different exponents in some trials, of all in others; many zeros. */
static void fill(Rng *rng, IrElem elem, uint32_t *bits, uint32_t n, uint32_t spread)
{
    const uint32_t mantissa = elem == ELEM_F16 ? 10 : elem == ELEM_BF16 ? 7 : 23, ones = elem == ELEM_F16 ? 31 : 255;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t exponent = (ones / 2 + (uint32_t)rng_below(rng, spread)) % ones, fraction = (uint32_t)rng_below(rng, 1u << mantissa);
        if (rng_below(rng, 4) == 0)
            fraction = rng_below(rng, 2) ? (1u << mantissa) - 1 : 0;
        if (rng_below(rng, 8) == 0)
            exponent = 0;
        bits[i] = (uint32_t)rng_below(rng, 2) << (mantissa + (elem == ELEM_F16 ? 5 : 8)) | exponent << mantissa | fraction;
        if (rng_below(rng, 16) == 0)
            bits[i] = 0;
    }
}

static void compare_sums(const IrTensor *t, Rng *rng, uint32_t spread)
{
    static uint32_t a[TENSOR_MAX], b[TENSOR_MAX], c[TENSOR_MAX];
    static TensorNumbers a_numbers, b_numbers, c_numbers;
    const TensorSum sum = {.t = t, .k = t->k};
    const IrElem elem = (IrElem)t->elem[PART_A];
    fill(rng, elem, a, (uint32_t)t->m * t->k, spread);
    fill(rng, elem, b, (uint32_t)t->k * t->n, spread);
    fill(rng, (IrElem)t->elem[PART_C], c, (uint32_t)t->m * t->n, spread);
    assert_true(tensor_goes_by_rows(&sum));
    assert_true(tensor_numbers(elem, a, (uint32_t)t->m * t->k, &a_numbers));
    assert_true(tensor_numbers(elem, b, (uint32_t)t->k * t->n, &b_numbers));
    assert_true(tensor_numbers((IrElem)t->elem[PART_C], c, (uint32_t)t->m * t->n, &c_numbers));
    for (uint32_t at = 0; at < (uint32_t)t->m * t->n; at += TENSOR_ROW) {
        uint32_t d[TENSOR_ROW], first = at / t->n * t->k;
        tensor_sum_row(&sum, &(TensorRow){&a_numbers, &b_numbers, &c_numbers, first, at % t->n, t->n, at}, d);
        for (uint32_t i = 0; i < TENSOR_ROW; i++) {
            TensorNumber row[16], col[16];
            for (uint32_t k = 0; k < t->k; k++) {
                row[k] = tensor_number(elem, a[first + k]);
                col[k] = tensor_number(elem, b[k * t->n + at % t->n + i]);
            }
            assert_int_equal(tensor_sum_float(&sum, row, col, c[at + i]), d[i]);
        }
    }
}

static void rows_are_what_each_sum_is(void **state)
{
    (void)state;
    Rng rng = {7};
    int n = 0;
    for (int i = 0; i < N_FORMS; i++) {
        IrTensor t = tensor_of(&forms[i]);
        bool is_float = t.elem[PART_A] == ELEM_F16 || t.elem[PART_A] == ELEM_BF16 || t.elem[PART_A] == ELEM_TF32;
        if (!is_float || !tensor_goes_by_rows(&(TensorSum){&t, t.k}))
            continue;
        n++;
        for (int trial = 0; trial < TRIALS / N_FORMS; trial++) {
            const bool half = t.elem[PART_A] == ELEM_F16;
            t.elem[PART_C] = half && trial & 1 ? ELEM_F16 : ELEM_F32;
            t.elem[PART_D] = half && trial & 2 ? ELEM_F16 : ELEM_F32;
            t.sat = trial & 4;
            compare_sums(&t, &rng, trial & 8 ? 255 : trial & 1 ? 1 : 12);
        }
    }
    assert_true(n >= 10);
}

static void what_is_no_number_is_seen(void **state)
{
    (void)state;
    static const struct {
        IrElem elem;
        uint32_t bits;
    } special[] = {{ELEM_F16, 0x7C00}, {ELEM_F16, 0xFE00}, {ELEM_BF16, 0xFF80}, {ELEM_TF32, 0x7F800000}, {ELEM_F32, 0x7FC00000}};
    static TensorNumbers numbers;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        for (uint32_t at = 0; at < 16; at++) {
            uint32_t bits[16] = {0};
            assert_true(tensor_numbers(special[i].elem, bits, 16, &numbers));
            bits[at] = special[i].bits;
            assert_false(tensor_numbers(special[i].elem, bits, 16, &numbers));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_are_sums_of_lane_and_register),
        cmocka_unit_test(rows_are_what_each_sum_is),
        cmocka_unit_test(what_is_no_number_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
