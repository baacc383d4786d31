/* Leaderboards: who is on one, in which order, under which names; and text of attackers on it. */
#include "grader/report/test/fixture.h"

#include "grader/report/report_internal.h"

#include "grader/core/files.h"

#include <unistd.h>

#define RANKED_CASE(v, slug, highest)                                                                        \
    {                                                                                                        \
        .name = slug, .points = 4, .max_points = 4, .verdict = v, .message = "", .lesson = "", .hint = "",   \
        .replay = "", .leaderboard = "value.step_us", .highest_first = highest                               \
    }

/* A result of two cases, the second of which ranks by value. */
static Result *ranked(const char *student, Verdict first, Verdict second, double value, bool highest)
{
    CaseResult cases[] = {OK_CASE("one", 96, true), RANKED_CASE(second, "speed", highest)};
    cases[0].verdict = first;
    Result *r = fixture_result(student, "20-capstone", VERDICT_PASS, cases, 2);
    ResultMetric *metrics = ARENA_NEW_ARRAY(&r->arena, ResultMetric, 2);
    metrics[0] = (ResultMetric){"traffic_ratio", 1};
    metrics[1] = (ResultMetric){"value.step_us", value};
    r->cases[1].metrics = metrics;
    r->cases[1].n_metrics = 2;
    return r;
}

static ReportClass *ranked_class(bool highest)
{
    Result *results[] = {
        ranked("s001", VERDICT_PASS, VERDICT_PASS, 76.5, highest),
        ranked("s002", VERDICT_PASS, VERDICT_SLOW, 180, highest), /* slow is right, too */
        ranked("s003", VERDICT_WRONG_RESULT, VERDICT_PASS, 1, highest),
        ranked("s004", VERDICT_PASS, VERDICT_RACE, 2, highest),
        ranked("s005", VERDICT_PASS, VERDICT_PASS, 60, highest),
        ranked("s006", VERDICT_PASS, VERDICT_PASS, 76.5, highest),
        ranked("s007", VERDICT_PASS, VERDICT_PASS, 0.0 / 0.0, highest), /* no value, no rank */
        fixture_result("s008", "02-vector-add", VERDICT_PASS, fixture_right, 3),
    };
    ReportClass *c;
    assert_int_equal(report_class_make(results, sizeof results / sizeof *results, &c, NULL), STATUS_OK);
    return c;
}

static void test_order(void **state)
{
    (void)state;
    static const double lowest[] = {60, 76.5, 76.5, 180}, highest[] = {180, 76.5, 76.5, 60};
    static const size_t places[] = {1, 2, 2, 4};
    for (int high = 0; high < 2; high++) {
        ReportClass *c = ranked_class(high);
        Arena a = {0};
        ReportRank *ranks;
        size_t n;
        assert_int_equal(report_leaderboard(&a, c, "20-capstone", &ranks, &n, NULL), STATUS_OK);
        assert_int_equal(n, 4);
        for (size_t i = 0; i < n; i++) {
            assert_true(ranks[i].value == (high ? highest[i] : lowest[i]));
            assert_int_equal(ranks[i].place, places[i]);
        }
        assert_true(report_lab_ranks(c, "20-capstone"));
        assert_false(report_lab_ranks(c, "02-vector-add"));
        arena_free(&a);
        report_class_free(c);
    }
}

static void test_page(void **state)
{
    (void)state;
    ReportClass *c = ranked_class(false);
    StrBuf page = {0}, again = {0}, named = {0};
    assert_int_equal(report_leaderboard_page(c, "Kit", false, &page, NULL), STATUS_OK);
    assert_int_equal(report_leaderboard_page(c, "Kit", false, &again, NULL), STATUS_OK);
    assert_int_equal(report_leaderboard_page(c, "Kit", true, &named, NULL), STATUS_OK);
    assert_string_equal(page.text, again.text);
    assert_non_null(strstr(page.text, "step_us of case speed, lowest first"));
    assert_non_null(strstr(page.text, "modelled on Virtual T4"));
    assert_null(strstr(page.text, "s00"));
    assert_null(strstr(page.text, "02-vector-add"));
    assert_non_null(strstr(named.text, "<td>s005</td>"));
    assert_null(strstr(named.text, "s003"));
    if (getenv("KEEP_HTML")) { /* for the test in a browser */
        char dir[] = "/tmp/test-html-XXXXXX";
        assert_non_null(mkdtemp(dir));
        Arena a = {0};
        assert_int_equal(
            file_write_atomic(arena_printf(&a, "%s/leaderboard.html", dir), named.text, named.length, NULL),
            STATUS_OK);
        printf("# leaderboard: kept in %s\n", dir);
        arena_free(&a);
    }
    strbuf_free(&page);
    strbuf_free(&again);
    strbuf_free(&named);
    report_class_free(c);
}

