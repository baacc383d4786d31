/* The index: the class at a glance, each lab's figures, and what needs a person. */
#include "grader/report/report_internal.h"

#include <string.h>

static void fact(StrBuf *out, const char *name, size_t n)
{
    strbuf_printf(out, "<div><dt>%s</dt><dd>%zu</dd></div>\n", name, n);
}

static void put_facts(StrBuf *out, const ReportClass *c)
{
    size_t submitted = 0, passed = 0, person = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        Verdict v = c->results[i]->verdict;
        submitted += v != VERDICT_NOT_SUBMITTED;
        passed += v == VERDICT_PASS;
        person += verdict_needs_person(v);
    }
    strbuf_puts(out, "<dl class=\"facts\">\n");
    fact(out, "Students", c->n_students);
    fact(out, "Labs", c->n_labs);
    fact(out, "Handed in", submitted);
    fact(out, "Passed", passed);
    fact(out, "Need a person", person);
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
        strbuf_puts(out, "<td class=\"soft\">–</td>\n");
        return;
    }
    const char *page = report_page_path(a, r->student, r->lab);
    strbuf_puts(out, "<td><a class=\"cell\" href=\"");
    html_text(out, page ? page : "");
    strbuf_puts(out, "\">");
    html_badge(out, r->verdict);
    strbuf_puts(out, "<span class=\"pts\">");
    report_score(out, g->final, r->max_score);
    strbuf_puts(out, g->final != r->score
                         ? "<span title=\"not the grader's own points: see the page\">*</span>"
                         : "");
    strbuf_puts(out, "</span></a></td>\n");
}

static void put_student(StrBuf *out, Arena *a, const ReportClass *c, const char *student)
{
    double score = 0, max_score = 0;
    strbuf_puts(out, "<tr><th scope=\"row\">");
    html_text(out, student);
    strbuf_puts(out, "</th>\n");
    for (size_t i = 0; i < c->n_labs; i++) {
        const Result *r = report_class_find(c, student, c->labs[i]);
        const Grade *g = report_class_grade(c, student, c->labs[i]);
        score += r ? g->final : 0;
        max_score += r ? r->max_score : 0;
        put_cell(out, a, r, g);
    }
    strbuf_puts(out, "<td class=\"num\">");
    report_score(out, score, max_score);
    strbuf_puts(out, "</td></tr>\n");
}

static void put_class(StrBuf *out, Arena *a, const ReportClass *c)
{
    strbuf_puts(out, "<h2 id=\"class\">The class</h2>\n<div class=\"scroll\"><table>\n"
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
}

/* A bar in proportion, the good end first; the words stand in the legend below it. */
static void put_verdicts(StrBuf *out, const LabStatistics *s)
{
    static const char *const tones[] = {"good", "warn", "bad", "person", "none"};
    strbuf_puts(out, "<div class=\"bar\" aria-hidden=\"true\">");
    for (int v = VERDICT_N - 1; v >= 0; v--)
        if (s->verdicts[v])
            strbuf_printf(out, "<i class=\"t-%s\" style=\"flex:%zu\"></i>", tones[report_tone((Verdict)v)],
                          s->verdicts[v]);
    strbuf_puts(out, "</div><ul class=\"legend\">");
    for (int v = VERDICT_N - 1; v >= 0; v--) {
        if (!s->verdicts[v])
            continue;
        strbuf_puts(out, "<li>");
        html_badge(out, (Verdict)v);
        strbuf_printf(out, " × %zu</li>", s->verdicts[v]);
    }
    strbuf_puts(out, "</ul>");
}

static void put_number(StrBuf *out, double value)
{
    strbuf_puts(out, "<td class=\"num\">");
    report_points(out, value);
    strbuf_puts(out, "</td>");
}

static void put_labs(StrBuf *out, const ReportClass *c)
{
    strbuf_puts(out, "<h2 id=\"labs\">The labs</h2>\n<div class=\"scroll\"><table>\n"
                     "<caption>Points of those who handed something in.</caption>\n"
                     "<thead><tr><th scope=\"col\">Lab</th><th scope=\"col\" class=\"num\">Handed in</th>"
                     "<th scope=\"col\" class=\"num\">Mean</th><th scope=\"col\" class=\"num\">Median</th>"
                     "<th scope=\"col\" class=\"num\">Least</th><th scope=\"col\" class=\"num\">Most</th>"
                     "<th scope=\"col\">Verdicts</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->n_labs; i++) {
        LabStatistics s = report_lab_statistics(c, c->labs[i]);
        strbuf_puts(out, "<tr><th scope=\"row\">");
        html_text(out, c->labs[i]);
        strbuf_printf(out, "</th><td class=\"num\">%zu of %zu</td>", s.n_submitted, s.n_results);
        put_number(out, s.mean);
        put_number(out, s.median);
        put_number(out, s.least);
        put_number(out, s.most);
        strbuf_puts(out, "<td>");
        put_verdicts(out, &s);
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

/* How a case went over the class. */
typedef struct CaseCount {
    size_t n, n_passed;
} CaseCount;

static CaseCount count_case(const ReportClass *c, const char *lab, const char *name)
{
    CaseCount count = {0};
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        for (size_t j = 0; strcmp(r->lab, lab) == 0 && j < r->n_cases; j++) {
            if (strcmp(r->cases[j].name, name) != 0 || r->verdict == VERDICT_NOT_SUBMITTED)
                continue;
            count.n++;
            count.n_passed += r->cases[j].verdict == VERDICT_PASS;
        }
    }
    return count;
}

/* The cases of a lab as its longest result lists them. */
static const Result *longest_result(const ReportClass *c, const char *lab)
{
    const Result *longest = NULL;
    for (size_t i = 0; i < c->n_results; i++)
        if (strcmp(c->results[i]->lab, lab) == 0 && (!longest || c->results[i]->n_cases > longest->n_cases))
            longest = c->results[i];
    return longest;
}

static void put_cases(StrBuf *out, const ReportClass *c, const char *lab)
{
    const Result *r = longest_result(c, lab);
    if (!r || r->n_cases == 0)
        return;
    strbuf_puts(out, "<details><summary>Cases of ");
    html_text(out, lab);
    strbuf_puts(
        out, "</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Case</th><th scope=\"col\" "
             "class=\"num\">Points</th><th scope=\"col\" class=\"num\">Passed by</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n_cases; i++) {
        CaseCount count = count_case(c, lab, r->cases[i].name);
        strbuf_puts(out, "<tr><th scope=\"row\">");
        html_text(out, r->cases[i].name);
        strbuf_puts(out, r->cases[i].hidden ? " <span class=\"soft\">hidden</span></th>" : "</th>");
        put_number(out, r->cases[i].max_points);
        strbuf_printf(out, "<td class=\"num\">%zu of %zu</td></tr>\n", count.n_passed, count.n);
    }
    strbuf_puts(out, "</tbody></table></div></details>\n");
}

static void put_person(StrBuf *out, Arena *a, const ReportClass *c)
{
    bool begun = false;
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (!verdict_needs_person(r->verdict))
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

void html_index(StrBuf *out, const ReportClass *c, const char *title)
{
    Arena a = {0};
    html_begin(out, title, "Results of the class", NULL);
    put_run(out, c);
    strbuf_puts(out, "</header>\n<main>\n");
    put_facts(out, c);
    put_person(out, &a, c);
    put_class(out, &a, c);
    put_labs(out, c);
    for (size_t i = 0; i < c->n_labs; i++)
        put_cases(out, c, c->labs[i]);
    html_end(out);
    arena_free(&a);
}
