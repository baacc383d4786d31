/* picture: the modelled time line, and the roofline of the card with the program's kernels, as SVG.
 *
 * Two drawings one above the other in one file. All numbers are printed with one decimal; logarithms are
 * worked out by squaring, so that the same run gives the same bytes on any machine.
 */
#include "common/vgpu/perf/perf.h"
#include "common/vgpu/tool/spans.h"

#include <string.h>

enum {
    WIDTH = 960,
    LEFT = 130,
    RIGHT = 20,
    ROW = 30,
    BAR = 22,
    ROWS_MAX = 24,
    AXIS = 44,
    TOP = 60,
    ROOF_HEIGHT = 380,
    ROOF_PLOT = 260,
    KERNELS_MAX = 8,
    TICKS = 8,
    BARS_MAX = 20000
};

static const struct {
    const char *fill, *edge, *name;
} looks[SPAN_N_KINDS] = {[SPAN_IN] = {"#bfdbfe", "#1e40af", "copy to the device"},
                         [SPAN_KERNEL] = {"#fde68a", "#92400e", "kernel"},
                         [SPAN_OUT] = {"#bbf7d0", "#166534", "copy to the host"},
                         [SPAN_ON_DEVICE] = {"#e5e7eb", "#374151", "copy or fill on the device"}};

static void put_escaped(StrBuf *b, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '<')
            strbuf_puts(b, "&lt;");
        else if (*text == '>')
            strbuf_puts(b, "&gt;");
        else if (*text == '&')
            strbuf_puts(b, "&amp;");
        else if ((unsigned char)*text >= 0x20)
            strbuf_append(b, text, 1);
    }
}

static void put_label(StrBuf *b, double x, double y, const char *anchor, const char *text)
{
    strbuf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    put_escaped(b, text);
    strbuf_puts(b, "</text>\n");
}

static void put_line(StrBuf *b, double x1, double y1, double x2, double y2, const char *color)
{
    strbuf_printf(b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2,
                  y2, color);
}

/* ---- the time line ---- */

static size_t n_rows_shown(const Spans *s)
{
    return s->n_rows < ROWS_MAX ? s->n_rows : ROWS_MAX;
}

static double x_of(const Spans *s, uint64_t ns)
{
    return LEFT +
           (double)(WIDTH - LEFT - RIGHT) * (double)(ns - s->first_ns) / (double)(s->last_ns - s->first_ns);
}

static void put_bar(StrBuf *b, const Spans *s, const Span *span)
{
    double x = x_of(s, span->start_ns), width = x_of(s, span->end_ns) - x;
    double y = TOP + (double)span->row * ROW + (ROW - BAR) / 2.0;
    strbuf_printf(b,
                  "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>"
                  "<title>",
                  x, y, width, BAR, looks[span->kind].fill, looks[span->kind].edge);
    put_escaped(b, span->name);
    strbuf_printf(b, ", %.1f us from %.1f us", (double)(span->end_ns - span->start_ns) / 1e3,
                  (double)(span->start_ns - s->first_ns) / 1e3);
    if (span->bytes > 0)
        strbuf_printf(b, ", %llu bytes", (unsigned long long)span->bytes);
    strbuf_puts(b, "</title></g>\n");
}

static void put_legend(StrBuf *b, const Spans *s)
{
    double x = LEFT;
    for (int i = 0; i < SPAN_N_KINDS; i++) {
        if (s->total_ns[i] == 0)
            continue;
        strbuf_printf(b, "<rect x=\"%.1f\" y=\"34\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"%s\"/>\n",
                      x, looks[i].fill, looks[i].edge);
        put_label(b, x + 20, 46, "start", looks[i].name);
        x += 40 + 7.5 * (double)strlen(looks[i].name);
    }
}

/* 1, 2 or 5 times a power of ten: the distance of ticks, about `wanted` of them. */
static double nice_step(double whole, int wanted)
{
    double step = 0.001;
    static const double factors[] = {2, 2.5, 2};
    for (int i = 0; step * wanted < whole; i++)
        step *= factors[i % 3];
    return step;
}

