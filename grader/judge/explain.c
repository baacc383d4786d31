/* explain: see explain.h. */
#include "grader/judge/explain.h"

#include "common/base/hints.h"
#include "common/base/strbuf.h"
#include "grader/judge/ran.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
    EXIT_FUNCTION_FAILED = 1, /* of a lab's program (common/lab/main.c) */
    REPEATED_LINES = 5,       /* are looked at, from the end */
    REPEATED_MIN = 20         /* so often no program calls what fails each time, but in a loop without an end */
};

typedef void (*Explain)(StrBuf *out, const CaseFacts *facts, const CaseResult *r);

static void add_stderr(StrBuf *out, const CaseFacts *facts)
{
    const char *text = facts->stderr_text;
    if (!text || !text[0])
        return;
    size_t length = strlen(text);
    bool cut = length > EXPLAIN_STDERR_MAX;
    strbuf_puts(
        out, language_say(facts->language, cut ? "\nIts standard error ends:\n" : "\nIts standard error:\n"));
    strbuf_append(out, cut ? text + length - EXPLAIN_STDERR_MAX : text, cut ? EXPLAIN_STDERR_MAX : length);
}

static void explain_meaning(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    strbuf_puts(out, language_say(facts->language, verdict_meaning(r->verdict)));
}

static void explain_kit(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    explain_meaning(out, facts, r);
    if (facts->speed_message)
        strbuf_printf(out, "\n%s", facts->speed_message);
    else if (facts->answers && facts->answers_verdict == r->verdict)
        strbuf_printf(out, "\n%s", facts->answers);
    else if (facts->kit_message)
        strbuf_printf(out, "\n%s", facts->kit_message);
}

/* Where the result comes from is told before how fast it is. */
static void explain_work(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    if (!facts->work_message || !facts->work_message[0]) {
        explain_kit(out, facts, r);
        return;
    }
    explain_meaning(out, facts, r);
    strbuf_printf(out, "\n%s", facts->work_message);
}

static bool explain_failed_call(StrBuf *out, const CaseFacts *facts, const VgpuError *e);

static void add_failed_call(StrBuf *out, const CaseFacts *facts, const VgpuError *e)
{
    if (e->file[0])
        strbuf_printf(out, "%s:%lld: ", e->file, (long long)e->line);
    explain_failed_call(out, facts, e);
}

/* The call that failed over and over, up to the limit that ended the program; NULL where none did. */
static const VgpuError *repeated_call(const CaseFacts *facts)
{
    const VgpuReport *report = facts->report;
    if (!report || report->n_errors == 0)
        return NULL;
    const VgpuError *last = &report->errors[report->n_errors - 1];
    size_t times = 0;
    for (size_t i = 0; i < report->n_errors; i++) {
        const VgpuError *e = &report->errors[i];
        times += e->line == last->line && strcmp(e->file, last->file) == 0 && strcmp(e->call, last->call) == 0;
    }
    return last->file[0] && times >= REPEATED_MIN ? last : NULL;
}

/* The line before `end`, which is the beginning of a line; false where there is none, or it is empty. */
static bool line_before(const char *text, const char **end, size_t *length)
{
    if (*end == text)
        return false;
    const char *stop = *end - 1, *start = stop;
    while (start > text && start[-1] != '\n')
        start--;
    *end = start;
    *length = (size_t)(stop - start);
    return *length > 0;
}

/* A line near the end of standard error that stands there twice in a row; NULL where there is none. The very end may be cut. */
static const char *repeated_line(const CaseFacts *facts, size_t *length)
{
    const char *text = facts->stderr_text ? facts->stderr_text : "", *end = strrchr(text, '\n');
    size_t of_last = 0;
    if (!end++)
        return NULL;
    for (int i = 0; i < REPEATED_LINES; i++) {
        const char *last = end;
        bool is_line = line_before(text, &end, length);
        if (is_line && *length == of_last && memcmp(last, end, of_last) == 0)
            return end;
        of_last = is_line ? *length : 0;
    }
    return NULL;
}