static void test_text(void **state)
{
    (void)state;
    ReportClass *c = ranked_class(false);
    Arena a = {0};
    StrBuf text = {0};
    ReportRank *ranks;
    size_t n;
    assert_int_equal(report_leaderboard(&a, c, "20-capstone", &ranks, &n, NULL), STATUS_OK);
    report_leaderboard_text(&text, "20-capstone", ranks, n, false);
    assert_null(strstr(text.text, "s005"));
    assert_non_null(strstr(text.text, ranks[0].name));
    strbuf_free(&text);
    report_leaderboard_text(&text, "20-capstone", ranks, n, true);
    assert_non_null(strstr(text.text, "s005"));
    strbuf_free(&text);
    report_leaderboard_text(&text, "20-capstone", ranks, 0, true);
    assert_string_equal(text.text, "20-capstone: nobody is on it yet\n");
    strbuf_free(&text);
    arena_free(&a);
    report_class_free(c);
}

/* More students than names: no two are called the same, and another seed calls them otherwise. */
static void test_names(void **state)
{
    (void)state;
    enum { MANY = 1100 };
    static Result *results[MANY];
    static char students[MANY][16];
    const char *first_name[2] = {0};
    Arena a = {0};
    for (int seed = 0; seed < 2; seed++) {
        for (size_t i = 0; i < MANY; i++) {
            snprintf(students[i], sizeof students[i], "s%04zu", i);
            results[i] = ranked(students[i], VERDICT_PASS, VERDICT_PASS, (double)i, false);
            results[i]->seed = 42 + (uint64_t)seed;
        }
        ReportClass *c;
        ReportRank *ranks;
        size_t n;
        assert_int_equal(report_class_make(results, MANY, &c, NULL), STATUS_OK);
        assert_int_equal(report_leaderboard(&a, c, "20-capstone", &ranks, &n, NULL), STATUS_OK);
        assert_int_equal(n, MANY);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(ranks[i].name, ranks[j].name);
        first_name[seed] = ranks[0].name;
        report_class_free(c);
    }
    assert_string_not_equal(first_name[0], first_name[1]);
    arena_free(&a);
}

static void test_hostile(void **state)
{
    (void)state;
    CaseResult cases[] = {RANKED_CASE(VERDICT_PASS, ATTACK, false)};
    ResultMetric metrics[] = {{ATTACK, 1}};
    cases[0].leaderboard = ATTACK;
    cases[0].metrics = metrics;
    cases[0].n_metrics = 1;
    Result *results[] = {fixture_result("=../../" ATTACK, "20-" ATTACK, VERDICT_PASS, cases, 1)};
    results[0]->device_name = ATTACK;
    ReportClass *c;
    StrBuf page = {0};
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    assert_int_equal(report_leaderboard_page(c, ATTACK, true, &page, NULL), STATUS_OK);
    assert_null(strstr(page.text, "<script"));
    assert_null(strchr(page.text, '\x1b'));
    size_t times = 0;
    for (const char *at = page.text; (at = strstr(at, "&lt;script&gt;")); at++)
        times++;
    assert_in_range(times, 6, 20); /* title twice, lab, metric, case, student, device */
    strbuf_free(&page);
    report_class_free(c);
}

/* What a program reads: kept in result.json, and told to Gradescope of those who are right. */
static void test_json(void **state)
{
    (void)state;
    for (int right = 0; right < 2; right++) {
        Result *results[] = {ranked("s001", right ? VERDICT_PASS : VERDICT_LEAK, VERDICT_PASS, 76.5, false)};
        json_t *json = result_to_json(results[0]);
        Result *read;
        assert_int_equal(result_from_json(json, &read, NULL), STATUS_OK);
        assert_string_equal(read->cases[1].leaderboard, "value.step_us");
        assert_false(read->cases[1].highest_first);
        assert_null(read->cases[0].leaderboard);
        json_decref(json);
        result_free(read);
        ReportClass *c;
        StrBuf out = {0};
        assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
        assert_int_equal(report_format("gradescope")->write(c, &out, NULL), STATUS_OK);
        json = json_loads(out.text, 0, NULL);
        json_t *entry = json_array_get(json_object_get(json, "leaderboard"), 0);
        assert_int_equal(entry != NULL, right);
        if (right) {
            assert_string_equal(json_string_value(json_object_get(entry, "name")), "step_us");
            assert_true(json_number_value(json_object_get(entry, "value")) == 76.5);
            assert_string_equal(json_string_value(json_object_get(entry, "order")), "asc");
        }
        json_decref(json);
        strbuf_free(&out);
        report_class_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_page),    cmocka_unit_test(test_text),
        cmocka_unit_test(test_names), cmocka_unit_test(test_hostile), cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
