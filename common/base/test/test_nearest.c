/* The distance of two names, and which name of a list is meant. */
#include "common/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_distance(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        size_t distance;
    } rows[] = {{"", "", 0},        {"", "abc", 3},           {"run", "run", 0},
                {"run", "runn", 1}, {"run", "rn", 1},         {"run", "urn", 1},
                {"RUN", "run", 0},  {"ca", "abc", 3},         {"s01", "s001", 1},
                {"s10", "s01", 1},  {"kitten", "sitting", 3}, {"abcd", "badc", 2},
                {"a", "b", 1},      {"ab", "ba", 1},          {"02_vector_add", "02-vector-add", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(rows[i].distance, nearest_distance(rows[i].one, rows[i].other));
        assert_int_equal(rows[i].distance, nearest_distance(rows[i].other, rows[i].one));
    }
}

/* At the limit of length, and one past it. */
static void test_long_names(void **state)
{
    (void)state;
    char name[NEAREST_NAME_MAX + 2], other[NEAREST_NAME_MAX + 2];
    memset(name, 'a', sizeof name);
    memset(other, 'a', sizeof other);
    name[NEAREST_NAME_MAX] = other[NEAREST_NAME_MAX] = '\0';
    other[7] = 'b';
    assert_int_equal(1, nearest_distance(name, other));
    name[NEAREST_NAME_MAX] = 'a';
    name[NEAREST_NAME_MAX + 1] = '\0';
    assert_int_equal(NEAREST_NAME_MAX, nearest_distance(name, other));
    assert_null(nearest_name(name, (const char *const[]){other}, 1));
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"run",       "regrade", "report",        "status",
                                        "import",    "export",  "02-vector-add", "06-matmul",
                                        "12-matmul", "s001",    "s002"};
    static const char *const rows[][2] = {{"runn", "run"},
                                          {"rnu", "run"},
                                          {"EXPORT", "export"},
                                          {"improt", "import"},
                                          {"staus", "status"},
                                          {"02_vector_add", "02-vector-add"},
                                          {"vector", "02-vector-add"},
                                          {"matmul", "06-matmul"},
                                          {"mul", NULL},
                                          {"s01", "s001"},
                                          {"s003", "s001"},
                                          {"06-matmull", "06-matmul"},
                                          {"dance", NULL},
                                          {"", NULL},
                                          {"x", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = nearest_name(rows[i][0], names, sizeof names / sizeof *names);
        if (!rows[i][1] || !got)
            assert_ptr_equal(rows[i][1], got);
        else
            assert_string_equal(rows[i][1], got);
    }
}

static void test_slips(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        bool slip, letters;
    } rows[] = {
        {"02_vector_add", "02-vector-add", true, true},       {"Vector_Add.CU", "vector_add.cu", true, true},
        {"vector add.cu", "vector_add.cu", true, true},       {"VectorAdd.cu", "vector_add.cu", false, true},
        {"vector_add.cpp", "vector_add.cu", false, false},    {"", "", true, true},
        {"vector_add.cu", "vector_add.cu.txt", false, false}, {"--", "", false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(rows[i].slip, nearest_is_slip(rows[i].one, rows[i].other));
        assert_int_equal(rows[i].letters, nearest_same_letters(rows[i].other, rows[i].one));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distance), cmocka_unit_test(test_long_names),
                                       cmocka_unit_test(test_nearest), cmocka_unit_test(test_slips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