static void explain_limit(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    explain_meaning(out, facts, r);
    if (facts->limit_hit)
        strbuf_printf(out, language_say(facts->language, " The limit: %s."), facts->limit_hit);
    const VgpuError *e = repeated_call(facts);
    size_t length = 0;
    const char *line = e || r->verdict != VERDICT_OUTPUT_LIMIT ? NULL : repeated_line(facts, &length);
    if (line) {
        strbuf_puts(out, language_say(facts->language, "\nAgain and again it printed:\n"));
        strbuf_append(out, line, length);
    }
    if (e) {
        strbuf_puts(out, "\n");
        add_failed_call(out, facts, e);
        strbuf_puts(out, language_say(facts->language, " It was called again and again, and failed each time."));
    }
}

/* The first finding that leads to the case's verdict. */
static const Finding *finding_behind(const CaseFacts *facts, Verdict verdict)
{
    const Finding *first = NULL;
    for (size_t i = 0; facts->report && i < facts->report->n_findings; i++) {
        const Finding *f = &facts->report->findings[i];
        if (f->advice || vgpu_finding_verdict(f) != verdict)
            continue;
        if (strcmp(f->kind, "stream-race") != 0)
            return first ? first : f;
        /* A copy of what an unordered kernel leaves is unordered, too. */
        if (strncmp(f->message, "a kernel ", strlen("a kernel ")) == 0)
            return f;
        first = first ? first : f;
    }
    return first;
}

static void add_place(StrBuf *out, const Finding *f)
{
    if (f->place.line > 0)
        strbuf_printf(out, "%s:%u: ", f->place.file, f->place.line);
    else if (f->place.file[0])
        strbuf_printf(out, "%s: ", f->place.file);
    else if (f->site.line > 0 && (strcmp(f->kind, "api-misuse") == 0 || strcmp(f->kind, "copy-direction") == 0 || strcmp(f->kind, "handle-leak") == 0)) /* the student's; copies may be the driver's */
        strbuf_printf(out, "%s:%u: ", f->site.file, f->site.line);
    if (f->kernel[0])
        strbuf_printf(out, "kernel %s: ", f->kernel);
}

/* The call that was made to fail; NULL where none was. */
static const VgpuError *failed_call(const CaseFacts *facts)
{
    const VgpuReport *report = facts->report;
    if (!report || !report->injected || report->n_errors == 0)
        return NULL;
    for (size_t i = 0; i < report->n_errors; i++)
        if (report->errors[i].met)
            return &report->errors[i];
    return &report->errors[0];
}

/* What a kernel does with memory that a failed call was to give or to fill, or too early since a failed call was to make it wait, comes of nobody having
 * looked at the call, or of going on after it: its error may be returned all the same. And what stays behind is what the way out from this call does not give back. */
static void add_call_behind(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    const VgpuError *e = failed_call(facts);
    bool of_memory = r->verdict == VERDICT_UNINITIALIZED || r->verdict == VERDICT_OUT_OF_BOUNDS;
    const Finding *f = finding_behind(facts, r->verdict);
    bool of_order = r->verdict == VERDICT_RACE && f && strcmp(f->kind, "stream-race") == 0;
    bool crashed = r->verdict == VERDICT_CRASH; /* then no error is returned, whoever was at fault */
    bool went_on = facts->errors && !crashed, left = r->verdict == VERDICT_LEAK;
    if (!e || (!left && !facts->errors && !of_memory && !of_order))
        return;
    add_failed_call(out, facts, e);
    if (left) {
        strbuf_puts(out, language_say(facts->language, " After that this stayed behind:\n"));
        return;
    }
    strbuf_puts(out, language_say(facts->language, went_on ? " The function went on all the same:\n" : " Did the function go on all the same?\n"));
}

