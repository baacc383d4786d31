/* program_run: a case's program, run in the submission's sandbox.
 *
 *      in process     sandbox: vgpu PROGRAM CASEDIR              the report is collected with the outputs
 *      isolated       sandbox: PROGRAM CASEDIR   <-- socket -->  another sandbox: vgpu --serve, which has the
 *                                                                devices and writes the report, as another user
 *                                                                where there is one
 *      on a GPU       sandbox: PROGRAM CASEDIR
 *
 * Isolated, nothing that the program can reach holds what it is graded by but its own outputs.
 */
#ifndef GRADER_SUBMISSION_PROGRAM_RUN_H
#define GRADER_SUBMISSION_PROGRAM_RUN_H

#include "grader/submission/case_run.h"

#include <stdbool.h>

/* Outputs and report are in the case's folder then. *reported: there is a report worth reading. Not OK when a
 * sandbox failed. */
Status program_run(Arena *a, const CaseInput *in, uint64_t seed, SandboxAnswer *ran, bool *reported, Diag *d);

/* The same on a GPU, with `talk` at the other end of the program's descriptor 3 while it runs. The caller has
 * the GPU's turn. */
Status program_run_timed(Arena *a, const CaseInput *in, void (*talk)(void *context, int fd), void *context,
                         SandboxAnswer *ran, Diag *d);

/* What the program is started with, and its limits: a tool that runs it again needs the same. NULL without
 * memory. */
const char *const *program_environment(Arena *a, const CaseInput *in);
WireLimits program_limits(const CaseInput *in);

/* In a weak sandbox: shows the program the inputs, which are in the case's folder. */
Status program_show_inputs(Arena *a, const CaseInput *in, Diag *d);

/* Waits for a turn on the GPU, alone there or with others; to be given back with close(). -1 where none is
 * needed. */
int program_take_gpu(const GradeRun *run, bool alone);

#endif
