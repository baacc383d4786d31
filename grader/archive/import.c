/* From an archive to a folder of the class: DIR/<student>/<NN-lab>/. */
#include "grader/archive/archive_internal.h"
#include "grader/core/files.h"
#include "grader/text/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool handin_student_is_fit(const char *student)
{
    size_t length = strlen(student);
    if (length == 0 || length > HANDIN_STUDENT_MAX || student[0] == '.' || student[0] == '-')
        return false;
    if (student[0] == ' ' || student[length - 1] == ' ' || strpbrk(student, "/\\"))
        return false;
    for (size_t i = 0; i < length;) {
        Utf8Char c = utf8_next(student + i, length - i);
        if (!c.valid || utf8_is_control(c.code) || utf8_is_deceptive(c.code))
            return false;
        i += c.bytes;
    }
    return true;
}

/* Takes suffix off the end of name[0..length). */
static bool strip(const char *name, size_t *length, const char *suffix)
{
    size_t n = strlen(suffix);
    if (*length < n || strncasecmp(name + *length - n, suffix, n) != 0)
        return false;
    *length -= n;
    return true;
}

/* Takes off what browsers add to a second download: " (1)". */
static void strip_copy_number(const char *name, size_t *length)
{
    size_t n = *length;
    if (n == 0 || name[n - 1] != ')')
        return;
    size_t i = n - 1;
    while (i > 0 && isdigit((unsigned char)name[i - 1]))
        i--;
    if (i < n - 1 && i >= 2 && name[i - 1] == '(' && name[i - 2] == ' ')
        *length = i - 2;
}

Status handin_student(Arena *a, const char *path, const char *lab, const char **student, Diag *d)
{
    static const char *const suffixes[] = {".tar.gz", ".tgz", ".tar", ".zip"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strip(name, &length, suffixes[i]))
            break;
    strip_copy_number(name, &length);
    if (strip(name, &length, lab))
        while (length > 0 && strchr("_-. ", name[length - 1]))
            length--;
    *student = arena_strndup(a, name, length);
    if (!*student)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a student's id");
    if (length == 0)
        return diag_set_at(d, STATUS_NOT_FOUND, path, 0, 0,
                           "the file's name holds no student's id: it should be STUDENT_%s.tar.gz", lab);
    if (!handin_student_is_fit(*student))
        return diag_set_at(d, STATUS_INVALID, path, 0, 0,
                           "the file's name holds no id that can name a folder");
    return STATUS_OK;
}

/* Fills a folder beside the final one, then puts it in its place. */
Status handin_put_files(Arena *a, const Handin *h, const char *out_dir, const char *student,
                        const char **where, Diag *d)
{
    const char *final = arena_printf(a, "%s/%s/%s", out_dir, student, h->lab);
    const char *fresh = arena_printf(a, "%s/%s/.%s.new", out_dir, student, h->lab);
    if (!final || !fresh)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to import");
    Status s = handin_refuse_twin_in(out_dir, student, d);
    if (s == STATUS_OK)
        s = dir_remove(fresh, d);
    if (s == STATUS_OK)
        s = dir_make(fresh, d);
    for (size_t i = 0; i < h->n_files && s == STATUS_OK; i++) {
        const char *path = arena_printf(a, "%s/%s", fresh, h->files[i].name);
        s = path ? file_write_atomic(path, h->files[i].bytes, h->files[i].length, d)
                 : diag_set(d, STATUS_NO_MEMORY, "no memory to import");
    }
    if (s == STATUS_OK)
        s = dir_remove(final, d);
    if (s == STATUS_OK && rename(fresh, final) != 0)
        s = diag_set(d, STATUS_IO, "cannot put %s in place: %s", final, strerror(errno));
    *where = final;
    return s;
}

Status handin_import(Arena *a, const HandinImport *import, HandinPlaced *placed, Diag *d)
{
    Handin *h;
    *placed = (HandinPlaced){.student = "", .lab = "", .note = ""};
    Status s = handin_read(import->path, import->lab, import->allow, import->context, &h, d);
    if (s != STATUS_OK)
        return s;
    const char *student = import->student;
    if (!student)
        s = handin_student(a, import->path, h->lab, &student, d);
    else if (!handin_student_is_fit(student))
        s = diag_set(d, STATUS_INVALID, "the given student's id cannot name a folder");
    if (s == STATUS_OK)
        s = handin_put_files(a, h, import->out_dir, student, &placed->where, d);
    if (s == STATUS_OK) {
        const char *lab = arena_strndup(a, h->lab, strlen(h->lab));
        placed->student = student;
        placed->lab = lab ? lab : "";
        placed->note = handin_slips(a, h);
    }
    handin_free(h);
    return s;
}
