/* Exports as JSON: our own results whole, and what three course systems read of one submission.
 *
 * What goes to a course system goes to the student: of hidden cases it holds the name, the verdict and the
 * lesson. They are sent as visible, because a system that is told "hidden" hides the total too.
 */
#include "grader/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

/* Writes json, which it takes over, with a newline at the end. */
static Status put_json(json_t *json, size_t flags, StrBuf *out, Diag *d)
{
    char *text = json ? json_dumps(json, flags | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(json);
    strbuf_puts(out, text ? text : "");
    strbuf_puts(out, "\n");
    bool fine = text && !out->failed;
    free(text);
    return fine ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
}

Status export_json(const ReportClass *c, StrBuf *out, Diag *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->n_results; i++)
        json_array_append_new(list, result_to_json(c->results[i]));
    return put_json(json_pack("{s:i, s:o}", "schema", RESULT_SCHEMA, "results", list), JSON_INDENT(2), out,
                    d);
}

/* The one result of the class as its student may see it; NULL with a Diag when there is not exactly one. */
static Result *one_view(const ReportClass *c, Diag *d)
{
    if (c->n_results != 1) {
        diag_set(d, STATUS_INVALID, "this format is of one submission, and %zu are chosen", c->n_results);
        diag_hint(d, "choose one by --student and --labs");
        return NULL;
    }
    Result *view = report_student_view(c->results[0]);
    if (!view)
        diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
    return view;
}

static Status no_view(const ReportClass *c)
{
    return c->n_results == 1 ? STATUS_NO_MEMORY : STATUS_INVALID;
}

/* What a student reads of a case, as plain text. */
static json_t *case_text(const CaseResult *c)
{
    StrBuf b = {0};
    const char *parts[] = {verdict_meaning(c->verdict), c->message, c->lesson, c->hint, c->replay};
    static const char *const labels[] = {"", "", "", "Hint: ", "Replay: "};
    strbuf_printf(&b, "%s", verdict_word(c->verdict));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0] && c->verdict != VERDICT_PASS)
            strbuf_printf(&b, "\n%s%s", labels[i], parts[i]);
    json_t *json = b.failed ? NULL : json_string(b.text);
    strbuf_free(&b);
    return json;
}

Status export_gradescope(const ReportClass *c, StrBuf *out, Diag *d)
{
    Result *r = one_view(c, d);
    if (!r)
        return no_view(c);
    json_t *tests = json_array();
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *k = &r->cases[i];
        json_array_append_new(tests,
                              json_pack("{s:s, s:f, s:f, s:s, s:o, s:s, s:s}", "name", k->name, "score",
                                        k->points, "max_score", k->max_points, "status",
                                        k->verdict == VERDICT_PASS ? "passed" : "failed", "output",
                                        case_text(k), "output_format", "text", "visibility", "visible"));
    }
    json_t *json = json_pack("{s:f, s:s, s:s, s:s, s:o}", "score", r->score, "output",
                             r->build_verdict == VERDICT_PASS ? verdict_meaning(r->verdict) : r->build_log,
                             "output_format", "text", "test_output_format", "text", "tests", tests);
    result_free(r);
    return put_json(json, JSON_INDENT(2), out, d);
}

/* A submission that could not be judged for the kit's own fault is not gradable, and costs the student no
 * attempt. */
Status export_prairielearn(const ReportClass *c, StrBuf *out, Diag *d)
{
    Result *r = one_view(c, d);
    if (!r)
        return no_view(c);
    json_t *tests = json_array();
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *k = &r->cases[i];
        json_array_append_new(tests, json_pack("{s:s, s:f, s:f, s:o}", "name", k->name, "points", k->points,
                                               "max_points", k->max_points, "output", case_text(k)));
    }
    bool gradable = r->verdict != VERDICT_KIT_ERROR && r->verdict != VERDICT_INCONCLUSIVE;
    json_t *json =
        json_pack("{s:b, s:f, s:s, s:s, s:o}", "gradable", gradable, "score",
                  r->max_score > 0 ? r->score / r->max_score : 0.0, "message", verdict_meaning(r->verdict),
                  "output", r->build_verdict == VERDICT_PASS ? "" : r->build_log, "tests", tests);
    result_free(r);
    return put_json(json, JSON_INDENT(2), out, d);
}

/* One problem, named after the lab; the line before it lists the cases. */
Status export_autolab(const ReportClass *c, StrBuf *out, Diag *d)
{
    Result *r = one_view(c, d);
    if (!r)
        return no_view(c);
    json_t *tests = json_object();
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *k = &r->cases[i];
        json_object_set_new(
            tests, k->name,
            json_pack("{s:b, s:o}", "passed", k->verdict == VERDICT_PASS, "hint", case_text(k)));
    }
    json_t *stages =
        json_pack("{s:s, s:[s,s], s:{s:{s:b}}, s:o}", "_presentation", "semantic", "stages", "Build", "Test",
                  "Build", "compile", "passed", r->build_verdict == VERDICT_PASS, "Test", tests);
    json_t *scores = json_pack("{s:{s:f}, s:[f]}", "scores", r->lab, r->score, "scoreboard", r->score);
    result_free(r);
    Status s = put_json(stages, JSON_COMPACT, out, d);
    if (s != STATUS_OK) {
        json_decref(scores);
        return s;
    }
    return put_json(scores, JSON_COMPACT, out, d);
}
