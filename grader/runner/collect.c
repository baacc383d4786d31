/* Handing over files, when nobody is left who could change them; see runner.h.
 *
 * A path of the request is a file or a folder whose files are sent (not those of folders in it). Links are
 * not followed, and nothing but a regular file of one name is opened.
 */
#include "grader/runner/runner.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES_MAX = 128 };

/* What may still be handed over. */
typedef struct Allowance {
    WireOut *out;
    int64_t file_bytes, bytes, files;
} Allowance;

/* A name that is safe in a line and on a disk. */
static bool is_fit_name(const char *name)
{
    if (name[0] == '.' || strlen(name) > NAME_BYTES_MAX)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("._-", *name))
            return false;
    return true;
}

/* Sends `size` bytes of file; what is missing at its end is sent as zeros, as the size was promised. */
static void send_bytes(WireOut *to, int file, int64_t size)
{
    char chunk[1 << 16];
    while (size > 0) {
        size_t wanted = size < (int64_t)sizeof chunk ? (size_t)size : sizeof chunk;
        ssize_t n = read(file, chunk, wanted);
        if (n <= 0) {
            memset(chunk, 0, wanted);
            n = (ssize_t)wanted;
        }
        wire_put(to, chunk, (size_t)n);
        size = to->failed ? 0 : size - n;
    }
}

/* Why a file is not taken; NULL when it is. */
static const char *refusal(int file, struct stat *st, const Allowance *a)
{
    if (file < 0)
        return errno == ELOOP ? "symbolic-link" : errno == ENXIO ? "not-a-file" : "unreadable";
    if (fstat(file, st) != 0)
        return "unreadable";
    if (!S_ISREG(st->st_mode))
        return "not-a-file";
    if (st->st_nlink > 1)
        return "hard-link";
    if (st->st_size > a->file_bytes || st->st_size > a->bytes)
        return "too-large";
    return a->files <= 0 ? "too-many" : NULL;
}

static void send_file(Allowance *a, int dir, const char *name, const char *path)
{
    int file = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    const char *why = refusal(file, &st, a);
    if (why) {
        wire_putf(a->out, "skipped %s %s\n", path, why);
    } else {
        a->files--;
        a->bytes -= st.st_size;
        wire_putf(a->out, "file %s %lld\n", path, (long long)st.st_size);
        send_bytes(a->out, file, st.st_size);
    }
    if (file >= 0)
        close(file);
}

static void send_folder(Allowance *a, int dir, const char *path)
{
    DIR *list = fdopendir(dir);
    if (!list) {
        close(dir);
        wire_putf(a->out, "skipped %s unreadable\n", path);
        return;
    }
    int64_t seen = 0, seen_max = 4 * a->files;
    for (struct dirent *e; !a->out->failed && (e = readdir(list)) && seen < seen_max;) {
        if (!is_fit_name(e->d_name))
            continue;
        seen++;
        char inner[WIRE_LINE_MAX / 2];
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        send_file(a, dirfd(list), e->d_name, inner);
    }
    closedir(list);
}

void runner_collect(WireOut *out, const RunnerRequest *request)
{
    const WireLimits *l = &request->limits;
    Allowance a = {
        .out = out, .file_bytes = l->file_bytes, .bytes = l->collect_bytes, .files = l->collect_files};
    for (size_t i = 0; !out->failed && request->collect[i]; i++) {
        const char *path = request->collect[i];
        int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (dir >= 0)
            send_folder(&a, dir, path);
        else if (errno != ENOENT)
            send_file(&a, AT_FDCWD, path, path);
    }
}
