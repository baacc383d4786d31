/* Messages of compilers: what goes, what is added, and what stays as it is. */
#include "common/base/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void becomes(const char *wanted, const char *text)
{
    StrBuf out = {0};
    messages_of_compiler(LANGUAGE_ENGLISH, text, &out);
    assert_string_equal(wanted, out.text ? out.text : "");
    strbuf_free(&out);
}

static void test_counts_go(void **state)
{
    (void)state;
    becomes("a.cu:1:2: error: expected ';'\n",
            "a.cu:1:2: error: expected ';'\n1 error generated when compiling for sm_75.\n");
    becomes("x\n", "x\n12 errors generated when compiling for host.\n");
    becomes("errors generated when compiling for\n", "errors generated when compiling for\n");
    becomes("1 error generated when\n", "1 error generated when\n");
    becomes("", "");
    becomes("no newline", "no newline");
}

/* A message as the two compilers place it, with these words. */
static void assert_hint(const char *words, const char *sentence)
{
    static const char *const places[] = {
        "a.cu(22): error: ", "a.cu:3:7: error: ", "a.cu(3): warning #1-D: ", "a.cu:3:7: note: "};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        StrBuf message = {0}, wanted = {0};
        strbuf_printf(&message, "%s%s\n", places[i], words);
        strbuf_printf(&wanted, "%shint: %s\n", message.text, sentence);
        becomes(wanted.text, message.text);
        strbuf_free(&message);
        strbuf_free(&wanted);
    }
}

static void test_slips_have_a_sentence(void **state)
{
    (void)state;
#define X(words, sentence) assert_hint(words, sentence);
#include "common/base/compiler_slips.def"
#undef X
}

/* What nvcc says for the device and for the host, with the blank lines between its messages. */
static void test_nothing_is_said_twice(void **state)
{
    (void)state;
    becomes("a.cu(3): warning #174-D: no effect\n      x;\n      ^\n\na.cu(4): error: other\n",
            "a.cu(3): warning #174-D: no effect\n      x;\n      ^\n\nRemark: The warnings can be suppressed "
            "with \"-x\"\n"
            "a.cu(3): warning #174-D: no effect\n      x;\n      ^\n\na.cu(4): error: other\n1 error "
            "detected in the compilation of \"a.cu\".\n");
    becomes("a.cu:1:2: error: a 'cudaMalloc' x\n  s\n  ^\na.cu:2:2: error: a 'cudaMalloc' x\n  s\n  ^\n",
            "a.cu:1:2: error: a 'cudaMalloc' x\n  s\n  ^\na.cu:2:2: error: a 'cudaMalloc' x\n  s\n  ^\n1 "
            "error generated when compiling for host.\n");
    becomes("a.cu:1:2: error: x\n/ld: a.o: in function `f'\n/ld: a.o: in function `f'\n",
            "a.cu:1:2: error: x\n/usr/include/b.h:1:2: note: declared here\n  int b;\n  ^\n/ld: a.o: in "
            "function `f'\n/ld: a.o: in function `f'\n");
    becomes("/usr/include/b.h(1): error: x\n",
            "/usr/include/b.h(1): error: x\n"); /* the cause may be the student's macro */
}

/* The marks stay below what they are about. */
static void test_words_of_cuda_are_as_written(void **state)
{
    (void)state;
    becomes(
        "a.cu(3): error: x\n      __shared__ int t[n];\n                     ^\n      __global__ void k()\n",
        "a.cu(3): error: x\n      __attribute__((shared)) int t[n];\n                                  ^\n   "
        "   __attribute__((global)) void k()\n");
    becomes("a.cu(3): error: x\n      f(a, __attribute__((packed)) b);\n      ^\n",
            "a.cu(3): error: x\n      f(a, __attribute__((packed)) b);\n      ^\n");
}

