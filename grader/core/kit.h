/* kit: where the kit and the toolkit stand on this machine. */
#ifndef GRADER_CORE_KIT_H
#define GRADER_CORE_KIT_H

#include "common/base/arena.h"
#include "common/base/status.h"

/* Absolute paths without links, owned by the caller's arena. */
typedef struct Kit {
    const char *root;      /* holds labs/, common/, and for instructors solutions/ */
    const char *build;     /* holds bin/, lib/, labs/ */
    const char *cuda_home; /* holds bin/nvcc; NULL when there is none */
    const char *nvcc;
} Kit;

/* Finds the kit from the running program (BUILD/bin/NAME) and the toolkit from CUDA_HOME, PATH or
 * /usr/local/cuda. */
Status kit_find(Arena *a, Kit *kit, Diag *d);

/* STATUS_NOT_FOUND, with what to do as the hint, when something that grading a lab needs has not been built.
 */
Status kit_check_lab(const Kit *kit, const char *lab, Diag *d);

/* Fills versions for `grade doctor`: the line of `nvcc --version` with the release; "" when nvcc does not
 * answer. */
const char *kit_nvcc_version(Arena *a, const Kit *kit);

#endif