/* Appends the text without the lines that say `hint`; true when there was one. */
static bool put_without_hint(StrBuf *out, const char *text, const CaseFacts *facts, const char *hint)
{
    StrBuf line = {0};
    bool found = false;
    strbuf_printf(&line, language_say(facts->language, "hint: %s\n"), language_say(facts->language, hint));
    for (const char *at; line.text && (at = strstr(text, line.text)); text = at + line.length) {
        strbuf_append(out, text, (size_t)(at - text));
        found = true;
    }
    strbuf_puts(out, text);
    strbuf_free(&line);
    return found;
}

/* What nobody has written was to come from a call that failed: that memory is not cleared is no news then. */
static bool is_unfilled(const CaseFacts *facts, Verdict verdict)
{
    return verdict == VERDICT_UNINITIALIZED && failed_call(facts);
}

static void explain_finding(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    const Finding *f = finding_behind(facts, r->verdict);
    if (!f) {
        explain_limit(out, facts, r);
        return;
    }
    add_call_behind(out, facts, r);
    if (f->text[0] && is_unfilled(facts, r->verdict)) {
        put_without_hint(out, f->text, facts, f->hint);
    } else if (f->text[0]) {
        strbuf_puts(out, f->text);
    } else {
        add_place(out, f);
        strbuf_puts(out, f->message[0] ? f->message : verdict_meaning(r->verdict));
    }
    size_t more = 0;
    for (size_t i = 0; i < facts->report->n_findings; i++)
        more += !facts->report->findings[i].advice;
    while (out->length > 0 && out->text[out->length - 1] == '\n')
        out->text[--out->length] = '\0';
    if (more > 1)
        strbuf_printf(
            out, language_say(facts->language, more == 2 ? "\n(%zu more finding)" : "\n(%zu more findings)"),
            more - 1);
    if (facts->answer && facts->answer->verdict == VERDICT_PASS)
        strbuf_puts(out, language_say(facts->language, "\nThe result is right all the same."));
}

/* "write_number returned 1, and no call of CUDA failed: ...": what a function gave back is no error that it met. False where it is
 * not so. The harness says what it returned in the first line of its standard error (common/lab/case.c). */
static bool explain_status(StrBuf *out, const CaseFacts *facts)
{
    char function[64];
    int status, used = 0;
    const char *text = facts->stderr_text ? facts->stderr_text : "";
    if (facts->exit_status != EXIT_FUNCTION_FAILED || !facts->report || facts->report->n_errors > 0 ||
        sscanf(text, "%63s returned %d%n", function, &status, &used) != 2 || text[used] != '\n')
        return false; /* a driver that says more of it says it better */
    strbuf_printf(
        out,
        language_say(
            facts->language,
            "%s returned %d, and no CUDA call failed: return 0 (cudaSuccess) where all went well, and the "
            "code of the error where a call failed."),
        function, status);
    return true;
}

static void explain_crash(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    if (finding_behind(facts, r->verdict)) {
        explain_finding(out, facts, r);
        return;
    }
    if (facts->start_error) {
        strbuf_printf(out, language_say(facts->language, "The system refuses to start the program: %s."),
                      strerror(facts->start_error));
        return;
    }
    if (facts->exit_signal <= 0 && explain_status(out, facts))
        return;
    const char *name = facts->exit_signal > 0 ? sigdescr_np(facts->exit_signal) : NULL;
    if (facts->exit_signal > 0)
        strbuf_printf(out, language_say(facts->language, "The program ended by signal %d (%s)."),
                      facts->exit_signal, name ? name : "unknown");
    else
        strbuf_printf(out, language_say(facts->language, "The program ended with exit status %d."),
                      facts->exit_status);
    add_stderr(out, facts);
}

/* The first error that the case is not meant to meet, or the first one. */
static const VgpuError *error_behind(const CaseFacts *facts)
{
    const char *expected = facts->lab_case ? facts->lab_case->expect_error : "";
    for (size_t i = 0; expected && i < facts->report->n_errors; i++)
        if (strcmp(facts->report->errors[i].error, expected) != 0)
            return &facts->report->errors[i];
    return &facts->report->errors[0];
}

/* "indexing.cu:66: the launch failed: 2,048 threads a block; 1,024 is the limit (cudaErrorInvalidValue)." <<<>>> is a call of a
 * function that no student has heard of. True when the reason is told. */
