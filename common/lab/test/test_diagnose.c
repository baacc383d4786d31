/* Each pattern of patterns.def is found in a result that has it, and told in its words. */
#include "common/lab/diagnose.h"
#include "common/lab/guard.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24, COLUMNS = 40, N = ROWS * COLUMNS };

/* A right result of ROWS x COLUMNS without symmetry, and a copy to be spoiled. */
typedef struct Fixture {
    float wanted[N], got[N], input[N];
    LabArray wanted_array, got_array, input_array;
    bool list; /* of one dimension */
} Fixture;

static Fixture fixture(void)
{
    Fixture f = {0};
    for (int i = 0; i < N; i++) {
        f.wanted[i] = (float)((i * 7919 + 13) % 1009) + 0.5f;
        f.input[i] = (float)((i * 104729 + 7) % 2003) + 0.25f;
    }
    memcpy(f.got, f.wanted, sizeof f.got);
    return f;
}

static void assert_pattern(Fixture *f, const char *slug, const char *says)
{
    f->wanted_array = (LabArray){.name = "c",
                                 .type = LAB_F32,
                                 .n_dims = 2,
                                 .shape = {ROWS, COLUMNS},
                                 .elements = N,
                                 .data = f->wanted};
    if (f->list) {
        f->wanted_array.n_dims = 1;
        f->wanted_array.shape[0] = N;
    }
    f->got_array = f->wanted_array;
    f->got_array.data = f->got;
    f->input_array = f->wanted_array;
    f->input_array.data = f->input;
    strcpy(f->input_array.name, "a");
    uint8_t wrong[N];
    Evidence e = {.got = &f->got_array,
                  .wanted = &f->wanted_array,
                  .tolerance = {.rtol = 1e-6},
                  .wrong = wrong,
                  .inputs = &f->input_array,
                  .n_inputs = 1};
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, wrong);
    assert_true(e.result.mismatches > 0);
    Diagnosis d = diagnose_result(&e);
    if (strcmp(d.slug, slug) != 0 || !strstr(d.sentence, says))
        fail_msg("expected %s (%s), found %s (%s)", slug, says, d.slug, d.sentence);
}

static void whole_results(void **state)
{
    (void)state;
    Fixture f = fixture();
    guard_poison(f.got, sizeof f.got);
    assert_pattern(&f, "never-written", "no element was ever written");
    memset(f.got, 0, sizeof f.got);
    assert_pattern(&f, "all-zero", "all elements are zero");
    for (int i = 0; i < N; i++)
        f.got[i] = NAN;
    assert_pattern(&f, "all-nan", "all elements are NaN");
    memset(f.got, 0xff, sizeof f.got);
    for (int i = 0; i < N; i++) /* the NaN of a GPU: odd bytes, as fresh memory has */
        ((uint8_t *)&f.got[i])[3] = 0x7f;
    assert_pattern(&f, "all-nan", "all elements are NaN");
    for (int i = 0; i < N; i++)
        f.got[i] = 7;
    assert_pattern(&f, "constant", "all elements are 7");
    memcpy(f.got, f.input, sizeof f.got);
    assert_pattern(&f, "input-returned", "the input 'a'");
    for (int i = 0; i < N; i++)
        f.got[i] = 2 * f.wanted[i];
    assert_pattern(&f, "scaled", "every element is 2 times");
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[i] * 1.00002f; /* no factor that a sentence could name */
    assert_pattern(&f, "near", "no element is farther than 0.02 from the right value");
    f.got[5] += 4; /* and one that is not near */
    assert_pattern(&f, "all-wrong", "all elements are wrong");
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[i] - 3;
    assert_pattern(&f, "offset", "the right value -3");
    for (int i = 0; i < N; i++)
        f.got[i] = f.input[i] + 3 * (f.wanted[i] - f.input[i]);
    assert_pattern(&f, "change-scaled", "what was added to the input 'a' is 3 times what it should be");
    for (int i = 0; i < N; i++)
        f.got[i] = f.input[i] - (f.wanted[i] - f.input[i]);
    assert_pattern(&f, "change-scaled", "what was added to the input 'a' is -1 times what it should be");
    f.got[9] += 1;
    assert_pattern(&f, "all-wrong", "all elements are wrong");
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[i] - f.input[i];
    assert_pattern(&f, "input-missing", "every element is the right value less the input 'a'");
    f.got[9] += 1;
    assert_pattern(&f, "all-wrong", "all elements are wrong");
    for (int i = 0; i < N; i++)
        f.got[i] = truncf(f.wanted[i]) - (float)(i % 2);
    assert_pattern(&f, "whole", "all elements are whole numbers");
    f.got[7] += 0.5f;
    assert_pattern(&f, "near", "no element is farther than 1.5");
    for (int i = 0; i < N; i++)
        f.got[i] = (float)i; /* whole, and far from what they should be */
    assert_pattern(&f, "all-wrong", "all elements are wrong");
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[i] * (float)(1 + i % 3);
    for (int i = 0; i < N; i += 3)
        f.got[i] = -1;
    assert_pattern(&f, "all-wrong", "all elements are wrong");
}

