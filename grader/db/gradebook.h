/* gradebook: one SQLite file (OUT/gradebook.db) with every run, submission, result and case, and what the
 * instructor says about them.
 *
 * Results come from result.json files. Policy, extensions, adjustments and comments stand here alone, as
 * lines of a log that is only added to; what follows from it for points is worked out in grade.h. Only bound
 * parameters reach SQL. Each save is one transaction: a killed grader leaves the book as it was before or
 * after it. A result of the same student and lab in a later run stands beside the earlier one; the views
 * below show the latest.
 */
#ifndef GRADER_DB_GRADEBOOK_H
#define GRADER_DB_GRADEBOOK_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRADEBOOK_VERSION = 2 };

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

/* Attempts ------------------------------------------------------------------------------------------- */

/* What a student handed in for a lab, and its latest result. */
typedef struct GradebookAttempt {
    const char *student, *lab;
    int64_t result; /* for gradebook_result_by_id; grows with time */
    Verdict verdict;
    double score, max_score;
    bool has_time, late; /* late: the system that received it says so */
    int64_t received_at; /* seconds since 1970, UTC */
} GradebookAttempt;

/* All attempts, sorted by student, lab (bytes), then in the order in which their latest results came; owned
 * by the arena. */
Status gradebook_attempts(Gradebook *g, Arena *a, GradebookAttempt **attempts, size_t *n, Diag *d);
Status gradebook_result_by_id(Gradebook *g, int64_t result, Result **r, Diag *d);

/* Keeps when a submission was received, in place of what was known before. A submission that the book does
 * not know is passed over. */
Status gradebook_receive(Gradebook *g, const char *student, const char *lab, const char *sha256,
                         bool has_time, int64_t received_at, bool late, Diag *d);

/* The log --------------------------------------------------------------------------------------------- */

typedef enum ChangeKind {
#define CHANGE(NAME, ...) CHANGE_##NAME,
#include "grader/db/changes.def"
#undef CHANGE
    CHANGE_N
} ChangeKind;

typedef struct GradebookChange {
    int64_t id, at;  /* id is set by gradebook_change; at: seconds since 1970, UTC */
    const char *who; /* who made it */
    ChangeKind kind;
    const char *student, *lab; /* "" = all */
    double value;              /* points, a moment, or a change's id; 0 for others */
    const char *text, *why;
    bool withdrawn; /* by a later change */
} GradebookChange;

const char *change_word(ChangeKind kind);
/* What it means, with %s where the value stands. */
const char *change_meaning(ChangeKind kind);

/* Adds lines to the log: all of them or none. A withdrawal of what is not there, or is withdrawn already, is
 * STATUS_NOT_FOUND. */
Status gradebook_change(Gradebook *g, GradebookChange *changes, size_t n, Diag *d);
/* The whole log in its order, owned by the arena. */
Status gradebook_changes(Gradebook *g, Arena *a, GradebookChange **changes, size_t *n, Diag *d);
/* Whether the book has a result of this student in this lab; "" stands for any. */
Status gradebook_knows(Gradebook *g, const char *student, const char *lab, bool *known, Diag *d);

#endif
