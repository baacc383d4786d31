/* What stands for the result of a submission whose grading came to nothing: a kit-error for each case that the run wants, and
 * for no other. */
#include "grader/submission/submission.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static LabCase cases[] = {{.name = "first", .points = 10},
                          {.name = "second", .points = 20},
                          {.name = "secret", .points = 70, .hidden = true}};
static const Lab lab = {.lab = "01-indexing", .cases = cases, .n_cases = 3};

static void check_lost(const GradeRun *run, double max_score, const char *names)
{
    const Submission s = {.student = "s001", .lab = &lab};
    char got[64] = "";
    Result *r = submission_lost(run, &s, "The worker died.");
    assert_int_equal(r->verdict, VERDICT_KIT_ERROR);
    assert_true(r->score == 0 && r->max_score == max_score);
    for (size_t i = 0; i < r->n_cases; i++) {
        strcat(strcat(got, r->cases[i].name), " ");
        assert_string_equal(r->cases[i].message, "The worker died.");
        assert_int_equal(r->cases[i].verdict, VERDICT_KIT_ERROR);
    }
    assert_string_equal(got, names);
    result_free(r);
}

static void test_lost(void **state)
{
    (void)state;
    check_lost(&(GradeRun){0}, 100, "first second secret ");
    check_lost(&(GradeRun){.only = "secret"}, 70, "secret ");
    check_lost(&(GradeRun){.public_most = 1}, 10, "first ");
    check_lost(&(GradeRun){.public_most = INT64_MAX}, 30, "first second ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
