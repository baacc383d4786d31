/* archive: submissions in one file: what `make submit` writes and `grade import` reads.
 *
 *     NN-name.tar.gz
 *         NN-name/MANIFEST      schema 1
 *                               lab NN-name
 *                               <sha256>  <size>  <name>      a line a file, in name order
 *         NN-name/FILES...
 *
 * Written archives are the same bytes for the same files. Read archives are hostile until shown otherwise:
 * only regular files whose name is on the lab's list are taken, each once, into a clean folder; anything else
 * that a friendly tool would have written (folders, a MANIFEST) is passed over, and links, devices, FIFOs,
 * sockets, `..`, absolute names and duplicates make the archive refused as a whole.
 */
#ifndef GRADER_ARCHIVE_ARCHIVE_H
#define GRADER_ARCHIVE_ARCHIVE_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ARCHIVE_FILE_BYTES_MAX = 50 << 20,  /* the archive itself */
    ARCHIVE_TOTAL_BYTES_MAX = 64 << 20, /* all that comes out of it */
    ARCHIVE_MEMBER_BYTES_MAX = 4 << 20, /* one file */
    ARCHIVE_ENTRIES_MAX = 1000,
    ARCHIVE_NAME_MAX = 512,
    ARCHIVE_DEPTH_MAX = 8,   /* folders in a name */
    ARCHIVE_RATIO_MAX = 200, /* bytes out for a byte in, above ARCHIVE_RATIO_FREE */
    ARCHIVE_RATIO_FREE = 1 << 20,
    ARCHIVE_STUDENT_MAX = 64,
};

/* Writes path (whole or not at all) from the files of the folder dir. A missing file is STATUS_NOT_FOUND and
 * named. */
Status archive_write(const char *path, const char *dir, const char *lab, const char *const *files,
                     size_t n_files, Diag *d);

/* One file out of an archive. */
typedef struct ArchiveFile {
    const char *name; /* on the list that the caller gave */
    const char *bytes;
    size_t length;
} ArchiveFile;

typedef struct Archive {
    Arena arena;
    const char *lab;    /* from the MANIFEST, or the folder that holds the files; never NULL */
    ArchiveFile *files; /* in the order of the archive */
    size_t n_files;
    bool has_manifest;
} Archive;

/* What the caller knows about a lab: returns the list of files it takes (and how many), NULL for a lab that
 * is not known. */
typedef const char *const *(*ArchiveAllow)(void *context, const char *lab, size_t *n_files);

/* Reads an archive (tar of any kind, gzip, or zip). The lab is that of its MANIFEST, else `lab` (may be
 * NULL), else its one folder. With a manifest, each file's size and sha256 must agree. */
Status archive_read(const char *path, const char *lab, ArchiveAllow allow, void *context, Archive **archive,
                    Diag *d);
void archive_free(Archive *archive);

/* The student in an archive's file name: "s001_02-vector-add.tar.gz", "s001-02-vector-add.tar.gz", "s001.zip"
 * -> "s001"; STATUS_NOT_FOUND when the name holds none ("02-vector-add.tar.gz"), STATUS_INVALID when it is no
 * fit id. */
Status archive_student(Arena *a, const char *path, const char *lab, const char **student, Diag *d);
/* Whether an id can be a folder's name: 1 to ARCHIVE_STUDENT_MAX bytes of UTF-8 without controls, slashes and
 * spaces at the ends, and no leading dot or dash. */
bool archive_student_is_fit(const char *student);

/* Reads an archive and puts its files into out_dir/<student>/<lab>/, which is replaced as a whole. student
 * NULL: from the file name. On success *where is the folder, owned by the arena. */
Status archive_import(Arena *a, const char *path, const char *student, const char *out_dir,
                      ArchiveAllow allow, void *context, const char **where, Diag *d);

#endif
