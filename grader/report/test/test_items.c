/* Item analysis: numbers worked out by hand, common faults with their lines, the trend over attempts, what to
 * talk about; and the remarks beside a source's lines. */
#include "grader/report/items.h"
#include "grader/report/source.h"
#include "grader/report/report_internal.h"
#include "grader/report/test/fixture.h"

enum { N = 5 };
static const char *const students[N] = {"s001", "s002", "s003", "s004", "s005"};

static CaseResult item(const char *name, double points, Finding *findings)
{
    return (CaseResult){.name = name,
                        .points = points,
                        .max_points = 10,
                        .message = "",
                        .lesson = "",
                        .hint = "",
                        .replay = "",
                        .verdict = points > 0 ? VERDICT_PASS : VERDICT_RACE,
                        .findings = findings,
                        .n_findings = findings ? 1 : 0};
}

/* Two of five get a and b, the other three get c; who fails a has a race in line 23. */
static ReportClass *make_class(void)
{
    Result *results[N];
    ReportClass *c;
    for (int i = 0; i < N; i++) {
        bool good = i < 2;
        CaseResult cases[] = {item("a", good ? 10 : 0, good ? NULL : fixture_findings),
                              item("b", good ? 10 : 0, NULL), item("c", good ? 0 : 10, NULL),
                              item("d", 10, NULL)};
        results[i] = fixture_result(students[i], "02-vector-add", VERDICT_PASS, cases, 4);
    }
    assert_int_equal(report_class_make(results, N, &c, NULL), STATUS_OK);
    return c;
}

static void test_numbers(void **state)
{
    (void)state;
    Arena a = {0};
    ReportClass *c = make_class();
    ItemAnalysis x;
    assert_int_equal(report_items(&a, c, "02-vector-add", NULL, 0, &x, NULL), STATUS_OK);
    assert_int_equal(5, x.n_submitted);
    assert_int_equal(2, x.items[0].n_passed);
    assert_float_equal(0.4, x.items[0].difficulty, 1e-9);
    assert_float_equal(0.6, x.items[2].difficulty, 1e-9);
    assert_float_equal(1, x.items[3].difficulty, 1e-9);
    assert_false(x.items[3].has_discrimination); /* everybody passes: there is nothing to tell */
    assert_false(x.items[0].has_discrimination); /* b and c cancel each other: the rest is the same for all */
    assert_true(x.items[2].has_discrimination);
    assert_float_equal(-1, x.items[2].discrimination, 1e-9);
    assert_string_equal("race", x.faults[0].what);
    assert_string_equal("vector_add.cu", x.faults[0].file);
    assert_int_equal(23, x.faults[0].line);
    assert_int_equal(3, x.faults[0].n);
    const char **talk;
    size_t n;
    assert_true(report_items_talk(&a, &x, &talk, &n));
    assert_string_equal("race: 3 of 5, most often at vector_add.cu:23: two threads write", talk[0]);
    StrBuf out = {0};
    report_items_text(&out, &x);
    assert_non_null(strstr(out.text, "   40 %         0.40               -  a\n"));
    assert_non_null(strstr(out.text, "case c: those who do well elsewhere fail it (r = -1.00)"));
    strbuf_free(&out);
    report_items_csv(&out, &x, true);
    assert_non_null(strstr(out.text, "02-vector-add,c,public,10,5,3,0.6000,-1.0000,race\r\n"));
    strbuf_free(&out);
    html_items(&out, &x);
    assert_non_null(strstr(out.text, "<circle "));
    assert_non_null(strstr(out.text, "<code>vector_add.cu:23</code>"));
    strbuf_free(&out);
    report_class_free(c);
    arena_free(&a);
}

/* Four students are too few to correlate. */
static void test_few(void **state)
{
    (void)state;
    Arena a = {0};
    ReportClass *c = make_class();
    c->results[4]->verdict = VERDICT_NOT_SUBMITTED;
    ItemAnalysis x;
    assert_int_equal(report_items(&a, c, "02-vector-add", NULL, 0, &x, NULL), STATUS_OK);
    assert_int_equal(4, x.n_submitted);
    assert_false(x.items[2].has_discrimination);
    report_class_free(c);
    arena_free(&a);
}

