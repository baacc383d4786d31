/* box: the sandbox in which a submission is built and then run, case after case.
 *
 * A sandbox costs more than a small case, so that one serves a whole submission. A step that shall start
 * afresh finds nothing of those before it: their processes are dead (the runner sees to it after each), all
 * that can be written to is emptied, and shared memory that outlives processes is refused by the system-call
 * filter. Where that does not hold (no filter, a weak sandbox, something that will not go), such a step gets
 * a new sandbox.
 */
#ifndef GRADER_BUILD_BOX_H
#define GRADER_BUILD_BOX_H

#include "grader/build/places.h"
#include "grader/sandbox/step.h"

typedef struct Box {
    const Sandbox *sandbox;
    const Kit *kit;
    const Places *places;
    int64_t case_bytes_max; /* of files in /case */
    const char *const *devices;
    size_t n_devices;
    const char *tool_folder; /* of the host, there too at its own path; NULL for none */
    int slot;
    SandboxProcess process; /* pid 0: none yet */
} Box;

/* The most memory that a case of the lab may use, in bytes. */
int64_t box_case_bytes(const Lab *lab);

/* Runs a step, in a new sandbox where none is there yet. afresh: as if nothing had run before. Not OK when
 * the sandbox failed, which ends it. The answer's text belongs to the arena. */
Status box_run(Box *box, bool afresh, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d);
/* The same in two halves (step.h). */
Status box_ask(Box *box, bool afresh, const SandboxStep *step, Diag *d);
Status box_answer(Box *box, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d);
/* Ends the sandbox, if there is one. */
void box_stop(Box *box);

#endif
