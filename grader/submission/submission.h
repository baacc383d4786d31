/* submission: one submission, from its folder to its Result. */
#ifndef GRADER_SUBMISSION_SUBMISSION_H
#define GRADER_SUBMISSION_SUBMISSION_H

#include "common/base/status.h"
#include "grader/core/kit.h"
#include "grader/core/lab.h"
#include "grader/core/result.h"
#include "grader/sandbox/sandbox.h"

/* Which cases are run under the tools of compute-sanitizer, too. */
typedef enum SanitizeScope { SANITIZE_NONE, SANITIZE_FIRST, SANITIZE_PUBLIC, SANITIZE_ALL } SanitizeScope;

/* A tool of NVIDIA's that watches the program (tool.h). */
typedef struct Tool {
    const char *program, *folder; /* the folder has what it needs beside it; program NULL: it is not here */
} Tool;

typedef struct Sanitizer {
    SanitizeScope scope;
    Tool tool; /* compute-sanitizer */
} Sanitizer;

/* What all submissions of a run share. */
typedef struct GradeRun {
    Kit kit;
    Sandbox sandbox;
    const char *work;         /* with the kit staged */
    uint64_t seed;            /* the secret from which hidden cases draw theirs */
    bool gpu;                 /* run on a real GPU instead of the virtual one */
    const char **gpu_devices; /* its device files */
    size_t n_gpu_devices;
    size_t n_gpus;        /* how many GPUs they are */
    const char *gpu_name; /* of the first; NULL or "" where it is not known */
    Sanitizer sanitizer;
    Tool ncu;                /* on a GPU: Nsight Compute, for the answers about counters */
    bool isolates_models;    /* on a GPU: `isolated` for cases about a card that is modelled (modelled.h) */
    bool isolated;           /* the virtual GPU in a process and sandbox of its own */
    const char *device;      /* name of the virtual GPU's model; "" for its default */
    const char *only;        /* the one case to run; NULL for all */
    int64_t public_most;     /* so many of the public ones, and no others; 0: all cases */
    const char *speed_clock; /* a test's clock (speed.c); NULL for the machine's */
} GradeRun;

typedef struct Submission {
    const char *student;
    const Lab *lab;
    const char *folder; /* holds the files */
} Submission;

/* So many cases of a submission may run out of time before the others are not run any more: they cost the class time, and the
 * submission is hostile, or there is an endless loop in what all of them run. */
enum { SUBMISSION_TIMEOUTS_MAX = 5 };

/* Grades a submission in the folders of a worker's slot. Whatever the submission does, and where the kit
 * itself fails too (kit-error), there is a Result; NULL only without memory. timing's array belongs to the
 * Result's arena; the Result borrows the cases' names from the lab and the sandbox's layers from the run. */
Result *submission_grade(const GradeRun *run, const Submission *s, int slot, Timing *timing);

/* What stands for a result when grading itself came to nothing: every case that the run wants is a kit-error. NULL without
 * memory. */
Result *submission_lost(const GradeRun *run, const Submission *s, const char *message);

/* The seed of a case: the lab's own for public cases, drawn from the run's secret for hidden ones. The same
 * for every student. */
uint64_t submission_case_seed(const GradeRun *run, const Lab *lab, const LabCase *c);

#endif
