/* Whole files and folders; see files.h. */
#include "grader/core/files.h"

#include "common/base/io.h"
#include "grader/core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KERNEL_FILE_BYTES = 64 << 10 };

static Status io_error(Diag *d, const char *what, const char *path)
{
    return diag_set(d, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "%s %s: %s", what, path,
                    strerror(errno));
}

/* Makes the new name last through a crash of the machine. */
static void sync_folder_of(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static Status write_atomic(const char *path, const char *bytes, size_t length, mode_t mode, Diag *d)
{
    char temporary[PATH_MAX];
    int needed = snprintf(temporary, sizeof temporary, "%s.tmp-XXXXXX", path);
    if (needed < 0 || (size_t)needed >= sizeof temporary)
        return diag_set(d, STATUS_INVALID, "%s: the path is too long", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return io_error(d, "cannot write beside", path);
    bool fine = io_write_all(fd, bytes, length) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
    fine = close(fd) == 0 && fine;
    if (!fine || rename(temporary, path) != 0) {
        Status s = io_error(d, "cannot write", path);
        unlink(temporary);
        return s;
    }
    sync_folder_of(path);
    return STATUS_OK;
}

Status file_write_atomic(const char *path, const char *bytes, size_t length, Diag *d)
{
    return write_atomic(path, bytes, length, 0644, d);
}

Status file_write_secret(const char *path, const char *bytes, size_t length, Diag *d)
{
    return write_atomic(path, bytes, length, 0600, d);
}

/* Reads what fd holds, at most bytes_max; *bytes belongs to the arena. */
static Status read_all(Arena *a, int fd, size_t size, size_t bytes_max, const char *path, char **bytes,
                       size_t *length, Diag *d)
{
    if (size > bytes_max)
        return diag_set(d, STATUS_LIMIT, "%s has %zu bytes, more than the %zu allowed", path, size,
                        bytes_max);
    char *text = arena_alloc(a, size + 1);
    if (!text)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read %s", path);
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, text + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_error(d, "cannot read", path);
        if (n == 0)
            break;
        got += (size_t)n;
    }
    text[got] = '\0';
    *bytes = text;
    *length = got;
    return STATUS_OK;
}

/* The kernel's own files (/proc) say that they have no bytes. */
static size_t size_to_read(const struct stat *st, size_t bytes_max)
{
    if (st->st_size > 0)
        return (size_t)st->st_size;
    return bytes_max < KERNEL_FILE_BYTES ? bytes_max : KERNEL_FILE_BYTES;
}

Status file_read(Arena *a, const char *path, size_t bytes_max, char **bytes, size_t *length, Diag *d)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(d, "cannot open", path);
    struct stat st;
    Status s = fstat(fd, &st) != 0 ? io_error(d, "cannot read", path)
               : !S_ISREG(st.st_mode)
                   ? diag_set(d, STATUS_INVALID, "%s is not a regular file", path)
                   : read_all(a, fd, size_to_read(&st, bytes_max), bytes_max, path, bytes, length, d);
    close(fd);
    return s;
}

/* Whether fd is a regular file with one link, and not sparse. */
static Status check_plain(int fd, const char *name, struct stat *st, Diag *d)
{
    if (fstat(fd, st) != 0)
        return io_error(d, "cannot read", name);
    if (!S_ISREG(st->st_mode))
        return diag_set(d, STATUS_INVALID, "%s is not a regular file", name);
    if (st->st_nlink > 1)
        return diag_set(d, STATUS_INVALID, "%s has more than one name (a hard link)", name);
    return STATUS_OK;
}

Status file_read_untrusted(Arena *a, int dir_fd, const char *name, size_t bytes_max, char **bytes,
                           size_t *length, Diag *d)
{
    /* O_NONBLOCK: opening a FIFO must not wait for its other end. */
    int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return diag_set(d, STATUS_INVALID, "%s is a symbolic link", name);
    if (fd < 0 && errno == ENXIO)
        return diag_set(d, STATUS_INVALID, "%s is not a regular file", name);
    if (fd < 0)
        return io_error(d, "cannot open", name);
    struct stat st;
    Status s = check_plain(fd, name, &st, d);
    if (s == STATUS_OK)
        s = read_all(a, fd, (size_t)st.st_size, bytes_max, name, bytes, length, d);
    close(fd);
    return s;
}

Status dir_make(const char *path, Diag *d)
{
    char copy[PATH_MAX];
    int needed = snprintf(copy, sizeof copy, "%s", path);
    if (needed <= 0 || (size_t)needed >= sizeof copy)
        return diag_set(d, STATUS_INVALID, "%s: no fit name of a folder", path);
    for (char *p = copy + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char was = *p;
        *p = '\0';
        if (mkdir(copy, 0755) != 0 && errno != EEXIST)
            return io_error(d, "cannot make the folder", copy);
        *p = was;
        if (!was)
            break;
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return diag_set(d, STATUS_IO, "%s is not a folder", path);
    return STATUS_OK;
}

enum { REMOVE_TRIES = 100 };

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    return (type == FTW_DP ? rmdir(path) : unlink(path)) != 0 && errno != ENOENT ? -1 : 0;
}

Status dir_remove(const char *path, Diag *d)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? STATUS_OK : io_error(d, "cannot remove", path);
    /* Once more where somebody, a task that just ends, has put a file there in between. */
    for (int tries = 1; nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0; tries++)
        if ((errno != ENOTEMPTY && errno != EEXIST) || tries == REMOVE_TRIES)
            return io_error(d, "cannot remove", path);
    return STATUS_OK;
}

Status dir_list(Arena *a, const char *path, const char ***names, size_t *n, Diag *d)
{
    DIR *dir = opendir(path);
    if (!dir)
        return io_error(d, "cannot open the folder", path);
    const char **found = NULL;
    size_t count = 0, cap = 0;
    bool fine = true;
    for (struct dirent *e; fine && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        fine = VEC_GROW(found, count, cap) && (found[count] = arena_strndup(a, e->d_name, strlen(e->d_name)));
        count += fine;
    }
    closedir(dir);
    if (count)
        qsort(found, count, sizeof *found, text_compare);
    *names = VEC_KEEP(a, found, count);
    *n = count;
    return fine && *names ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to list %s", path);
}
