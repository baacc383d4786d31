/* What a student reads first, on one screen of a terminal:
 *
 *     right: one-block, empty, later-call-fails (3 of 9 cases)
 *     == one-element: out-of-bounds (0/5)
 *     == one-more: out-of-bounds (4.5/9)
 *     Score: 20.5/58
 *
 *     TODO 1, one-element: A single element; all threads but one have nothing to do.
 *          vector_add.cu:12:5: out-of-bounds: ...
 *
 * Right cases share a line, each other one has its own, and then one is explained: the first that falls short of the
 * first TODO that does. What does not fit is left out step by step, the least useful first (enum Cut). */
#include "grader/report/report_internal.h"

#include "common/base/wrap.h"
#include "grader/text/escape.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, ROWS_BELOW = 4, TABLE_ROWS_SHOWN = 2, BUILD_LINES_SHOWN = 14 };

/* What is left out, each with all before it. */
typedef enum Cut { CUT_NOTHING, CUT_TABLE, CUT_REPEATS, CUT_ADDRESSES, CUT_FILM, CUT_OTHER_TODOS, CUT_SOURCE, N_CUTS } Cut;

static const char INDENT[] = "     ";

static bool is_about(const CaseResult *c, int64_t todo)
{
    return c->verdict != VERDICT_PASS && c->todo == todo;
}

int64_t report_todo(const Result *r)
{
    int64_t todo = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->verdict != VERDICT_PASS && c->todo > 0 && (todo == 0 || c->todo < todo))
            todo = c->todo;
    }
    return todo;
}

static void put_right(StrBuf *out, const Result *r, ReportStyle style)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->verdict != VERDICT_PASS)
            continue;
        if (n++ == 0)
            report_paint(out, style, TONE_GOOD, language_say(style.language, "right:"));
        strbuf_puts(out, n == 1 ? " " : ", ");
        escape_terminal(out, c->name, strlen(c->name));
    }
    if (n > 0)
        strbuf_printf(out, language_say(style.language, " (%zu of %zu cases)\n"), n, r->n_cases);
}

static void put_short(StrBuf *out, const Result *r, int64_t todo, Cut cut, ReportStyle style)
{
    size_t others = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->verdict == VERDICT_PASS)
            continue;
        if (cut >= CUT_OTHER_TODOS && !is_about(c, todo)) {
            others++;
            continue;
        }
        strbuf_puts(out, "== ");
        escape_terminal(out, c->name, strlen(c->name));
        strbuf_puts(out, ": ");
        report_paint(out, style, report_tone(c->verdict), verdict_word(c->verdict));
        strbuf_puts(out, " (");
        report_score(out, c->points, c->max_points);
        strbuf_puts(out, ")\n");
    }
    if (others > 0)
        strbuf_printf(out, language_say(style.language, "== and %zu of later TODOs\n"), others);
}

static bool is_source_line(const char *line)
{
    return line[strspn(line, " 0123456789")] == '|';
}

/* Whether a line of a message is left out. table_rows counts those that were seen. */
static bool is_cut(const char *line, Cut cut, size_t *table_rows)
{
    size_t blanks = strspn(line, " ");
    line += blanks;
    if (blanks >= 4 && (*line == '[' || strncmp(line, "... ", 4) == 0))
        return cut >= CUT_TABLE && (*line == '.' || ++*table_rows > TABLE_ROWS_SHOWN);
    if (isdigit((unsigned char)*line) && strstr(line, " times, this is the first"))
        return cut >= CUT_REPEATS;
    if (blanks && (strncmp(line, "at 0x", 5) == 0 || strncmp(line, "launched at ", 12) == 0))
        return cut >= CUT_ADDRESSES;
    return cut >= CUT_SOURCE && is_source_line(line);
}

static void screen_put_lines(StrBuf *out, const char *label, const char *text, Cut cut)
{
    size_t table_rows = 0;
    bool labelled = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        StrBuf line = {0};
        escape_terminal(&line, text, length);
        if (line.text && !is_cut(line.text, cut, &table_rows)) {
            strbuf_printf(out, "%s%s%s\n", INDENT, labelled ? "" : label, line.text);
            labelled = true;
        }
        strbuf_free(&line);
        text += length + (text[length] == '\n');
    }
}

