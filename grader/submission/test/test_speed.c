/* The rules of speed, on times that are made up. */
#include "grader/submission/speed_rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static LabTier tiers[] = {{.at_least = 0.8, .at_most = NAN, .points = 10},
                          {.at_least = 0.4, .at_most = NAN, .points = 4}};
static const LabSpeedGoal of_reference = {.of = "reference", .bytes = 50e6, .tiers = tiers, .n_tiers = 2};
static const LabSpeedGoal of_ceiling = {
    .of = "ceiling", .bytes = 50e6, .ops = 1e6, .tiers = tiers, .n_tiers = 2};

/* Microseconds; every fourth is `jitter` later. */
static SpeedTimes times(double us, double jitter)
{
    SpeedTimes t = {.n = SPEED_TIMES_MAX};
    for (size_t i = 0; i < t.n; i++)
        t.s[i] = 1e-6 * (us + (i % 4 == 3 ? jitter : i % 4 == 1 ? jitter / 2 : 0));
    return t;
}

/* A card that copies 1 TB/s, so that 50 MB take 50 us; what is around a call takes 20 us. */
static SpeedMeasured measured(double student_us, double reference_us)
{
    return (SpeedMeasured){.student = times(20 + student_us, 0),
                           .reference = times(20 + reference_us, 0),
                           .blank = times(20, 0),
                           .ceilings = {.copy_bytes_s = 1e12, .ops_s = 1e12}};
}

static void expect_tier(const LabSpeedGoal *goal, const SpeedMeasured *m, Verdict verdict, double points)
{
    Arena a = {0};
    SpeedJudgement j = speed_judge(&a, goal, m);
    assert_string_equal(verdict_word(verdict), verdict_word(j.verdict));
    assert_true(j.points == points);
    assert_true(strlen(j.message) > 0);
    arena_free(&a);
}

static void test_tiers(void **state)
{
    (void)state;
    Arena a = {0};
    SpeedMeasured even = measured(100, 100), half = measured(200, 100), tenth = measured(1000, 100);
    expect_tier(&of_reference, &even, VERDICT_PASS, 10);
    expect_tier(&of_reference, &half, VERDICT_SLOW, 4);
    expect_tier(&of_reference, &tenth, VERDICT_SLOW, 0);
    expect_tier(&of_ceiling, &even, VERDICT_SLOW, 4);
    SpeedMeasured close = measured(55, 100);
    expect_tier(&of_ceiling, &close, VERDICT_PASS, 10);
    SpeedJudgement j = speed_judge(&a, &of_reference, &half);
    assert_true(fabs(j.share - 0.5) < 1e-9 && fabs(j.call_us - 200) < 1e-6 &&
                fabs(j.roofline_us - 50) < 1e-6);
    arena_free(&a);
}

static void test_suspect(void **state)
{
    (void)state;
    SpeedMeasured beyond = measured(30, 100), nothing = measured(0, 100), negative = measured(-5, 100);
    expect_tier(&of_reference, &beyond, VERDICT_SUSPECT, 0);
    expect_tier(&of_reference, &nothing, VERDICT_SUSPECT, 0);
    expect_tier(&of_reference, &negative, VERDICT_SUSPECT, 0);
}

static void test_answers(void **state)
{
    (void)state;
    SpeedMeasured wrong = measured(100, 100), silent = measured(100, 100);
    wrong.differs = true;
    silent.silent = true;
    expect_tier(&of_reference, &wrong, VERDICT_WRONG_RESULT, 0);
    expect_tier(&of_reference, &silent, VERDICT_WRONG_RESULT, 0);
}

static void test_spread(void **state)
{
    (void)state;
    SpeedMeasured unsteady = measured(100, 100), calm = measured(100, 100), machine = measured(100, 100);
    unsteady.student = times(120, 80);
    expect_tier(&of_reference, &unsteady, VERDICT_INCONCLUSIVE, 0);
    calm.student = times(120, 8);
    expect_tier(&of_reference, &calm, VERDICT_PASS, 10);
    machine.reference = times(120, 80);
    expect_tier(&of_reference, &machine, VERDICT_INCONCLUSIVE, 0);
    /* Who makes its times differ gains nothing: the fastest decides. */
    SpeedMeasured sleeps = measured(100, 100), slower = measured(100, 100);
    sleeps.student = times(320, 200);
    expect_tier(&of_reference, &sleeps, VERDICT_SLOW, 0);
    slower.student = times(220, 200);
    expect_tier(&of_reference, &slower, VERDICT_SLOW, 4);
}

static void test_nothing_to_measure(void **state)
{
    (void)state;
    SpeedMeasured lost = measured(0.5, 0.5), no_card = measured(100, 100), none = {0};
    expect_tier(&of_reference, &lost, VERDICT_INCONCLUSIVE, 0);
    no_card.ceilings = (SpeedCeilings){0};
    expect_tier(&of_reference, &no_card, VERDICT_INCONCLUSIVE, 0);
    expect_tier(&of_reference, &none, VERDICT_INCONCLUSIVE, 0);
}

static void test_quantiles(void **state)
{
    (void)state;
    SpeedTimes t = {.s = {4, 1, 3, 2, 5}, .n = 5}, none = {.n = 0}, one = {.s = {7}, .n = 1};
    assert_true(speed_median(&t) == 3 && speed_quartile_distance(&t) == 2);
    assert_true(speed_median(&none) == 0 && speed_median(&one) == 7 && speed_quartile_distance(&one) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_suspect),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_nothing_to_measure),
        cmocka_unit_test(test_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
