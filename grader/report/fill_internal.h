/* What the files that fill gradebooks share. */
#ifndef GRADER_REPORT_FILL_INTERNAL_H
#define GRADER_REPORT_FILL_INTERNAL_H

#include "grader/report/fill.h"
#include "grader/report/report_internal.h"

enum { FILL_NUMBER = 32 };

/* A column of the sheet that holds an id of the roster's kind; STUDENT stands for the kit's own. */
typedef struct FillId {
    size_t column;
    RosterColumn id;
} FillId;

/* How rows and students find each other. */
typedef struct Matching {
    const ReportClass *c;
    const FillId *ids;
    size_t n_ids;
    size_t name;      /* the column of names */
    size_t *rows;     /* of each student, the row; 0: none yet */
    const char *what; /* "worksheet", "gradebook" */
} Matching;

/* Sets *student to the index of the row's student; n_students when it is nobody's of the class.
 * STATUS_INVALID when it fits several, or the student has a row already. */
Status fill_match(Matching *m, const SheetRow *row, size_t number, size_t *student, Diag *d);
/* Every student must have a row. */
Status fill_check_all(const Matching *m, Diag *d);

/* Points as the system counts them: of `possible` instead of `max_score`. Neither may be 0. */
Status fill_points(const char *student, double points, double max_score, double possible,
                   char text[FILL_NUMBER], Diag *d);
/* Reads "100", "100.00" or "100,00"; false for anything else. */
bool fill_read_points(const char *text, double *points);
void fill_note_scale(StrBuf *notes, const char *lab, double max_score, double possible);

#endif
