/* intake: taking the files of a submission, and nothing else.
 *
 * Of a student's folder only regular files with a name on the lab's list are opened; headers, Makefiles,
 * objects and whatever else lies there is passed over. What the list names and the folder has not as a plain
 * file is said. Names that can only be slips of the right ones are taken (slips.h); where nothing can be
 * taken, what lies there is said, for a person to look at.
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
    const char *notes;       /* what was taken though it is not as it should be, a line each; "" */
    const char *found;       /* nothing was submitted, but this lies there: for a person; "" */
    char sha256[SHA256_HEX]; /* over names, sizes, contents, and all that is said; "" when nothing lies there
                              */
} Intake;

/* Copies the lab's files from one folder to another (to NULL: only looks at them). Not OK only when the
 * machine fails. */
Status intake_take(Arena *a, const Lab *lab, const char *from, const char *to, Intake *intake, Diag *d);

#endif
