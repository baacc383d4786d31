/* class_run: a class that is being graded: what `grade run` and `grade regrade` share.
 *
 * OUT/lock is held while a grader works in OUT. OUT/plan.json says what it is to do; results are marked with
 * the plan's keys, so that the same command, started again after whatever end, does what is missing. A
 * regrade works the same way in a folder OUT/regrade of its own, with OUT's seed.
 */
#ifndef GRADER_CLI_CLASS_RUN_H
#define GRADER_CLI_CLASS_RUN_H

#include "grader/cli/cli.h"
#include "grader/cli/progress.h"
#include "grader/db/gradebook.h"
#include "grader/class/class.h"

typedef struct ClassRun {
    Arena *arena;
    const Options *options;
    const char *dir; /* OUT, or OUT/regrade */
    GradeRun run;
    Roster roster; /* OUT/roster.csv */
    Lab **labs;
    size_t n_labs;
    Submission *submissions;
    size_t n_submissions;
    Plan plan;       /* its first n_submissions entries are this command's */
    Gradebook *book; /* NULL: results go to files only */
    GradebookRun book_run;
    CliProgress progress;
    size_t n_kit_errors;
    bool save_failed;
    int lock;
} ClassRun;

/* Finds kit, labs and submissions, takes the lock, chooses the seed (must_exist: an earlier run's), and makes
 * the plan without saving it. */
Status class_run_prepare(ClassRun *c, bool must_exist, Diag *d);
/* Opens OUT's gradebook and starts a run in it. */
Status class_run_open_book(ClassRun *c, Diag *d);
/* Saves the plan, and grades what is missing of it. */
Status class_run_grade(ClassRun *c, Diag *d);
/* Puts into the gradebook when each submission was received, as far as receipts.csv of the class's folder
 * says. */
Status class_run_keep_receipts(ClassRun *c, Diag *d);
void class_run_free(ClassRun *c);

/* cluster.c: where and how a cluster's tasks are run; OUT must be there. Afterwards their files are removed,
 * unless one of them has something to tell. */
Status class_run_place(ClassRun *c, const SlurmPlace **place, Diag *d);
Status class_run_leave_place(const ClassRun *c, const SlurmPlace *place, Diag *d);

/* class_list.c: adds a submission to lists with room for it, and loads its lab if need be. */
Status class_run_add(ClassRun *c, const char *student, const char *lab, Diag *d);
/* class_list.c: loads the labs and lists the submissions that the options choose. */
Status class_run_list(ClassRun *c, Diag *d);

/* Takes OUT's lock, waiting a little for one that was killed; the lock lasts as long as the process. */
Status class_run_lock(const char *out, int *lock, Diag *d);
/* Whether a grader is working in OUT. */
bool class_run_is_locked(const char *out);

#endif