static void put_time_axis(StrBuf *b, const Spans *s)
{
    double bottom = TOP + (double)n_rows_shown(s) * ROW, whole = (double)(s->last_ns - s->first_ns) / 1e3;
    double step = nice_step(whole, TICKS);
    put_line(b, LEFT, bottom, WIDTH - RIGHT, bottom, "#111");
    for (int i = 0; i * step <= whole; i++) {
        double x = LEFT + (WIDTH - LEFT - RIGHT) * (i * step / whole);
        char text[32];
        snprintf(text, sizeof text, "%g", i * step);
        put_line(b, x, TOP, x, bottom + 5, "#d1d5db");
        put_label(b, x, bottom + 20, "middle", text);
    }
    put_label(b, WIDTH - RIGHT, bottom + 38, "end", "microseconds, modelled");
}

static double timeline_height(const Spans *s)
{
    return s->n == 0 ? TOP : TOP + (double)n_rows_shown(s) * ROW + AXIS;
}

static void put_timeline(StrBuf *b, const Spans *s)
{
    if (s->n == 0 || s->last_ns == s->first_ns) {
        put_label(b, 20, 24, "start", "Nothing on the time line: no copy and no kernel ran");
        return;
    }
    strbuf_printf(
        b, "<text x=\"20\" y=\"24\" font-weight=\"bold\">Modelled time line: overlap ratio %.2f</text>\n",
        spans_overlap(s));
    put_legend(b, s);
    put_time_axis(b, s);
    for (size_t i = 0; i < n_rows_shown(s); i++) {
        StrBuf name = {0};
        spans_row_name(s, i, &name);
        put_label(b, LEFT - 10, TOP + (double)i * ROW + 20, "end", name.text ? name.text : "");
        strbuf_free(&name);
    }
    for (size_t i = 0; i < s->n && i < BARS_MAX; i++)
        if (s->items[i].row < ROWS_MAX)
            put_bar(b, s, &s->items[i]);
}

/* ---- the roofline ---- */

/* Logarithm to the base 2 of x > 0, to some twelve digits behind the point of the binary number. */
static double log_2(double x)
{
    double result = 0;
    for (; x >= 2; x /= 2)
        result++;
    for (; x < 1; x *= 2)
        result--;
    for (double bit = 0.5; bit > 1e-4; bit /= 2) {
        x *= x;
        if (x >= 2) {
            x /= 2;
            result += bit;
        }
    }
    return result;
}

typedef struct Roof {
    double flops, bytes;       /* peaks a second */
    double x_low, x_high;      /* operations a byte, as logarithms */
    double y_low, y_high, top; /* operations a second, as logarithms; top: the drawing's first line */
} Roof;

static double roof_x(const Roof *r, double intensity)
{
    double at = (log_2(intensity) - r->x_low) / (r->x_high - r->x_low);
    return LEFT + (WIDTH - LEFT - RIGHT) * (at < 0 ? 0 : at > 1 ? 1 : at);
}

static double roof_y(const Roof *r, double flops)
{
    double at = (log_2(flops) - r->y_low) / (r->y_high - r->y_low);
    return r->top + 40 + ROOF_PLOT * (1 - (at < 0 ? 0 : at > 1 ? 1 : at));
}

static double counter(const json_t *launch, const char *name)
{
    return json_number_value(json_object_get(json_object_get(launch, "counters"), name));
}

static double flops_of(const json_t *launch)
{
    return counter(launch, "flops16") + counter(launch, "flops32") + counter(launch, "flops64") +
           counter(launch, "tensor_ops");
}

/* The longest launch of each kernel that does floating-point work. */
static size_t collect_kernels(const Records *r, const json_t **kernels)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_launches; i++) {
        const json_t *l = r->launches[i];
        const char *name = json_string_value(json_object_get(l, "kernel"));
        size_t k = 0;
        if (!name || flops_of(l) <= 0)
            continue;
        while (k < n && strcmp(json_string_value(json_object_get(kernels[k], "kernel")), name) != 0)
            k++;
        if (k == KERNELS_MAX)
            continue;
        if (k == n)
            kernels[n++] = l;
        else if (json_integer_value(json_object_get(l, "time_ns")) >
                 json_integer_value(json_object_get(kernels[k], "time_ns")))
            kernels[k] = l;
    }
    return n;
}

