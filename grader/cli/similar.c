/* grade similar: which submissions of a class share passages of their own. Nothing is graded by it. */
#include "grader/archive/archive.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"
#include "grader/report/report.h"
#include "grader/similar/similar.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_BYTES_MAX = 1 << 20, GIVEN_FILES_MAX = 100 };

/* A lab's submissions. */
typedef struct Class {
    Arena *arena;
    const Options *options;
    Kit kit;
    const char **students;
    size_t n_students;
    ReportSimilar *labs;
    size_t n_labs;
} Class;

static Status no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
}

/* The named files of a folder, as far as they are regular files; absent ones are left out. */
static Status read_files(Arena *a, const char *dir, const char *const *names, size_t n, SimilarFile **files,
                         size_t *n_files, Diag *d)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *files = ARENA_NEW_ARRAY(a, SimilarFile, n + 1);
    *n_files = 0;
    Status s = *files ? STATUS_OK : no_memory(d);
    for (size_t i = 0; s == STATUS_OK && fd >= 0 && i < n; i++) {
        char *text;
        SimilarFile *f = &(*files)[*n_files];
        Status got = file_read_untrusted(a, fd, names[i], SOURCE_BYTES_MAX, &text, &f->length, d);
        if (got == STATUS_NO_MEMORY)
            s = got;
        if (got != STATUS_OK)
            continue;
        f->name = names[i];
        f->text = text;
        (*n_files)++;
    }
    if (fd >= 0)
        close(fd);
    return s;
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 ||
                   strcmp(dot, ".cuh") == 0);
}

/* Adds the sources of a folder to a list with room for it. */
static Status add_sources(Arena *a, const char *dir, SimilarFile *given, size_t *n, Diag *d)
{
    const char **names;
    SimilarFile *files;
    size_t n_names, kept = 0, n_files = 0;
    if (!dir)
        return no_memory(d);
    Status s = dir_list(a, dir, &names, &n_names, d);
    for (size_t i = 0; s == STATUS_OK && i < n_names; i++)
        if (is_source(names[i]))
            names[kept++] = names[i];
    if (s == STATUS_OK)
        s = read_files(a, dir, names, kept, &files, &n_files, d);
    for (size_t i = 0; s == STATUS_OK && i < n_files && *n < GIVEN_FILES_MAX; i++)
        given[(*n)++] = files[i];
    return s;
}

/* What is nobody's own: the sources of the lab's folder, starters first of all, and the kit's solution, where
 * this kit has it: what a right answer must look like. */
static Status read_given(Class *c, const char *lab, SimilarFile **given, size_t *n, Diag *d)
{
    *n = 0;
    *given = ARENA_NEW_ARRAY(c->arena, SimilarFile, GIVEN_FILES_MAX);
    if (!*given)
        return no_memory(d);
    Status s = add_sources(c->arena, arena_printf(c->arena, "%s/labs/%s", c->kit.root, lab), *given, n, d);
    const char *solution = arena_printf(c->arena, "%s/solutions/%s", c->kit.root, lab);
    if (s == STATUS_OK && solution && access(solution, R_OK) == 0)
        s = add_sources(c->arena, solution, *given, n, d);
    return s;
}

/* Adds what students handed in for a lab; a lab that nobody did is left out unless it was named. */
static Status compare_lab(Class *c, const Lab *lab, Diag *d)
{
    SimilarFile *given = NULL;
    size_t n_given = 0;
    SimilarPair *pairs = NULL;
    SimilarSettings settings = {.percent = c->options->percent > 0 ? (int)c->options->percent : 0,
                                .common = c->options->common > 0 ? (int)c->options->common : 0};
    SimilarWork *works = ARENA_NEW_ARRAY(c->arena, SimilarWork, c->n_students + 1);
    ReportSimilar *out = &c->labs[c->n_labs];
    *out = (ReportSimilar){.lab = arena_strndup(c->arena, lab->lab, strlen(lab->lab)), .works = works};
    const char **names = ARENA_NEW_ARRAY(c->arena, const char *, lab->n_files + 1);
    Status s = works && out->lab && names ? read_given(c, lab->lab, &given, &n_given, d) : no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < lab->n_files; i++)
        if (!(names[i] = arena_strndup(c->arena, lab->files[i], strlen(lab->files[i]))))
            s = no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < c->n_students; i++) {
        SimilarFile *files;
        SimilarWork *w = &works[out->n_works];
        const char *dir =
            arena_printf(c->arena, "%s/%s/%s", c->options->submissions, c->students[i], out->lab);
        s = dir ? read_files(c->arena, dir, names, lab->n_files, &files, &w->n_files, d) : no_memory(d);
        w->who = c->students[i];
        w->files = files;
        out->n_works += s == STATUS_OK && w->n_files > 0;
    }
    if (s == STATUS_OK)
        s = similar_find(c->arena, works, out->n_works, given, n_given, &settings, &pairs, &out->n_pairs, d);
    out->pairs = s == STATUS_OK ? pairs : NULL;
    c->n_labs += s == STATUS_OK && (out->n_works > 0 || c->options->labs);
    return s;
}

static Status compare_all(Class *c, Diag *d)
{
    const char **names, *dir = arena_printf(c->arena, "%s/labs", c->kit.root);
    const char **wanted;
    size_t n = 0;
    Status s = dir ? dir_list(c->arena, dir, &names, &n, d) : no_memory(d);
    if (s == STATUS_OK)
        s = cli_choose_kit_labs(c->arena, &c->kit, c->options->labs, &wanted, d);
    c->labs = s == STATUS_OK ? ARENA_NEW_ARRAY(c->arena, ReportSimilar, n + 1) : NULL;
    if (s == STATUS_OK && !c->labs)
        s = no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        Lab *lab;
        const char *path = arena_printf(c->arena, "%s/%s", dir, names[i]);
        if (!cli_listed(wanted, names[i]) || !path || lab_load(path, NULL, &lab, d) != STATUS_OK)
            continue;
        s = compare_lab(c, lab, d);
        lab_free(lab);
    }
    return s;
}

static Status list_students(Class *c, Diag *d)
{
    size_t n = 0;
    Status s = dir_list(c->arena, c->options->submissions, &c->students, &n, d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        if (handin_student_is_fit(c->students[i]))
            c->students[c->n_students++] = c->students[i];
    return s;
}

static Status write_page(const Class *c, Diag *d)
{
    const char *dir = arena_printf(c->arena, "%s/report", c->options->out);
    Status s = dir ? report_similar_html(c->labs, c->n_labs, "CUDA Lab Kit", dir, d) : no_memory(d);
    if (s == STATUS_OK)
        printf("%s/similar.html (`grade report --out %s` makes the index link to it)\n", dir,
               c->options->out);
    return s;
}

int cli_similar(Arena *a, const Options *o)
{
    Diag d;
    Class c = {.arena = a, .options = o};
    if (!o->submissions || o->n_operands)
        return cli_fail_text("--submissions must be given, and options only",
                             "grade similar --submissions DIR [--out DIR]");
    int refused = cli_check_out(o);
    if (refused != EXIT_FINE)
        return refused;
    Status s = kit_find(a, &c.kit, &d);
    if (s == STATUS_OK)
        s = list_students(&c, &d);
    if (s == STATUS_OK)
        s = compare_all(&c, &d);
    if (s == STATUS_OK) {
        StrBuf text = {0};
        report_similar(&text, c.labs, c.n_labs);
        if (text.text)
            fwrite(text.text, 1, text.length, stdout);
        strbuf_free(&text);
    }
    if (s == STATUS_OK && o->out)
        s = write_page(&c, &d);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
