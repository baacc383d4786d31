/* Answer files: what students write, what is not written, and what nobody should write. */
#include "grader/core/answers.h"
#include "grader/core/files.h"

#include "common/base/rng.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *words[] = {"hammer", "saw"};
static LabField fields[] = {
    {.name = "tool", .words = words, .n_words = 2},
    {.name = "line", .min = 1, .max = 99, .whole = true},
    {.name = "share", .min = -1e300, .max = 1e300},
};
static const char *names[] = {"first", "second"};
static LabSection section = {names, 2, fields, 3};
static const Lab lab = {.sheet = {.file = "answers.yaml", .sections = &section, .n_sections = 1}};

#define SECOND "second: {tool: saw, line: 2, share: 2}\n"

typedef struct Row {
    const char *name, *text;
    const char *problem; /* part of the problems; "" when there are none */
    bool unreadable;
} Row;

static const Row rows[] = {
    {"block style", "first:\n  tool: hammer\n  line: 7 # here\n  share: 1.5e-3\n" SECOND, "", false},
    {"flow style and quotes", "{first: {tool: 'saw', line: \"7\", share: -2}, " SECOND "}", "", false},
    {"blank answers", "first:\n  tool:\n  line: ~\n  share: ''\n" SECOND, "first.tool, line 2: no answer yet",
     false},
    {"null is blank", "first: {tool: saw, line: null, share: 1}\n" SECOND,
     "first.line, line 1: no answer yet", false},
    {"an empty file", "", "the file is empty: it must have the sections first, second", false},
    {"only a comment", "# nothing\n", "the file is empty", false},
    {"a missing field", "first: {tool: saw, line: 3}\n" SECOND, "first.share is missing", false},
    {"a missing section", SECOND, "first.tool is missing\nfirst.line is missing", false},
    {"a section without fields", "first:\n" SECOND, "first.tool is missing", false},
    {"a word that is none", "first: {tool: axe, line: 3, share: 1}\n" SECOND,
     "first.tool, line 1: 'axe' is not one of its words: hammer, saw", false},
    {"words in capitals", "first: {tool: SAW, line: 3, share: 1}\n" SECOND, "not one of its words", false},
    {"a word for a number", "first: {tool: saw, line: third, share: 1}\n" SECOND,
     "first.line, line 1: 'third' is no number", false},
    {"a unit", "first: {tool: saw, line: 3, share: 12 %}\n" SECOND, "no unit", false},
    {"a comma", "first:\n  tool: saw\n  line: 3\n  share: 1,5\n" SECOND, "with a point for decimals", false},
    {"not whole", "first: {tool: saw, line: 3.5, share: 1}\n" SECOND, "must be a whole number, not 3.5",
     false},
    {"too large", "first: {tool: saw, line: 100, share: 1}\n" SECOND, "must be from 1 to 99, not 100", false},
    {"infinite", "first: {tool: saw, line: 3, share: 1e999}\n" SECOND, "'1e999' is no number", false},
    {"NaN", "first: {tool: saw, line: 3, share: .nan}\n" SECOND, "'.nan' is no number", false},
    {"C's nan", "first: {tool: saw, line: nan, share: 1}\n" SECOND, "'nan' is no number", false},
    {"hexadecimal", "first: {tool: saw, line: 0x10, share: 1}\n" SECOND, "is no number", false},
    {"no field", "first: {tol: saw, tool: saw, line: 3, share: 1}\n" SECOND,
     "line 1: 'first' has no field 'tol'; its fields are: tool, line, share", false},
    {"no section", "third: {tool: saw}\nfirst: {tool: saw, line: 3, share: 1}\n" SECOND,
     "line 1: there is no section 'third'; the sections are: first, second", false},
    {"a field twice", "first: {tool: saw, line: 3, line: 4, share: 1}\n" SECOND,
     "first.line stands here a second time; the first is in line 1", false},
    {"a list for a value", "first: {tool: [saw], line: 3, share: 1}\n" SECOND, "a list here", true},
    {"a map for a value", "first: {tool: {a: b}, line: 3, share: 1}\n" SECOND,
     "a map here, where this file has one word or number", true},
    {"a word for a section", "first: saw\n" SECOND, "a single word here, where this file has the section's",
     true},
    {"a list for the file", "- first\n",
     "line 1, column 1: a list here, where this file has a map of sections", true},
    {"a word for the file", "saw", "a single word here", true},
    {"a map as a name", "? {a: b}\n: c\n", "a map here, where this file has the name of a section", true},
    {"an alias", "first: &x {tool: saw, line: 3, share: 1}\nsecond: *x\n", "an anchor (&) here", true},
    {"an alias without an anchor", "first: {tool: *x}\n", "an alias (*)", true},
    {"a tag", "first: {tool: !!binary c2F3, line: 3, share: 1}\n", "a tag (!)", true},
    {"two documents", "first: {tool: saw, line: 3, share: 1}\n" SECOND "---\nfirst: {tool: saw}\n",
     "a second document (---)", true},
    {"an unclosed brace", "first: {tool: saw, line: 3\n", "not YAML: ", true},
    {"no blank after the colon", "first:\n  tool:saw\n  line:3\n", "a single word here", true},
    {"a tab for blanks", "first:\n\ttool: saw\n", "line 2, column 1: not YAML: ", true},
    {"a byte that is no UTF-8", "# one\nfirst: {tool: s\xe4ge, line: 3, share: 1}\n", "line 2: ", true},
    {"UTF-16",
     "\xff\xfe"
     "f\1i\1",
     "save the file as plain UTF-8 text", true},
    {"a control character", "first: {tool: s\x01w, line: 3, share: 1}\n", "save the file as plain", true},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        Arena a = {0};
        AnswerFile file;
        assert_int_equal(STATUS_OK, answers_parse(&a, &lab, row->text, strlen(row->text), &file, NULL));
        assert_int_equal(6, file.n_values);
        if (row->problem[0] ? !strstr(file.problems, row->problem) : file.problems[0] != '\0')
            fail_msg("%s: wanted \"%s\", got \"%s\"", row->name, row->problem, file.problems);
        if (file.readable == row->unreadable)
            fail_msg("%s: %s", row->name, file.readable ? "readable" : "not readable");
        arena_free(&a);
    }
}

