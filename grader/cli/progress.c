/* The lines of progress; see progress.h. */
#include "grader/cli/progress.h"

#include "common/base/io.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <unistd.h>

void cli_progress_start(CliProgress *p, size_t total)
{
    *p = (CliProgress){.total = total, .started_s = io_now_s(), .terminal = isatty(2)};
}

/* " (12.5 a minute, about 3 min left, 4 fell short)" */
static void put_rate(StrBuf *line, const CliProgress *p)
{
    double minutes = (io_now_s() - p->started_s) / 60;
    double rate = minutes > 0 ? (double)p->n_now / minutes : 0;
    size_t left = p->total - p->n_told;
    strbuf_puts(line, "  (");
    if (rate > 0)
        strbuf_printf(line, "%.3g a minute, ", rate);
    if (rate > 0 && left > 0) {
        double left_s = (double)left / rate * 60;
        strbuf_printf(line, left_s < 90 ? "about %.0f s left, " : "about %.0f min left, ",
                      left_s < 90 ? left_s : left_s / 60);
    }
    strbuf_printf(line, "%zu fell short)", p->n_short);
}

void cli_progress_tell(CliProgress *p, const Result *r, GradedHow how)
{
    p->n_told++;
    p->n_short += result_falls_short(r);
    p->n_kit_errors += r->verdict == VERDICT_KIT_ERROR;
    p->n_before += how == GRADED_BEFORE;
    if (how == GRADED_BEFORE)
        return;
    if (p->n_now == 0 && p->n_before > 0)
        fprintf(stderr, "grade: %zu of %zu results are there from before\n", p->n_before, p->total);
    p->n_now++;
    StrBuf line = {0};
    report_progress(&line, p->n_told, p->total, r, report_style_for(2));
    if (line.length > 0)
        line.text[--line.length] = '\0'; /* its newline */
    if (how == GRADED_AS_ANOTHER)
        strbuf_puts(&line, ", as an identical one");
    put_rate(&line, p);
    if (line.text)
        fprintf(stderr, p->terminal ? "\r\033[K%s" : "%s\n", line.text);
    strbuf_free(&line);
}

void cli_progress_end(CliProgress *p)
{
    if (p->terminal && p->n_now)
        fprintf(stderr, "\r\033[K");
    if (p->n_now == 0 && p->n_before == p->total)
        fprintf(stderr, "grade: all %zu results are there from before\n", p->total);
}
