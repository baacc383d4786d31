/* intake: taking the files of a submission, and nothing else.
 *
 * Of a student's folder only regular files with a name on the lab's list are opened; headers, Makefiles,
 * objects and whatever else lies there is passed over. What the list names and the folder has not as a plain
 * file is said.
 */
#ifndef GRADER_BUILD_INTAKE_H
#define GRADER_BUILD_INTAKE_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/lab.h"
#include "grader/core/sha256.h"

enum { INTAKE_FILE_BYTES_MAX = 1 << 20 };

typedef struct Intake {
    bool submitted;          /* at least one file of the list is there, in whatever form */
    const char *problem;     /* what is wrong with what was handed in; "" */
    char sha256[SHA256_HEX]; /* over names, sizes, contents and the problem; "" when nothing was handed in */
} Intake;

/* Copies the lab's files from one folder to another (to NULL: only looks at them). Not OK only when the machine fails. */
Status intake_take(Arena *a, const Lab *lab, const char *from, const char *to, Intake *intake, Diag *d);

#endif
