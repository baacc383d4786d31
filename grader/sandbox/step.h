/* step: one command in a sandbox, as the grader asks the runner for it (grader/runner/wire.h).
 *
 * All that comes back is hostile text and bytes; the files are already on our side of the wall, in a folder
 * that no sandbox can write to.
 */
#ifndef GRADER_SANDBOX_STEP_H
#define GRADER_SANDBOX_STEP_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/runner/wire.h"
#include "grader/sandbox/sandbox.h"

typedef struct SandboxStep {
    const char *dir;                                       /* inside */
    const char *const *args, *const *env, *const *collect; /* NULL-terminated */
    const char *collect_from;                              /* the folder inside that holds all of collect */
    const char *save_to; /* the folder of the host that takes its place; folders below it must exist */
    SandboxFilter filter;
    WireLimits limits;
    bool passes;
    int pass; /* where passes: becomes the command's descriptor 3; stays the caller's to close */
    bool metered;
    int meter, slot; /* where metered: grader/runner/meter.h; stays the caller's to close */
} SandboxStep;

/* A file that was asked for; why is "" when it was saved. */
typedef struct SandboxFile {
    const char *name; /* below collect_from, e.g. "out/c.npy" */
    const char *why;
    int64_t bytes;
} SandboxFile;

typedef struct SandboxAnswer {
    WireEnd end;
    int status, signal;
    double wall_s, cpu_s, waited_s; /* waited: of wall_s, how long others had the processors */
    int64_t rss_kib;
    const char *out, *err; /* as printed; with a NUL after it */
    size_t out_bytes, err_bytes;
    bool out_cut, err_cut;
    SandboxFile *files;
    size_t n_files;
} SandboxAnswer;

/* Runs a step, in two halves, so that steps in two sandboxes run at one time. Each sandbox_ask that was fine is
 * followed by a sandbox_answer, or by the sandbox's end. Not OK when the runner did not answer as it should: then
 * the sandbox is of no more use. The answer's text belongs to the arena. */
Status sandbox_ask(SandboxProcess *p, const SandboxStep *step, Diag *d);
Status sandbox_answer(SandboxProcess *p, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d);

/* Empties folders inside (NULL-terminated) before another step; false when something is left in them or the
 * runner did not answer in time: then the sandbox is of no more use for a step that shall start afresh. */
bool sandbox_empty(SandboxProcess *p, const char *const *folders);

/* The file of that name; NULL when the runner did not mention it. */
const SandboxFile *sandbox_find_file(const SandboxAnswer *answer, const char *name);

#endif
