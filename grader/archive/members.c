/* Reading an archive's members under limits.
 *
 * Sizes are counted as bytes come out, never believed. The count is also taken each time libarchive asks for
 * more of the packed file, so that a bomb made of headers alone is stopped too.
 */
#include "common/base/strbuf.h"
#include "grader/archive/archive_internal.h"
#include "grader/text/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 16 << 10 };

typedef struct Source {
    int fd;
    int64_t packed; /* bytes of the archive */
    bool bomb;
    char chunk[CHUNK];
} Source;

static bool is_bomb(const Source *s, int64_t out)
{
    return out > HANDIN_TOTAL_MAX || (out > HANDIN_RATIO_FREE && out / HANDIN_RATIO_MAX > s->packed);
}

static la_ssize_t read_chunk(struct archive *a, void *context, const void **bytes)
{
    Source *s = context;
    if (is_bomb(s, archive_filter_bytes(a, 0))) {
        s->bomb = true;
        archive_set_error(a, EFBIG, "too much comes out of it");
        return ARCHIVE_FATAL;
    }
    ssize_t n = read(s->fd, s->chunk, sizeof s->chunk);
    if (n < 0)
        archive_set_error(a, errno, "cannot read it");
    *bytes = s->chunk;
    return n;
}

/* zip files are read from their end. */
static la_int64_t seek_source(struct archive *a, void *context, la_int64_t offset, int whence)
{
    Source *s = context;
    off_t at = lseek(s->fd, offset, whence);
    if (at < 0)
        archive_set_error(a, errno, "cannot seek in it");
    return at < 0 ? ARCHIVE_FATAL : at;
}

static Status refuse(Diag *d, const char *what, const char *name)
{
    return diag_set(d, STATUS_INVALID, "the archive is refused: %s: %s", what, name);
}

Status handin_split_name(Arena *a, const char *path, Member *m, Diag *d)
{
    size_t length = path ? strlen(path) : 0;
    if (length == 0 || length > HANDIN_NAME_MAX)
        return diag_set(d, STATUS_INVALID, "the archive is refused: an entry's name is empty or too long");
    if (path[0] == '/' || strchr(path, '\\'))
        return refuse(d, "an absolute name or a backslash", path);
    for (size_t i = 0; i < length; i++)
        if (utf8_is_control((unsigned char)path[i]) && (unsigned char)path[i] < 0x80)
            return refuse(d, "a control character in a name", path);
    m->folder = m->name = "";
    size_t depth = 0;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && memcmp(p, "..", 2) == 0)
            return refuse(d, "a name that leads out of it", path);
        if (n > 0 && !(n == 1 && p[0] == '.')) {
            m->folder = m->name;
            m->name = arena_strndup(a, p, n);
            depth++;
        }
        p += n + (p[n] == '/');
    }
    if (!m->name || !m->folder)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    return depth > HANDIN_DEPTH_MAX ? refuse(d, "too many folders in a name", path) : STATUS_OK;
}

/* What an entry may be: a regular file or a folder. */
static Status check_kind(struct archive_entry *e, const char *name, Diag *d)
{
    if (archive_entry_hardlink(e))
        return refuse(d, "a hard link", name);
    switch (archive_entry_filetype(e)) {
    case AE_IFREG:
    case AE_IFDIR:
        return STATUS_OK;
    case AE_IFLNK:
        return refuse(d, "a symbolic link", name);
    default:
        return refuse(d, "a device, FIFO or socket", name);
    }
}

/* Reads a member's data, dropping it past HANDIN_MEMBER_MAX, and counts it into *out. */
static Status read_data(Arena *a, struct archive *in, const Source *source, int64_t *out, Member *m, Diag *d)
{
    StrBuf data = {0};
    char buffer[8192];
    la_ssize_t n;
    while ((n = archive_read_data(in, buffer, sizeof buffer)) > 0) {
        *out += n;
        if (is_bomb(source, *out)) {
            strbuf_free(&data);
            return diag_set(d, STATUS_LIMIT, "the archive is refused: too much comes out of it");
        }
        m->too_big = m->too_big || data.length + (size_t)n > HANDIN_MEMBER_MAX;
        if (!m->too_big)
            strbuf_append(&data, buffer, (size_t)n);
    }
    m->length = m->too_big ? 0 : data.length;
    m->bytes = arena_strndup(a, data.text ? data.text : "", m->length);
    bool fine = n == 0 && m->bytes && !data.failed;
    strbuf_free(&data);
    if (n < 0)
        return diag_set(d, STATUS_PARSE, "the archive is damaged: %s", archive_error_string(in));
    return fine ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
}

