/* roster: reading, writing and filling OUT/roster.csv, and who is who by another system's names.
 *
 * A roster is a CSV file with a header. The column `student` (else the first one) holds the ids that folders,
 * gradebook and exports use; the others are those of grader/core/roster.def, and any further column is
 * another name of the student.
 */
#ifndef GRADER_ARCHIVE_ROSTER_H
#define GRADER_ARCHIVE_ROSTER_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/roster.h"
#include "grader/core/sheet.h"

struct HandinList;

/* A roster without a student is refused. */
Status roster_load(Arena *a, const char *path, Roster *roster, Diag *d);
/* The roster of a folder of results, OUT/roster.csv; one without students where there is no such file. */
Status roster_load_out(Arena *a, const char *out_dir, Roster *roster, Diag *d);
/* Writes OUT/roster.csv whole or not at all, and makes OUT. */
Status roster_save_out(const Roster *roster, const char *out_dir, Diag *d);

/* The student whom one of the names means, the first name that anybody has deciding. STATUS_NOT_FOUND when
 * nobody has one of them, STATUS_INVALID when several have the first. */
Status roster_find(const Roster *roster, const char *const *names, size_t n, const char **student, Diag *d);
/* Whether the student of a row is in the team of that name. Names of students and teams are compared as an
 * LMS writes them into file names: without the characters that none may have there, an underscore as a blank.
 */
bool roster_in_group(const RosterRow *row, const char *group);

/* Adds a student; the rows are the arena's. *row is valid until the next one is added. */
Status roster_add(Arena *a, Roster *roster, const char *student, RosterRow **row, Diag *d);
/* Puts a text into a student's cell: STATUS_INVALID where the column cannot hold it. */
Status roster_set(RosterRow *row, RosterColumn column, const char *text, Diag *d);
/* The column of that word; ROSTER_N when there is none. */
RosterColumn roster_column_from_word(const char *word);

typedef enum RosterSystem {
    SYSTEM_CANVAS,
    SYSTEM_MOODLE,
    SYSTEM_GRADESCOPE,
    SYSTEM_CSV,
    SYSTEM_N
} RosterSystem;
const char *roster_system_word(RosterSystem system);

typedef struct RosterImport {
    RosterSystem system;
    RosterColumn id; /* what becomes a new student's id; ROSTER_N: the first of the system's that is there */
    size_t n_added, n_known; /* set */
} RosterImport;

/* Takes the students of a system's file: its gradebook or list of participants. Students that the roster has
 * get what the file says of them; nobody is taken out. *left gets who could not be taken, and why, and whom
 * the file does not have any more. */
Status roster_import(Arena *a, Roster *roster, const Sheet *sheet, RosterImport *import,
                     struct HandinList *left, Diag *d);

#endif
