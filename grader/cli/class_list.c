/* The labs and submissions of a class; see class_run.h. */
#include "grader/archive/archive.h"
#include "grader/archive/roster.h"
#include "grader/build/places.h"
#include "grader/build/slips.h"
#include "grader/cli/class_run.h"
#include "grader/core/files.h"
#include "grader/core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether any student has a folder for the lab. */
static bool is_handed_in(const ClassRun *c, const char *const *students, const char *lab)
{
    for (; *students; students++) {
        const char *path = arena_printf(c->arena, "%s/%s", c->options->submissions, *students);
        if (path && slips_has_folder(path, lab))
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
    size_t n = 0;
    Status s = cli_choose_kit_labs(c->arena, &c->run.kit, c->options->labs, &names, d);
    if (s != STATUS_OK)
        return s;
    while (names && names[n])
        n++;
    if (!names && (!labs_dir || dir_list(c->arena, labs_dir, &names, &n, d) != STATUS_OK))
        return STATUS_IO;
    c->labs = ARENA_NEW_ARRAY(c->arena, Lab *, n + 1);
    if (!c->labs)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the labs");
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        if (c->options->labs || is_handed_in(c, students, names[i]))
            s = load_one_lab(c, names[i], d);
    if (s == STATUS_OK && !c->n_labs)
        s = diag_set(d, STATUS_NOT_FOUND, "%s holds no submission for any lab (DIR/<student>/<NN-lab>/)",
                     c->options->submissions);
    return s;
}

/* Leaves those of --students, in the folder's order. */
static Status choose_students(const ClassRun *c, const char **students, size_t *n, Diag *d)
{
    const char **wanted;
    const KnownNames known = {"students", "student", c->options->submissions, students, *n};
    size_t kept = 0;
    Status s = cli_choose(c->arena, &known, c->options->students, &wanted, d);
    for (size_t i = 0; s == STATUS_OK && i < *n; i++)
        if (cli_listed(wanted, students[i]))
            students[kept++] = students[i];
    for (size_t i = kept; i < *n; i++)
        students[i] = NULL;
    *n = kept;
    return s;
}

/* --case must be a case of one of the labs. */
static Status check_case(const ClassRun *c, Diag *d)
{
    const char *only = c->options->only;
    size_t n = 0;
    for (size_t i = 0; i < c->n_labs; i++)
        n += c->labs[i]->n_cases;
    const char **names = only ? ARENA_NEW_ARRAY(c->arena, const char *, n + 1) : NULL;
    if (!only)
        return STATUS_OK;
    n = 0;
    for (size_t i = 0; names && i < c->n_labs; i++)
        for (size_t k = 0; k < c->labs[i]->n_cases; k++)
            names[n++] = c->labs[i]->cases[k].name;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], only) == 0)
            return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "--case: no lab that is graded has a case %s", only);
    cli_hint_nearest(d, only, names, n, "labs/NN-name/lab.yaml lists the public ones");
    return STATUS_NOT_FOUND;
}

/* Adds the roster's students who have no folder, and takes out those who have left; in order. */
static void heed_roster(const ClassRun *c, const char **students, size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        const RosterRow *row = roster_row(&c->roster, students[i]);
        if (!row || !roster_is_dropped(row))
            students[kept++] = students[i];
    }
    *n = kept;
    for (size_t i = 0; i < c->roster.n; i++) {
        const RosterRow *row = &c->roster.rows[i];
        const char *student = row->cells[ROSTER_STUDENT];
        if (!roster_is_dropped(row) && !bsearch(&student, students, kept, sizeof *students, text_compare))
            students[(*n)++] = student;
    }
    if (*n)
        qsort(students, *n, sizeof *students, text_compare);
}

/* The students: folders of the class's folder, and who else is on the roster, in order. */
static Status list_students(ClassRun *c, const char ***students, size_t *n, Diag *d)
{
    const char **names;
    size_t n_names;
    Status s = dir_list(c->arena, c->options->submissions, &names, &n_names, d);
    if (s == STATUS_OK)
        s = roster_load_out(c->arena, c->options->out, &c->roster, d);
    if (s != STATUS_OK)
        return s;
    *students = ARENA_NEW_ARRAY(c->arena, const char *, n_names + c->roster.n + 1);
    *n = 0;
    for (size_t i = 0; *students && i < n_names; i++) {
        const char *path = arena_printf(c->arena, "%s/%s", c->options->submissions, names[i]);
        if (!path || !is_folder(path))
            continue;
        if (handin_student_is_fit(names[i]))
            (*students)[(*n)++] = names[i];
        else
            fprintf(stderr, "grade: a folder of %s has no fit name for a student and is passed over\n",
                    c->options->submissions);
    }
    if (!*students)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    heed_roster(c, *students, n);
    if (*n == 0)
        return diag_set(d, STATUS_NOT_FOUND, "%s holds no student's folder (DIR/<student>/<NN-lab>/)",
                        c->options->submissions);
    s = handin_refuse_twins(*students, *n, d); /* whose work is whose? Also where only one is chosen */
    return s == STATUS_OK ? choose_students(c, *students, n, d) : s;
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

Status class_run_add(ClassRun *c, const char *student, const char *lab, Diag *d)
{
    Lab *found = NULL;
    for (size_t i = 0; i < c->n_labs; i++)
        if (strcmp(c->labs[i]->lab, lab) == 0)
            found = c->labs[i];
    Status s = found ? STATUS_OK : load_one_lab(c, lab, d);
    if (s != STATUS_OK)
        return s;
    const char *folder = arena_printf(c->arena, "%s/%s/%s", c->options->submissions, student, lab);
    if (!folder)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the submissions");
    c->submissions[c->n_submissions++] =
        (Submission){.student = student, .lab = found ? found : c->labs[c->n_labs - 1], .folder = folder};
    return STATUS_OK;
}

Status class_run_list(ClassRun *c, Diag *d)
{
    const char **students;
    size_t n_students;
    Status s = list_students(c, &students, &n_students, d);
    if (s == STATUS_OK)
        s = load_labs(c, students, d);
    if (s == STATUS_OK)
        s = check_case(c, d);
    return s != STATUS_OK ? s : list_submissions(c, students, n_students, d);
}
