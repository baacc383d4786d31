/* Marks of finished results; see done.h. */
#include "grader/class/done.h"

#include "common/base/arena.h"
#include "grader/core/files.h"
#include "grader/core/sha256.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESULT_BYTES_MAX = 64 << 20, MARK_BYTES_MAX = 256 };

/* "KEY SHA256-OF-RESULT\n" for the result that stands in dir; NULL when there is none. */
static const char *make_mark(Arena *a, const char *dir, const char *key, Diag *d)
{
    char *bytes, hex[SHA256_HEX];
    size_t length;
    Sha256 sum;
    const char *path = arena_printf(a, "%s/result.json", dir);
    if (!path || file_read(a, path, RESULT_BYTES_MAX, &bytes, &length, d) != STATUS_OK)
        return NULL;
    sha256_start(&sum);
    sha256_add(&sum, bytes, length);
    sha256_end_hex(&sum, hex);
    return arena_printf(a, "%s %s\n", key, hex);
}

Status done_mark(const char *dir, const char *key, Diag *d)
{
    Arena a = {0};
    diag_set(d, STATUS_NO_MEMORY, "no memory to mark a result");
    const char *mark = make_mark(&a, dir, key, d);
    const char *path = arena_printf(&a, "%s/key", dir);
    Status s = mark && path ? file_write_atomic(path, mark, strlen(mark), d) : STATUS_IO;
    arena_free(&a);
    return s;
}

bool done_check(const char *dir, const char *key)
{
    Arena a = {0};
    char *text;
    size_t length;
    const char *path = arena_printf(&a, "%s/key", dir);
    bool same = false;
    if (path && file_read(&a, path, MARK_BYTES_MAX, &text, &length, NULL) == STATUS_OK &&
        strncmp(text, key, strlen(key)) == 0) {
        const char *mark = make_mark(&a, dir, key, NULL);
        same = mark && strcmp(mark, text) == 0;
    }
    arena_free(&a);
    return same;
}

/* As file_write_atomic names it: six characters after ".tmp-". */
static bool is_half_written(const char *name)
{
    const char *mark = strstr(name, ".tmp-");
    return mark && strlen(mark) == 11;
}

void done_sweep(const char *dir)
{
    Arena a = {0};
    const char **names;
    size_t n;
    if (access(dir, F_OK) != 0 || dir_list(&a, dir, &names, &n, NULL) != STATUS_OK)
        n = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        const char *path = arena_printf(&a, "%s/%s", dir, names[i]);
        if (!path || lstat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            done_sweep(path);
        else if (is_half_written(names[i]))
            unlink(path);
    }
    arena_free(&a);
}
