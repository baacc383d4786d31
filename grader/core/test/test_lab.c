/* Reading lab.yaml and hidden.yaml.
 *
 * yaml/NAME.yaml are files with one thing wrong each; the first line says what is to be said:
 *     # 12:3: what was expected            (line:column, or nothing where the place is the file)
 * yaml/hidden-*.yaml are read as hidden.yaml beside yaml/good.yaml.
 */
#include "grader/core/files.h"
#include "grader/core/lab.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char yaml_dir[] = "grader/core/test/yaml";
static char folder[64], lab_dir[96];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lab-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(lab_dir, sizeof lab_dir, "%s/02-vector-add", folder);
    return mkdir(lab_dir, 0755);
}

static int tear_down(void **state)
{
    (void)state;
    return dir_remove(folder, NULL);
}

static void copy_to(const char *name, const char *target)
{
    Arena a = {0};
    char *text, from[PATH_MAX], to[PATH_MAX];
    size_t n;
    snprintf(from, sizeof from, "%s/%s", yaml_dir, name);
    snprintf(to, sizeof to, "%s/%s", lab_dir, target);
    assert_int_equal(STATUS_OK, file_read(&a, from, 1 << 20, &text, &n, NULL));
    assert_int_equal(STATUS_OK, file_write_atomic(to, text, n, NULL));
    arena_free(&a);
}

static void test_good(void **state)
{
    (void)state;
    copy_to("good.yaml", "lab.yaml");
    copy_to("good-hidden.yaml", "hidden.yaml");
    char hidden[128];
    snprintf(hidden, sizeof hidden, "%s/hidden.yaml", lab_dir);
    Lab *lab;
    Diag d;
    if (lab_load(lab_dir, hidden, &lab, &d) != STATUS_OK)
        fail_msg("%s:%d: %s", d.file, d.line, d.message);
    assert_string_equal("vector_add", lab->stem);
    assert_int_equal(3, lab->n_cases);
    assert_true(lab->public_points == 60);
    LabCase *c = lab->cases;
    assert_int_equal(7, c[0].seed);
    assert_string_equal("n", c[0].params[0].key);
    assert_string_equal("257", c[0].params[0].value);
    assert_false(c[0].hidden);
    assert_true(c[0].tolerance.rtol == 1e-6); /* the lab's */
    assert_true(c[1].tolerance.rtol == 1e-3); /* its own */
    assert_true(c[1].tolerance.atol == 1e-9); /* the lab's, beside its own */
    assert_true(c[1].limits.wall_s == 2.5);
    assert_int_equal(2048, c[1].limits.memory_mib); /* the schema's default */
    assert_true(c[0].finding_credit == 0.5 && c[1].finding_credit == 0.25);
    assert_true(c[2].hidden);
    assert_true(isnan(c[2].tiers[0].at_least) && c[2].tiers[0].at_most == 1.1);
    assert_string_equal("--fail-at=2", c[1].vgpu[0]);
    assert_int_equal(4, c[1].devices);
    assert_int_equal(1, c[0].devices);
    assert_false(c[1].check_output);
    assert_true(c[0].check_output && c[0].gpu_work);
    assert_string_equal("cublas*", lab->forbid[0].symbol);
    assert_int_equal(1, lab->n_shapes);
    assert_string_equal("tile", lab->shapes[0].arrays[1]);
    assert_string_equal("n + 2", lab->shapes[0].shape[1]);
    assert_int_equal(1, lab->shapes[0].n_halo);
    assert_int_equal(2, lab->n_libraries);
    assert_string_equal("cuda", lab->libraries[1]);
    lab_free(lab);
}

