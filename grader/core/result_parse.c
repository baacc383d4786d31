/* JSON to Result. The reader is a cursor over objects whose first error sticks, so that a struct is read as
 * one list of fields and checked once at the end. See result.h. */
#include "grader/core/result_internal.h"

#include <string.h>

typedef struct Reader {
    Arena *arena;
    Diag *diag;
    Status status;
} Reader;

static void result_fail(Reader *r, const char *key, const char *wanted)
{
    if (r->status == STATUS_OK)
        r->status = diag_set(r->diag, STATUS_PARSE, "a result's '%s' must be %s", key, wanted);
}

static const json_t *result_member(Reader *r, const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!value)
        result_fail(r, key, "there");
    return value;
}

static const char *get_text(Reader *r, const json_t *map, const char *key)
{
    const json_t *value = result_member(r, map, key);
    if (!json_is_string(value)) {
        result_fail(r, key, "a text");
        return "";
    }
    const char *copy = arena_strndup(r->arena, json_string_value(value), json_string_length(value));
    if (!copy)
        r->status = diag_set(r->diag, STATUS_NO_MEMORY, "no memory for a result");
    return copy ? copy : "";
}

static double get_number(Reader *r, const json_t *map, const char *key)
{
    const json_t *value = result_member(r, map, key);
    if (!json_is_number(value))
        result_fail(r, key, "a number");
    return json_number_value(value);
}

static int64_t get_count(Reader *r, const json_t *map, const char *key)
{
    const json_t *value = result_member(r, map, key);
    if (!json_is_integer(value))
        result_fail(r, key, "a whole number");
    return json_integer_value(value);
}

static Verdict get_verdict(Reader *r, const json_t *map, const char *key)
{
    Verdict v = VERDICT_KIT_ERROR;
    if (!verdict_from_word(get_text(r, map, key), &v))
        result_fail(r, key, "a verdict");
    return v;
}

/* The array of that key; *n is 0 where it is none. */
static const json_t *get_list(Reader *r, const json_t *map, const char *key, size_t *n)
{
    const json_t *value = result_member(r, map, key);
    if (!json_is_array(value))
        result_fail(r, key, "a list");
    *n = json_array_size(value);
    return value;
}

static void *new_array(Reader *r, size_t n, size_t size)
{
    void *items = arena_alloc(r->arena, (n + 1) * size);
    if (!items)
        r->status = diag_set(r->diag, STATUS_NO_MEMORY, "no memory for a result");
    return items;
}

static const char *keep_text(void *reader, const char *text, bool one_line)
{
    Reader *r = reader;
    (void)one_line;
    const char *copy = arena_strndup(r->arena, text, strlen(text));
    if (!copy)
        r->status = diag_set(r->diag, STATUS_NO_MEMORY, "no memory for a result");
    return copy ? copy : "";
}

static void read_finding(Reader *r, const json_t *map, Finding *f)
{
    FindingWrong wrong;
    if (!finding_read(f, map, FINDING_RESULT, &wrong) && r->status == STATUS_OK)
        r->status = diag_set(r->diag, STATUS_PARSE, "a finding's '%s': %s", wrong.name, wrong.wanted);
    else
        finding_each_text(f, keep_text, r);
}

static void read_findings(Reader *r, const json_t *map, CaseResult *c)
{
    const json_t *list = get_list(r, map, "findings", &c->n_findings);
    c->findings = new_array(r, c->n_findings, sizeof *c->findings);
    for (size_t i = 0; c->findings && i < c->n_findings; i++)
        read_finding(r, json_array_get(list, i), &c->findings[i]);
}

static void read_metrics(Reader *r, const json_t *map, CaseResult *c)
{
    json_t *metrics = (json_t *)result_member(r, map, "metrics");
    if (!json_is_object(metrics))
        result_fail(r, "metrics", "a map");
    c->n_metrics = json_object_size(metrics);
    c->metrics = new_array(r, c->n_metrics, sizeof *c->metrics);
    size_t i = 0;
    const char *key;
    json_t *value;
    if (!c->metrics)
        return;
    json_object_foreach(metrics, key, value)
    {
        c->metrics[i++] = (ResultMetric){.name = arena_strndup(r->arena, key, strlen(key)),
                                         .value = json_is_null(value) ? 0.0 / 0.0 : json_number_value(value)};
    }
}

