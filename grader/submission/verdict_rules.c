/* The rules; see verdict_rules.h. Each rule is a function that says whether its verdict applies. */
#include "grader/submission/verdict_rules.h"

#include "grader/submission/error_rules.h"

#include <math.h>
#include <signal.h>
#include <string.h>

int evidence_exit_status(const Evidence *e)
{
    return e->report && e->virtual_device && !e->isolated ? (int)e->report->exit_status : e->status;
}

int evidence_exit_signal(const Evidence *e)
{
    return e->report && e->virtual_device && !e->isolated ? (int)e->report->exit_signal : e->signal;
}

/* What the runner's watch ended. */
static Verdict ended_by_limit(const Evidence *e)
{
    switch (e->end) {
    case WIRE_END_WALL:
    case WIRE_END_CPU:
        return VERDICT_TIMEOUT;
    case WIRE_END_MEMORY:
    case WIRE_END_PROCESSES:
        return VERDICT_MEMORY_LIMIT;
    case WIRE_END_OUTPUT:
        return VERDICT_OUTPUT_LIMIT;
    case WIRE_END_REFUSED:
        return VERDICT_CRASH;
    case WIRE_END_EXEC:
        return VERDICT_KIT_ERROR;
    default:
        break;
    }
    /* What the kernel ended at the limits behind the watcher. */
    int signal = evidence_exit_signal(e);
    return signal == SIGXFSZ ? VERDICT_OUTPUT_LIMIT : signal == SIGXCPU ? VERDICT_TIMEOUT : VERDICT_PASS;
}

static Verdict worst_finding(const Evidence *e)
{
    const Finding *worst = e->report ? vgpu_report_worst(e->report) : NULL;
    return worst ? vgpu_finding_verdict(worst) : VERDICT_PASS;
}

/* The vgpu command ends as its report says: with the program's status, 128 + its signal, or 1 when there are
 * findings. A report that says otherwise was written by somebody else. */
static bool report_agrees(const Evidence *e)
{
    const VgpuReport *r = e->report;
    int status = r->exit_signal ? 128 + (int)r->exit_signal : (int)r->exit_status;
    if (status == 0 && vgpu_report_worst(r))
        status = 1;
    return e->signal == 0 && e->status == status;
}

/* Status 1 goes with a CUDA error that CUDA_CHECK met, or that the function returned: then that is the
 * verdict. */
static bool crashed(const Evidence *e)
{
    if (e->end != WIRE_END_NONE)
        return false;
    if (e->virtual_device && (!e->report || (!e->isolated && !report_agrees(e))))
        return true; /* it ended what watched it, or spoilt its report */
    if (evidence_exit_signal(e) != 0)
        return true;
    int status = evidence_exit_status(e);
    bool after_error = status == 1 && (!e->virtual_device || (e->report && e->report->n_errors > 0));
    if (error_has_no_call(e))
        return status != 0;
    return status != e->lab_case->expect_status && !(after_error && e->lab_case->expect_status == 0);
}

/* A call was made to fail, or fails as the case has it, and the program ended as if all were well. */
static bool hid_an_error(const Evidence *e)
{
    return e->end == WIRE_END_NONE && e->lab_case->expect_status != 0 && evidence_exit_signal(e) == 0 &&
           evidence_exit_status(e) == 0 && !error_has_no_call(e);
}

/* cudaErrorNotReady is an answer, not an error. */
static bool met_cuda_error(const Evidence *e)
{
    const char *expected = e->lab_case->expect_error;
    if (!e->virtual_device) { /* there the harness's status is known, and what a tool reported of the calls */
        bool by_status = e->status == 1 && e->lab_case->expect_status != 1;
        bool by_tool = e->report && e->report->n_errors > 0;
        return e->end == WIRE_END_NONE && !expected[0] && (by_status || by_tool);
    }
    /* An error that may be met, and handled, is not to be returned where all should go well. */
    if (e->end == WIRE_END_NONE && e->lab_case->expect_status == 0 && e->has_returned && e->returned != 0 && !error_is_injected(e->lab_case) &&
        e->report && e->report->n_errors > 0)
        return true;
    for (size_t i = 0; e->report && i < e->report->n_errors; i++) {
        const char *error = e->report->errors[i].error;
        bool is_expected = strcmp(expected, "any") == 0 || strcmp(expected, error) == 0;
        if (!is_expected && strcmp(error, "cudaErrorNotReady") != 0)
            return true;
    }
    return false;
}

