/* See error_rules.h. */
#include "grader/submission/error_rules.h"

#include "grader/submission/verdict_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NO_CALL INT64_C(1000000000000)

enum { CODE_OF_INVALID_DEVICE = 101 };

static const char option[] = "--fail-at=";

static bool is_option(const char *text)
{
    return strncmp(text, option, sizeof option - 1) == 0;
}

bool error_is_injected(const LabCase *c)
{
    for (size_t i = 0; i < c->n_vgpu; i++)
        if (is_option(c->vgpu[i]))
            return true;
    return false;
}

/* The case with another number of the call that fails. */
static const LabCase *case_at(Arena *a, const LabCase *c, int64_t at)
{
    LabCase *other = ARENA_NEW(a, LabCase);
    const char **options = ARENA_NEW_ARRAY(a, const char *, c->n_vgpu + 1);
    const char *last = arena_printf(a, "%s%lld", option, (long long)at);
    if (!other || !options || !last)
        return NULL;
    *other = *c;
    other->vgpu = options;
    for (size_t i = 0; i < c->n_vgpu; i++)
        options[i] = is_option(c->vgpu[i]) ? last : c->vgpu[i];
    return other;
}

const LabCase *error_case_first(Arena *a, const LabCase *c)
{
    return case_at(a, c, NO_CALL);
}

