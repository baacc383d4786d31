/* Lab 05: inputs, right answers, and what driver.c must report.
 *
 * Parameters: part (which of driver.c's), and for those that gather n and n_in. Elements are gathered from
 * all over the input: no two neighbours have neighbouring indexes.
 */
#include "judge.h"

#include <stdint.h>
#include <string.h>

/* Codes of errors, as the CUDA Runtime API numbers them (the judge does not need CUDA). */
enum { SUCCESS = 0, MEMORY_ALLOCATION = 2, NO_DEVICE = 100, ILLEGAL_ADDRESS = 700 };

static int part_is(JudgeCase *c, const char *part)
{
    return strcmp(judge_param_text(c, "part"), part) == 0;
}

static int breaks_down(JudgeCase *c)
{
    return part_is(c, "bad-index") || part_is(c, "retry-lasting");
}

void judge_inputs(JudgeCase *c)
{
    if (!judge_has_param(c, "n"))
        return;
    size_t n = (size_t)judge_param_int(c, "n");
    int64_t n_in = judge_param_int(c, "n_in");
    float *in = judge_input_make_f32(c, "in", (size_t)n_in);
    int32_t *index = judge_input_make_i32(c, "index", n);
    judge_fill_f32(c, in, -100, 100);
    judge_fill_i32(c, index, 0, (int32_t)(n_in - 1));
    if (breaks_down(c))
        index[n / 2] = INT32_MAX; /* 8 GiB behind the array's start */
}

static void expect_gathered(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", NULL);
    const int32_t *index = judge_input_i32(c, "index", &n);
    float *out = judge_expect_f32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = in[index[i]];
}

static void expect_check_good(JudgeCase *c)
{
    judge_expect_value(c, "err_after_two_good_calls_in_CHECK", SUCCESS);
    judge_expect_value(c, "evaluations_of_two_calls_in_CHECK", 2);
    judge_expect_value(c, "statements_run_after_good_calls_in_CHECK", 2);
    judge_expect_value(c, "else_branches_taken_though_the_condition_was_true", 0);
    judge_expect_value(c, "something_was_printed_about_a_good_call", 0);
    judge_expect_value(c, "err_after_a_failed_CHECK_between_if_and_else", MEMORY_ALLOCATION);
    judge_expect_value(c, "statements_run_after_a_failed_CHECK", 0);
}

static void expect_check_bad(JudgeCase *c)
{
    judge_expect_value(c, "evaluations_of_a_failing_call_in_CHECK", 1);
    judge_expect_value(c, "statements_run_after_a_failed_CHECK", 0);
    judge_expect_value(c, "jumps_to_done_after_a_failed_CHECK", 1);
    judge_expect_value(c, "err_after_a_failed_CHECK", MEMORY_ALLOCATION);
    judge_expect_value(c, "message_names_the_file", 1);
    judge_expect_value(c, "message_names_the_line", 1);
    judge_expect_value(c, "message_shows_the_call", 1);
    judge_expect_value(c, "message_names_the_error", 1);
}

static void expect_reserve(JudgeCase *c)
{
    int64_t halvings = judge_param_int(c, "halvings");
    judge_expect_value(c, "reserve_returned", SUCCESS);
    if (halvings >= 0)
        judge_expect_value(c, "floats_reserved", (double)(judge_param_int(c, "count") >> halvings));
    else
        judge_expect_value(c, "count_is_what_halving_gives", 1);
    judge_expect_value(c, "error_left_behind", SUCCESS);
    judge_expect_value(c, "buffer_is_as_long_as_count_says", 1);
}

static void expect_retry(JudgeCase *c)
{
    int64_t failures = judge_param_int(c, "failures");
    int64_t attempts = judge_param_int(c, "attempts");
    int works = failures < attempts;
    judge_expect_value(c, "calls_of_the_job", (double)(works ? failures + 1 : attempts));
    judge_expect_value(c, "calls_of_the_job_that_met_an_old_error", 0);
    judge_expect_value(c, "with_retry_returned", works ? SUCCESS : MEMORY_ALLOCATION);
    judge_expect_value(c, "error_left_behind", SUCCESS);
}

static void expect_no_device(JudgeCase *c)
{
    judge_expect_value(c, "gather_returned", NO_DEVICE);
    judge_expect_value(c, "reserve_returned", NO_DEVICE);
    judge_expect_value(c, "reserve_left_a_buffer", 0);
    judge_expect_value(c, "device_is_usable", 0);
    judge_expect_value(c, "with_retry_returned", NO_DEVICE);
    judge_expect_value(c, "calls_of_the_job", 1);
}

void judge_reference(JudgeCase *c)
{
    if (part_is(c, "gather") || part_is(c, "failing")) {
        expect_gathered(c);
        judge_expect_value(c, "error_left_behind", SUCCESS);
    }
    if (part_is(c, "failing"))
        judge_expect_value(c, "calls_of_gather_that_returned_an_error", 1);
    if (part_is(c, "bad-index")) {
        judge_expect_value(c, "gather_returned", ILLEGAL_ADDRESS);
        judge_expect_value(c, "something_was_printed_about_it", 1);
        judge_expect_value(c, "an_error_of_the_kernel_was_blamed_on_a_copy", 0);
        judge_expect_value(c, "device_is_usable_afterwards", 0);
    }
    if (part_is(c, "check-good"))
        expect_check_good(c);
    if (part_is(c, "check-bad"))
        expect_check_bad(c);
    if (part_is(c, "reserve"))
        expect_reserve(c);
    if (part_is(c, "usable")) {
        judge_expect_value(c, "device_is_usable_at_first", 1);
        judge_expect_value(c, "device_is_usable_after_an_allocation_failed", 1);
        judge_expect_value(c, "error_left_behind", SUCCESS);
    }
    if (part_is(c, "retry"))
        expect_retry(c);
    if (part_is(c, "retry-lasting")) {
        judge_expect_value(c, "calls_of_the_job", 1);
        judge_expect_value(c, "with_retry_returned", ILLEGAL_ADDRESS);
    }
    if (part_is(c, "no-device"))
        expect_no_device(c);
}
