/* What a student's folder may hold in place of a submission: what of it is taken, and what is said of the
 * rest. */
#include "grader/build/intake.h"
#include "grader/build/slips.h"
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

static const char *files[] = {"vector_add.cu"};
static const Lab lab = {.lab = "02-vector-add", .files = files, .n_files = 1};

/* A student's folder: paths separated by blanks; "PATH=TEXT" has the text, others "x", "PATH/" is a folder.
 */
typedef struct Row {
    const char *name, *paths;
    bool submitted;
    const char *notes, *found; /* a part of it; "" for nothing at all */
} Row;

static const Row rows[] = {
    {"as it should be", "02-vector-add/vector_add.cu", true, "", ""},
    {"nothing", "01-indexing/indexing.cu", false, "", ""},
    {"an empty folder", "02-vector-add/", false, "", ""},
    {"hidden files", "02-vector-add/.vector_add.cu.swp", false, "", ""},
    /* Slips that are taken. */
    {"underscores in the folder", "02_vector_add/vector_add.cu", true,
     "the folder 02_vector_add as 02-vector-add", ""},
    {"case of the folder", "02-Vector-Add/vector_add.cu", true, "02-Vector-Add as", ""},
    {"dashes in the file", "02-vector-add/vector-add.cu", true, "vector-add.cu as vector_add.cu", ""},
    {"case of the file", "02-vector-add/Vector_Add.CU", true, "Vector_Add.CU as vector_add.cu", ""},
    {"one nested folder", "02-vector-add/src/vector_add.cu", true, "the folder 02-vector-add/src", ""},
    {"the lab's folder twice", "02-vector-add/02-vector-add/vector_add.cu", true,
     "02-vector-add/02-vector-add", ""},
    {"slips in both", "02_Vector_Add/VECTOR_ADD.cu", true, "VECTOR_ADD.cu as vector_add.cu", ""},
    {"the right one stands before a slip",
     "02-vector-add/vector_add.cu=right 02-vector-add/Vector_Add.cu=wrong", true, "", ""},
    {"a file beside the nested folder", "02-vector-add/notes.txt 02-vector-add/src/vector_add.cu", true,
     "02-vector-add/src", ""},
    {"Latin-1", "02-vector-add/vector_add.cu=//\xE9", true, "vector_add.cu is Latin-1", ""},
    /* What is ambiguous, or another thing, is listed. */
    {"two slips of the folder", "02_vector_add/vector_add.cu 02-Vector-Add/vector_add.cu", false, "",
     "a folder 02-Vector-Add"},
    {"two slips of the file", "02-vector-add/Vector_Add.cu 02-vector-add/vector-add.cu", false, "",
     "02-vector-add/Vector_Add.cu. It should be vector_add.cu"},
    {"two nested folders", "02-vector-add/a/vector_add.cu 02-vector-add/b/vector_add.cu", false, "",
     "02-vector-add/b/vector_add.cu"},
    {"letters alone", "02-vector-add/VectorAdd.cu", false, "",
     "`grade import accept STUDENT 02-vector-add/VectorAdd.cu as vector_add.cu` takes it"},
    {"an ending too many", "02-vector-add/vector_add.cu.txt", false, "", "should be vector_add.cu"},
    {"another ending", "02-vector-add/vector_add.cpp", false, "", "should be vector_add.cu"},
    {"a misspelt file", "02-vector-add/vector_ad.cu", false, "", "should be vector_add.cu"},
    {"an archive", "02-vector-add/work.zip", false, "", "02-vector-add/work.zip, an archive"},
    {"an archive in place of the folder", "02-vector-add.zip", false, "", "02-vector-add.zip, an archive"},
    {"a file beside the folders", "vector_add.cu", false, "", "Found: vector_add.cu"},
    {"a number for a folder", "lab02/vector_add.cu", false, "", "a folder lab02"},
    {"words for a folder", "vectoradd/vector_add.cu", false, "", "a folder vectoradd"},
    {"another lab's folder", "12-vector-add/vector_add.cu", false, "", ""},
    {"something else", "02-vector-add/essay.pdf", false, "", "Found: 02-vector-add/essay.pdf."},
    {"a file in place of the folder", "02-vector-add=x", false, "", "02-vector-add is no folder"},
    {"UTF-16", "02-vector-add/vector_add.cu=\xFF\xFEi", false, "", "vector_add.cu is UTF-16"},
    {"many",
     "02-vector-add/1 02-vector-add/2 02-vector-add/3 02-vector-add/4 02-vector-add/5 02-vector-add/6 "
     "02-vector-add/7 02-vector-add/8",
     false, "", "And 2 more."},
    {"a name for a terminal", "02-vector-add/\x1b[2Jx", false, "", "02-vector-add/x"},
};

