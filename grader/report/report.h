/* report: what people and other systems read of a class's results: the terminal's table, the listing of one
 * submission, HTML pages, and exports.
 *
 * Everything here is made from Results alone, in a fixed order and without a time of day: the same results
 * give the same bytes. Text of unknown origin passes through grader/text/escape.h, and nowhere else.
 */
#ifndef GRADER_REPORT_REPORT_H
#define GRADER_REPORT_REPORT_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "grader/core/result.h"
#include "grader/core/roster.h"
#include "grader/db/grade.h"
#include "grader/db/gradebook.h"
#include "grader/similar/similar.h"

#include <stdbool.h>
#include <stddef.h>

/* A class: its results, and the students and labs that occur in them; with a roster all of its students, and
 * nobody who has left the course. Without `named` students stand there under made-up names. */
typedef struct ReportClass {
    Arena arena;
    Result **results; /* sorted by student, then lab */
    Grade *grades;    /* of each result: the points that count */
    size_t n_results;
    const char **students, **labs; /* each once, sorted */
    const char **ids;              /* the students' own ids, in the order of students */
    size_t n_students, n_labs;
    const Roster *roster;       /* whose names may be shown; NULL: none */
    bool has_roster;            /* the students are those of a roster */
    GradebookAttempt *attempts; /* of the whole gradebook, under the students' ids */
    size_t n_attempts;
} ReportClass;

/* Which of a gradebook's results. */
typedef struct ReportChoice {
    const char *const *students, *const *labs; /* lists that end with NULL; NULL takes all */
    const Roster *roster;                      /* lives as long as the class; NULL: none */
    bool anonymous;                            /* made-up names for ids, drawn from the run's seed */
} ReportChoice;

/* The results of a gradebook that count, with their grades. report_class_free frees the Results too, and
 * takes NULL. */
Status report_class_load(Gradebook *g, const ReportChoice *choice, ReportClass **c, Diag *d);
/* A student's name; "" where the roster has none. */
const char *report_student_name(const ReportClass *c, const char *student);
/* The id behind a name that students of the class have, which differs where names are made up. */
const char *report_student_id(const ReportClass *c, const char *student);
/* Whether the student has handed in anything in any of the labs, be it what could not be taken. */
bool report_has_handed_in(const ReportClass *c, const char *student);
/* The same from Results in memory, with plain grades, which it takes over, also on failure. The array stays
 * the caller's. */
Status report_class_make(Result **results, size_t n, ReportClass **c, Diag *d);
void report_class_free(ReportClass *c);
/* The result of a student in a lab, NULL when there is none; and the grade of that result. */
const Result *report_class_find(const ReportClass *c, const char *student, const char *lab);
const Grade *report_class_grade(const ReportClass *c, const char *student, const char *lab);
/* What counts of it (grade.h); without a result nothing does. */
GradeThatCounts report_class_counting(const ReportClass *c, const char *student, const char *lab);

/* What there is to say about a grade beside the score, a sentence each, as text that is not yet escaped:
 * lateness, attempt, adjustments with their reasons, comments. For a student without the notes that are not
 * for students. Owned by the arena; false without memory. */
bool report_grade_notes(Arena *a, const Grade *g, bool student_view, const char ***notes, size_t *n);

/* A Result as its student may see it: of hidden cases only name, points, verdict and lesson are left, and no
 * seed. The build log and public cases stay whole. NULL without memory; result_free frees it. */
Result *report_student_view(const Result *r);

/* Terminal */

typedef struct ReportStyle {
    bool colour;
    int columns, rows; /* of the terminal: a wider table is printed in parts; 0 = no limit */
    Language language; /* of report_cases; English everywhere else */
} ReportStyle;

/* The style for a file descriptor: colour and width only when it is a terminal; no colour with NO_COLOR or
 * TERM=dumb. */
ReportStyle report_style_for(int fd);

/* Students x labs, a verdict word and the score in each cell, the totals, the mean, and what needs a person.
 */
void report_table(StrBuf *out, const ReportClass *c, ReportStyle style);

