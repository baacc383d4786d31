/* Points that count: lateness, extensions, attempts, adjustments and comments, all from the gradebook; and
 * its log, which is only ever added to; and books of the first version. */
#include "common/base/strbuf.h"
#include "grader/core/files.h"
#include "grader/core/when.h"
#include "grader/db/grade.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char LAB[] = "02-vector-add";
static const char DUE[] = "2026-10-12T00:00:00Z";
static const char POLICY[] =
    "schema: 1\ndue: {02-vector-add: 2026-10-12T00:00:00Z}\n"
    "late: {grace_minutes: 10, every_hours: 24, deduct: 10, at_most: 35, closed_after_hours: 240}\n";

typedef struct Book {
    char dir[32], path[64];
    Arena arena;
    Gradebook *g;
    int64_t run;
} Book;

static int make_book(void **state)
{
    Book *b = calloc(1, sizeof *b);
    strcpy(b->dir, "/tmp/test-grade-XXXXXX");
    assert_non_null(mkdtemp(b->dir));
    snprintf(b->path, sizeof b->path, "%s/gradebook.db", b->dir);
    assert_int_equal(STATUS_OK, gradebook_open(b->path, &b->g, NULL));
    GradebookRun run = {.kit_version = "1", .device_kind = "virtual", .device_name = "T4"};
    assert_int_equal(STATUS_OK, gradebook_start_run(b->g, &run, NULL));
    b->run = run.id;
    *state = b;
    return 0;
}

static int drop_book(void **state)
{
    Book *b = *state;
    gradebook_close(b->g);
    assert_int_equal(STATUS_OK, dir_remove(b->dir, NULL));
    arena_free(&b->arena);
    free(b);
    return 0;
}