/* += where = belongs, on the bytes that stand in an array before: sums of whole numbers wrap. */
static void added_to_what_was_there(void **state)
{
    (void)state;
    enum { FEW = 8 };
    uint32_t wanted[FEW], got[FEW];
    guard_poison(got, sizeof got);
    for (uint32_t i = 0; i < FEW; i++) {
        wanted[i] = i * i;
        got[i] += wanted[i];
    }
    const LabArray right = {
        .name = "c", .type = LAB_I32, .n_dims = 1, .shape = {FEW}, .elements = FEW, .data = wanted};
    LabArray wrong = right;
    wrong.data = got;
    uint8_t marks[FEW];
    Evidence e = {.got = &wrong, .wanted = &right, .wrong = marks};
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, marks);
    assert_string_equal("accumulated", diagnose_result(&e).slug);
    got[3]++;
    assert_string_not_equal("accumulated", diagnose_result(&e).slug);
}

static const char *slug_of(int32_t *got, int32_t *wanted, size_t n)
{
    static uint8_t marks[N];
    const LabArray right = {
        .name = "c", .type = LAB_I32, .n_dims = 1, .shape = {n}, .elements = n, .data = wanted};
    LabArray result = right;
    result.data = got;
    Evidence e = {.got = &result, .wanted = &right, .wrong = marks};
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, marks);
    return diagnose_result(&e).slug;
}

/* One sum, added up four times; of a small one too many numbers are multiples, and a fraction of one is no factor. */
static void factor_of_one(void **state)
{
    (void)state;
    assert_string_equal("scaled", slug_of((int32_t[]){85308}, (int32_t[]){21327}, 1));
    assert_string_not_equal("scaled", slug_of((int32_t[]){85309}, (int32_t[]){21327}, 1));
    assert_string_not_equal("scaled", slug_of((int32_t[]){28}, (int32_t[]){7}, 1));
    assert_string_not_equal("scaled", slug_of((int32_t[]){-21327}, (int32_t[]){21327}, 1));
}

/* Counts that went to a neighbour. */
static void kept_sum(void **state)
{
    (void)state;
    assert_string_equal("same-sum", slug_of((int32_t[]){9, 3, 3, 8, 6, 1, 5, 6}, (int32_t[]){9, 2, 4, 8, 5, 1, 6, 6}, 8));
    assert_string_equal("scattered", slug_of((int32_t[]){9, 3, 3, 8, 6, 1, 6, 6}, (int32_t[]){9, 2, 4, 8, 5, 1, 6, 6}, 8));
}

/* Whole numbers that went through a smaller type. */
static void too_few_bits(void **state)
{
    (void)state;
    int32_t wanted[N], got[N];
    for (int i = 0; i < N; i++) {
        wanted[i] = i * 7919 % 1999 - 999;
        got[i] = (uint8_t)wanted[i];
    }
    assert_string_equal("low-bits", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++)
        got[i] = (int16_t)(wanted[i] *= 99);
    assert_string_equal("low-bits", slug_of(got, wanted, N));
    got[8] += 1;
    assert_string_equal("scattered", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++) { /* a weighted sum of shorts */
        int32_t a = i * 7919 % 1999 * 50, b = i * 104729 % 1999 * 50;
        wanted[i] = 3 * a + 5 * b;
        got[i] = 3 * (int16_t)a + 5 * (int16_t)b;
    }
    assert_string_equal("low-bits", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++) { /* two bits of a word are something else's */
        wanted[i] = (int32_t)(i * 16777619u) / (i % 2 + 1);
        got[i] = (int32_t)((uint32_t)wanted[i] << 2) >> 2;
    }
    assert_string_equal("high-bits", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++) /* what ends in zeros anyway says nothing of bits */
        got[i] = (wanted[i] = (i + i * i % 7) << 16) + ((i * 5 % 11) << 16);
    assert_string_not_equal("low-bits", slug_of(got, wanted, N));
    assert_string_not_equal("high-bits", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++) { /* an index that begins again in each block is no small type */
        wanted[i] = i;
        got[i] = i % 256;
    }
    assert_string_equal("tail-wrong", slug_of(got, wanted, N));
    for (int i = 0; i < N; i++)
        got[i] = wanted[i] = i * 7919 % 1999 * 30011;
    got[300]++; /* as a float rounds */
    assert_string_equal("near", slug_of(got, wanted, N));
    got[300] += 9999;
    assert_string_equal("scattered", slug_of(got, wanted, N));
    for (int i = 900; i < N; i++) /* what was lost before is missing in all sums from there on */
        got[i] = wanted[i] - 1;
    got[300] = wanted[300];
    assert_string_equal("tail-wrong", slug_of(got, wanted, N));
}

