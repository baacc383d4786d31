/* What slurm.c and slurm_command.c share: the three commands of SLURM that are used. */
#ifndef GRADER_CLASS_SLURM_INTERNAL_H
#define GRADER_CLASS_SLURM_INTERNAL_H

#include "grader/class/slurm.h"

typedef struct SlurmTask {
    long array; /* SLURM's number of the array */
    long index;
} SlurmTask;

/* sbatch of `folder`/script as an array of n_tasks. */
Status slurm_submit(const SlurmPlace *place, const char *folder, size_t n_tasks, long *array, Diag *d);
/* squeue: the tasks that wait or run. */
Status slurm_list(Arena *a, const SlurmPlace *place, SlurmTask **tasks, size_t *n, Diag *d);
/* scancel of all jobs of the name. */
Status slurm_cancel(const SlurmPlace *place, Diag *d);

#endif
