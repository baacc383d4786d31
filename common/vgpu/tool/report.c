/* report: the report as JSON (docs/contracts.md, "The virtual GPU's report"). The same run gives the same
 * bytes. */
#include "common/vgpu/tool/tool.h"

#include <stdlib.h>
#include <string.h>

static void put_string(StrBuf *b, const char *text)
{
    strbuf_json_string(b, text, strlen(text));
}

/* A member of a record as it is; nothing when the record has none. */
static void put_member(StrBuf *b, const json_t *o, const char *name, const char *as)
{
    const json_t *value = json_object_get(o, name);
    if (!value)
        return;
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text)
        strbuf_printf(b, ",\"%s\":%s", as, text);
    free(text);
}

static void report_put_findings(StrBuf *b, const Records *r)
{
    strbuf_puts(b, ",\n\"findings\":[");
    for (size_t i = 0; i < r->n_findings; i++) {
        strbuf_puts(b, i == 0 ? "\n" : ",\n");
        finding_write(&r->findings[i], FINDING_REPORT, b);
    }
    strbuf_puts(b, "]");
}

static void put_errors(StrBuf *b, const Records *r)
{
    strbuf_puts(b, ",\n\"errors\":[");
    for (size_t i = 0; i < r->n_errors; i++) {
        const CallError *e = &r->errors[i];
        FindingSite site = e->site;
        bool known = places_find(r->places, &site);
        strbuf_puts(b, i == 0 ? "\n{\"call\":" : ",\n{\"call\":");
        put_string(b, e->call);
        strbuf_puts(b, ",\"error\":");
        put_string(b, e->error);
        strbuf_printf(b, ",\"code\":%d,\"file\":", (int)e->code);
        put_string(b, known ? site.file : "");
        strbuf_printf(b, ",\"line\":%u,\"sticky\":%s,\"met\":%s}", known ? site.line : 0,
                      e->sticky ? "true" : "false", e->met ? "true" : "false");
    }
    strbuf_puts(b, "]");
}

static void put_launches(StrBuf *b, const Records *r)
{
    strbuf_puts(b, ",\n\"launches\":[");
    for (size_t i = 0; i < r->n_launches; i++) {
        const json_t *l = r->launches[i];
        const char *kernel = json_string_value(json_object_get(l, "kernel"));
        strbuf_puts(b, i == 0 ? "\n{\"kernel\":" : ",\n{\"kernel\":");
        put_string(b, kernel ? kernel : "");
        static const char *const members[] = {
            "device", "launcher", "grid",    "block",     "dynamic_shared", "launched_as", "static_shared", "registers",
            "stream", "counters", "metrics", "occupancy", "bound",          "unit",          "lines"};
        for (size_t k = 0; k < sizeof members / sizeof members[0]; k++)
            put_member(b, l, members[k], members[k]);
        strbuf_puts(b, ",\"time_us\":");
        strbuf_json_number(b, (double)json_integer_value(json_object_get(l, "time_ns")) / 1e3);
        strbuf_puts(b, "}");
    }
    strbuf_puts(b, "]");
}

/* Which call was made to fail: how many there were that could, and the code that one of them was given. */
static void put_fail_at(StrBuf *b, const Records *r, const ToolOptions *o)
{
    if (!o->fail_at)
        return;
    strbuf_printf(b, ",\n\"fail_at\":{\"calls\":%lld,\"failed\":%s,\"code\":%lld}",
                  (long long)json_integer_value(json_object_get(r->end, "can_fail")),
                  r->injected ? "true" : "false",
                  (long long)json_integer_value(json_object_get(r->injected, "code")));
}

void report_json(const Records *r, const ToolOptions *o, const Ending *e, StrBuf *b)
{
    const char *device = json_string_value(json_object_get(r->start, "device"));
    strbuf_puts(b, "{\"schema\":1,\n\"device\":{\"kind\":\"virtual\",\"name\":");
    put_string(b, device ? device : "");
    strbuf_puts(b, "},\n\"program\":");
    put_string(b, o->program[0]);
    strbuf_printf(b, ",\n\"exit\":{\"status\":%d,\"signal\":%d}", e->status, e->signal);
    report_put_findings(b, r);
    put_errors(b, r);
    put_launches(b, r);
    strbuf_printf(b, ",\n\"complete\":%s", !r->start || r->end ? "true" : "false");
    strbuf_puts(b, ",\n\"timeline_us\":");
    strbuf_json_number(b, (double)json_integer_value(json_object_get(r->end, "end_ns")) / 1e3);
    strbuf_puts(b, ",\n\"kernel_us\":");
    strbuf_json_number(b, (double)json_integer_value(json_object_get(r->end, "kernel_ns")) / 1e3);
    put_fail_at(b, r, o);
    put_member(b, r->end, "totals", "totals");
    put_member(b, r->end, "metrics", "metrics");
    put_member(b, r->end, "memory", "memory");
    strbuf_puts(b, "}\n");
}
