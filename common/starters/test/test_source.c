/* Markers in solutions, shown regions in handouts, hints. */
#include "common/starters/handout.h"
#include "common/starters/hint.h"
#include "common/starters/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char solution[] = "// title\n"
                               "//@ show all\n"
                               "int f(void)\n"
                               "{\n"
                               "    //@ solution 1\n"
                               "    int answer = compute_it();\n"
                               "    return answer;\n"
                               "    //@ stub\n"
                               "    //| // TODO 1: compute it\n"
                               "    //|\n"
                               "    //| return 0;\n"
                               "    //@ end\n"
                               "}\n"
                               "//@ end\n"
                               "//@ solution 12\n"
                               "extra();\n"
                               "//@ end\n";

static void a_starter_has_stubs_and_no_markers(void **state)
{
    (void)state;
    Source s;
    Diag diag;
    assert_int_equal(source_parse("x.cu", solution, &s, &diag), STATUS_OK);
    assert_string_equal(s.starter.text, "// title\n"
                                        "int f(void)\n"
                                        "{\n"
                                        "    // TODO 1: compute it\n"
                                        "\n"
                                        "    return 0;\n"
                                        "}\n");
    assert_string_equal(s.solution.text, "// title\n"
                                         "int f(void)\n"
                                         "{\n"
                                         "    int answer = compute_it();\n"
                                         "    return answer;\n"
                                         "}\n"
                                         "extra();\n");
    assert_string_equal(s.secret.text, "    int answer = compute_it();\n    return answer;\nextra();\n");
    static const char yaml[] =
        "# title\nfirst:\n  #@ solution 1\n  tool: saw\n  #@ stub\n  #| tool:\n  #@ end\n";
    Source y;
    assert_int_equal(source_parse("x.yaml", yaml, &y, &diag), STATUS_OK);
    assert_string_equal(y.starter.text, "# title\nfirst:\n  tool:\n");
    assert_string_equal(y.secret.text, "  tool: saw\n");
    source_free(&y);
    assert_int_equal(s.n_todos, 2);
    assert_int_equal(s.todos[0], 1);
    assert_int_equal(s.todos[1], 12);
    assert_int_equal(s.n_regions, 1);
    assert_int_equal(s.regions[0].start, 9);
    assert_int_equal(s.regions[0].start + s.regions[0].length, s.starter.length);
    source_free(&s);
}

typedef struct Refusal {
    const char *text;
    int line;
    const char *says;
} Refusal;

