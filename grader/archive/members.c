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
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 16 << 10 };

const ReadRules handin_one_student = {
    .packed_max = HANDIN_PACKED_MAX, .total_max = HANDIN_TOTAL_MAX, .entries_max = HANDIN_ENTRIES_MAX};

typedef struct Source {
    int fd;
    const ReadRules *rules;
    int64_t packed; /* bytes of the archive */
    bool bomb;
    char chunk[CHUNK];
} Source;

static bool is_bomb(const Source *s, int64_t out)
{
    return out > s->rules->total_max || (out > HANDIN_RATIO_FREE && out / HANDIN_RATIO_MAX > s->packed);
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

static Status refuse_member(Diag *d, const char *what, const char *name)
{
    return diag_set(d, STATUS_INVALID, "the archive is refused: %s: %s", what, name);
}

Status handin_split_name(Arena *a, const char *path, Member *m, Diag *d)
{
    size_t length = path ? strlen(path) : 0;
    if (length == 0 || length > HANDIN_NAME_MAX)
        return diag_set(d, STATUS_INVALID, "the archive is refused: an entry's name is empty or too long");
    if (path[0] == '/' || strchr(path, '\\'))
        return refuse_member(d, "an absolute name or a backslash", path);
    for (size_t i = 0; i < length; i++)
        if (utf8_is_control((unsigned char)path[i]) && (unsigned char)path[i] < 0x80)
            return refuse_member(d, "a control character in a name", path);
    m->folder = m->name = "";
    size_t depth = 0, kept = 0;
    char *clean = arena_alloc(a, length + 1);
    for (const char *p = path; *p && clean;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && memcmp(p, "..", 2) == 0)
            return refuse_member(d, "a name that leads out of it", path);
        if (n > 0 && !(n == 1 && p[0] == '.')) {
            m->folder = m->name;
            m->name = arena_strndup(a, p, n);
            if (depth++)
                clean[kept++] = '/';
            memcpy(clean + kept, p, n);
            kept += n;
        }
        p += n + (p[n] == '/');
    }
    m->path = clean;
    if (!m->name || !m->folder || !m->path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    return depth > HANDIN_DEPTH_MAX ? refuse_member(d, "too many folders in a name", path) : STATUS_OK;
}

/* What an entry may be: a regular file or a folder. */
static Status check_kind(struct archive_entry *e, const char *name, Diag *d)
{
    if (archive_entry_hardlink(e))
        return refuse_member(d, "a hard link", name);
    switch (archive_entry_filetype(e)) {
    case AE_IFREG:
    case AE_IFDIR:
        return STATUS_OK;
    case AE_IFLNK:
        return refuse_member(d, "a symbolic link", name);
    default:
        return refuse_member(d, "a device, FIFO or socket", name);
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

const char *handin_reason(const char *message)
{
    static const char prefix[] = "the archive is refused: ";
    return strncmp(message, prefix, strlen(prefix)) == 0 ? message + strlen(prefix) : message;
}

/* What is odd about an entry refuses one student's archive, and is noted in the download of a class. */
static Status refuse_or_note(Arena *a, const ReadRules *rules, const char *name, const Diag *odd, Diag *d)
{
    if (!rules->left || odd->code == STATUS_NO_MEMORY) {
        if (d)
            *d = *odd;
        return odd->code;
    }
    const char *why = handin_reason(odd->message);
    const char *reason = arena_strndup(a, why, strcspn(why, ":")); /* the name stands beside it */
    return handin_note(a, rules->left, name ? name : "", reason ? reason : "");
}

static Status read_entry(Arena *a, struct archive *in, struct archive_entry *e, const Source *source,
                         List *list, Diag *d)
{
    if (++list->entries > source->rules->entries_max)
        return diag_set(d, STATUS_LIMIT, "the archive is refused: more than %zu entries",
                        source->rules->entries_max);
    Member m = {0};
    Diag odd = {0};
    const char *name = archive_entry_pathname(e);
    Status s = handin_split_name(a, name, &m, &odd);
    if (s == STATUS_OK)
        s = check_kind(e, name, &odd);
    if (s == STATUS_OK && archive_entry_filetype(e) == AE_IFDIR)
        return STATUS_OK;
    if (s == STATUS_OK && !m.name[0])
        s = refuse_member(&odd, "a file without a name", name);
    if (s != STATUS_OK)
        return refuse_or_note(a, source->rules, name, &odd, d);
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

/* Whether the open file may be read as an archive. */
static Status check_source(Source *source, Diag *d)
{
    struct stat st;
    if (fstat(source->fd, &st) != 0)
        return diag_set(d, STATUS_IO, "cannot read: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_set(d, STATUS_INVALID, "not a regular file");
    if (st.st_size > source->rules->packed_max)
        return diag_set(d, STATUS_LIMIT, "the archive is refused: it has %lld bytes, %lld are allowed",
                        (long long)st.st_size, (long long)source->rules->packed_max);
    source->packed = st.st_size;
    return STATUS_OK;
}

/* Reads all entries, in a locale of UTF-8: a zip may say that its names are UTF-8, and in a plain locale
 * libarchive gives back none of those. */
static Status read_in_utf8(Arena *a, struct archive *in, Source *source, List *list, Diag *d)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    Status s = read_entries(a, in, source, list, d);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return s;
}

/* Reads the archive in fd, which it closes. */
static Status read_source(Arena *a, int fd, const ReadRules *rules, Member **members, size_t *n, Diag *d)
{
    List list = {0};
    Source *source = ARENA_NEW(a, Source);
    if (!source) {
        close(fd);
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    }
    source->fd = fd;
    source->rules = rules;
    Status s = check_source(source, d);
    struct archive *in = s == STATUS_OK ? open_reader(source) : NULL;
    if (s == STATUS_OK)
        s = in && archive_read_open1(in) == ARCHIVE_OK
                ? read_in_utf8(a, in, source, &list, d)
                : diag_set(d, source->bomb ? STATUS_LIMIT : STATUS_PARSE, "no archive that can be read: %s",
                           in ? archive_error_string(in) : "no memory");
    archive_read_free(in);
    close(fd);
    *members = list.items;
    *n = list.n;
    return s;
}

Status handin_read_members(Arena *a, const char *path, const ReadRules *rules, Member **members, size_t *n,
                           Diag *d)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    Status s = fd < 0 ? diag_set(d, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "cannot open: %s",
                                 strerror(errno))
                      : read_source(a, fd, rules, members, n, d);
    if (s != STATUS_OK && d)
        snprintf(d->file, sizeof d->file, "%s", path);
    return s;
}

Status handin_read_nested(Arena *a, const Member *archive, Member **members, size_t *n, Diag *d)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < archive->length;) {
        ssize_t written = write(fd, archive->bytes + at, archive->length - at);
        if (written <= 0) {
            close(fd);
            fd = -1;
        } else {
            at += (size_t)written;
        }
    }
    if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
        return diag_set(d, STATUS_IO, "cannot keep an archive in memory: %s", strerror(errno));
    return read_source(a, fd, &handin_one_student, members, n, d);
}
