/* labtool: what a lab's Makefile asks of lab.yaml.
 *
 *   labtool case LABDIR [NAME]          a public case (the first one) as the fields of the judge's commands:
 *                                       NAME SEED RTOL ATOL NAN KEY=VALUE..., separated by tabs
 *   labtool options LABDIR [NAME]       the options of the vgpu command that the case asks for, one a line
 *   labtool cases LABDIR                the names of the public cases that run a program, one a line
 *   labtool files LABDIR                the names of the files that are handed in, one a line
 *   labtool libraries LABDIR            the libraries that its program links beside the runtime, one a line
 *   labtool hint LABDIR RECORD [TODO]   the next hint; RECORD is the file that remembers what was shown
 *   labtool language LABDIR             the language that the lab speaks
 *   labtool say LABDIR ENGLISH          a sentence of the kit in that language
 *
 * And, where the solutions are, of the lab's wrong (broken) and unusual (accepted) submissions, most of which
 * are edits of the solution (edit.h):
 *
 *   labtool broken LABDIR NAME          the whole source of one: NAME as no-guard, or half-mended/smooth.cu
 *                                       of a folder
 *   labtool accepted LABDIR NAME        the same
 *   labtool submissions LABDIR TO       all of them as whole sources, in TO/broken and TO/accepted
 *   labtool edit LABDIR FILE            the edit that makes the source in FILE of the solution
 *
 * LABDIR is labs/NN-name; in the kit's folder NN-name is enough.
 *
 * KIT_LANG=zh-CN in the environment asks for Chinese, which those labs speak that have their texts in it
 * (language.h); English otherwise.
 *
 * Exit status: 0; 2 when something is not there or not understood.
 */
#include "common/starters/hint.h"
#include "common/starters/source.h"
#include "common/starters/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FINE = 0, EXIT_KIT = 2 };

static const char usage[] =
    "labtool case|options|cases|files|libraries|hint|language|say|broken|accepted|submissions|edit LABDIR "
    "...";

static const LabFileCase *find_case(const LabFile *lab, const char *name)
{
    for (size_t i = 0; i < lab->n_cases; i++)
        if (name ? strcmp(lab->cases[i].name, name) == 0 : lab->cases[i].run)
            return &lab->cases[i];
    return NULL;
}

static Status no_case(const char *name, Diag *diag)
{
    diag_set(diag, STATUS_NOT_FOUND, "no case '%s'", name ? name : "");
    diag_hint(diag, "the names are those under `cases` in lab.yaml");
    return STATUS_NOT_FOUND;
}

static Status print_options(const LabFile *lab, const char *name, StrBuf *out, Diag *diag)
{
    const LabFileCase *c = find_case(lab, name);
    if (!c)
        return no_case(name, diag);
    if (strcmp(c->devices, "1") != 0)
        strbuf_printf(out, "--devices=%s\n", c->devices);
    for (size_t i = 0; i < c->n_vgpu; i++)
        strbuf_printf(out, "%s\n", c->vgpu[i]);
    return STATUS_OK;
}

static Status print_lines(const char *const *texts, size_t n, StrBuf *out)
{
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%s\n", texts[i]);
    return STATUS_OK;
}

static Status print_case(const LabFile *lab, const char *name, StrBuf *out, Diag *diag)
{
    const LabFileCase *c = find_case(lab, name);
    if (!c)
        return no_case(name, diag);
    if (!c->run) {
        diag_set(diag, STATUS_INVALID, "case '%s' runs no program: it looks at the answer file alone",
                 c->name);
        diag_hint(diag, "`make check` judges it");
        return STATUS_INVALID;
    }
    strbuf_printf(out, "%s\t%s\t%s\t%s\t%s", c->name, c->seed, c->rtol, c->atol, c->nan);
    for (size_t i = 0; i < c->n_params; i++)
        strbuf_printf(out, "\t%s=%s", c->params[i].key, c->params[i].value);
    strbuf_puts(out, "\n");
    return STATUS_OK;
}

/* The lab's texts in the language of KIT_LANG; empty, and in English, where it has none. */
static Status read_texts(const char *folder, LabFile *texts, Diag *diag)
{
    Language language;
    *texts = (LabFile){0};
    bool other = language_find(getenv("KIT_LANG"), &language) && language != LANGUAGE_ENGLISH;
    return other ? labfile_read_texts(folder, language, texts, diag) : STATUS_OK;
}

static Status print_hint(const LabFile *lab, const char *folder, const char *record, const char *todo,
                         StrBuf *out, Diag *diag)
{
    char path[DIAG_FILE_MAX];
    StrBuf code = {0};
    for (size_t i = 0; i < lab->n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, lab->files[i]);
        source_read_file(path, &code, NULL); /* a file that is not there mentions no TODO */
    }
    LabFile texts;
    Status status = read_texts(folder, &texts, diag);
    if (!status)
        status =
            hint_next(texts.n_hints > 0 ? &texts : lab, todo ? atoi(todo) : 0, code.text, record, out, diag);
    labfile_free(&texts);
    strbuf_free(&code);
    return status;
}