typedef struct List {
    Member *items;
    size_t n, cap, entries;
    int64_t out;
} List;

static Status read_entry(Arena *a, struct archive *in, struct archive_entry *e, const Source *source,
                         List *list, Diag *d)
{
    if (++list->entries > HANDIN_ENTRIES_MAX)
        return diag_set(d, STATUS_LIMIT, "the archive is refused: more than %d entries", HANDIN_ENTRIES_MAX);
    Member m = {0};
    const char *name = archive_entry_pathname(e);
    Status s = handin_split_name(a, name, &m, d);
    if (s == STATUS_OK)
        s = check_kind(e, name, d);
    if (s != STATUS_OK || archive_entry_filetype(e) == AE_IFDIR)
        return s;
    if (!m.name[0])
        return refuse(d, "a file without a name", name);
    s = read_data(a, in, source, &list->out, &m, d);
    if (s != STATUS_OK)
        return s;
    if (!VEC_GROW(list->items, list->n, list->cap))
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    list->items[list->n++] = m;
    return STATUS_OK;
}

static Status read_entries(Arena *a, struct archive *in, Source *source, List *list, Diag *d)
{
    for (;;) {
        struct archive_entry *e;
        int got = archive_read_next_header(in, &e);
        if (got == ARCHIVE_EOF)
            return STATUS_OK;
        if (source->bomb)
            return diag_set(d, STATUS_LIMIT, "the archive is refused: too much comes out of it");
        /* A warning is about a name that this locale cannot show; names are bytes here. */
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return diag_set(d, STATUS_PARSE, "no archive that can be read: %s", archive_error_string(in));
        Status s = read_entry(a, in, e, source, list, d);
        if (s != STATUS_OK)
            return s;
    }
}

static struct archive *open_reader(Source *source)
{
    struct archive *in = archive_read_new();
    if (!in)
        return NULL;
    archive_read_support_filter_gzip(in);
    archive_read_support_format_tar(in);
    archive_read_support_format_zip(in);
    archive_read_set_read_callback(in, read_chunk);
    archive_read_set_seek_callback(in, seek_source);
    archive_read_set_callback_data(in, source);
    return in;
}

static Status open_source(const char *path, Source *source, Diag *d)
{
    struct stat st;
    source->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &st) != 0)
        return diag_set(d, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "cannot open: %s",
                        strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_set(d, STATUS_INVALID, "not a regular file");
    if (st.st_size > HANDIN_PACKED_MAX)
        return diag_set(d, STATUS_LIMIT, "the archive is refused: it has %lld bytes, %d are allowed",
                        (long long)st.st_size, HANDIN_PACKED_MAX);
    source->packed = st.st_size;
    return STATUS_OK;
}

Status handin_read_members(Arena *a, const char *path, Member **members, size_t *n, Diag *d)
{
    List list = {0};
    Source *source = ARENA_NEW(a, Source);
    if (!source)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    Status s = open_source(path, source, d);
    struct archive *in = s == STATUS_OK ? open_reader(source) : NULL;
    if (in && archive_read_open1(in) == ARCHIVE_OK)
        s = read_entries(a, in, source, &list, d);
    else if (s == STATUS_OK)
        s = diag_set(d, STATUS_PARSE, "no archive that can be read: %s",
                     in ? archive_error_string(in) : "no memory");
    archive_read_free(in);
    if (source->fd >= 0)
        close(source->fd);
    if (s != STATUS_OK && d)
        snprintf(d->file, sizeof d->file, "%s", path);
    *members = list.items;
    *n = list.n;
    return s;
}
