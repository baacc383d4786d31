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
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_BYTES_MAX = 1 << 20, GIVEN_FILES_MAX = 100 };

/* A lab's submissions. */
typedef struct Class {
    Arena *arena;
    const Options *options;
    Kit kit;
    const char **students;
    size_t n_students;
    const char **earlier; /* folders of students below --earlier */
    size_t n_earlier;
    ReportSimilar *labs;
    size_t n_labs;
} Class;

static Status similar_no_memory(Diag *d)
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
    Status s = *files ? STATUS_OK : similar_no_memory(d);
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
        return similar_no_memory(d);
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
 * this kit has it: what a right answer must look like. The first *n_handed are what students have. */
static Status read_given(Class *c, const char *lab, SimilarFile **given, size_t *n, size_t *n_handed, Diag *d)
{
    *n = 0;
    *given = ARENA_NEW_ARRAY(c->arena, SimilarFile, GIVEN_FILES_MAX);
    if (!*given)
        return similar_no_memory(d);
    Status s = add_sources(c->arena, arena_printf(c->arena, "%s/labs/%s", c->kit.root, lab), *given, n, d);
    *n_handed = *n;
    const char *solution = arena_printf(c->arena, "%s/solutions/%s", c->kit.root, lab);
    if (s == STATUS_OK && solution && access(solution, R_OK) == 0)
        s = add_sources(c->arena, solution, *given, n, d);
    return s;
}

/* Adds a work, if it has files. */
static Status add_work(Class *c, const Lab *lab, const char *const *names, const char *root, const char *who,
                       SimilarWork *works, ReportSimilar *out, Diag *d)
{
    SimilarFile *files = NULL;
    SimilarWork *w = &works[out->n_works];
    const char *dir = arena_printf(c->arena, "%s/%s/%s", root, who, out->lab);
    Status s =
        dir ? read_files(c->arena, dir, names, lab->n_files, &files, &w->n_files, d) : similar_no_memory(d);
    w->who = who;
    w->files = files;
    out->n_works += s == STATUS_OK && w->n_files > 0;
    return s;
}

/* The works of the class, then those of earlier years. */
static Status read_works(Class *c, const Lab *lab, SimilarWork *works, ReportSimilar *out, Diag *d)
{
    const char **names = ARENA_NEW_ARRAY(c->arena, const char *, lab->n_files + 1);
    Status s = names ? STATUS_OK : similar_no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < lab->n_files; i++)
        if (!(names[i] = arena_strndup(c->arena, lab->files[i], strlen(lab->files[i]))))
            s = similar_no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < c->n_students; i++)
        s = add_work(c, lab, names, c->options->submissions, c->students[i], works, out, d);
    for (size_t i = 0; s == STATUS_OK && i < c->n_earlier; i++) {
        size_t before = out->n_works;
        s = add_work(c, lab, names, c->options->earlier, c->earlier[i], works, out, d);
        if (s == STATUS_OK && out->n_works > before) {
            works[before].who = arena_printf(c->arena, "earlier/%s", c->earlier[i]);
            works[before].earlier = true;
            s = works[before].who ? s : similar_no_memory(d);
        }
    }
    return s;
}

static bool has_new_one(const SimilarWork *works, const SimilarGroup *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (!works[g->works[i]].earlier)
            return true;
    return false;
}

/* Whether the work has the text of one before it in a group. */
static bool is_repeated(const SimilarGroup *groups, size_t n, size_t work)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k < groups[i].n; k++)
            if (groups[i].works[k] == work)
                return true;
    return false;
}

/* Pairs of works of which none repeats another's text; pairs of earlier years alone are left out. */
static Status find_pairs(Class *c, ReportSimilar *out, const SimilarGroup *groups, size_t n_groups,
                         const SimilarFile *given, size_t n_given, Diag *d)
{
    const SimilarSettings settings = {.percent = c->options->percent > 0 ? (int)c->options->percent : 0,
                                      .common = c->options->common > 0 ? (int)c->options->common : 0};
    SimilarWork *own = ARENA_NEW_ARRAY(c->arena, SimilarWork, out->n_works + 1);
    size_t *index = ARENA_NEW_ARRAY(c->arena, size_t, out->n_works + 1), n = 0, kept = 0, n_pairs = 0;
    SimilarPair *pairs = NULL;
    if (!own || !index)
        return similar_no_memory(d);
    for (size_t i = 0; i < out->n_works; i++) {
        if (is_repeated(groups, n_groups, i))
            continue;
        own[n] = out->works[i];
        index[n++] = i;
    }
    Status s = similar_find(c->arena, own, n, given, n_given, &settings, &pairs, &n_pairs, d);
    for (size_t i = 0; s == STATUS_OK && i < n_pairs; i++) {
        SimilarPair pair = pairs[i];
        pair.work[0] = index[pair.work[0]];
        pair.work[1] = index[pair.work[1]];
        if (!out->works[pair.work[0]].earlier || !out->works[pair.work[1]].earlier)
            pairs[kept++] = pair;
    }
    out->pairs = s == STATUS_OK ? pairs : NULL;
    out->n_pairs = s == STATUS_OK ? kept : 0;
    return s;
}