static void put_explained(StrBuf *out, const CaseResult *c, Cut cut, ReportStyle style)
{
    strbuf_puts(out, "\n");
    if (c->todo > 0)
        strbuf_printf(out, "TODO %lld, ", (long long)c->todo);
    escape_terminal(out, c->name, strlen(c->name));
    if (c->lesson[0]) {
        strbuf_puts(out, language_say(style.language, ": "));
        escape_terminal(out, c->lesson, strlen(c->lesson));
    }
    strbuf_puts(out, "\n");
    if (style.language != LANGUAGE_ENGLISH && !report_tells_meaning(c, style.language))
        screen_put_lines(out, "", language_say(style.language, verdict_meaning(c->verdict)), cut);
    screen_put_lines(out, "", c->message, cut);
    screen_put_lines(out, language_say(style.language, "hint: "), report_hint_beyond_message(c), cut);
    if (cut < CUT_FILM && report_has_film(c))
        strbuf_printf(out, "%s%smake show CASE=%s\n", INDENT, language_say(style.language, "film: "), c->name);
}

static const Finding *first_advice(const Result *r)
{
    for (size_t i = 0; i < r->n_cases; i++)
        for (size_t k = 0; k < r->cases[i].n_findings; k++)
            if (r->cases[i].findings[k].advice)
                return &r->cases[i].findings[k];
    return NULL;
}

/* The build's log, from its beginning. */
static void put_build(StrBuf *out, const Result *r, ReportStyle style)
{
    const char *end = r->build_log;
    for (int i = 0; i < BUILD_LINES_SHOWN && *end; i++)
        end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
    StrBuf log = {0};
    strbuf_append(&log, r->build_log, (size_t)(end - r->build_log));
    report_paint(out, style, report_tone(r->build_verdict), verdict_word(r->build_verdict));
    strbuf_printf(out, ": %s\n", language_say(style.language, verdict_meaning(r->build_verdict)));
    screen_put_lines(out, "", log.text ? log.text : "", CUT_NOTHING);
    if (*end)
        strbuf_printf(out, "%s...\n", INDENT);
    strbuf_free(&log);
}

static void put_screen(StrBuf *out, const Result *r, Cut cut, ReportStyle style)
{
    int64_t todo = report_todo(r);
    const CaseResult *explained = NULL;
    bool built = r->build_verdict == VERDICT_PASS;
    for (size_t i = 0; i < r->n_cases && !explained; i++)
        if (is_about(&r->cases[i], todo))
            explained = &r->cases[i];
    if (!built)
        put_build(out, r, style);
    if (built || !explained || explained->verdict != r->build_verdict) {
        put_right(out, r, style);
        put_short(out, r, todo, cut, style);
    }
    report_score_line(out, r, style);
    const Finding *advice = explained ? NULL : first_advice(r);
    if (explained && built)
        put_explained(out, explained, cut, style);
    else if (advice)
        screen_put_lines(out, "", advice->text[0] ? advice->text : advice->message, cut);
}

static int lines_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void report_screen(StrBuf *out, const Result *r, ReportStyle style)
{
    int columns = style.columns > 0 ? style.columns : COLUMNS_DEFAULT;
    int rows = (style.rows > 0 ? style.rows : ROWS_DEFAULT) - ROWS_BELOW;
    for (int cut = CUT_NOTHING; cut < N_CUTS; cut++) {
        StrBuf text = {0}, wrapped = {0};
        put_screen(&text, r, (Cut)cut, style);
        text_wrap(&wrapped, text.text ? text.text : "", columns);
        bool fits = lines_of(wrapped.text ? wrapped.text : "") <= rows;
        if (fits || cut == N_CUTS - 1)
            strbuf_puts(out, wrapped.text ? wrapped.text : "");
        strbuf_free(&text);
        strbuf_free(&wrapped);
        if (fits)
            return;
    }
}
