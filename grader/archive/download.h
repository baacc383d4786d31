/* download: the submissions of a whole class as a learning management system hands them out, or as plain
 * folders, into the class's folder: DIR/<student>/<NN-lab>/<files>.
 *
 *     canvas       studentone_LATE_1201_98001_vector_add.cu         1201 is the student, 98001 the upload
 *     moodle       Student One_4711_assignsubmission_file/vector_add.cu, older releases "..._file_/", or flat
 *                  "..._file_vector_add.cu"; 4711 is the participant. A team hands in as Team A_17_..., and
 * those who are in no team as Default group_... gradescope   submission_5501/vector_add.cu and
 * submission_metadata.yml, which says who and when folders      s001/vector_add.cu,
 * s001/02-vector-add/vector_add.cu, s001.tar.gz
 *
 * The download is a folder or an archive (zip, tar, tar.gz). What a student handed in as an archive is opened
 * as that student's, under the limits of archive.h. The form is always named by the caller and never guessed:
 * a student's own archive could else pretend to be the class's. Only regular files on the lab's list are
 * taken, each student's as a whole or not at all; all else is listed with its reason. A student is who the
 * roster says, else who the download says.
 *
 * Where the download tells when something was received, or that it was late, that is kept in
 * DIR/receipts.csv.
 */
#ifndef GRADER_ARCHIVE_DOWNLOAD_H
#define GRADER_ARCHIVE_DOWNLOAD_H

#include "grader/archive/archive.h"
#include "grader/archive/roster.h"

#include <stdint.h>

enum {
    DOWNLOAD_PACKED_MAX = 1 << 30,     /* bytes of the archive itself */
    DOWNLOAD_TOTAL_MAX = 0x7FFFFFFF,   /* bytes of all that comes out of it */
    DOWNLOAD_ENTRIES_MAX = 100 * 1000, /* files and folders */
    DOWNLOAD_DEPTH_MAX = 16,           /* of folders on disk */
    DOWNLOAD_METADATA_MAX = 64 << 20,  /* bytes of submission_metadata.yml */
};

typedef enum HandinLayout {
#define LAYOUT(NAME, ...) LAYOUT_##NAME,
#include "grader/archive/layouts.def"
#undef LAYOUT
    LAYOUT_N
} HandinLayout;

const char *handin_layout_word(HandinLayout layout);
bool handin_layout_from_word(const char *word, HandinLayout *layout);

/* Names and what is said about them; the texts live as long as the arena they came from, the list until
 * free(items). */
typedef struct HandinListItem {
    const char *name, *text; /* a name is bytes: nobody promised UTF-8 */
    const char *note;        /* of what was taken: what of it was not as it should be; "" */
} HandinListItem;

typedef struct HandinList {
    HandinListItem *items;
    size_t n, cap;
} HandinList;

/* When a submission was received, as DIR/receipts.csv keeps it: a line for each student and lab. */
typedef struct Receipt {
    const char *student, *lab;
    bool has_time, late; /* late: the system says so, whatever the time */
    int64_t received_at; /* seconds since 1970, UTC */
} Receipt;

typedef struct Receipts {
    Receipt *items; /* sorted by student, then lab; free(items) */
    size_t n, cap;
} Receipts;

/* An absent file holds none. */
Status receipts_load(Arena *a, const char *dir, Receipts *receipts, Diag *d);
Status receipts_save(const Receipts *receipts, const char *dir, Diag *d);
/* Replaces the line of that student and lab. */
Status receipts_put(Receipts *receipts, const Receipt *receipt, Diag *d);
const Receipt *receipts_find(const Receipts *receipts, const char *student, const char *lab);

typedef struct HandinDownload {
    const char *path, *out_dir;
    HandinLayout layout;
    const char *lab;      /* NULL: from a MANIFEST or a folder's name */
    const Roster *roster; /* NULL: none */
    HandinAllow allow;
    void *context;
} HandinDownload;

/* Imports all that can be: *taken lists students and folders, *left what was not taken and why. Both are
 * freed by the caller, also on failure. A failure is of the download as a whole. Of a submission with none of
 * the lab's files, what could be meant stays in the student's folder under its own names, where there is no
 * folder yet: `grade run` lists it, and a person can take it. */
Status handin_import_download(Arena *a, const HandinDownload *download, HandinList *taken, HandinList *left,
                              Diag *d);

#endif
