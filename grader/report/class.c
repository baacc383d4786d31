/* A class: its results in order, its students and labs, its statistics. */
#include "grader/report/report_internal.h"

#include "grader/core/text.h"

#include <stdlib.h>
#include <string.h>

static int compare_results(const void *a, const void *b)
{
    const Result *x = *(Result *const *)a, *y = *(Result *const *)b;
    int by_student = strcmp(x->student, y->student);
    return by_student ? by_student : strcmp(x->lab, y->lab);
}

/* Sorts and leaves each text once. */
static size_t unique(const char **texts, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(texts, n, sizeof *texts, text_compare);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
            texts[kept++] = texts[i];
    return kept;
}

static bool class_fill(ReportClass *c, Result **results, size_t n)
{
    c->results = ARENA_NEW_ARRAY(&c->arena, Result *, n + 1);
    c->grades = ARENA_NEW_ARRAY(&c->arena, Grade, n + 1);
    c->students = ARENA_NEW_ARRAY(&c->arena, const char *, n + 1);
    c->labs = ARENA_NEW_ARRAY(&c->arena, const char *, n + 1);
    if (!c->results || !c->grades || !c->students || !c->labs)
        return false;
    c->ids = c->students;
    for (size_t i = 0; i < n; i++) {
        c->results[i] = results[i];
        c->students[i] = results[i]->student;
        c->labs[i] = results[i]->lab;
    }
    c->n_results = n;
    if (n)
        qsort(c->results, n, sizeof *c->results, compare_results);
    for (size_t i = 0; i < n; i++)
        c->grades[i] = grade_plain(c->results[i]);
    c->n_students = unique(c->students, n);
    c->n_labs = unique(c->labs, n);
    return true;
}

Status report_class_make(Result **results, size_t n, ReportClass **out, Diag *d)
{
    ReportClass *c = calloc(1, sizeof *c);
    *out = c;
    if (c && class_fill(c, results, n))
        return STATUS_OK;
    for (size_t i = 0; i < n; i++)
        result_free(results[i]);
    if (c)
        arena_free(&c->arena);
    free(c);
    *out = NULL;
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the class's results");
}

/* Whether a name is in a list that ends with NULL; everything is in the list NULL. */
static bool is_listed(const char *const *list, const char *name)
{
    for (size_t i = 0; list && list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return !list;
}

/* Whether a student takes part: chosen, and not one who has left. */
static bool takes_part(const ReportChoice *choice, const char *student)
{
    const RosterRow *row = roster_row(choice->roster, student);
    return is_listed(choice->students, student) && !(row && roster_is_dropped(row));
}

/* Loads the result that counts of each student and lab chosen. */
static Status load_results(Gradebook *g, Arena *a, const GradeRules *rules, const ReportChoice *choice,
                           Result ***results, size_t *n_loaded, Diag *d)
{
    GradebookRow *rows;
    size_t n = 0;
    *n_loaded = 0;
    Status s = gradebook_latest(g, a, &rows, &n, d);
    *results = s == STATUS_OK ? ARENA_NEW_ARRAY(a, Result *, n + 1) : NULL;
    if (s == STATUS_OK && !*results)
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the class's results");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        Grade grade;
        if (!takes_part(choice, rows[i].student) || !is_listed(choice->labs, rows[i].lab))
            continue;
        s = grade_work_out(rules, a, rows[i].student, rows[i].lab, &grade)
                ? gradebook_result_by_id(g, grade.result, &(*results)[*n_loaded], d)
                : diag_set(d, STATUS_NO_MEMORY, "no memory for the class's results");
        *n_loaded += s == STATUS_OK;
    }
    return s;
}

/* A copy of the grade whose texts live as long as the class. */
static bool keep_grade(ReportClass *c, const Grade *from, Grade *to)
{
    *to = *from;
    to->items = ARENA_NEW_ARRAY(&c->arena, GradeItem, from->n_items + 1);
    bool fine = to->items;
    for (size_t i = 0; fine && i < from->n_items; i++) {
        to->items[i] = from->items[i];
        to->items[i].text = arena_strndup(&c->arena, from->items[i].text, strlen(from->items[i].text));
        fine = to->items[i].text;
    }
    return fine;
}

