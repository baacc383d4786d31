/* class: a class's submissions graded by the local pool, each result saved as soon as it is there. */
#ifndef GRADER_EXEC_CLASS_H
#define GRADER_EXEC_CLASS_H

#include "grader/exec/pool.h"
#include "grader/run/submission.h"

typedef struct ClassGrading {
    const GradeRun *run;
    const Submission *submissions; /* in the order in which they are started */
    size_t n;
    int jobs;
    const char *results_dir; /* DIR/<student>/<lab>/result.json and timing.json */
    /* Told of each result in the caller's process, in the order of their ends; may be NULL. r and timing are
     * gone afterwards. */
    void (*graded)(void *context, size_t i, const Result *r);
    void *context;
    const volatile sig_atomic_t *stop;
} ClassGrading;

/* Grades all. A worker that dies leaves a result with the verdict kit-error, and the others go on. */
Status class_grade(const ClassGrading *c, Diag *d);

#endif