static void test_names_that_may_be_meant(void **state)
{
    (void)state;
    static const struct {
        const char *said, *meant;
    } rows[] = {
        {"a.cu(2): error: identifier \"threadidx\" is undefined\n",
         "threadidx is not known here: is threadIdx meant?"},
        {"a.cu(2): error: identifier \"syncthreads\" is undefined\n",
         "syncthreads is not known here: is __syncthreads meant?"},
        {"a.cu(2): error: identifier \"cudaMemcpyHosttoDevice\" is undefined\n",
         "cudaMemcpyHosttoDevice is not known here: is cudaMemcpyHostToDevice meant?"},
        {"a.cu:1:2: error: use of undeclared identifier '__shared'; did you mean '__isShared'?\n",
         "__shared is not known here: is __shared__ meant?"},
        {"a.cu:1:2: error: use of undeclared identifier 'ThreadIdx'; did you mean 'threadIdx'?\n", NULL},
        {"a.cu(2): error: identifier \"count\" is undefined\n", NULL},
        {"a.cu(2): error: identifier \"\" is undefined\n", NULL},
        {"a.cu(2): error: identifier \"cudaMaloc\" is undefined in device code\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf wanted = {0}, twice = {0};
        strbuf_puts(&wanted, rows[i].said);
        if (rows[i].meant)
            strbuf_printf(&wanted, "hint: %s\n", rows[i].meant);
        strbuf_printf(&twice, "%s%s", rows[i].said, rows[i].said);
        becomes(wanted.text, rows[i].said);
        becomes(wanted.text, twice.text);
        strbuf_free(&wanted);
        strbuf_free(&twice);
    }
}

static void shows(const char *wanted, const char *log, int rows, int columns)
{
    StrBuf out = {0};
    messages_on_screen(LANGUAGE_ENGLISH, log, rows, columns, &out);
    assert_string_equal(wanted, out.text ? out.text : "");
    strbuf_free(&out);
}

static void test_a_screen_has_whole_messages(void **state)
{
    (void)state;
    static const char
        one[] = "a.cu(3): error: x\n      s\n      ^\n\n",
        both[] = "a.cu(3): error: x\n      s\n      ^\n\na.cu(4): error: y\n      s\n      ^\nhint: h\n";
    shows("a.cu(3): error: x\n      s\n      ^\n", one, 3, 80);
    shows("a.cu(3): error: x\n      s\n      ^\n", one, 1, 80); /* the first one always */
    shows("a.cu(3): error: x\n      s\n      ^\na.cu(4): error: y\n      s\n      ^\nhint: h\n", both, 7, 80);
    shows("a.cu(3): error: x\n      s\n      ^\n...\nhint: h\n", both, 6, 80);
    shows("a.cu(3): error: x\n      s\n      ^\n...\nhint: h\n", both, 8, 16); /* rows that wrap count */
    shows("a.cu(3): error: x\n    int a; int b; ...\n    ^\n",
          "a.cu(3): error: x\n    int a; int b; int c; int d;\n    ^\n", 9, 22);
    shows("a.cu(3): error: x\n    int a; int b; int c; int d;\n                         ^\n",
          "a.cu(3): error: x\n    int a; int b; int c; int d;\n                         ^\n", 9, 22);
    shows("", "", 3, 80);
}

/* A student's own words are no message. */
static void test_sources_are_no_messages(void **state)
{
    (void)state;
    const char *quoted =
        "a.cu:1:2: error: expected ';'\n    puts(\"call to global function 'k' not configured\")\n";
    becomes(quoted, quoted);
}

/* An examination's kit says what the compiler says. */
static void test_no_hints_in_an_examination(void **state)
{
    (void)state;
    const char *said = "a.cu(9): error: a __global__ function call must be configured\n";
    setenv("KIT_HINTS", "no", 1);
    becomes(said, said);
    unsetenv("KIT_HINTS");
}

/* A flood stays whole: of thousands of messages the first ones are known again. */
static void test_a_flood(void **state)
{
    (void)state;
    enum { MESSAGES = 50000 };
    StrBuf text = {0};
    for (int i = 0; i < MESSAGES; i++)
        strbuf_printf(&text, "a.cu(%d): error: e\n", i);
    const size_t length = text.length;
    strbuf_puts(&text, "a.cu(0): error: e\n");
    StrBuf out = {0};
    messages_of_compiler(LANGUAGE_ENGLISH, text.text, &out);
    assert_int_equal(length, out.length);
    assert_memory_equal(text.text, out.text, length);
    strbuf_free(&text);
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_go),
        cmocka_unit_test(test_slips_have_a_sentence),
        cmocka_unit_test(test_nothing_is_said_twice),
        cmocka_unit_test(test_words_of_cuda_are_as_written),
        cmocka_unit_test(test_names_that_may_be_meant),
        cmocka_unit_test(test_a_screen_has_whole_messages),
        cmocka_unit_test(test_sources_are_no_messages),
        cmocka_unit_test(test_no_hints_in_an_examination),
        cmocka_unit_test(test_a_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
