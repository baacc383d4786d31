/* Small things that every report says in the same way: tones, points, formats. */
#include "grader/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

Tone report_tone(Verdict v)
{
    if (v == VERDICT_PASS)
        return TONE_GOOD;
    if (v == VERDICT_NOT_SUBMITTED)
        return TONE_NONE;
    if (verdict_needs_person(v))
        return TONE_PERSON;
    return verdict_credit(v) == CREDIT_FINDING || v == VERDICT_SLOW ? TONE_WARN : TONE_BAD;
}

ReportStyle report_style_for(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (!isatty(fd))
        return (ReportStyle){0};
    struct winsize size;
    bool plain = (no_color && no_color[0]) || (term && strcmp(term, "dumb") == 0);
    bool known = ioctl(fd, TIOCGWINSZ, &size) == 0;
    return (ReportStyle){.colour = !plain, .columns = known ? size.ws_col : 0, .rows = known ? size.ws_row : 0};
}

void report_paint(StrBuf *out, ReportStyle style, Tone tone, const char *text)
{
    static const char *const codes[] = {
        [TONE_GOOD] = "32", [TONE_WARN] = "33", [TONE_BAD] = "31", [TONE_PERSON] = "35", [TONE_NONE] = "2",
    };
    if (style.colour)
        strbuf_printf(out, "\033[%sm%s\033[0m", codes[tone], text);
    else
        strbuf_puts(out, text);
}

void report_points(StrBuf *out, double points)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f", isfinite(points) ? points : 0.0);
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[--n] = '\0';
    strbuf_puts(out, strcmp(text, "-0") == 0 ? "0" : text);
}

void report_score(StrBuf *out, double score, double max_score)
{
    report_points(out, score);
    strbuf_append(out, "/", 1);
    report_points(out, max_score);
}

void report_counting(StrBuf *out, GradeThatCounts counting, double max_score)
{
    if (counting.state == GRADE_UNGRADED)
        strbuf_puts(out, "ungraded");
    else
        report_score(out, counting.points, max_score);
}

bool report_has_film(const CaseResult *c)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    bool in_kernel = false;
    for (size_t i = 0; i < c->n_findings; i++)
        in_kernel = in_kernel || (c->findings[i].kernel && c->findings[i].kernel[0]);
    return in_kernel && !c->hidden && c->replay[0] && c->verdict != VERDICT_PASS && c->name[0] && c->name[strspn(c->name, plain)] == 0;
}

bool report_finding_is_told(const CaseResult *c, const Finding *f)
{
    size_t length = strlen(f->text);
    while (length > 0 && f->text[length - 1] == '\n')
        length--;
    return length > 0 ? memmem(c->message, strlen(c->message), f->text, length) != NULL
                      : strstr(c->message, f->message) != NULL;
}

const ReportFormat *report_formats(void)
{
    static const ReportFormat formats[] = {
#define FORMAT(name, function, one, meaning) {name, meaning, one, function},
#include "grader/report/formats.def"
#undef FORMAT
        {0},
    };
    return formats;
}

const ReportFormat *report_format(const char *name)
{
    for (const ReportFormat *f = report_formats(); f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}
