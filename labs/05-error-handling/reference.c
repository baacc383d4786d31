/* Lab 05: inputs, right answers, and what driver.c must report.
 *
 * Parameters: part (which of driver.c's), and for those that gather n and n_in. Elements are gathered from
 * all over the input: no two neighbours have neighbouring indexes.
 */
#include "judge.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codes of errors, as the CUDA Runtime API numbers them (the judge does not need CUDA). */
enum { SUCCESS = 0, MEMORY_ALLOCATION = 2, NO_DEVICE = 100, ILLEGAL_ADDRESS = 700, UNKNOWN = 999 };

static int part_is(JudgeCase *c, const char *part)
{
    return strcmp(judge_param_text(c, "part"), part) == 0;
}

static int breaks_down(JudgeCase *c)
{
    return part_is(c, "bad-index") || part_is(c, "usable");
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
    judge_expect_value(c, "err_after_two_good_calls_in_CHECK", UNKNOWN); /* as before them */
    judge_expect_value(c, "evaluations_of_two_calls_in_CHECK", 2);
    judge_expect_value(c, "statements_run_after_good_calls_in_CHECK", 2);
    judge_expect_value(c, "else_branches_taken_though_the_condition_was_true", 0);
    judge_expect_value(c, "something_was_printed_about_a_good_call", 0);
    judge_expect_value(c, "error_noted_before_good_calls_and_behind_them", MEMORY_ALLOCATION);
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

/* Whether reserve is to find no room even for one float. */
static int nothing_fits(JudgeCase *c)
{
    int64_t halvings = judge_param_int(c, "halvings");
    return halvings > 0 && judge_param_int(c, "count") >> halvings == 0;
}

static void expect_reserve(JudgeCase *c)
{
    int64_t halvings = judge_param_int(c, "halvings");
    if (nothing_fits(c)) {
        judge_expect_value(c, "reserve_returned", MEMORY_ALLOCATION);
        judge_expect_value(c, "reserve_left_a_buffer", 0);
        judge_expect_value(c, "error_left_behind", SUCCESS);
        judge_expect_value(c, "error_left_behind_while_a_stream_captures", SUCCESS);
        return;
    }
    judge_expect_value(c, "reserve_returned", SUCCESS);
    if (halvings >= 0)
        judge_expect_value(c, "floats_reserved", (double)(judge_param_int(c, "count") >> halvings));
    else
        judge_expect_value(c, "count_is_what_halving_gives", 1);
    judge_expect_value(c, "error_left_behind", SUCCESS);
    judge_expect_value(c, "buffer_is_as_long_as_count_says", 1);
    if (halvings == 0)
        judge_expect_value(c, "second_buffer_is_as_long_as_count_says", 1);
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

/* ---- The record of calls: what driver.c notes stands between what was asked of the devices ---- */

typedef struct Record {
    JudgeCase *c;
    const JudgeCall *calls;
    size_t n;
} Record;

static int is_op(const JudgeCall *call, const char *op)
{
    return strcmp(call->op, op) == 0;
}

static int has_error(const JudgeCall *call, const char *error)
{
    return strcmp(call->error, error) == 0;
}

/* The first line from there on that notes `what`; the number of lines if there is none. */
static size_t find_note(const Record *r, size_t from, const char *what)
{
    while (from < r->n && !judge_note(&r->calls[from], what))
        from++;
    return from;
}

static size_t count_notes(const Record *r, const char *what)
{
    size_t n = 0;
    for (size_t i = find_note(r, 0, what); i < r->n; i = find_note(r, i + 1, what))
        n++;
    return n;
}

static size_t count_calls(const Record *r, const char *op, const char *error, uint64_t number)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += is_op(&r->calls[i], op) && has_error(&r->calls[i], error) && r->calls[i].number == number;
    return n;
}

/* A call failed before that line, and nobody has taken the error. */
static int error_is_noted(const Record *r, size_t before)
{
    int noted = 0;
    for (size_t i = 0; i < before; i++) {
        if (judge_note(&r->calls[i], "last-error"))
            noted = 0;
        else if (is_op(&r->calls[i], "MAY_FAIL") || !has_error(&r->calls[i], "OK"))
            noted = 1;
    }
    return noted;
}

/* Whether something was done on the device between a call that failed and what the function returned. */
static int works_on(const Record *r, size_t from)
{
    for (size_t i = from + 1; i < find_note(r, from, "returned"); i++)
        if (is_op(&r->calls[i], "ALLOC") || is_op(&r->calls[i], "COPY") || is_op(&r->calls[i], "FILL") ||
            is_op(&r->calls[i], "LAUNCH"))
            return 1;
    return 0;
}

static const char goes_on[] = "After the call that failed gather allocated, copied or launched something.";
static const char leaves_error[] = "A call failed, and its error is still noted for whoever asks next.";

static void judge_failing(const Record *r)
{
    size_t launches = 0, failed = 0;
    while (failed < r->n && !is_op(&r->calls[failed], "MAY_FAIL"))
        failed++;
    for (size_t i = 0; i < r->n; i++)
        launches += is_op(&r->calls[i], "LAUNCH") && has_error(&r->calls[i], "OK");
    if (failed < r->n && works_on(r, failed))
        judge_refuse(r->c, goes_on);
    if ((int64_t)launches + 1 < judge_param_int(r->c, "calls"))
        judge_refuse(r->c, "The other calls of gather launched no kernel.");
    if (judge_has_param(r->c, "keep_error") && error_is_noted(r, find_note(r, find_note(r, failed, "returned"), "gather")))
        judge_refuse(r->c, leaves_error);
}

/* The kernel's error comes up in a call that waits, and nobody goes on after it. */
static void judge_lasting(const Record *r)
{
    size_t at = 0;
    while (at < r->n && !has_error(&r->calls[at], "ILLEGAL_ADDRESS"))
        at++;
    if (at == r->n || is_op(&r->calls[at], "COPY"))
        judge_refuse(r->c, "The first call that returned the kernel's error was none that only waits for it.");
    else if (works_on(r, at))
        judge_refuse(r->c, goes_on);
    if (count_notes(r, "uses-the-device") > 0)
        judge_refuse(r->c, "The device is used on, and it is broken: nobody heard of the kernel's error.");
}

/* What a probe does, in order: the number of a byte of the trail (error_handling.h: 0 behind CHECK, 1 the else, 2 done; driver.c: 3 a
 * call that works), or F, a call that fails. */
static void judge_probe(const Record *r, const char *name, const char *wanted)
{
    size_t at = find_note(r, 0, "probe");
    while (at < r->n && strcmp(judge_note(&r->calls[at], "probe"), name) != 0)
        at = find_note(r, at + 1, "probe");
    int waits = 0;
    for (at++; at < r->n; at++) {
        const JudgeCall *call = &r->calls[at];
        if (judge_note(call, "probe") || judge_note(call, "probed"))
            break;
        waits |= *wanted != 'F' && *wanted != '2' && (is_op(call, "DEVICE_SYNC") || is_op(call, "STREAM_SYNC"));
        char got = is_op(call, "FILL") && has_error(call, "OK") && call->number == 1 && strlen(call->text) == 1 ? call->text[0]
                   : is_op(call, "ALLOC") && has_error(call, "NO_MEMORY")                                         ? 'F'
                                                                                                                   : 0;
        if (got != 0 && (*wanted == 0 || got != *wanted++))
            break;
    }
    if (*wanted != 0 || at >= r->n || (!judge_note(&r->calls[at], "probe") && !judge_note(&r->calls[at], "probed")))
        judge_refuse(r->c, "The calls that the device saw are not those of a CHECK that evaluates its argument once, and goes on or to done.");
    else if (waits)
        judge_refuse(r->c, "CHECK waits for the device where the call in it works (cudaDeviceSynchronize, cudaStreamSynchronize): it does nothing else then.");
}

/* The error that the driver's own request has left before the first probe is still noted when the one that fails begins. */
static void judge_noted(const Record *r)
{
    size_t at = find_note(r, 0, "probe");
    for (int probes = 1; probes < 3; probes++)
        at = find_note(r, at + 1, "probe");
    if (at < r->n && !error_is_noted(r, at))
        judge_refuse(r->c, "Calls in CHECK worked, and an error that was noted before them is no longer noted: the macro has asked for it.");
}

/* The bytes of a request that is none of `count` floats. */
static void tell_request(JudgeCase *c, uint64_t bytes, uint64_t count)
{
    static char why[256];
    uint64_t wanted = count * sizeof(float);
    const char *mistake = (uint32_t)bytes == (uint32_t)wanted ? "these bytes are more than 32 bits hold (an int), and need a size_t" : "the count of floats is halved, and rounded down";
    snprintf(why, sizeof why, "The device was asked for %llu bytes where %llu floats (%llu bytes) are next: %s.", (unsigned long long)bytes,
             (unsigned long long)count, (unsigned long long)wanted, mistake);
    judge_refuse(c, why);
}

/* Each request is for half of what did not fit. */
static void judge_reserve(const Record *r)
{
    uint64_t count = (uint64_t)judge_param_int(r->c, "count");
    int64_t halvings = judge_param_int(r->c, "halvings"), halved = 0;
    int fits = 0, right = 1;
    size_t at = find_note(r, 0, "reserve"), end = find_note(r, at, "returned");
    for (; at < end; at++) {
        const JudgeCall *call = &r->calls[at];
        int fails = is_op(call, "MAY_FAIL");
        if (!fails && !is_op(call, "ALLOC"))
            continue;
        if (right && !fails && !fits && call->number != count * sizeof(float))
            tell_request(r->c, call->number, count);
        right = right && !fits && (fails || call->number == count * sizeof(float));
        fits = !fails && has_error(call, "OK");
        halved += !fits;
        count /= fits ? 1 : 2;
    }
    if (!right || fits == nothing_fits(r->c) || (halvings >= 0 && halved != halvings))
        judge_refuse(r->c, "What was asked of the device is not what halving the count until it fits asks for.");
    if (error_is_noted(r, end))
        judge_refuse(r->c, leaves_error);
    if (nothing_fits(r->c))
        return;
    for (right = 0; at < r->n; at++)
        right |= is_op(&r->calls[at], "FILL") && has_error(&r->calls[at], "OK") && r->calls[at].number == sizeof(float) &&
                 strtoull(r->calls[at].text, NULL, 10) == (count - 1) * sizeof(float);
    if (!right)
        judge_refuse(r->c, "The last float of the buffer is not where the count says.");
}

static void judge_usable(const Record *r)
{
    size_t broken = find_note(r, 0, "broken"), reserve = find_note(r, broken, "reserve"), requests = 0;
    if (find_note(r, broken, "uses-the-device") < r->n)
        judge_refuse(r->c, "The device is taken for usable, and it is not.");
    if (find_note(r, find_note(r, 0, "uses-the-device") + 1, "uses-the-device") >= broken || count_calls(r, "FILL", "OK", 1) < 2)
        judge_refuse(r->c, "The device could be used twice, and was not.");
    for (size_t i = reserve; i < find_note(r, reserve, "returned"); i++)
        requests += is_op(&r->calls[i], "ALLOC");
    if (requests > 1)
        judge_refuse(r->c, "reserve asked for less after an error that was no want of memory: such an error is returned at once.");
}

static void judge_retry(const Record *r)
{
    int64_t failures = judge_param_int(r->c, "failures"), attempts = judge_param_int(r->c, "attempts");
    int64_t failed = (int64_t)(count_calls(r, "ALLOC", "NO_MEMORY", (uint64_t)1 << 60) + count_notes(r, "fails-otherwise"));
    int works = failures < attempts;
    if (failed != (works ? failures : attempts) || (int64_t)count_notes(r, "job") != failed + works ||
        count_notes(r, "uses-the-device") != (size_t)works)
        judge_refuse(r->c, "The device saw another number of attempts than the job needs.");
    for (size_t i = find_note(r, 0, "job"); i < r->n; i = find_note(r, i + 1, "job"))
        if (error_is_noted(r, i))
            judge_refuse(r->c, "An attempt began while the error of the one before was still noted.");
    if (error_is_noted(r, find_note(r, 0, "returned")))
        judge_refuse(r->c, leaves_error);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Which of the two limits a launch has gone beyond. */
static void tell_blocks(JudgeCase *c, uint64_t blocks, uint64_t threads, uint64_t n, uint64_t limit)
{
    static char why[256];
    if (blocks > limit)
        snprintf(why, sizeof why, "The kernel was launched in %llu blocks: 4 for each of the %llu multiprocessors are %llu, and more are not allowed.",
                 (unsigned long long)blocks, (unsigned long long)limit / 4, (unsigned long long)limit);
    else
        snprintf(why, sizeof why, "The kernel was launched in %llu blocks of %llu threads for n = %llu, and so many elements need fewer: is the quotient rounded up, and no 1 added where nothing is left over?",
                 (unsigned long long)blocks, (unsigned long long)threads, (unsigned long long)n);
    judge_refuse(c, why);
}

static void tell_few_blocks(JudgeCase *c, uint64_t blocks, uint64_t n, uint64_t limit)
{
    static char why[256];
    snprintf(why, sizeof why, "The kernel was launched in %llu blocks for n = %llu: so many elements need more, and %llu are allowed, 4 for each of the %llu multiprocessors.",
             (unsigned long long)blocks, (unsigned long long)n, (unsigned long long)limit, (unsigned long long)limit / 4);
    judge_refuse(c, why);
}

/* What the blocks' size needs, and no fewer than the largest need, up to the limit of the device, whose multiprocessors the case names. With
 * `again` the first call is for one element. */
static void judge_blocks(const Record *r)
{
    uint64_t n = (uint64_t)judge_param_int(r->c, "n"), limit = 4 * (uint64_t)judge_param_int(r->c, "multiprocessors");
    uint64_t least = smaller((n + 1023) / 1024, limit), launched = 0;
    size_t second = judge_has_param(r->c, "again") ? find_note(r, find_note(r, 0, "gather") + 1, "gather") : 0;
    int right = 1;
    for (size_t i = 0; i < r->n; i++) {
        if (!is_op(&r->calls[i], "LAUNCH"))
            continue;
        uint64_t elements = i < second ? 1 : n;
        launched = r->calls[i].number;
        uint64_t threads = strtoull(r->calls[i].text, NULL, 10);
        if (right && threads > 0 && launched > smaller((elements + threads - 1) / threads, limit)) {
            tell_blocks(r->c, launched, threads, elements, limit);
            right = 0;
        }
    }
    if (launched > 0 && launched < least)
        tell_few_blocks(r->c, launched, n, limit);
}

static void judge_record(JudgeCase *c)
{
    Record r = {.c = c};
    r.calls = judge_calls(c, &r.n);
    if (!r.calls)
        return;
    if (judge_has_param(c, "multiprocessors")) /* in a few cases: a right result with a wrong grid keeps the others' points */
        judge_blocks(&r);
    if (part_is(c, "failing"))
        judge_failing(&r);
    if (part_is(c, "bad-index"))
        judge_lasting(&r);
    if (part_is(c, "retry-lasting") && count_notes(&r, "job") != 1)
        judge_refuse(c, "The job was called again on a device that is broken.");
    if (part_is(c, "check-good")) {
        judge_probe(&r, "twice", "3302");
        judge_probe(&r, "branch", "302");
        judge_probe(&r, "failing-branch", "F2");
        judge_noted(&r);
    }
    if (part_is(c, "check-bad"))
        judge_probe(&r, "failure", "F2");
    if (part_is(c, "reserve"))
        judge_reserve(&r);
    if (part_is(c, "usable"))
        judge_usable(&r);
    if (part_is(c, "retry"))
        judge_retry(&r);
}

void judge_reference(JudgeCase *c)
{
    judge_record(c);
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
        judge_expect_value(c, "device_is_usable_after_a_kernel_broke_down", 0);
        judge_expect_value(c, "error_left_behind", SUCCESS);
        judge_expect_value(c, "reserve_on_the_broken_device_returned", ILLEGAL_ADDRESS);
        judge_expect_value(c, "reserve_left_a_buffer", 0);
    }
    if (part_is(c, "retry"))
        expect_retry(c);
    if (part_is(c, "retry-lasting")) {
        judge_expect_value(c, "calls_of_the_job", 1);
        judge_expect_value(c, "with_retry_returned", MEMORY_ALLOCATION);
    }
    if (part_is(c, "no-device"))
        expect_no_device(c);
}

/* ---- Mistakes that show by the numbers ---- */

static const char *const parts_of_message[] = {"message_names_the_file=0", "message_names_the_line=0", "message_shows_the_call=0", "message_names_the_error=0"};
enum { PARTS_OF_MESSAGE = sizeof parts_of_message / sizeof *parts_of_message };

/* No part of the message came on standard error, as the driver has noted. */
static int says_nothing(JudgeCase *c)
{
    size_t n = 0, missing = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    for (size_t i = 0; calls && i < n; i++)
        for (size_t k = 0; k < PARTS_OF_MESSAGE; k++) {
            const char *value = judge_note(&calls[i], "value");
            missing += value && strcmp(value, parts_of_message[k]) == 0;
        }
    return missing == PARTS_OF_MESSAGE;
}

static void mistakes_of_check(JudgeCase *c)
{
    if (part_is(c, "check-bad") && says_nothing(c)) { /* the first that is found is told */
        static const char nothing[] = "No part of a message came on standard error. Does the macro print one, and where to? printf and puts print on standard output: fprintf(stderr, ...) is meant.";
        judge_mistake_value(c, "message_names_the_file", 0, nothing);
        judge_mistake_value(c, "message_names_the_line", 0, nothing);
        judge_mistake_value(c, "message_shows_the_call", 0, nothing);
        judge_mistake_value(c, "message_names_the_error", 0, nothing);
    }
    static const char hidden[] = "Is the error stored in the caller's err? A variable err in the macro's own braces hides it: give it another name.";
    static const char goes_past[] = "Does the macro go to done when the call failed, for each error, in the braces of its if?";
    judge_mistake_value(c, "err_after_a_failed_CHECK_between_if_and_else", SUCCESS, hidden);
    judge_mistake_value(c, "err_after_two_good_calls_in_CHECK", SUCCESS, "err held an error before the two calls, which worked: is what a call returns stored in err only where it is an error?");
    judge_mistake_value(c, "err_after_two_good_calls_in_CHECK", MEMORY_ALLOCATION, "An error that was noted before was taken for that of a call that worked. The macro looks at what the call itself gives, and at nothing else.");
    judge_mistake_value(c, "error_noted_before_good_calls_and_behind_them", SUCCESS, "An error was noted before two calls that worked, and is no longer: does the macro call cudaGetLastError where nothing has failed? It does nothing then but what its argument does.");
    judge_mistake_value(c, "err_after_a_failed_CHECK", SUCCESS, hidden);
    judge_mistake_value(c, "statements_run_after_a_failed_CHECK", 1, goes_past);
    judge_mistake_value(c, "jumps_to_done_after_a_failed_CHECK", 0, goes_past);
    judge_mistake_value(c, "evaluations_of_a_failing_call_in_CHECK", 2, "The text of CHECK holds `call` twice, and each of them calls. Keep what the first one returns in a variable.");
    judge_mistake_value(c, "evaluations_of_two_calls_in_CHECK", 4, "The text of CHECK holds `call` twice, and each of them calls. Keep what the first one returns in a variable.");
    judge_mistake_value(c, "evaluations_of_two_calls_in_CHECK", 0, "The text of CHECK does not hold `call`, so nothing is called.");
    judge_mistake_value(c, "evaluations_of_a_failing_call_in_CHECK", 0, "The text of CHECK does not hold `call`, so nothing is called.");
    judge_mistake_value(c, "else_branches_taken_though_the_condition_was_true", 1, "The else behind CHECK belongs to the if in it. What makes several statements one?");
    judge_mistake_value(c, "something_was_printed_about_a_good_call", 1, "What is asked before the message is printed?");
    judge_mistake_value(c, "message_names_the_file", 0, "Is `__FILE__` printed on standard error, by the macro itself? In a function it names the function's own file.");
    judge_mistake_value(c, "message_names_the_line", 0, "Is `__LINE__` printed on standard error, by the macro itself? In a function it names the function's own line.");
    judge_mistake_value(c, "message_shows_the_call", 0, "Is #call printed on standard error? It is the text of the macro's argument.");
    judge_mistake_value(c, "message_names_the_error", 0, "Is cudaGetErrorName or cudaGetErrorString of what the call returned printed on standard error?");
}

static void mistakes_of_gather(JudgeCase *c)
{
    judge_mistake_value(c, "calls_of_gather_that_returned_an_error", 0,
                        "A call failed, and gather returned 0. Is each call in a CHECK, is the launch's error asked for with cudaGetLastError() once and kept, and is err left as it is behind done?");
    judge_mistake_value(c, "calls_of_gather_that_returned_an_error", 2,
                        "A call of gather that failed in nothing returned an error: that of a call before, which CUDA still notes. Which call wipes it out, and does each path out of gather pass it?");
    judge_mistake_value(c, "gather_returned", SUCCESS, "Which call waits for the kernel, and is what it returns looked at and returned?");
    judge_mistake_value(c, "an_error_of_the_kernel_was_blamed_on_a_copy", 1,
                        "The copy waits for the kernel and returns its error, if nothing has waited before. What stands between the launch and the copy?");
    judge_mistake_value(c, "something_was_printed_about_it", 0,
                        "Nothing came on standard error. Is the call that waits for the kernel in a CHECK, and does CHECK print with fprintf(stderr, ...)? printf prints on standard output.");
}

static void mistakes_of_reserve(JudgeCase *c)
{
    int64_t count = judge_param_int(c, "count"), halvings = judge_param_int(c, "halvings");
    judge_mistake_value(c, "reserve_returned", MEMORY_ALLOCATION, "There is room for fewer floats: is what the last request returned kept, and is another one made for half as many?");
    judge_mistake_value(c, "reserve_returned", SUCCESS, "Nothing fits, not even one float: half of one is none, for which cudaMalloc always finds room.");
    if (halvings > 0)
        judge_mistake_value(c, "floats_reserved", (double)count, "Is *count the number of floats that the last request was for?");
    if (halvings == 1)
        judge_mistake_value(c, "floats_reserved", (double)((count + 1) / 2), "Half of an odd number is rounded down.");
    judge_mistake_value(c, "floats_reserved", 4.0 * (double)(halvings < 0 ? count : count >> halvings), "*count is in floats; cudaMalloc counts bytes.");
    judge_mistake_value(c, "buffer_is_as_long_as_count_says", 0, "For how many bytes is cudaMalloc asked? A float has 4, and *count floats are promised.");
    judge_mistake_value(c, "reserve_left_a_buffer", 1, "What is in *buffer when reserve returns an error? cudaMalloc leaves it as it was when it fails.");
}

static void mistakes_of_usable(JudgeCase *c)
{
    judge_mistake_value(c, "device_is_usable_at_first", 0, "Nothing has failed yet: what does device_is_usable return when the call that it makes works?");
    judge_mistake_value(c, "device_is_usable_after_an_allocation_failed", 0,
                        "An error that has passed is taken for one that lasts. Wipe it out first; then make a call that always works on a sound device (an allocation does not, where memory is full), and look at what that one returns.");
    judge_mistake_value(c, "device_is_usable_after_a_kernel_broke_down", 1,
                        "An error that lasts is returned by every call that uses the device: which such call is made, and is what it returns looked at?");
    judge_mistake_value(c, "reserve_left_a_buffer", 1, "What is in *buffer when reserve returns an error? cudaMalloc leaves it as it was when it fails.");
}

static void mistakes_of_retry(JudgeCase *c)
{
    int64_t failures = judge_param_int(c, "failures"), attempts = judge_param_int(c, "attempts");
    int64_t wanted = failures < attempts ? failures + 1 : attempts;
    int64_t otherwise = judge_has_param(c, "otherwise") ? judge_param_int(c, "otherwise") : 0;
    for (int64_t calls = 0; calls < wanted; calls++)
        judge_mistake_value(c, "calls_of_the_job", (double)calls,
                            calls == 0 ? "The job was never called."
                            : calls == otherwise
                                ? "The last attempt failed with cudaErrorInvalidDevice, which passes: the device was usable, and the job was not called again. It is device_is_usable that tells, not the code of the error."
                                : "The last attempt failed for want of memory, which passes: the device was usable and attempts were left, and the job was not called again. When does with_retry stop?");
    judge_mistake_value(c, "calls_of_the_job", (double)wanted + 1, failures < attempts ? "Does with_retry stop when the job returns 0?" : "How many attempts are there? They count from 0 to attempts - 1.");
    judge_mistake_value(c, "calls_of_the_job", (double)attempts, "Does with_retry stop when the job returns 0?");
    judge_mistake_value(c, "calls_of_the_job", 20, "The job was called until it was stopped from outside: are the attempts counted?");
    for (int64_t stale = 1; stale < wanted; stale++)
        judge_mistake_value(c, "calls_of_the_job_that_met_an_old_error", (double)stale, "Which call wipes out the error of an attempt before the next one begins?");
    if (otherwise == 1 && failures >= attempts)
        judge_mistake_value(c, "with_retry_returned", 101, "That is the error of the first call of the job (cudaErrorInvalidDevice); the last one had another. Is what the last call of the job returned what with_retry returns?");
    judge_mistake_value(c, "with_retry_returned", failures < attempts ? MEMORY_ALLOCATION : SUCCESS, "Is what the last call of the job returned what with_retry returns?");
}

static void mistakes_of_error_left(JudgeCase *c)
{
    static const int codes[] = {1, MEMORY_ALLOCATION, NO_DEVICE, 101, ILLEGAL_ADDRESS, 701};
    for (int code = 900; code <= 907; code++) /* cudaErrorStreamCapture... */
        judge_mistake_value(c, "error_left_behind_while_a_stream_captures", code,
                            "reserve met an error that was no want of memory: cudaMalloc is not allowed while a stream captures. Such an error is returned, and not left noted either: is every error of reserve wiped out by cudaGetLastError()?");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        judge_mistake_value(c, "error_left_behind", codes[i], "An error is noted until cudaGetLastError() is called, also when a later call works. Does each path pass such a call?");
}

void judge_mistakes(JudgeCase *c)
{
    if (part_is(c, "check-good") || part_is(c, "check-bad"))
        mistakes_of_check(c);
    if (part_is(c, "failing") || part_is(c, "bad-index"))
        mistakes_of_gather(c);
    if (part_is(c, "reserve"))
        mistakes_of_reserve(c);
    if (part_is(c, "usable"))
        mistakes_of_usable(c);
    if (part_is(c, "retry"))
        mistakes_of_retry(c);
    if (part_is(c, "retry-lasting"))
        judge_mistake_value(c, "calls_of_the_job", (double)judge_param_int(c, "attempts"),
                            "The device is broken for good after the first attempt, whatever code the job returned: who asks the device whether another one makes sense, and does the answer end the loop?");
    if (part_is(c, "retry-lasting"))
        judge_mistake_value(c, "with_retry_returned", SUCCESS, "Is what the last call of the job returned what with_retry returns?");
    if (part_is(c, "no-device")) {
        judge_mistake_value(c, "device_is_usable", 1, "Without a device the call that device_is_usable makes fails: is what it returns looked at?");
        judge_mistake_value(c, "calls_of_the_job", 3, "Without a device another attempt is in vain: does with_retry ask device_is_usable, and does that return 0?");
        judge_mistake_value(c, "reserve_left_a_buffer", 1, "What is in *buffer when reserve returns an error?");
        judge_mistake_value(c, "gather_returned", SUCCESS, "Is each call in gather looked at, also the one that asks for the number of multiprocessors?");
    }
    mistakes_of_error_left(c);
}