/* One submission, a line a case as `make grade` of good courses prints it, the reason indented under what
 * fell short. student_view shows of hidden cases what a student may see. */
void report_cases(StrBuf *out, const Result *r, bool student_view, ReportStyle style);

/* The same on one screen of style.columns x style.rows (80 x 24 where they are 0): the right cases in a line, the others in a
 * line each, and one of them explained. */
void report_screen(StrBuf *out, const Result *r, ReportStyle style);

/* The first TODO of which a case falls short, or where none does waits for a person; 0 when there is none. */
int64_t report_todo(const Result *r);

/* Text of unknown origin, made safe for a terminal. */
void report_plain(StrBuf *out, const char *text, size_t length);

/* One line for the progress of a class: "[ 3/24] s001 02-vector-add: race 40/100". */
void report_progress(StrBuf *out, size_t done, size_t total, const Result *r, ReportStyle style);

/* Pages
 * ---------------------------------------------------------------------------------------------------------
 */

struct ReportFinder; /* source.h */
/* Writes dir/index.html and a page for each result; what else is in dir stays. title is text, such as "CUDA
 * Lab Kit". Pages show what was handed in where the finder has it; NULL: none. */
Status report_html(const ReportClass *c, const char *title, const char *dir,
                   const struct ReportFinder *finder, Diag *d);
/* The page that a student may have of a submission. */
Status report_student_page(const ReportClass *c, const Result *r, const struct ReportFinder *finder,
                           StrBuf *out, Diag *d);
/* The path of a result's page below dir, owned by the arena. */
const char *report_page_path(Arena *a, const char *student, const char *lab);

/* Leaderboards */

/* A line of a lab's leaderboard. */
typedef struct ReportRank {
    const Result *result;
    const CaseResult *ranked; /* the case whose metric ranks */
    double value;             /* of that metric */
    const char *name;         /* made up, of two words */
    size_t place;             /* from 1; the same for equal values */
} ReportRank;

/* Whether a result is on its lab's leaderboard: some case of it ranks, its metric is known, and every case is
 * right, if only slow. */
bool report_rank(const Result *r, const CaseResult **ranked, double *value);
/* Whether some case of the lab ranks. */
bool report_lab_ranks(const ReportClass *c, const char *lab);
/* The lab's leaderboard, the best first; owned by the arena. */
Status report_leaderboard(Arena *a, const ReportClass *c, const char *lab, ReportRank **ranks, size_t *n,
                          Diag *d);
/* As lines for a terminal; with the students' own names beside the made-up ones if `names`. */
void report_leaderboard_text(StrBuf *out, const char *lab, const ReportRank *ranks, size_t n, bool names);
/* The page of all labs that rank. */
Status report_leaderboard_page(const ReportClass *c, const char *title, bool names, StrBuf *out, Diag *d);

/* Pairs of submissions that share passages ------------------------------------------------------------- */

typedef struct ReportSimilar {
    const char *lab;
    const SimilarWork *works;
    size_t n_works;
    const SimilarGroup *identical; /* works of the same text */
    size_t n_identical;
    const SimilarGroup *clusters; /* three works and more that pairs join */
    size_t n_clusters;
    const SimilarPair *pairs; /* of identical works the first stands for all */
    size_t n_pairs;
} ReportSimilar;

/* A line a pair. */
void report_similar(StrBuf *out, const ReportSimilar *labs, size_t n);
/* Writes dir/similar.html: the pairs with their passages side by side. The index links to it when it is made
 * the next time. */
Status report_similar_html(const ReportSimilar *labs, size_t n, const char *title, const char *dir, Diag *d);

/* Exports */

typedef struct ReportFormat {
    const char *name, *meaning;
    bool one_result; /* takes a class of exactly one result */
    Status (*write)(const ReportClass *c, StrBuf *out, Diag *d);
} ReportFormat;

/* The formats of `grade export`; the last one's name is NULL. */
const ReportFormat *report_formats(void);
/* The format of that name, NULL when there is none. */
const ReportFormat *report_format(const char *name);

#endif
