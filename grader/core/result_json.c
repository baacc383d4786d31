/* Result to JSON: keys in a fixed order (jansson keeps it), whole numbers without a point. See result.h. */
#include "grader/core/result_internal.h"

#include <math.h>

/* Points and metrics: 20 and not 20.0; what JSON cannot say is null. */
static json_t *number(double x)
{
    if (!isfinite(x))
        return json_null();
    return x == floor(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

/* A JSON string; what is not UTF-8 was cleaned before it came here, so that NULL means no memory. */
static json_t *string(const char *text)
{
    return json_string(text ? text : "");
}

static json_t *finding_json(const Finding *f)
{
    StrBuf text = {0};
    finding_write(f, FINDING_RESULT, &text);
    json_t *json = text.failed ? NULL : json_loadb(text.text, text.length, 0, NULL);
    strbuf_free(&text);
    return json;
}

static json_t *findings_json(const CaseResult *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->n_findings; i++)
        json_array_append_new(list, finding_json(&c->findings[i]));
    return list;
}

static json_t *metrics_json(const CaseResult *c)
{
    json_t *map = json_object();
    for (size_t i = 0; i < c->n_metrics; i++)
        json_object_set_new(map, c->metrics[i].name, number(c->metrics[i].value));
    return map;
}

static json_t *span_json(const ResultSpan *s)
{
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "what", string(s->what), "name", string(s->name),
                     "device", (json_int_t)s->device, "stream", (json_int_t)s->stream, "bytes",
                     (json_int_t)s->bytes, "start_us", number(s->start_us), "end_us", number(s->end_us));
}

static json_t *timeline_json(const CaseResult *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->n_spans; i++)
        json_array_append_new(list, span_json(&c->spans[i]));
    return json_pack("{s:o, s:I}", "spans", list, "left_out", (json_int_t)c->spans_left_out);
}

static json_t *case_json(const CaseResult *c)
{
    json_t *json =
        json_pack("{s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", string(c->name),
                  "visibility", c->hidden ? "hidden" : "public", "points", number(c->points), "max_points",
                  number(c->max_points), "verdict", verdict_word(c->verdict), "message", string(c->message),
                  "lesson", string(c->lesson), "hint", string(c->hint), "replay", string(c->replay),
                  "findings", findings_json(c), "metrics", metrics_json(c));
    if (json && c->n_spans)
        json_object_set_new(json, "timeline", timeline_json(c));
    if (json && c->leaderboard)
        json_object_set_new(json, "leaderboard",
                            json_pack("{s:o, s:s}", "metric", string(c->leaderboard), "best",
                                      c->highest_first ? "highest" : "lowest"));
    return json;
}

/* NULL, which json_pack's o* leaves out, for a result of a kit that did not name it. */
static json_t *compiler_json(const Result *r)
{
    return r->compiler[0]
               ? json_pack("{s:o, s:o}", "name", string(r->compiler), "version", string(r->compiler_version))
               : NULL;
}

json_t *result_to_json(const Result *r)
{
    json_t *layers = json_array(), *cases = json_array();
    for (size_t i = 0; i < r->n_sandbox; i++)
        json_array_append_new(layers, string(r->sandbox[i]));
    for (size_t i = 0; i < r->n_cases; i++)
        json_array_append_new(cases, case_json(&r->cases[i]));
    return json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:{s:o, s:o}, s:o*, s:{s:o}, "
                     "s:{s:s, s:o}, s:o}",
                     "schema", RESULT_SCHEMA, "student", string(r->student), "lab", string(r->lab), "verdict",
                     verdict_word(r->verdict), "score", number(r->score), "max_score", number(r->max_score),
                     "submission_sha256", string(r->submission_sha256), "kit_version", string(r->kit_version),
                     "seed", (json_int_t)r->seed, "device", "kind", string(r->device_kind), "name",
                     string(r->device_name), "compiler", compiler_json(r), "sandbox", "layers", layers,
                     "build", "verdict", verdict_word(r->build_verdict), "log", string(r->build_log), "cases",
                     cases);
}

/* Milliseconds are exact enough, and read well. */
static json_t *seconds(double s)
{
    return json_real(round(s * 1000) / 1000);
}

static json_t *phases_to_json(const Phases *p)
{
    json_t *json = json_object();
#define X(name, ...) json_object_set_new(json, #name, seconds(p->name));
#include "grader/core/phases.def"
#undef X
    return json;
}

json_t *timing_to_json(const Timing *t)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < t->n_cases; i++)
        json_array_append_new(cases,
                              json_pack("{s:o, s:o, s:o, s:I}", "name", string(t->cases[i].name), "wall_s",
                                        seconds(t->cases[i].wall_s), "cpu_s", seconds(t->cases[i].cpu_s),
                                        "max_rss_kib", (json_int_t)t->cases[i].max_rss_kib));
    return json_pack("{s:i, s:I, s:o, s:o, s:o, s:o}", "schema", RESULT_SCHEMA, "started_at",
                     (json_int_t)t->started_at, "total_s", seconds(t->total_s), "build_s",
                     seconds(t->build_s), "processor_s", phases_to_json(&t->processor_s), "cases", cases);
}
