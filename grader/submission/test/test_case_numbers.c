/* The numbers that decide points: of the report, of a baseline, of the judge, and ratios held against the least. */
#include "grader/submission/case_numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static const char text[] =
    "{\"schema\":1,\"timeline_us\":50,\"kernel_us\":20,"
    "\"totals\":{\"global_load_requests\":900,\"global_store_requests\":100,\"none\":0,"
    "\"global_load_bytes\":3000,\"global_store_bytes\":1000},"
    "\"metrics\":{\"sectors_per_request\":4,\"sector_efficiency\":0.9,\"copied\":7}}";

static VgpuReport *report;

static int set_up(void **state)
{
    (void)state;
    return vgpu_report_parse(text, strlen(text), &report, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    vgpu_report_free(report);
    return 0;
}

static LabTier small = {.at_most = 5, .at_least = NAN, .points = 1}, large = {.at_most = NAN, .at_least = 0.5, .points = 1};

/* NaN: there is none. */
static double metric_of(LabCase c, LabTier *tier)
{
    double value = 0;
    c.tiers = tier, c.n_tiers = 1;
    return case_metric(&c, report, NULL, &value) ? value : NAN;
}

static void test_baseline(void **state)
{
    (void)state;
    LabCase c = {.metric = "speedup",
                 .baseline = {.name = "speedup", .of = "kernel_us", .number = 50, .as = "quotient", .by = 1}};
    assert_true(metric_of(c, &large) == 2.5);
    c.baseline.as = "difference", c.baseline.of = "timeline_us", c.baseline.number = 10, c.baseline.by = 4;
    assert_true(metric_of(c, &small) == 10);
    c.baseline.as = "quotient", c.baseline.of = "none";
    assert_true(isnan(metric_of(c, &large)));
    c.baseline.of = "nobody_knows";
    assert_true(isnan(metric_of(c, &large)));
    c.metric = "copied"; /* a number of the report all the same */
    assert_true(metric_of(c, &small) == 7);
    c.metric = "value.copied";
    assert_true(isnan(metric_of(c, &small)));
}

/* 1,000 requests; 4,000 bytes. */
static void test_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        double least, slack, wanted;
    } rows[] = {
        {"sectors_per_request", 1000, 2, 4}, {"sectors_per_request", 500, 2, 4}, {"sectors_per_request", 499, 2, 4000 / 998.0},
        {"sectors_per_request", 250, 2, 8},  {"sectors_per_request", 250, 4, 4}, {"sector_efficiency", 4000, 1, 0.9},
        {"sector_efficiency", 1000, 2, 0.45}, {"copied", 0, 2, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LabCase c = {.metric = rows[i].metric, .least = rows[i].least, .slack = rows[i].slack};
        bool grows = strcmp(c.metric, "sector_efficiency") == 0;
        assert_true(fabs(metric_of(c, grows ? &large : &small) - rows[i].wanted) < 1e-9);
    }
}

static void test_right(void **state)
{
    (void)state;
    JudgeOutput outputs[] = {{.name = "losses", .elements = 3, .mismatches = 3},
                             {.name = "answers", .elements = 8, .mismatches = 2},
                             {.name = "nothing"}};
    JudgeAnswer answer = {.outputs = outputs, .n_outputs = 3};
    LabCase c = {.metric = "right.answers"};
    double value = 0;
    assert_true(case_metric(&c, NULL, &answer, &value) && value == 0.75);
    c.metric = "right.losses";
    assert_true(case_metric(&c, NULL, &answer, &value) && value == 0);
    c.metric = "right.nothing";
    assert_false(case_metric(&c, report, &answer, &value));
    c.metric = "right.nobody";
    assert_false(case_metric(&c, report, &answer, &value));
    assert_false(case_metric(&c, report, NULL, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_baseline), cmocka_unit_test(test_ratio),
                                       cmocka_unit_test(test_right)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
