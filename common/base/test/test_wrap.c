/* Lines that fit a terminal. */
#include "common/base/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_wrapped(const char *wanted, const char *text, int columns)
{
    StrBuf out = {0};
    text_wrap(&out, text, columns);
    assert_string_equal(wanted, out.text);
    strbuf_free(&out);
}

static void test_wrap(void **state)
{
    (void)state;
    expect_wrapped("one two\n", "one two\n", 7);
    expect_wrapped("one two\n  three\n", "one two three\n", 9);
    expect_wrapped("one\n  two\n", "one two\n", 6);
    expect_wrapped("  a label\n    that goes\n    on\n", "  a label that goes on\n", 13);
    expect_wrapped("averylongword\n  and\n  more\n", "averylongword and more\n", 6); /* never inside a word */
    expect_wrapped("\033[31mone\033[0m two\n", "\033[31mone\033[0m two\n", 7); /* a colour takes no column */
    expect_wrapped("   13 |  a line of source\n", "   13 |  a line of source\n", 10);
    expect_wrapped("甲乙丙\n  丁戊\n", "甲乙丙丁戊\n", 6);
    expect_wrapped("甲乙\n  丙，\n  丁\n", "甲乙丙，丁\n", 6); /* no line begins with a comma */
    expect_wrapped("\n\n", "\n\n", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