/* One number, as of a sum. */
static void one_number(void **state)
{
    (void)state;
    float wanted = 44.5f, got = 42;
    const LabArray right = {
        .name = "sum", .type = LAB_F32, .n_dims = 1, .shape = {1}, .elements = 1, .data = &wanted};
    LabArray wrong = right;
    wrong.data = &got;
    uint8_t mark;
    Evidence e = {.got = &wrong, .wanted = &right, .wrong = &mark};
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, &mark);
    assert_string_equal("whole", diagnose_result(&e).slug);
    got = 14;
    assert_string_equal("all-wrong", diagnose_result(&e).slug);
    wanted = 0.75f, got = 1; /* may be anything */
    assert_string_equal("all-wrong", diagnose_result(&e).slug);
    wanted = 418636.5f, got = 418641; /* whole by chance: a few elements are missing or there twice */
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, &mark);
    assert_string_not_equal("whole", diagnose_result(&e).slug);
    got = 418636; /* a quotient without its fraction */
    e.result = compare_arrays(e.got, e.wanted, &e.tolerance, &mark);
    assert_string_equal("whole", diagnose_result(&e).slug);
}

static void moved_results(void **state)
{
    (void)state;
    Fixture f = fixture();
    for (int i = 0; i + 1 < N; i++)
        f.got[i] = f.wanted[i + 1];
    assert_pattern(&f, "shifted", "what belongs at i + 1");
    f = fixture();
    for (int i = 1; i < N; i++)
        f.got[i] = f.wanted[i - 1];
    assert_pattern(&f, "shifted", "what belongs at i - 1");
    f = fixture();
    for (int i = 0; i + 4 < N; i++)
        f.got[i] = f.wanted[i + 4];
    assert_pattern(&f, "shifted", "what belongs at i + 4");
    f = fixture();
    for (int i = 17; i < N; i++)
        f.got[i] = f.wanted[i - 17];
    assert_pattern(&f, "tail-wrong", "the elements from 17 to the end are wrong");
    f = fixture();
    for (int i = COLUMNS; i < N; i++)
        f.got[i] = f.wanted[i - COLUMNS];
    assert_pattern(&f, "shifted", "the row above");
    f = fixture();
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            f.got[c * ROWS + r] = f.wanted[r * COLUMNS + c];
    assert_pattern(&f, "transposed", "column by column");
    f = fixture();
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < ROWS; c++)
            f.got[r * COLUMNS + c] = f.wanted[c * COLUMNS + r];
    assert_pattern(&f, "swapped-xy", "[column, row]");
    f = fixture(); // the square alone is its own transpose, and right
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[i] = 0;
    for (int i = 30; i < N; i += i % COLUMNS > 37 ? 27 : 1)
        f.got[i] = i % COLUMNS < 27 ? 0 : i;
    assert_pattern(&f, "scattered", "no simple pattern");
    f = fixture();
    for (int i = 5; i < N; i += 3 + i % 7)
        f.wanted[i] = 0;
    assert_pattern(&f, "not-zeroed", "should be 0");
    f = fixture();
    for (int i = 3; i < N; i += 2 + i % 5) {
        f.wanted[i] = 0;
        f.got[i] = i < N / 4 ? 0 : -7;
    }
    assert_pattern(&f, "zeroed-bytes", "only elements that should be 0 are wrong, and none before [240]");
    f.got[3] = 1;
    assert_pattern(&f, "not-zeroed", "should be 0");
    f = fixture();
    for (int i = 0; i < N; i++)
        f.got[i] = f.wanted[N - 1 - i];
    assert_pattern(&f, "reversed", "reverse order");
}

