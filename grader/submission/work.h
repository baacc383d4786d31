/* work: did kernels do a case's work? Holds the record of provenance in CASEDIR against its inputs and
 * outputs (judge/provenance.h).
 */
#ifndef GRADER_SUBMISSION_WORK_H
#define GRADER_SUBMISSION_WORK_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "grader/core/lab.h"
#include "grader/judge/judge.h"
#include "grader/judge/provenance.h"

/* Is the virtual GPU asked for a record in this case? */
bool work_is_judged(const LabCase *c);

/* Judges what the judge's answer names as outputs; arrays beside them are nothing. Fails when the kit is at
 * fault. */
Status work_judge(Arena *a, const LabCase *c, const char *case_dir, const JudgeAnswer *answer,
                  Language language, ProvenanceFound *found, Diag *d);

#endif
