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

#include "common/base/messages.h"
#include "common/base/wrap.h"
#include "grader/text/escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24, ROWS_BELOW = 4, TABLE_ROWS_SHOWN = 2, BUILD_ROWS = 15 };

/* What is left out, each with all before it. */
typedef enum Cut {
    CUT_NOTHING,
    CUT_TABLE,
    CUT_REPEATS,
    CUT_NAMES,     /* of the cases that are right; parameters of a kernel, and who launched it; the tolerance */
    CUT_ADDRESSES,
    CUT_FILM,
    CUT_OTHER_TODOS,
    CUT_SOURCE,
    CUT_LAUNCH,
    CUT_TOLD,
    N_CUTS
} Cut;

static const char INDENT[] = "     ";

/* What needs a person costs the student nothing, and there is nothing to mend: it is explained where all else is right. */
static bool waits(const CaseResult *c)
{
    return c->verdict == VERDICT_SUSPECT || c->verdict == VERDICT_INCONCLUSIVE;
}

static bool is_about(const CaseResult *c, int64_t todo)
{
    return c->verdict != VERDICT_PASS && c->todo == todo;
}

static int64_t first_todo(const Result *r, bool waiting)
{
    int64_t todo = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->verdict != VERDICT_PASS && waits(c) == waiting && c->todo > 0 && (todo == 0 || c->todo < todo))
            todo = c->todo;
    }
    return todo;
}

int64_t report_todo(const Result *r)
{
    int64_t todo = first_todo(r, false);
    return todo > 0 ? todo : first_todo(r, true);
}

/* The case to explain: one that only waits for a person comes last. */
static const CaseResult *case_to_explain(const Result *r, int64_t todo)
{
    const CaseResult *waiting = NULL;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (!is_about(c, todo))
            continue;
        if (!waits(c))
            return c;
        waiting = waiting ? waiting : c;
    }
    return waiting;
}

static void put_right(StrBuf *out, const Result *r, Cut cut, ReportStyle style)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->verdict != VERDICT_PASS)
            continue;
        if (n++ == 0)
            report_paint(out, style, TONE_GOOD, language_say(style.language, "right:"));
        if (cut >= CUT_NAMES)
            continue;
        strbuf_puts(out, n == 1 ? " " : ", ");
        escape_terminal(out, c->name, strlen(c->name));
    }
    if (n > 0)
        strbuf_printf(out, language_say(style.language, cut >= CUT_NAMES ? " %zu of %zu cases\n" : " (%zu of %zu cases)\n"), n, r->n_cases);
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

/* Whether a line stands in the text before: of several arrays each has a table's head, its tolerance and its hint, which may be the same. */
static bool was_told(const char *text, const char *line, size_t length)
{
    for (size_t n; text < line; text += n + 1) {
        n = strcspn(text, "\n");
        if (n == length && strncmp(text, line, length) == 0)
            return true;
    }
    return false;
}

static bool tells_launch(const char *line)
{
    return strncmp(line, "launched at ", strlen("launched at ")) == 0 || strncmp(line, "launched: ", strlen("launched: ")) == 0 || strncmp(line, "启动于 ", strlen("启动于 ")) == 0 ||
           strncmp(line, "启动：", strlen("启动：")) == 0;
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
    if (blanks && strncmp(line, "at 0x", 5) == 0)
        return cut >= CUT_ADDRESSES;
    if (blanks && strncmp(line, "at shared address 0x", 20) == 0 && !strchr(line, ','))
        return cut >= CUT_ADDRESSES;
    if (tells_launch(line))
        return cut >= CUT_LAUNCH;
    if (strncmp(line, "An element is right when ", 25) == 0)
        return cut >= CUT_NAMES;
    return cut >= CUT_SOURCE && is_source_line(line);
}

/* ", made at a.cu:16" of ", made at a.cu:16 in f, freed at ..." */
static void put_place(StrBuf *out, const char *text)
{
    size_t file = strcspn(text, ":");
    strbuf_append(out, text, file + strcspn(text + file, " ,)"));
}

