/* A submission's page: what it came to, its cases with messages and findings, and the build log. The
 * instructor's shows hidden cases whole; the student's is made from the student's view, and leaves out how it
 * was graded. */
#include "grader/report/report_internal.h"
#include "grader/text/escape.h"

#include <string.h>

static void pre(StrBuf *out, const char *text)
{
    strbuf_puts(out, "<pre>");
    html_text(out, text);
    strbuf_puts(out, "</pre>\n");
}

static void pair(StrBuf *out, const char *name, const char *value)
{
    if (!value[0])
        return;
    strbuf_printf(out, "<dt>%s</dt><dd>", name);
    html_text(out, value);
    strbuf_puts(out, "</dd>\n");
}

static void put_facts(StrBuf *out, const Result *r, const Grade *g)
{
    strbuf_puts(out, "<dl class=\"facts\">\n<div><dt>Verdict</dt><dd>");
    html_badge(out, r->verdict);
    strbuf_puts(out, "</dd></div>\n<div><dt>Points</dt><dd>");
    report_counting(out, grade_that_counts(g), r->max_score);
    size_t passed = 0;
    for (size_t i = 0; i < r->n_cases; i++)
        passed += r->cases[i].verdict == VERDICT_PASS;
    strbuf_printf(out, "</dd></div>\n<div><dt>Cases passed</dt><dd>%zu of %zu</dd></div>\n</dl>\n<p>", passed,
                  r->n_cases);
    html_text(out, verdict_meaning(r->verdict));
    strbuf_puts(out, "</p>\n");
}

/* How the points came to be what they are, where they are not the cases' sum alone. */
void html_grade(StrBuf *out, const Result *r, const Grade *g, bool student_view)
{
    Arena a = {0};
    const char **notes;
    size_t n = 0;
    if (grade_is_plain(g))
        return;
    strbuf_puts(out, "<h2 id=\"points\">Points</h2>\n<ul class=\"notes\">\n");
    if (grade_that_counts(g).state != GRADE_UNGRADED) {
        strbuf_puts(out, "<li>The cases gave ");
        report_score(out, r->score, r->max_score);
        strbuf_puts(out, ".</li>\n");
    }
    if (!report_grade_notes(&a, g, student_view, &notes, &n))
        out->failed = true;
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, "<li>");
        html_text(out, notes[i]);
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, "</ul>\n");
    arena_free(&a);
}

static void put_origin(StrBuf *out, const Result *r)
{
    StrBuf layers = {0}, compiler = {0};
    for (size_t i = 0; i < r->n_sandbox; i++)
        strbuf_printf(&layers, "%s%s", i ? ", " : "", r->sandbox[i]);
    strbuf_puts(out, "<h2>How it was graded</h2>\n<dl class=\"pairs\">\n");
    pair(out, "sha256 of the submission", r->submission_sha256);
    pair(out, "Kit version", r->kit_version);
    pair(out, "Device", r->device_name[0] ? r->device_name : r->device_kind);
    strbuf_printf(&compiler, "%s %s", r->compiler, r->compiler_version);
    if (r->compiler[0] && compiler.text)
        pair(out, "Compiler", compiler.text);
    pair(out, "Sandbox layers", layers.text ? layers.text : "");
    strbuf_printf(out, "<dt>Seed of the run</dt><dd>%llu</dd>\n</dl>\n", (unsigned long long)r->seed);
    strbuf_free(&layers);
    strbuf_free(&compiler);
}

static void put_weak(StrBuf *out, const Result *r)
{
    if (r->n_sandbox > 0 && strcmp(r->sandbox[0], "weak") == 0)
        strbuf_puts(out, "<p class=\"notice\">Graded with <code>--allow-weak-sandbox</code>: the submission "
                         "was not fully shut in.</p>\n");
}

static void html_put_findings(StrBuf *out, const CaseResult *c)
{
    for (size_t i = 0; i < c->n_findings; i++) {
        const Finding *f = &c->findings[i];
        if (report_finding_is_told(c, f))
            continue;
        strbuf_printf(out, "<details><summary>%s: ", f->advice ? "Advice" : "Also found");
        html_text(out, f->kind);
        if (f->count > 1)
            strbuf_printf(out, " (%lld times)", (long long)f->count);
        strbuf_puts(out, "</summary>");
        pre(out, f->text[0] ? f->text : f->message);
        strbuf_puts(out, "</details>\n");
    }
}

/* A name that a narrow screen breaks at its underscores. */
static void put_name(StrBuf *out, const char *name)
{
    for (size_t length; *name; name += length) {
        length = strcspn(name, "_");
        length += name[length] == '_';
        escape_html(out, name, length);
        strbuf_puts(out, name[length - 1] == '_' ? "<wbr>" : "");
    }
}

static void put_metrics(StrBuf *out, const CaseResult *c)
{
    if (c->n_metrics == 0)
        return;
    strbuf_puts(out, "<details><summary>Counters</summary><dl class=\"pairs\">\n");
    for (size_t i = 0; i < c->n_metrics; i++) {
        strbuf_puts(out, "<dt>");
        put_name(out, c->metrics[i].name);
        strbuf_printf(out, "</dt><dd>%.15g</dd>\n", c->metrics[i].value);
    }
    strbuf_puts(out, "</dl></details>\n");
}

