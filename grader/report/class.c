/* A class: its results in order, its students and labs, its statistics. */
#include "grader/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

static int compare_results(const void *a, const void *b)
{
    const Result *x = *(Result *const *)a, *y = *(Result *const *)b;
    int by_student = strcmp(x->student, y->student);
    return by_student ? by_student : strcmp(x->lab, y->lab);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts and leaves each text once. */
static size_t unique(const char **texts, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(texts, n, sizeof *texts, compare_texts);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
            texts[kept++] = texts[i];
    return kept;
}

static bool fill(ReportClass *c, Result **results, size_t n)
{
    c->results = ARENA_NEW_ARRAY(&c->arena, Result *, n + 1);
    c->students = ARENA_NEW_ARRAY(&c->arena, const char *, n + 1);
    c->labs = ARENA_NEW_ARRAY(&c->arena, const char *, n + 1);
    if (!c->results || !c->students || !c->labs)
        return false;
    for (size_t i = 0; i < n; i++) {
        c->results[i] = results[i];
        c->students[i] = results[i]->student;
        c->labs[i] = results[i]->lab;
    }
    c->n_results = n;
    if (n)
        qsort(c->results, n, sizeof *c->results, compare_results);
    c->n_students = unique(c->students, n);
    c->n_labs = unique(c->labs, n);
    return true;
}

Status report_class_make(Result **results, size_t n, ReportClass **out, Diag *d)
{
    ReportClass *c = calloc(1, sizeof *c);
    *out = c;
    if (c && fill(c, results, n))
        return STATUS_OK;
    for (size_t i = 0; i < n; i++)
        result_free(results[i]);
    if (c)
        arena_free(&c->arena);
    free(c);
    *out = NULL;
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the class's results");
}

Status report_class_load(Gradebook *g, const char *student, const char *lab, ReportClass **c, Diag *d)
{
    *c = NULL;
    Arena a = {0};
    GradebookRow *rows;
    size_t n = 0, n_loaded = 0;
    Status s = gradebook_latest(g, &a, &rows, &n, d);
    Result **results = s == STATUS_OK ? ARENA_NEW_ARRAY(&a, Result *, n + 1) : NULL;
    if (s == STATUS_OK && !results)
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the class's results");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        bool chosen =
            (!student || strcmp(rows[i].student, student) == 0) && (!lab || strcmp(rows[i].lab, lab) == 0);
        if (!chosen)
            continue;
        s = gradebook_result(g, rows[i].student, rows[i].lab, &results[n_loaded], d);
        n_loaded += s == STATUS_OK;
    }
    if (s == STATUS_OK)
        s = report_class_make(results, n_loaded, c, d);
    else
        for (size_t i = 0; i < n_loaded; i++)
            result_free(results[i]);
    arena_free(&a);
    return s;
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

const Result *report_class_find(const ReportClass *c, const char *student, const char *lab)
{
    Result key = {.student = student, .lab = lab}, *p = &key;
    Result **found = c->n_results ? bsearch(&p, c->results, c->n_results, sizeof p, compare_results) : NULL;
    return found ? *found : NULL;
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
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (strcmp(r->lab, lab) != 0)
            continue;
        s.n_results++;
        s.verdicts[r->verdict]++;
        s.n_passed += r->verdict == VERDICT_PASS;
        s.n_person += verdict_needs_person(r->verdict);
        s.max_score = r->max_score > s.max_score ? r->max_score : s.max_score;
        if (r->verdict == VERDICT_NOT_SUBMITTED)
            continue;
        sum += r->score;
        if (scores)
            scores[s.n_submitted] = r->score;
        s.n_submitted++;
    }
    size_t n = s.n_submitted;
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
