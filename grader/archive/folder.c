/* Reading a download that lies on disk as a folder. No link is followed: every folder is opened from the one
 * above it. */
#include "grader/archive/archive_internal.h"
#include "grader/core/files.h"
#include "grader/core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Walk {
    Arena *arena;
    const ReadRules *rules;
    Member *items;
    size_t n, cap, entries;
    int64_t out;
    Diag *d;
} Walk;

/* The names in fd, which stays open, in order; hidden ones are left out. *names is malloc'd. */
static Status list_names(Walk *w, int fd, const char ***names, size_t *n)
{
    size_t cap = 0;
    int copy = dup(fd);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    *names = NULL;
    *n = 0;
    if (!dir) {
        if (copy >= 0)
            close(copy);
        return diag_set(w->d, STATUS_IO, "cannot list a folder: %s", strerror(errno));
    }
    Status s = STATUS_OK;
    for (struct dirent *e; s == STATUS_OK && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        const char *name = arena_strndup(w->arena, e->d_name, strlen(e->d_name));
        if (!name || !VEC_GROW(*names, *n, cap))
            s = diag_set(w->d, STATUS_NO_MEMORY, "no memory to list a folder");
        else
            (*names)[(*n)++] = name;
    }
    closedir(dir);
    if (*n)
        qsort(*names, *n, sizeof **names, text_compare);
    return s;
}

static Status take_file(Walk *w, int dir, const char *path, const char *name, int64_t size)
{
    Member m = {0};
    Diag odd;
    char *bytes = NULL;
    if (handin_split_name(w->arena, path, &m, &odd) != STATUS_OK)
        return handin_note(w->arena, w->rules->left, path, "an odd name");
    w->out += size;
    if (w->out > w->rules->total_max)
        return diag_set(w->d, STATUS_LIMIT, "the folder holds more than %lld bytes",
                        (long long)w->rules->total_max);
    Status s = file_read_untrusted(w->arena, dir, name, HANDIN_MEMBER_MAX, &bytes, &m.length, &odd);
    m.too_big = s == STATUS_LIMIT;
    if (s == STATUS_NO_MEMORY)
        return diag_set(w->d, s, "no memory to read a folder");
    if (s != STATUS_OK && !m.too_big)
        return handin_note(w->arena, w->rules->left, path, odd.message);
    m.bytes = m.too_big ? "" : bytes;
    m.length = m.too_big ? 0 : m.length;
    if (!VEC_GROW(w->items, w->n, w->cap))
        return diag_set(w->d, STATUS_NO_MEMORY, "no memory to read a folder");
    w->items[w->n++] = m;
    return STATUS_OK;
}

static Status walk(Walk *w, int fd, const char *above, int depth);

static Status take_entry(Walk *w, int fd, const char *path, const char *name, int depth)
{
    struct stat st;
    if (++w->entries > w->rules->entries_max)
        return diag_set(w->d, STATUS_LIMIT, "the folder holds more than %zu entries", w->rules->entries_max);
    if (!path)
        return diag_set(w->d, STATUS_NO_MEMORY, "no memory to read a folder");
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return handin_note(w->arena, w->rules->left, path, "it cannot be read");
    if (S_ISREG(st.st_mode))
        return take_file(w, fd, path, name, st.st_size);
    if (!S_ISDIR(st.st_mode))
        return handin_note(w->arena, w->rules->left, path,
                           S_ISLNK(st.st_mode) ? "a symbolic link" : "a device, FIFO or socket");
    if (depth == DOWNLOAD_DEPTH_MAX)
        return handin_note(w->arena, w->rules->left, path, "too many folders in a name");
    int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return handin_note(w->arena, w->rules->left, path, "it cannot be opened");
    Status s = walk(w, inner, path, depth + 1);
    close(inner);
    return s;
}

static Status walk(Walk *w, int fd, const char *above, int depth)
{
    const char **names;
    size_t n;
    Status s = list_names(w, fd, &names, &n);
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        s = take_entry(w, fd, arena_printf(w->arena, "%s%s%s", above, above[0] ? "/" : "", names[i]),
                       names[i], depth);
    free(names);
    return s;
}

Status handin_read_folder(Arena *a, const char *path, const ReadRules *rules, Member **members, size_t *n,
                          Diag *d)
{
    Walk w = {.arena = a, .rules = rules, .d = d};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Status s =
        fd < 0 ? diag_set(d, STATUS_IO, "cannot open %s: %s", path, strerror(errno)) : walk(&w, fd, "", 1);
    if (fd >= 0)
        close(fd);
    *members = w.items;
    *n = w.n;
    return s;
}