static void wrong_markers_are_refused_with_their_line(void **state)
{
    (void)state;
    static const Refusal refusals[] = {
        {"a\n//@ end\n", 2, "without a block"},
        {"a\n//@ solution 1\nb\n", 2, "no `//@ end`"},
        {"//@ solution\n//@ end\n", 1, "not a marker"},
        {"//@ solution x\n//@ end\n", 1, "number"},
        {"//@ solution 0\n//@ end\n", 1, "number"},
        {"//@ solution 1\n//@ solution 2\n//@ end\n//@ end\n", 2, "inside another"},
        {"//@ stub\n", 1, "inside a solution"},
        {"//@ solution 1\n//@ stub\n//@ stub\n//@ end\n", 3, "once"},
        {"//@ solution 1\n//@ stub\nint x;\n//@ end\n", 3, "begin with `//| `"},
        {"//| x\n", 1, "outside of a stub"},
        {"//@ show\n//@ end\n", 1, "not a marker"},
        {"//@ show a b\n//@ end\n", 1, "one word"},
        {"//@ show a\n//@ end\n//@ show a\n//@ end\n", 3, "twice"},
        {"//@ solution 1\n//@ show a\n//@ end\n//@ end\n", 2, "inside a solution"},
        {"x\n\n  //@ soluton 1\n", 3, "not a marker"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        Source s;
        Diag diag = {0};
        Status status = source_parse("x.cu", refusals[i].text, &s, &diag);
        if (status != STATUS_PARSE || diag.line != refusals[i].line ||
            !strstr(diag.message, refusals[i].says))
            fail_msg("%s: status %d, line %d, %s", refusals[i].text, status, diag.line, diag.message);
    }
}

static const char *header; /* what x.h holds */

static Status lookup(void *context, const char *file, Source *source, Diag *diag)
{
    (void)context;
    const char *text = strcmp(file, "x.cu") == 0 ? solution : strcmp(file, "x.h") == 0 ? header : NULL;
    if (!text)
        return diag_set(diag, STATUS_NOT_FOUND, "no %s", file);
    return source_parse(file, text, source, diag);
}

static const LabFile lab = {
    .hints = (LabFileHint[]){{.todo = 1, .tiers = {"Why?", "Because.", "Do."}, .n_tiers = 3}},
    .n_hints = 1,
};

static Status expand(const char *text, StrBuf *out, Diag *diag)
{
    return handout_expand("README.md", text, &lab, lookup, NULL, out, diag);
}

static void regions_and_hints_are_expanded_in_place(void **state)
{
    (void)state;
    static const char once[] = "# T\n"
                               "<!-- show x.cu all -->\n"
                               "```cuda\n"
                               "int f(void)\n"
                               "{\n"
                               "    // TODO 1: compute it\n"
                               "\n"
                               "    return 0;\n"
                               "}\n"
                               "```\n"
                               "<!-- end -->\n"
                               "between\n"
                               "<!-- hints -->\n"
                               "<details><summary>TODO 1: a question</summary>\n\nWhy?\n\n</details>\n"
                               "<details><summary>TODO 1: the idea</summary>\n\nBecause.\n\n</details>\n"
                               "<details><summary>TODO 1: nearly the code</summary>\n\nDo.\n\n</details>\n"
                               "<!-- end -->\n";
    StrBuf out = {0}, again = {0};
    Diag diag;
    assert_int_equal(
        expand("# T\n<!-- show x.cu all -->\nold\n<!-- end -->\nbetween\n<!-- hints -->\n<!-- end -->\n",
               &out, &diag),
        STATUS_OK);
    assert_string_equal(out.text, once);
    assert_int_equal(expand(out.text, &again, &diag), STATUS_OK);
    assert_string_equal(again.text, once);
    strbuf_free(&out);
    strbuf_free(&again);
}

#define GUARD  "#ifndef X_H\n#define X_H\n"
#define OPENED "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
#define CLOSED "\n#ifdef __cplusplus\n}\n#endif\n"

static void a_header_is_shown_without_its_frame(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"/* X. */\n" GUARD "\n" OPENED "int f(void);\n" CLOSED "\n#endif\n", "/* X. */\n\nint f(void);\n"},
        {GUARD "\n#define N 3\n\n" OPENED "int f(void);\n" CLOSED "\n#endif\n",
         "\n#define N 3\n\nint f(void);\n"},
        {GUARD "\nint x;\n\n#endif\n", "\nint x;\n"},
        {"int x;\n", "int x;\n"},
        {"#ifdef A\nint x;\n\n#endif\n", "#ifdef A\nint x;\n\n#endif\n"},
        {"#ifndef A\nint x;\n\n#endif\n", "#ifndef A\nint x;\n\n#endif\n"},
        {OPENED "int x;\n", OPENED "int x;\n"}, /* never closed */
        {"#ifdef __cplusplus\n#include <a>\nextern \"C\" {\n#endif\nint x;\n" CLOSED,
         "#ifdef __cplusplus\n#include <a>\nextern \"C\" {\n#endif\nint x;\n" CLOSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf out = {0}, wanted = {0};
        Diag diag;
        header = rows[i].text;
        strbuf_printf(&wanted, "<!-- show x.h -->\n```c\n%s```\n<!-- end -->\n", rows[i].shown);
        assert_int_equal(expand("<!-- show x.h -->\n<!-- end -->\n", &out, &diag), STATUS_OK);
        assert_string_equal(out.text, wanted.text);
        strbuf_free(&out);
        strbuf_free(&wanted);
    }
}

