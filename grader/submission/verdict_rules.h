/* verdict_rules: from what is known of a case to its verdict and points, in one place.
 *
 * All verdicts that apply are worked out, and the first of the table (core/verdicts.def) is the case's, so
 * that a cause stands before its symptom. Nothing in here reads a file or knows a process: what is judged is
 * the evidence.
 */
#ifndef GRADER_SUBMISSION_VERDICT_RULES_H
#define GRADER_SUBMISSION_VERDICT_RULES_H

#include "grader/core/lab.h"
#include "grader/core/verdict.h"
#include "grader/judge/judge.h"
#include "grader/judge/provenance.h"
#include "grader/judge/vgpu_report.h"
#include "grader/submission/answer_check.h"
#include "grader/submission/speed_rules.h"
#include "grader/runner/wire.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Evidence {
    const LabCase *lab_case;
    bool virtual_device;         /* findings and counters are to be expected */
    bool isolated;               /* the report is of a process that the program could not reach */
    WireEnd end;                 /* why the runner ended the program */
    int status, signal;          /* of what the runner ran: the vgpu command, or the program itself */
    const VgpuReport *report;    /* NULL when there is none that can be read */
    const JudgeAnswer *answer;   /* NULL when the case was not judged */
    const ProvenanceFound *work; /* where a right result comes from; NULL when nobody recorded it */
    const AnswerCheck *answers;  /* NULL when the case asks for none, or they could not be checked */
    const SpeedJudgement
        *speed;      /* of a case whose speed was measured on a GPU, in the metric's place; NULL */
    bool failed_before; /* an error was returned in the run in which no call was made to fail */
    bool has_returned;  /* what the student's function returned, by the program's own word */
    double returned;
    bool returned_again; /* of several functions that do not depend on each other more than one returned an error, by the program's own word */
    bool has_metric; /* of a performance case */
    double metric;
} Evidence;

Verdict verdict_of(const Evidence *e);

/* Points of a case for a verdict that verdict_of gave. */
double points_of(const Evidence *e, Verdict v);

/* How the student's program ended: from the report where there is one. */
int evidence_exit_status(const Evidence *e);
int evidence_exit_signal(const Evidence *e);

#endif
