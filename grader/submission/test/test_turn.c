/* Turns: what ran short through others is run again alone, once, with nobody beside it. */
#include "grader/submission/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Runner {
    char work[64];
    int runs, short_runs; /* so far; how many of them run short */
    bool was_alone[4];
} Runner;

/* Whether a neighbour could work now. */
static bool neighbour_may_run(const Runner *r)
{
    char path[128];
    snprintf(path, sizeof path, "%s/processors.turn", r->work);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    bool may = flock(fd, LOCK_SH | LOCK_NB) == 0;
    close(fd);
    return may;
}

static bool run_turn(void *self)
{
    Runner *r = self;
    assert_true(r->runs < 4);
    r->was_alone[r->runs] = !neighbour_may_run(r);
    return r->runs++ < r->short_runs;
}

static Runner run_case(int short_runs)
{
    Runner r = {.work = "/tmp/turn-test-XXXXXX", .short_runs = short_runs};
    char command[128];
    assert_non_null(mkdtemp(r.work));
    turn_run(r.work, "processors", run_turn, &r);
    assert_true(neighbour_may_run(&r)); /* the turn is given back */
    snprintf(command, sizeof command, "rm -r %s", r.work);
    assert_int_equal(0, system(command));
    return r;
}

static void test_again_alone(void **state)
{
    (void)state;
    Runner fair = run_case(0), once = run_case(1), always = run_case(3);
    assert_int_equal(1, fair.runs);
    assert_false(fair.was_alone[0]);
    assert_int_equal(2, once.runs);
    assert_false(once.was_alone[0]);
    assert_true(once.was_alone[1]);
    assert_int_equal(2, always.runs); /* alone, its time ran out by itself */
}

static void test_what_is_short(void **state)
{
    (void)state;
    assert_true(turn_was_short(true, 40, 35, 10));
    assert_false(turn_was_short(true, 25, 15, 10)); /* it had its ten seconds for itself: alone it would not end either */
    assert_false(turn_was_short(true, 10, 0.3, 10)); /* one in thirty is nothing */
    assert_false(turn_was_short(false, 40, 35, 10)); /* it ended by itself, or at another limit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_again_alone),
                                       cmocka_unit_test(test_what_is_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