/* Loads the file as its name says and compares with what its first line wants. */
static void check_bad(const char *name)
{
    bool hidden = strncmp(name, "hidden-", 7) == 0;
    copy_to(hidden ? "good.yaml" : name, "lab.yaml");
    if (hidden)
        copy_to(name, "hidden.yaml");
    char path[128], wanted[512] = "", got[1600];
    snprintf(path, sizeof path, "%s/%s", lab_dir, hidden ? "hidden.yaml" : "lab.yaml");
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(wanted, sizeof wanted, file));
    fclose(file);
    wanted[strcspn(wanted, "\n")] = '\0';
    Lab *lab;
    Diag d = {0};
    Status s = lab_load(lab_dir, hidden ? path : NULL, &lab, &d);
    if (s == STATUS_OK)
        fail_msg("%s: no error", name);
    assert_null(lab);
    if (d.column)
        snprintf(got, sizeof got, "# %d:%d: %s", d.line, d.column, d.message);
    else if (d.line)
        snprintf(got, sizeof got, "# %d: %s", d.line, d.message);
    else
        snprintf(got, sizeof got, "# %s", d.message);
    if (strcmp(wanted, got) != 0)
        fail_msg("%s: wanted\n%s\ngot\n%s", name, wanted, got);
    assert_string_equal(path, d.file);
}

static void test_bad(void **state)
{
    (void)state;
    Arena a = {0};
    const char **names;
    size_t n, checked = 0;
    assert_int_equal(STATUS_OK, dir_list(&a, yaml_dir, &names, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        if (strncmp(names[i], "good", 4) == 0)
            continue;
        check_bad(names[i]);
        checked++;
    }
    assert_true(checked > 20);
    arena_free(&a);
}

/* What `work` says of a case whose parameters are these. */
static const struct {
    const char *ops, *params;
    int64_t wanted;
} works[] = {
    {"n", "n: 257", 257},
    {"n - 1", "n: 257", 256},
    {"2*m*n*k", "m: 3, n: 4, k: 5", 120},
    {"n/2", "n: 7", 3},
    {"n - 1", "n: 1", 0},
    {"n - 2", "n: 1", 0},
    {"n*k", "n: 5, k: 0", 0},
    {"1", "n: 5", 1},
    {"min(n, 3)*max(k, 2) + (n - 1)*2", "n: 5, k: 1", 14},
    {"12 - 4 - 3", "n: 1", 5},
    {"64/4/2", "n: 1", 8},
    {"n*(steps?1)", "n: 5", 5},
    {"n*(steps ? 1)", "n: 5, steps: 4", 20},
    {"n*0.5", "n: 9", 4},
};

static void test_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        char text[1024], path[128];
        int n = snprintf(
            text, sizeof text,
            "schema: 1\nlab: 02-vector-add\ntitle: T\ngoal: G\nminutes: 1\nfiles: [a.cu]\n"
            "work:\n  - {of: other, ops: 77, host_bytes: 8*n, host_finish: true}\n  - {ops: \"%s\"}\n"
            "cases:\n  - {name: a, points: 1, params: {function: this, %s}}\n"
            "  - {name: b, points: 1, params: {function: other, n: 9}}\n"
            "  - {name: c, points: 1, params: {n: 9}, gpu_work: false}\n"
            "  - {name: d, points: 1, params: {n: 9}, min_ops: 0, host_finish: true}\n",
            works[i].ops, works[i].params);
        snprintf(path, sizeof path, "%s/lab.yaml", lab_dir);
        assert_int_equal(STATUS_OK, file_write_atomic(path, text, (size_t)n, NULL));
        Lab *lab;
        Diag d;
        if (lab_load(lab_dir, NULL, &lab, &d) != STATUS_OK)
            fail_msg("%s: %s", works[i].ops, d.message);
        if (lab->cases[0].min_ops != works[i].wanted)
            fail_msg("%s: %lld", works[i].ops, (long long)lab->cases[0].min_ops);
        assert_false(lab->cases[0].host_finish);
        assert_int_equal(77, lab->cases[1].min_ops);
        assert_true(lab->cases[1].host_finish);
        assert_int_equal(72, lab->cases[1].host_bytes);
        assert_int_equal(0, lab->cases[0].host_bytes);
        assert_int_equal(0, lab->cases[3].min_ops);
        assert_true(lab->cases[3].host_finish);
        lab_free(lab);
    }
}

static int64_t number_of(const LabCase *c, size_t i)
{
    return strtoll(c->params[i].value, NULL, 10);
}