static Status compare_works(Class *c, ReportSimilar *out, const SimilarFile *given, size_t n_given,
                            size_t n_handed, Diag *d)
{
    SimilarGroup *groups, *clusters;
    size_t n_groups, n_clusters;
    Status s = similar_identical(c->arena, out->works, out->n_works, given, n_handed, &groups, &n_groups, d);
    if (s == STATUS_OK)
        s = find_pairs(c, out, groups, n_groups, given, n_given, d);
    if (s == STATUS_OK)
        s = similar_clusters(c->arena, out->n_works, out->pairs, out->n_pairs, groups, n_groups, &clusters,
                             &n_clusters, d);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < n_groups; i++)
        if (has_new_one(out->works, &groups[i]))
            groups[out->n_identical++] = groups[i];
    out->identical = groups;
    out->clusters = clusters;
    out->n_clusters = n_clusters;
    return STATUS_OK;
}

/* Adds what students handed in for a lab; a lab that nobody did is left out unless it was named. */
static Status compare_lab(Class *c, const Lab *lab, Diag *d)
{
    SimilarFile *given = NULL;
    size_t n_given = 0, n_handed = 0;
    SimilarWork *works = ARENA_NEW_ARRAY(c->arena, SimilarWork, c->n_students + c->n_earlier + 1);
    ReportSimilar *out = &c->labs[c->n_labs];
    *out = (ReportSimilar){.lab = arena_strndup(c->arena, lab->lab, strlen(lab->lab)), .works = works};
    Status s =
        works && out->lab ? read_given(c, lab->lab, &given, &n_given, &n_handed, d) : similar_no_memory(d);
    if (s == STATUS_OK)
        s = read_works(c, lab, works, out, d);
    if (s == STATUS_OK)
        s = compare_works(c, out, given, n_given, n_handed, d);
    bool any_new = out->n_works > 0 && !works[0].earlier;
    c->n_labs += s == STATUS_OK && (any_new || c->options->labs);
    return s;
}

static Status compare_all(Class *c, Diag *d)
{
    const char **names, *dir = arena_printf(c->arena, "%s/labs", c->kit.root);
    const char **wanted;
    size_t n = 0;
    Status s = dir ? dir_list(c->arena, dir, &names, &n, d) : similar_no_memory(d);
    if (s == STATUS_OK)
        s = cli_choose_kit_labs(c->arena, &c->kit, c->options->labs, &wanted, d);
    c->labs = s == STATUS_OK ? ARENA_NEW_ARRAY(c->arena, ReportSimilar, n + 1) : NULL;
    if (s == STATUS_OK && !c->labs)
        s = similar_no_memory(d);
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

static bool is_folder(const char *path)
{
    struct stat st;
    return path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether a folder holds that of some lab of the kit. */
static bool holds_labs(const Class *c, const char *path, const char **labs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_folder(arena_printf(c->arena, "%s/%s", path, labs[i])))
            return true;
    return false;
}

static Status add_earlier(Class *c, size_t *cap, const char *who, Diag *d)
{
    size_t need = c->n_earlier + 1;
    if (!who)
        return similar_no_memory(d);
    if (need > *cap) {
        size_t wider = *cap ? 2 * *cap : 64;
        const char **list = ARENA_NEW_ARRAY(c->arena, const char *, wider);
        if (!list)
            return similar_no_memory(d);
        if (c->n_earlier)
            memcpy(list, c->earlier, c->n_earlier * sizeof *list);
        c->earlier = list;
        *cap = wider;
    }
    c->earlier[c->n_earlier++] = who;
    return STATUS_OK;
}

/* The students of earlier years: "s001", or "2025/s001" where --earlier holds years. */
static Status list_earlier(Class *c, Diag *d)
{
    const char **names, **labs, **inner, *root = c->options->earlier;
    size_t n = 0, n_labs = 0, n_inner = 0, cap = 0;
    if (!root)
        return STATUS_OK;
    const char *kit_labs = arena_printf(c->arena, "%s/labs", c->kit.root);
    Status s = kit_labs ? dir_list(c->arena, kit_labs, &labs, &n_labs, d) : similar_no_memory(d);
    if (s == STATUS_OK)
        s = dir_list(c->arena, root, &names, &n, d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        const char *path = arena_printf(c->arena, "%s/%s", root, names[i]);
        if (!is_folder(path))
            continue;
        if (holds_labs(c, path, labs, n_labs)) {
            s = add_earlier(c, &cap, names[i], d);
            continue;
        }
        s = dir_list(c->arena, path, &inner, &n_inner, d);
        for (size_t k = 0; s == STATUS_OK && k < n_inner; k++)
            if (holds_labs(c, arena_printf(c->arena, "%s/%s", path, inner[k]), labs, n_labs))
                s = add_earlier(c, &cap, arena_printf(c->arena, "%s/%s", names[i], inner[k]), d);
    }
    if (s == STATUS_OK && c->n_earlier == 0) {
        s = diag_set(d, STATUS_NOT_FOUND, "--earlier: %s holds nobody's labs", root);
        diag_hint(d, "DIR/<student>/<NN-lab>/<files>, or DIR/<year>/<student>/...");
    }
    return s;
}

static Status write_page(const Class *c, Diag *d)
{
    const char *dir = arena_printf(c->arena, "%s/report", c->options->out);
    Status s = dir ? report_similar_html(c->labs, c->n_labs, "CUDA Lab Kit", dir, d) : similar_no_memory(d);
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
        s = list_earlier(&c, &d);
    if (s == STATUS_OK)
        s = compare_all(&c, &d);
    if (s == STATUS_OK) {
        StrBuf text = {0};
        report_similar(&text, c.labs, c.n_labs);
        strbuf_print(&text, stdout);
    }
    if (s == STATUS_OK && o->out)
        s = write_page(&c, &d);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