static Status set_grades(ReportClass *c, Arena *a, const GradeRules *rules, Diag *d)
{
    for (size_t i = 0; i < c->n_results; i++) {
        Grade grade;
        if (!grade_work_out(rules, a, c->results[i]->student, c->results[i]->lab, &grade) ||
            !keep_grade(c, &grade, &c->grades[i]))
            return diag_set(d, STATUS_NO_MEMORY, "no memory for the class's grades");
        c->grades[i].n_inconclusive = grade_count_inconclusive(c->results[i]);
    }
    return STATUS_OK;
}

/* The roster's students who have no result yet. */
static Status add_students(ReportClass *c, const ReportChoice *choice, Diag *d)
{
    size_t n = c->n_students;
    if (!choice->roster || !choice->roster->n)
        return STATUS_OK;
    c->has_roster = true;
    const char **all = ARENA_NEW_ARRAY(&c->arena, const char *, n + choice->roster->n + 1);
    if (!all)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    memcpy(all, c->students, n * sizeof *all);
    for (size_t i = 0; i < choice->roster->n; i++)
        if (takes_part(choice, choice->roster->rows[i].cells[ROSTER_STUDENT]))
            all[n++] = choice->roster->rows[i].cells[ROSTER_STUDENT];
    c->students = c->ids = all;
    c->n_students = unique(all, n);
    return STATUS_OK;
}

/* A result with its grade, and a student with the made-up name, while they are put in another order. */
typedef struct Graded {
    Result *result;
    Grade grade;
} Graded;

typedef struct Hidden {
    const char *name, *id;
} Hidden;

static int compare_graded(const void *a, const void *b)
{
    return compare_results(&((const Graded *)a)->result, &((const Graded *)b)->result);
}

static int compare_hidden(const void *a, const void *b)
{
    return strcmp(((const Hidden *)a)->name, ((const Hidden *)b)->name);
}

static const char *hidden_name(const Hidden *hidden, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(hidden[i].id, id) == 0)
            return hidden[i].name;
    return id;
}

/* Made-up names in place of the ids, and their order. */
static Status hide_students(ReportClass *c, Diag *d)
{
    const char **names = report_made_up_names(&c->arena, c);
    Hidden *hidden = ARENA_NEW_ARRAY(&c->arena, Hidden, c->n_students + 1);
    Graded *graded = ARENA_NEW_ARRAY(&c->arena, Graded, c->n_results + 1);
    const char **students = ARENA_NEW_ARRAY(&c->arena, const char *, c->n_students + 1);
    const char **ids = ARENA_NEW_ARRAY(&c->arena, const char *, c->n_students + 1);
    if (!names || !hidden || !graded || !students || !ids)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for made-up names");
    for (size_t i = 0; i < c->n_students; i++)
        hidden[i] = (Hidden){names[i], c->students[i]};
    qsort(hidden, c->n_students, sizeof *hidden, compare_hidden);
    for (size_t i = 0; i < c->n_students; i++) {
        students[i] = hidden[i].name;
        ids[i] = hidden[i].id;
    }
    for (size_t i = 0; i < c->n_results; i++) {
        graded[i] = (Graded){c->results[i], c->grades[i]};
        graded[i].result->student = hidden_name(hidden, c->n_students, c->results[i]->student);
    }
    qsort(graded, c->n_results, sizeof *graded, compare_graded);
    for (size_t i = 0; i < c->n_results; i++) {
        c->results[i] = graded[i].result;
        c->grades[i] = graded[i].grade;
    }
    c->students = students;
    c->ids = ids;
    c->roster = NULL;
    return STATUS_OK;
}

Status report_class_load(Gradebook *g, const ReportChoice *choice, ReportClass **c, Diag *d)
{
    *c = NULL;
    Arena a = {0};
    GradeRules rules;
    Result **results = NULL;
    size_t n_loaded = 0;
    Status s = grade_rules_load(g, &a, &rules, d);
    rules.roster = choice->roster;
    if (s == STATUS_OK)
        s = load_results(g, &a, &rules, choice, &results, &n_loaded, d);
    if (s == STATUS_OK)
        s = report_class_make(results, n_loaded, c, d);
    else
        for (size_t i = 0; i < n_loaded; i++)
            result_free(results[i]);
    if (s == STATUS_OK) {
        (*c)->roster = choice->roster;
        s = set_grades(*c, &a, &rules, d);
    }
    if (s == STATUS_OK)
        s = gradebook_attempts(g, &(*c)->arena, &(*c)->attempts, &(*c)->n_attempts, d);
    if (s == STATUS_OK)
        s = add_students(*c, choice, d);
    if (s == STATUS_OK && choice->anonymous)
        s = hide_students(*c, d);
    arena_free(&a);
    if (s != STATUS_OK) {
        report_class_free(*c);
        *c = NULL;
    }
    return s;
}

