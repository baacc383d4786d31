/* grade regrade: grades again, with the seed of before, beside what is there: OUT/regrade. What changes for
 * whom is shown; only --accept puts it into results and gradebook, where the earlier results stay as history.
 *
 * Accepting can be killed and started again at any moment: the folder goes when all of it has been taken
 * over.
 */
#include "grader/cli/class_run.h"
#include "grader/cli/sources.h"
#include "grader/core/files.h"
#include "grader/class/done.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <string.h>

typedef struct Comparison {
    StrBuf text;
    size_t n_changed, n_more, n_less, n_same;
} Comparison;

/* Reading ------------------------------------------------------------------------------------------ */

static Result *load_new(const ClassRun *c, const PlanEntry *e)
{
    Arena a = {0};
    Result *r = NULL;
    const char *path = arena_printf(&a, "%s/results/%s/%s/result.json", c->dir, e->student, e->lab);
    if (path)
        result_load(path, &r, NULL);
    arena_free(&a);
    return r;
}

static bool same_case(const CaseResult *x, const CaseResult *y)
{
    return x->verdict == y->verdict && x->points == y->points && x->max_points == y->max_points;
}

/* Comparing ---------------------------------------------------------------------------------------- */

static void put_verdict(StrBuf *out, Verdict v, double points, double max_points)
{
    strbuf_printf(out, "%s %.10g/%.10g", verdict_word(v), points, max_points);
}

static void put_case_change(StrBuf *out, const CaseResult *was, const CaseResult *is)
{
    const CaseResult *named = is ? is : was;
    strbuf_puts(out, "    ");
    report_plain(out, named->name, strlen(named->name));
    strbuf_puts(out, ": ");
    if (was)
        put_verdict(out, was->verdict, was->points, was->max_points);
    else
        strbuf_puts(out, "(new)");
    strbuf_puts(out, " -> ");
    if (is)
        put_verdict(out, is->verdict, is->points, is->max_points);
    else
        strbuf_puts(out, "(gone)");
    strbuf_puts(out, "\n");
}

/* The cases that differ, in the new order, then those that are gone. */
static size_t put_case_changes(StrBuf *out, const Result *was, const Result *is)
{
    size_t n = 0;
    for (size_t i = 0; i < is->n_cases; i++) {
        const CaseResult *old = result_case(was, is->cases[i].name);
        if (old && same_case(old, &is->cases[i]))
            continue;
        put_case_change(out, old, &is->cases[i]);
        n++;
    }
    for (size_t i = 0; i < was->n_cases; i++) {
        if (result_case(is, was->cases[i].name))
            continue;
        put_case_change(out, &was->cases[i], NULL);
        n++;
    }
    return n;
}

static void compare_one(Comparison *all, const Result *was, const Result *is)
{
    StrBuf cases = {0};
    size_t n_cases = was ? put_case_changes(&cases, was, is) : 0;
    bool changed = !was || n_cases || was->verdict != is->verdict || was->score != is->score;
    if (changed) {
        report_plain(&all->text, is->student, strlen(is->student));
        strbuf_puts(&all->text, " ");
        report_plain(&all->text, is->lab, strlen(is->lab));
        strbuf_puts(&all->text, ": ");
        if (was)
            put_verdict(&all->text, was->verdict, was->score, was->max_score);
        else
            strbuf_puts(&all->text, "(not graded yet)");
        strbuf_puts(&all->text, " -> ");
        put_verdict(&all->text, is->verdict, is->score, is->max_score);
        strbuf_puts(&all->text, "\n");
        strbuf_append(&all->text, cases.text ? cases.text : "", cases.length);
    }
    all->n_changed += changed;
    all->n_same += !changed;
    all->n_more += changed && (!was || is->score > was->score);
    all->n_less += was && is->score < was->score;
    strbuf_free(&cases);
}

static Status compare_all(const ClassRun *c, Comparison *all, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < c->n_submissions; i++) {
        const PlanEntry *e = &c->plan.entries[i];
        Result *was = NULL, *is = load_new(c, e);
        s = gradebook_result(c->book, e->student, e->lab, &was, d);
        if (s == STATUS_NOT_FOUND)
            s = STATUS_OK;
        if (s == STATUS_OK && is)
            compare_one(all, was, is);
        else if (s == STATUS_OK)
            s = diag_set(d, STATUS_IO, "a result of the regrade cannot be read");
        result_free(was);
        result_free(is);
    }
    strbuf_printf(&all->text, "%zu of %zu results change: %zu to more points, %zu to fewer\n", all->n_changed,
                  all->n_changed + all->n_same, all->n_more, all->n_less);
    return s;
}

/* Accepting ---------------------------------------------------------------------------------------- */