static bool explain_failed_call(StrBuf *out, const CaseFacts *facts, const VgpuError *e)
{
    bool launch = strncmp(e->call, "__cudaLaunchKernel", strlen("__cudaLaunchKernel")) == 0;
    const char *reason = strstr(e->call, ": "); /* behind the name (common/vgpu/cudart/launch.c) */
    if (launch && reason)
        strbuf_printf(out, language_say(facts->language, "the launch failed: %s (%s)."), reason + 2,
                      e->error);
    else if (launch)
        strbuf_printf(out, language_say(facts->language, "the launch failed: %s."), e->error);
    else if (reason)
        strbuf_printf(out, language_say(facts->language, "%.*s returned %s: %s."), (int)(reason - e->call), e->call, e->error, reason + 2);
    else
        strbuf_printf(out, language_say(facts->language, "%s returned %s."), e->call, e->error);
    return reason;
}

static void explain_cuda_error(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    const VgpuReport *report = facts->report;
    bool reasoned = false;
    if (!report || report->n_errors == 0) {
        explain_meaning(out, facts, r);
    } else {
        const VgpuError *e = error_behind(facts);
        if (e->file[0])
            strbuf_printf(out, "%s:%lld: ", e->file, (long long)e->line);
        reasoned = explain_failed_call(out, facts, e);
        if (e->sticky)
            strbuf_puts(
                out, language_say(facts->language, " The error is sticky: every later call returns it too."));
    }
    if (facts->lab_case && facts->lab_case->expect_status != 0 && facts->exit_signal <= 0 &&
        facts->exit_status == 0)
        strbuf_puts(out, language_say(
                             facts->language,
                             " The function returned 0 all the same, so that its caller never hears of it."));
    if (!reasoned) /* the program's own words say less */
        add_stderr(out, facts);
}

/* Which call it was that nobody heard of. */
static void explain_error_rule(StrBuf *out, const CaseFacts *facts)
{
    const VgpuReport *report = facts->report;
    const VgpuError *e = failed_call(facts);
    if (!e && report && !report->injected && report->n_errors > 0)
        e = &report->errors[0];
    if (e) {
        add_failed_call(out, facts, e);
        strbuf_puts(out, "\n");
    }
    strbuf_puts(out, facts->errors);
}

/* By what factor an output is too large, where all of it is; 1: none is. */
static double factor_of(const JudgeAnswer *answer)
{
    for (size_t i = 0; i < answer->n_outputs; i++) {
        const JudgeOutput *o = &answer->outputs[i];
        if (strcmp(o->pattern, "scaled") == 0 && o->n_first > 0 && o->first[0].wanted != 0)
            return o->first[0].got / o->first[0].wanted;
    }
    return 1;
}

/* Where the elements that are missing from an output's end begin, of a vector; false: none are, or it is more than a vector. */
static bool tail_of(const JudgeAnswer *answer, double *first, double *elements)
{
    static const char *const slugs[] = {"tail", "tail-whole", "first-block"};
    for (size_t i = 0; i < answer->n_outputs; i++) {
        const JudgeOutput *o = &answer->outputs[i];
        for (size_t k = 0; k < sizeof slugs / sizeof slugs[0]; k++)
            if (strcmp(o->pattern, slugs[k]) == 0 && o->n_first > 0 && o->first[0].rank <= 1) {
                *first = (double)o->first[0].index;
                *elements = (double)o->elements;
                return true;
            }
    }
    return false;
}

/* What the launches tell in place of a pattern's hint. Each appends a sentence; false: nothing. */
typedef bool ByLaunches(StrBuf *out, const CaseFacts *facts);

static bool put_text(StrBuf *out, const char *text)
{
    strbuf_puts(out, text ? text : "");
    return text != NULL;
}

static bool tell_never_written(StrBuf *out, const CaseFacts *facts)
{
    return put_text(out, ran_never_written(facts->report, facts->language));
}

