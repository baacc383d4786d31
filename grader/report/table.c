/* The terminal's table: students x labs.
 *
 *     student  01-indexing         02-vector-add            total
 *     s001     pass       100/100  wrong-result    35/100  135/200
 *
 * Widths are columns of a terminal, not bytes. A table wider than the terminal is printed in parts of some
 * labs each.
 */
#include "grader/report/report_internal.h"

#include "grader/text/escape.h"
#include "grader/text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

static void pad(StrBuf *out, size_t have, size_t want)
{
    for (; have < want; have++)
        strbuf_append(out, " ", 1);
}

/* An escaped text and how wide it is. */
static size_t text_width(const char *text)
{
    StrBuf b = {0};
    escape_terminal(&b, text, strlen(text));
    size_t width = b.text ? utf8_text_width(b.text, b.length) : 0;
    strbuf_free(&b);
    return width;
}

static size_t counting_width(GradeThatCounts counting, double max_score)
{
    StrBuf b = {0};
    report_counting(&b, counting, max_score);
    size_t width = b.length;
    strbuf_free(&b);
    return width;
}

static size_t score_width(double score, double max_score)
{
    StrBuf b = {0};
    report_score(&b, score, max_score);
    size_t width = b.length;
    strbuf_free(&b);
    return width;
}

static void put_score(StrBuf *out, double score, double max_score, size_t width)
{
    pad(out, score_width(score, max_score), width);
    report_score(out, score, max_score);
}

/* The columns of a lab: words on the left, scores on the right. */
typedef struct Column {
    const char *lab;
    size_t word, score, width;
} Column;

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* "s001 Student One", where the roster has a name. */
static const char *label_of(Arena *a, const ReportClass *c, const char *student)
{
    const char *name = report_student_name(c, student);
    const char *label = name[0] ? arena_printf(a, "%s %s", student, name) : student;
    return label ? label : student;
}

static Column measure(const ReportClass *c, const char *lab)
{
    Column column = {.lab = lab};
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (strcmp(r->lab, lab) != 0)
            continue;
        column.word = most(column.word, strlen(verdict_word(r->verdict)));
        column.score = most(column.score, counting_width(grade_that_counts(&c->grades[i]), r->max_score));
    }
    column.width = most(column.word + GAP + column.score, text_width(lab));
    column.word = column.width - GAP - column.score;
    return column;
}

static void put_cell(StrBuf *out, const Result *r, const Grade *g, const Column *column, ReportStyle style)
{
    pad(out, 0, GAP);
    if (!r) {
        strbuf_puts(out, "-");
        pad(out, 1, column->width);
        return;
    }
    const char *word = verdict_word(r->verdict);
    report_paint(out, style, report_tone(r->verdict), word);
    pad(out, strlen(word), column->word + GAP);
    GradeThatCounts counting = grade_that_counts(g);
    pad(out, counting_width(counting, r->max_score), column->score);
    report_counting(out, counting, r->max_score);
}

typedef struct Total {
    double score, max_score;
} Total;

/* What is ungraded is left out, of both. */
static Total total_of(const ReportClass *c, const char *student)
{
    Total t = {0};
    for (size_t i = 0; i < c->n_results; i++) {
        if (strcmp(c->results[i]->student, student) != 0)
            continue;
        GradeThatCounts counting = grade_that_counts(&c->grades[i]);
        if (counting.state == GRADE_UNGRADED)
            continue;
        t.score += counting.points;
        t.max_score += c->results[i]->max_score;
    }
    return t;
}

static void put_padded(StrBuf *out, const char *text, size_t width)
{
    escape_terminal(out, text, strlen(text));
    pad(out, text_width(text), width);
}

static void end_line(StrBuf *out)
{
    while (out->length > 0 && out->text[out->length - 1] == ' ')
        out->text[--out->length] = '\0';
    strbuf_puts(out, "\n");
}

/* The table of labs first..last; the totals when it holds the last lab. */
static void put_part(StrBuf *out, const ReportClass *c, const Column *columns, size_t first, size_t last,
                     size_t names, size_t totals, ReportStyle style)
{
    bool with_total = last == c->n_labs && c->n_labs > 1;
    Arena a = {0};
    put_padded(out, "student", names);
    for (size_t i = first; i < last; i++) {
        pad(out, 0, GAP);
        put_padded(out, columns[i].lab, columns[i].width);
    }
    if (with_total) {
        pad(out, 5, GAP + totals);
        strbuf_puts(out, "total");
    }
    end_line(out);
    for (size_t s = 0; s < c->n_students; s++) {
        put_padded(out, label_of(&a, c, c->students[s]), names);
        for (size_t i = first; i < last; i++)
            put_cell(out, report_class_find(c, c->students[s], columns[i].lab),
                     report_class_grade(c, c->students[s], columns[i].lab), &columns[i], style);
        Total t = total_of(c, c->students[s]);
        if (with_total) {
            pad(out, 0, GAP);
            put_score(out, t.score, t.max_score, totals);
        }
        end_line(out);
    }
    arena_free(&a);
}

