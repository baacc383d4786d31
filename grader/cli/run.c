/* grade run: a class's submissions.
 *
 * The same command again does what is missing. What was handed in again since the plan was made is told and
 * graded; but where lab, kit, seed or settings changed, so that results of before would be judged anew, it is
 * told and refused: `grade regrade` shows first what would change, and --again goes on all the same.
 */
#include "grader/cli/class_run.h"
#include "grader/cli/sources.h"
#include "grader/class/done.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <string.h>

/* Results that are there under the old plan, and that the new one would make anew for the same files. */
static size_t count_overruled(const ClassRun *c, const Plan *old)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_submissions; i++) {
        const PlanEntry *e = &c->plan.entries[i], *was = plan_find(old, e->student, e->lab);
        if (!was || strcmp(was->key, e->key) == 0 || strcmp(was->sha256, e->sha256) != 0)
            continue;
        Arena a = {0};
        const char *dir = arena_printf(&a, "%s/results/%s/%s", c->dir, e->student, e->lab);
        n += dir && done_check(dir, was->key);
        arena_free(&a);
    }
    return n;
}

static void print_safely(const char *text)
{
    StrBuf line = {0};
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        strbuf_puts(&line, "  ");
        report_plain(&line, text, length);
        strbuf_puts(&line, "\n");
        text += length + (text[length] == '\n');
    }
    strbuf_print(&line, stderr);
}

static void print_changes(const char *what, const StrBuf *changes)
{
    fprintf(stderr, "grade: %s:\n", what);
    print_safely(changes->text);
}

static Status refuse_other_rules(const ClassRun *c, size_t overruled, Diag *d)
{
    diag_set(d, STATUS_INVALID, "%zu results in %s were made by other rules; nothing is graded", overruled,
             c->dir);
    diag_hint(d, "`grade regrade` shows what would change for whom; --again grades them again at once; "
                 "another --out begins afresh");
    return STATUS_INVALID;
}

/* Compares with the plan that OUT holds, and takes over what that has beyond this command's. */
static Status heed_old_plan(ClassRun *c, Diag *d)
{
    Plan old;
    const char *path = arena_printf(c->arena, "%s/plan.json", c->dir);
    Status s = path ? plan_load(c->arena, path, &old, d) : STATUS_NO_MEMORY;
    if (s == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (s != STATUS_OK)
        return s;
    PlanChanges changes;
    plan_compare(&old, &c->plan, &changes);
    size_t overruled = changes.rules.length ? count_overruled(c, &old) : 0;
    bool refused = overruled && !c->options->again;
    if (overruled)
        print_changes("changed since this class was planned", &changes.rules);
    if (changes.submissions.length)
        print_changes(refused ? "handed in again since this class was planned"
                              : "handed in again since this class was planned, and graded again",
                      &changes.submissions);
    plan_changes_free(&changes);
    return refused ? refuse_other_rules(c, overruled, d) : plan_merge(c->arena, &c->plan, &old, d);
}

/* Whether the result is of a submission that this command was to grade. */
static bool is_own(const ClassRun *c, const Result *r)
{
    for (size_t i = 0; i < c->n_submissions; i++)
        if (strcmp(c->submissions[i].student, r->student) == 0 &&
            strcmp(c->submissions[i].lab->lab, r->lab) == 0)
            return true;
    return false;
}

/* Table and pages of the whole gradebook. *status says whether any result is at the kit's fault, and whether
 * any of this command's falls short. */
static Status show(ClassRun *c, int *status, Diag *d)
{
    ReportClass *all = NULL;
    Status s = report_class_load(c->book, &(ReportChoice){.roster = &c->roster}, &all, d);
    if (s != STATUS_OK)
        return s;
    StrBuf table = {0};
    report_table(&table, all, report_style_for(1));
    strbuf_print(&table, stdout);
    bool kit_failed = c->save_failed, falls_short = false;
    for (size_t i = 0; i < all->n_results; i++) {
        const Result *r = all->results[i];
        kit_failed = kit_failed || r->verdict == VERDICT_KIT_ERROR;
        falls_short = falls_short || (result_falls_short(r) && is_own(c, r));
    }
    *status = kit_failed ? EXIT_KIT : falls_short ? EXIT_SHORT : EXIT_FINE;
    const char *dir = arena_printf(c->arena, "%s/report", c->options->out);
    Sources sources = {0};
    s = dir ? sources_open(c->arena, c->options->submissions, all, &sources, d) : STATUS_NO_MEMORY;
    if (s == STATUS_OK)
        s = report_html(all, "CUDA Lab Kit", dir, &sources.finder, d);
    sources_close(&sources);
    if (s == STATUS_OK)
        printf("%s/report/index.html\n%s/gradebook.db\n", c->options->out, c->options->out);
    report_class_free(all);
    return s;
}

int cli_run(Arena *a, const Options *o)
{
    int refused = cli_check_class_options(o, "grade run --submissions DIR --out DIR");
    if (refused != EXIT_FINE)
        return refused;
    cli_catch_signals();
    ClassRun c = {.arena = a, .options = o, .dir = o->out};
    int status = EXIT_FINE;
    Diag d;
    Status s = class_run_prepare(&c, false, &d);
    if (s == STATUS_OK)
        s = heed_old_plan(&c, &d);
    if (s == STATUS_OK)
        s = class_run_open_book(&c, &d);
    if (s == STATUS_OK)
        s = class_run_grade(&c, &d);
    if (s == STATUS_OK)
        s = class_run_keep_receipts(&c, &d);
    if (s == STATUS_OK)
        s = show(&c, &status, &d);
    class_run_free(&c);
    return s != STATUS_OK ? cli_fail(&d) : status;
}