static Status accept_one(ClassRun *c, const PlanEntry *e, Diag *d)
{
    Arena a = {0};
    Timing none = {0};
    bool holds = false;
    Result *r = load_new(c, e);
    const char *dir = arena_printf(&a, "%s/results/%s/%s", c->options->out, e->student, e->lab);
    Status s = r && dir ? result_save(r, &none, dir, d) : diag_set(d, STATUS_IO, "cannot read a new result");
    if (s == STATUS_OK && r->verdict != VERDICT_KIT_ERROR)
        s = done_mark(dir, e->key, d);
    if (s == STATUS_OK)
        s = gradebook_holds(c->book, r, &holds, d);
    if (s == STATUS_OK && !holds)
        s = gradebook_save(c->book, c->book_run.id, r, NULL, d);
    result_free(r);
    arena_free(&a);
    return s;
}

static Status write_pages(const ClassRun *c, Diag *d)
{
    ReportClass *all = NULL;
    const char *dir = arena_printf(c->arena, "%s/report", c->options->out);
    Status s = report_class_load(c->book, &(ReportChoice){.roster = &c->roster}, &all, d);
    Sources sources = {0};
    if (s == STATUS_OK)
        s = dir ? sources_open(c->arena, c->options->submissions, all, &sources, d)
                : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (s == STATUS_OK)
        s = report_html(all, "CUDA Lab Kit", dir, &sources.finder, d);
    sources_close(&sources);
    report_class_free(all);
    return s;
}

static Status accept_all(ClassRun *c, Diag *d)
{
    Plan old;
    const char *path = arena_printf(c->arena, "%s/plan.json", c->options->out);
    if (!path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < c->n_submissions; i++)
        s = accept_one(c, &c->plan.entries[i], d);
    if (s != STATUS_OK)
        return s;
    s = class_run_keep_receipts(c, d);
    if (s != STATUS_OK)
        return s;
    s = plan_load(c->arena, path, &old, d);
    if (s == STATUS_OK)
        s = plan_merge(c->arena, &c->plan, &old, d);
    if (s == STATUS_OK || s == STATUS_NOT_FOUND)
        s = plan_save(&c->plan, path, d);
    if (s == STATUS_OK)
        s = write_pages(c, d);
    return s != STATUS_OK ? s : dir_remove(c->dir, d);
}

/* The command -------------------------------------------------------------------------------------- */

/* What an earlier regrade left that is not of the same plan goes, unless it shall be accepted now. */
static Status heed_pending(ClassRun *c, Diag *d)
{
    Arena a = {0};
    Plan old;
    const char *path = arena_printf(&a, "%s/plan.json", c->dir);
    Status s = path ? plan_load(&a, path, &old, d) : STATUS_NO_MEMORY;
    bool same = s == STATUS_OK && old.n_entries == c->n_submissions;
    for (size_t i = 0; same && i < c->n_submissions; i++) {
        const PlanEntry *e = plan_find(&old, c->plan.entries[i].student, c->plan.entries[i].lab);
        same = e && strcmp(e->key, c->plan.entries[i].key) == 0;
    }
    bool none = s == STATUS_NOT_FOUND;
    arena_free(&a);
    if (same || none)
        return STATUS_OK;
    if (!c->options->accept)
        return dir_remove(c->dir, d);
    diag_set(d, STATUS_INVALID, "what would be accepted is not what the last regrade showed");
    diag_hint(d, "choice, submissions, labs or kit changed since: look at it first, without --accept");
    return STATUS_INVALID;
}

static Status regrade(ClassRun *c, Comparison *all, Diag *d)
{
    Status s = class_run_prepare(c, true, d);
    if (s == STATUS_OK)
        s = heed_pending(c, d);
    if (s == STATUS_OK)
        s = class_run_grade(c, d);
    if (s == STATUS_OK)
        s = class_run_open_book(c, d);
    if (s == STATUS_OK)
        s = compare_all(c, all, d);
    return s == STATUS_OK && c->options->accept ? accept_all(c, d) : s;
}

int cli_regrade(Arena *a, const Options *o)
{
    int refused = cli_check_class_options(o, "grade regrade --submissions DIR --out DIR --labs NAME");
    if (refused != EXIT_FINE)
        return refused;
    cli_catch_signals();
    ClassRun c = {.arena = a, .options = o, .dir = arena_printf(a, "%s/regrade", o->out)};
    Comparison all = {0};
    Diag d;
    Status s = c.dir ? regrade(&c, &all, &d) : diag_set(&d, STATUS_NO_MEMORY, "no memory");
    if (s == STATUS_OK) {
        fwrite(all.text.text ? all.text.text : "", 1, all.text.length, stdout);
        puts(o->accept ? "accepted" : "nothing is accepted yet: the same command with --accept does that");
    }
    strbuf_free(&all.text);
    size_t kit_errors = c.progress.n_kit_errors, n_short = c.progress.n_short;
    class_run_free(&c);
    return s != STATUS_OK ? cli_fail(&d) : kit_errors ? EXIT_KIT : n_short ? EXIT_SHORT : EXIT_FINE;
}
