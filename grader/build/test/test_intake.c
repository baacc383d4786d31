/* What is taken of a submission, and what a lab forbids. */
#include "grader/build/build.h"
#include "grader/build/intake.h"
#include "grader/core/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], from[96], to[96];
static const char *files[] = {"a.cu", "b.cu"};
static Lab lab = {.lab = "02-vector-add", .files = files, .n_files = 2};

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/intake-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(from, sizeof from, "%s/from", folder);
    snprintf(to, sizeof to, "%s/to", folder);
    return mkdir(from, 0755) || mkdir(to, 0755);
}

static int tear_down(void **state)
{
    (void)state;
    return dir_remove(folder, NULL);
}

static const char *in(const char *where, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", where, name);
    return path;
}

static void put_submitted(const char *name, const char *text)
{
    assert_int_equal(STATUS_OK, file_write_atomic(in(from, name), text, strlen(text), NULL));
}

static Intake take_submission(Arena *a)
{
    Intake intake;
    Diag d;
    if (intake_take(a, &lab, from, to, &intake, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return intake;
}

static bool was_taken(const char *name)
{
    return access(in(to, name), F_OK) == 0;
}

static void test_only_listed_files(void **state)
{
    (void)state;
    Arena a = {0};
    put_submitted("a.cu", "A");
    put_submitted("b.cu", "B");
    put_submitted("Makefile", "all:; evil");
    put_submitted("vector_add.h", "#define add sub");
    put_submitted("a.o", "x");
    Intake i = take_submission(&a);
    assert_true(i.submitted);
    assert_string_equal("", i.problem);
    assert_true(was_taken("a.cu") && was_taken("b.cu"));
    assert_false(was_taken("Makefile") || was_taken("vector_add.h") || was_taken("a.o"));
    /* sha256 of "a.cu 1\nAb.cu 1\nB" */
    assert_string_equal("0635930ae8504fbb3ada868d04f6b87164a1c31605ec50291b1ec13ab45c9a56", i.sha256);
    arena_free(&a);
}

static void test_nothing(void **state)
{
    (void)state;
    Arena a = {0};
    Intake i = take_submission(&a);
    assert_false(i.submitted);
    assert_string_equal("", i.sha256);
    assert_int_equal(0, rmdir(from));
    i = take_submission(&a);
    assert_false(i.submitted);
    arena_free(&a);
}

static void check_refused(const char *wanted)
{
    Arena a = {0};
    Intake i = take_submission(&a);
    assert_true(i.submitted);
    if (!strstr(i.problem, wanted))
        fail_msg("wanted '%s' in '%s'", wanted, i.problem);
    assert_false(was_taken("a.cu"));
    arena_free(&a);
}

static void test_link(void **state)
{
    (void)state;
    put_submitted("b.cu", "B");
    assert_int_equal(0, symlink("/etc/passwd", in(from, "a.cu")));
    check_refused("a.cu is a symbolic link. Hand in a plain file.");
}

static void test_fifo(void **state)
{
    (void)state;
    put_submitted("b.cu", "B");
    assert_int_equal(0, mkfifo(in(from, "a.cu"), 0644));
    check_refused("a.cu is not a regular file");
}

static void test_folder(void **state)
{
    (void)state;
    put_submitted("b.cu", "B");
    assert_int_equal(0, mkdir(in(from, "a.cu"), 0755));
    check_refused("a.cu is not a regular file");
}

static void test_hard_link(void **state)
{
    (void)state;
    put_submitted("other", "of somebody else");
    char other[128];
    strcpy(other, in(from, "other"));
    assert_int_equal(0, link(other, in(from, "a.cu")));
    check_refused("a.cu has more than one name");
}

static void test_size(void **state)
{
    (void)state;
    put_submitted("b.cu", "B");
    put_submitted("a.cu", "");
    assert_int_equal(0, truncate(in(from, "a.cu"), INTAKE_FILE_BYTES_MAX + 1));
    check_refused("more than the 1048576 allowed");
    assert_int_equal(0, unlink(in(to, "b.cu")));
    assert_int_equal(0, truncate(in(from, "a.cu"), INTAKE_FILE_BYTES_MAX));
    Arena a = {0};
    assert_string_equal("", take_submission(&a).problem);
    arena_free(&a);
}

static void test_missing(void **state)
{
    (void)state;
    put_submitted("b.cu", "B");
    check_refused("a.cu is missing.");
}

static void test_linked_folder(void **state)
{
    (void)state;
    put_submitted("a.cu", "A");
    put_submitted("b.cu", "B");
    char real[128];
    snprintf(real, sizeof real, "%s/real", folder);
    assert_int_equal(0, rename(from, real));
    assert_int_equal(0, symlink(real, from));
    Arena a = {0};
    assert_false(take_submission(&a).submitted);
    arena_free(&a);
}

/* Forbidden ------------------------------------------------------------------------------------ */

static void test_forbidden_symbols(void **state)
{
    (void)state;
    LabForbid rules[] = {{.symbol = "cublas*", .include = "", .why = "write it yourself"},
                         {.symbol = "qsort", .include = "", .why = "no"}};
    Lab strict = {.forbid = rules, .n_forbid = 2};
    char command[512], object[128];
    snprintf(object, sizeof object, "%s/x.o", folder);
    snprintf(
        command, sizeof command,
        "printf 'void cublasSgemm(void); void mycublas(void); void qsort(void){} void *dlopen(void); void "
        "f(void){cublasSgemm();mycublas();qsort();dlopen();}'"
        " | gcc -w -fno-builtin -x c -c -o %s -",
        object);
    assert_int_equal(0, system(command));
    StrBuf why = {0};
    size_t n = 0;
    assert_int_equal(STATUS_OK, forbidden_symbols(&strict, object, "x.c", &why, &n, NULL));
    assert_int_equal(2, n); /* the pattern; not what it defines itself, nor what only looks alike; and what
                               could load it unseen */
    assert_string_equal("x.c uses cublasSgemm, which this lab does not allow: write it yourself\n"
                        "x.c uses dlopen, which this lab does not allow: it can load what the lab forbids\n",
                        why.text);
    strbuf_free(&why);
    Diag d;
    assert_int_equal(STATUS_OK, file_write_atomic(object, "\177ELFgarbage", 11, NULL));
    Status s = forbidden_symbols(&strict, object, "x.c", &why, &n, &d);
    assert_true(s == STATUS_PARSE || n == 1); /* refused or empty, and no crash */
    assert_int_equal(STATUS_PARSE, forbidden_symbols(&strict, "/no/such.o", "x.c", &why, &n, &d));
    strbuf_free(&why);
}

static void test_forbidden_includes(void **state)
{
    (void)state;
    LabForbid rules[] = {{.symbol = "", .include = "thrust/*", .why = "no Thrust"},
                         {.symbol = "", .include = "cublas_v2.h", .why = "no"}};
    Lab strict = {.forbid = rules, .n_forbid = 2};
    char path[128];
    snprintf(path, sizeof path, "%s/x.d", folder);
    static const char text[] = "x.o : x.cu \\\n /usr/include/stdc-predef.h \\\n    /c/cccl/thrust/sort.h "
                               "/c/include/cublas_v2.h my_cublas_v2.h\n";
    assert_int_equal(STATUS_OK, file_write_atomic(path, text, sizeof text - 1, NULL));
    StrBuf why = {0};
    size_t n = 0;
    assert_int_equal(STATUS_OK, forbidden_includes(&strict, path, "x.cu", &why, &n, NULL));
    assert_int_equal(2, n);
    assert_string_equal("x.cu uses sort.h, which this lab does not allow: no Thrust\n"
                        "x.cu uses cublas_v2.h, which this lab does not allow: no\n",
                        why.text);
    strbuf_free(&why);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_only_listed_files),
        TEST(test_nothing),
        TEST(test_link),
        TEST(test_fifo),
        TEST(test_folder),
        TEST(test_hard_link),
        TEST(test_size),
        TEST(test_missing),
        TEST(test_linked_folder),
        TEST(test_forbidden_symbols),
        TEST(test_forbidden_includes),
    };
    return cmocka_run_group_tests_name("intake", tests, NULL, NULL);
}