static void make_word(Arena *a, const char *root, const char *word, size_t length)
{
    const char *path = arena_printf(a, "%s/%.*s", root, (int)strcspn(word, "= "), word);
    const char *equals = memchr(word, '=', length);
    const char *text = equals ? arena_strndup(a, equals + 1, (size_t)(word + length - equals - 1)) : "x";
    const char *slash = strrchr(path, '/');
    assert_int_equal(STATUS_OK, dir_make(arena_strndup(a, path, (size_t)(slash - path)), NULL));
    if (slash[1])
        assert_int_equal(STATUS_OK, file_write_atomic(path, text, strlen(text), NULL));
}

static void check_text(const Row *row, const char *wanted, const char *got)
{
    if (wanted[0] ? !strstr(got, wanted) : got[0] != '\0')
        fail_msg("%s: wanted '%s' in '%s'", row->name, wanted, got);
    for (; *got; got++)
        assert_true((unsigned char)*got >= 0x20 || *got == '\n');
}

static void check_row(const Row *row)
{
    Arena a = {0};
    char root[] = "/tmp/slips-test-XXXXXX";
    Intake in;
    assert_non_null(mkdtemp(root));
    for (const char *p = row->paths; *p;) {
        size_t length = strcspn(p, " ");
        make_word(&a, root, p, length);
        p += length + (p[length] == ' ');
    }
    const char *from = arena_printf(&a, "%s/%s", root, lab.lab), *to = arena_printf(&a, "%s/.to", root);
    assert_int_equal(STATUS_OK, dir_make(to, NULL));
    assert_int_equal(STATUS_OK, intake_take(&a, &lab, from, to, &in, NULL));
    if (in.submitted != row->submitted)
        fail_msg("%s: submitted is %d: %s", row->name, in.submitted, in.found);
    check_text(row, row->notes, in.notes);
    check_text(row, row->found, in.found);
    assert_int_equal(row->submitted, access(arena_printf(&a, "%s/vector_add.cu", to), F_OK) == 0);
    assert_int_equal(row->submitted || row->found[0], in.sha256[0] != '\0');
    bool own_folder = strstr(row->paths, "02_vector_add/") || strstr(row->paths, "02-vector-add/");
    if (own_folder && !strstr(row->name, "two slips"))
        assert_true(slips_has_folder(root, lab.lab));
    assert_int_equal(STATUS_OK, dir_remove(root, NULL));
    arena_free(&a);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* A slip that is a link, or lies behind one, is not followed. */
static void test_links(void **state)
{
    (void)state;
    Arena a = {0};
    Intake in;
    char root[] = "/tmp/slips-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    make_word(&a, root, "other/vector_add.cu", 19);
    assert_int_equal(0, symlink("other", arena_printf(&a, "%s/02_vector_add", root)));
    assert_int_equal(STATUS_OK,
                     intake_take(&a, &lab, arena_printf(&a, "%s/02-vector-add", root), NULL, &in, NULL));
    assert_false(in.submitted);
    assert_int_equal(0, mkdir(arena_printf(&a, "%s/02-vector-add", root), 0755));
    assert_int_equal(0, symlink("../other", arena_printf(&a, "%s/02-vector-add/src", root)));
    assert_int_equal(STATUS_OK,
                     intake_take(&a, &lab, arena_printf(&a, "%s/02-vector-add", root), NULL, &in, NULL));
    assert_false(in.submitted);
    assert_int_equal(
        0, symlink("../other/vector_add.cu", arena_printf(&a, "%s/02-vector-add/Vector_Add.cu", root)));
    assert_int_equal(STATUS_OK,
                     intake_take(&a, &lab, arena_printf(&a, "%s/02-vector-add", root), NULL, &in, NULL));
    assert_non_null(strstr(in.problem, "is a symbolic link"));
    assert_int_equal(STATUS_OK, dir_remove(root, NULL));
    arena_free(&a);
}

/* What cannot be read is said; root reads everything. */
static void test_unreadable(void **state)
{
    (void)state;
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
        skip();
    Arena a = {0};
    Intake in;
    char root[] = "/tmp/slips-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    make_word(&a, root, "02-vector-add/vector_add.cu", 27);
    const char *from = arena_printf(&a, "%s/02-vector-add", root);
    const char *file = arena_printf(&a, "%s/vector_add.cu", from);
    assert_int_equal(0, chmod(file, 0));
    assert_int_equal(STATUS_OK, intake_take(&a, &lab, from, NULL, &in, NULL));
    assert_false(in.submitted);
    assert_non_null(strstr(in.found, "vector_add.cu, which cannot be read"));
    assert_int_equal(0, chmod(from, 0));
    assert_int_equal(STATUS_OK, intake_take(&a, &lab, from, NULL, &in, NULL));
    assert_non_null(strstr(in.found, "The folder 02-vector-add cannot be read"));
    assert_int_equal(0, chmod(from, 0755));
    assert_int_equal(STATUS_OK, dir_remove(root, NULL));
    arena_free(&a);
    if (getuid() == 0)
        assert_true(seteuid(0) == 0 && setegid(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_links),
                                       cmocka_unit_test(test_unreadable)};
    return cmocka_run_group_tests_name("slips", tests, NULL, NULL);
}