static void test_values(void **state)
{
    (void)state;
    Arena a = {0};
    AnswerFile file;
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, rows[0].text, strlen(rows[0].text), &file, NULL));
    assert_string_equal("hammer", answers_find(&file, "first.tool")->text);
    assert_int_equal(3, answers_find(&file, "first.line")->line);
    assert_true(answers_find(&file, "first.line")->number == 7);
    assert_true(answers_find(&file, "first.share")->number == 1.5e-3);
    assert_true(answers_find(&file, "second.share")->number == 2);
    assert_null(answers_find(&file, "second.hammer"));
    assert_null(answers_find(&file, "secondXshare"));
    assert_null(answers_find(&file, "second"));
    arena_free(&a);
}

/* A NUL inside a value must not cut it into a right one. */
static void test_nul(void **state)
{
    (void)state;
    static const char text[] = "first: {tool: \"saw\\0x\", line: 3, share: 1}\n" SECOND;
    Arena a = {0};
    AnswerFile file;
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, sizeof text - 1, &file, NULL));
    assert_non_null(strstr(file.problems, "first.tool, line 1: holds a NUL character"));
    arena_free(&a);
}

/* Long values are shown by their beginning, in one line; many problems are counted. */
static void test_messages(void **state)
{
    (void)state;
    Arena a = {0};
    AnswerFile file;
    char text[4096] = "first: {tool: \"";
    for (int i = 0; i < 200; i++)
        strcat(text, i % 2 ? "\\e[31m" : "\\n");
    strcat(text, "\", line: 1, share: 1}\n");
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, strlen(text), &file, NULL));
    const char *problem = answers_find(&file, "first.tool")->problem;
    assert_true(strlen(problem) < 300 && !strchr(problem, '\n') && !strchr(problem, '\x1b'));
    text[0] = '\0';
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "x%d: {}\n", i);
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, strlen(text), &file, NULL));
    assert_non_null(strstr(file.problems, "(34 more)"));
    arena_free(&a);
}

