/* grade run, grade regrade: a class's submissions. */
#include "grader/archive/archive.h"
#include "grader/build/places.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"
#include "grader/core/version.h"
#include "grader/db/gradebook.h"
#include "grader/exec/class.h"
#include "grader/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SEED_BYTES_MAX = 64 };

/* A class that is being graded. */
typedef struct ClassRun {
    Arena *arena;
    const Options *options;
    GradeRun run;
    Lab **labs;
    size_t n_labs;
    Submission *submissions;
    size_t n_submissions;
    Gradebook *book;
    GradebookRun book_run;
    size_t n_done;
    bool save_failed;
    bool terminal;
} ClassRun;

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The seed --------------------------------------------------------------------------------------- */

/* Given, else that of an earlier run into the same folder, else a new one; kept in OUT/seed, for the owner's
 * eyes. */
static Status choose_seed(ClassRun *c, bool must_exist, Diag *d)
{
    const Options *o = c->options;
    const char *path = arena_printf(c->arena, "%s/seed", o->out);
    char *text;
    size_t length;
    Status s = path ? file_read(c->arena, path, SEED_BYTES_MAX, &text, &length, d) : STATUS_NO_MEMORY;
    if (s != STATUS_OK && s != STATUS_NOT_FOUND)
        return s;
    if (s == STATUS_NOT_FOUND && must_exist)
        return diag_set(d, s, "%s holds no earlier run: there is no %s", o->out, path);
    if (o->seed >= 0)
        c->run.seed = (uint64_t)o->seed;
    else if (s == STATUS_OK)
        c->run.seed = strtoull(text, NULL, 10);
    else if (getrandom(&c->run.seed, sizeof c->run.seed, 0) != sizeof c->run.seed)
        return diag_set(d, STATUS_IO, "no random numbers: %s", strerror(errno));
    c->run.seed &= (UINT64_C(1) << 53) - 1;
    const char *line = arena_printf(c->arena, "%llu\n", (unsigned long long)c->run.seed);
    s = line ? file_write_atomic(path, line, strlen(line), d) : STATUS_NO_MEMORY;
    if (s == STATUS_OK)
        chmod(path, 0600);
    return s;
}

/* Labs and submissions ----------------------------------------------------------------------------- */

/* Whether any student has a folder for the lab. */
static bool is_handed_in(const ClassRun *c, const char *const *students, const char *lab)
{
    for (; *students; students++) {
        const char *path = arena_printf(c->arena, "%s/%s/%s", c->options->submissions, *students, lab);
        if (path && is_folder(path))
            return true;
    }
    return false;
}

static Status load_one_lab(ClassRun *c, const char *name, Diag *d)
{
    const char *dir = arena_printf(c->arena, "%s/labs/%s", c->run.kit.root, name);
    if (!dir)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the labs");
    Lab *lab;
    Status s = lab_load(dir, cli_hidden_path(c->arena, &c->run.kit, name), &lab, d);
    if (s == STATUS_OK)
        c->labs[c->n_labs++] = lab;
    if (s == STATUS_OK)
        s = kit_check_lab(&c->run.kit, name, d);
    return s != STATUS_OK ? s : places_stage_lab(&c->run.kit, lab, c->run.work, d);
}

/* The labs that were named, or those of the kit that somebody handed in. */
static Status load_labs(ClassRun *c, const char *const *students, Diag *d)
{
    const char **names, *labs_dir = arena_printf(c->arena, "%s/labs", c->run.kit.root);
    size_t n;
    if (c->options->labs)
        names = cli_split(c->arena, c->options->labs, &n);
    else if (!labs_dir || dir_list(c->arena, labs_dir, &names, &n, d) != STATUS_OK)
        return STATUS_IO;
    c->labs = ARENA_NEW_ARRAY(c->arena, Lab *, n + 1);
    if (!c->labs)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the labs");
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        if (c->options->labs || is_handed_in(c, students, names[i]))
            s = load_one_lab(c, names[i], d);
    if (s == STATUS_OK && !c->n_labs)
        s = diag_set(d, STATUS_NOT_FOUND, "%s holds no submission for any lab (DIR/<student>/<NN-lab>/)",
                     c->options->submissions);
    return s;
}

/* The students: folders of the class's folder, in order. */
static Status list_students(ClassRun *c, const char ***students, size_t *n, Diag *d)
{
    const char **names;
    size_t n_names;
    const char **wanted = cli_split(c->arena, c->options->students, NULL);
    Status s = dir_list(c->arena, c->options->submissions, &names, &n_names, d);
    if (s != STATUS_OK)
        return s;
    *students = ARENA_NEW_ARRAY(c->arena, const char *, n_names + 1);
    *n = 0;
    for (size_t i = 0; *students && i < n_names; i++) {
        const char *path = arena_printf(c->arena, "%s/%s", c->options->submissions, names[i]);
        if (!path || !is_folder(path) || !cli_listed(wanted, names[i]))
            continue;
        if (handin_student_is_fit(names[i]))
            (*students)[(*n)++] = names[i];
        else
            fprintf(stderr, "grade: a folder of %s has no fit name for a student and is passed over\n",
                    c->options->submissions);
    }
    if (!*students)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    return *n ? STATUS_OK
              : diag_set(d, STATUS_NOT_FOUND, "%s holds no student's folder", c->options->submissions);
}

/* Every student in every lab, what is missing too. */
static Status list_submissions(ClassRun *c, const char **students, size_t n_students, Diag *d)
{
    c->submissions = ARENA_NEW_ARRAY(c->arena, Submission, n_students * c->n_labs + 1);
    if (!c->submissions)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the submissions");
    for (size_t i = 0; i < n_students; i++) {
        for (size_t k = 0; k < c->n_labs; k++) {
            const char *folder =
                arena_printf(c->arena, "%s/%s/%s", c->options->submissions, students[i], c->labs[k]->lab);
            if (!folder)
                return diag_set(d, STATUS_NO_MEMORY, "no memory for the submissions");
            c->submissions[c->n_submissions++] =
                (Submission){.student = students[i], .lab = c->labs[k], .folder = folder};
        }
    }
    return STATUS_OK;
}