/* Bytes that are odd, as those of fresh device memory are. */
static void fill_fresh(float *to, int n)
{
    uint8_t *byte = (uint8_t *)to;
    for (size_t i = 0; i < n * sizeof *to; i++)
        byte[i] = (uint8_t)(i * 37 + i / 7) | 1;
}

static void powers(void **state)
{
    (void)state;
    enum { FEW = 8 };
    int32_t wanted[FEW], got[FEW];
    const LabArray right = {
        .name = "c", .type = LAB_I32, .n_dims = 1, .shape = {FEW}, .elements = FEW, .data = wanted};
    LabArray wrong = right;
    wrong.data = got;
    uint8_t marks[FEW];
    Evidence e = {.got = &wrong, .wanted = &right, .wrong = marks};
    for (int32_t power = 1; power <= 4; power++) {
        for (int32_t i = 0; i < FEW; i++)
            wanted[i] = i * i, got[i] = i ^ power;
        e.result = compare_arrays(e.got, e.wanted, &e.tolerance, marks);
        assert_int_equal(power == 2 || power == 3, strcmp(diagnose_result(&e).slug, "exclusive-or") == 0);
    }
}

static void places(void **state)
{
    (void)state;
    Fixture f = fixture();
    f.wanted[7] = f.wanted[300] = -INFINITY;
    f.got[7] = f.got[300] = -FLT_MAX;
    assert_pattern(&f, "float-limit", "what is wrong is -FLT_MAX");
    f.got[300] = 1;
    assert_pattern(&f, "scattered", "");
    f = fixture();
    guard_poison(f.got, sizeof f.got);
    memcpy(f.got, f.wanted, 900 * sizeof f.got[0]);
    assert_pattern(&f, "tail", "the elements from 900 to the end were never written");
    f = fixture();
    guard_poison(f.got, sizeof f.got);
    memcpy(f.got, f.wanted, (N - 96) * sizeof f.got[0]);
    assert_pattern(&f, "tail-whole", "the elements from 864 to the end were never written");
    f = fixture();
    guard_poison(f.got, sizeof f.got);
    memcpy(f.got, f.wanted, 128 * sizeof f.got[0]);
    assert_pattern(&f, "first-block", "the elements from 128 to the end were never written");
    f = fixture();
    f.got[N - 1] = 0;
    assert_pattern(&f, "tail", "only the last element is zero");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i < COLUMNS || i % COLUMNS == 0 || i % COLUMNS == COLUMNS - 1 || i >= N - COLUMNS)
            f.got[i] += 1;
    assert_pattern(&f, "edges", "only elements within 1 of an edge are wrong");
    f.got[4 * COLUMNS + 4] += 1; /* one farther in, where an eighth of the side ends */
    f.got[5 * COLUMNS + 5] += 1;
    assert_pattern(&f, "scattered", "");
    f = fixture();
    for (int i = 1; i < N; i++)
        f.got[i] = 0;
    assert_pattern(&f, "first-only", "the elements from 1 to the end are zero");
    f = fixture();
    fill_fresh(f.got + 300, N - 300);
    assert_pattern(&f, "tail", "the elements from 300 to the end were never written on the device");
    f.got[500] = 4; /* of its bytes some are even */
    assert_pattern(&f, "tail-wrong", "the elements from 300 to the end are wrong");
    f = fixture();
    for (int i = N / 4 - 1; i < N; i++)
        f.got[i] += 1 + (float)(i % 7);
    assert_pattern(&f, "tail-wrong", "the elements from 239 to the end are wrong");
    f.got[N / 4 - 1] = f.wanted[N / 4 - 1];
    assert_pattern(&f, "first-bytes", "the elements from 240 to the end are wrong");
    f = fixture();
    fill_fresh(f.got + 256, N - 256);
    assert_pattern(&f, "first-block", "the elements from 256 to the end were never written on the device");
    fill_fresh(f.got, N);
    assert_pattern(&f, "never-written", "no element was ever written");
    f = fixture();
    fill_fresh(f.got + N - 3, 3); /* too few bytes to tell */
    assert_pattern(&f, "tail-wrong", "are wrong");
    f = fixture();
    memcpy(f.got + 20 * COLUMNS, f.input + 20 * COLUMNS, 4 * COLUMNS * sizeof f.got[0]);
    assert_pattern(&f, "corner", "the rows from 20 on are the input's, unchanged");
    f = fixture();
    memcpy(f.got + 900, f.input + 900, (N - 900) * sizeof f.got[0]);
    assert_pattern(&f, "tail", "the elements from 900 to the end are the input's, unchanged");
    f = fixture();
    for (int i = 900; i < N; i++)
        f.got[i] = f.wanted[i] + i;
    assert_pattern(&f, "tail-wrong", "the elements from 900 to the end are wrong");
    f = fixture();
    for (int i = 0; i < 32; i++)
        f.got[i] = NAN;
    assert_pattern(&f, "head", "the first 32 elements are NaN");
    for (int i = 0; i < N - 4; i++)
        f.got[i] = f.wanted[i] + 1 + (float)(i % 7);
    assert_pattern(&f, "few-right", "the first 956 elements are wrong");
    f = fixture();
    for (int i = 0; i < N; i++)
        f.got[i] += i % COLUMNS == COLUMNS - 1 ? 0 : 1 + (float)(i % 7);
    assert_pattern(&f, "few-right", "only one element in 40, from 39 on, is right");
    f = fixture();
    f.got[0] = -1;
    assert_pattern(&f, "head", "only the first element is wrong");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i % COLUMNS >= 32)
            f.got[i] = 0;
    assert_pattern(&f, "corner", "the columns from 32 on are zero");
    for (int i = 16 * COLUMNS; i < N; i++)
        f.got[i] = 0;
    assert_pattern(&f, "corner", "all outside the first 16 rows and 32 columns are zero");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i % COLUMNS >= 5)
            f.got[i] = f.wanted[i] + (float)(i * i % 17 + 1);
    assert_pattern(&f, "corner-wrong", "the columns from 5 on are wrong");
    f = fixture();
    for (int i = 3; i < N; i += 7)
        f.got[i] = -1;
    assert_pattern(&f, "every-kth", "one element in 7, from 3 on, is wrong");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i % 4)
            f.got[i] = 0;
    assert_pattern(&f, "every-kth", "only one element in 4, from 0 on, is right; the others are zero");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i % 64 == 0 || i % 64 == 63)
            f.got[i] = -1;
    assert_pattern(&f, "periodic", "in every run of 64 elements 2, the first at 0, are wrong");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i / COLUMNS % 4 > 0)
            f.got[i] = (float)(i % 7) - 100;
    assert_pattern(&f, "rows", "of every 4 rows 3, the first at 1, are wrong");
    f.got[0] = -1;
    assert_pattern(&f, "scattered", "no simple pattern");
    f = fixture();
    for (int i = 0; i < N; i++)
        if (i % COLUMNS % 16 > 13)
            f.got[i] = 0;
    assert_pattern(&f, "columns", "of every 16 columns 2, the first at 14, are zero");
    f = fixture();
    for (int i = 0; i < N; i += i % 5 + 3)
        f.got[i] *= 1.5f;
    assert_pattern(&f, "scaled-part", "those that are wrong are 1.5 times the right value");
    f = fixture();
    f.got[17] = f.got[400] = f.got[431] = -1;
    assert_pattern(&f, "scattered", "no simple pattern");
    f = fixture();
    f.list = true;
    for (int i = 128; i < N - 1; i += 128)
        f.got[i - 1] = f.got[i] = -1;
    assert_pattern(&f, "seams", "only elements within 1 of a multiple of 128, but for the ends, are wrong");
    f.got[256 - 4] = -1;
    assert_pattern(&f, "seams", "only elements within 4 of a multiple of 128, but for the ends, are wrong");
    f.got[450] = -1;
    assert_pattern(&f, "scattered", "no simple pattern");
    f.got[450] = f.wanted[450];
    memcpy(f.got + 240, f.wanted + 240, 32 * sizeof f.got[0]);
    assert_pattern(&f, "scattered", "no simple pattern"); /* a seam where all is right */
    f = fixture();
    f.got[300] = f.got[301] = f.got[302] = -1;
    assert_pattern(&f, "run", "only the elements from 300 to 302 are wrong");
    f.got[304] = -2;
    assert_pattern(&f, "scattered", "no simple pattern");
    f = fixture();
    guard_poison(f.got, sizeof f.got);
    for (int i = 0; i < N; i++)
        if (i != 17 && i != 19 && i != 400)
            f.got[i] = f.wanted[i];
    assert_pattern(&f, "gaps", "3 elements, here and there, were never written");
}

