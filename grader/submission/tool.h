/* tool: one of NVIDIA's tools that look on at a case's program on a GPU: compute-sanitizer, Nsight Compute.
 *
 * The program is run again for it, in the same sandbox with three differences: the tool's folder is there too
 * (read-only), tracing and the loopback of the network without interfaces are allowed, and the limits have
 * room for the tool. It ends with the case.
 *
 * A tool stands in one sandbox with the program that it watches: a program that wants to can end it, or write
 * what it would.
 */
#ifndef GRADER_SUBMISSION_TOOL_H
#define GRADER_SUBMISSION_TOOL_H

#include "grader/submission/case_run.h"

/* Looks for bin/NAME in the toolkit and on the PATH, and fills program and folder. False when there is none. A script BIN/NAME may stand for a program at `beside` of its
 * folder; NULL for none. */
bool tool_find(Arena *a, const Kit *kit, const char *name, const char *beside, Tool *tool);

/* A box as the submission's for a tool, without a process. */
Box tool_box(const CaseInput *in, const Tool *tool);

/* How a tool's run ended, and what it left. */
typedef struct ToolRun {
    const char *bytes; /* its own file; where it made none, what was printed */
    size_t length;
    SandboxAnswer ran;
    WireLimits limits;
    const char *problem; /* of the sandbox, which did not run it; "" */
} ToolRun;

/* Runs the case's program under a tool with these options (NULL-terminated), whose file is `log` in the
 * case's folder and at most bytes_max long. Not OK only without memory. */
Status tool_run(Arena *a, const CaseInput *in, const Tool *tool, Box *box, const char *const *options,
                const char *log, size_t bytes_max, ToolRun *run, Diag *d);

/* Whether it came to an end by itself. */
bool tool_ended(const ToolRun *run);

/* Why it gave no result, to be put into a sentence; `why` is what its file says of that, or "". */
const char *tool_reason(Arena *a, const ToolRun *run, const char *why);

#endif