static bool tell_zeros(StrBuf *out, const CaseFacts *facts)
{
    return put_text(out, ran_zeros(facts->report, facts->language));
}

static bool tell_tail(StrBuf *out, const CaseFacts *facts)
{
    double first, elements;
    return tail_of(facts->answer, &first, &elements) && ran_tail(out, facts->report, first, elements, facts->language);
}

/* Hints of patterns that give way: to what the launches tell, and those that only say that a result is wrong to the case's own question. */
static const struct {
    const char *hint;
    ByLaunches *tell;
    bool to_case;
} vague[] = {
    {HINT_BY_HAND_ALL, NULL, true},   {HINT_BY_HAND_SOME, NULL, true},     {HINT_TAIL_WRONG, NULL, true},
    {HINT_ALL_ZERO, tell_zeros, false}, {HINT_TAIL, tell_tail, false},       {HINT_TAIL_WHOLE, tell_tail, false},
    {HINT_FIRST_BLOCK, tell_tail, false}, {HINT_NEVER_WRITTEN, tell_never_written, true},
};

/* Takes out the hints that give way; what stands in their place is added to `instead`. */
static void leave_vague_hints(StrBuf *text, StrBuf *instead, const CaseFacts *facts)
{
    bool asks = facts->lab_case && facts->lab_case->hint && facts->lab_case->hint[0];
    bool is_device = facts->virtual_device && facts->report;
    for (size_t i = 0; i < sizeof vague / sizeof vague[0]; i++) {
        StrBuf told = {0}, rest = {0};
        bool tells = is_device && vague[i].tell && vague[i].tell(&told, facts);
        if ((tells || (asks && vague[i].to_case)) && put_without_hint(&rest, text->text ? text->text : "", facts, vague[i].hint)) {
            StrBuf before = *text;
            *text = rest;
            rest = before;
            if (tells)
                strbuf_printf(instead, language_say(facts->language, "hint: %s\n"), told.text ? told.text : "");
        }
        strbuf_free(&told);
        strbuf_free(&rest);
    }
}

/* The judge's words about a wrong result, and which kernels ran. */
static void explain_result(StrBuf *out, const CaseFacts *facts)
{
    bool is_device = facts->virtual_device && facts->report;
    StrBuf text = {0}, instead = {0}, often = {0};
    strbuf_puts(&text, facts->answer->message);
    leave_vague_hints(&text, &instead, facts);
    if (is_device && ran_factor(&often, facts->report, factor_of(facts->answer), facts->language))
        strbuf_printf(&instead, language_say(facts->language, "hint: %s\n"), often.text ? often.text : "");
    if (instead.text && hints_wanted())
        strbuf_puts(&text, instead.text);
    while (text.length > 0 && text.text[text.length - 1] == '\n')
        text.text[--text.length] = '\0';
    strbuf_puts(out, text.text ? text.text : "");
    strbuf_free(&text);
    strbuf_free(&instead);
    strbuf_free(&often);
    if (is_device)
        ran_tell(out, facts->report, facts->language);
}

static void explain_judged(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    if (facts->answer && facts->answer->verdict == r->verdict && facts->answer->message[0])
        explain_result(out, facts);
    else if (facts->answers && facts->answers_verdict == r->verdict)
        strbuf_puts(out, facts->answers);
    else if (facts->errors && r->verdict == VERDICT_WRONG_RESULT)
        explain_error_rule(out, facts);
    else if (facts->speed_message)
        strbuf_puts(out, facts->speed_message);
    else
        explain_meaning(out, facts, r);
}

