/* Moodle's worksheet: grades land in the right rows and nothing else changes; what is not certain is refused.
 */
#include "grader/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "\xEF\xBB\xBFIdentifier,\"Full name\",Grade,\"Feedback, comments\"\r\n"

static Result *result_of(const char *student, const char *lab, Verdict verdict, double score)
{
    Result *r = result_create();
    assert_non_null(r);
    r->student = student;
    r->lab = lab;
    r->verdict = verdict;
    r->score = score;
    r->max_score = 100;
    return r;
}

/* Fills a sheet with the scores of s001 (87.5), 42 (100) and s003, who handed nothing in. */
static Status fill(const char *sheet, const char *column, char **text, Diag *d)
{
    Result *results[] = {result_of("s001", "02-vector-add", VERDICT_RACE, 87.5),
                         result_of("42", "02-vector-add", VERDICT_PASS, 100),
                         result_of("s003", "02-vector-add", VERDICT_NOT_SUBMITTED, 0)};
    ReportClass *c;
    StrBuf out = {0};
    assert_int_equal(report_class_make(results, 3, &c, d), STATUS_OK);
    Status s = report_moodle(c, sheet, strlen(sheet), column, &out, d);
    *text = out.text;
    report_class_free(c);
    return s;
}

static void test_fills(void **state)
{
    (void)state;
    char *text;
    Diag d = {0};
    assert_int_equal(fill(HEAD "Participant 42,\"A, \"\"B\"\"\nC\",\"5\",\r\nParticipant 7,s001,,kept\r\n"
                               "Participant 8,s003,-,x\r\nParticipant 9,stranger,1,",
                          "Grade", &text, &d),
                     STATUS_OK);
    assert_string_equal(text,
                        HEAD "Participant 42,\"A, \"\"B\"\"\nC\",100.00,\r\nParticipant 7,s001,87.50,kept\r\n"
                             "Participant 8,s003,-,x\r\nParticipant 9,stranger,1,");
    free(text);
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *sheet, *column, *says;
        Status status;
    } cases[] = {
        {HEAD "1,s001,,\n2,42,,\n", "Grade", "no row for s003", STATUS_NOT_FOUND},
        {HEAD "1,s001,,\n2,s001,,\n", "Grade", "several rows", STATUS_INVALID},
        {HEAD "42,s001,,\n", "Grade", "several students", STATUS_INVALID},
        {HEAD "1,s001\n", "Grade", "no cell for the grade", STATUS_INVALID},
        {HEAD "1,\"s001,,\n", "Grade", "row 2", STATUS_PARSE},
        {HEAD "1,\"s001\"x,,\n", "Grade", "row 2", STATUS_PARSE},
        {HEAD, "Bewertung", "no column 'Bewertung'", STATUS_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        Diag d = {0};
        assert_int_equal(fill(cases[i].sheet, cases[i].column, &text, &d), cases[i].status);
        assert_non_null(strstr(d.message, cases[i].says));
        free(text);
    }
}

/* Points by hand for nothing handed in are filled in; what the kit failed on stays as it was. */
static void test_what_counts(void **state)
{
    (void)state;
    Result *results[] = {result_of("s001", "02-vector-add", VERDICT_KIT_ERROR, 100),
                         result_of("s002", "02-vector-add", VERDICT_NOT_SUBMITTED, 0)};
    GradeItem set = {.set = true, .points = 12, .text = "by hand"};
    ReportClass *c;
    StrBuf out = {0};
    assert_int_equal(report_class_make(results, 2, &c, NULL), STATUS_OK);
    c->grades[1].items = &set;
    c->grades[1].n_items = 1;
    c->grades[1].final = 12;
    static const char sheet[] = HEAD "1,s001,-,a\r\n2,s002,-,b\r\n";
    assert_int_equal(report_moodle(c, sheet, strlen(sheet), "Grade", &out, NULL), STATUS_OK);
    assert_string_equal(out.text, HEAD "1,s001,-,a\r\n2,s002,12.00,b\r\n");
    strbuf_free(&out);
    report_class_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fills), cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_what_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
