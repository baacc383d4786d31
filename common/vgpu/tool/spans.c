/* spans: reads the span records. */
#include "common/vgpu/tool/spans.h"

#include <stdlib.h>
#include <string.h>

static SpanKind kind_of(const char *what, const char *name)
{
    if (strcmp(what, "kernel") == 0)
        return SPAN_KERNEL;
    if (strcmp(name, "copy to device") == 0 || strcmp(what, "prefetch") == 0)
        return SPAN_IN;
    return strcmp(name, "copy to host") == 0 ? SPAN_OUT : SPAN_ON_DEVICE;
}

static int by_stream(const void *a, const void *b)
{
    const SpanRow *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

static SpanRow span_row(const json_t *record)
{
    return (SpanRow){.device = json_integer_value(json_object_get(record, "device")),
                     .stream = json_integer_value(json_object_get(record, "stream"))};
}

static bool has_row(const Spans *s, const SpanRow *row)
{
    for (size_t i = 0; i < s->n_rows; i++)
        if (by_stream(&s->rows[i], row) == 0)
            return true;
    return false;
}

static void read_rows(const Records *r, Spans *s)
{
    for (size_t i = 0; i < r->n_spans; i++) {
        SpanRow row = span_row(r->spans[i]);
        if (!has_row(s, &row) && VEC_GROW(s->rows, s->n_rows, s->rows_cap))
            s->rows[s->n_rows++] = row;
    }
    if (s->n_rows > 0)
        qsort(s->rows, s->n_rows, sizeof *s->rows, by_stream);
}

static void add_span(Spans *s, const json_t *record)
{
    const char *what = json_string_value(json_object_get(record, "what")),
               *name = json_string_value(json_object_get(record, "name"));
    SpanRow key = span_row(record);
    const SpanRow *row = bsearch(&key, s->rows, s->n_rows, sizeof key, by_stream);
    uint64_t start = (uint64_t)json_integer_value(json_object_get(record, "start_ns")),
             end = (uint64_t)json_integer_value(json_object_get(record, "end_ns"));
    if (!what || !name || !row || end < start || !VEC_GROW(s->items, s->n, s->cap))
        return;
    SpanKind kind = kind_of(what, name);
    s->first_ns = s->n == 0 || start < s->first_ns ? start : s->first_ns;
    s->last_ns = end > s->last_ns ? end : s->last_ns;
    s->total_ns[kind] += end - start;
    s->items[s->n++] = (Span){.kind = kind,
                              .row = (uint32_t)(row - s->rows),
                              .start_ns = start,
                              .end_ns = end,
                              .bytes = (uint64_t)json_integer_value(json_object_get(record, "bytes")),
                              .name = name};
}

Spans spans_read(const Records *r)
{
    Spans s = {0};
    read_rows(r, &s);
    for (size_t i = 0; s.n_rows > 0 && i < r->n_spans; i++)
        add_span(&s, r->spans[i]);
    return s;
}

void spans_free(Spans *s)
{
    free(s->items);
    free(s->rows);
    *s = (Spans){0};
}

void spans_row_name(const Spans *s, size_t row, StrBuf *out)
{
    const SpanRow *r = &s->rows[row];
    if (s->rows[0].device != s->rows[s->n_rows - 1].device)
        strbuf_printf(out, "device %lld, ", (long long)r->device);
    if (r->stream == 0)
        strbuf_puts(out, "default stream");
    else
        strbuf_printf(out, "stream %lld", (long long)r->stream);
}

double spans_overlap(const Spans *s)
{
    uint64_t busy = 0;
    for (int i = 0; i < SPAN_N_KINDS; i++)
        busy += s->total_ns[i];
    return s->last_ns > s->first_ns ? (double)busy / (double)(s->last_ns - s->first_ns) : 0;
}
