/* class: a class's submissions graded by the local pool or on a cluster, each result saved as soon as it is
 * there.
 *
 * What is already there for its plan's key is kept. Submissions of one key are graded once and the result
 * shared, unless that is switched off. A result at the kit's own fault is saved, but never marked as done:
 * the next run tries again.
 *
 * On a cluster each task does the same for its part of the class, with the local pool of its node, and
 * without the gradebook: what is told, and what stands in the gradebook, is the submitting process's alone.
 */
#ifndef GRADER_CLASS_CLASS_H
#define GRADER_CLASS_CLASS_H

#include "grader/class/plan.h"
#include "grader/class/pool.h"
#include "grader/class/slurm.h"
#include "grader/submission/submission.h"

typedef enum GradedHow { GRADED_NOW, GRADED_BEFORE, GRADED_AS_ANOTHER } GradedHow;

typedef struct ClassGrading {
    const GradeRun *run;
    const Submission *submissions; /* in the order in which they are started */
    const Plan *plan;              /* its first n entries are theirs */
    size_t n;
    int jobs;
    int first_slot;          /* of the pool's slots, which choose the sandbox's users */
    const SlurmPlace *slurm; /* NULL: grade on this machine */
    bool share;              /* identical submissions are graded once */
    const char *results_dir; /* DIR/<student>/<lab>/result.json, timing.json and key */
    /* Told of each result in the caller's process: first those of before, then the others in the order of
     * their ends; may be NULL. r is gone afterwards. */
    void (*graded)(void *context, size_t i, const Result *r, GradedHow how);
    void *context;
    const volatile sig_atomic_t *stop;
} ClassGrading;

/* Grades all. A worker that dies leaves a result with the verdict kit-error, and the others go on. */
Status class_grade(const ClassGrading *c, Diag *d);

/* How many of a plan's results are there. */
size_t class_count_done(const Plan *plan, const char *results_dir);

#endif
