/* grade status, report, export: what is made from an existing gradebook. */
#include "grader/archive/roster.h"
#include "grader/cli/class_run.h"
#include "grader/cli/sources.h"
#include "grader/core/files.h"
#include "grader/db/gradebook.h"
#include "grader/report/fill.h"
#include "grader/report/items.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

Status cli_load_class(Arena *a, const Options *o, Gradebook **book, ReportClass **c, Diag *d)
{
    *book = NULL;
    *c = NULL;
    if (!o->out) {
        diag_set(d, STATUS_INVALID, "--out must be given");
        diag_hint(d, "the folder that `grade run` wrote to");
        return STATUS_INVALID;
    }
    const char *path = arena_printf(a, "%s/gradebook.db", o->out);
    if (!path || access(path, R_OK) != 0)
        return diag_set(d, STATUS_NOT_FOUND, "there is no gradebook in %s", o->out);
    Status s = gradebook_open(path, book, d);
    const char **students = NULL, **labs = NULL;
    Roster *roster = ARENA_NEW(a, Roster);
    if (s == STATUS_OK)
        s = roster ? roster_load_out(a, o->out, roster, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (s == STATUS_OK)
        s = cli_choose_in_book(a, o, *book, roster, &students, &labs, d);
    const ReportChoice choice = {students, labs, roster, o->anonymous};
    return s == STATUS_OK ? report_class_load(*book, &choice, c, d) : s;
}

/* "graded 12 of 40, 3 fell short" by OUT's plan; a grader may be at work there meanwhile. */
static Status print_progress(Arena *a, const Options *o, const ReportClass *c, Diag *d)
{
    Plan plan;
    const char *path = arena_printf(a, "%s/plan.json", o->out);
    const char *results = arena_printf(a, "%s/results", o->out);
    Status s = path && results ? plan_load(a, path, &plan, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (s != STATUS_OK)
        return s == STATUS_NOT_FOUND ? STATUS_OK : s;
    size_t n_short = 0;
    for (size_t i = 0; i < c->n_results; i++)
        n_short += result_falls_short(c->results[i]);
    printf("graded %zu of %zu, %zu fell short%s\n", class_count_done(&plan, results), plan.n_entries, n_short,
           class_run_is_locked(o->out) ? "; a grader is at work" : "");
    return STATUS_OK;
}

/* What the results chosen come to. */
static int status_of(const ReportClass *c)
{
    int status = EXIT_FINE;
    for (size_t i = 0; i < c->n_results; i++) {
        int own = c->results[i]->verdict == VERDICT_KIT_ERROR ? EXIT_KIT
                  : result_falls_short(c->results[i])         ? EXIT_SHORT
                                                              : EXIT_FINE;
        status = own > status ? own : status;
    }
    return status;
}

int cli_status(Arena *a, const Options *o)
{
    int status = EXIT_FINE;
    Gradebook *book;
    ReportClass *c;
    Diag d;
    Status s = cli_load_class(a, o, &book, &c, &d);
    if (s == STATUS_OK && !o->students && !o->labs)
        s = print_progress(a, o, c, &d);
    if (s == STATUS_OK) {
        StrBuf table = {0};
        report_table(&table, c, report_style_for(1));
        strbuf_print(&table, stdout);
        status = status_of(c);
        for (size_t i = 0; i < c->n_results; i++)
            if (result_needs_person(c->results[i]))
                printf("for a person: %s %s (%s%s)\n", c->results[i]->student, c->results[i]->lab,
                       verdict_word(c->results[i]->verdict),
                       grade_that_counts(&c->grades[i]).state == GRADE_UNGRADED ? ", ungraded" : "");
    }
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? status : cli_fail(&d);
}

int cli_report(Arena *a, const Options *o)
{
    Gradebook *book;
    ReportClass *c;
    Diag d;
    Status s = cli_load_class(a, o, &book, &c, &d);
    const char *dir =
        o->to ? o->to : arena_printf(a, "%s/report%s", o->out, o->anonymous ? "-anonymous" : "");
    Sources sources = {0};
    if (s == STATUS_OK && o->submissions)
        s = sources_open(a, o->submissions, c, &sources, &d);
    if (s == STATUS_OK)
        s = dir ? report_html(c, "CUDA Lab Kit", dir, o->submissions ? &sources.finder : NULL, &d)
                : diag_set(&d, STATUS_NO_MEMORY, "no memory");
    sources_close(&sources);
    if (s == STATUS_OK)
        printf("%s/index.html\n", dir);
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

/* All labs that rank, for the terminal. */
static Status print_leaderboards(Arena *a, const Options *o, const ReportClass *c, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < c->n_labs; i++) {
        ReportRank *ranks;
        size_t n;
        if (!report_lab_ranks(c, c->labs[i]))
            continue;
        s = report_leaderboard(a, c, c->labs[i], &ranks, &n, d);
        StrBuf text = {0};
        if (s == STATUS_OK)
            report_leaderboard_text(&text, c->labs[i], ranks, n, o->names);
        strbuf_print(&text, stdout);
    }
    return s;
}

/* Some lab must name a metric. */
static Status check_ranks(const ReportClass *c, Diag *d)
{
    for (size_t i = 0; i < c->n_labs; i++)
        if (report_lab_ranks(c, c->labs[i]))
            return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "no lab of these results ranks its students");
    diag_hint(d, "a lab ranks by a public case with `leaderboard: lowest` or `highest` beside its metric, in "
                 "lab.yaml");
    return STATUS_NOT_FOUND;
}

int cli_leaderboard(Arena *a, const Options *o)
{
    Gradebook *book;
    ReportClass *c;
    Diag d;
    StrBuf page = {0};
    Status s = cli_load_class(a, o, &book, &c, &d);
    const char *dir = s == STATUS_OK ? arena_printf(a, "%s/report", o->out) : NULL;
    const char *path = o->to ? o->to : dir ? arena_printf(a, "%s/leaderboard.html", dir) : NULL;
    if (s == STATUS_OK && !path)
        s = diag_set(&d, STATUS_NO_MEMORY, "no memory");
    if (s == STATUS_OK)
        s = check_ranks(c, &d);
    if (s == STATUS_OK)
        s = report_leaderboard_page(c, "CUDA Lab Kit", o->names, &page, &d);
    if (s == STATUS_OK && !o->to)
        s = dir_make(dir, &d);
    if (s == STATUS_OK)
        s = file_write_atomic(path, page.text, page.length, &d);
    if (s == STATUS_OK)
        s = print_leaderboards(a, o, c, &d);
    if (s == STATUS_OK)
        printf("%s\n", path);
    strbuf_free(&page);
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

/* The formats that are a file of the system's, filled in. */
typedef struct Filled {
    const char *name, *meaning, *hint;
    Status (*fill)(const ReportClass *c, const Sheet *sheet, const FillOptions *options, StrBuf *out,
                   StrBuf *notes, Diag *d);
} Filled;

static const Filled filled[] = {
    {"canvas", "Canvas's gradebook, filled in (--from FILE)",
     "Grades, Export, Export Entire Gradebook in Canvas gives it: it is filled in, never made",
     report_fill_canvas},
    {"moodle", "Moodle's offline grading worksheet, filled in (--from FILE)",
     "download the grading worksheet from the assignment in Moodle: it is filled in, never made",
     report_fill_moodle},
};
enum { N_FILLED = sizeof filled / sizeof *filled };

static const Filled *find_filled(const char *name)
{
    for (size_t i = 0; name && i < N_FILLED; i++)
        if (strcmp(filled[i].name, name) == 0)
            return &filled[i];
    return NULL;
}

static int list_formats(void)
{
    for (const ReportFormat *f = report_formats(); f->name; f++)
        printf("  %-14s %s\n", f->name, f->meaning);
    for (size_t i = 0; i < N_FILLED; i++)
        printf("  %-14s %s\n", filled[i].name, filled[i].meaning);
    return EXIT_FINE;
}

static Status write_filled(Arena *a, const Options *o, const Filled *format, const ReportClass *c,
                           StrBuf *out, Diag *d)
{
    Sheet sheet;
    StrBuf notes = {0};
    const FillOptions options = {o->column, o->comments};
    if (!o->from) {
        diag_set(d, STATUS_INVALID, "the format %s needs --from FILE", format->name);
        diag_hint(d, "%s", format->hint);
        return STATUS_INVALID;
    }
    Status s = sheet_load(a, o->from, &sheet, d);
    if (s == STATUS_OK)
        s = format->fill(c, &sheet, &options, out, &notes, d);
    if (s == STATUS_OK)
        strbuf_print(&notes, stderr);
    strbuf_free(&notes);
    return s;
}

static int refuse_format(const char *word)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX] = {"list"}, *lists = "grade export --format list lists them";
    size_t n = 1;
    Diag d;
    for (size_t i = 0; i < N_FILLED; i++)
        names[n++] = filled[i].name;
    for (const ReportFormat *f = report_formats(); f->name && n < NAMES_MAX; f++)
        names[n++] = f->name;
    if (!word)
        return cli_fail_text("--format must be given", lists);
    diag_set(&d, STATUS_INVALID, "%s is no format", word);
    cli_hint_nearest(&d, word, names, n, lists);
    return cli_fail(&d);
}