static ResultSpan read_span(Reader *r, const json_t *map)
{
    return (ResultSpan){.what = get_text(r, map, "what"),
                        .name = get_text(r, map, "name"),
                        .device = get_count(r, map, "device"),
                        .stream = get_count(r, map, "stream"),
                        .bytes = get_count(r, map, "bytes"),
                        .start_us = get_number(r, map, "start_us"),
                        .end_us = get_number(r, map, "end_us")};
}

/* Few cases show one. */
static void read_timeline(Reader *r, const json_t *map, CaseResult *c)
{
    const json_t *timeline = json_object_get(map, "timeline");
    if (!timeline)
        return;
    const json_t *spans = get_list(r, timeline, "spans", &c->n_spans);
    c->spans_left_out = (size_t)get_count(r, timeline, "left_out");
    c->spans = new_array(r, c->n_spans, sizeof *c->spans);
    for (size_t i = 0; c->spans && i < c->n_spans; i++)
        c->spans[i] = read_span(r, json_array_get(spans, i));
}

/* Not every lab ranks. */
static void read_leaderboard(Reader *r, const json_t *map, CaseResult *c)
{
    const json_t *leaderboard = json_object_get(map, "leaderboard");
    if (!leaderboard)
        return;
    c->leaderboard = get_text(r, leaderboard, "metric");
    c->highest_first = strcmp(get_text(r, leaderboard, "best"), "highest") == 0;
}

static void read_case(Reader *r, const json_t *map, CaseResult *c)
{
    *c = (CaseResult){
        .name = get_text(r, map, "name"),
        .hidden = strcmp(get_text(r, map, "visibility"), "hidden") == 0,
        .points = get_number(r, map, "points"),
        .max_points = get_number(r, map, "max_points"),
        .verdict = get_verdict(r, map, "verdict"),
        .message = get_text(r, map, "message"),
        .lesson = get_text(r, map, "lesson"),
        .hint = get_text(r, map, "hint"),
        .replay = get_text(r, map, "replay"),
    };
    read_findings(r, map, c);
    read_metrics(r, map, c);
    read_timeline(r, map, c);
    read_leaderboard(r, map, c);
}

static void read_lists(Reader *r, const json_t *json, Result *result)
{
    const json_t *layers = get_list(r, result_member(r, json, "sandbox"), "layers", &result->n_sandbox);
    result->sandbox = new_array(r, result->n_sandbox, sizeof *result->sandbox);
    for (size_t i = 0; result->sandbox && i < result->n_sandbox; i++) {
        const char *layer = json_string_value(json_array_get(layers, i));
        result->sandbox[i] = arena_strndup(r->arena, layer ? layer : "", layer ? strlen(layer) : 0);
    }
    const json_t *cases = get_list(r, json, "cases", &result->n_cases);
    result->cases = new_array(r, result->n_cases, sizeof *result->cases);
    for (size_t i = 0; result->cases && i < result->n_cases; i++)
        read_case(r, json_array_get(cases, i), &result->cases[i]);
}

static void read_result(Reader *r, const json_t *json, Result *result)
{
    if (!json_is_object(json) || get_count(r, json, "schema") != RESULT_SCHEMA)
        result_fail(r, "schema", "1");
    const json_t *device = result_member(r, json, "device"), *build = result_member(r, json, "build");
    result->student = get_text(r, json, "student");
    result->lab = get_text(r, json, "lab");
    result->verdict = get_verdict(r, json, "verdict");
    result->score = get_number(r, json, "score");
    result->max_score = get_number(r, json, "max_score");
    result->submission_sha256 = get_text(r, json, "submission_sha256");
    result->kit_version = get_text(r, json, "kit_version");
    result->seed = (uint64_t)get_count(r, json, "seed");
    result->device_kind = get_text(r, device, "kind");
    result->device_name = get_text(r, device, "name");
    const json_t *compiler = json_object_get(json, "compiler");
    if (compiler) { /* earlier kits knew one compiler, and did not name it */
        result->compiler = get_text(r, compiler, "name");
        result->compiler_version = get_text(r, compiler, "version");
    }
    result->build_verdict = get_verdict(r, build, "verdict");
    result->build_log = get_text(r, build, "log");
    read_lists(r, json, result);
}

Status result_from_json(const json_t *json, Result **out, Diag *d)
{
    *out = NULL;
    Result *result = result_create();
    if (!result)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a result");
    Reader r = {.arena = &result->arena, .diag = d, .status = STATUS_OK};
    read_result(&r, json, result);
    if (r.status == STATUS_OK)
        *out = result;
    else
        result_free(result);
    return r.status;
}
