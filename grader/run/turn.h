/* turn: who of a run's workers uses a thing now: one alone, or several together. */
#ifndef GRADER_RUN_TURN_H
#define GRADER_RUN_TURN_H

#include <stdbool.h>

/* Waits for a turn at `thing`, alone or with others who want it so; to be given back with close(). Who waits to be alone holds
 * the queue, so that the others do not go past for ever. work is the run's folder. -1: there is no lock to be had, and nobody
 * is kept out. */
int turn_take(const char *work, const char *thing, bool alone);

#endif