/* "at 0x200000101be0, 749 bytes after allocation 2 (3,060 bytes at 0x200000100d00, made at a.cu:16 in f)" without addresses:
 * "749 bytes after allocation 2 (3,060 bytes, made at a.cu:16)", and ", freed at a.cu:20" where it was; false where the student's file
 * does not stand there. */
static bool put_array_of_address(StrBuf *out, const char *line)
{
    const char *what = strstr(line, ", "), *at = what ? strstr(what, " at 0x") : NULL,
               *made = at ? strstr(at, ", made at ") : NULL;
    if (strncmp(line, "  at 0x", 7) != 0 || !made || strstr(made, "/driver.c:"))
        return false;
    const char *freed = strstr(made, ", freed at ");
    strbuf_puts(out, "  ");
    strbuf_append(out, what + 2, (size_t)(at - what - 2));
    put_place(out, made);
    if (freed)
        put_place(out, freed);
    const char *parameter = strstr(made, "), parameter ");
    strbuf_puts(out, parameter ? parameter : ")");
    return true;
}

/* Where the parameters of a kernel begin that the line ends with: "... in add(float const*, int)"; NULL: it does not end so. */
static const char *parameters_at_end(const char *line)
{
    const char *at = line + strlen(line);
    int depth = 0;
    while (at > line) {
        at--;
        depth += (*at == ')') - (*at == '(');
        if (depth <= 0)
            break;
    }
    bool named = at > line && *at == '(' && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '>');
    return named && !strstr(line, "<<<") ? at : NULL;
}

/* A finding's lines about who it was, without what the source tells: the kernel's parameters, and the function of the launch. */
static void put_shortly(StrBuf *out, const char *line)
{
    bool tells_who = strstr(line, "by thread (") || strstr(line, "线程 (") || strncmp(line, "  in ", 5) == 0; /* no source line, and no hint */
    const char *parameters = *line == ' ' && tells_who ? parameters_at_end(line) : NULL;
    const char *text = line + strspn(line, " "), *function = tells_launch(text) ? strstr(text, " in ") : NULL,
               *as = function ? strstr(function, " as <<<") : NULL;
    if (parameters)
        strbuf_append(out, line, (size_t)(parameters - line));
    else if (as)
        strbuf_printf(out, "%.*s%s", (int)(function - line), line, as);
    else
        strbuf_puts(out, line);
}

static void screen_put_lines(StrBuf *out, const char *label, const char *text, Cut cut)
{
    const char *begin = text;
    size_t table_rows = 0;
    bool labelled = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        StrBuf line = {0};
        escape_terminal(&line, text, length);
        StrBuf array = {0};
        if (line.text && cut >= CUT_ADDRESSES && put_array_of_address(&array, line.text))
            strbuf_printf(out, "%s%s\n", INDENT, array.text ? array.text : "");
        strbuf_free(&array);
        bool again = cut >= CUT_TOLD && length > 0 && was_told(begin, text, length);
        if (line.text && !again && !is_cut(line.text, cut, &table_rows)) {
            strbuf_printf(out, "%s%s", INDENT, labelled ? "" : label);
            if (cut >= CUT_NAMES)
                put_shortly(out, line.text);
            else
                strbuf_puts(out, line.text);
            strbuf_puts(out, "\n");
            labelled = true;
        }
        strbuf_free(&line);
        text += length + (text[length] == '\n');
    }
}

static const Finding *advice_of(const CaseResult *c)
{
    for (size_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].advice)
            return &c->findings[i];
    return NULL;
}

/* What is known about a call that failed. */
static const Finding *advice_on_error(const CaseResult *c)
{
    for (size_t i = 0; c->verdict == VERDICT_CUDA_ERROR && i < c->n_findings; i++)
        if (c->findings[i].advice && strcmp(c->findings[i].kind, "api-misuse") == 0)
            return &c->findings[i];
    return NULL;
}