/* What a hint's text says must come out of the HTML as it stands. */
static void hints_hold_no_tags(void **state)
{
    (void)state;
    static const struct {
        const char *hint, *written;
    } rows[] = {
        {"include <cuda.h> first", "include <cuda.h> first"}, /* a dot: no tag's name */
        {"a vector<float> of <word> and </b>", "a vector\\<float> of \\<word> and \\</b>"},
        {"`vector<float>` is code", "`vector<float>` is code"},
        {"k<<<blocks, threads>>>(n); i < n; a<b", "k<<<blocks, threads>>>(n); i < n; a<b"},
        {"k<<<blocks>>>(n) <!-- x", "k<<\\<blocks>>>(n) \\<!-- x"},
        {"a __shared__ array of x_y, int *p = (int *)q, a * b, `__c__`",
         "a \\_\\_shared\\_\\_ array of x_y, int \\*p = (int \\*)q, a * b, `__c__`"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LabFile one = {.hints = (LabFileHint[]){{.todo = 1, .tiers = {rows[i].hint}, .n_tiers = 1}},
                       .n_hints = 1};
        StrBuf out = {0}, wanted = {0};
        strbuf_printf(&wanted, "\n\n%s\n\n</details>", rows[i].written);
        assert_int_equal(STATUS_OK, handout_expand("README.md", "<!-- hints -->\n<!-- end -->\n", &one,
                                                   lookup, NULL, &out, NULL));
        if (!strstr(out.text, wanted.text))
            fail_msg("expected %s in %s", wanted.text, out.text);
        strbuf_free(&out);
        strbuf_free(&wanted);
    }
}

static void wrong_anchors_are_refused_with_their_line(void **state)
{
    (void)state;
    static const Refusal refusals[] = {
        {"a\n<!-- show y.cu all -->\n<!-- end -->\n", 2, "no y.cu"},
        {"a\n<!-- show x.cu none -->\n<!-- end -->\n", 2, "no region 'none'"},
        {"a\n\n<!-- show x.cu all -->\nb\n", 3, "no line `<!-- end -->`"},
        {"<!-- hints -->\n", 1, "no line `<!-- end -->`"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        StrBuf out = {0};
        Diag diag = {0};
        Status status = expand(refusals[i].text, &out, &diag);
        if (status != STATUS_PARSE || diag.line != refusals[i].line ||
            !strstr(diag.message, refusals[i].says))
            fail_msg("%s: status %d, line %d, %s", refusals[i].text, status, diag.line, diag.message);
        strbuf_free(&out);
    }
}

static void todo_numbers_are_whole_numbers(void **state)
{
    (void)state;
    assert_true(handout_mentions_todo("do TODO 1.", 1));
    assert_true(handout_mentions_todo("TODO 12 and TODO 1", 1));
    assert_false(handout_mentions_todo("TODO 12", 1));
    assert_false(handout_mentions_todo("TODO 2", 1));
}

static void assert_hint(const char *record, const char *says)
{
    StrBuf out = {0};
    Diag diag = {0};
    assert_int_equal(hint_next(&lab, 1, record, &out, &diag), STATUS_OK);
    if (!strstr(out.text, says))
        fail_msg("expected %s, got %s", says, out.text);
    strbuf_free(&out);
}

static void hints_come_one_by_one(void **state)
{
    (void)state;
    char record[] = "/tmp/test_hints.XXXXXX";
    close(mkstemp(record));
    assert_hint(record, "hint 1 of 3:\n\nWhy?");
    assert_hint(record, "hint 2 of 3:\n\nBecause.");
    assert_hint(record, "hint 3 of 3:\n\nDo.");
    assert_hint(record, "These are all");
    StrBuf out = {0};
    Diag diag = {0};
    assert_int_equal(hint_next(&lab, 2, record, &out, &diag), STATUS_NOT_FOUND);
    remove(record);
}

static void a_lab_may_have_texts_in_another_language(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_texts.XXXXXX", path[64], record[64];
    LabFile texts;
    Diag diag = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(labfile_read_texts(folder, LANGUAGE_CHINESE, &texts, &diag), STATUS_OK);
    assert_int_equal(texts.language, LANGUAGE_ENGLISH);
    assert_int_equal(texts.n_hints, 0);
    snprintf(path, sizeof path, "%s/lab.zh-CN.yaml", folder);
    snprintf(record, sizeof record, "%s/record", folder);
    FILE *out = fopen(path, "w");
    fputs("hints:\n  - todo: 1\n    tiers: [\u4e3a\u4ec0\u4e48, b, c]\n", out);
    fclose(out);
    assert_int_equal(labfile_read_texts(folder, LANGUAGE_CHINESE, &texts, &diag), STATUS_OK);
    assert_int_equal(texts.language, LANGUAGE_CHINESE);
    StrBuf shown = {0};
    assert_int_equal(hint_next(&texts, 1, record, &shown, &diag), STATUS_OK);
    assert_non_null(strstr(shown.text, "\u4e3a\u4ec0\u4e48"));
    assert_non_null(
        strstr(shown.text, language_say(LANGUAGE_CHINESE, "`make hint` again shows the next one.")));
    strbuf_free(&shown);
    labfile_free(&texts);
    remove(record);
    remove(path);
    rmdir(folder);
}

static void lab_files_are_read_and_refused_with_a_place(void **state)
{
    (void)state;
    char path[] = "/tmp/test_lab.XXXXXX";
    LabFile file;
    Diag diag = {0};
    FILE *out = fdopen(mkstemp(path), "w");
    fputs("files: [a.cu]\nstarter_floor: 3\ntolerance: {rtol: 1e-3}\nhints:\n  - todo: 2\n    tiers: [q, i, "
          "c]\n"
          "cases:\n  - name: one\n    seed: 9\n    params: {n: 5, word: abc}\n  - name: two\n    tolerance: "
          "{nan: equal}\n",
          out);
    fclose(out);
    assert_int_equal(labfile_read(path, &file, &diag), STATUS_OK);
    assert_string_equal(file.files[0], "a.cu");
    assert_int_equal(file.hints[0].n_tiers, 3);
    assert_string_equal(file.cases[0].rtol, "1e-3");
    assert_string_equal(file.cases[0].atol, "1e-08");
    assert_string_equal(file.cases[0].params[1].value, "abc");
    assert_string_equal(file.cases[1].nan, "equal");
    labfile_free(&file);
    out = fopen(path, "w");
    fputs("cases:\n  - name: one\n    params: 7\n", out);
    fclose(out);
    assert_int_equal(labfile_read(path, &file, &diag), STATUS_PARSE);
    assert_int_equal(diag.line, 3);
    out = fopen(path, "w");
    fputs("a: [1\nb: 2\n", out);
    fclose(out);
    assert_int_equal(labfile_read(path, &file, &diag), STATUS_PARSE);
    assert_true(diag.line >= 2);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_starter_has_stubs_and_no_markers),
        cmocka_unit_test(wrong_markers_are_refused_with_their_line),
        cmocka_unit_test(regions_and_hints_are_expanded_in_place),
        cmocka_unit_test(a_header_is_shown_without_its_frame),
        cmocka_unit_test(hints_hold_no_tags),
        cmocka_unit_test(wrong_anchors_are_refused_with_their_line),
        cmocka_unit_test(todo_numbers_are_whole_numbers),
        cmocka_unit_test(hints_come_one_by_one),
        cmocka_unit_test(a_lab_may_have_texts_in_another_language),
        cmocka_unit_test(lab_files_are_read_and_refused_with_a_place),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
