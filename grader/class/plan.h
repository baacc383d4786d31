/* plan: what a run of the grader is to do, written down before it does any of it (OUT/plan.json).
 *
 * For each submission it holds a key: a hash over all that its result depends on (what was handed in, the lab
 * with its hidden cases, driver and judge, the kit's programs, the seed, the device, the sandbox's layers). A
 * result is marked with its key when it is whole (done.h), so that a grader that was killed finds what is
 * missing, and a changed submission, lab or kit is seen. Two submissions with one key have the same result.
 *
 * The file is for its owner's eyes: with the seed in it one can make the data of hidden cases. All text of a
 * Plan belongs to the caller's arena.
 */
#ifndef GRADER_CLASS_PLAN_H
#define GRADER_CLASS_PLAN_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "grader/submission/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PlanLab {
    const char *lab, *sha256;
} PlanLab;

typedef struct PlanEntry {
    const char *student, *lab;
    const char *sha256; /* of what was handed in; "" when nothing was */
    const char *key;
} PlanEntry;

typedef struct Plan {
    uint64_t seed;
    const char *kit_sha256;
    const char *compiler; /* with its version, as "nvcc 13.0.88"; "" in a plan of an earlier kit */
    const char *setting;  /* device, model, the one case, the sandbox's layers: as one text */
    PlanLab *labs;
    size_t n_labs;
    PlanEntry *entries;
    size_t n_entries;
} Plan;

/* The plan for some submissions, an entry each in their order; the kit and the labs must have been staged. */
Status plan_make(Arena *a, const GradeRun *run, Lab *const *labs, size_t n_labs,
                 const Submission *submissions, size_t n, Plan *plan, Diag *d);
/* The key of a submission of the plan's lab with other contents. NULL without memory. */
const char *plan_key(Arena *a, const Plan *plan, const char *lab, const char *submission_sha256);

/* Reads and writes plan.json; STATUS_NOT_FOUND when there is none. */
Status plan_load(Arena *a, const char *path, Plan *plan, Diag *d);
Status plan_save(const Plan *plan, const char *path, Diag *d);

const PlanEntry *plan_find(const Plan *plan, const char *student, const char *lab);
/* Appends to `plan` what only `old` has. */
Status plan_merge(Arena *a, Plan *plan, const Plan *old, Diag *d);

/* What of a plan is another thing now: kit, seed, settings, labs, and submissions, as lines of text. */
typedef struct PlanChanges {
    StrBuf rules;       /* a line for each change that would judge the same submission anew */
    StrBuf submissions; /* a line for each submission that was handed in again */
} PlanChanges;
void plan_compare(const Plan *old, const Plan *now, PlanChanges *changes);
void plan_changes_free(PlanChanges *changes);

#endif