/* A result of a new run. */
static void save(Book *b, const char *student, const char *sha256, Verdict verdict, double score)
{
    GradebookRun run = {.kit_version = "1", .device_kind = "virtual", .device_name = "T4"};
    assert_int_equal(STATUS_OK, gradebook_start_run(b->g, &run, NULL));
    Result *r = result_create();
    CaseResult c = {.name = "one",
                    .points = score,
                    .max_points = 100,
                    .verdict = verdict,
                    .message = "",
                    .lesson = "",
                    .hint = "",
                    .replay = ""};
    r->student = student;
    r->lab = LAB;
    r->submission_sha256 = sha256;
    r->cases = &c;
    r->n_cases = 1;
    result_sum_up(r);
    Diag d = {0};
    if (gradebook_save(b->g, run.id, r, NULL, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    result_free(r);
}

static void receive(Book *b, const char *student, const char *sha256, double hours_late)
{
    int64_t due;
    assert_true(when_parse(DUE, &due));
    assert_int_equal(STATUS_OK, gradebook_receive(b->g, student, LAB, sha256, true,
                                                  due + (int64_t)(hours_late * 3600), false, NULL));
}

static int64_t change(Book *b, ChangeKind kind, const char *student, const char *lab, double value,
                      const char *text)
{
    GradebookChange c = {.at = 5,
                         .who = "ta",
                         .kind = kind,
                         .student = student,
                         .lab = lab,
                         .value = value,
                         .text = text,
                         .why = "why"};
    Diag d = {0};
    if (gradebook_change(b->g, &c, 1, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return c.id;
}

static Grade grade(Book *b, const char *student)
{
    GradeRules rules;
    Grade g;
    Diag d = {0};
    if (grade_rules_load(b->g, &b->arena, &rules, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    assert_true(grade_work_out(&rules, &b->arena, student, LAB, &g));
    return g;
}

/* Without policy and changes the grade is the score, whatever the time. */
static void test_plain(void **state)
{
    Book *b = *state;
    save(b, "s001", "a", VERDICT_RACE, 80);
    receive(b, "s001", "a", 1000);
    Grade g = grade(b, "s001");
    assert_true(g.final == 80 && !g.late && grade_is_plain(&g));
    g = grade(b, "s999");
    assert_true(g.final == 0 && g.n_attempts == 0);
}

static void test_late(void **state)
{
    Book *b = *state;
    static const struct {
        double hours, score, final;
        int64_t steps;
        bool late, closed;
    } rows[] = {
        {-5, 90, 90, 0, false, false},
        {0, 90, 90, 0, false, false},
        {10.0 / 60, 90, 90, 0, false, false},      /* the grace, to the second */
        {601.0 / 3600, 90, 80, 1, true, false},    /* and one second past it */
        {24, 90, 80, 1, true, false},              /* a step ends */
        {24 + 1.0 / 3600, 90, 70, 2, true, false}, /* the next has begun */
        {100, 90, 55, 5, true, false},             /* 35 at most */
        {240, 90, 55, 10, true, false},
        {240 + 1.0 / 3600, 90, 0, 11, true, true}, /* closed */
        {100, 20, 0, 5, true, false},              /* never below 0 */
    };
    change(b, CHANGE_POLICY, "", "", 0, POLICY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char student[8], sha[8];
        snprintf(student, sizeof student, "s%03zu", i);
        snprintf(sha, sizeof sha, "%zu", i);
        save(b, student, sha, VERDICT_RACE, rows[i].score);
        receive(b, student, sha, rows[i].hours);
        Grade g = grade(b, student);
        if (g.final != rows[i].final || g.steps != rows[i].steps || g.late != rows[i].late ||
            g.closed != rows[i].closed)
            fail_msg("%g hours: %g points, %d steps", rows[i].hours, g.final, (int)g.steps);
        assert_true(g.score == rows[i].score && g.score - g.deduction == g.final);
    }
}

/* The system's word "late", where no time is known, is one step; an extension takes it away. */
static void test_said_late(void **state)
{
    Book *b = *state;
    save(b, "s001", "a", VERDICT_RACE, 90);
    assert_int_equal(STATUS_OK, gradebook_receive(b->g, "s001", LAB, "a", false, 0, true, NULL));
    Grade g = grade(b, "s001");
    assert_true(g.late && g.final == 90); /* no policy, no cost; but it is told */
    change(b, CHANGE_POLICY, "", "", 0, POLICY);
    g = grade(b, "s001");
    assert_true(g.late && g.late_is_said && g.steps == 1 && g.final == 80);
    change(b, CHANGE_EXTEND, "s001", "", 1e9, "");
    assert_true(grade(b, "s001").final == 90);
}

static void test_extensions(void **state)
{
    Book *b = *state;
    int64_t due;
    assert_true(when_parse(DUE, &due));
    change(b, CHANGE_POLICY, "", "", 0, POLICY);
    static const char *const students[] = {"s001", "s002", "s003"};
    for (size_t i = 0; i < 3; i++) {
        save(b, students[i], students[i], VERDICT_PASS, 100);
        receive(b, students[i], students[i], 30);
    }
    change(b, CHANGE_EXTEND, "s001", LAB, (double)(due + 86400), "");
    change(b, CHANGE_EXTEND, "s001", LAB, (double)(due + 3600), ""); /* never shortens */
    change(b, CHANGE_EXTEND, "s002", "01-indexing", (double)(due + 1000000), "");
    assert_true(grade(b, "s001").final == 90 && grade(b, "s001").late_s == 6 * 3600);
    assert_true(grade(b, "s002").final == 80);
    int64_t all = change(b, CHANGE_EXTEND, "s003", "", (double)(due + 1000000), "");
    assert_true(grade(b, "s003").final == 100);
    int64_t back = change(b, CHANGE_WITHDRAW, "", "", (double)all, "");
    assert_true(grade(b, "s003").final == 80);
    change(b, CHANGE_WITHDRAW, "", "", (double)back, ""); /* a withdrawal withdrawn */
    assert_true(grade(b, "s003").final == 100);
}

static void test_attempts(void **state)
{
    Book *b = *state;
    save(b, "s001", "", VERDICT_NOT_SUBMITTED, 0);
    save(b, "s001", "a", VERDICT_RACE, 85);
    save(b, "s001", "b", VERDICT_PASS, 100);
    save(b, "s001", "c", VERDICT_RACE, 40);
    receive(b, "s001", "a", -1);
    receive(b, "s001", "b", 30);
    Grade g = grade(b, "s001");
    assert_true(g.final == 40 && g.attempt == 3 && g.n_attempts == 3);
    change(b, CHANGE_POLICY, "", "", 0, "schema: 1\nattempts: best\n");
    g = grade(b, "s001");
    assert_true(g.final == 100 && g.attempt == 2);
    StrBuf policy = {0};
    strbuf_printf(&policy, "%sattempts: best\n", POLICY);
    change(b, CHANGE_POLICY, "", "", 0, policy.text);
    strbuf_free(&policy);
    g = grade(b, "s001"); /* 100 - 20 is less than 85 */
    assert_true(g.final == 85 && g.attempt == 1);
    Result *r;
    assert_int_equal(STATUS_OK, gradebook_result_by_id(b->g, g.result, &r, NULL));
    assert_true(r->score == 85);
    result_free(r);
    save(b, "s001", "b", VERDICT_PASS, 99); /* regraded: still one attempt, of 99 - 20 now */
    g = grade(b, "s001");
    assert_true(g.final == 85 && g.n_attempts == 3);
    save(b, "s002", "", VERDICT_NOT_SUBMITTED, 0);
    g = grade(b, "s002");
    assert_true(g.final == 0 && g.attempt == 0 && grade_is_plain(&g));
}

static void test_adjustments(void **state)
{
    Book *b = *state;
    save(b, "s001", "a", VERDICT_RACE, 40);
    change(b, CHANGE_ADJUST, "s001", LAB, -15, "");
    change(b, CHANGE_ADJUST, "s001", LAB, 2.5, "");
    change(b, CHANGE_ADJUST, "s002", LAB, 50, "");
    assert_true(grade(b, "s001").final == 27.5);
    int64_t set = change(b, CHANGE_SCORE, "s001", LAB, 90, "");
    change(b, CHANGE_COMMENT, "s001", LAB, 0, "well done");
    change(b, CHANGE_NOTE, "s001", LAB, 0, "ask");
    Grade g = grade(b, "s001");
    assert_true(g.final == 77.5);
    assert_int_equal(5, g.n_items);
    assert_int_equal(2, g.n_comments);
    assert_string_equal("well done", g.items[3].text);
    assert_true(!g.items[3].secret && g.items[4].secret);
    assert_string_equal("why", g.items[0].text);
    change(b, CHANGE_WITHDRAW, "", "", (double)set, "");
    change(b, CHANGE_ADJUST, "s001", LAB, -1000, "");
    assert_true(grade(b, "s001").final == 0);
}

static void expect_counts(Book *b, const char *student, GradeState state, double points)
{
    Grade g = grade(b, student);
    GradeThatCounts counting = grade_that_counts(&g);
    assert_string_equal(grade_state_word(state), grade_state_word(counting.state));
    assert_true(counting.points == points);
    assert_int_equal(state == GRADE_GRADED || state == GRADE_BY_HAND, counting.counts);
}

/* What counts: of nothing handed in what somebody gave, of what the kit failed on what somebody set. */
static void test_what_counts(void **state)
{
    Book *b = *state;
    expect_counts(b, "s009", GRADE_NOT_HANDED_IN, 0);
    save(b, "s001", "a", VERDICT_RACE, 40);
    expect_counts(b, "s001", GRADE_GRADED, 40);
    change(b, CHANGE_ADJUST, "s001", LAB, 5, "");
    expect_counts(b, "s001", GRADE_BY_HAND, 45);

    save(b, "s002", "", VERDICT_NOT_SUBMITTED, 0);
    expect_counts(b, "s002", GRADE_NOT_HANDED_IN, 0);
    change(b, CHANGE_COMMENT, "s002", LAB, 0, "was ill");
    expect_counts(b, "s002", GRADE_NOT_HANDED_IN, 0);
    int64_t set = change(b, CHANGE_SCORE, "s002", LAB, 0, "");
    expect_counts(b, "s002", GRADE_BY_HAND, 0);
    change(b, CHANGE_WITHDRAW, "", "", (double)set, "");
    change(b, CHANGE_ADJUST, "s002", LAB, 30, "");
    expect_counts(b, "s002", GRADE_BY_HAND, 30);

    save(b, "s003", "c", VERDICT_KIT_ERROR, 100);
    expect_counts(b, "s003", GRADE_UNGRADED, 0);
    change(b, CHANGE_ADJUST, "s003", LAB, 5, "");
    expect_counts(b, "s003", GRADE_UNGRADED, 0);
    set = change(b, CHANGE_SCORE, "s003", LAB, 80, "");
    expect_counts(b, "s003", GRADE_BY_HAND, 85);
    change(b, CHANGE_WITHDRAW, "", "", (double)set, "");
    expect_counts(b, "s003", GRADE_UNGRADED, 0);
    save(b, "s003", "c", VERDICT_PASS, 100); /* graded again */
    expect_counts(b, "s003", GRADE_BY_HAND, 105);
}

/* Lines with texts of attackers stay lines; what cannot be withdrawn is told; several lines are added
 * together or not at all. */
static void test_log(void **state)
{
    Book *b = *state;
    static const char evil[] = "x'); DELETE FROM changes; --";
    change(b, CHANGE_COMMENT, evil, evil, 0, evil);
    GradebookChange two[] = {
        {.who = "ta",
         .kind = CHANGE_ADJUST,
         .student = "s001",
         .lab = LAB,
         .value = 1,
         .text = "",
         .why = evil},
        {.who = "ta", .kind = CHANGE_WITHDRAW, .student = "", .lab = "", .value = 77, .text = "", .why = ""}};
    Diag d = {0};
    assert_int_equal(STATUS_NOT_FOUND, gradebook_change(b->g, two, 2, &d));
    assert_non_null(strstr(d.message, "no change 77"));
    GradebookChange *log;
    size_t n;
    assert_int_equal(STATUS_OK, gradebook_changes(b->g, &b->arena, &log, &n, &d));
    assert_int_equal(1, n);
    assert_string_equal(evil, log[0].student);
    assert_string_equal(evil, log[0].text);
    assert_int_equal(5, log[0].at);
    change(b, CHANGE_WITHDRAW, "", "", 1, "");
    assert_int_equal(STATUS_NOT_FOUND, gradebook_change(b->g,
                                                        &(GradebookChange){.who = "ta",
                                                                           .kind = CHANGE_WITHDRAW,
                                                                           .student = "",
                                                                           .lab = "",
                                                                           .value = 1,
                                                                           .text = "",
                                                                           .why = ""},
                                                        1, &d));
    bool known;
    save(b, "s001", "a", VERDICT_PASS, 100);
    assert_int_equal(STATUS_OK, gradebook_knows(b->g, "s001", LAB, &known, &d));
    assert_true(known);
    assert_int_equal(STATUS_OK, gradebook_knows(b->g, "s001", "", &known, &d));
    assert_true(known);
    assert_int_equal(STATUS_OK, gradebook_knows(b->g, "' OR 1=1 --", LAB, &known, &d));
    assert_false(known);
    sqlite3 *db;
    assert_int_equal(SQLITE_OK, sqlite3_open(b->path, &db));
    assert_int_not_equal(SQLITE_OK, sqlite3_exec(db, "UPDATE changes SET value = 1", NULL, NULL, NULL));
    assert_int_not_equal(SQLITE_OK, sqlite3_exec(db, "DELETE FROM changes", NULL, NULL, NULL));
    sqlite3_close(db);
}

/* A book as the first version of the kit made it gets what is new and keeps what it has. */
static void test_migration(void **state)
{
    Book *b = *state;
    save(b, "s001", "a", VERDICT_RACE, 70);
    gradebook_close(b->g);
    sqlite3 *db;
    assert_int_equal(SQLITE_OK, sqlite3_open(b->path, &db));
    assert_int_equal(
        SQLITE_OK,
        sqlite3_exec(db,
                     "DROP VIEW attempts; DROP TABLE changes; DROP TABLE receipts; PRAGMA user_version = 1",
                     NULL, NULL, NULL));
    sqlite3_close(db);
    for (int i = 0; i < 2; i++) {
        Diag d = {0};
        if (gradebook_open(b->path, &b->g, &d) != STATUS_OK)
            fail_msg("%s", d.message);
        assert_true(grade(b, "s001").final == 70 + i);
        change(b, CHANGE_ADJUST, "s001", LAB, 1, "");
        gradebook_close(b->g);
    }
    assert_int_equal(STATUS_OK, gradebook_open(b->path, &b->g, NULL));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, make_book, drop_book)
    const struct CMUnitTest tests[] = {T(test_plain),       T(test_late),     T(test_said_late),
                                       T(test_extensions),  T(test_attempts), T(test_adjustments),
                                       T(test_what_counts), T(test_log),      T(test_migration)};
    return cmocka_run_group_tests_name("grade", tests, NULL, NULL);
}
