/* The index: the class at a glance, and what needs a person. Each lab's figures are html_labs.c's. */
#include "grader/report/report_internal.h"

#include <string.h>

static void fact(StrBuf *out, const char *name, size_t n)
{
    strbuf_printf(out, "<div><dt>%s</dt><dd>%zu</dd></div>\n", name, n);
}

static void put_facts(StrBuf *out, const ReportClass *c)
{
    size_t submitted = 0, passed = 0, person = 0, ungraded = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        Verdict v = c->results[i]->verdict;
        submitted += v != VERDICT_NOT_SUBMITTED;
        passed += v == VERDICT_PASS;
        person += result_needs_person(c->results[i]);
        ungraded += grade_that_counts(&c->grades[i]).state == GRADE_UNGRADED;
    }
    strbuf_puts(out, "<dl class=\"facts\">\n");
    fact(out, "Students", c->n_students);
    fact(out, "Labs", c->n_labs);
    fact(out, "Handed in", submitted);
    fact(out, "Passed", passed);
    fact(out, "Need a person", person);
    if (ungraded)
        fact(out, "Ungraded", ungraded);
    strbuf_puts(out, "</dl>\n");
}

/* What is the same for all results, as the small print. */
static void put_run(StrBuf *out, const ReportClass *c)
{
    if (c->n_results == 0)
        return;
    const Result *r = c->results[0];
    strbuf_puts(out, "<p class=\"soft\">Graded by kit version ");
    html_text(out, r->kit_version);
    strbuf_puts(out, " on ");
    html_text(out, r->device_name[0] ? r->device_name : r->device_kind);
    strbuf_printf(out, " (%s), seed %llu.</p>\n",
                  strcmp(r->device_kind, "gpu") == 0 ? "a GPU" : "the virtual GPU",
                  (unsigned long long)r->seed);
}

static void put_cell(StrBuf *out, Arena *a, const Result *r, const Grade *g)
{
    if (!r) {
        strbuf_puts(out, "<td class=\"soft\" data-v=\"\">–</td>\n");
        return;
    }
    const char *page = report_page_path(a, r->student, r->lab);
    GradeThatCounts counting = grade_that_counts(g);
    strbuf_puts(out, "<td data-v=\"");
    if (counting.state != GRADE_UNGRADED)
        strbuf_printf(out, "%.15g", counting.points);
    strbuf_puts(out, "\"><a class=\"cell\" href=\"");
    html_text(out, page ? page : "");
    strbuf_puts(out, "\">");
    html_badge(out, r->verdict);
    strbuf_puts(out, "<span class=\"pts\">");
    report_counting(out, counting, r->max_score);
    strbuf_puts(out, counting.counts && counting.points != r->score ? "*" : "");
    strbuf_puts(out, "</span></a></td>\n");
}

static void put_student(StrBuf *out, Arena *a, const ReportClass *c, const char *student)
{
    double score = 0, max_score = 0;
    strbuf_puts(out, "<tr><th scope=\"row\">");
    html_text(out, student);
    if (report_student_name(c, student)[0]) {
        strbuf_puts(out, " <span class=\"soft\">");
        html_text(out, report_student_name(c, student));
        strbuf_puts(out, "</span>");
    }
    strbuf_puts(out, "</th>\n");
    for (size_t i = 0; i < c->n_labs; i++) {
        const Result *r = report_class_find(c, student, c->labs[i]);
        GradeThatCounts counting = report_class_counting(c, student, c->labs[i]);
        score += counting.points;
        max_score += r && counting.state != GRADE_UNGRADED ? r->max_score : 0;
        put_cell(out, a, r, report_class_grade(c, student, c->labs[i]));
    }
    strbuf_printf(out, "<td class=\"num\" data-v=\"%.15g\">", score);
    report_score(out, score, max_score);
    strbuf_puts(out, "</td></tr>\n");
}

static void put_class(StrBuf *out, Arena *a, const ReportClass *c)
{
    strbuf_puts(out, "<h2 id=\"class\">The class</h2>\n");
    html_scroll(out, "The class", NULL);
    strbuf_puts(out, "<table id=\"class-table\">\n"
                     "<caption>Verdict and points of each submission; a cell leads to its page.</caption>\n"
                     "<thead><tr><th scope=\"col\">Student</th>");
    for (size_t i = 0; i < c->n_labs; i++) {
        strbuf_puts(out, "<th scope=\"col\">");
        html_text(out, c->labs[i]);
        strbuf_puts(out, "</th>");
    }
    strbuf_puts(out, "<th scope=\"col\" class=\"num\">Total</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->n_students; i++)
        put_student(out, a, c, c->students[i]);
    strbuf_puts(out, "</tbody></table></div>\n");
    bool changed = false;
    for (size_t i = 0; i < c->n_results; i++)
        changed = changed || c->grades[i].final != c->results[i]->score;
    if (changed)
        strbuf_puts(out,
                    "<p class=\"soft\">* not the grader's own points: policy, extensions, adjustments; the "
                    "submission's page says which.</p>\n");
}

static void put_person(StrBuf *out, Arena *a, const ReportClass *c)
{
    bool begun = false;
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (!result_needs_person(r))
            continue;
        if (!begun)
            strbuf_puts(out, "<h2 id=\"person\">A person should look at</h2>\n<ul>\n");
        begun = true;
        const char *page = report_page_path(a, r->student, r->lab);
        strbuf_puts(out, "<li><a href=\"");
        html_text(out, page ? page : "");
        strbuf_puts(out, "\">");
        html_text(out, r->student);
        strbuf_puts(out, ", ");
        html_text(out, r->lab);
        strbuf_puts(out, "</a> ");
        html_badge(out, r->verdict);
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, begun ? "</ul>\n" : "");
}

/* Who is on the roster and has handed in nothing at all. */
static void put_absent(StrBuf *out, const ReportClass *c)
{
    bool begun = false;
    for (size_t i = 0; c->has_roster && i < c->n_students; i++) {
        if (report_has_handed_in(c, c->students[i]))
            continue;
        strbuf_puts(out, begun ? ", " : "<p id=\"absent\">Handed in nothing: ");
        html_text(out, c->students[i]);
        if (report_student_name(c, c->students[i])[0]) {
            strbuf_puts(out, " ");
            html_text(out, report_student_name(c, c->students[i]));
        }
        begun = true;
    }
    strbuf_puts(out, begun ? ".</p>\n" : "");
}

void html_index(StrBuf *out, const ReportClass *c, const char *title, bool similar)
{
    Arena a = {0};
    html_begin(out, title, "Results of the class", NULL);
    put_run(out, c);
    strbuf_puts(out, "</header>\n<main>\n");
    put_facts(out, c);
    if (similar)
        strbuf_puts(out, "<p><a href=\"similar.html\">Submissions that share passages</a></p>\n");
    put_absent(out, c);
    put_person(out, &a, c);
    put_class(out, &a, c);
    html_labs(out, c);
    strbuf_puts(out, "<script>");
    strbuf_puts(out, REPORT_JS);
    strbuf_puts(out, "</script>\n");
    html_end(out);
    arena_free(&a);
}
