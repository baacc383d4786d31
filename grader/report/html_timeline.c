/* A case's modelled timeline: a drawing for the eye, and the same numbers as a table for everybody else.
 *
 *     default stream   ██ copy            ███ copy
 *     stream 1            ████████ kernel
 *                      0 us        10 us        20 us
 *
 * A row is a stream of a device. All text is a submission's and is escaped; numbers have one decimal.
 * Operations shorter than a pixel are drawn a pixel wide.
 */
#include "grader/report/report_internal.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    LEFT = 150,
    RIGHT = 20,
    TOP = 6,
    ROW = 26,
    BAR = 18,
    AXIS = 26,
    TICKS = 6,
    ROWS_MAX = 24
};

typedef struct Row {
    int64_t device, stream;
} Row;

/* What is drawn: rows by device and stream, and the time from the first begin to the last end. */
typedef struct Drawing {
    const CaseResult *c;
    Row rows[ROWS_MAX];
    size_t n_rows;
    bool devices; /* there are several */
    double first_us, last_us;
} Drawing;

static int compare_rows(const Row *a, const Row *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* The row of an operation; n_rows where there is none for it. */
static size_t drawing_row(const Drawing *d, const ResultSpan *s)
{
    Row wanted = {s->device, s->stream};
    size_t i = 0;
    while (i < d->n_rows && compare_rows(&d->rows[i], &wanted) != 0)
        i++;
    return i;
}

static void add_row(Drawing *d, const ResultSpan *s)
{
    Row row = {s->device, s->stream};
    if (drawing_row(d, s) < d->n_rows || d->n_rows == ROWS_MAX)
        return;
    size_t i = d->n_rows++;
    for (; i > 0 && compare_rows(&d->rows[i - 1], &row) > 0; i--)
        d->rows[i] = d->rows[i - 1];
    d->rows[i] = row;
}

static Drawing drawing_of(const CaseResult *c)
{
    Drawing d = {.c = c, .first_us = INFINITY, .last_us = -INFINITY};
    for (size_t i = 0; i < c->n_spans; i++) {
        const ResultSpan *s = &c->spans[i];
        add_row(&d, s);
        d.devices = d.devices || s->device != c->spans[0].device;
        d.first_us = fmin(d.first_us, s->start_us);
        d.last_us = fmax(d.last_us, s->end_us);
    }
    return d;
}

static double x_of(const Drawing *d, double us)
{
    double all = d->last_us - d->first_us;
    return all > 0 ? LEFT + (us - d->first_us) / all * (WIDTH - LEFT - RIGHT) : LEFT;
}

/* The style's class of an operation, and what it is called in words. */
static const char *kind_of(const ResultSpan *s)
{
    if (strcmp(s->what, "kernel") == 0)
        return "kernel";
    if (strcmp(s->name, "copy to device") == 0 || strcmp(s->what, "prefetch") == 0)
        return "to-device";
    return strcmp(s->name, "copy to host") == 0 ? "to-host" : "on-device";
}

static void put_row_name(StrBuf *out, bool devices, int64_t device, int64_t stream)
{
    if (devices)
        strbuf_printf(out, "device %lld, ", (long long)device);
    if (stream == 0)
        strbuf_puts(out, "default stream");
    else
        strbuf_printf(out, "stream %lld", (long long)stream);
}

static void put_bar(StrBuf *out, const Drawing *d, const ResultSpan *s)
{
    size_t row = drawing_row(d, s);
    double x = x_of(d, s->start_us), width = fmax(1, x_of(d, s->end_us) - x);
    if (row == d->n_rows)
        return;
    strbuf_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\"><title>",
                  kind_of(s), x, TOP + row * ROW + (ROW - BAR) / 2, width, BAR);
    html_text(out, s->name);
    strbuf_printf(out, ": %.1f to %.1f µs</title></rect>\n", s->start_us, s->end_us);
}

static void put_axis(StrBuf *out, const Drawing *d)
{
    size_t bottom = TOP + d->n_rows * ROW;
    for (int i = 0; i <= TICKS; i++) {
        double us = d->first_us + (d->last_us - d->first_us) * i / TICKS, x = x_of(d, us);
        strbuf_printf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%zu\"/>", x, TOP, x, bottom + 4);
        strbuf_printf(out, "<text x=\"%.1f\" y=\"%zu\"%s>%.1f µs</text>\n", x, bottom + 18,
                      i == TICKS ? " class=\"end\"" : "", us);
    }
}

static void put_picture(StrBuf *out, const Drawing *d)
{
    html_scroll(out, "Modelled timeline of", d->c->name);
    strbuf_printf(
        out,
        "\n<svg class=\"timeline\" viewBox=\"0 0 %d %zu\" role=\"img\">\n<title>Modelled timeline of ",
        WIDTH, TOP + d->n_rows * ROW + AXIS);
    html_text(out, d->c->name);
    strbuf_printf(out,
                  "</title>\n<desc>%zu operations in %zu rows, from %.1f to %.1f microseconds; the table "
                  "below has them all.</desc>\n",
                  d->c->n_spans, d->n_rows, d->first_us, d->last_us);
    put_axis(out, d);
    for (size_t i = 0; i < d->n_rows; i++) {
        strbuf_printf(out, "<text class=\"row\" x=\"8\" y=\"%zu\">", TOP + i * ROW + ROW / 2 + 4);
        put_row_name(out, d->devices, d->rows[i].device, d->rows[i].stream);
        strbuf_puts(out, "</text>\n");
    }
    for (size_t i = 0; i < d->c->n_spans; i++)
        put_bar(out, d, &d->c->spans[i]);
    strbuf_puts(out,
                "</svg></div>\n<p class=\"soft keys\"><span class=\"to-device\">copy to the device</span> "
                "<span class=\"kernel\">kernel</span> <span class=\"to-host\">copy to the host</span> "
                "<span class=\"on-device\">copy or fill on the device</span></p>\n");
}

static void put_table(StrBuf *out, const Drawing *d)
{
    strbuf_puts(out, "<details><summary>The timeline as a table</summary>");
    html_scroll(out, "Timeline as a table:", d->c->name);
    strbuf_puts(
        out, "<table><thead><tr><th scope=\"col\">Where</th><th scope=\"col\">What</th>"
             "<th scope=\"col\" class=\"num\">Begins, µs</th><th scope=\"col\" class=\"num\">Takes, µs</th>"
             "<th scope=\"col\" class=\"num\">Bytes</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < d->c->n_spans; i++) {
        const ResultSpan *s = &d->c->spans[i];
        strbuf_puts(out, "<tr><td>");
        put_row_name(out, d->devices, s->device, s->stream);
        strbuf_puts(out, "</td><td>");
        html_text(out, s->name);
        strbuf_printf(
            out,
            "</td><td class=\"num\">%.1f</td><td class=\"num\">%.1f</td><td class=\"num\">%lld</td></tr>\n",
            s->start_us, s->end_us - s->start_us, (long long)s->bytes);
    }
    strbuf_puts(out, "</tbody></table></div></details>\n");
}

void html_timeline(StrBuf *out, const CaseResult *c)
{
    if (c->n_spans == 0)
        return;
    Drawing d = drawing_of(c);
    strbuf_puts(
        out, "<details open><summary>Timeline</summary><p class=\"soft\">Times are modelled, not measured.");
    if (c->spans_left_out > 0)
        strbuf_printf(out, " The first %zu operations are shown, and %zu more are not.", c->n_spans,
                      c->spans_left_out);
    strbuf_puts(out, "</p>\n");
    put_picture(out, &d);
    put_table(out, &d);
    strbuf_puts(out, "</details>\n");
}
