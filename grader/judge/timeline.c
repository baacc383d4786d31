/* See timeline.h. */
#include "grader/judge/timeline.h"

#include "grader/core/files.h"
#include "grader/core/text.h"
#include "grader/judge/json_fields.h"

#include <string.h>

enum { ROW_MAX = 1 << 20 }; /* numbers of devices and streams */

static const char *clean(JsonFields *f, const json_t *event, const char *key)
{
    const char *text = json_field_text(f, event, key);
    const char *cleaned = text_clean(f->arena, text, strlen(text), TIMELINE_NAME_MAX);
    return cleaned ? cleaned : "";
}

static double microseconds(JsonFields *f, const json_t *event, const char *key)
{
    double us = json_field_number(f, event, key);
    if (!(us >= 0 && us < 1e15))
        json_fields_fail(f, STATUS_PARSE, key, "expected a time");
    return us;
}

static int64_t row_number(JsonFields *f, const json_t *event, const char *key)
{
    int64_t n = json_field_integer(f, event, key);
    if (n < 0 || n > ROW_MAX)
        json_fields_fail(f, STATUS_PARSE, key, "expected the number of a device or stream");
    return n;
}

static ResultSpan read_span(JsonFields *f, const json_t *event)
{
    ResultSpan s = {.what = clean(f, event, "cat"),
                    .name = clean(f, event, "name"),
                    .device = row_number(f, event, "pid"),
                    .stream = row_number(f, event, "tid"),
                    .start_us = microseconds(f, event, "ts")};
    s.end_us = s.start_us + microseconds(f, event, "dur");
    s.bytes = json_field_integer(f, json_field_object(f, event, "args"), "bytes");
    return s;
}

/* Other events name rows. */
static bool is_span(JsonFields *f, const json_t *event)
{
    return json_is_object(event) && strcmp(json_field_text(f, event, "ph"), "X") == 0;
}

static void read_events(JsonFields *f, const json_t *events, CaseResult *c)
{
    ResultSpan *spans = ARENA_NEW_ARRAY(f->arena, ResultSpan, TIMELINE_SPANS_MAX);
    size_t n = 0, left_out = 0;
    if (!spans)
        json_fields_fail(f, STATUS_NO_MEMORY, "traceEvents", "no memory");
    for (size_t i = 0; i < json_array_size(events) && f->status == STATUS_OK; i++) {
        const json_t *event = json_array_get(events, i);
        if (!is_span(f, event))
            continue;
        if (n < TIMELINE_SPANS_MAX)
            spans[n++] = read_span(f, event);
        else
            left_out++;
    }
    if (f->status != STATUS_OK)
        return;
    c->spans = spans;
    c->n_spans = n;
    c->spans_left_out = left_out;
}

Status timeline_parse(Arena *a, const char *bytes, size_t length, CaseResult *c, Diag *d)
{
    json_error_t error;
    json_t *json = json_loadb(bytes, length, 0, &error);
    if (!json)
        return diag_set(d, STATUS_PARSE, "the timeline is no JSON: %s", error.text);
    JsonFields f = {.arena = a, .file = "timeline.json", .text_max = 4 * TIMELINE_NAME_MAX, .d = d};
    if (json_is_object(json))
        read_events(&f, json_field_array(&f, json, "traceEvents"), c);
    else
        json_fields_fail(&f, STATUS_PARSE, "timeline", "expected an object");
    json_decref(json);
    return f.status;
}

Status timeline_read(Arena *a, int dir_fd, const char *name, CaseResult *c, Diag *d)
{
    Arena arena = {0};
    char *bytes;
    size_t length;
    Status s = file_read_untrusted(&arena, dir_fd, name, TIMELINE_BYTES_MAX, &bytes, &length, d);
    if (s == STATUS_OK)
        s = timeline_parse(a, bytes, length, c, d);
    arena_free(&arena);
    return s;
}
