/* Exports as lines of text: CSV for people, Canvas's gradebook, Markdown. */
#include "grader/report/report_internal.h"

#include "grader/text/escape.h"

#include <string.h>

/* A CSV cell of ours or of theirs, after a comma unless it is the line's first. */
static void cell(StrBuf *out, const char *text)
{
    if (out->length > 0 && out->text[out->length - 1] != '\n')
        strbuf_puts(out, ",");
    escape_csv(out, text, strlen(text));
}

static void points_cell(StrBuf *out, double points)
{
    strbuf_puts(out, ",");
    report_points(out, points);
}

static Status finish_export(const StrBuf *out, Diag *d)
{
    return out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the export") : STATUS_OK;
}

/* What policy and log make of the score; the notes are for the instructor. */
static void put_grade(StrBuf *out, const Grade *g)
{
    StrBuf notes = {0};
    GradeThatCounts counting = grade_that_counts(g);
    if (counting.counts)
        points_cell(out, counting.points);
    else
        strbuf_puts(out, ",");
    strbuf_printf(out, ",%zu,%zu,%lld", g->attempt, g->n_attempts, (long long)g->late_s);
    points_cell(out, g->deduction);
    Arena a = {0};
    const char **lines;
    size_t n = 0;
    notes.failed = !report_grade_notes(&a, g, false, &lines, &n);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&notes, "%s%s", i ? "; " : "", lines[i]);
    for (size_t i = 0; i < notes.length; i++) /* one line a result, for readers that know no quotes */
        notes.text[i] = notes.text[i] == '\n' || notes.text[i] == '\r' ? ' ' : notes.text[i];
    cell(out, notes.text ? notes.text : "");
    cell(out, grade_state_word(counting.state));
    out->failed = out->failed || notes.failed;
    strbuf_free(&notes);
    arena_free(&a);
}

Status export_csv(const ReportClass *c, StrBuf *out, Diag *d)
{
    strbuf_puts(out, "student,lab,verdict,score,max_score,cases,cases_passed,submission_sha256,device,kit_"
                     "version,final_score,"
                     "attempt,attempts,late_seconds,late_points,notes,state\r\n");
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        size_t passed = 0;
        for (size_t j = 0; j < r->n_cases; j++)
            passed += r->cases[j].verdict == VERDICT_PASS;
        cell(out, r->student);
        cell(out, r->lab);
        cell(out, verdict_word(r->verdict));
        if (grade_that_counts(&c->grades[i]).state == GRADE_UNGRADED)
            strbuf_puts(out, ",");
        else
            points_cell(out, r->score);
        points_cell(out, r->max_score);
        strbuf_printf(out, ",%zu,%zu", r->n_cases, passed);
        cell(out, r->submission_sha256);
        cell(out, r->device_name);
        cell(out, r->kit_version);
        put_grade(out, &c->grades[i]);
        strbuf_puts(out, "\r\n");
    }
    return finish_export(out, d);
}

Status export_cases_csv(const ReportClass *c, StrBuf *out, Diag *d)
{
    strbuf_puts(out, "student,lab,case,visibility,verdict,points,max_points,message\r\n");
    for (size_t i = 0; i < c->n_results; i++) {
        for (size_t j = 0; j < c->results[i]->n_cases; j++) {
            const CaseResult *k = &c->results[i]->cases[j];
            cell(out, c->results[i]->student);
            cell(out, c->results[i]->lab);
            cell(out, k->name);
            cell(out, k->hidden ? "hidden" : "public");
            cell(out, verdict_word(k->verdict));
            if (verdict_credit(k->verdict) == CREDIT_OPEN)
                strbuf_puts(out, ",");
            else
                points_cell(out, k->points);
            points_cell(out, k->max_points);
            cell(out, k->message);
            strbuf_puts(out, "\r\n");
        }
    }
    return finish_export(out, d);
}

/* What the student of one submission may read. */
Status export_student(const ReportClass *c, StrBuf *out, Diag *d)
{
    if (c->n_results != 1) {
        diag_set(d, STATUS_INVALID, "this format is of one submission, and %zu are chosen", c->n_results);
        diag_hint(d, "choose one by --students and --labs");
        return STATUS_INVALID;
    }
    const Result *r = c->results[0];
    escape_terminal(out, r->student, strlen(r->student));
    strbuf_puts(out, " ");
    escape_terminal(out, r->lab, strlen(r->lab));
    strbuf_puts(out, "\n");
    report_cases(out, r, true, (ReportStyle){0});
    if (!grade_is_plain(&c->grades[0])) {
        report_put_notes(out, &c->grades[0], true, "");
        strbuf_puts(out, "Points that count: ");
        report_counting(out, grade_that_counts(&c->grades[0]), r->max_score);
        strbuf_puts(out, "\n");
    }
    return finish_export(out, d);
}

Status export_markdown(const ReportClass *c, StrBuf *out, Diag *d)
{
    strbuf_puts(out, "| student |");
    for (size_t i = 0; i < c->n_labs; i++) {
        strbuf_puts(out, " ");
        escape_markdown(out, c->labs[i], strlen(c->labs[i]));
        strbuf_puts(out, " |");
    }
    strbuf_puts(out, "\n|---|");
    for (size_t i = 0; i < c->n_labs; i++)
        strbuf_puts(out, "---|");
    strbuf_puts(out, "\n");
    for (size_t s = 0; s < c->n_students; s++) {
        strbuf_puts(out, "| ");
        escape_markdown(out, c->students[s], strlen(c->students[s]));
        strbuf_puts(out, " |");
        for (size_t i = 0; i < c->n_labs; i++) {
            const Result *r = report_class_find(c, c->students[s], c->labs[i]);
            strbuf_printf(out, " %s ", r ? verdict_word(r->verdict) : "");
            if (r)
                report_counting(out, report_class_counting(c, c->students[s], c->labs[i]), r->max_score);
            strbuf_puts(out, " |");
        }
        strbuf_puts(out, "\n");
    }
    return finish_export(out, d);
}