/* The name of the language that the lab speaks; or, in it, a sentence of the kit. */
static Status print_language(const char *folder, const char *sentence, StrBuf *out, Diag *diag)
{
    LabFile texts;
    Status status = read_texts(folder, &texts, diag);
    if (!status)
        strbuf_puts(out, sentence ? language_say(texts.language, sentence) : language_name(texts.language));
    labfile_free(&texts);
    return status;
}

/* What is asked about submissions. */
static Status serve_submission(const char *command, const char *lab_dir, const char *what, const LabFile *lab,
                               StrBuf *out, Diag *diag)
{
    SubmissionLab s;
    size_t n_faults = 0;
    Status status = submission_open(lab_dir, lab, &s, diag);
    if (status)
        return status;
    if (strcmp(command, "edit") == 0)
        return submission_make_edit(&s, what, out, diag);
    if (strcmp(command, "submissions") != 0)
        return submission_read(&s, command, what, out, diag);
    status = submission_write_all(&s, what, out, &n_faults, diag);
    if (!status && n_faults > 0)
        status = diag_set(diag, STATUS_PARSE, "%zu of %s cannot be made", n_faults, lab_dir);
    return status;
}

static bool is_about_submissions(const char *command)
{
    static const char *const commands[] = {"broken", "accepted", "submissions", "edit"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(command, commands[i]) == 0)
            return true;
    return false;
}

static Status serve(const char *command, int argc, char **argv, const LabFile *lab, StrBuf *out, Diag *diag)
{
    if (strcmp(command, "case") == 0)
        return print_case(lab, argc > 3 && *argv[3] ? argv[3] : NULL, out, diag);
    if (strcmp(command, "options") == 0)
        return print_options(lab, argc > 3 && *argv[3] ? argv[3] : NULL, out, diag);
    if (strcmp(command, "hint") == 0 && argc > 3)
        return print_hint(lab, argv[2], argv[3], argc > 4 && *argv[4] ? argv[4] : NULL, out, diag);
    if (strcmp(command, "language") == 0 || (strcmp(command, "say") == 0 && argc > 3))
        return print_language(argv[2], *command == 's' ? argv[3] : NULL, out, diag);
    if (is_about_submissions(command) && argc > 3)
        return serve_submission(command, argv[2], argv[3], lab, out, diag);
    if (strcmp(command, "files") == 0)
        return print_lines(lab->files, lab->n_files, out);
    if (strcmp(command, "libraries") == 0)
        return print_lines(lab->libraries, lab->n_libraries, out);
    if (strcmp(command, "cases") != 0)
        return diag_set(diag, STATUS_INVALID, "usage: %s", usage);
    for (size_t i = 0; i < lab->n_cases; i++)
        if (lab->cases[i].run)
            strbuf_printf(out, "%s\n", lab->cases[i].name);
    return STATUS_OK;
}

/* The lab's folder: as it is named, or in labs/. */
static void find_lab(const char *named, char folder[DIAG_FILE_MAX])
{
    char path[DIAG_FILE_MAX + 16];
    snprintf(folder, DIAG_FILE_MAX, "%s", named);
    snprintf(path, sizeof path, "labs/%s/lab.yaml", named);
    if (!strchr(named, '/') && access(path, R_OK) == 0)
        snprintf(folder, DIAG_FILE_MAX, "labs/%s", named);
}

static Status serve_lab(int argc, char **argv, StrBuf *out, Diag *diag)
{
    char folder[DIAG_FILE_MAX], path[DIAG_FILE_MAX + 16];
    LabFile lab = {0};
    if (argc < 3)
        return diag_set(diag, STATUS_INVALID, "usage: %s", usage);
    find_lab(argv[2], folder);
    argv[2] = folder;
    snprintf(path, sizeof path, "%s/lab.yaml", folder);
    Status status = labfile_read(path, &lab, diag);
    if (!status)
        status = serve(argv[1], argc, argv, &lab, out, diag);
    labfile_free(&lab);
    return status;
}

int main(int argc, char **argv)
{
    StrBuf out = {0};
    Diag diag = {0};
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    Status status = serve_lab(argc, argv, &out, &diag);
    fputs(out.text ? out.text : "", stdout);
    if (status) {
        diag_format(&diag, NULL, text, sizeof text);
        fprintf(stderr, "labtool: %s", text);
    }
    strbuf_free(&out);
    return status ? EXIT_KIT : EXIT_FINE;
}
