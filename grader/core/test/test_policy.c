/* Policy files: what is read, and what each mistake is told. */
#include "grader/core/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static Status read_policy(Arena *a, const char *text, Policy *p, Diag *d)
{
    *d = (Diag){0};
    return policy_read(a, "policy.yaml", text, strlen(text), p, d);
}

static void test_good(void **state)
{
    (void)state;
    Arena a = {0};
    Policy p;
    Diag d;
    assert_int_equal(STATUS_OK, read_policy(&a, "", &p, &d));
    assert_false(p.best || p.has_late);
    assert_int_equal(STATUS_OK, read_policy(&a, "schema: 1\n", &p, &d));
    assert_false(p.best || p.has_late);
    if (read_policy(
            &a,
            "schema: 1\nattempts: best\ndue:\n  02-vector-add: 1970-01-01T01:00:00+01:00\n"
            "  01-indexing: \"1970-01-01 00:01 UTC\"\nlate: {deduct: 10, at_most: 50, every_hours: 0.5}\n",
            &p, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    assert_true(p.best && p.has_late);
    assert_int_equal(2, p.n_due);
    assert_int_equal(0, policy_due(&p, "02-vector-add")->at);
    assert_int_equal(60, policy_due(&p, "01-indexing")->at);
    assert_null(policy_due(&p, "03-matrix"));
    assert_true(p.late.deduct == 10 && p.late.at_most == 50 && p.late.every_hours == 0.5);
    assert_true(p.late.grace_minutes == 0 && p.late.closed_after_hours == 0);
    arena_free(&a);
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } rows[] = {
        {"attempts: last\n", 1, 1, "the key 'schema' is missing"},
        {"schema: 2\n", 1, 9, "from 1 to 1"},
        {"schema: 1\nschema: 1\n", 2, 1, "stands twice"},
        {"schema: 1\npenalty: 3\n", 2, 1, "'penalty' is no key"},
        {"schema: 1\nattempts: first\n", 2, 11, "last or best"},
        {"schema: 1\nattempts: [best]\n", 2, 11, "last or best"},
        {"schema: 1\ndue: tomorrow\n", 2, 6, "a map of labs"},
        {"schema: 1\ndue:\n  a: tomorrow\n", 3, 6, "a moment must be"},
        {"schema: 1\ndue:\n  a: 2026-10-12T23:59:00\n", 3, 6, "distance from UTC"},
        {"schema: 1\ndue: {a: 2026-10-12T23:59Z, a: 2026-10-12T23:59Z}\n", 2, 29, "stands twice"},
        {"schema: 1\ndue: {[x]: y}\n", 2, 7, "a lab's name"},
        {"schema: 1\nlate: 10\n", 2, 7, "a map of keys"},
        {"schema: 1\nlate: {}\n", 2, 7, "'deduct' is missing"},
        {"schema: 1\nlate: {deduct: -1}\n", 2, 16, "from 0 to 100"},
        {"schema: 1\nlate: {deduct: nan}\n", 2, 16, "from 0 to 100"},
        {"schema: 1\nlate: {deduct: 10%}\n", 2, 16, "from 0 to 100"},
        {"schema: 1\nlate: {deduct: 10, every_hours: 0}\n", 2, 33, "from 0.25"},
        {"[]\n", 1, 1, "a map of keys"},
        {"# nothing\n", 1, 1, "empty"},
        {"a: b: c\n", 1, 5, "not YAML"},
        {"schema: 1\nattempts: \xFF\n", 2, 1, "not YAML"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Arena a = {0};
        Policy p;
        Diag d;
        assert_int_equal(STATUS_PARSE, read_policy(&a, rows[i].text, &p, &d));
        if (!strstr(d.message, rows[i].says))
            fail_msg("%s: %s", rows[i].text, d.message);
        if (!strstr(rows[i].says, "YAML")) {
            assert_int_equal(rows[i].line, d.line);
            assert_int_equal(rows[i].column, d.column);
        }
        assert_string_equal("policy.yaml", d.file);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
