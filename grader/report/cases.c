/* One submission on a terminal, a line a case, as `make grade` of good courses prints it:
 *
 *     == one-block: OK (8/8)
 *     == one-less: out-of-bounds (3.5/7)
 *          vector_add.cu:23: ...
 *          hint: ...
 *          replay: ...
 *          film: make show CASE=one-less
 *     == one-more: out-of-bounds (4.5/9)
 *          as in one-less above
 *          replay: ...
 *     Score: 11.5/15
 *
 * What students see tells the reason of a verdict once: a beginner whose every case fails for one reason (the
 * same finding at the same place, or the same diagnosis of the same array) should read it once. A case's own
 * hint is always told.
 */
#include "grader/report/report_internal.h"

#include "grader/text/escape.h"

#include <string.h>

static const char INDENT[] = "     ";

/* Indented lines after a label; nothing when there is no text. */
static void put_block(StrBuf *out, const char *label, const char *text)
{
    if (!text[0])
        return;
    strbuf_puts(out, INDENT);
    strbuf_puts(out, label);
    escape_terminal_block(out, text, strlen(text), INDENT);
    strbuf_puts(out, "\n");
}

/* The commands that run the case again, and that show it. */
static void put_commands(StrBuf *out, const CaseResult *c, ReportStyle style)
{
    put_block(out, language_say(style.language, "replay: "), c->replay);
    if (report_has_film(c))
        strbuf_printf(out, "%s%smake show CASE=%s\n", INDENT, language_say(style.language, "film: "), c->name);
}

static void put_title(StrBuf *out, const CaseResult *c, ReportStyle style)
{
    strbuf_puts(out, "== ");
    escape_terminal(out, c->name, strlen(c->name));
    strbuf_puts(out, c->hidden ? language_say(style.language, " (hidden): ") : ": ");
    report_paint(out, style, report_tone(c->verdict),
                 c->verdict == VERDICT_PASS ? "OK" : verdict_word(c->verdict));
    strbuf_puts(out, " (");
    report_score(out, c->points, c->max_points);
    strbuf_puts(out, ")\n");
}


/* What a case says beyond the meaning of its verdict. */
static const char *beyond_meaning(const CaseResult *c, Language language)
{
    const char *meaning = language_say(language, verdict_meaning(c->verdict));
    size_t n = strlen(meaning);
    return strncmp(c->message, meaning, n) == 0 ? c->message + n + strspn(c->message + n, " \n") : c->message;
}

/* Behind a number, if there is one. */
static const char *skip_number(const char *at)
{
    return at + strspn(at, "0123456789.-+");
}

/* Whether the first lines of two texts differ by numbers alone: the same array or metric, and the same
 * diagnosis. */
static bool same_sentence(const char *a, const char *b)
{
    for (;;) {
        bool numbers = strchr("0123456789", *a) && strchr("0123456789", *b) && *a && *b;
        if (numbers) {
            a = skip_number(a);
            b = skip_number(b);
        }
        bool ends = !*a || *a == '\n';
        if (ends || *a != *b)
            return ends && (!*b || *b == '\n');
        a++;
        b++;
    }
}

/* The finding that a case's verdict is about: the first that is no advice; NULL for none. */
static const Finding *main_finding(const CaseResult *c)
{
    for (size_t i = 0; i < c->n_findings; i++)
        if (!c->findings[i].advice)
            return &c->findings[i];
    return NULL;
}

static bool same_finding(const Finding *a, const Finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->place.file, b->place.file) == 0 && a->place.line == b->place.line;
}

/* Whether two cases failed for one reason: a finding of the same kind at the same place, or the same
 * diagnosis. */
static bool same_reason(const CaseResult *one, const CaseResult *other, Language language)
{
    const Finding *a = main_finding(one), *b = main_finding(other);
    if (a || b)
        return a && b && same_finding(a, b);
    return same_sentence(beyond_meaning(one, language), beyond_meaning(other, language));
}

/* The first case of r, before c, that failed with c's verdict for what looks like the same reason, and was
 * told in full; NULL when c is the first. */
static const CaseResult *told_before(const Result *r, const CaseResult *c, Language language)
{
    for (const CaseResult *first = r->cases; first < c; first++)
        if (first->verdict == c->verdict && !first->hidden && same_reason(first, c, language))
            return first;
    return NULL;
}

static bool has_finding(const CaseResult *c, const Finding *f)
{
    for (size_t i = 0; i < c->n_findings; i++)
        if (same_finding(&c->findings[i], f))
            return true;
    return false;
}

/* Whether advice stands with an earlier case of r already, which a student may see. */
static bool advised_before(const Result *r, const CaseResult *c, const Finding *f)
{
    for (const CaseResult *before = r->cases; f->advice && before < c; before++)
        if (!before->hidden && has_finding(before, f))
            return true;
    return false;
}