/* Grading -------------------------------------------------------------------------------------- */

static void on_graded(void *context, size_t i, const Result *r)
{
    ClassRun *c = context;
    (void)i;
    Diag d;
    if (gradebook_save(c->book, c->book_run.id, r, NULL, &d) != STATUS_OK && !c->save_failed) {
        c->save_failed = true;
        cli_fail(&d);
    }
    StrBuf line = {0};
    report_progress(&line, ++c->n_done, c->n_submissions, r, report_style_for(2));
    if (line.text)
        fprintf(stderr, c->terminal ? "\r\033[K%.*s" : "%.*s\n", (int)strcspn(line.text, "\n"), line.text);
    strbuf_free(&line);
}

static Status open_book(ClassRun *c, Diag *d)
{
    const char *path = arena_printf(c->arena, "%s/gradebook.db", c->options->out);
    Status s = path ? gradebook_open(path, &c->book, d) : STATUS_NO_MEMORY;
    c->book_run = (GradebookRun){.kit_version = KIT_VERSION,
                                 .device_kind = c->run.gpu ? "gpu" : "virtual",
                                 .device_name = c->run.device,
                                 .seed = c->run.seed,
                                 .started_at = (int64_t)time(NULL)};
    return s != STATUS_OK ? s : gradebook_start_run(c->book, &c->book_run, d);
}

static Status prepare(ClassRun *c, bool again, Diag *d)
{
    const char **students;
    size_t n_students;
    Status s = cli_prepare(c->arena, c->options, c->options->allow_weak, &c->run, d);
    if (s == STATUS_OK)
        s = list_students(c, &students, &n_students, d);
    if (s == STATUS_OK)
        s = places_stage_kit(&c->run.kit, c->run.work, d);
    if (s == STATUS_OK)
        s = load_labs(c, students, d);
    if (s == STATUS_OK)
        s = list_submissions(c, students, n_students, d);
    if (s == STATUS_OK)
        s = dir_make(c->options->out, d);
    if (s == STATUS_OK)
        s = choose_seed(c, again, d);
    return s != STATUS_OK ? s : open_book(c, d);
}

static Status grade_all(ClassRun *c, Diag *d)
{
    const char *results = arena_printf(c->arena, "%s/results", c->options->out);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    ClassGrading grading = {.run = &c->run,
                            .submissions = c->submissions,
                            .n = c->n_submissions,
                            .jobs = c->options->jobs > 0 ? (int)c->options->jobs
                                    : processors > 0     ? (int)processors
                                                         : 1,
                            .results_dir = results,
                            .graded = on_graded,
                            .context = c,
                            .stop = &cli_stop};
    c->terminal = isatty(2);
    Status s = results ? class_grade(&grading, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (c->terminal)
        fprintf(stderr, "\r\033[K");
    return s;
}

/* Table and pages of the whole gradebook; *kit_failed says whether any result is at the kit's fault. */
static Status show(ClassRun *c, bool *kit_failed, Diag *d)
{
    ReportClass *all = NULL;
    Status s = report_class_load(c->book, NULL, NULL, &all, d);
    if (s != STATUS_OK)
        return s;
    StrBuf table = {0};
    report_table(&table, all, report_style_for(1));
    if (table.text)
        fwrite(table.text, 1, table.length, stdout);
    strbuf_free(&table);
    *kit_failed = c->save_failed;
    for (size_t i = 0; i < all->n_results; i++)
        *kit_failed = *kit_failed || all->results[i]->verdict == VERDICT_KIT_ERROR;
    const char *dir = arena_printf(c->arena, "%s/report", c->options->out);
    s = dir ? report_html(all, "CUDA Lab Kit", dir, d) : STATUS_NO_MEMORY;
    if (s == STATUS_OK)
        printf("%s/report/index.html\n%s/gradebook.db\n", c->options->out, c->options->out);
    report_class_free(all);
    return s;
}

static void free_class(ClassRun *c)
{
    gradebook_close(c->book);
    for (size_t i = 0; i < c->n_labs; i++)
        lab_free(c->labs[i]);
    cli_clean_up(&c->run);
}

static int grade_class(Arena *a, const Options *o, bool again)
{
    if (!o->submissions || !o->out)
        return cli_fail_text("--submissions and --out must be given",
                             "grade run --submissions DIR --out DIR");
    if (o->n_operands)
        return cli_fail_text("this command takes options only", "grade run --submissions DIR --out DIR");
    if (o->executor && strcmp(o->executor, "local") != 0)
        return cli_fail_text(strcmp(o->executor, "slurm") == 0
                                 ? "the slurm executor is not part of this version of the kit"
                                 : "--executor must be local",
                             "--executor local spreads over the processors of this machine (--jobs)");
    cli_catch_signals();
    ClassRun c = {.arena = a, .options = o};
    bool kit_failed = false;
    Diag d;
    Status s = prepare(&c, again, &d);
    if (s == STATUS_OK)
        s = grade_all(&c, &d);
    if (s == STATUS_OK)
        s = show(&c, &kit_failed, &d);
    free_class(&c);
    return s != STATUS_OK ? cli_fail(&d) : kit_failed ? EXIT_KIT : EXIT_FINE;
}

int cli_run(Arena *a, const Options *o)
{
    return grade_class(a, o, false);
}

int cli_regrade(Arena *a, const Options *o)
{
    return grade_class(a, o, true);
}