/* The first tier has all points, the last one is the easiest to meet: its bound is said, unless all that is right meets it, as it does one of 1. */
static void explain_slow(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    const LabCase *c = facts->lab_case;
    bool has_bound = facts->metric_name && c && c->n_tiers > 0, below = !has_bound || !isnan(c->tiers[0].at_most);
    strbuf_puts(out, language_say(facts->language, below ? verdict_meaning(r->verdict) : "The result is right, and falls short of what all points ask for."));
    if (facts->speed_message)
        strbuf_printf(out, " %s", facts->speed_message);
    if (!has_bound)
        return;
    const LabTier *all = &c->tiers[0], *last = &c->tiers[c->n_tiers - 1];
    double part = below ? last->at_most : last->at_least;
    strbuf_printf(out,
                  language_say(facts->language, below ? " %s is %.6g; needed is at most %.6g"
                                                      : " %s is %.6g; needed is at least %.6g"),
                  facts->metric_name, facts->metric_value, below ? all->at_most : all->at_least);
    if (last != all && !isnan(part) && part != 1)
        strbuf_printf(out, language_say(facts->language, ", and for part of the points %.6g"), part);
    strbuf_puts(out, language_say(facts->language, "."));
    if (facts->virtual_device && facts->report)
        ran_tell(out, facts->report, facts->language);
}

static void explain_pass(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    (void)r;
    if (facts->metric_name)
        strbuf_printf(out, language_say(facts->language, "%s is %.6g."), facts->metric_name,
                      facts->metric_value);
    if (facts->speed_message)
        strbuf_puts(out, facts->speed_message);
    if (facts->answers)
        strbuf_puts(out, facts->answers);
}

/* A row a verdict; what has none is explained by its meaning. */
static const Explain explains[VERDICT_N] = {
    [VERDICT_KIT_ERROR] = explain_kit,
    [VERDICT_SUSPECT] = explain_work,
    [VERDICT_NO_GPU_WORK] = explain_work,
    [VERDICT_INCONCLUSIVE] = explain_kit,
    [VERDICT_TIMEOUT] = explain_finding,
    [VERDICT_MEMORY_LIMIT] = explain_limit,
    [VERDICT_OUTPUT_LIMIT] = explain_limit,
    [VERDICT_OUT_OF_BOUNDS] = explain_finding,
    [VERDICT_MISALIGNED] = explain_finding,
    [VERDICT_INVALID_FREE] = explain_finding,
    [VERDICT_RACE] = explain_finding,
    [VERDICT_UNINITIALIZED] = explain_finding,
    [VERDICT_BARRIER] = explain_finding,
    [VERDICT_MISUSE] = explain_finding,
    [VERDICT_LEAK] = explain_finding,
    [VERDICT_CRASH] = explain_crash,
    [VERDICT_CUDA_ERROR] = explain_cuda_error,
    [VERDICT_MISSING_OUTPUT] = explain_judged,
    [VERDICT_HOST_OVERRUN] = explain_judged,
    [VERDICT_INPUT_MODIFIED] = explain_judged,
    [VERDICT_WRONG_RESULT] = explain_judged,
    [VERDICT_SLOW] = explain_slow,
    [VERDICT_PASS] = explain_pass,
};

/* What to look at where a call was refused for a limit (launch.c and function.c in common/vgpu/cudart say which). */
static const char *hint_of_refused(const CaseFacts *facts)
{
    const VgpuError *e = facts->report && facts->report->n_errors ? error_behind(facts) : NULL;
    if (e && strstr(e->call, ": the carveout is "))
        return language_say(facts->language, "to let a block have more than 48 KiB of dynamic shared memory, the attribute is "
                                             "cudaFuncAttributeMaxDynamicSharedMemorySize, and its value counts bytes");
    if (!e || strncmp(e->call, "__cudaLaunchKernel", strlen("__cudaLaunchKernel")) != 0)
        return NULL;
    if (strstr(e->call, ": 0 blocks"))
        return language_say(facts->language,
                            "is the number of blocks rounded up, (n + threads - 1) / threads, and is nothing "
                            "launched where there is nothing to do?");
    if (strstr(e->call, " threads a block; "))
        return language_say(facts->language, "is the order right, first the blocks and then the threads of a "
                                             "block? In several directions it is their product that counts");
    if (strstr(e->call, " blocks in "))
        return language_say(
            facts->language,
            "take larger blocks, or let each block do several parts in a loop with the stride of the grid");
    if (strstr(e->call, " bytes of dynamic shared memory; "))
        return language_say(facts->language,
                            "is it counted in bytes, and is no more asked for than is used? What a block needs beyond 48 KiB has to be asked "
                            "for in bytes, before each launch that needs more than was asked for so far: "
                            "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes). Where it grows with the data, take these in "
                            "parts of a fixed size: no attribute gives a block more than 64 KiB to 227 KiB, by compute capability");
    return NULL;
}

