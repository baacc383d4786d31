/* error_rules: cases in which a CUDA call fails, and points only for who has met the error.
 *
 * --fail-at=k has the devices' server, which the program does not reach, fail the k-th call of those that can fail.
 * The lab's own calls are not counted (lab_own_calls).
 *
 *     calls that can fail   what happens
 *     k or more             the k-th fails
 *     fewer                 the case is run again, and the last of them fails: how many there are is known only now
 *     none                  the case passes on a right output and status 0
 *
 * In the first two rows the server must have made a call fail, and what the student's function returned (`returned`
 * in out/values, of which the program is the author) must be that error. So who returns an error without a call has
 * nothing, and who makes the calls and returns what they gave has done what the case asks for.
 *
 * A case with `expect_error`, and no call that is made to fail, asks for an error that the program meets by itself:
 * it must stand in the report with `met`, which is the server's word.
 */
#ifndef GRADER_RUN_ERROR_RULES_H
#define GRADER_RUN_ERROR_RULES_H

#include "common/base/arena.h"
#include "grader/run/verdict_rules.h"

/* Whether the case has a call made to fail. */
bool error_is_injected(const LabCase *c);

/* The case with another call made to fail, where the program makes fewer than the case's own says, and at least one;
 * NULL: the run stands as it is, or there is no memory. */
const LabCase *error_case_again(Arena *a, const LabCase *c, const VgpuReport *report);

/* Whether a call was to be made to fail, and there was none that could: then the run is to end with status 0. */
bool error_has_no_call(const Evidence *e);

/* What is wrong about the errors that the program was to meet. */
typedef enum ErrorFault { ERROR_FAULT_NONE, ERROR_NOT_INJECTED, ERROR_NOT_RETURNED, ERROR_NOT_MET } ErrorFault;
ErrorFault error_fault(const Evidence *e);

/* It as a sentence for the student. */
const char *error_fault_text(Arena *a, const Evidence *e, Language language);

#endif
