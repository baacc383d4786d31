/* slurm: jobs spread over a cluster, as the tasks of SLURM job arrays.
 *
 * The caller's jobs (submissions) are cut into tasks of several each, one array for all of them:
 *
 *     DIR/array-1/tasks    "TASK <tab> JOB" a line, JOB as the caller words it
 *     DIR/array-1/script   what sbatch is given: PROGRAM ARGS... --tasks DIR/array-1/tasks --task N
 *     DIR/array-1/N.log    what task N printed
 *     DIR/problem          a node cannot do such work at all, in a sentence; written by a task
 *
 * DIR is on a file system that the nodes share. A job is done when the caller finds its result there; what
 * SLURM says of a task only tells whether it is still worth waiting for. A task that has gone (node failure,
 * scancel, time limit, preemption) leaves its jobs without results to the next array, whose tasks are half as
 * long, so that a job that takes its task with it soon stands alone. Nothing is requeued by SLURM itself: one
 * mechanism for all losses, and an end to it after SLURM_TRIES_MAX.
 *
 * A caller that was killed leaves its tasks on the cluster. The next one cancels them by the name of the jobs
 * before it begins.
 */
#ifndef GRADER_CLASS_SLURM_H
#define GRADER_CLASS_SLURM_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLURM_TRIES_MAX = 5, SLURM_TASKS_MAX = 1000 /* of an array: MaxArraySize is 1001 unless set */ };

#define SLURM_PROBLEM_FILE "problem"

typedef struct SlurmPlace {
    const char *dir;         /* absolute */
    const char *name;        /* of the jobs in SLURM's lists; no other jobs have it */
    const char *program;     /* absolute */
    const char *const *args; /* NULL-terminated */
    const char *options;     /* further options of sbatch, separated by blanks; may be NULL */
    size_t per_task;
    int processors; /* of a task */
    int64_t memory_mib;
} SlurmPlace;

typedef struct SlurmRun {
    const SlurmPlace *place;
    size_t n_jobs;
    const char *(*word)(void *context, size_t job,
                        Arena *a); /* a line of text without its end; NULL: no memory */
    bool (*find)(void *context,
                 size_t job); /* whether the result is there; then it is told, and not asked again */
    void (*give_up)(void *context, size_t job);
    void *context;
    const volatile sig_atomic_t *stop; /* may be NULL */
} SlurmRun;

/* Runs all jobs. STATUS_LIMIT when it was stopped; STATUS_INVALID when a node said that it cannot do such
 * work; STATUS_IO when SLURM does not answer. Whatever the end, none of its tasks is left on the cluster if
 * SLURM can still be told so. */
Status slurm_run(const SlurmRun *run, Diag *d);

#endif