static const Finding *advice_of(const CaseFacts *facts, const char *kind)
{
    for (size_t i = 0; facts->report && i < facts->report->n_findings; i++)
        if (strcmp(facts->report->findings[i].kind, kind) == 0)
            return &facts->report->findings[i];
    return NULL;
}

/* Advice about a call that may have made a result wrong. What is said of memory that is not pinned is about time alone. */
static const Finding *advice_of_misuse(const CaseFacts *facts)
{
    const Finding *f = advice_of(facts, "api-misuse");
    return f && !strstr(f->hint, "cudaMallocHost") ? f : NULL;
}

/* That the error of a launch was asked for twice, and gone the second time. */
static const Finding *advice_of_taken(const CaseFacts *facts)
{
    for (size_t i = 0; facts->report && i < facts->report->n_findings; i++)
        if (strncmp(facts->report->findings[i].message, "cudaGetLastError is asked a second time", strlen("cudaGetLastError is asked a second time")) == 0)
            return &facts->report->findings[i];
    return NULL;
}

/* Where those streams or events were made, most of them, of which the judge says that they are never destroyed. */
static const Finding *advice_of_handles(const CaseFacts *facts)
{
    const Finding *most = NULL;
    const char *message = facts->answer ? facts->answer->message : "";
    if (!strstr(message, "cudaEventDestroy") && !strstr(message, "cudaStreamDestroy"))
        return NULL;
    for (size_t i = 0; facts->report && i < facts->report->n_findings; i++) {
        const Finding *f = &facts->report->findings[i];
        if (strcmp(f->kind, "handle-leak") == 0 && (!most || f->count > most->count))
            most = f;
    }
    return most;
}

/* Advice about the copy that brought a wrong result, as nobody had written what it took, of a shuffle that got values from lanes which did not
 * take part, about another call that was meant otherwise, or about what was left behind; about calls that leave no room for others on the time
 * line; and about what is stored more than once. */
static const Finding *advice_behind(const CaseFacts *facts, Verdict verdict)
{
    if (verdict == VERDICT_WRONG_RESULT) {
        const Finding *found[] = {advice_of(facts, "api-uninitialized-copy"), advice_of(facts, "shuffle-unnamed"), advice_of_misuse(facts),
                                  advice_of_handles(facts)};
        for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
            if (found[i])
                return found[i];
        return NULL;
    }
    if (verdict == VERDICT_CUDA_ERROR) /* other advice about calls that fail stands on the screen by itself */
        return advice_of_taken(facts);
    const char *metric = verdict == VERDICT_SLOW && facts->metric_name ? facts->metric_name : "";
    return strcmp(metric, "overlap_ratio") == 0        ? advice_of(facts, "api-misuse")
           : strcmp(metric, "global_store_bytes") == 0 ? advice_of(facts, "same-value")
                                                       : NULL;
}

static void add_advice(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    const Finding *f = advice_behind(facts, r->verdict);
    const char *refusal = r->verdict == VERDICT_CUDA_ERROR ? hint_of_refused(facts) : NULL;
    if (f) {
        add_place(out, f);
        strbuf_printf(out, "%s: %s", f->message, f->hint);
    } else if (refusal) {
        strbuf_puts(out, refusal);
    }
}

/* Of a program that ended by SIGSEGV, of which nothing else is known, and whose stack could not be followed to a line: what it says of where it came from is overwritten. */
static bool lost_its_stack(const CaseFacts *facts, const CaseResult *r)
{
    return r->verdict == VERDICT_CRASH && facts->virtual_device && facts->report && facts->report->n_findings == 0 && facts->exit_signal == SIGSEGV;
}