/* How many labs from first on fit beside the names; one at least. */
static size_t part_end(const ReportClass *c, const Column *columns, size_t first, size_t names, size_t totals,
                       int limit)
{
    size_t width = names, end = first;
    while (end < c->n_labs) {
        width += GAP + columns[end].width;
        size_t needed = width + (end + 1 == c->n_labs && c->n_labs > 1 ? GAP + totals : 0);
        if (limit > 0 && needed > (size_t)limit && end > first)
            break;
        end++;
    }
    return end;
}

/* Who is on the roster and has handed in nothing at all. */
static void put_absent(StrBuf *out, const ReportClass *c)
{
    bool begun = false;
    for (size_t i = 0; c->has_roster && i < c->n_students; i++) {
        if (report_has_handed_in(c, c->students[i]))
            continue;
        strbuf_puts(out, begun ? ", " : "handed in nothing: ");
        escape_terminal(out, c->students[i], strlen(c->students[i]));
        begun = true;
    }
    strbuf_puts(out, begun ? "\n" : "");
}

static void put_summary(StrBuf *out, const ReportClass *c, ReportStyle style)
{
    strbuf_printf(out, "\n%zu student%s, %zu lab%s\n", c->n_students, c->n_students == 1 ? "" : "s",
                  c->n_labs, c->n_labs == 1 ? "" : "s");
    for (size_t i = 0; i < c->n_labs; i++) {
        LabStatistics s = report_lab_statistics(c, c->labs[i]);
        escape_terminal(out, c->labs[i], strlen(c->labs[i]));
        strbuf_printf(out, ": %zu handed in, %zu passed, mean ", s.n_submitted, s.n_passed);
        report_points(out, s.mean);
        strbuf_puts(out, ", median ");
        report_points(out, s.median);
        strbuf_puts(out, " of ");
        report_points(out, s.max_score);
        if (s.n_ungraded)
            strbuf_printf(out, ", %zu ungraded", s.n_ungraded);
        strbuf_puts(out, "\n");
    }
    put_absent(out, c);
    size_t n_changed = 0;
    for (size_t i = 0; i < c->n_results; i++)
        n_changed += c->grades[i].final != c->results[i]->score;
    if (n_changed)
        strbuf_printf(out, "%zu of these points are not the grader's own: policy, extensions, adjustments\n",
                      n_changed);
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (!result_needs_person(r))
            continue;
        report_paint(out, style, TONE_PERSON, "a person should look at: ");
        escape_terminal(out, r->student, strlen(r->student));
        strbuf_puts(out, " ");
        escape_terminal(out, r->lab, strlen(r->lab));
        bool ungraded = grade_that_counts(&c->grades[i]).state == GRADE_UNGRADED;
        strbuf_printf(out, " (%s%s)\n", verdict_word(r->verdict), ungraded ? ", ungraded" : "");
    }
}

void report_table(StrBuf *out, const ReportClass *c, ReportStyle style)
{
    if (c->n_results == 0) {
        strbuf_puts(out, "no results\n");
        return;
    }
    size_t names = strlen("student"), totals = strlen("total");
    Column *columns = malloc(c->n_labs * sizeof *columns);
    if (!columns) {
        out->failed = true;
        return;
    }
    Arena a = {0};
    for (size_t i = 0; i < c->n_labs; i++)
        columns[i] = measure(c, c->labs[i]);
    for (size_t s = 0; s < c->n_students; s++) {
        Total t = total_of(c, c->students[s]);
        names = most(names, text_width(label_of(&a, c, c->students[s])));
        totals = most(totals, score_width(t.score, t.max_score));
    }
    for (size_t first = 0, last; first < c->n_labs; first = last) {
        last = part_end(c, columns, first, names, totals, style.columns);
        strbuf_puts(out, first ? "\n" : "");
        put_part(out, c, columns, first, last, names, totals, style);
    }
    free(columns);
    arena_free(&a);
    put_summary(out, c, style);
}

void report_progress(StrBuf *out, size_t done, size_t total, const Result *r, ReportStyle style)
{
    int digits = 1;
    for (size_t n = total; n >= 10; n /= 10)
        digits++;
    strbuf_printf(out, "[%*zu/%zu] ", digits, done, total);
    escape_terminal(out, r->student, strlen(r->student));
    strbuf_puts(out, " ");
    escape_terminal(out, r->lab, strlen(r->lab));
    strbuf_puts(out, ": ");
    report_paint(out, style, report_tone(r->verdict), verdict_word(r->verdict));
    strbuf_puts(out, " ");
    Grade grade = grade_plain(r);
    report_counting(out, grade_that_counts(&grade), r->max_score);
    strbuf_puts(out, "\n");
}

void report_plain(StrBuf *out, const char *text, size_t length)
{
    escape_terminal(out, text, length);
}