static void test_trend(void **state)
{
    (void)state;
    Arena a = {0};
    ReportClass *c = make_class();
    const GradebookAttempt attempts[] = {
        {"s001", "01-indexing", 1, VERDICT_PASS, 100, 100, false, false, 0},
        {"s001", "02-vector-add", 2, VERDICT_RACE, 20, 100, false, false, 0},
        {"s001", "02-vector-add", 3, VERDICT_PASS, 100, 100, false, false, 0},
        {"s002", "02-vector-add", 4, VERDICT_RACE, 40, 100, false, false, 0},
        {"s009", "02-vector-add", 5, VERDICT_RACE, 90, 100, false, false, 0}}; /* has left */
    ItemAnalysis x;
    assert_int_equal(report_items(&a, c, "02-vector-add", attempts, 5, &x, NULL), STATUS_OK);
    assert_int_equal(2, x.n_attempts);
    assert_int_equal(2, x.attempts[0].n);
    assert_float_equal(0.3, x.attempts[0].mean, 1e-9);
    assert_int_equal(1, x.attempts[1].n);
    assert_int_equal(1, x.attempts[1].n_passed);
    report_class_free(c);
    arena_free(&a);
}

static void test_places(void **state)
{
    (void)state;
    Arena a = {0};
    const char *file, *rest;
    int64_t line;
    assert_true(report_comment_place(&a, "vector_add.cu:23: a guard", &file, &line, &rest));
    assert_string_equal("vector_add.cu", file);
    assert_int_equal(23, line);
    assert_string_equal("a guard", rest);
    static const char *const none[] = {"well done",   "note: 5: x",       "a.cu:x: y", "a.cu:5 y", ":5: x",
                                       "a b.cu:5: x", "a.cu:99999999: x", "a.cu:0: x", ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(report_comment_place(&a, none[i], &file, &line, &rest));
    arena_free(&a);
}

/* Messages of both compilers, a finding and a comment stand at their lines, each once; a note is not the
 * student's. */
static void test_remarks(void **state)
{
    (void)state;
    Arena a = {0};
    CaseResult cases[] = {item("one", 0, fixture_findings), item("two", 0, fixture_findings)};
    Result *r = fixture_result("s001", "02-vector-add", VERDICT_PASS, cases, 2);
    r->build_log = "x/vector_add.cu(3): warning #177-D: variable \"<b>\" was declared\nvector_add.cu:4:7: "
                   "error: no\nIn file included\n";
    GradeItem items[] = {{.text = "vector_add.cu:23: use the guard"},
                         {.text = "vector_add.cu:2: QUIET", .secret = true},
                         {.text = "fine"}};
    Grade g = {.items = items, .n_items = 3, .n_comments = 3};
    ReportRemark *remarks;
    size_t n;
    assert_true(report_remarks(&a, r, &g, true, &remarks, &n));
    assert_int_equal(5, n);
    assert_int_equal(3, remarks[0].line);
    assert_false(remarks[0].bad);
    assert_int_equal(4, remarks[1].line);
    assert_true(remarks[1].bad);
    assert_int_equal(23, remarks[4].line);
    assert_true(report_remarks(&a, r, &g, false, &remarks, &n));
    assert_int_equal(6, n);
    StrBuf out = {0};
    static const char text[] = "a\r\n<script>alert(1)</script>\nc";
    const ReportFile file = {"vector_add.cu", text, sizeof text - 1};
    html_sources(&out, &(ReportFiles){&file, 1, false}, r, &g, true);
    assert_non_null(
        strstr(out.text,
               "<tr id=\"L-1-3\"><td class=\"num\">3</td><td><code>c</code></td></tr>\n<tr class=\"said\">"));
    assert_non_null(strstr(out.text, "use the guard")); /* its line is not there: at the end */
    assert_null(strstr(out.text, "<script>"));
    assert_null(strstr(out.text, "QUIET"));
    strbuf_free(&out);
    result_free(r);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_few),
                                       cmocka_unit_test(test_trend), cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_remarks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
