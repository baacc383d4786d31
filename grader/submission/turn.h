/* turn: who of a run's workers uses a thing now: one alone, or several together. */
#ifndef GRADER_SUBMISSION_TURN_H
#define GRADER_SUBMISSION_TURN_H

#include <stdbool.h>

/* Waits for a turn at `thing`, alone or with others who want it so; to be given back with close(). Who waits to be alone holds
 * the queue, so that the others do not go past for ever. work is the run's folder. -1: there is no lock to be had, and nobody
 * is kept out. */
int turn_take(const char *work, const char *thing, bool alone);

/* Runs something with others; when `run` says that it ran short of the thing through them, once more alone, and that counts. */
void turn_run(const char *work, const char *thing, bool (*run)(void *self), void *self);

/* Whether what ended at its limit of time did so because others had the processors: it waited for them so long that its clock, which
 * stood still meanwhile, was stopped before it came to the limit. */
bool turn_was_short(bool ended_at_limit, double wall_s, double waited_s, double limit_s);

#endif
