/* gradebook: one SQLite file (OUT/gradebook.db) with every run, submission, result and case.
 *
 * It is filled from result.json files, and can be made again from them at any time. Only bound parameters
 * reach SQL. Each save is one transaction: a killed grader leaves the book as it was before or after it. A
 * result of the same student and lab in a later run stands beside the earlier one; the views below show the
 * latest.
 */
#ifndef GRADER_DB_GRADEBOOK_H
#define GRADER_DB_GRADEBOOK_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRADEBOOK_VERSION = 1 };

typedef struct Gradebook Gradebook;

/* Opens the book, making file and tables when missing. A book of another version is STATUS_UNSUPPORTED. */
Status gradebook_open(const char *path, Gradebook **g, Diag *d);
void gradebook_close(Gradebook *g); /* takes NULL */

/* A run of the grader: the results that follow belong to it. */
typedef struct GradebookRun {
    int64_t id; /* set by gradebook_start_run */
    const char *kit_version, *device_kind, *device_name;
    uint64_t seed;
    int64_t started_at; /* seconds since 1970, UTC */
} GradebookRun;
Status gradebook_start_run(Gradebook *g, GradebookRun *run, Diag *d);

/* Saves a result under a run (replacing one of the same student and lab in it). timing may be NULL. */
Status gradebook_save(Gradebook *g, int64_t run, const Result *r, const Timing *timing, Diag *d);

/* Whether the latest result of this student and lab in the book is this one, to the byte. */
Status gradebook_holds(Gradebook *g, const Result *r, bool *holds, Diag *d);

/* Fills the book from results_dir/<student>/<lab>/result.json under the run; unreadable ones are counted in
 * *n_bad, and the first is in d. */
Status gradebook_import(Gradebook *g, int64_t run, const char *results_dir, size_t *n_saved, size_t *n_bad,
                        Diag *d);

/* One line of the class: the latest result of a student in a lab, without its cases. */
typedef struct GradebookRow {
    const char *student, *lab;
    Verdict verdict;
    double score, max_score;
    const char *submission_sha256, *kit_version;
    uint64_t seed;
    bool weak_sandbox;
} GradebookRow;

/* The latest results, sorted by student, then lab (bytes); owned by the arena. */
Status gradebook_latest(Gradebook *g, Arena *a, GradebookRow **rows, size_t *n, Diag *d);

/* The latest result of a student in a lab, whole, as it was saved; STATUS_NOT_FOUND when there is none. */
Status gradebook_result(Gradebook *g, const char *student, const char *lab, Result **r, Diag *d);

#endif
