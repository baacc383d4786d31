/* files: reading and writing whole files safely.
 *
 * Files that a submission can have touched are read through file_read_untrusted, which takes regular files
 * only.
 */
#ifndef GRADER_CORE_FILES_H
#define GRADER_CORE_FILES_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stddef.h>

/* Writes bytes to path whole or not at all: a temporary file beside it, fsync, rename, fsync of the folder.
 */
Status file_write_atomic(const char *path, const char *bytes, size_t length, Diag *d);
/* The same, for the owner's eyes alone. */
Status file_write_secret(const char *path, const char *bytes, size_t length, Diag *d);
/* The whole file, with a NUL after it, owned by the arena. STATUS_LIMIT past bytes_max, STATUS_NOT_FOUND when
 * absent. Of one of the kernel's own files (/proc), whose size nobody says, the first 64 KiB. */
Status file_read(Arena *a, const char *path, size_t bytes_max, char **bytes, size_t *length, Diag *d);
/* The same for a file named in a folder that is not trusted: no symbolic link is followed, nothing but a
 * regular file is opened (and never waited for), and a file with more than bytes_max bytes or with several
 * names is refused. */
Status file_read_untrusted(Arena *a, int dir_fd, const char *name, size_t bytes_max, char **bytes,
                           size_t *length, Diag *d);
/* mkdir -p. */
Status dir_make(const char *path, Diag *d);
/* Removes path and all below it, following no link; absent is fine. */
Status dir_remove(const char *path, Diag *d);
/* A sorted list of the folder's names without those that start with a dot, owned by the arena. */
Status dir_list(Arena *a, const char *path, const char ***names, size_t *n, Diag *d);

#endif