/* Where the result comes from, if there is a record; else whether kernels worked out as much as any right
 * program's do. */
static Verdict verdict_of_work(const Evidence *e)
{
    double ops = 0;
    if (!e->lab_case->gpu_work || !e->virtual_device || !e->report)
        return VERDICT_PASS;
    if (e->work)
        return e->work->verdict;
    vgpu_report_number(e->report, "kernel_ops", &ops);
    return ops < (double)e->lab_case->min_ops ? VERDICT_NO_GPU_WORK : VERDICT_PASS;
}

/* The first tier that the metric meets; NULL when none. */
static const LabTier *tier_met(const Evidence *e)
{
    const LabCase *c = e->lab_case;
    for (size_t i = 0; e->has_metric && i < c->n_tiers; i++) {
        const LabTier *t = &c->tiers[i];
        if (isnan(t->at_least) ? e->metric <= t->at_most : e->metric >= t->at_least)
            return t;
    }
    return NULL;
}

/* Whether a tier is met that is not the best one: part of the points. */
static bool falls_short(const Evidence *e)
{
    if (e->speed)
        return e->speed->verdict == VERDICT_SLOW && e->speed->points > 0;
    const LabTier *tier = tier_met(e);
    return tier && tier != &e->lab_case->tiers[0];
}

/* What is right so far is slow with part of the points; what a person should see stays so. */
static Verdict short_of_all(Verdict v)
{
    return v == VERDICT_PASS ? VERDICT_SLOW : v;
}

/* The verdict of the run alone, but for findings that still leave a right result. */
static Verdict verdict_of_run(const Evidence *e)
{
    Verdict v = ended_by_limit(e);
    if (!e->lab_case->run)
        return VERDICT_PASS;
    if (crashed(e) && !hid_an_error(e))
        v = verdict_worse(v, VERDICT_CRASH);
    if (met_cuda_error(e) || hid_an_error(e))
        v = verdict_worse(v, VERDICT_CUDA_ERROR);
    if ((e->lab_case->check_output || error_has_no_call(e)) && e->answer)
        v = verdict_worse(v, e->answer->verdict);
    if (error_fault(e) != ERROR_FAULT_NONE)
        v = verdict_worse(v, VERDICT_WRONG_RESULT);
    v = verdict_worse(v, verdict_of_work(e));
    if (e->speed)
        return falls_short(e) ? short_of_all(v) : verdict_worse(v, e->speed->verdict);
    /* A metric that a program without fault does not have is one that the lab names wrongly. */
    bool misnamed = v == VERDICT_PASS && !e->has_metric;
    if (e->lab_case->n_tiers && !tier_met(e))
        v = verdict_worse(v, misnamed ? VERDICT_KIT_ERROR : VERDICT_SLOW);
    return falls_short(e) ? short_of_all(v) : v;
}

Verdict verdict_of(const Evidence *e)
{
    Verdict v = verdict_worse(worst_finding(e), verdict_of_run(e));
    return e->answers ? verdict_worse(v, e->answers->verdict) : v;
}

double points_of(const Evidence *e, Verdict v)
{
    const LabCase *c = e->lab_case;
    const LabTier *tier = tier_met(e);
    double full = e->speed                     ? e->speed->points
                  : c->n_tiers && tier         ? tier->points
                  : c->n_answers && e->answers ? e->answers->points
                                               : c->points;
    bool by_work = v == VERDICT_SUSPECT && e->work && e->work->verdict == VERDICT_SUSPECT;
    if (verdict_credit(v) == CREDIT_FULL)
        return v == VERDICT_PASS || by_work ? full : c->points;
    if (verdict_credit(v) == CREDIT_OPEN)
        return 0;
    Verdict run = verdict_of_run(e);
    bool in_part = run == VERDICT_SLOW && falls_short(e);
    if (run != VERDICT_PASS && run != VERDICT_SUSPECT && !in_part)
        return 0;
    if (v == VERDICT_SLOW)
        return full;
    if (worst_finding(e) != VERDICT_PASS)
        return verdict_credit(v) == CREDIT_FINDING ? full * c->finding_credit : 0;
    return c->n_answers && e->answers ? full : 0; /* the answers that are right among others */
}
