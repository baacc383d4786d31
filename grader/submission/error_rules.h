/* error_rules: cases in which a CUDA call fails, and points only for who has met the error.
 *
 * --fail-at=k has the devices' server, which the program does not reach, fail the k-th call of those that can fail.
 * The lab's own calls are not counted (lab_own_calls).
 *
 * A case is run twice, on the same inputs. In the first run nothing fails, and the server counts the calls that could.
 *
 *     calls that can fail   what happens
 *     k or more             in the second run the k-th fails
 *     fewer                 in the second run the last of them fails
 *     none                  the first run is the case: it passes on a right output and status 0
 *
 * --fail-at=each stands for 1, 2, ... and all calls that can fail, ERROR_RUNS_MAX at most: a run for each, until one falls
 * short. `vgpu` itself does not know it.
 *
 * In the first two rows points need all of this: the first run ended with status 0 and returned no error; in the second
 * one the server made a call fail; and what the student's function returned (`returned` in out/values, of which the
 * program is the author) is that error. So who returns an error whatever happens has nothing.
 *
 * A case with `expect_error`, and no call that is made to fail, asks for an error that the program meets by itself:
 * it must stand in the report with `met`, which is the server's word.
 */
#ifndef GRADER_SUBMISSION_ERROR_RULES_H
#define GRADER_SUBMISSION_ERROR_RULES_H

#include "common/base/arena.h"
#include "grader/submission/verdict_rules.h"

/* Whether the case has a call made to fail. */
bool error_is_injected(const LabCase *c);

/* The case for the first run, in which no call fails. NULL: no memory. */
const LabCase *error_case_first(Arena *a, const LabCase *c);

enum { ERROR_RUNS_MAX = 64 };

/* How many runs come after the first, of which this is the report. */
int64_t error_runs(const LabCase *c, const VgpuReport *report);

/* The case for run i of them, which begin at 1. NULL: no memory. */
const LabCase *error_case_run(Arena *a, const LabCase *c, const VgpuReport *report, int64_t i);

/* Whether a call was to be made to fail, and there was none that could: then the run is to end with status 0. */
bool error_has_no_call(const Evidence *e);

/* What is wrong about the errors that the program was to meet. */
typedef enum ErrorFault { ERROR_FAULT_NONE, ERROR_WITHOUT_CAUSE, ERROR_NOT_INJECTED, ERROR_NOT_RETURNED, ERROR_RETURNED_AGAIN, ERROR_NOT_MET } ErrorFault;
ErrorFault error_fault(const Evidence *e);

/* It as a sentence for the student. */
const char *error_fault_text(Arena *a, const Evidence *e, Language language);

#endif