static void put_kernel(StrBuf *b, const Roof *roof, const json_t *launch, size_t i)
{
    double flops = flops_of(launch);
    double bytes = counter(launch, "dram_read_bytes") + counter(launch, "dram_write_bytes");
    double ns = json_number_value(json_object_get(launch, "time_ns"));
    const char *bound = json_string_value(json_object_get(launch, "bound"));
    if (bytes <= 0 || ns <= 0)
        return;
    double x = roof_x(roof, flops / bytes), y = roof_y(roof, flops / ns * 1e9);
    strbuf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#fde68a\" stroke=\"#92400e\"/>\n", x, y);
    strbuf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\">%zu</text>\n", x,
                  y - 8, i + 1);
    StrBuf text = {0};
    strbuf_printf(&text, "%zu: %s: %.2f operations a byte, %.1f Gflop/s, bound by %s", i + 1,
                  json_string_value(json_object_get(launch, "kernel")), flops / bytes, flops / ns,
                  bound ? bound : "?");
    put_label(b, LEFT, roof->top + 40 + ROOF_PLOT + 56 + 18 * (double)i, "start", text.text ? text.text : "");
    strbuf_free(&text);
}

static void put_roof(StrBuf *b, const Roof *r)
{
    double ridge = r->flops / r->bytes, low = 1, bottom = r->top + 40 + ROOF_PLOT;
    for (double e = r->x_low; e < 0; e++)
        low /= 2;
    put_line(b, LEFT, bottom, WIDTH - RIGHT, bottom, "#111");
    put_line(b, LEFT, r->top + 40, LEFT, bottom, "#111");
    strbuf_printf(b,
                  "<polyline points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"none\" stroke=\"#1e40af\" "
                  "stroke-width=\"2\"/>\n",
                  roof_x(r, low), roof_y(r, low * r->bytes), roof_x(r, ridge), roof_y(r, r->flops),
                  (double)(WIDTH - RIGHT), roof_y(r, r->flops));
    double at = low;
    for (double e = r->x_low; e <= r->x_high; e += 2, at *= 4) {
        char text[32];
        snprintf(text, sizeof text, "%g", at);
        put_line(b, roof_x(r, at), bottom, roof_x(r, at), bottom + 5, "#111");
        put_label(b, roof_x(r, at), bottom + 20, "middle", text);
    }
    char text[100];
    snprintf(text, sizeof text, "%.0f Gflop/s", r->flops / 1e9);
    put_label(b, WIDTH - RIGHT, roof_y(r, r->flops) - 6, "end", text);
    snprintf(text, sizeof text, "%.0f GB/s", r->bytes / 1e9);
    put_label(b, LEFT + 8, roof_y(r, low * r->bytes) - 40, "start", text);
    put_label(b, WIDTH - RIGHT, bottom + 38, "end", "floating-point operations a byte of the card's memory");
}

static void put_roofline(StrBuf *b, const Records *r, const PerfModel *m, double top)
{
    const json_t *kernels[KERNELS_MAX];
    size_t n = collect_kernels(r, kernels);
    Roof roof = {.flops = 2.0 * m->fp32_lanes * m->n_sms * 1000.0 * m->clock_khz,
                 .bytes = (double)m->memory_bytes_per_s,
                 .x_low = -6,
                 .x_high = 10,
                 .top = top};
    roof.y_low = log_2(roof.flops) - 14;
    roof.y_high = log_2(roof.flops) + 1;
    strbuf_printf(
        b,
        "<text x=\"20\" y=\"%.1f\" font-weight=\"bold\">Roofline of the %s, single precision (times are "
        "modelled)</text>\n",
        top + 24, m->title);
    put_roof(b, &roof);
    if (n == 0)
        put_label(b, LEFT, top + 40 + ROOF_PLOT + 56, "start", "No kernel did floating-point work.");
    for (size_t i = 0; i < n; i++)
        put_kernel(b, &roof, kernels[i], i);
}

void picture_svg(const Records *r, const ToolOptions *o, StrBuf *b)
{
    Spans s = spans_read(r);
    const PerfModel *m = o->device ? perf_model_find(o->device) : perf_model(0);
    const json_t *kernels[KERNELS_MAX];
    double middle = timeline_height(&s) + 20;
    double height = middle + ROOF_HEIGHT + 18 * (double)collect_kernels(r, kernels);
    strbuf_printf(
        b,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>Modelled time line and "
        "roofline</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        WIDTH, height, WIDTH, height);
    put_timeline(b, &s);
    put_roofline(b, r, m, middle);
    strbuf_puts(b, "</svg>\n");
    spans_free(&s);
}