static void the_message_says_it_all(void **state)
{
    (void)state;
    float wanted[6] = {1, 2, 3, 4, 5, 6}, got[6] = {1, 2, 3.5f, 4, 5, 6};
    guard_poison(got, sizeof got);
    memcpy(got, wanted, 4 * sizeof got[0]);
    got[2] = 3.5f;
    LabArray w = {.name = "c", .type = LAB_F32, .n_dims = 2, .shape = {2, 3}, .elements = 6, .data = wanted};
    LabArray g = w;
    g.data = got;
    uint8_t wrong[6];
    Evidence e = {.got = &g, .wanted = &w, .tolerance = {.rtol = 1e-3, .atol = 0.25}, .wrong = wrong};
    e.result = compare_arrays(&g, &w, &e.tolerance, wrong);
    Diagnosis d = diagnose_result(&e);
    StrBuf text = {0};
    diagnose_write(&text, &e, &d);
    assert_string_equal(
        text.text,
        "c: 3 of 6 elements differ: the wrong elements show no simple pattern.\n"
        "          index              got           wanted        error      allowed\n"
        "         [0, 2]              3.5                3          0.5        0.253\n"
        "         [1, 1]        unwritten                5            -        0.255\n"
        "         [1, 2]        unwritten                6            -        0.256\n"
        "An element is right when |got - wanted| <= 0.25 + 0.001 * |wanted|.\n"
        "hint: Compare the formula in the contract with the kernel, for one of these elements, by hand.\n");
    strbuf_free(&text);
}

