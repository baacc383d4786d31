/* case_numbers: the numbers that decide points: those of the virtual GPU's report and of the judge, and nothing else.
 *
 *     number of the report                  ->  as it is
 *     right.NAME                            ->  the share of the output NAME that the judge finds right
 *     name of the case's baseline           ->  that of the solution over the submission's, or the difference
 *     metric that is a ratio (ratios.def)   ->  worse by as much as what it is divided by is more than
 *                                               slack times the least that a right program can have
 *
 * A ratio says how well each access went, and not how many there were: loads of no use that go well better it. So
 * what stands below the line counts up to a bound. With slack 2 a kernel of 18 sectors a request, that adds as many
 * ideal requests as it likes, stays above half of what it was.
 */
#ifndef GRADER_SUBMISSION_CASE_NUMBERS_H
#define GRADER_SUBMISSION_CASE_NUMBERS_H

#include "grader/core/lab.h"
#include "grader/judge/judge.h"
#include "grader/judge/vgpu_report.h"

#include <stdbool.h>

/* The number of that name, of the report or the case's baseline; false when there is none. */
bool case_number(const LabCase *c, const VgpuReport *report, const char *name, double *value);

/* The case's metric, as its tiers judge it; false when there is none. report and answer may be NULL. */
bool case_metric(const LabCase *c, const VgpuReport *report, const JudgeAnswer *answer, double *value);

#endif