/* Sizes: at the limit and one past it; nesting as deep as the file is long. */
static void test_sizes(void **state)
{
    (void)state;
    Arena a = {0};
    AnswerFile file;
    char *text = malloc(ANSWERS_BYTES_MAX + 1);
    memset(text, '\n', ANSWERS_BYTES_MAX + 1);
    memcpy(text, rows[0].text, strlen(rows[0].text));
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, ANSWERS_BYTES_MAX, &file, NULL));
    assert_string_equal("", file.problems);
    assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, ANSWERS_BYTES_MAX + 1, &file, NULL));
    assert_false(file.readable);
    assert_string_equal("the file has 65537 bytes, and may have 65536 at most", file.problems);
    for (int i = 0; i < 2; i++) {
        memset(text, i ? '[' : '{', ANSWERS_BYTES_MAX);
        assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, ANSWERS_BYTES_MAX, &file, NULL));
        assert_false(file.readable);
    }
    free(text);
    arena_free(&a);
}

/* Seeded damage of a right file: always an answer or a problem for each field, never a crash. */
static void test_damage(void **state)
{
    (void)state;
    static const char *pieces[] = {"*x", "&x ",  "!!",   "<<: ",  "\t",    "\"",   "'",   "{",
                                   "}",  "[",    "]",    "? ",    ":",     "- ",   "|\n", ">\n",
                                   "%",  "\xff", "\xc3", "1e308", "---\n", "...\n"};
    Rng rng = {15};
    for (int i = 0; i < 4000; i++) {
        char text[512];
        size_t n = (size_t)snprintf(text, sizeof text, "%s", rows[i % 2].text);
        for (int k = 0; k < 1 + i % 3; k++) {
            const char *piece = pieces[rng_below(&rng, sizeof pieces / sizeof *pieces)];
            size_t at = rng_below(&rng, n), length = strlen(piece);
            if (at + length < n)
                memcpy(text + at, piece, length);
        }
        Arena a = {0};
        AnswerFile file;
        assert_int_equal(STATUS_OK, answers_parse(&a, &lab, text, n, &file, NULL));
        assert_true(file.readable || file.problems[0]);
        for (size_t v = 0; file.readable && v < file.n_values; v++)
            assert_true(file.values[v].problem[0] || (file.values[v].line > 0 && file.values[v].text[0]));
        arena_free(&a);
    }
}

/* In a folder: a plain file is read, a link or a folder is told about. */
static void test_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/answers-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/answers.yaml", folder);
    assert_int_equal(0, mkdir(path, 0755));
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    Arena a = {0};
    AnswerFile file;
    assert_int_equal(STATUS_OK, answers_read(&a, &lab, dir, &file, NULL));
    assert_false(file.readable);
    assert_true(file.problems[0] != '\0');
    assert_int_equal(0, rmdir(path));
    assert_int_equal(STATUS_OK, file_write_atomic(path, rows[0].text, strlen(rows[0].text), NULL));
    assert_int_equal(STATUS_OK, answers_read(&a, &lab, dir, &file, NULL));
    assert_true(file.readable);
    assert_string_equal("", file.problems);
    close(dir);
    arena_free(&a);
    assert_int_equal(STATUS_OK, dir_remove(folder, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_values), cmocka_unit_test(test_nul),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_sizes),  cmocka_unit_test(test_damage),
        cmocka_unit_test(test_folder),
    };
    return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