static bool hit_a_limit(Verdict verdict)
{
    return verdict == VERDICT_OUTPUT_LIMIT || verdict == VERDICT_TIMEOUT;
}

/* The case's own question; "" where it has none. */
static const char *own_hint(const CaseFacts *facts, Verdict verdict)
{
    const LabCase *c = facts->lab_case;
    const char *own = !c ? NULL : verdict == VERDICT_SLOW && c->slow_hint && c->slow_hint[0] ? c->slow_hint : c->hint;
    return own ? own : "";
}

/* The finding's own hint knows the line; the case's knows the lesson. */
static void add_hint(StrBuf *out, const CaseFacts *facts, const CaseResult *r)
{
    if (r->verdict == VERDICT_PASS || r->verdict == VERDICT_KIT_ERROR)
        return;
    const Finding *f = finding_behind(facts, r->verdict);
    if (f && is_unfilled(facts, r->verdict))
        strbuf_puts(out, language_say(facts->language, "is the error of each call asked for before the next one, and does the function then only give back what it has, and return that error?"));
    else if (f && f->hint[0])
        strbuf_puts(out, f->hint);
    else if (!f && hit_a_limit(r->verdict) && repeated_call(facts))
        strbuf_puts(
            out,
            language_say(
                facts->language,
                "what leads back to a call that has failed? A check behind a label that jumps to this label, or a loop that tries until it works"));
    else if (!f && lost_its_stack(facts, r))
        strbuf_puts(out, language_say(facts->language, "no line is known, as where the stack is damaged: is a local array too short for what is written to it?"));
    else
        add_advice(out, facts, r);
    /* What the case asks of a result has been answered where that is right and something only stays behind. */
    bool is_answered = r->verdict == VERDICT_LEAK && f && f->hint[0] && facts->answer && facts->answer->verdict == VERDICT_PASS && facts->lab_case &&
                       facts->lab_case->check_output;
    const char *own = is_answered ? "" : own_hint(facts, r->verdict);
    if (own[0])
        strbuf_printf(out, "%s%s", out->length ? "\n" : "", own);
}

/* What the case teaches. Of a hidden one it is all that a student sees: its question goes with it, which is the same whatever the data are. */
static const char *lesson_of(Arena *a, const CaseFacts *facts, const CaseResult *r)
{
    const char *lesson = facts->lab_case && facts->lab_case->message ? facts->lab_case->message : "";
    const char *own = facts->lab_case && facts->lab_case->hidden ? own_hint(facts, r->verdict) : "";
    if (r->verdict == VERDICT_PASS || (!lesson[0] && !own[0]))
        return "";
    const char *text = arena_printf(a, "%s%s%s", lesson, lesson[0] && own[0] ? " " : "", own);
    return text ? text : "";
}

static const char *explain_keep(Arena *a, StrBuf *b)
{
    const char *text = strbuf_keep(b, a);
    return text ? text : "";
}

void explain_case(Arena *a, const CaseFacts *facts, CaseResult *r)
{
    StrBuf message = {0}, hint = {0};
    Explain explain = explains[r->verdict] ? explains[r->verdict] : explain_meaning;
    explain(&message, facts, r);
    add_hint(&hint, facts, r);
    r->message = explain_keep(a, &message);
    r->hint = explain_keep(a, &hint);
    r->lesson = lesson_of(a, facts, r);
}

static const char *copy_text(void *arena, const char *text, bool one_line)
{
    (void)one_line;
    const char *copy = arena_strndup(arena, text, strlen(text));
    return copy ? copy : "";
}

void explain_findings(Arena *a, const VgpuReport *report, CaseResult *r)
{
    r->n_findings = 0;
    r->findings = ARENA_NEW_ARRAY(a, Finding, report->n_findings + 1);
    for (size_t i = 0; r->findings && i < report->n_findings; i++) {
        Finding *f = &r->findings[r->n_findings++];
        *f = report->findings[i];
        finding_each_text(f, copy_text, a);
    }
}
