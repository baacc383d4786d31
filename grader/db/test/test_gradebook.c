/* The gradebook: what is saved reads back, later results win, hostile text stays text, and other files are
 * refused. */
#include "grader/core/files.h"
#include "grader/db/gradebook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Place {
    char dir[32], book[64];
    Arena arena;
} Place;

static int make_place(void **state)
{
    Place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/test-book-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->book, sizeof p->book, "%s/gradebook.db", p->dir);
    *state = p;
    return 0;
}

static int drop_place(void **state)
{
    Place *p = *state;
    assert_int_equal(dir_remove(p->dir, NULL), STATUS_OK);
    arena_free(&p->arena);
    free(p);
    return 0;
}

static Gradebook *open_book(const Place *p, int64_t *run)
{
    Gradebook *g;
    Diag d = {0};
    if (gradebook_open(p->book, &g, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    GradebookRun r = {.kit_version = "1",
                      .device_kind = "virtual",
                      .device_name = "T4",
                      .seed = UINT64_MAX,
                      .started_at = 12};
    if (run) {
        assert_int_equal(gradebook_start_run(g, &r, &d), STATUS_OK);
        *run = r.id;
    }
    return g;
}

static void save(Gradebook *g, int64_t run, const char *student, const char *lab, Verdict verdict,
                 double score)
{
    Result *r = result_create();
    CaseResult c = {.name = "one",
                    .points = score,
                    .max_points = 100,
                    .verdict = verdict,
                    .message = "m'); DROP TABLE cases; --",
                    .lesson = "",
                    .hint = "",
                    .replay = ""};
    r->student = student;
    r->lab = lab;
    r->cases = &c;
    r->n_cases = 1;
    result_sum_up(r);
    Diag d = {0};
    if (gradebook_save(g, run, r, NULL, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    result_free(r);
}

static void test_latest(void **state)
{
    Place *p = *state;
    int64_t run;
    Gradebook *g = open_book(p, &run);
    save(g, run, "s002", "02-vector-add", VERDICT_PASS, 100);
    save(g, run, "s001", "02-vector-add", VERDICT_RACE, 40);
    save(g, run, "s001", "01-indexing", VERDICT_CRASH, 0);
    save(g, run, "s001", "02-vector-add", VERDICT_WRONG_RESULT, 10); /* replaces, within the run */
    gradebook_close(g);
    g = open_book(p, &run);
    save(g, run, "s001", "02-vector-add", VERDICT_PASS, 100); /* a later run */
    GradebookRow *rows;
    size_t n;
    Diag d = {0};
    assert_int_equal(gradebook_latest(g, &p->arena, &rows, &n, &d), STATUS_OK);
    assert_int_equal(n, 3);
    assert_string_equal(rows[0].lab, "01-indexing");
    assert_string_equal(rows[1].student, "s001");
    assert_int_equal(rows[1].verdict, VERDICT_PASS);
    assert_true(rows[1].score == 100 && rows[1].seed == UINT64_MAX);
    assert_string_equal(rows[2].student, "s002");
    Result *r;
    assert_int_equal(gradebook_result(g, "s001", "02-vector-add", &r, &d), STATUS_OK);
    assert_int_equal(r->n_cases, 1);
    result_free(r);
    assert_int_equal(gradebook_result(g, "s009", "02-vector-add", &r, &d), STATUS_NOT_FOUND);
    gradebook_close(g);
}

static void test_hostile_text(void **state)
{
    Place *p = *state;
    static const char *const students[] = {"'; DROP TABLE results; --", "\" OR 1=1 --", "a\nb", "=1+1",
                                           "100%_"};
    int64_t run;
    Gradebook *g = open_book(p, &run);
    for (size_t i = 0; i < 5; i++)
        save(g, run, students[i], "02-vector-add", VERDICT_PASS, 100);
    for (size_t i = 0; i < 5; i++) {
        Result *r;
        assert_int_equal(gradebook_result(g, students[i], "02-vector-add", &r, NULL), STATUS_OK);
        assert_string_equal(r->student, students[i]);
        assert_string_equal(r->cases[0].message, "m'); DROP TABLE cases; --");
        result_free(r);
    }
    gradebook_close(g);
}

static void test_other_files(void **state)
{
    Place *p = *state;
    Gradebook *g;
    Diag d = {0};
    assert_int_equal(file_write_atomic(p->book, "this is no database, it is a text of some length", 48, NULL),
                     STATUS_OK);
    assert_int_equal(gradebook_open(p->book, &g, &d), STATUS_PARSE);
    assert_null(g);
    unlink(p->book);
    gradebook_close(open_book(p, NULL));
    char *bytes;
    size_t length;
    assert_int_equal(file_read(&p->arena, p->book, 1 << 20, &bytes, &length, NULL), STATUS_OK);
    bytes[63] = 99; /* user_version, big endian, at offset 60 */
    assert_int_equal(file_write_atomic(p->book, bytes, length, NULL), STATUS_OK);
    assert_int_equal(gradebook_open(p->book, &g, &d), STATUS_UNSUPPORTED);
    assert_true(d.hint[0]);
    assert_int_equal(gradebook_open("/no/such/folder/book.db", &g, &d), STATUS_IO);
}

/* A save that fails half-way (no such run) leaves nothing behind. */
static void test_transaction(void **state)
{
    Place *p = *state;
    int64_t run;
    Gradebook *g = open_book(p, &run);
    save(g, run, "s001", "02-vector-add", VERDICT_PASS, 100);
    Result *r = result_create();
    r->student = "s001";
    r->lab = "02-vector-add";
    r->submission_sha256 = "new";
    Diag d = {0};
    assert_int_equal(gradebook_save(g, 777, r, NULL, &d), STATUS_IO);
    result_free(r);
    assert_int_equal(gradebook_result(g, "s001", "02-vector-add", &r, NULL), STATUS_OK);
    assert_true(r->score == 100);
    result_free(r);
    save(g, run, "s002", "02-vector-add", VERDICT_PASS, 100); /* the book is not left inside a transaction */
    gradebook_close(g);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)
    const struct CMUnitTest tests[] = {
        T(test_latest),
        T(test_hostile_text),
        T(test_other_files),
        T(test_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