/* The runs of a case: within what `vary` says, the same each time, and with what small, odd and even sizes there are. */
static void test_vary(void **state)
{
    (void)state;
    static const char text[] =
        "schema: 1\nlab: 02-vector-add\ncases:\n  - name: sizes\n    points: 40\n    params: {fixed: 7, rows: 5, kind: x, columns: 4}\n"
        "    vary: {columns: 4..400 by 4, rows: \"0 - 2..min(columns, 90)\", kind: \"x | y z\"}\n    runs: 100\n    hint: Whose row is it?\n    metric: dram_ratio\n    least: 5\n"
        "    tiers: [{at_most: 2, points: 40}]\n";
    char path[128];
    copy_to("good.yaml", "lab.yaml");
    snprintf(path, sizeof path, "%s/hidden.yaml", lab_dir);
    assert_int_equal(STATUS_OK, file_write_atomic(path, text, sizeof text - 1, NULL));
    Lab *lab;
    Diag d = {0};
    if (lab_load(lab_dir, path, &lab, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    const LabCase *c = &lab->cases[lab->n_cases - 1];
    assert_ptr_equal(c, lab_case_of_run(&lab->arena, lab, c, 0, &d));
    size_t ends = 0, small = 0, words = 0, beside = 0, differ = 0;
    int64_t before = 0;
    for (int64_t run = 1; run < c->runs; run++) {
        const LabCase *now = lab_case_of_run(&lab->arena, lab, c, run, &d), *again = lab_case_of_run(&lab->arena, lab, c, run, &d);
        int64_t rows = number_of(now, 1), columns = number_of(now, 3);
        assert_string_equal("7", now->params[0].value);
        assert_string_equal(now->params[1].value, again->params[1].value);
        assert_in_range(columns, 4, 400);
        assert_int_equal(0, columns % 4);
        assert_true(rows >= -2 && rows <= 90 && rows <= columns);
        assert_true(strcmp(now->params[2].value, "x") == 0 || strcmp(now->params[2].value, "y z") == 0);
        assert_int_equal(0, now->n_tiers); /* they are of the case's own sizes */
        assert_non_null(strstr(now->message, now->params[3].value));
        assert_true(now->hint[0] && now->hint[0] != 'W');
        assert_non_null(strstr(now->hint, c->hint)); /* the case's own question goes with them */
        ends += columns == 4 || columns == 400;
        small += columns <= 32;
        beside += columns == 60 || columns == 64 || columns == 68 || columns == 128 || columns == 256;
        words += now->params[2].value[0] == 'y';
        differ += columns != before;
        before = columns;
    }
    assert_in_range(ends, 5, 60);
    assert_in_range(small, 15, 80);
    assert_in_range(words, 25, 75);
    assert_true(beside >= 3 && differ > 70);
    lab_free(lab);
    assert_int_equal(0, unlink(path));
}

/* `work` is of the sizes of the run, and not of the case's own; what a case says itself stays. */
static void test_work_of_runs(void **state)
{
    (void)state;
    static const char lab_text[] = "schema: 1\nlab: 02-vector-add\ntitle: T\ngoal: G\nminutes: 1\nfiles: [a.cu]\nwork:\n  - {ops: 10*n, host_bytes: n}\n"
                                   "cases:\n  - {name: a, points: 20, params: {n: 3}}\n";
    static const char hidden_text[] = "schema: 1\nlab: 02-vector-add\ncases:\n  - {name: b, points: 40, params: {n: 3}, vary: {n: 5..5}, runs: 2}\n"
                                      "  - {name: c, points: 40, params: {n: 3}, vary: {n: 5..5}, runs: 2, min_ops: 4, host_bytes: 8}\n";
    char path[128], hidden[128];
    snprintf(path, sizeof path, "%s/lab.yaml", lab_dir);
    snprintf(hidden, sizeof hidden, "%s/hidden.yaml", lab_dir);
    assert_int_equal(STATUS_OK, file_write_atomic(path, lab_text, sizeof lab_text - 1, NULL));
    assert_int_equal(STATUS_OK, file_write_atomic(hidden, hidden_text, sizeof hidden_text - 1, NULL));
    Lab *lab;
    Diag d = {0};
    if (lab_load(lab_dir, hidden, &lab, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    const LabCase *by_rule = lab_case_of_run(&lab->arena, lab, &lab->cases[1], 1, &d), *own = lab_case_of_run(&lab->arena, lab, &lab->cases[2], 1, &d);
    assert_int_equal(30, lab->cases[1].min_ops);
    assert_int_equal(50, by_rule->min_ops);
    assert_int_equal(5, by_rule->host_bytes);
    assert_int_equal(4, own->min_ops);
    assert_int_equal(8, own->host_bytes);
    lab_free(lab);
    assert_int_equal(0, unlink(hidden));
}

static void test_missing(void **state)
{
    (void)state;
    Lab *lab;
    Diag d;
    assert_int_equal(STATUS_NOT_FOUND, lab_load("/no/such/lab", NULL, &lab, &d));
    assert_null(lab);
    copy_to("good.yaml", "lab.yaml");
    assert_int_equal(STATUS_NOT_FOUND, lab_load(lab_dir, "/no/such/hidden.yaml", &lab, &d));
}

static void test_translated(void **state)
{
    (void)state;
    Lab *lab;
    Diag d;
    char path[PATH_MAX];
    copy_to("good.yaml", "lab.yaml");
    snprintf(path, sizeof path, "%s/lab.zh-CN.yaml", lab_dir);
    assert_int_equal(STATUS_OK, lab_load(lab_dir, NULL, &lab, &d));
    const char *english = lab->cases[0].hint;
    assert_int_equal(STATUS_OK, lab_translate(lab, LANGUAGE_CHINESE, &d)); /* no such file */
    assert_int_equal(LANGUAGE_ENGLISH, lab->language);
    StrBuf text = {0};
    strbuf_printf(&text,
                  "lang: zh-CN\ntitle: T\ncases:\n  - {name: %s, message: M}\n  - {name: none, hint: H}\n",
                  lab->cases[0].name);
    strbuf_puts(&text, "hints:\n  - {todo: 1, tiers: [A]}\n  - {todo: 99, tiers: [B]}\n");
    assert_int_equal(STATUS_OK, file_write_atomic(path, text.text, text.length, NULL));
    strbuf_free(&text);
    assert_int_equal(STATUS_OK, lab_translate(lab, LANGUAGE_CHINESE, &d));
    assert_int_equal(LANGUAGE_CHINESE, lab->language);
    assert_string_equal("T", lab->title);
    assert_string_equal("M", lab->cases[0].message);
    assert_string_equal(english, lab->cases[0].hint);
    assert_string_equal("A", lab->hints[0].tiers[0]);
    lab_free(lab);
    const char *const bad[] = {"lang: en\n", "lang: [", "- no map\n", ""};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(STATUS_OK, file_write_atomic(path, bad[i], strlen(bad[i]), NULL));
        assert_int_equal(STATUS_OK, lab_load(lab_dir, NULL, &lab, &d));
        assert_int_equal(STATUS_PARSE, lab_translate(lab, LANGUAGE_CHINESE, &d));
        assert_string_equal(path, d.file);
        lab_free(lab);
    }
    assert_int_equal(0, unlink(path));
}

/* docs/lab-yaml.md is what the schema says now. */
static void test_reference_is_current(void **state)
{
    (void)state;
    StrBuf now = {0};
    lab_schema_markdown(&now);
    Arena a = {0};
    char *text;
    size_t n;
    assert_int_equal(STATUS_OK, file_read(&a, "docs/lab-yaml.md", 1 << 20, &text, &n, NULL));
    if (strcmp(now.text, text) != 0)
        fail_msg("docs/lab-yaml.md is stale: build/bin/grade schema >docs/lab-yaml.md");
    arena_free(&a);
    strbuf_free(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),       cmocka_unit_test(test_bad),
        cmocka_unit_test(test_work),       cmocka_unit_test(test_missing),
        cmocka_unit_test(test_vary),       cmocka_unit_test(test_work_of_runs),
        cmocka_unit_test(test_translated), cmocka_unit_test(test_reference_is_current),
    };
    return cmocka_run_group_tests_name("lab", tests, set_up, tear_down);
}
