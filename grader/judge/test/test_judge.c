/* The judge's client against a judge that answers, refuses, lies, hangs and dies. */
#include "grader/judge/judge.h"

#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char FAKE[] = "grader/judge/test/fake_judge.sh";

static LabParam params[] = {{"n", "33"}, {"mode", "odd"}};
static const LabCase a_case = {
    .name = "a", .params = params, .n_params = 2, .tolerance = {.rtol = 1e-5, .atol = 0.25, .nan = "never"}};

static Judge *start_judge(double seconds)
{
    Judge *j;
    Diag d = {0};
    JudgeOptions options = {.make_s = seconds, .check_s = seconds};
    if (judge_start(FAKE, &options, &j, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return j;
}

static void test_command_lines(void **state)
{
    (void)state;
    Judge *j = start_judge(10);
    JudgeAnswer answer;
    Diag d = {0};
    assert_int_equal(judge_make(j, "dir", 7, &a_case, &d), STATUS_OK);
    assert_int_equal(judge_check(j, "echo", UINT64_MAX, &a_case, &answer, &d), STATUS_OK);
    assert_string_equal(answer.message,
                        "check|echo|18446744073709551615|1.0000000000000001e-05|0.25|never|n=33|mode=odd");
    assert_int_equal(answer.verdict, VERDICT_PASS);
    judge_answer_free(&answer);
    judge_stop(j);
}

static void test_answer(void **state)
{
    (void)state;
    Judge *j = start_judge(10);
    JudgeAnswer answer;
    assert_int_equal(judge_check(j, "wrong", 1, &a_case, &answer, NULL), STATUS_OK);
    assert_int_equal(answer.verdict, VERDICT_WRONG_RESULT);
    assert_int_equal(answer.n_outputs, 1);
    assert_string_equal(answer.outputs[0].pattern, "tail only");
    assert_true(isnan(answer.outputs[0].max_error));
    assert_int_equal(answer.outputs[0].n_first, 1);
    assert_int_equal(answer.outputs[0].first[0].index, 98);
    assert_true(isnan(answer.outputs[0].first[0].got));
    assert_true(answer.outputs[0].first[0].wanted == 1.5);
    judge_answer_free(&answer);
    judge_stop(j);
}

/* A refusal and a nonsense answer fail the call; the process lives on. */
static void test_refusals(void **state)
{
    (void)state;
    static const char *const dirs[] = {"refuse", "nonsense", "badverdict", "badtype"};
    Judge *j = start_judge(10);
    for (size_t i = 0; i < 4; i++) {
        JudgeAnswer answer;
        Diag d = {0};
        assert_int_not_equal(judge_check(j, dirs[i], 1, &a_case, &answer, &d), STATUS_OK);
        assert_true(d.message[0]);
        assert_int_equal(answer.n_outputs, 0);
        assert_int_equal(judge_make(j, "dir", 1, &a_case, &d), STATUS_OK);
    }
    judge_stop(j);
}

static void expect_death(const char *dir, double seconds, const char *reason)
{
    Judge *j = start_judge(seconds);
    JudgeAnswer answer;
    Diag d = {0};
    assert_int_equal(judge_check(j, dir, 1, &a_case, &answer, &d), STATUS_IO);
    if (!strstr(d.message, reason))
        fail_msg("%s: \"%s\" does not say \"%s\"", dir, d.message, reason);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
    Diag again = {0};
    assert_int_equal(judge_make(j, "dir", 1, &a_case, &again), STATUS_IO);
    assert_string_equal(again.message, d.message);
    judge_stop(j);
}

static void test_deaths(void **state)
{
    (void)state;
    expect_death("slow", 0.2, "in time");
    expect_death("die", 10, "exit status 2): reference.c:12: cannot");
    expect_death("crash", 10, "signal 11");
    expect_death("flood", 10, "longer");
}

static void test_no_program(void **state)
{
    (void)state;
    Judge *j;
    Diag d = {0};
    pid_t none;
    if (posix_spawn(&none, "/no/such/program", NULL, NULL, (char *const[]){"program", NULL}, environ) == 0)
        skip(); /* qemu-user, which has no vfork, says so in the child alone */
    assert_int_equal(judge_start("/no/such/judge", NULL, &j, &d), STATUS_NOT_FOUND);
    assert_null(j);
    assert_non_null(strstr(d.message, "/no/such/judge"));
    judge_stop(NULL);
}

static void test_separators_in_fields(void **state)
{
    (void)state;
    Judge *j = start_judge(10);
    LabParam evil[] = {{"n", "1\nquit"}};
    LabCase c = a_case;
    c.params = evil;
    c.n_params = 1;
    Diag d = {0};
    assert_int_equal(judge_make(j, "dir", 1, &c, &d), STATUS_INVALID);
    assert_int_equal(judge_make(j, "a\tb", 1, &a_case, &d), STATUS_INVALID);
    assert_int_equal(judge_make(j, "dir", 1, &a_case, &d), STATUS_OK);
    judge_stop(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_lines), cmocka_unit_test(test_answer),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_no_program),    cmocka_unit_test(test_separators_in_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
