/* Comparison as numpy.allclose defines it, and guard zones. */
#include "common/lab/compare.h"
#include "common/lab/guard.h"
#include "common/lab/npy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Row {
    double got, wanted, rtol, atol;
    bool nan_equal, right;
} Row;

static void values_compare_as_allclose_does(void **state)
{
    (void)state;
    static const Row rows[] = {
        {1.0, 1.0, 0, 0, false, true},
        {0.0, -0.0, 0, 0, false, true},
        {1.25, 1.0, 0, 0.25, false, true}, /* at the limit */
        {1.25, 1.0, 0.25, 0, false, true},
        {1.2500001, 1.0, 0.25, 0, false, false}, /* and just past it */
        {1.0, 1.25, 0.2, 0, false, true},        /* relative to what is wanted, not to what was got */
        {1.25, 1.0, 0.2, 0, false, false},
        {1.0, -1.0, 0.5, 0.5, false, false},
        {NAN, 1.0, 1, 1e300, false, false},
        {1.0, NAN, 1, 1e300, false, false},
        {NAN, NAN, 1, 1e300, false, false},
        {NAN, NAN, 0, 0, true, true},
        {NAN, 1.0, 1, 1e300, true, false},
        {INFINITY, INFINITY, 0, 0, false, true},
        {INFINITY, -INFINITY, 1, 1, false, false},
        {1e30, INFINITY, 1, 1, false, false}, /* an infinite allowance forgives nothing */
        {INFINITY, 1.0, 1, 1e300, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Tolerance t = {.rtol = rows[i].rtol, .atol = rows[i].atol, .nan_equal = rows[i].nan_equal};
        double error, allowed;
        if (compare_values(rows[i].got, rows[i].wanted, &t, &error, &allowed) != rows[i].right)
            fail_msg("row %zu: got %g wanted %g", i, rows[i].got, rows[i].wanted);
    }
}

static void sixty_four_bit_integers_compare_exactly(void **state)
{
    (void)state;
    uint64_t got[2] = {UINT64_MAX, 9007199254740993u};
    uint64_t wanted[2] = {UINT64_MAX - 1, 9007199254740992u};
    LabArray g = {.type = LAB_U64, .n_dims = 1, .shape = {2}, .elements = 2, .data = got};
    LabArray w = {.type = LAB_U64, .n_dims = 1, .shape = {2}, .elements = 2, .data = wanted};
    uint8_t wrong[2];
    Tolerance exact = {0};
    Tolerance one = {.atol = 1};
    assert_int_equal(compare_arrays(&g, &w, &exact, wrong).mismatches, 2);
    assert_int_equal(compare_arrays(&g, &w, &one, wrong).mismatches, 0);
    int64_t low = INT64_MIN, high = INT64_MAX;
    LabArray a = {.type = LAB_I64, .n_dims = 0, .elements = 1, .data = &low};
    LabArray b = {.type = LAB_I64, .n_dims = 0, .elements = 1, .data = &high};
    CompareResult r = compare_arrays(&a, &b, &exact, wrong);
    assert_int_equal(r.mismatches, 1);
    assert_true(r.max_error == 0x1p64);
}

/* Longer than the runs that are compared as bytes: one wrong element at a time, at the ends of runs too. */
static void long_arrays_are_seen_whole(void **state)
{
    (void)state;
    enum { N = 600 };
    static const size_t places[] = {0, 1, 255, 256, 511, 512, N - 1};
    static float got[N], wanted[N];
    static uint8_t wrong[N];
    size_t n = N;
    LabArray g = {.type = LAB_F32, .n_dims = 1, .shape = {N}, .elements = n, .data = got};
    LabArray w = {.type = LAB_F32, .n_dims = 1, .shape = {N}, .elements = n, .data = wanted};
    const Tolerance equal = {.nan_equal = true}, differs = {.nan_equal = false};
    assert_int_equal(compare_arrays(&g, &w, &equal, wrong).mismatches, 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        got[places[i]] = 2;
        CompareResult r = compare_arrays(&g, &w, &equal, wrong);
        assert_int_equal(r.mismatches, 1);
        assert_int_equal(wrong[places[i]], 1);
        assert_true(r.max_error == 2);
        got[places[i]] = wanted[places[i]] = NAN;
        assert_int_equal(compare_arrays(&g, &w, &equal, wrong).mismatches, 0);
        assert_int_equal(compare_arrays(&g, &w, &differs, wrong).mismatches, 1);
        assert_int_equal(wrong[places[i]], 1);
        got[places[i]] = wanted[places[i]] = 0;
    }
}

static void half_precision_is_exact(void **state)
{
    (void)state;
    uint16_t bits[] = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x03FF, 0x0400, 0x7C00, 0xFC00, 0x8000};
    double values[] = {1, -2, 65504, 0x1p-24, 1023 * 0x1p-24, 0x1p-14, INFINITY, -INFINITY, -0.0};
    LabArray h = {.type = LAB_F16, .n_dims = 1, .shape = {9}, .elements = 9, .data = bits};
    for (size_t i = 0; i < 9; i++)
        assert_true(compare_element(&h, i) == values[i]);
    bits[0] = 0x7E00;
    assert_true(isnan(compare_element(&h, 0)));
}

