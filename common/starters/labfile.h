/* labfile: the few things that starters, `make run` and `make hint` need from lab.yaml.
 *
 * The grader reads the whole file and judges it (grader/core); this reader takes what it knows and leaves the
 * rest. A LabFile owns what it points to (labfile_free).
 */
#ifndef COMMON_STARTERS_LABFILE_H
#define COMMON_STARTERS_LABFILE_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/language.h"

#include <stdbool.h>
#include <stddef.h>

enum { LABFILE_TIERS_MAX = 8 };

typedef struct LabFileHint {
    int todo;
    const char *tiers[LABFILE_TIERS_MAX];
    size_t n_tiers;
} LabFileHint;

typedef struct LabFileParam {
    const char *key, *value;
} LabFileParam;

typedef struct LabFileCase {
    int todo; /* that it serves; 0 for none */
    double points;
    bool ranked;                                 /* more than a right result is asked for */
    const char *hint;                            /* NULL for none */
    const char *name, *seed, *rtol, *atol, *nan; /* texts as they stand in the file, defaults filled in */
    LabFileParam *params;
    size_t n_params;
    const char *devices;       /* how many it needs */
    const char *expect_status; /* that the program has to end with */
    bool check_output;         /* false: nothing is compared */
    int run;                   /* 0: no program is run, only the answer file counts */
    const char **vgpu;         /* further options of the vgpu command */
    size_t n_vgpu;
} LabFileCase;

/* How films show arrays; lengths and halo are formulas (common/base/formula.h). */
typedef struct LabFileShape {
    const char **arrays, **shape, **halo;
    size_t n_arrays, n_shape, n_halo;
} LabFileShape;

typedef struct LabFile {
    Arena arena;
    Language language; /* of the hints */
    const char **files;
    size_t n_files;
    const char **extra; /* programs of the optional part */
    size_t n_extra;
    const char **libraries;
    size_t n_libraries;
    const char *starter_floor;
    LabFileHint *hints;
    size_t n_hints;
    int *signs; /* the TODOs that have a sign */
    size_t n_signs;
    LabFileShape *shapes;
    size_t n_shapes;
    LabFileCase *cases;
    size_t n_cases;
} LabFile;

/* Reads lab.yaml or hidden.yaml. STATUS_PARSE with line and column for a file that is no YAML, or not of that
 * form. */
Status labfile_read(const char *path, LabFile *lab, Diag *diag);

/* Reads the lab's texts in another language: FOLDER/lab.LANGUAGE.yaml. Where there is none, `*lab` is empty
 * and in English, and that is STATUS_OK. */
Status labfile_read_texts(const char *folder, Language language, LabFile *lab, Diag *diag);
void labfile_free(LabFile *lab);

#endif
