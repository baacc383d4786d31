/* watched: in which cases the record of where outputs come from is judged.
 *
 * The devices' server keeps that record in every case, so that a program cannot tell one from another by what
 * calls do or how long they take. Writing it out, fetching it and judging it costs more than keeping it: that
 * is done in a sample of the cases: they are put in the order of their work (`min_ops`), and of each four one
 * is drawn from the run's secret and the submission's digest. So one of those with the most work is watched
 * always. Once a watched case is found short or suspect all cases of the submission are watched, and those
 * before are run again.
 */
#ifndef GRADER_SUBMISSION_WATCHED_H
#define GRADER_SUBMISSION_WATCHED_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/lab.h"

enum { WATCHED_ONE_IN = 4 };

/* watched[i] says of case i whether it may be watched; afterwards, whether it is. */
Status watched_draw(Arena *a, uint64_t secret, const char *digest, const Lab *lab, bool *watched, Diag *d);

#endif
