/* items: the cases of a lab as items of a test: how hard each is, and whether those who do well elsewhere do
 * well in it; what went wrong most often, and where.
 *
 *     difficulty       the share of the case's points that those who handed in got on average: 1 is easy
 *     discrimination   the correlation (Pearson's r) of a case's points with the points of the lab's other
 * cases
 *                      ("item-rest"): near 1 the case tells strong from weak, near 0 it tells nothing, below
 * 0 those who do well elsewhere fail it, and it should be looked at
 *
 * All are of submissions that were taken and graded. With fewer than ITEMS_LEAST of them no correlation is
 * given.
 */
#ifndef GRADER_REPORT_ITEMS_H
#define GRADER_REPORT_ITEMS_H

#include "grader/report/report.h"

enum { ITEMS_LEAST = 5, ITEMS_SHOWN = 5 };

typedef struct Item {
    const char *name;
    bool hidden;
    double max_points;
    size_t n, n_passed;
    size_t verdicts[VERDICT_N];
    double difficulty;
    bool has_discrimination;
    double discrimination;
} Item;

/* A fault, and how many students have it. */
typedef struct ItemFault {
    const char *what; /* "race", "build-error" */
    const char *file; /* "" without a place */
    int64_t line;     /* of the file as most have it */
    size_t n;
    const char *text; /* the first's message, a line */
} ItemFault;

/* Attempts of a lab: how many handed in for the k-th time, their mean share of the points, and how many
 * passed. */
typedef struct ItemAttempt {
    size_t n, n_passed;
    double mean;
} ItemAttempt;

typedef struct ItemAnalysis {
    const char *lab;
    size_t n_submitted, n_students;
    Item *items;
    size_t n_items;
    ItemFault *faults; /* kinds with their lines, the commonest first */
    size_t n_faults;
    ItemAttempt *attempts;
    size_t n_attempts;
} ItemAnalysis;

/* The lab's analysis; owned by the arena. attempts are the gradebook's, all labs and students; NULL with n =
 * 0 leaves trends out. */
Status report_items(Arena *a, const ReportClass *c, const char *lab, const GradebookAttempt *attempts,
                    size_t n, ItemAnalysis *items, Diag *d);
/* As lines for a terminal; ends with what to talk about. */
void report_items_text(StrBuf *out, const ItemAnalysis *items);
/* As CSV, a line a case. */
void report_items_csv(StrBuf *out, const ItemAnalysis *items, bool head);
/* As a part of a page, with plots. */
void html_items(StrBuf *out, const ItemAnalysis *items);

/* What to talk about: sentences, the most important first; owned by the arena. False without memory. */
bool report_items_talk(Arena *a, const ItemAnalysis *items, const char ***sentences, size_t *n);

#endif
