/* speed: how fast a submission is on a GPU (theory of operation).
 *
 *      solution  submission  solution  submission  ...      SPEED_PAIRS of each, one process at a time
 *        |            |
 *        +-- in a process: SPEED_ROUNDS rounds of some calls each, after one that does not count
 *
 *      here, who times it                       the program, in the submission's sandbox (common/lab/speed.c)
 *      draws a seed that nobody knows
 *      clock, "round work CALLS SEED"  ------>  inputs made on the device from the seed, other ones for each
 *                                               call; caches flushed; the function; its output folded
 *      clock, compares                 <------  what the outputs fold to, of each call
 *
 * The harness and the student's code share a process, and whatever that code does in there gains it nothing:
 *   - the clock is in this process, and runs from the question to the answer. A clock that lies, events, and
 *     symbols that shadow the harness's are not asked;
 *   - an answer is right only if all calls were made with the inputs of this round's seed, which did not
 *     exist before the clock started: no thread can have begun, and no result can be replayed;
 *   - what is left undone when the answer is sent is not in the answer;
 *   - the solution is timed while no process of the submission lives, so that nobody can slow it down.
 * The answers must be the solution's, call by call; beside them the program runs its case as ever, after the
 * rounds, and the judge looks at the outputs.
 *
 * In the solution's process are measured, too: rounds of calls without the function ("blank"), which are
 * taken off, and what the card does at best.
 *
 * Limits: a call must take a fair share of the time around it (SPEED_SIGNAL_MIN); functions need to have one
 * right answer to the last bit for inputs of small whole numbers.
 */
#ifndef GRADER_SUBMISSION_SPEED_H
#define GRADER_SUBMISSION_SPEED_H

#include "grader/submission/case_run.h"
#include "grader/submission/speed_rules.h"

/* The lab's solution, built once by a worker for each submission that needs it, or taken from where another
 * one left it. */
typedef struct SpeedReference {
    Places places;
    Box box;
    bool built;
} SpeedReference;

/* Whether a case's speed is measured in this run: on a GPU, where the lab's solution is there. */
bool speed_wants(const GradeRun *run, const Lab *lab, const LabCase *c);

/* Builds the lab's solution in the folders of the slot. */
Status speed_reference_make(Arena *a, const GradeRun *run, const Lab *lab, int slot, SpeedReference *r,
                            Diag *d);
void speed_reference_free(SpeedReference *r);

/* Measures. *ran is how the submission's last process ended, and its outputs are in the case's folder; one
 * that did not come to a good end is the last. Not OK when the kit or its solution failed. */
Status speed_measure(Arena *a, const CaseInput *in, uint64_t seed, SpeedMeasured *m, SandboxAnswer *ran,
                     Diag *d);

#endif
