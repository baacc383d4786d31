/* How far a student is, by what the cases said. */
#include "common/starters/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static LabFileCase cases[] = {
    {.name = "a", .todo = 1, .run = 1, .points = 5},
    {.name = "b", .todo = 2, .run = 1, .ranked = true},
    {.name = "form", .todo = 2, .run = 0},
    {.name = "c", .todo = 2, .run = 1},
    {.name = "d", .todo = 3, .run = 1},
};
static const LabFile lab = {.cases = cases, .n_cases = sizeof cases / sizeof *cases};
static char record[] = "/tmp/test-state.XXXXXX";

static void keep(const char *text)
{
    FILE *file = fopen(record, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What is next with that record: "TODO CASE". */
static void expect_next(const char *text, int todo, const char *name)
{
    Arena a = {0};
    keep(text);
    CaseState *states = state_read(&a, &lab, record);
    const LabFileCase *c = state_case(&lab, states);
    assert_int_equal(todo, state_todo(&lab, states));
    assert_string_equal(name, c ? c->name : "");
    arena_free(&a);
}

static void test_next(void **state)
{
    (void)state;
    expect_next("", 1, "a");
    expect_next("a 1 pass 2\n", 2, "b");
    expect_next("a 1 pass 2\nd 3 wrong-result 2\n", 3, "d"); /* what is known to fall short comes before what has not run */
    expect_next("a 1 pass 2\nb 2 pass 2\nform 2 pass 2\nc 2 race 2\nd 3 race 2\n", 2, "c");
    expect_next("a 1 pass 2\nb 2 pass 2\nform 2 missing-output 2\nc 2 pass 2\nd 3 pass 2\n", 2, ""); /* nothing that can be run */
    expect_next("a 1 pass 2\nb 2 pass 2\nform 2 missing-output 2\nc 2 pass 2\nd 3 race 2\n", 2, "d");
    expect_next("a 3 race 2\nb 2 pass 2\nform 2 pass 2\nc 2 pass 2\nd 3 pass 2\n", 3, "a"); /* about another TODO than it serves */
    expect_next("a 1 pass 2\nb 2 pass 2\nform 2 pass 2\nc 2 pass 2\nd 3 pass 2\n", 0, "");
    expect_next("no record at all", 1, "a");
    expect_next("gone 7 race 2\na 1 pass 2\n", 2, "b");
}

static void expect_record(const char *wanted)
{
    char text[256];
    FILE *file = fopen(record, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(wanted, text);
}

static void test_mark(void **state)
{
    (void)state;
    keep("");
    assert_int_equal(STATUS_OK, state_mark(&lab, record, &cases[0], true, NULL));
    expect_record("a 1 pass 5\n");
    assert_int_equal(STATUS_OK, state_mark(&lab, record, &cases[0], false, NULL));
    assert_int_equal(STATUS_OK, state_mark(&lab, record, &cases[1], true, NULL));
    expect_record("a 1 short 0\nb 2 short 0\n"); /* a right result is not all that b asks for */
}

static void test_progress(void **state)
{
    (void)state;
    Arena a = {0};
    keep("a 1 pass 5\nb 2 pass 3\nform 2 pass 1\nc 2 race 0.5\nd 3 pass 1\n");
    LabProgress p = state_progress(&lab, state_read(&a, &lab, record));
    assert_true(p.begun);
    assert_int_equal(3, p.todos);
    assert_int_equal(2, p.todos_done); /* 1 and 3 */
    assert_int_equal(2, p.next);
    assert_true(p.points == 10.5 && p.points_max == 5);
    keep("");
    p = state_progress(&lab, state_read(&a, &lab, record));
    assert_false(p.begun);
    assert_int_equal(0, p.todos_done);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_next), cmocka_unit_test(test_mark), cmocka_unit_test(test_progress)};
    int fd = mkstemp(record);
    if (fd < 0)
        return 1;
    close(fd);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(record);
    return status;
}
