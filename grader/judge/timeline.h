/* timeline: the modelled timeline of one case (CASEDIR/timeline.json, the trace events that `vgpu --timeline`
 * writes), read as what it is: a file that a hostile program may have written.
 */
#ifndef GRADER_JUDGE_TIMELINE_H
#define GRADER_JUDGE_TIMELINE_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/result.h"

#include <stddef.h>

enum {
    TIMELINE_SPANS_MAX = 120, /* that a result keeps: the first ones */
    TIMELINE_BYTES_MAX = 8 << 20,
    TIMELINE_NAME_MAX = 200
};

/* Reads the operations from the file `name` in the folder dir_fd into c, cleaned and in the file's order; c
 * keeps what it had when there is no such file or it is no timeline. Text belongs to the arena. */
Status timeline_read(Arena *a, int dir_fd, const char *name, CaseResult *c, Diag *d);
/* The same from bytes in memory. */
Status timeline_parse(Arena *a, const char *bytes, size_t length, CaseResult *c, Diag *d);

#endif