static void put_advice(StrBuf *out, const Finding *advice, Cut cut)
{
    if (advice)
        screen_put_lines(out, "", advice->text[0] ? advice->text : advice->message, cut);
}

/* Advice about a call that failed knows more than what the program's error says in general. */
static void put_message(StrBuf *out, const CaseResult *c, const Finding *advice, Cut cut, ReportStyle style)
{
    const char *general =
        advice ? strstr(c->message, language_say(style.language, "\nIts standard error:\n")) : NULL;
    char *own = general ? strndup(c->message, (size_t)(general - c->message)) : NULL;
    screen_put_lines(out, "", own ? own : c->message, cut);
    free(own);
}

/* The first warning of the build, unless it is about what is not used yet, and the kit's sentences about warnings, which end the log. */
static void put_warning(StrBuf *out, const char *log, ReportStyle style)
{
    const char *label = language_say(style.language, "hint: ");
    bool told = false;
    for (size_t length; *log; log += length + (log[length] == '\n')) {
        length = strcspn(log, "\n");
        StrBuf line = {0};
        escape_terminal(&line, log, length);
        bool warns = line.text && strstr(line.text, ": warning") && !strstr(line.text, "never") &&
                     !strstr(line.text, "unused");
        if (warns && !told)
            strbuf_printf(out, "%s%s%s\n", INDENT, language_say(style.language, "the compiler warned: "),
                          line.text);
        else if (told && strncmp(log, label, strlen(label)) == 0)
            strbuf_printf(out, "%s%s\n", INDENT, line.text ? line.text : "");
        told = told || warns;
        strbuf_free(&line);
    }
}

static void put_explained(StrBuf *out, const CaseResult *c, const char *build_log, Cut cut, ReportStyle style)
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
    const Finding *advice = advice_on_error(c);
    put_message(out, c, advice, cut, style);
    put_warning(out, build_log, style);
    put_advice(out, advice, cut);
    screen_put_lines(out, language_say(style.language, "hint: "), report_hint_beyond_message(c), cut);
    if (cut < CUT_FILM && report_has_film(c))
        strbuf_printf(out, "%s%smake show CASE=%s\n", INDENT, language_say(style.language, "film: "),
                      c->name);
}

static const Finding *first_advice(const Result *r)
{
    const Finding *advice = NULL;
    for (size_t i = 0; i < r->n_cases && !advice; i++)
        advice = advice_of(&r->cases[i]);
    return advice;
}

/* The build's log, as much as has room, and the kit's sentences about it. */
static void put_build(StrBuf *out, const Result *r, ReportStyle style)
{
    int columns = style.columns > 0 ? style.columns : COLUMNS_DEFAULT;
    StrBuf log = {0};
    messages_on_screen(style.language, r->build_log, BUILD_ROWS, columns - (int)strlen(INDENT), &log);
    report_paint(out, style, report_tone(r->build_verdict), verdict_word(r->build_verdict));
    strbuf_printf(out, ": %s\n", language_say(style.language, verdict_meaning(r->build_verdict)));
    screen_put_lines(out, "", log.text ? log.text : "", CUT_NOTHING);
    strbuf_free(&log);
}

static void put_screen(StrBuf *out, const Result *r, Cut cut, ReportStyle style)
{
    int64_t todo = report_todo(r);
    const CaseResult *explained = case_to_explain(r, todo);
    bool built = r->build_verdict == VERDICT_PASS;
    if (!built)
        put_build(out, r, style);
    if (built || !explained || explained->verdict != r->build_verdict) {
        put_right(out, r, cut, style);
        put_short(out, r, todo, cut, style);
    }
    report_score_line(out, r, style);
    if (explained && built)
        put_explained(out, explained, r->build_log, cut, style);
    else if (!explained)
        put_advice(out, first_advice(r), cut);
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
