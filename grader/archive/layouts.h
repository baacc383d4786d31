/* layouts: whose a file of a download is, by its path alone. Internal to the archive module. */
#ifndef GRADER_ARCHIVE_LAYOUTS_H
#define GRADER_ARCHIVE_LAYOUTS_H

#include "grader/archive/archive_internal.h"

/* Texts are the arena's. */
typedef struct Placed {
    const Member *member;
    const char *who; /* the submission it is part of; NULL: it is nobody's, and why says so */
    const char *why;
    const char *id;   /* the student's id in that system */
    const char *name; /* the student's name as far as the path shows it, "" */
    const char *file; /* the path inside the submission */
    int64_t order;    /* uploads of one submission: the greater the later; 0 where the path does not say */
    bool late;
} Placed;

/* Fills all but member. False without memory. */
bool handin_place(Arena *a, HandinLayout layout, const char *path, Placed *p);

/* The file's name without what systems and browsers add to a second one: "x-1.cu", "x (1).cu" are "x.cu"
 * where that is on the list. */
const char *handin_usual_name(Arena *a, const char *name, const char *const *allowed, size_t n);

/* Whether the name is one of an archive that a student may hand in. */
bool handin_is_archive(const char *name);

/* What submission_metadata.yml says of one submission. */
typedef struct GradescopeStudent {
    const char *name, *id, *email; /* "" where it does not say */
} GradescopeStudent;

typedef struct GradescopeEntry {
    const char *folder; /* "submission_5501" */
    GradescopeStudent *students;
    size_t n_students;
    bool has_time;
    int64_t received_at;
} GradescopeEntry;

/* Reads the file; the entries are the arena's, in the file's order. */
Status gradescope_read(Arena *a, const char *bytes, size_t length, GradescopeEntry **entries, size_t *n,
                       Diag *d);

#endif
