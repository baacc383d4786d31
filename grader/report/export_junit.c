/* JUnit XML: a test suite a submission, a test case a case. GitLab keeps names, classname, file and the
 * failure's body, so that all that matters stands there. The kit's own faults are <error>, cases nobody
 * handed in are <skipped>. */
#include "grader/report/report_internal.h"

#include "grader/text/escape.h"

#include <string.h>

static void text(StrBuf *out, const char *s)
{
    escape_xml(out, s, strlen(s));
}

static void attribute(StrBuf *out, const char *name, const char *value)
{
    strbuf_printf(out, " %s=\"", name);
    text(out, value);
    strbuf_puts(out, "\"");
}

typedef enum Outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_ERROR, OUTCOME_SKIPPED } Outcome;

static Outcome outcome_of(Verdict v)
{
    if (v == VERDICT_NOT_SUBMITTED)
        return OUTCOME_SKIPPED;
    if (v == VERDICT_KIT_ERROR || v == VERDICT_INCONCLUSIVE)
        return OUTCOME_ERROR;
    return v == VERDICT_PASS || v == VERDICT_SUSPECT ? OUTCOME_PASSED : OUTCOME_FAILED;
}

/* Systems that read JUnit show it to whoever may see the job: of a hidden case it holds the lesson alone. */
static void put_body(StrBuf *out, const Result *r, const CaseResult *c)
{
    if (c->verdict == r->build_verdict && c->verdict != VERDICT_PASS) {
        text(out, r->build_log);
        return;
    }
    text(out, c->hidden ? c->lesson : c->message);
    if (c->hint[0] && !c->hidden) {
        strbuf_puts(out, "\nhint: ");
        text(out, c->hint);
    }
    if (c->replay[0] && !c->hidden) {
        strbuf_puts(out, "\nreplay: ");
        text(out, c->replay);
    }
    if (report_has_film(c))
        strbuf_printf(out, "\nfilm: make show CASE=%s", c->name);
}

static void put_case(StrBuf *out, const Result *r, const CaseResult *c)
{
    static const char *const elements[] = {
        [OUTCOME_FAILED] = "failure", [OUTCOME_ERROR] = "error", [OUTCOME_SKIPPED] = "skipped"};
    strbuf_puts(out, "    <testcase");
    attribute(out, "name", c->name);
    StrBuf classname = {0};
    strbuf_printf(&classname, "%s.%s", r->student, r->lab);
    attribute(out, "classname", classname.text ? classname.text : "");
    strbuf_free(&classname);
    Outcome o = outcome_of(c->verdict);
    if (o == OUTCOME_PASSED) {
        strbuf_puts(out, "/>\n");
        return;
    }
    strbuf_printf(out, "><%s", elements[o]);
    if (o != OUTCOME_SKIPPED)
        attribute(out, "type", verdict_word(c->verdict));
    attribute(out, "message", verdict_meaning(c->verdict));
    strbuf_puts(out, ">");
    put_body(out, r, c);
    strbuf_printf(out, "</%s></testcase>\n", elements[o]);
}

/* A submission without cases (nothing handed in, or the kit failed first) is one case of its own. */
static CaseResult whole_case(const Result *r)
{
    return (CaseResult){
        .name = "submission", .verdict = r->verdict, .message = "", .lesson = "", .hint = "", .replay = ""};
}

/* The points, as properties of the suite: what is not for students is left out here, too. */
static void put_properties(StrBuf *out, const Grade *g)
{
    Arena a = {0};
    const char **notes;
    size_t n = 0;
    if (grade_is_plain(g))
        return;
    GradeThatCounts counting = grade_that_counts(g);
    strbuf_puts(out, "    <properties>\n");
    if (counting.counts) {
        strbuf_puts(out, "      <property name=\"final_score\" value=\"");
        report_points(out, counting.points);
        strbuf_puts(out, "\"/>\n");
    }
    if (!report_grade_notes(&a, g, true, &notes, &n))
        out->failed = true;
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, "      <property name=\"note\"");
        attribute(out, "value", notes[i]);
        strbuf_puts(out, "/>\n");
    }
    strbuf_puts(out, "    </properties>\n");
    arena_free(&a);
}

static void put_suite(StrBuf *out, const Result *r, const Grade *g)
{
    CaseResult whole = whole_case(r);
    const CaseResult *cases = r->n_cases ? r->cases : &whole;
    size_t n = r->n_cases ? r->n_cases : 1, counts[4] = {0};
    for (size_t i = 0; i < n; i++)
        counts[outcome_of(cases[i].verdict)]++;
    strbuf_puts(out, "  <testsuite");
    StrBuf name = {0};
    strbuf_printf(&name, "%s %s", r->student, r->lab);
    attribute(out, "name", name.text ? name.text : "");
    strbuf_free(&name);
    strbuf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", n,
                  counts[OUTCOME_FAILED], counts[OUTCOME_ERROR], counts[OUTCOME_SKIPPED]);
    put_properties(out, g);
    for (size_t i = 0; i < n; i++)
        put_case(out, r, &cases[i]);
    strbuf_puts(out, "  </testsuite>\n");
}

Status export_junit(const ReportClass *c, StrBuf *out, Diag *d)
{
    strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < c->n_results; i++)
        put_suite(out, c->results[i], &c->grades[i]);
    strbuf_puts(out, "</testsuites>\n");
    return out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the export") : STATUS_OK;
}
