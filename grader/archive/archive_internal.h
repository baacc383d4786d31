/* What the files of the archive module share. */
#ifndef GRADER_ARCHIVE_ARCHIVE_INTERNAL_H
#define GRADER_ARCHIVE_ARCHIVE_INTERNAL_H

#include "grader/archive/archive.h"

/* A regular file of an archive, before it is known whether its lab takes it. */
typedef struct Member {
    const char *folder; /* the name of the folder that it lies in; "" at the top */
    const char *name;
    const char *bytes;
    size_t length;
    bool too_big; /* past HANDIN_MEMBER_MAX: bytes were dropped */
} Member;

/* Reads every regular file into the arena; *members is malloc'd. */
Status handin_read_members(Arena *a, const char *path, Member **members, size_t *n, Diag *d);

/* Splits an entry's name into folder and name; refuses what could leave the folder or deceive. */
Status handin_split_name(Arena *a, const char *path, Member *m, Diag *d);

/* Fills h->lab and h->files from the members. */
Status handin_select(Handin *h, const Member *members, size_t n, const char *lab, HandinAllow allow,
                     void *context, Diag *d);

/* Whether text can be a lab's folder: letters, digits, dash, dot and underscore, no leading dot or dash. */
bool handin_lab_is_fit(const char *lab);

#endif
