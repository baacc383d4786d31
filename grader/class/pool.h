/* pool: jobs in processes of their own, so many at a time.
 *
 * Each job is a fork of the caller: whatever it does to itself, the others and the caller go on. Jobs are
 * started in order and may end in any. Each has a slot, 0 to n_slots - 1, that no other running job has. When
 * the caller dies, so do they.
 */
#ifndef GRADER_CLASS_POOL_H
#define GRADER_CLASS_POOL_H

#include "common/base/status.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool {
    size_t n_jobs;
    int n_slots;
    bool one_processor; /* a job and all that it starts keep to a processor each, while there are enough */
    /* In the job's process: does the work; its value is the exit status. */
    int (*work)(void *context, size_t job, int slot);
    /* In the caller, after a job's end; status is as waitpid gives it. */
    void (*done)(void *context, size_t job, int status);
    void *context;
    const volatile sig_atomic_t *stop; /* when it becomes nonzero all jobs are ended; may be NULL */
} Pool;

/* Runs all jobs. STATUS_LIMIT when it was stopped, STATUS_IO when no process could be made. */
Status pool_run(const Pool *pool, Diag *d);

#endif
