/* roster: who is in the course: OUT/roster.csv, a table that a person can read and mend.
 *
 * The columns are those of roster.def; what else a file has is kept. Reading and writing it, and finding a
 * student by another system's names, is grader/archive/roster.h's; here is what reports and grades ask.
 */
#ifndef GRADER_CORE_ROSTER_H
#define GRADER_CORE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum RosterColumn {
#define ROSTER(NAME, ...) ROSTER_##NAME,
#include "grader/core/roster.def"
#undef ROSTER
    ROSTER_N
} RosterColumn;

/* A student. The texts live as long as the arena that the roster was read into; none is NULL. */
typedef struct RosterRow {
    const char *cells[ROSTER_N];
    const char **extra; /* of the roster's further columns */
} RosterRow;

typedef struct Roster {
    RosterRow *rows;
    size_t n;
    const char **extra; /* the names of further columns */
    size_t n_extra;
} Roster;

const char *roster_column_word(RosterColumn column);
bool roster_column_is_name(RosterColumn column);

/* The student's row; NULL when there is none, or no roster. */
const RosterRow *roster_row(const Roster *roster, const char *student);
/* The student's name; "" when the roster does not say. */
const char *roster_name(const Roster *roster, const char *student);
bool roster_is_dropped(const RosterRow *row);
/* How much later the labs are due for the student: seconds, 0 without a roster. */
int64_t roster_extra_seconds(const Roster *roster, const char *student);

#endif
