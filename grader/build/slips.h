/* slips: what lies in a student's folder where the lab's files are not as they should be.
 *
 * Taken, and said, is what can only be one thing: a name that differs from the right one in case, or in
 * underscores and blanks for dashes; and the files in the only folder inside the lab's folder. Everything
 * else is listed, for a person to look at, with what would mend it. No link is followed, and what has the
 * right name stands before all that resembles it.
 */
#ifndef GRADER_BUILD_SLIPS_H
#define GRADER_BUILD_SLIPS_H

#include "common/base/arena.h"
#include "grader/core/lab.h"

typedef struct Slips {
    const char *taken; /* sentences, a line each; "" */
    const char *found; /* the same: what is there and was not taken */
} Slips;

/* Opens the folder of the lab's files, which should be `from` (STUDENT/LAB); -1 when there is none. */
int slips_open(Arena *a, const Lab *lab, const char *from, Slips *s);
/* The name under which the file lies in the folder: its own, or the only one that is a slip of it. NULL:
 * neither. */
const char *slips_file(Arena *a, int dir, const char *name, Slips *s);
/* Lists in s->found what lies in the open folder, and if there is none (-1) beside it. */
void slips_look(Arena *a, const Lab *lab, const char *from, int dir, Slips *s);
/* Whether the student's folder holds that of the lab, or a slip of its name. */
bool slips_has_folder(const char *student_folder, const char *lab);

#endif
