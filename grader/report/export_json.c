/* Exports as JSON: our own results whole, and what three course systems read of one submission.
 *
 * What goes to a course system goes to the student: of hidden cases it holds the name, the verdict and the
 * lesson. They are sent as visible, because a system that is told "hidden" hides the total too.
 */
#include "grader/report/report_internal.h"

#include <stdlib.h>
#include <string.h>
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

/* What policy and log make of a score, for programs. */
static json_t *grade_json(const Result *r, const Grade *g)
{
    json_t *adjustments = json_array(), *comments = json_array();
    for (size_t i = 0; i < g->n_items; i++) {
        const GradeItem *item = &g->items[i];
        bool comment = i >= g->n_items - g->n_comments;
        if (comment)
            json_array_append_new(comments,
                                  json_pack("{s:s, s:b}", "text", item->text, "secret", item->secret));
        else
            json_array_append_new(adjustments, json_pack("{s:f, s:b, s:s}", "points", item->points, "instead",
                                                         item->set, "reason", item->text));
    }
    GradeThatCounts counting = grade_that_counts(g);
    json_t *final = counting.counts ? json_real(counting.points) : json_null();
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:o, s:I, s:I, s:I, s:b, s:b, s:I, s:I, s:f, s:o, s:o}",
                     "student", r->student, "lab", r->lab, "score", r->score, "max_score", r->max_score,
                     "state", grade_state_word(counting.state), "final_score", final, "inconclusive_cases",
                     (json_int_t)g->n_inconclusive, "attempt", (json_int_t)g->attempt, "attempts",
                     (json_int_t)g->n_attempts, "late", g->late, "closed", g->closed, "late_seconds",
                     (json_int_t)g->late_s, "late_steps", (json_int_t)g->steps, "late_points", g->deduction,
                     "adjustments", adjustments, "comments", comments);
}

Status export_json(const ReportClass *c, StrBuf *out, Diag *d)
{
    json_t *list = json_array();
    json_t *grades = json_array();
    for (size_t i = 0; i < c->n_results; i++) {
        json_array_append_new(list, result_to_json(c->results[i]));
        json_array_append_new(grades, grade_json(c->results[i], &c->grades[i]));
    }
    return put_json(json_pack("{s:i, s:o, s:o}", "schema", RESULT_SCHEMA, "results", list, "grades", grades),
                    JSON_INDENT(2), out, d);
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

static bool is_weak(const Result *r)
{
    return r->n_sandbox > 0 && strcmp(r->sandbox[0], "weak") == 0;
}

/* A text with what there is to say about the grade and the walls after it; NULL without memory. */
static json_t *text_with_notes(const char *text, const Result *r, const Grade *g)
{
    StrBuf b = {0};
    Arena a = {0};
    const char **notes;
    size_t n = 0;
    b.failed = !report_grade_notes(&a, g, true, &notes, &n);
    strbuf_puts(&b, text);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&b, "%s%s", b.length ? "\n" : "", notes[i]);
    if (is_weak(r))
        strbuf_printf(&b, "%sGraded with reduced isolation.", b.length ? "\n" : "");
    json_t *json = b.failed ? NULL : json_string(b.text ? b.text : "");
    strbuf_free(&b);
    arena_free(&a);
    return json;
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
    if (report_has_film(c))
        strbuf_printf(&b, "\nFilm: make show CASE=%s", c->name);
    json_t *json = b.failed ? NULL : json_string(b.text);
    strbuf_free(&b);
    return json;
}

/* What Gradescope's leaderboard shows of a result; NULL when it is on none. */
static json_t *gradescope_leaderboard(const Result *r)
{
    const CaseResult *ranked;
    double value;
    if (!report_rank(r, &ranked, &value))
        return NULL;
    const char *metric =
        strncmp(ranked->leaderboard, "value.", 6) == 0 ? ranked->leaderboard + 6 : ranked->leaderboard;
    return json_pack("[{s:s, s:f, s:s}]", "name", metric, "value", value, "order",
                     ranked->highest_first ? "desc" : "asc");
}

/* An ungraded submission has no score, of its own or of a test: Gradescope takes that for an autograder that
 * failed, which is what it is, and shows no points. */
Status export_gradescope(const ReportClass *c, StrBuf *out, Diag *d)
{
    Result *r = one_view(c, d);
    if (!r)
        return no_view(c);
    GradeThatCounts counting = grade_that_counts(&c->grades[0]);
    bool scored = counting.state != GRADE_UNGRADED;
    json_t *tests = json_array();
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *k = &r->cases[i];
        json_array_append_new(tests,
                              json_pack("{s:s, s:o*, s:f, s:s, s:o, s:s, s:s}", "name", k->name, "score",
                                        scored ? json_real(k->points) : NULL, "max_score", k->max_points,
                                        "status", k->verdict == VERDICT_PASS ? "passed" : "failed", "output",
                                        case_text(k), "output_format", "text", "visibility", "visible"));
    }
    const char *whole = r->build_verdict == VERDICT_PASS ? verdict_meaning(r->verdict) : r->build_log;
    json_t *json =
        json_pack("{s:o*, s:o, s:s, s:s, s:o}", "score", scored ? json_real(counting.points) : NULL, "output",
                  text_with_notes(whole, r, &c->grades[0]), "output_format", "text", "test_output_format",
                  "text", "tests", tests);
    json_t *leaderboard = gradescope_leaderboard(r);
    if (json && leaderboard && scored)
        json_object_set_new(json, "leaderboard", leaderboard);
    else
        json_decref(leaderboard);
    result_free(r);
    return put_json(json, JSON_INDENT(2), out, d);
}

/* An ungraded submission is not gradable, and costs the student no attempt. */
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
    GradeThatCounts counting = grade_that_counts(&c->grades[0]);
    bool gradable = counting.state != GRADE_UNGRADED;
    double share = r->max_score > 0 ? counting.points / r->max_score : 0.0;
    json_t *json =
        json_pack("{s:b, s:f, s:o, s:s, s:o}", "gradable", gradable, "score", share < 1 ? share : 1.0,
                  "message", text_with_notes(verdict_meaning(r->verdict), r, &c->grades[0]), "output",
                  r->build_verdict == VERDICT_PASS ? "" : r->build_log, "tests", tests);
    result_free(r);
    return put_json(json, JSON_INDENT(2), out, d);
}

/* One problem, named after the lab; the line before it lists the cases. A problem without a score stays
 * ungraded. */
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
    if (!grade_is_plain(&c->grades[0])) {
        json_array_append_new(json_object_get(stages, "stages"), json_string("Points"));
        json_object_set_new(stages, "Points",
                            json_pack("{s:{s:b, s:o}}", "points that count", "passed", true, "hint",
                                      text_with_notes("", r, &c->grades[0])));
    }
    GradeThatCounts counting = grade_that_counts(&c->grades[0]);
    json_t *scores =
        counting.state == GRADE_UNGRADED
            ? json_pack("{s:{}}", "scores")
            : json_pack("{s:{s:f}, s:[f]}", "scores", r->lab, counting.points, "scoreboard", counting.points);
    result_free(r);
    Status s = put_json(stages, JSON_COMPACT, out, d);
    if (s != STATUS_OK) {
        json_decref(scores);
        return s;
    }
    return put_json(scores, JSON_COMPACT, out, d);
}
