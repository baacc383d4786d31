/* Moments: every form that is read, none that leaves its distance from UTC open. */
#include "grader/core/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *utc;
    } rows[] = {
        {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
        {"2026-10-12T23:59:00+02:00", "2026-10-12T21:59:00Z"},
        {"2026-10-12 14:14:03.120 -07:00", "2026-10-12T21:14:03Z"},
        {"2026-10-12  21:59 UTC", "2026-10-12T21:59:00Z"},
        {"2026-10-12T21:59Z ", "2026-10-12T21:59:00Z"},
        {"2026-01-01T00:30:00+0530", "2025-12-31T19:00:00Z"},
        {"2026-01-01T00:30:00+01", "2025-12-31T23:30:00Z"},
        {"2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"},
        {"2000-02-29T12:00:00Z", "2000-02-29T12:00:00Z"},
        {"2024-12-31T23:59:60Z", "2024-12-31T23:59:59Z"},
        {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t seconds;
        char text[WHEN_TEXT];
        assert_true(when_parse(rows[i].text, &seconds));
        when_format(seconds, text);
        assert_string_equal(rows[i].utc, text);
    }
    int64_t seconds;
    assert_true(when_parse("2026-10-12T21:59:00Z", &seconds));
    assert_int_equal(1791842340, seconds);
}

static void test_refuse(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "now",
        "2026-10-12",
        "2026-10-12T23:59:00",
        "2026-10-12T23:59:00 CEST",
        "2026-10-12T24:00:00Z",
        "2026-10-12T23:60:00Z",
        "2026-13-12T23:59:00Z",
        "2026-00-12T23:59:00Z",
        "2026-02-29T23:59:00Z",
        "2100-02-29T23:59:00Z",
        "1969-12-31T23:59:00Z",
        "2026-10-12T23:59:00.Z",
        "2026-10-12T23:59:00+15:00",
        "2026-10-12T23:59:00+1",
        "2026-10-12T23:59:00Z+1",
        "2026-10-1T23:59:00Z",
        "20261012T235900Z",
        "2026-10-12T2:59:00Z",
        "2026-10-12T23:59:00+02:60",
    };
    int64_t seconds;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (when_parse(bad[i], &seconds))
            fail_msg("'%s' is no moment", bad[i]);
}

/* Every day of 400 years and more: dates follow one another. */
static void test_every_day(void **state)
{
    (void)state;
    for (int64_t day = 0; day < 170000; day++) {
        char text[WHEN_TEXT];
        int64_t back;
        when_format(day * 86400 + 86399, text);
        assert_true(when_parse(text, &back));
        assert_int_equal(day * 86400 + 86399, back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_refuse),
                                       cmocka_unit_test(test_every_day)};
    return cmocka_run_group_tests_name("when", tests, NULL, NULL);
}
