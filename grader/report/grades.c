/* What is said about points beside the score: one text for all reports and exports.
 *
 *     late by 1 day 3 hours: -20 points
 *     ungraded: the grader itself failed, and a person decides
 *     attempt 2 of 3 counts
 *     adjusted by -5 points: the report is missing
 *     comment: well explained
 */
#include "grader/report/report_internal.h"

#include "grader/text/escape.h"

#include <string.h>

static void put_unit(StrBuf *out, int64_t n, const char *unit)
{
    if (n > 0)
        strbuf_printf(out, "%s%lld %s%s", out->length ? " " : "", (long long)n, unit, n == 1 ? "" : "s");
}

/* The two greatest units that say something; seconds only below an hour. */
static void put_duration(StrBuf *out, int64_t seconds)
{
    int64_t days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
    put_unit(out, days, "day");
    put_unit(out, hours, "hour");
    if (days == 0)
        put_unit(out, minutes, "minute");
    if (days == 0 && hours == 0)
        put_unit(out, seconds % 60, "second");
}

static void put_late(StrBuf *out, const Grade *g)
{
    StrBuf duration = {0};
    put_duration(&duration, g->late_s);
    if (g->late_is_said)
        strbuf_puts(out, "late (as the system says that received it)");
    else
        strbuf_printf(out, "late by %s", duration.text ? duration.text : "");
    strbuf_puts(out, g->closed ? " (too late to count): " : ": ");
    report_points(out, -g->deduction);
    strbuf_puts(out, " points");
    strbuf_free(&duration);
}

static void put_item(StrBuf *out, const GradeItem *item, bool comment)
{
    if (comment) {
        strbuf_puts(out, item->secret ? "note (not for the student): " : "comment: ");
    } else {
        strbuf_puts(out, item->set ? "set to " : "adjusted by ");
        strbuf_puts(out, !item->set && item->points > 0 ? "+" : "");
        report_points(out, item->points);
        strbuf_puts(out, " points: ");
    }
    strbuf_puts(out, item->text);
}

/* Moves the text to the list. */
static bool grades_keep(Arena *a, StrBuf *text, const char **notes, size_t *n)
{
    notes[*n] = text->failed ? NULL : arena_strndup(a, text->text ? text->text : "", text->length);
    strbuf_free(text);
    *text = (StrBuf){0};
    return notes[(*n)++];
}

bool report_grade_notes(Arena *a, const Grade *g, bool student_view, const char ***notes, size_t *n)
{
    StrBuf text = {0};
    *n = 0;
    *notes = ARENA_NEW_ARRAY(a, const char *, g->n_items + 5);
    bool fine = *notes;
    if (fine && g->n_attempts > 1 && g->attempt > 0) {
        strbuf_printf(&text, "attempt %zu of %zu counts", g->attempt, g->n_attempts);
        fine = grades_keep(a, &text, *notes, n);
    }
    if (fine && g->late) {
        put_late(&text, g);
        fine = grades_keep(a, &text, *notes, n);
    }
    if (fine && grade_that_counts(g).state == GRADE_UNGRADED) {
        strbuf_puts(&text, "ungraded: the grader itself failed, and a person decides");
        fine = grades_keep(a, &text, *notes, n);
    }
    if (fine && g->n_inconclusive > 0) {
        strbuf_printf(&text, "%zu case%s inconclusive: counted in full, and a person will look at %s",
                      g->n_inconclusive, g->n_inconclusive == 1 ? " is" : "s are",
                      g->n_inconclusive == 1 ? "it" : "them");
        fine = grades_keep(a, &text, *notes, n);
    }
    for (size_t i = 0; fine && i < g->n_items; i++) {
        if (student_view && g->items[i].secret)
            continue;
        put_item(&text, &g->items[i], i >= g->n_items - g->n_comments);
        fine = grades_keep(a, &text, *notes, n);
    }
    return fine;
}

void report_put_notes(StrBuf *out, const Grade *g, bool student_view, const char *before)
{
    Arena a = {0};
    const char **notes;
    size_t n = 0;
    if (!report_grade_notes(&a, g, student_view, &notes, &n))
        out->failed = true;
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, before);
        escape_terminal_block(out, notes[i], strlen(notes[i]), "     ");
        strbuf_puts(out, "\n");
    }
    arena_free(&a);
}
