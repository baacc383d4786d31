/* answer_check: the answers that a case asks for, held against the truth.
 *
 * The truth stands in lab.yaml or hidden.yaml, or comes from the case's own run: a number of the virtual
 * GPU's report, the same beside the solution's, or what limited the kernel that took longest. In a run on a
 * GPU it is also what was counted there; an answer that is right by either of them is right.
 */
#ifndef GRADER_SUBMISSION_ANSWER_CHECK_H
#define GRADER_SUBMISSION_ANSWER_CHECK_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/answers.h"
#include "grader/core/lab.h"
#include "grader/core/verdict.h"
#include "grader/judge/vgpu_report.h"
#include "grader/submission/counters.h"

typedef struct AnswerCheck {
    Verdict verdict;     /* pass; missing-output when one is not there or no answer; wrong-result;
                            kit-error when the run has no such truth */
    double points;       /* of the answers that are right */
    const char *message; /* what the student reads */
} AnswerCheck;

/* What a truth is looked up in. */
typedef struct AnswerTruths {
    const VgpuReport *report; /* NULL where there is none */
    const CardCounters *card; /* NULL where nothing was measured */
} AnswerTruths;

/* Judges the case's answers; the file's form where it asks for none. Not OK only when there is no memory. */
Status answer_check(Arena *a, const LabCase *c, const AnswerFile *file, const AnswerTruths *truths,
                    AnswerCheck *check, Diag *d);

#endif
