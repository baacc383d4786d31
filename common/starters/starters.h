/* starters: a lab's starter and handout, made from its solution, and the checks that they agree.
 *
 * A kit folder holds labs/NN-name and solutions/NN-name; all paths below are made from it and the lab's name.
 */
#ifndef COMMON_STARTERS_STARTERS_H
#define COMMON_STARTERS_STARTERS_H

#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdbool.h>

enum { STARTERS_PATH_MAX = 400 };

/* A lab by its folders. */
typedef struct StarterLab {
    char lab_dir[STARTERS_PATH_MAX], solution_dir[STARTERS_PATH_MAX];
    char name[64];
} StarterLab;

/* STATUS_LIMIT when the paths are too long, STATUS_NOT_FOUND when there is no lab.yaml. */
Status starters_open(const char *kit, const char *name, StarterLab *lab, Diag *diag);

/* Writes the starters and expands the handout; what changed is told as lines in *report. */
Status starters_write(const StarterLab *lab, StrBuf *report, Diag *diag);

/* Checks, and writes nothing. Each fault is a line "path: what" in *report, and is counted in *n_faults:
 *   a starter or handout that is not what would be written; a TODO without a mention in the handout or
 * without hints, and hints or starter TODOs without a solution; a case that serves no TODO, and a TODO that no case
 * serves; a case whose hint is the code of a TODO's last hint; an empty hint; a line of a solution in the starter. */
Status starters_check(const StarterLab *lab, StrBuf *report, size_t *n_faults, Diag *diag);

#endif
