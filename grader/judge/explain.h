/* explain: a verdict and the facts behind it, as the student reads them.
 *
 * The sentence of each verdict stands in verdicts.def; here it meets what is known of the case: the worst
 * finding's text, the judge's words, the signal, the limit. What a case teaches comes from lab.yaml.
 */
#ifndef GRADER_JUDGE_EXPLAIN_H
#define GRADER_JUDGE_EXPLAIN_H

#include "common/base/arena.h"
#include "grader/core/lab.h"
#include "grader/core/result.h"
#include "grader/judge/judge.h"
#include "grader/judge/vgpu_report.h"

enum { EXPLAIN_STDERR_MAX = 2000 };

/* What is known of a case that ran. Pointers may be NULL where a fact is not known. */
typedef struct CaseFacts {
    Language language;
    const LabCase *lab_case;
    const JudgeAnswer *answer;
    const VgpuReport *report;
    bool virtual_device;          /* the report is the virtual GPU's, which tells where host code ends by a signal */
    int exit_status, exit_signal; /* of the student's program */
    const char *stderr_text;      /* its standard error, untrusted; shown by its end */
    int start_error;              /* errno of the kernel, which refused to start the program; 0: it started */
    const char *limit_hit;        /* "wall time 10 s"; NULL when none */
    const char *speed_message;    /* what was measured on a GPU; NULL where nothing was */
    const char *work_message;     /* where the result comes from; NULL where nobody recorded it */
    const char *kit_message;      /* why the kit failed, for kit-error */
    const char *answers;          /* what is to be said of the case's answers; NULL when it asks for none */
    Verdict answers_verdict;
    const char *errors;      /* what is wrong about the errors that it was to meet; NULL: nothing */
    const char *metric_name; /* performance cases: the metric and its value */
    double metric_value;
} CaseFacts;

/* Sets r's message, lesson and hint from the verdict in r->verdict and the facts; text is copied into the
 * arena. */
void explain_case(Arena *a, const CaseFacts *facts, CaseResult *r);

/* Copies the report's findings (advice too) into r->findings, all text owned by the arena. */
void explain_findings(Arena *a, const VgpuReport *report, CaseResult *r);

#endif
