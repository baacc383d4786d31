/* Each lab's figures, as a part of the index: verdicts, how the scores lie, which cases fail most and how all
 * went. */
#include "grader/report/items.h"
#include "grader/report/report_internal.h"

#include <string.h>

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

static void html_put_number(StrBuf *out, double value)
{
    strbuf_puts(out, "<td class=\"num\">");
    report_points(out, value);
    strbuf_puts(out, "</td>");
}

static void put_labs(StrBuf *out, const ReportClass *c)
{
    strbuf_puts(out, "<h2 id=\"labs\">The labs</h2>\n");
    html_scroll(out, "The labs", NULL);
    strbuf_puts(out, "<table>\n"
                     "<caption>Points that count.</caption>\n"
                     "<thead><tr><th scope=\"col\">Lab</th><th scope=\"col\" class=\"num\">Handed in</th>"
                     "<th scope=\"col\" class=\"num\">Mean</th><th scope=\"col\" class=\"num\">Median</th>"
                     "<th scope=\"col\" class=\"num\">Least</th><th scope=\"col\" class=\"num\">Most</th>"
                     "<th scope=\"col\">Verdicts</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->n_labs; i++) {
        LabStatistics s = report_lab_statistics(c, c->labs[i]);
        strbuf_puts(out, "<tr><th scope=\"row\">");
        html_text(out, c->labs[i]);
        strbuf_printf(out, "</th><td class=\"num\">%zu of %zu</td>", s.n_submitted, s.n_results);
        html_put_number(out, s.mean);
        html_put_number(out, s.median);
        html_put_number(out, s.least);
        html_put_number(out, s.most);
        strbuf_puts(out, "<td>");
        put_verdicts(out, &s);
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

/* ---- how the scores lie ---- */

enum { BINS = 11, BIN_WIDTH = 22, PLOT_HEIGHT = 60 };

/* Tenths of the points, and all of them. */
static size_t bin_of(double score, double max_score)
{
    double share = max_score > 0 ? score / max_score : 0;
    return share >= 1 ? BINS - 1 : share <= 0 ? 0 : (size_t)(share * 10);
}

static void put_bar(StrBuf *out, size_t bin, size_t n, size_t most)
{
    double height = most ? (double)PLOT_HEIGHT * (double)n / (double)most : 0;
    size_t x = bin * BIN_WIDTH;
    strbuf_printf(out, "<rect x=\"%zu\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", x + 1,
                  14 + PLOT_HEIGHT - height, BIN_WIDTH - 2, height);
    if (n)
        strbuf_printf(out, "<text x=\"%zu\" y=\"%.1f\">%zu</text>", x + BIN_WIDTH / 2,
                      11 + PLOT_HEIGHT - height, n);
}

static void put_distribution(StrBuf *out, const ReportClass *c, const char *lab)
{
    size_t bins[BINS] = {0}, most = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        GradeThatCounts counting = grade_that_counts(&c->grades[i]);
        if (strcmp(r->lab, lab) == 0 && counting.counts)
            bins[bin_of(counting.points, r->max_score)]++;
    }
    strbuf_puts(out, "<figure><figcaption>");
    html_text(out, lab);
    strbuf_printf(out,
                  "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Students by points: ",
                  BINS * BIN_WIDTH, PLOT_HEIGHT + 30);
    for (size_t b = 0; b < BINS; b++) {
        most = bins[b] > most ? bins[b] : most;
        if (bins[b])
            strbuf_printf(out, b == BINS - 1 ? "all points %zu" : "from %zu %% %zu, ",
                          b == BINS - 1 ? bins[b] : b * 10, bins[b]);
    }
    strbuf_puts(out, "\">");
    for (size_t b = 0; b < BINS; b++)
        put_bar(out, b, bins[b], most);
    strbuf_printf(out,
                  "<text x=\"0\" y=\"%d\" class=\"start\">0 %%</text><text x=\"%d\" y=\"%d\">50 "
                  "%%</text><text x=\"%d\" "
                  "y=\"%d\" class=\"end\">100 %%</text></svg></figure>\n",
                  PLOT_HEIGHT + 27, 5 * BIN_WIDTH + BIN_WIDTH / 2, PLOT_HEIGHT + 27, BINS * BIN_WIDTH,
                  PLOT_HEIGHT + 27);
}

static void put_distributions(StrBuf *out, const ReportClass *c)
{
    strbuf_puts(out, "<h2 id=\"points\">Students by points</h2>\n<p class=\"soft\">How many got which share "
                     "of a lab's points, of those whose "
                     "points count; the last bar is full points.</p>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < c->n_labs; i++)
        put_distribution(out, c, c->labs[i]);
    strbuf_puts(out, "</div>\n");
}

/* ---- how the cases went ---- */

/* Over the class. */
typedef struct CaseCount {
    size_t n, n_passed, verdicts[VERDICT_N];
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
            count.verdicts[r->cases[j].verdict]++;
        }
    }
    return count;
}

/* ---- cases that fail most ---- */

enum { WORST_SHOWN = 10 };

typedef struct WorstCase {
    const char *lab, *name;
    CaseCount count;
} WorstCase;

static size_t failed_of(const WorstCase *w)
{
    return w->count.n - w->count.n_passed;
}

/* Into the list of the worst, which is in order; equal ones stay in the order in which they come. */
static void keep_worst(WorstCase worst[WORST_SHOWN], size_t *n, WorstCase one)
{
    size_t at = *n;
    while (at > 0 && failed_of(&worst[at - 1]) < failed_of(&one))
        at--;
    if (at == WORST_SHOWN || failed_of(&one) == 0)
        return;
    *n += *n < WORST_SHOWN;
    memmove(&worst[at + 1], &worst[at], (*n - at - 1) * sizeof *worst);
    worst[at] = one;
}

static void put_worst(StrBuf *out, const ReportClass *c)
{
    WorstCase worst[WORST_SHOWN];
    size_t n = 0;
    for (size_t i = 0; i < c->n_labs; i++) {
        const Result *r = report_longest_result(c, c->labs[i]);
        for (size_t k = 0; r && k < r->n_cases; k++)
            keep_worst(
                worst, &n,
                (WorstCase){c->labs[i], r->cases[k].name, count_case(c, c->labs[i], r->cases[k].name)});
    }
    if (n == 0)
        return;
    strbuf_puts(out, "<h2 id=\"cases\">Cases that fail most</h2>\n");
    html_scroll(out, "Cases that fail most", NULL);
    strbuf_puts(
        out,
        "<table>\n<thead><tr><th scope=\"col\">Lab</th><th "
        "scope=\"col\">Case</th><th scope=\"col\" class=\"num\">Failed by</th><th scope=\"col\">Most often "
        "for</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, "<tr><td class=\"whole\">");
        html_text(out, worst[i].lab);
        strbuf_puts(out, "</td><th scope=\"row\">");
        html_text(out, worst[i].name);
        strbuf_printf(out, "</th><td class=\"num\">%zu of %zu</td><td>", failed_of(&worst[i]),
                      worst[i].count.n);
        html_badge(out, report_usual_failure(worst[i].count.verdicts));
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

void html_labs(StrBuf *out, const ReportClass *c)
{
    put_labs(out, c);
    put_distributions(out, c);
    put_worst(out, c);
    Arena a = {0};
    for (size_t i = 0; i < c->n_labs; i++) {
        ItemAnalysis items;
        if (report_items(&a, c, c->labs[i], c->attempts, c->n_attempts, &items, NULL) == STATUS_OK)
            html_items(out, &items);
        else
            out->failed = true;
    }
    arena_free(&a);
}