const char *report_student_name(const ReportClass *c, const char *student)
{
    return roster_name(c->roster, student);
}

const char *report_student_id(const ReportClass *c, const char *student)
{
    for (size_t i = 0; i < c->n_students; i++)
        if (strcmp(c->students[i], student) == 0)
            return c->ids[i];
    return student;
}

bool report_has_handed_in(const ReportClass *c, const char *student)
{
    for (size_t i = 0; i < c->n_results; i++)
        if (strcmp(c->results[i]->student, student) == 0 && c->results[i]->submission_sha256[0])
            return true;
    return false;
}

void report_class_free(ReportClass *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_results; i++)
        result_free(c->results[i]);
    arena_free(&c->arena);
    free(c);
}

static Result **find_result(const ReportClass *c, const char *student, const char *lab)
{
    Result key = {.student = student, .lab = lab}, *p = &key;
    return c->n_results ? bsearch(&p, c->results, c->n_results, sizeof p, compare_results) : NULL;
}

const Result *report_class_find(const ReportClass *c, const char *student, const char *lab)
{
    Result **found = find_result(c, student, lab);
    return found ? *found : NULL;
}

GradeThatCounts report_class_counting(const ReportClass *c, const char *student, const char *lab)
{
    const Grade *g = report_class_grade(c, student, lab);
    return g ? grade_that_counts(g) : (GradeThatCounts){.state = GRADE_NOT_HANDED_IN};
}

const Grade *report_class_grade(const ReportClass *c, const char *student, const char *lab)
{
    Result **found = find_result(c, student, lab);
    return found ? &c->grades[found - c->results] : NULL;
}

const char *report_class_neighbour(const ReportClass *c, const char *student, const char *lab, int step)
{
    size_t i = 0;
    while (i < c->n_students && strcmp(c->students[i], student) != 0)
        i++;
    for (i += (size_t)step; i < c->n_students; i += (size_t)step)
        if (report_class_find(c, c->students[i], lab))
            return c->students[i];
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

LabStatistics report_lab_statistics(const ReportClass *c, const char *lab)
{
    LabStatistics s = {0};
    double *scores = malloc((c->n_results + 1) * sizeof *scores), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (strcmp(r->lab, lab) != 0)
            continue;
        s.n_results++;
        s.verdicts[r->verdict]++;
        s.n_passed += r->verdict == VERDICT_PASS;
        s.n_person += result_needs_person(r);
        s.max_score = r->max_score > s.max_score ? r->max_score : s.max_score;
        GradeThatCounts counting = grade_that_counts(&c->grades[i]);
        s.n_submitted += r->verdict != VERDICT_NOT_SUBMITTED;
        s.n_ungraded += counting.state == GRADE_UNGRADED;
        if (!counting.counts)
            continue;
        sum += counting.points;
        if (scores)
            scores[n] = counting.points;
        n++;
    }
    if (scores && n > 0) {
        qsort(scores, n, sizeof *scores, compare_doubles);
        s.mean = sum / (double)n;
        s.median = n % 2 ? scores[n / 2] : (scores[n / 2 - 1] + scores[n / 2]) / 2;
        s.least = scores[0];
        s.most = scores[n - 1];
    }
    free(scores);
    return s;
}

Verdict report_usual_failure(const size_t verdicts[VERDICT_N])
{
    Verdict usual = VERDICT_PASS;
    size_t most = 0;
    for (int v = 0; v < VERDICT_N; v++)
        if (v != VERDICT_PASS && verdicts[v] > most) {
            most = verdicts[v];
            usual = (Verdict)v;
        }
    return usual;
}

const Result *report_longest_result(const ReportClass *c, const char *lab)
{
    const Result *longest = NULL;
    for (size_t i = 0; i < c->n_results; i++)
        if (strcmp(c->results[i]->lab, lab) == 0 && (!longest || c->results[i]->n_cases > longest->n_cases))
            longest = c->results[i];
    return longest;
}
