/* Edits of a solution: applied, refused with their line, and made again from whole sources. */
#include "common/base/rng.h"
#include "common/starters/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char solution[] = "// Lab 02: add two vectors.\n"
                               "#include \"lab.h\"\n"
                               "\n"
                               "__global__ void add(int n)\n"
                               "{\n"
                               "    int i = threadIdx.x;\n"
                               "    if (i < n)\n"
                               "        c[i] = 1;\n"
                               "    __syncthreads();\n"
                               "    d[i] = 2;\n"
                               "    __syncthreads();\n"
                               "}\n";

typedef struct Row {
    const char *edit, *whole;
} Row;

static void an_edit_gives_the_whole_source(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"// expect: race\n// line: d[i] = 2;\n// No barrier.\n@@\n         c[i] = 1;\n-    "
         "__syncthreads();\n     d[i] = 2;\n",
         "// expect: race\n// line: 11\n// No barrier.\n#include \"lab.h\"\n\n__global__ void add(int "
         "n)\n{\n    int i = threadIdx.x;\n"
         "    if (i < n)\n        c[i] = 1;\n    d[i] = 2;\n    __syncthreads();\n}\n"},
        {"// line: __syncthreads(); (2 of 2)\n", /* a head alone */
         "// line: 11\n#include \"lab.h\"\n\n__global__ void add(int n)\n{\n    int i = threadIdx.x;\n    if "
         "(i < n)\n        c[i] = 1;\n"
         "    __syncthreads();\n    d[i] = 2;\n    __syncthreads();\n}\n"},
        {"@@\n-#include \"lab.h\"\n\n@@\n-    __syncthreads();\n }\n+// end\n", /* no head: the comment stays;
                                                                                   an empty line is one of
                                                                                   both */
         "// Lab 02: add two vectors.\n\n__global__ void add(int n)\n{\n    int i = threadIdx.x;\n    if (i "
         "< n)\n        c[i] = 1;\n"
         "    __syncthreads();\n    d[i] = 2;\n}\n// end\n"},
        {"// line: 7\n@@\n+// more\n #include \"lab.h\"\n", /* a number is left as it is; lines before the
                                                               first one */
         "// line: 7\n// more\n#include \"lab.h\"\n\n__global__ void add(int n)\n{\n    int i = "
         "threadIdx.x;\n    if (i < n)\n        c[i] = 1;\n"
         "    __syncthreads();\n    d[i] = 2;\n    __syncthreads();\n}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf whole = {0};
        Diag diag = {0};
        if (edit_apply("x.cu.edit", rows[i].edit, solution, &whole, &diag) != STATUS_OK)
            fail_msg("row %zu, line %d: %s", i, diag.line, diag.message);
        assert_string_equal(rows[i].whole, whole.text);
        strbuf_free(&whole);
    }
}

typedef struct Refusal {
    const char *edit;
    int line;
    const char *says;
} Refusal;

static void what_does_not_apply_is_refused_with_its_line(void **state)
{
    (void)state;
    static const Refusal refusals[] = {
        {"// head\n@@\n     if (i < n)\n-        c[i] = 7;\n", 4, "no such line"},
        {"@@\n     if (i < n)\n-    d[i] = 2;\n", 1, "one after the other"},
        {"// head\n@@\n-    __syncthreads();\n", 2, "more than once"},
        {"@@\n-    d[i] = 2;\n@@\n     if (i < n)\n+        return;\n", 3, "in the order"},
        {"@@\n     if (i < n)\n         c[i] = 1;\n@@\n-        c[i] = 1;\n     __syncthreads();\n", 4,
         "share no line"},
        {"@@\n+new\n", 1, "says no place"},
        {"@@\n", 1, "says no place"},
        {"// head\n@@\nint i;\n", 3, "begin with a blank"},
        {"// line: e[i] = 2;\n", 1, "0 lines of the source"},
        {"// expect: race\n// line: __syncthreads();\n", 2, "2 lines of the source"},
        {"// line: __syncthreads(); (2 of 3)\n", 1, "2 lines of the source"},
        {"// line: __syncthreads(); (3 of 2)\n", 1, "2 lines of the source"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        StrBuf whole = {0};
        Diag diag = {0};
        Status status = edit_apply("x.cu.edit", refusals[i].edit, solution, &whole, &diag);
        if (status != STATUS_PARSE || diag.line != refusals[i].line ||
            !strstr(diag.message, refusals[i].says))
            fail_msg("%s: status %d, line %d, %s", refusals[i].edit, status, diag.line, diag.message);
        strbuf_free(&whole);
    }
}

static void an_edit_is_small_and_marks_its_line_by_text(void **state)
{
    (void)state;
    static const char whole[] =
        "// expect: barrier\n// line: 11\n\n// Why.\n#include \"lab.h\"\n\n__global__ void add(int n)\n{\n"
        "    int i = threadIdx.x;\n    if (i < n) {\n        __syncthreads();\n        c[i] = 1;\n    }\n    "
        "d[i] = 2;\n"
        "        __syncthreads();\n}\n";
    static const char edit[] =
        "// expect: barrier\n// line: __syncthreads(); (1 of 2)\n\n// Why.\n@@\n     int i = threadIdx.x;\n"
        "-    if (i < n)\n+    if (i < n) {\n+        __syncthreads();\n         c[i] = 1;\n-    "
        "__syncthreads();\n+    }\n"
        "     d[i] = 2;\n-    __syncthreads();\n+        __syncthreads();\n }\n";
    StrBuf made = {0};
    Diag diag;
    assert_int_equal(edit_make("x.cu", whole, solution, &made, &diag), STATUS_OK);
    assert_string_equal(made.text, edit);
    strbuf_free(&made);
    assert_int_equal(edit_make("x.cu", "// no newline at the end", solution, &made, &diag), STATUS_INVALID);
    assert_null(made.text);
}

/* A text of up to 12 lines of three kinds, so that lines stand in it many times. */
static void write_random_lines(Rng *rng, StrBuf *text)
{
    static const char *const kinds[] = {"a\n", "}\n", "\n"};
    strbuf_puts(text, "// head\n");
    for (uint64_t n = rng_below(rng, 13); n > 0; n--)
        strbuf_puts(text, kinds[rng_below(rng, 3)]);
}

static void any_text_can_be_made_an_edit_and_comes_back(void **state)
{
    (void)state;
    Rng rng = {7};
    int n_made = 0;
    for (int round = 0; round < 20000; round++) {
        StrBuf whole = {0}, base = {0}, edit = {0}, again = {0};
        Diag diag = {0};
        write_random_lines(&rng, &whole);
        write_random_lines(&rng, &base);
        if (strchr(base.text + strlen("// head\n"),
                   '\n')) { /* a solution without a line has no place for a hunk */
            Status status = edit_make("x.cu", whole.text, base.text, &edit, &diag);
            if (status ||
                edit_apply("x.cu.edit", edit.text ? edit.text : "", base.text, &again, &diag) != STATUS_OK)
                fail_msg("%s\n-- of\n%s: %s\n%s", whole.text, base.text, diag.message,
                         edit.text ? edit.text : "");
            assert_string_equal(whole.text, again.text);
            n_made++;
        }
        strbuf_free(&whole);
        strbuf_free(&base);
        strbuf_free(&edit);
        strbuf_free(&again);
    }
    assert_true(n_made > 15000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_gives_the_whole_source),
        cmocka_unit_test(what_does_not_apply_is_refused_with_its_line),
        cmocka_unit_test(an_edit_is_small_and_marks_its_line_by_text),
        cmocka_unit_test(any_text_can_be_made_an_edit_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
