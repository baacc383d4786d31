/* submission: see submission.h. */
#include "common/starters/submission.h"

#include "common/starters/edit.h"
#include "common/starters/source.h"

#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"broken", "accepted"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static Status join(char path[SUBMISSION_PATH_MAX], Diag *diag, const char *folder, const char *name,
                   const char *suffix)
{
    if (snprintf(path, SUBMISSION_PATH_MAX, "%s/%s%s", folder, name, suffix) < SUBMISSION_PATH_MAX)
        return STATUS_OK;
    return diag_set(diag, STATUS_LIMIT, "the path of %s is too long", name);
}

Status submission_open(const char *lab_dir, const LabFile *lab, SubmissionLab *s, Diag *diag)
{
    char *real = realpath(lab_dir, NULL), *again = real ? strdup(real) : NULL;
    Status status = STATUS_NOT_FOUND;
    s->lab = lab;
    if (again && snprintf(s->solution_dir, sizeof s->solution_dir, "%s/solutions/%s", dirname(dirname(again)),
                          strrchr(real, '/') + 1) >= (int)sizeof s->solution_dir)
        status = STATUS_LIMIT;
    else if (again && access(s->solution_dir, R_OK) == 0)
        status = STATUS_OK;
    free(real);
    free(again);
    return status ? diag_set(diag, status, "the solutions of %s are not here", lab_dir) : STATUS_OK;
}

/* The name of the source that the file at `path` is, or is the edit of. */
static Status source_name(const char *path, char name[SUBMISSION_PATH_MAX], Diag *diag)
{
    const char *slash = strrchr(path, '/');
    if (snprintf(name, SUBMISSION_PATH_MAX, "%s", slash ? slash + 1 : path) >= SUBMISSION_PATH_MAX)
        return diag_set(diag, STATUS_LIMIT, "the path %s is too long", path);
    if (edit_is(name))
        name[strlen(name) - strlen(EDIT_SUFFIX)] = '\0';
    return STATUS_OK;
}

/* The lab's file that a source of this name stands for: that of the same name, else the first one. */
static const char *file_of(const LabFile *lab, const char *name)
{
    for (size_t i = 0; i < lab->n_files; i++)
        if (strcmp(lab->files[i], name) == 0)
            return lab->files[i];
    return lab->n_files > 0 ? lab->files[0] : "";
}

/* What the source at `path` is held against: the solution without its markers. */
static Status read_solution(const SubmissionLab *s, const char *path, StrBuf *text, Diag *diag)
{
    char name[SUBMISSION_PATH_MAX], solution[SUBMISSION_PATH_MAX];
    StrBuf marked = {0};
    Source source = {0};
    Status status = source_name(path, name, diag);
    if (!status)
        status = join(solution, diag, s->solution_dir, file_of(s->lab, name), "");
    if (!status)
        status = source_read_file(solution, &marked, diag);
    if (!status)
        status = source_parse(solution, marked.text, &source, diag);
    if (!status)
        strbuf_append(text, source.solution.text ? source.solution.text : "", source.solution.length);
    strbuf_free(&marked);
    source_free(&source);
    return status;
}

/* Appends the whole source that a file is, or is the edit of. */
static Status read_whole(const SubmissionLab *s, const char *path, StrBuf *whole, Diag *diag)
{
    StrBuf text = {0}, solution = {0};
    Status status = source_read_file(path, &text, diag);
    if (!status && edit_is(path))
        status = read_solution(s, path, &solution, diag);
    if (!status)
        status = edit_is(path) ? edit_apply(path, text.text, solution.text, whole, diag)
                               : edit_number_lines(path, text.text, whole, diag);
    strbuf_free(&text);
    strbuf_free(&solution);
    return status;
}

