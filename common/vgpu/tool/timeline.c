/* timeline: operations on the modelled time line as Chrome trace events (chrome://tracing, Perfetto).
 *
 * One process a device, one row a stream. Times are modelled, never measured: microseconds of the virtual
 * clock.
 */
#include "common/vgpu/tool/tool.h"

#include <string.h>

static void timeline_put_text(StrBuf *b, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    strbuf_printf(b, "\"%s\":", name);
    strbuf_json_string(b, text ? text : "", text ? strlen(text) : 0);
}

static void put_us(StrBuf *b, const char *name, int64_t ns)
{
    strbuf_printf(b, ",\"%s\":", name);
    strbuf_json_number(b, (double)ns / 1e3);
}

static void put_span(StrBuf *b, const Records *r, const json_t *span)
{
    int64_t start = json_integer_value(json_object_get(span, "start_ns")),
            end = json_integer_value(json_object_get(span, "end_ns"));
    strbuf_puts(b, "{\"ph\":\"X\",");
    timeline_put_text(b, "name", json_object_get(span, "name"));
    strbuf_puts(b, ",");
    timeline_put_text(b, "cat", json_object_get(span, "what"));
    strbuf_printf(b, ",\"pid\":%d,\"tid\":%d", (int)json_integer_value(json_object_get(span, "device")),
                  (int)json_integer_value(json_object_get(span, "stream")));
    put_us(b, "ts", start);
    put_us(b, "dur", end - start);
    strbuf_printf(b, ",\"args\":{\"bytes\":%lld",
                  (long long)json_integer_value(json_object_get(span, "bytes")));
    FindingSite site = {.token = (uint64_t)json_integer_value(json_object_get(span, "site"))};
    if (places_find(r->places, &site)) {
        strbuf_puts(b, ",\"file\":");
        strbuf_json_string(b, site.file, strlen(site.file));
        strbuf_printf(b, ",\"line\":%u", site.line);
    }
    strbuf_puts(b, "}}");
}

/* Names of the rows: every stream that was seen. */
static void put_names(StrBuf *b, const Records *r)
{
    const char *device = json_string_value(json_object_get(r->start, "device"));
    int64_t n = json_integer_value(json_object_get(r->start, "devices"));
    for (int64_t i = 0; i < n; i++) {
        strbuf_printf(b, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%lld,\"args\":{\"name\":",
                      i == 0 ? "" : ",", (long long)i);
        StrBuf title = {0};
        strbuf_printf(&title, "%s, device %lld (modelled time)", device ? device : "", (long long)i);
        strbuf_json_string(b, title.text, title.length);
        strbuf_free(&title);
        strbuf_printf(b,
                      "}},\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%lld,\"tid\":0,\"args\":{\"name\":"
                      "\"default stream\"}}",
                      (long long)i);
    }
}

void timeline_json(const Records *r, StrBuf *b)
{
    strbuf_puts(b, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    put_names(b, r);
    for (size_t i = 0; i < r->n_spans; i++) {
        strbuf_puts(b, i == 0 && !r->start ? "\n" : ",\n");
        put_span(b, r, r->spans[i]);
    }
    strbuf_puts(b, "]}\n");
}
