/* What the files of the archive module share. */
#ifndef GRADER_ARCHIVE_ARCHIVE_INTERNAL_H
#define GRADER_ARCHIVE_ARCHIVE_INTERNAL_H

#include "grader/archive/archive.h"
#include "grader/archive/download.h"

/* A regular file of an archive, before it is known whether its lab takes it. */
typedef struct Member {
    const char *path;   /* as it lies in the archive, without "." and empty parts */
    const char *folder; /* the name of the folder that it lies in; "" at the top */
    const char *name;
    const char *bytes;
    size_t length;
    bool too_big; /* past HANDIN_MEMBER_MAX: bytes were dropped */
} Member;

/* How an archive is read. One student's archive is refused as a whole when anything in it is odd; in the
 * download of a class (left is not NULL) one student's odd name is noted there, and the others are taken. */
typedef struct ReadRules {
    int64_t packed_max, total_max;
    size_t entries_max;
    HandinList *left;
} ReadRules;

extern const ReadRules handin_one_student;

/* Reads every regular file into the arena; *members is malloc'd. */
Status handin_read_members(Arena *a, const char *path, const ReadRules *rules, Member **members, size_t *n,
                           Diag *d);
/* The same for an archive that lies in memory; name is for messages. */
Status handin_read_nested(Arena *a, const Member *archive, Member **members, size_t *n, Diag *d);
/* The same for a folder, in the order of names; links and devices are noted in rules->left. */
Status handin_read_folder(Arena *a, const char *path, const ReadRules *rules, Member **members, size_t *n,
                          Diag *d);

/* What files in archives of ours are dated: the first second of 1980, the oldest time that every archive tool
 * takes without a warning. */
enum { HANDIN_FIXED_MTIME = 315532800 };

/* A message without the words that it refuses an archive. */
const char *handin_reason(const char *message);

/* Notes that something of a download was not taken, and why. */
Status handin_note(Arena *a, HandinList *left, const char *name, const char *why);

/* Splits an entry's name into folder and name; refuses what could leave the folder or deceive. */
Status handin_split_name(Arena *a, const char *path, Member *m, Diag *d);

/* Puts h's files into out_dir/<student>/<lab>/, which is replaced as a whole. */
Status handin_put_files(Arena *a, const Handin *h, const char *out_dir, const char *student,
                        const char **where, Diag *d);

/* Fills h->lab and h->files from the members. */
Status handin_select(Handin *h, const Member *members, size_t n, const char *lab, HandinAllow allow,
                     void *context, Diag *d);

/* "Vector_Add.cu as vector_add.cu, ...": the files whose names were slips; "" without any. */
const char *handin_slips(Arena *a, const Handin *h);
/* The lab that a folder's name means, itself or with dashes and small letters; NULL for none. */
const char *handin_lab_of(Arena *a, const char *folder, HandinAllow allow, void *context);

/* Whether text can be a lab's folder: letters, digits, dash, dot and underscore, no leading dot or dash. */
bool handin_lab_is_fit(const char *lab);

#endif
