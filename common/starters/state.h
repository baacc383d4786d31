/* state: how far a student is in a lab, by what its cases said last.
 *
 * The record is a text file in the lab's build folder, a line a case: CASE TODO VERDICT POINTS. `grade check --state` writes it, and
 * `make run` what it sees. The TODO is the one that the case was about. A case without a line has not been run: it counts as one
 * that falls short when no case is known to.
 */
#ifndef COMMON_STARTERS_STATE_H
#define COMMON_STARTERS_STATE_H

#include "common/base/strbuf.h"
#include "common/starters/labfile.h"

typedef struct CaseState {
    int todo;   /* that the case serves, or was about when it ran */
    bool right; /* when it ran last */
    bool known; /* it has run */
    double points;
} CaseState;

/* One for each public case of the lab, in the arena; a record that is not there or damaged says nothing. NULL without memory. */
CaseState *state_read(Arena *a, const LabFile *lab, const char *record);

/* The first TODO of which a case falls short; 0 when there is none. */
int state_todo(const LabFile *lab, const CaseState *states);

/* The first case of that TODO that falls short and runs a program; the first of any TODO when there is none, NULL when all are right. */
const LabFileCase *state_case(const LabFile *lab, const CaseState *states);

/* Notes in the record what a run of one case said. That a result is right is not enough for a case that asks for more. */
Status state_mark(const LabFile *lab, const char *record, const LabFileCase *c, bool right, Diag *diag);

/* How far the lab is. A TODO is done when one of its cases, or of a later TODO's, is right, and none of its own falls short. */
typedef struct LabProgress {
    bool begun; /* a case has run */
    int todos, todos_done;
    double points, points_max; /* of the public cases */
    int next;                  /* TODO; 0: all cases are right */
} LabProgress;

LabProgress state_progress(const LabFile *lab, const CaseState *states);

#endif