Status submission_read(const SubmissionLab *s, const char *kind, const char *name, StrBuf *whole, Diag *diag)
{
    static const char *const suffixes[] = {(".cu" EDIT_SUFFIX), ".cu", EDIT_SUFFIX, ""};
    char folder[SUBMISSION_PATH_MAX], path[SUBMISSION_PATH_MAX];
    struct stat st;
    Status status = join(folder, diag, s->solution_dir, kind, "");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !status; i++) {
        status = join(path, diag, folder, name, suffixes[i]);
        if (!status && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            return read_whole(s, path, whole, diag);
    }
    if (!status)
        status = diag_set(diag, STATUS_NOT_FOUND, "%s has no submission %s", folder, name);
    diag_hint(diag, "a name is that of a file without .cu, or FOLDER/FILE");
    return status;
}

/* ---- All of a lab ---- */

typedef struct WriteAll {
    const SubmissionLab *s;
    const char *to;
    StrBuf *report;
    size_t *n_faults;
} WriteAll;

static Status make_folder(const char *path, Diag *diag)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return STATUS_OK;
    return diag_set_at(diag, STATUS_IO, path, 0, 0, "%s", strerror(errno));
}

/* The whole source of one file into `folder`. */
static Status write_one(const WriteAll *w, const char *path, const char *folder, Diag *diag)
{
    char name[SUBMISSION_PATH_MAX], to[SUBMISSION_PATH_MAX],
        line[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    StrBuf whole = {0};
    Diag why = {0};
    Status status = source_name(path, name, diag);
    if (!status)
        status = join(to, diag, folder, name, "");
    if (!status && read_whole(w->s, path, &whole, &why) == STATUS_OK) {
        status = source_write_file(to, &whole, diag);
    } else if (!status) {
        diag_format(&why, NULL, line, sizeof line);
        strbuf_puts(w->report, line);
        *w->n_faults += 1;
    }
    strbuf_free(&whole);
    return status;
}

/* What stands in a folder, as write_one writes it; of `depth` more folders in it, the same into folders of
 * their names. */
static Status write_folder(const WriteAll *w, const char *from, const char *to, int depth, Diag *diag)
{
    char pattern[SUBMISSION_PATH_MAX], folder[SUBMISSION_PATH_MAX];
    glob_t found = {0};
    struct stat st;
    Status status = join(pattern, diag, from, "*", "");
    if (!status)
        status = make_folder(to, diag);
    if (!status && glob(pattern, 0, NULL, &found) == GLOB_NOSPACE)
        status = diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", from);
    for (size_t i = 0; i < found.gl_pathc && !status; i++) {
        const char *path = found.gl_pathv[i];
        if (stat(path, &st) != 0 || (S_ISDIR(st.st_mode) && depth == 0))
            continue;
        if (!S_ISDIR(st.st_mode)) {
            status = write_one(w, path, to, diag);
            continue;
        }
        status = join(folder, diag, to, strrchr(path, '/') + 1, "");
        if (!status)
            status = write_folder(w, path, folder, depth - 1, diag);
    }
    globfree(&found);
    return status;
}

Status submission_write_all(const SubmissionLab *s, const char *to, StrBuf *report, size_t *n_faults,
                            Diag *diag)
{
    WriteAll w = {s, to, report, n_faults};
    char from[SUBMISSION_PATH_MAX], folder[SUBMISSION_PATH_MAX];
    Status status = make_folder(to, diag);
    for (int i = 0; i < N_KINDS && !status; i++) {
        status = join(from, diag, s->solution_dir, kinds[i], "");
        if (!status)
            status = join(folder, diag, to, kinds[i], "");
        if (!status && access(from, R_OK) == 0)
            status = write_folder(&w, from, folder, 1, diag);
    }
    return status;
}

Status submission_make_edit(const SubmissionLab *s, const char *path, StrBuf *edit, Diag *diag)
{
    StrBuf whole = {0}, solution = {0};
    Status status = source_read_file(path, &whole, diag);
    if (!status)
        status = read_solution(s, path, &solution, diag);
    if (!status)
        status = edit_make(path, whole.text, solution.text, edit, diag);
    strbuf_free(&whole);
    strbuf_free(&solution);
    return status;
}