/* Findings that the message does not tell already, and advice, whose own text says that it is some: to a student once. */
static void cases_put_findings(StrBuf *out, const Result *r, const CaseResult *c, bool student_view,
                               ReportStyle style)
{
    for (size_t i = 0; i < c->n_findings; i++) {
        const Finding *f = &c->findings[i];
        bool says_so = f->advice && strstr(f->text, "advice: ");
        const char *label = language_say(style.language, f->advice ? "advice: " : "also: ");
        if (!report_finding_is_told(c, f) && !(student_view && advised_before(r, c, f)))
            put_block(out, says_so ? "" : label, f->text[0] ? f->text : f->message);
    }
}

/* Of a case that is told by an earlier one: faults of another kind that no case before it had. */
static void put_new_findings(StrBuf *out, const Result *r, const CaseResult *c, ReportStyle style)
{
    for (size_t i = 0; i < c->n_findings; i++) {
        const Finding *f = &c->findings[i];
        bool known = f->advice || strcmp(f->verdict, verdict_word(c->verdict)) == 0;
        for (const CaseResult *before = r->cases; before < c; before++)
            known = known || (!before->hidden && has_finding(before, f));
        for (size_t k = 0; k < i; k++)
            known = known || same_finding(&c->findings[k], f);
        if (!known)
            put_block(out, language_say(style.language, "also: "), f->text[0] ? f->text : f->message);
    }
}

bool report_tells_meaning(const CaseResult *c, Language language)
{
    return beyond_meaning(c, language) != c->message;
}

/* A verdict is an English word: elsewhere its meaning goes before the findings, unless the message begins with it. */
static void put_meaning(StrBuf *out, const CaseResult *c, ReportStyle style)
{
    const char *meaning = language_say(style.language, verdict_meaning(c->verdict));
    if (style.language != LANGUAGE_ENGLISH && c->verdict != VERDICT_PASS && !report_tells_meaning(c, style.language))
        put_block(out, "", meaning);
}

static void put_case(StrBuf *out, const Result *r, const CaseResult *c, bool student_view, ReportStyle style)
{
    put_title(out, c, style);
    if (student_view && c->hidden) {
        if (c->verdict != VERDICT_PASS)
            put_block(out, "",
                      c->lesson[0] ? c->lesson : language_say(style.language, verdict_meaning(c->verdict)));
        return;
    }
    const CaseResult *first =
        student_view && c->verdict != VERDICT_PASS ? told_before(r, c, style.language) : NULL;
    if (first) {
        strbuf_puts(out, INDENT);
        strbuf_puts(out, language_say(style.language, "as in "));
        escape_terminal(out, first->name, strlen(first->name));
        strbuf_puts(out, language_say(style.language, " above\n"));
        put_new_findings(out, r, c, style);
        put_block(out, language_say(style.language, "about: "), c->lesson);
        if (strcmp(c->hint, first->hint) != 0)
            put_block(out, language_say(style.language, "hint: "), report_hint_beyond_message(c));
        put_commands(out, c, style);
        return;
    }
    put_meaning(out, c, style);
    put_block(out, "", c->message);
    cases_put_findings(out, r, c, student_view, style);
    if (c->verdict == VERDICT_PASS)
        return;
    put_block(out, language_say(style.language, "about: "), c->lesson);
    put_block(out, language_say(style.language, "hint: "), report_hint_beyond_message(c));
    put_commands(out, c, style);
}

static void put_build(StrBuf *out, const Result *r, ReportStyle style)
{
    if (r->build_verdict == VERDICT_PASS)
        return;
    strbuf_puts(out,
                language_say(style.language,
                             r->build_verdict == VERDICT_NOT_SUBMITTED ? "== submission: " : "== build: "));
    report_paint(out, style, report_tone(r->build_verdict), verdict_word(r->build_verdict));
    strbuf_puts(out, "\n");
    put_block(out, "", language_say(style.language, verdict_meaning(r->build_verdict)));
    put_block(out, "", r->build_log);
}

void report_score_line(StrBuf *out, const Result *r, ReportStyle style)
{
    strbuf_puts(out, language_say(style.language, "Score: "));
    if (r->verdict == VERDICT_KIT_ERROR)
        strbuf_puts(out, language_say(style.language, "ungraded"));
    else
        report_score(out, r->score, r->max_score);
    strbuf_puts(out, "\n");
}

void report_cases(StrBuf *out, const Result *r, bool student_view, ReportStyle style)
{
    put_build(out, r, style);
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        bool because_of_build = r->build_verdict != VERDICT_PASS && c->verdict == r->build_verdict;
        if (!because_of_build)
            put_case(out, r, c, student_view, style);
    }
    report_score_line(out, r, style);
}