int cli_export(Arena *a, const Options *o)
{
    if (o->format && strcmp(o->format, "list") == 0)
        return list_formats();
    const ReportFormat *format = o->format ? report_format(o->format) : NULL;
    const Filled *fills = find_filled(o->format);
    if (!format && !fills)
        return refuse_format(o->format);
    Gradebook *book;
    ReportClass *c;
    Diag d;
    StrBuf out = {0};
    Status s = cli_load_class(a, o, &book, &c, &d);
    if (s == STATUS_OK)
        s = fills ? write_filled(a, o, fills, c, &out, &d) : format->write(c, &out, &d);
    if (s == STATUS_OK && o->to)
        s = file_write_atomic(o->to, out.text ? out.text : "", out.length, &d);
    else if (s == STATUS_OK)
        strbuf_print(&out, stdout);
    strbuf_free(&out);
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

static Status put_analyses(Arena *a, const ReportClass *c, bool csv, StrBuf *out, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < c->n_labs; i++) {
        ItemAnalysis items;
        s = report_items(a, c, c->labs[i], c->attempts, c->n_attempts, &items, d);
        if (s == STATUS_OK && csv)
            report_items_csv(out, &items, i == 0);
        else if (s == STATUS_OK)
            report_items_text(out, &items);
    }
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the analysis") : s;
}

int cli_items(Arena *a, const Options *o)
{
    Gradebook *book;
    ReportClass *c;
    Diag d;
    StrBuf out = {0};
    bool csv = o->format && strcmp(o->format, "csv") == 0;
    if (o->format && !csv && strcmp(o->format, "text") != 0)
        return cli_fail_text("--format must be text or csv", NULL);
    Status s = cli_load_class(a, o, &book, &c, &d);
    if (s == STATUS_OK)
        s = put_analyses(a, c, csv, &out, &d);
    if (s == STATUS_OK && o->to)
        s = file_write_atomic(o->to, out.text ? out.text : "", out.length, &d);
    if (s == STATUS_OK && !o->to)
        strbuf_print(&out, stdout);
    strbuf_free(&out);
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