/* `n` elements of `width` columns, of which `good` columns, or elements of a list, are right: is the hint about 16 bits there? */
static bool hints_at_limit(size_t n, size_t width, size_t good)
{
    enum { MOST = 70000 };
    static float wanted[MOST], got[MOST];
    static uint8_t wrong[MOST];
    assert_true(n <= MOST);
    guard_poison(got, sizeof got);
    for (size_t i = 0; i < n; i++) {
        wanted[i] = (float)(i * 7919 % 100003) + 0.5f;
        if (i % width < good)
            got[i] = wanted[i];
    }
    LabArray w = {.name = "c", .type = LAB_F32, .n_dims = 2, .shape = {n / width, width}, .elements = n, .data = wanted}, g = w;
    g.data = got;
    Evidence e = {.got = &g, .wanted = &w, .wrong = wrong};
    e.result = compare_arrays(&g, &w, &e.tolerance, wrong);
    Diagnosis d = diagnose_result(&e);
    StrBuf text = {0};
    diagnose_write(&text, &e, &d);
    bool says = strstr(text.text, "kept in 16 bits") != NULL;
    strbuf_free(&text);
    return says;
}

static void what_ends_at_16_bits(void **state)
{
    (void)state;
    assert_true(hints_at_limit(70000, 70000, 65536));
    assert_true(hints_at_limit(70000, 35000, 32768));
    assert_false(hints_at_limit(70000, 70000, 65535));
    assert_false(hints_at_limit(70000, 35000, 32640));
}

static void tiny_results_are_not_over_explained(void **state)
{
    (void)state;
    float wanted[1] = {2}, got[1] = {4};
    LabArray w = {.name = "c", .type = LAB_F32, .n_dims = 1, .shape = {1}, .elements = 1, .data = wanted};
    LabArray g = w;
    g.data = got;
    uint8_t wrong[1];
    Evidence e = {.got = &g, .wanted = &w, .wrong = wrong};
    e.result = compare_arrays(&g, &w, &e.tolerance, wrong);
    Diagnosis d = diagnose_result(&e);
    assert_string_equal(d.slug, "all-wrong");
    assert_string_equal(d.sentence, "the only element is wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_results),
        cmocka_unit_test(factor_of_one),
        cmocka_unit_test(added_to_what_was_there),
        cmocka_unit_test(too_few_bits),
        cmocka_unit_test(one_number),
        cmocka_unit_test(moved_results),
        cmocka_unit_test(places),
        cmocka_unit_test(powers),
        cmocka_unit_test(kept_sum),
        cmocka_unit_test(the_message_says_it_all),
        cmocka_unit_test(what_ends_at_16_bits),
        cmocka_unit_test(tiny_results_are_not_over_explained),
    };
    return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