static void every_type_is_read(void **state)
{
    (void)state;
    union {
        float f32;
        double f64;
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
    } v;
    LabArray a = {.n_dims = 0, .elements = 1, .data = &v};
#define HOLDS(TYPE, member, value)                                                                           \
    (a.type = (TYPE), v.member = (value), compare_element(&a, 0) == (double)(value))
    assert_true(HOLDS(LAB_F32, f32, -1.5f));
    assert_true(HOLDS(LAB_F64, f64, 1e300));
    assert_true(HOLDS(LAB_I8, i8, -128));
    assert_true(HOLDS(LAB_U8, u8, 255));
    assert_true(HOLDS(LAB_I16, i16, -32768));
    assert_true(HOLDS(LAB_U16, u16, 65535));
    assert_true(HOLDS(LAB_I32, i32, -2147483647));
    assert_true(HOLDS(LAB_U32, u32, 4294967295u));
    assert_true(HOLDS(LAB_I64, i64, -4503599627370496));
    assert_true(HOLDS(LAB_U64, u64, 4503599627370496u));
#undef HOLDS
}

static void guards_see_each_byte(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes <= 5; bytes++) {
        unsigned char *data = guard_alloc(bytes);
        memset(data, 0, bytes);
        GuardReport clean = guard_check(data, bytes);
        assert_int_equal(clean.front_changed + clean.back_changed, 0);
        data[bytes] ^= 1;
        data[bytes + 9] ^= 0x80;
        data[-3] ^= 4;
        GuardReport r = guard_check(data, bytes);
        assert_int_equal(r.back_changed, 2);
        assert_int_equal(r.back_nearest, 1);
        assert_int_equal(r.front_changed, 1);
        assert_int_equal(r.front_nearest, 3);
        guard_free(data);
    }
    guard_free(NULL);
    assert_null(guard_alloc(SIZE_MAX));
}

static void guards_and_poison_are_nan(void **state)
{
    (void)state;
    float *data = guard_alloc(64);
    guard_poison(data, 64);
    for (int i = -4; i < 20; i++)
        assert_true(isnan(data[i]));
    const double *wide = (const double *)data;
    for (int i = -2; i < 10; i++)
        assert_true(isnan(wide[i]));
    assert_true(guard_is_poison(&data[3], 12, 4));
    data[3] = 0;
    assert_false(guard_is_poison(&data[3], 12, 4));
    guard_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_compare_as_allclose_does),
        cmocka_unit_test(sixty_four_bit_integers_compare_exactly),
        cmocka_unit_test(long_arrays_are_seen_whole),
        cmocka_unit_test(half_precision_is_exact),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(guards_see_each_byte),
        cmocka_unit_test(guards_and_poison_are_nan),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
