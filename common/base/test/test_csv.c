/* CSV rows as RFC 4180 and its practice write them. */
#include "common/base/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_rows(void **state)
{
    (void)state;
    static const char sheet[] = "\xEF\xBB\xBFname,\"a \"\"b\"\"\",\r\n\"two\nlines\",x\n,\rlast";
    Arena a = {0};
    CsvRow row;
    size_t length = strlen(sheet);
    assert_true(csv_read_row(&a, sheet, length, csv_start(sheet, length), &row));
    assert_int_equal(3, row.n);
    assert_string_equal("name", row.cells[0].text);
    assert_string_equal("a \"b\"", row.cells[1].text);
    assert_string_equal("", row.cells[2].text);
    assert_int_equal(1, csv_find(&row, "a \"b\""));
    assert_int_equal(3, csv_find(&row, "Name"));
    assert_memory_equal("\"a \"\"b\"\"\"", sheet + row.cells[1].start, 9);
    assert_true(csv_read_row(&a, sheet, length, row.end, &row));
    assert_string_equal("two\nlines", row.cells[0].text);
    assert_true(csv_read_row(&a, sheet, length, row.end, &row));
    assert_int_equal(2, row.n);
    assert_true(csv_read_row(&a, sheet, length, row.end, &row));
    assert_string_equal("last", row.cells[0].text);
    assert_int_equal(length, row.end);
    assert_int_equal(4, csv_next_line("abc\nd", 5, 1));
    assert_int_equal(5, csv_next_line("abc\nd", 5, 4));
    arena_free(&a);
}

static void test_refuse(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"open", "\"a\"b,c", "\"", "\"\"\""};
    Arena a = {0};
    CsvRow row;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(csv_read_row(&a, bad[i], strlen(bad[i]), 0, &row));
    char commas[CSV_CELLS_MAX + 1];
    memset(commas, ',', sizeof commas);
    assert_true(csv_read_row(&a, commas, CSV_CELLS_MAX - 1, 0, &row));
    assert_int_equal(CSV_CELLS_MAX, row.n);
    assert_false(csv_read_row(&a, commas, CSV_CELLS_MAX, 0, &row));
    arena_free(&a);
}

/* An apostrophe is taken off where the writer put one, and nowhere else. */
static void test_unguarded(void **state)
{
    (void)state;
    static const char *const guarded[] = {"'=1",
                                          "'+1",
                                          "'-1",
                                          "'@x",
                                          "'\t1",
                                          ("'\xEF\xBC\x9D"
                                           "1"),
                                          "''=1"};
    static const char *const plain[] = {"", "'", "'s001", "=1", "''s", "s'=1", "1'=1"};
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++)
        assert_string_equal(guarded[i] + 1, csv_unguarded(guarded[i]));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_string_equal(plain[i], csv_unguarded(plain[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_refuse),
                                       cmocka_unit_test(test_unguarded)};
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