static void put_hints(StrBuf *out, const CaseResult *c)
{
    if (c->verdict == VERDICT_PASS)
        return;
    if (c->lesson[0]) {
        strbuf_puts(out, "<p class=\"soft\">");
        html_text(out, c->lesson);
        strbuf_puts(out, "</p>\n");
    }
    const char *hint = report_hint_beyond_message(c);
    if (hint[0]) {
        strbuf_puts(out, "<p class=\"hint\">");
        html_text(out, hint);
        strbuf_puts(out, "</p>\n");
    }
    if (c->replay[0]) {
        strbuf_puts(out, "<p>Run it again: <code>");
        html_text(out, c->replay);
        strbuf_puts(out, "</code></p>\n");
    }
    if (report_has_film(c))
        strbuf_printf(out, "<p>See the finding's launch step by step: <code>make show CASE=%s</code></p>\n",
                      c->name);
}

static void put_case(StrBuf *out, const CaseResult *c)
{
    strbuf_puts(out, "<section class=\"case\"><header><h3>");
    html_text(out, c->name);
    strbuf_puts(out, "</h3>");
    html_badge(out, c->verdict);
    strbuf_puts(out, c->hidden ? "<span class=\"tag\">hidden</span>" : "");
    strbuf_puts(out, "<span class=\"pts\">");
    report_score(out, c->points, c->max_points);
    strbuf_puts(out, "</span></header>\n");
    if (c->message[0])
        pre(out, c->message);
    html_put_findings(out, c);
    put_hints(out, c);
    html_timeline(out, c);
    put_metrics(out, c);
    strbuf_puts(out, "</section>\n");
}

static void put_build(StrBuf *out, const Result *r)
{
    if (!r->build_log[0])
        return;
    bool failed = r->build_verdict != VERDICT_PASS;
    strbuf_printf(out, "<h2>Build</h2>\n<details%s><summary>What the compiler said</summary>",
                  failed ? " open" : "");
    strbuf_puts(out,
                "<div class=\"log\" tabindex=\"0\" role=\"region\" aria-label=\"What the compiler said\">");
    pre(out, r->build_log);
    strbuf_puts(out, "</div></details>\n");
}

Status report_student_page(const ReportClass *c, const Result *r, const ReportFinder *finder, StrBuf *out,
                           Diag *d)
{
    Arena a = {0};
    ReportFiles files = {0};
    Result *view = report_student_view(r);
    Status s = view ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for a page");
    if (s == STATUS_OK && finder)
        s = finder->find(finder->context, &a, r, &files, d);
    if (s == STATUS_OK)
        html_submission(out, NULL, view, report_class_grade(c, r->student, r->lab), &files, "CUDA Lab Kit");
    result_free(view);
    arena_free(&a);
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for a page") : s;
}

Status export_student_html(const ReportClass *c, StrBuf *out, Diag *d)
{
    if (c->n_results != 1) {
        diag_set(d, STATUS_INVALID, "this format is of one submission, and %zu are chosen", c->n_results);
        diag_hint(d, "choose one by --students and --labs");
        return STATUS_INVALID;
    }
    return report_student_page(c, c->results[0], NULL, out, d);
}

void html_outcome(StrBuf *out, const Result *r)
{
    put_weak(out, r);
    put_build(out, r);
    if (r->n_cases)
        strbuf_puts(out, "<h2>Cases</h2>\n");
    for (size_t i = 0; i < r->n_cases; i++)
        put_case(out, &r->cases[i]);
}

/* A way to another submission's page, from a page beside or above it. */
static void put_way(StrBuf *out, const char *student, const char *lab, const char *before, const char *text,
                    const char *after)
{
    Arena a = {0};
    const char *page = report_page_path(&a, student, lab);
    strbuf_puts(out, " <a href=\"../");
    html_text(out, page ? page : "");
    strbuf_printf(out, "\">%s", before);
    html_text(out, text);
    strbuf_printf(out, "%s</a>", after);
    out->failed = out->failed || !page;
    arena_free(&a);
}

/* The students before and after in this lab, and this student's other labs. */
static void put_ways(StrBuf *out, const ReportClass *c, const Result *r)
{
    const char *before = report_class_neighbour(c, r->student, r->lab, -1),
               *next = report_class_neighbour(c, r->student, r->lab, 1);
    strbuf_puts(out, "<nav class=\"ways\" aria-label=\"Other submissions\">");
    if (before)
        put_way(out, before, r->lab, "← ", before, "");
    if (next)
        put_way(out, next, r->lab, "", next, " →");
    for (size_t i = 0; i < c->n_labs; i++)
        if (strcmp(c->labs[i], r->lab) != 0 && report_class_find(c, r->student, c->labs[i]))
            put_way(out, r->student, c->labs[i], "", c->labs[i], "");
    strbuf_puts(out, "</nav>\n");
}

void html_submission(StrBuf *out, const ReportClass *c, const Result *r, const Grade *g,
                     const ReportFiles *files, const char *title)
{
    StrBuf heading = {0};
    const char *name = c ? report_student_name(c, r->student) : "";
    strbuf_printf(&heading, name[0] ? "%s (%s): %s" : "%s%s: %s", r->student, name, r->lab);
    html_begin(out, title, heading.text ? heading.text : "", c ? "../index.html" : NULL);
    strbuf_free(&heading);
    if (c)
        put_ways(out, c, r);
    bool student_view = !c;
    strbuf_puts(out, "</header>\n<main>\n");
    put_facts(out, r, g);
    html_grade(out, r, g, student_view);
    html_outcome(out, r);
    if (files)
        html_sources(out, files, r, g, student_view);
    if (!student_view)
        put_origin(out, r);
    html_end(out);
}
