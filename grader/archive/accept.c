/* A file that a person takes for one of the lab's; and the log of imports, which stays beside the class. */
#include "common/base/csv.h"
#include "grader/archive/archive.h"
#include "grader/archive/layouts.h"
#include "grader/core/files.h"
#include "grader/text/encoding.h"
#include "grader/text/escape.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_BYTES_MAX = 64 << 20 };

/* Accepting -------------------------------------------------------------------------------------------- */

static Status accept_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory to take a file");
}

/* The first of the places where the file is; a student's link is not followed. */
static Status find_file(Arena *a, const HandinAccept *x, const char **path, Diag *d)
{
    struct stat st;
    const char *places[] = {arena_printf(a, "%s/%s/%s", x->out_dir, x->student, x->file),
                            arena_printf(a, "%s/%s/%s/%s", x->out_dir, x->student, x->lab, x->file), x->file};
    for (size_t i = 0; i < 3; i++) {
        if (!places[i])
            return accept_no_memory(d);
        if ((i < 2 && x->file[0] == '/') || lstat(places[i], &st) != 0)
            continue;
        *path = places[i];
        return STATUS_OK;
    }
    diag_set(d, STATUS_NOT_FOUND, "there is no file %s", x->file);
    diag_hint(d, "as `grade status` and the report name it: below %s/%s, or a path", x->out_dir, x->student);
    return STATUS_NOT_FOUND;
}

/* A folder of the class must be a folder of its own: a link would lead into another student's. */
static Status check_folder(const char *path, Diag *d)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return dir_make(path, d);
    return S_ISDIR(st.st_mode) ? STATUS_OK
                               : diag_set(d, STATUS_INVALID, "%s is no folder: remove it first", path);
}

static bool same_file(const char *one, const char *other)
{
    struct stat x, y;
    return stat(one, &x) == 0 && stat(other, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What stands at the target already: nothing, or the file itself in an encoding that is converted. */
static Status check_target(Arena *a, const char *path, const char *target, Encoding e, const char *bytes,
                           size_t length, Diag *d)
{
    struct stat st;
    if (lstat(target, &st) != 0)
        return STATUS_OK;
    if (!same_file(path, target) || e == ENCODING_UTF8) {
        diag_set(d, STATUS_INVALID, "%s is there already", target);
        diag_hint(d, same_file(path, target) ? "it needs no accepting" : "remove it first to take the other");
        return STATUS_INVALID;
    }
    const char *before = arena_printf(a, "%s.before", target);
    return before ? file_write_atomic(before, bytes, length, d) : accept_no_memory(d);
}

static Status put_utf8(const char *target, Encoding e, const char *bytes, size_t length, Diag *d)
{
    StrBuf text = {0};
    encoding_to_utf8(&text, e, bytes, length);
    Status s = text.failed ? accept_no_memory(d)
                           : file_write_atomic(target, text.text ? text.text : "", text.length, d);
    strbuf_free(&text);
    return s;
}

Status handin_accept(Arena *a, const HandinAccept *x, HandinPlaced *placed, Diag *d)
{
    const char *path = NULL, *folder = arena_printf(a, "%s/%s", x->out_dir, x->student);
    const char *dir = arena_printf(a, "%s/%s/%s", x->out_dir, x->student, x->lab);
    const char *target = arena_printf(a, "%s/%s", dir ? dir : "", x->name);
    char *bytes = NULL;
    size_t length = 0;
    if (!folder || !dir || !target)
        return accept_no_memory(d);
    Status s = find_file(a, x, &path, d);
    if (s == STATUS_OK && handin_is_archive(path)) {
        s = diag_set(d, STATUS_INVALID, "%s is an archive", path);
        diag_hint(d, "grade import --submissions %s --students %s %s unpacks it", x->out_dir, x->student,
                  path);
    }
    if (s == STATUS_OK)
        s = file_read_untrusted(a, AT_FDCWD, path, HANDIN_MEMBER_MAX, &bytes, &length, d);
    Encoding e = s == STATUS_OK ? encoding_of(bytes, length) : ENCODING_UTF8;
    if (s == STATUS_OK && e == ENCODING_BINARY)
        s = diag_set(d, STATUS_INVALID, "%s is no text", path);
    if (s == STATUS_OK)
        s = check_folder(folder, d);
    if (s == STATUS_OK)
        s = check_folder(dir, d);
    if (s == STATUS_OK)
        s = check_target(a, path, target, e, bytes, length, d);
    if (s == STATUS_OK)
        s = put_utf8(target, e, bytes, length, d);
    const char *note = e == ENCODING_UTF8 ? "" : arena_printf(a, "converted from %s", encoding_word(e));
    *placed = (HandinPlaced){.student = x->student, .lab = x->lab, .where = target, .note = note ? note : ""};
    return s;
}

/* The log ---------------------------------------------------------------------------------------------- */

static const char HEADER[] = "import,student,lab,what,file,text";

static void put_line(StrBuf *out, long number, const ImportLine *line)
{
    strbuf_printf(out, "%ld,", number);
    escape_csv(out, line->student, strlen(line->student));
    strbuf_puts(out, ",");
    escape_csv(out, line->lab, strlen(line->lab));
    strbuf_puts(out, ",");
    escape_csv(out, line->what, strlen(line->what));
    strbuf_puts(out, ",");
    escape_csv(out, line->file, strlen(line->file));
    strbuf_puts(out, ",");
    escape_csv(out, line->text, strlen(line->text));
    strbuf_puts(out, "\r\n");
}

/* The number of the last import in the log, 0 where it has none; -1 when it is no log of imports. */
static long last_number(Arena *a, const char *bytes, size_t length)
{
    CsvRow *row = ARENA_NEW(a, CsvRow);
    size_t at = csv_start(bytes, length);
    long number = 0;
    if (!row || strncmp(bytes + at, HEADER, strlen(HEADER)) != 0)
        return -1;
    for (at = csv_next_line(bytes, length, at); at < length; at = row->end) {
        if (!csv_read_row(a, bytes, length, at, row))
            return -1;
        long own = strtol(row->cells[0].text, NULL, 10);
        number = own > number ? own : number;
    }
    return number;
}

Status import_log_add(const char *out_dir, const ImportLine *lines, size_t n, Diag *d)
{
    Arena a = {0};
    StrBuf out = {0};
    char *bytes = NULL;
    size_t length = 0;
    const char *path = arena_printf(&a, "%s/import-log.csv", out_dir);
    if (!n)
        return STATUS_OK;
    Status s = path ? file_read(&a, path, LOG_BYTES_MAX, &bytes, &length, d) : accept_no_memory(d);
    long number = s == STATUS_OK ? last_number(&a, bytes, length) : 0;
    if (s == STATUS_OK)
        strbuf_append(&out, bytes, length);
    else if (s == STATUS_NOT_FOUND)
        strbuf_printf(&out, "%s\r\n", HEADER);
    if (s == STATUS_NOT_FOUND)
        s = dir_make(out_dir, d);
    if (s == STATUS_OK && number < 0)
        s = diag_set_at(d, STATUS_PARSE, path, 1, 0, "the first line must be %s", HEADER);
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        put_line(&out, number + 1, &lines[i]);
    if (s == STATUS_OK)
        s = out.failed ? accept_no_memory(d) : file_write_atomic(path, out.text, out.length, d);
    strbuf_free(&out);
    arena_free(&a);
    return s;
}
