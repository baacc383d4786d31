/* archive: submissions in one file: what `make submit` writes and `grade import` reads.
 *
 *     NN-name.tar.gz
 *         NN-name/MANIFEST      schema 1
 *                               lab NN-name
 *                               <sha256>  <size>  <name>      a line a file, in name order
 *         NN-name/FILES...
 *
 * Written archives are the same bytes for the same files. Read archives are hostile until shown otherwise:
 * only regular files whose name is on the lab's list are taken, each once, into a clean folder. What a
 * friendly tool may have added (folders, hidden files, a build folder) is passed over. Links, devices, FIFOs,
 * `..`, absolute names and two files for one name make the archive refused as a whole.
 *
 * The prefix is handin_, because archive_ is libarchive's.
 */
#ifndef GRADER_ARCHIVE_ARCHIVE_H
#define GRADER_ARCHIVE_ARCHIVE_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    HANDIN_PACKED_MAX = 16 << 20, /* bytes of the archive itself */
    HANDIN_TOTAL_MAX = 64 << 20,  /* bytes of all that comes out of it, passed over or not */
    HANDIN_MEMBER_MAX = 4 << 20,  /* bytes of one file that is taken */
    HANDIN_ENTRIES_MAX = 1000,
    HANDIN_NAME_MAX = 512,
    HANDIN_DEPTH_MAX = 8,   /* names of a path, the file's own included */
    HANDIN_RATIO_MAX = 200, /* bytes out for a byte in, once more than HANDIN_RATIO_FREE came out */
    HANDIN_RATIO_FREE = 8 << 20,
    HANDIN_STUDENT_MAX = 64,
};

/* Writes path (whole or not at all) from files of the folder dir. A missing file is STATUS_NOT_FOUND and
 * named. */
Status handin_write(const char *path, const char *dir, const char *lab, const char *const *files,
                    size_t n_files, Diag *d);

/* One file out of an archive. */
typedef struct HandinFile {
    const char *name; /* one of the caller's list */
    const char
        *was; /* as it was handed in, where that is a slip of the name (another case, dashes); else NULL */
    const char *bytes;
    size_t length;
} HandinFile;

typedef struct Handin {
    Arena arena;
    const char *lab;
    HandinFile
        *files; /* in the order of the lab's list; what is missing is left out, one at least is there */
    size_t n_files;
    bool has_manifest;
} Handin;

/* The files that a lab takes, or NULL when there is no such lab. The list lives as long as the context. */
typedef const char *const *(*HandinAllow)(void *context, const char *lab, size_t *n_files);

/* Reads an archive: tar, plain or gzip, or zip. The lab is that of its MANIFEST, else `lab` (may be NULL),
 * else a folder in it that bears a lab's name. Size and sha256 of each file must agree with a manifest when
 * there is one. handin_free takes NULL. */
Status handin_read(const char *path, const char *lab, HandinAllow allow, void *context, Handin **handin,
                   Diag *d);
void handin_free(Handin *handin);

/* Whether an id can name a student and a folder: 1 to HANDIN_STUDENT_MAX bytes of UTF-8 without controls,
 * slashes and backslashes, no leading dot or dash, no space at an end. */
bool handin_student_is_fit(const char *student);

/* twins.c: ids that differ by case, by Unicode's normal forms or by the width of characters only are one
 * student to a person, and one folder on some file systems. */
/* STATUS_INVALID, and the message says which two, when there are such two among n. Equal ones are one. */
Status handin_refuse_twins(const char *const *students, size_t n, Diag *d);
/* The same of a student and the folders that are in out_dir, which need not be there. */
Status handin_refuse_twin_in(const char *out_dir, const char *student, Diag *d);

/* The student in an archive's file name: "s001_02-vector-add.tar.gz", "s001-02-vector-add (1).tar.gz" and
 * "s001.zip" hold "s001"; STATUS_NOT_FOUND when there is none ("02-vector-add.tar.gz"), STATUS_INVALID when
 * it is not fit. */
Status handin_student(Arena *a, const char *path, const char *lab, const char **student, Diag *d);

typedef struct HandinImport {
    const char *path, *out_dir;
    const char *student; /* NULL: from the file's name */
    const char *lab;     /* NULL: from the archive */
    HandinAllow allow;
    void *context;
} HandinImport;

/* What was put where. Texts are the arena's. */
typedef struct HandinPlaced {
    const char *student, *lab, *where;
    const char
        *note; /* what was taken though it was not as it should be: "VectorAdd.cu as vector_add.cu"; "" */
} HandinPlaced;

/* Reads an archive and puts its files into out_dir/<student>/<lab>/, which is replaced as a whole. */
Status handin_import(Arena *a, const HandinImport *import, HandinPlaced *placed, Diag *d);

/* A file of a student that a person takes for one of the lab's. */
typedef struct HandinAccept {
    const char *out_dir, *student, *lab;
    const char *file; /* below out_dir/<student>/ or out_dir/<student>/<lab>/, else as a path */
    const char *name; /* one of the lab's files */
} HandinAccept;

/* Puts the file into out_dir/<student>/<lab>/<name>, in UTF-8. What is there already stays and is refused,
 * unless it is the file itself in another encoding: then that stays beside it as <name>.before. */
Status handin_accept(Arena *a, const HandinAccept *accept, HandinPlaced *placed, Diag *d);

/* A line of out_dir/import-log.csv, to which every import adds: import,student,lab,what,file,text. */
typedef struct ImportLine {
    const char *student, *lab; /* "" where it is not known */
    const char *what;          /* "taken", "left", "accepted" */
    const char *file, *text;
} ImportLine;

/* Adds the lines of one import, which all get the next number. No line, no change. */
Status import_log_add(const char *out_dir, const ImportLine *lines, size_t n, Diag *d);

#endif