/* Which call is to fail. 0: each in turn. */
static int64_t call_wanted(const LabCase *c)
{
    int64_t wanted = 0;
    for (size_t i = 0; i < c->n_vgpu; i++)
        if (is_option(c->vgpu[i]))
            wanted = strtoll(c->vgpu[i] + sizeof option - 1, NULL, 10);
    return wanted;
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

int64_t error_runs(const LabCase *c, const VgpuReport *report)
{
    int64_t calls = report ? report->can_fail : 0;
    return call_wanted(c) == 0 ? least(calls, ERROR_RUNS_MAX) : least(calls, 1);
}

const LabCase *error_case_run(Arena *a, const LabCase *c, const VgpuReport *report, int64_t i)
{
    int64_t wanted = call_wanted(c);
    return case_at(a, c, wanted == 0 ? i : least(wanted, report->can_fail));
}

static bool injects(const Evidence *e)
{
    return e->virtual_device && e->report && error_is_injected(e->lab_case);
}

bool error_has_no_call(const Evidence *e)
{
    return injects(e) && !e->report->injected && e->report->can_fail == 0;
}

/* Whether the report has an error that the devices gave, of the name that the case expects. */
static bool has_met(const Evidence *e)
{
    const char *wanted = e->lab_case->expect_error;
    for (size_t i = 0; i < e->report->n_errors; i++) {
        const VgpuError *error = &e->report->errors[i];
        if (error->met && (strcmp(wanted, "any") == 0 || strcmp(wanted, error->error) == 0))
            return true;
    }
    return false;
}

static bool launch_failed(const VgpuReport *r)
{
    static const char launch[] = "__cudaLaunchKernel";
    for (size_t i = 0; i < r->n_errors; i++)
        if (r->errors[i].met && strncmp(r->errors[i].call, launch, strlen(launch)) == 0)
            return true;
    return false;
}

/* What failed harms nothing that comes after it: a launch, whose error is taken away by who asks for it, or a call of the driver, which notes none. What a
 * wait returns is noted, too, and no program asks for that once more. */
static bool fails_alone(const VgpuReport *r)
{
    for (size_t i = 0; i < r->n_errors; i++)
        if (r->errors[i].met && strncmp(r->errors[i].call, "cu", 2) == 0 && isupper((unsigned char)r->errors[i].call[2]))
            return true;
    return launch_failed(r);
}

/* Thrust and CUB, which ask how many devices there are, give the code of an invalid device for whatever error that call has. */
static bool is_told_by_library(const Evidence *e)
{
    for (size_t i = 0; i < e->report->n_errors; i++)
        if (e->report->errors[i].met && strcmp(e->report->errors[i].call, "cudaGetDeviceCount") == 0)
            return e->returned == CODE_OF_INVALID_DEVICE;
    return false;
}

static ErrorFault fault_of_injected(const Evidence *e)
{
    if (error_has_no_call(e))
        return ERROR_FAULT_NONE;
    if (e->failed_before)
        return ERROR_WITHOUT_CAUSE;
    if (!e->report->injected)
        return ERROR_NOT_INJECTED;
    bool tells = e->has_returned || e->lab_case->expect_status != 0;
    bool ended = e->lab_case->may_end && !e->has_returned && evidence_exit_signal(e) == 0 && evidence_exit_status(e) == e->lab_case->expect_status;
    bool same = ended || (e->has_returned && (e->returned == (double)e->report->injected_code || is_told_by_library(e)));
    if (tells && !same)
        return ERROR_NOT_RETURNED;
    return e->returned_again && fails_alone(e->report) ? ERROR_RETURNED_AGAIN : ERROR_FAULT_NONE;
}

ErrorFault error_fault(const Evidence *e)
{
    const LabCase *c = e->lab_case;
    if (!e->virtual_device || !e->report || !c->run)
        return ERROR_FAULT_NONE;
    if (error_is_injected(c))
        return fault_of_injected(e);
    return c->expect_error[0] && c->must_meet && !has_met(e) ? ERROR_NOT_MET : ERROR_FAULT_NONE;
}

/* 1 is the code of an error that another call has met, as one that goes on with a NULL does. */
static bool has_met_code_1(const VgpuReport *r)
{
    for (size_t i = 0; i < r->n_errors; i++)
        if (strcmp(r->errors[i].error, "cudaErrorInvalidValue") == 0)
            return true;
    return false;
}

/* What leads to the cure: an error was made a yes or no; or it was a launch that failed, which returns nothing itself. */
static const char *cure_hint(const Evidence *e, Language language)
{
    if (e->has_returned && e->returned == 1 && !has_met_code_1(e->report))
        return language_say(language, " 1 is what ||, !, a comparison and a bool give, whatever the error was: is the code itself kept, in an int or a cudaError_t, all the way to the return?");
    if (launch_failed(e->report))
        return language_say(language, " Of a launch that was refused cudaGetLastError() tells; cudaDeviceSynchronize() only tells of kernels that began.");
    return "";
}

static const char *not_returned_text(Arena *a, const Evidence *e, Language language)
{
    long long code = (long long)e->report->injected_code;
    const char *text;
    if (e->has_returned)
        text = arena_printf(a, language_say(language, "A CUDA call failed with error %lld, and %.10g was returned."), code, e->returned);
    else if (evidence_exit_status(e) != 0)
        text = arena_printf(a,
                            language_say(language, "A CUDA call failed with error %lld, and no error was returned. If CUDA_CHECK or exit() "
                                                   "ended the program inside the function: it has to free what it has, and to return the error."),
                            code);
    else
        text = arena_printf(a, language_say(language, "A CUDA call failed with error %lld, and no error was returned."), code);
    return arena_printf(a, "%s%s", text, cure_hint(e, language));
}

const char *error_fault_text(Arena *a, const Evidence *e, Language language)
{
    switch (error_fault(e)) {
    case ERROR_WITHOUT_CAUSE:
        return language_say(language, "No CUDA call was made to fail here, and the function returned an error all the same: mend that first. The case itself is "
                                      "about a call that fails.");
    case ERROR_NOT_INJECTED:
        return language_say(language, "No CUDA call was made to fail: the program made fewer calls that can fail than "
                                      "in the run before, on the same inputs.");
    case ERROR_NOT_RETURNED:
        return not_returned_text(a, e, language);
    case ERROR_RETURNED_AGAIN:
        return arena_printf(a, "%s%s",
                            arena_printf(a, language_say(language, "One CUDA call failed with error %lld, which was returned. Another call of a function, in which nothing failed, returned an error, too."),
                                         (long long)e->report->injected_code),
                            launch_failed(e->report)
                                ? language_say(language, " An error stays noted until cudaGetLastError() takes it away, and cudaPeekAtLastError() leaves it.")
                                : language_say(language, " What was left behind by the one that failed?"));
    case ERROR_NOT_MET:
        return language_say(language, "No CUDA call has failed, and the case is about one that does.");
    default:
        return NULL;
    }
}
