/* Reports of a class: golden files, and text of attackers that stays text in every format.
 *
 * BLESS=1 writes the golden files anew; their diff is to be read.
 */
#include "grader/report/test/fixture.h"

#include "grader/report/report_internal.h"

#include "common/base/csv.h"
#include "grader/core/files.h"
#include "grader/text/utf8.h"

#include <unistd.h>

static void expect_golden(const char *name, const StrBuf *got)
{
    char path[128];
    snprintf(path, sizeof path, "grader/report/test/golden/%s", name);
    assert_false(got->failed);
    if (getenv("BLESS")) {
        assert_int_equal(file_write_atomic(path, got->text, got->length, NULL), STATUS_OK);
        return;
    }
    Arena a = {0};
    char *wanted;
    size_t length;
    Diag d = {0};
    if (file_read(&a, path, 1 << 20, &wanted, &length, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    if (length != got->length || memcmp(wanted, got->text, length) != 0)
        fail_msg("%s differs; it is now:\n%s", path, got->text);
    arena_free(&a);
}

/* The value of a variable in a style sheet's text from `from` on. */
static void style_value(const char *from, const char *name, char *value, size_t size)
{
    const char *at = strstr(from, name);
    if (!at)
        fail_msg("no %s", name);
    at += strlen(name) + 1;
    at += strspn(at, " ");
    size_t length = strcspn(at, ";}");
    assert_true(length < size);
    memcpy(value, at, length);
    value[length] = '\0';
}

/* The report has the site's colours, light and dark. */
static void test_palette(void **state)
{
    (void)state;
    static const struct {
        const char *report, *site;
    } rows[] = {{"--page", "--paper"}, {"--ink", "--ink"},   {"--soft", "--soft"}, {"--line", "--line"},
                {"--link", "--link"},  {"--code", "--code"}, {"--mark", "--mark"}};
    Arena a = {0};
    char *site;
    size_t length;
    assert_int_equal(file_read(&a, "docs/pandoc/handout.css", 1 << 20, &site, &length, NULL), STATUS_OK);
    for (int dark = 0; dark < 2; dark++) {
        const char *in_report = dark ? strstr(REPORT_CSS, "scheme:dark") : REPORT_CSS;
        const char *in_site = dark ? strstr(site, "scheme: dark") : site;
        assert_non_null(in_report);
        assert_non_null(in_site);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char ours[32], theirs[32];
            style_value(in_report, rows[i].report, ours, sizeof ours);
            style_value(in_site, rows[i].site, theirs, sizeof theirs);
            assert_string_equal(ours, theirs);
        }
    }
    arena_free(&a);
}

/* Walks from each submission's page by its ways: every page of a lab is met once, in the order of the table. */
static void test_ways(void **state)
{
    (void)state;
    ReportClass *c = fixture_class();
    for (size_t l = 0; l < c->n_labs; l++) {
        const char *last = NULL;
        for (size_t i = 0; i < c->n_students; i++) {
            if (!report_class_find(c, c->students[i], c->labs[l]))
                continue;
            const char *before = report_class_neighbour(c, c->students[i], c->labs[l], -1);
            assert_true(before == last);
            if (last)
                assert_true(report_class_neighbour(c, last, c->labs[l], 1) == c->students[i]);
            last = c->students[i];
        }
        if (last)
            assert_null(report_class_neighbour(c, last, c->labs[l], 1));
    }
    report_class_free(c);
}

static void test_table(void **state)
{
    (void)state;
    ReportClass *c = fixture_class();
    StrBuf plain = {0}, narrow = {0}, coloured = {0};
    report_table(&plain, c, (ReportStyle){0});
    expect_golden("table.txt", &plain);
    report_table(&narrow, c, (ReportStyle){.columns = 40});
    expect_golden("table-narrow.txt", &narrow);
    report_table(&coloured, c, (ReportStyle){.colour = true});
    assert_non_null(strstr(coloured.text, "\033[33m"));
    assert_null(strchr(plain.text, '\033'));
    strbuf_free(&plain);
    strbuf_free(&narrow);
    strbuf_free(&coloured);
    report_class_free(c);
}

static void test_wide_names_align(void **state)
{
    (void)state;
    static const CaseResult one[] = {OK_CASE("a", 100, false)};
    Result *results[] = {
        fixture_result("\xE6\xBC\xA2\xE5\xAD\x97", "L", VERDICT_PASS, one,
                       1),                                      /* two characters, four columns */
        fixture_result("e\xCC\x81", "L", VERDICT_PASS, one, 1), /* two characters, one column */
        fixture_result("a\x1b[2Jb", "L", VERDICT_PASS, one, 1)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 3, &c, NULL), STATUS_OK);
    StrBuf out = {0};
    report_table(&out, c, (ReportStyle){0});
    size_t columns = 0, lines = 0;
    for (char *line = strtok(out.text, "\n"); line && lines < 4; line = strtok(NULL, "\n"), lines++) {
        char *word = strstr(line, lines == 0 ? "L" : "pass");
        assert_non_null(word);
        size_t before = utf8_text_width(line, (size_t)(word - line));
        columns = lines == 0 ? before : columns;
        assert_int_equal(before, columns);
    }
    strbuf_free(&out);
    report_class_free(c);
}

static void test_cases(void **state)
{
    (void)state;
    ReportClass *c = fixture_class();
    StrBuf out = {0};
    for (size_t i = 0; i < c->n_students; i++) {
        strbuf_printf(&out, "--- %s\n", c->students[i]);
        report_cases(&out, report_class_find(c, c->students[i], "02-vector-add"), false, (ReportStyle){0});
    }
    expect_golden("cases.txt", &out);
    strbuf_free(&out);
    report_cases(&out, report_class_find(c, "s002", "02-vector-add"), true, (ReportStyle){0});
    expect_golden("cases-student.txt", &out);
    assert_null(strstr(out.text, "SECRET"));
    strbuf_free(&out);
    report_progress(&out, 3, 24, c->results[0], (ReportStyle){0});
    assert_string_equal(out.text, "[ 3/24] s001 01-indexing: pass 100/100\n");
    strbuf_free(&out);
    report_class_free(c);
}

/* A case that is like an earlier one has what the earlier one had not: a leak beside the wrong result, say.
 */
static void test_new_findings_of_like_cases(void **state)
{
    (void)state;
    Finding leak = {.kind = "leak",
                    .verdict = "leak",
                    .place.file = "a.cu",
                    .place.line = 5,
                    .text = "a.cu:5: 32 bytes never freed"},
            race = {.kind = "race",
                    .verdict = "race",
                    .place.file = "a.cu",
                    .place.line = 9,
                    .text = "a.cu:9: two threads"},
            wrong = {.kind = "x",
                     .verdict = "wrong-result",
                     .place.file = "a.cu",
                     .text = "of its own verdict"},
            advice = {.kind = "y", .verdict = "", .advice = true, .place.file = "a.cu", .text = "an advice"};
    Finding second[] = {leak, race, race, wrong, advice}, third[] = {leak, race};
    CaseResult cases[] = {
        {.name = "first", .findings = &leak, .n_findings = 1},
        {.name = "second", .findings = second, .n_findings = 5},
        {.name = "third", .findings = third, .n_findings = 2},
    };
    for (int i = 0; i < 3; i++) {
        cases[i].verdict = VERDICT_WRONG_RESULT;
        cases[i].message = "out: 3 differ";
        cases[i].lesson = cases[i].hint = cases[i].replay = "";
    }
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 3};
    StrBuf out = {0};
    report_cases(&out, &r, true, (ReportStyle){0});
    const char *at = strstr(out.text, "also: a.cu:5: 32 bytes never freed");
    assert_non_null(at);
    assert_null(
        strstr(strstr(at, "never freed") + 1, "never freed")); /* with the first case, and not again */
    at = strstr(out.text, "as in first above\n     also: a.cu:9: two threads");
    assert_non_null(at);
    assert_null(strstr(strstr(at, "two threads") + 1, "two threads"));
    assert_null(strstr(out.text, "of its own verdict"));
    assert_null(strstr(out.text, "an advice"));
    strbuf_free(&out);
}

/* What lies at another place, or is of another kind, is another reason, whatever its message begins with. */
static void test_another_place_is_another_reason(void **state)
{
    (void)state;
    Finding findings[] = {{.kind = "race",
                           .place.file = "a.cu",
                           .place.line = 5,
                           .verdict = "race",
                           .text = "a.cu:5: race",
                           .message = ""},
                          {.kind = "race",
                           .place.file = "a.cu",
                           .place.line = 9,
                           .verdict = "race",
                           .text = "a.cu:9: race",
                           .message = ""},
                          {.kind = "race",
                           .place.file = "a.cu",
                           .place.line = 5,
                           .verdict = "race",
                           .text = "a.cu:5: race",
                           .message = ""}};
    CaseResult cases[] = {{.name = "first", .message = "a.cu:5: race"},
                          {.name = "second", .message = "a.cu:9: race"},
                          {.name = "third", .message = "a.cu:5: race"}};
    for (int i = 0; i < 3; i++) {
        cases[i].verdict = VERDICT_RACE;
        cases[i].lesson = cases[i].hint = cases[i].replay = "";
        cases[i].findings = &findings[i];
        cases[i].n_findings = 1;
    }
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 3};
    StrBuf out = {0};
    report_cases(&out, &r, true, (ReportStyle){0});
    assert_non_null(strstr(out.text, "a.cu:9: race"));
    const char *merged = strstr(out.text, "as in first above");
    assert_non_null(merged);
    assert_null(strstr(merged + 1, "as in"));
    strbuf_free(&out);
}

/* Verdicts whose message begins with their meaning are told apart by what comes after it. */
static void test_slow_for_other_reasons(void **state)
{
    (void)state;
    char message[3][256];
    static const char *const metrics[] = {"allocations is 16; needed is at most 4.", "page_faults is 9.",
                                          "allocations is 12; needed is at most 8."};
    CaseResult cases[3] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
    for (int i = 0; i < 3; i++) {
        snprintf(message[i], sizeof message[i], "%s %s", verdict_meaning(VERDICT_SLOW), metrics[i]);
        cases[i].verdict = VERDICT_SLOW;
        cases[i].message = message[i];
        cases[i].lesson = cases[i].hint = cases[i].replay = "";
    }
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 3};
    StrBuf out = {0};
    report_cases(&out, &r, true, (ReportStyle){0});
    assert_non_null(strstr(out.text, metrics[0]));
    assert_non_null(strstr(out.text, metrics[1]));
    assert_null(strstr(out.text, metrics[2]));
    assert_non_null(strstr(out.text, "as in first above"));
    strbuf_free(&out);
}

static void test_reason_told_once(void **state)
{
    (void)state;
    CaseResult cases[] = {
        {.name = "first",
         .verdict = VERDICT_RACE,
         .message = "the whole reason 1\n  hint: first line\n",
         .lesson = "lesson 1",
         .hint = "first line\nsecond line",
         .replay = "run 1"},
        {.name = "second",
         .verdict = VERDICT_RACE,
         .message = "the whole reason 2\n",
         .lesson = "lesson 2",
         .hint = "its own hint",
         .replay = "run 2"},
        {.name = "third",
         .verdict = VERDICT_LEAK,
         .message = "another reason",
         .lesson = "",
         .hint = "",
         .replay = "run 3"},
        {.name = "fourth",
         .verdict = VERDICT_RACE,
         .message = "other.cu:7: about another file",
         .lesson = "",
         .hint = "",
         .replay = "run 4"},
    };
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 4};
    StrBuf out = {0};
    report_cases(&out, &r, true, (ReportStyle){0});
    assert_non_null(strstr(out.text, "the whole reason"));
    assert_non_null(strstr(out.text, "hint: first line\n"));
    assert_null(strstr(strstr(out.text, "first line") + 1, "first line")); /* told once */
    assert_non_null(strstr(out.text, "hint: second line"));
    assert_null(strstr(out.text, "the whole reason 2"));
    assert_non_null(strstr(out.text, "hint: its own hint"));
    assert_non_null(strstr(out.text, "as in first above"));
    assert_non_null(strstr(out.text, "lesson 2"));
    assert_non_null(strstr(out.text, "run 2"));
    assert_non_null(strstr(out.text, "another reason"));
    assert_non_null(strstr(out.text, "about another file"));
    strbuf_free(&out);
    report_cases(&out, &r, true, (ReportStyle){.language = LANGUAGE_CHINESE});
    assert_non_null(strstr(out.text, language_say(LANGUAGE_CHINESE, verdict_meaning(cases[0].verdict))));
    assert_non_null(strstr(out.text, language_say(LANGUAGE_CHINESE, "hint: ")));
    assert_null(strstr(out.text, "replay: "));
    strbuf_free(&out);
    report_cases(&out, &r, false, (ReportStyle){0}); /* a teacher sees all */
    assert_non_null(strstr(out.text, "the whole reason 2"));
    strbuf_free(&out);
}

/* A case with advice in each: to a student it is told with the first, and its own text says what it is. */
static void test_advice_is_told_once(void **state)
{
    (void)state;
    Finding advice = {.kind = "y", .verdict = "", .advice = true, .place.file = "a.cu", .place.line = 3, .message = "m",
                      .text = "a.cu:3: advice: y: m"};
    CaseResult cases[] = {{.name = "first"}, {.name = "second"}};
    for (int i = 0; i < 2; i++) {
        cases[i].verdict = VERDICT_PASS;
        cases[i].message = cases[i].lesson = cases[i].hint = cases[i].replay = "";
        cases[i].findings = &advice;
        cases[i].n_findings = 1;
    }
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 2};
    StrBuf out = {0};
    report_cases(&out, &r, true, (ReportStyle){0});
    const char *at = strstr(out.text, "     a.cu:3: advice: y: m");
    assert_non_null(at);
    assert_null(strstr(at + 1, "     a.cu:3"));
    strbuf_free(&out);
}

/* A class of ten cases, each of which fails with as much to say as there can be. */
static void test_screen_fits(void **state)
{
    (void)state;
    static const char message[] =
        "a.cu:12:5: out-of-bounds: read of 4 bytes outside every allocation of global memory\n"
        "    12 |     c[i] = a[i] + b[i];\n"
        "       |     ^\n"
        "  by thread (224,0,0) of block (0,0,0) in add_kernel(float const*, float const*, float*, int)\n"
        "  at 0x200000100380, 893 bytes after allocation 1 (4 bytes at 0x200000100000, made at a.cu:23 in vector_add)\n"
        "  launched at a.cu:37 in vector_add as <<<1, 256>>>(#1, #2, #3, 1)\n"
        "  32 times, this is the first\n"
        "  hint: does the kernel test i < n?\n"
        "out: 10 of 20 elements differ\n"
        "          index              got\n"
        "            [0]                1\n"
        "            [1]                1\n"
        "            [2]                1\n"
        "            ... and 7 more\n";
    CaseResult cases[10];
    Finding finding = {.kind = "out-of-bounds", .kernel = "add_kernel", .place.file = "a.cu", .message = "read", .text = ""};
    char names[10][8];
    for (int i = 0; i < 10; i++) {
        snprintf(names[i], sizeof names[i], "case-%d", i);
        cases[i] = (CaseResult){.name = names[i], .verdict = VERDICT_OUT_OF_BOUNDS, .todo = 1 + (9 - i) / 4, .max_points = 2,
                                .message = message, .lesson = "A lesson.", .hint = "its own", .replay = "again",
                                .findings = &finding, .n_findings = 1};
    }
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 10, .build_log = ""};
    assert_int_equal(1, report_todo(&r));
    for (int columns = 60; columns <= 120; columns += 20) {
        StrBuf out = {0};
        int lines = 0;
        report_screen(&out, &r, (ReportStyle){.columns = columns, .rows = 24});
        for (const char *at = out.text; *at; at++)
            lines += *at == '\n';
        assert_true(lines <= 20); /* the command, a line of make's, what is next and the prompt */
        assert_non_null(strstr(out.text, "TODO 1, case-6: A lesson.")); /* the first of the first TODO, not the first case */
        assert_non_null(strstr(out.text, "does the kernel test i < n?"));
        assert_non_null(strstr(out.text, "hint: its own"));
        assert_non_null(strstr(out.text, "== and 6 of later TODOs"));
        assert_null(strstr(out.text, "... and 7"));
        assert_non_null(strstr(out.text, "in add_kernel\n")); /* its parameters are in the source */
        assert_non_null(strstr(out.text, "launched at a.cu:37 as <<<1, 256>>>"));
        assert_null(strstr(out.text, "make show CASE=case-2")); /* of the case that is explained alone */
        strbuf_free(&out);
    }
    cases[6].verdict = cases[7].verdict = VERDICT_PASS;
    StrBuf out = {0};
    report_screen(&out, &r, (ReportStyle){0});
    assert_non_null(strstr(out.text, "right: 2 of 10 cases\n"));
    assert_non_null(strstr(out.text, "TODO 1, case-8"));
    strbuf_free(&out);
    out = (StrBuf){0};
    report_screen(&out, &r, (ReportStyle){.rows = 40});
    assert_non_null(strstr(out.text, "right: case-6, case-7 (2 of 10 cases)\n"));
    assert_non_null(strstr(out.text, "hint: its own\n     film: make show CASE=case-8\n"));
    strbuf_free(&out);
}

/* A case that keeps its points until a person has looked is not the one to explain where there is something to mend. */
static void test_screen_of_a_suspect(void **state)
{
    (void)state;
    CaseResult cases[3];
    static const char *const names[] = {"eyed", "other", "short"};
    for (int i = 0; i < 3; i++)
        cases[i] = (CaseResult){.name = names[i],
                                .verdict = VERDICT_SUSPECT,
                                .todo = 5,
                                .points = 2,
                                .max_points = 2,
                                .message = "look",
                                .lesson = "",
                                .hint = "",
                                .replay = ""};
    Result r = {.build_verdict = VERDICT_PASS, .cases = cases, .n_cases = 3, .build_log = ""};
    static const struct {
        Verdict other, last;
        int64_t todo_of_last, todo;
        const char *explained;
    } tried[] = {{VERDICT_SUSPECT, VERDICT_WRONG_RESULT, 6, 6, "TODO 6, short"},
                 {VERDICT_INCONCLUSIVE, VERDICT_WRONG_RESULT, 5, 5, "TODO 5, short"},
                 {VERDICT_WRONG_RESULT, VERDICT_SLOW, 6, 5, "TODO 5, other"},
                 {VERDICT_PASS, VERDICT_PASS, 6, 5, "TODO 5, eyed"}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        StrBuf out = {0};
        cases[1].verdict = tried[i].other;
        cases[2].verdict = tried[i].last;
        cases[2].todo = tried[i].todo_of_last;
        assert_int_equal(tried[i].todo, report_todo(&r));
        report_screen(&out, &r, (ReportStyle){0});
        assert_non_null(strstr(out.text, tried[i].explained));
        strbuf_free(&out);
    }
}

/* Of several arrays that are wrong, what is the same is told once where there is no room for more. */
static void test_screen_of_arrays(void **state)
{
    (void)state;
    static const char *const names[] = {"w1", "b1", "w2", "b2"};
    static const char tolerance[] = "An element is right when it is near.\n", advice[] = "hint: Compare the formula.\n";
    StrBuf message = {0}, out = {0};
    for (int i = 0; i < 4; i++)
        strbuf_printf(&message, "%s: 9 of 9 elements differ\n          index              got\n            [0]                %d\n%s%s", names[i], i,
                      tolerance, advice);
    CaseResult c = {.name = "one",
                    .verdict = VERDICT_WRONG_RESULT,
                    .todo = 1,
                    .max_points = 2,
                    .lesson = "",
                    .hint = "its own",
                    .replay = "",
                    .message = message.text};
    Result r = {.build_verdict = VERDICT_PASS, .cases = &c, .n_cases = 1, .build_log = ""};
    report_screen(&out, &r, (ReportStyle){.rows = 40});
    const char *first = strstr(out.text, tolerance);
    assert_true(first && strstr(first + 1, tolerance));
    strbuf_free(&out);
    out = (StrBuf){0};
    report_screen(&out, &r, (ReportStyle){.rows = 18});
    first = strstr(out.text, tolerance);
    assert_true(!first || !strstr(first + 1, tolerance));
    first = strstr(out.text, advice);
    assert_true(first && !strstr(first + 1, advice));
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(out.text, names[i]));
    assert_non_null(strstr(out.text, "hint: its own"));
    strbuf_free(&out);
    strbuf_free(&message);
}

/* Advice about a call that failed takes the place of the error's general words, and a warning is told; beside a fault advice is not.
 * Where the room is short an array is named without addresses. */
static void test_screen_tells_what_helps(void **state)
{
    (void)state;
    Finding advice = {.kind = "api-misuse", .advice = true, .text = "a.cu:4: advice: api-misuse: the source is host memory"};
    CaseResult c = {.name = "one", .verdict = VERDICT_CUDA_ERROR, .todo = 1, .max_points = 2, .lesson = "", .hint = "", .replay = "",
                    .message = "a.cu:4: cudaMemcpy returned cudaErrorInvalidValue.\nIts standard error:\ngeneral words",
                    .findings = &advice, .n_findings = 1};
    Result r = {.build_verdict = VERDICT_PASS, .cases = &c, .n_cases = 1,
                .build_log = "a.cu(2): warning: variable \"x\" was declared but never referenced\na.cu(3): warning #187-D: use of \"=\"\n"
                             "a.cu(4): warning #1-D: other\nhint: a sentence about it\n"};
    StrBuf out = {0};
    report_screen(&out, &r, (ReportStyle){0});
    assert_non_null(strstr(out.text, "the source is host memory"));
    assert_null(strstr(out.text, "general words"));
    assert_non_null(strstr(out.text, "the compiler warned: a.cu(3): warning #187-D: use of \"=\"\n     hint: a sentence about it\n"));
    strbuf_free(&out);
    Finding both[] = {{.kind = "uninitialized", .text = ""}, advice};
    c.verdict = VERDICT_UNINITIALIZED;
    c.findings = both;
    c.n_findings = 2;
    c.message = "a.cu:9: uninitialized: read of what nobody wrote\n"
                "  at 0x200000100880, the start of allocation 3 (1,024 bytes at 0x200000100800, made at a.cu:25 in f)\n"
                "  launched at a.cu:30 in f\n";
    out = (StrBuf){0};
    report_screen(&out, &r, (ReportStyle){.rows = 12});
    assert_null(strstr(out.text, "the source is host memory"));
    assert_non_null(strstr(out.text, "  the start of allocation 3 (1,024 bytes, made at a.cu:25)\n"));
    assert_null(strstr(out.text, "launched"));
    strbuf_free(&out);
    c.message = "a.cu:49: double-free: memory freed that had been freed before\n"
                "  at 0x200000100000, the start of allocation 1 (1,024 bytes at 0x200000100000, made at a.cu:25 in f, freed at a.cu:46 in f)\n";
    out = (StrBuf){0};
    report_screen(&out, &r, (ReportStyle){.columns = 100, .rows = 10});
    assert_non_null(strstr(out.text, "  the start of allocation 1 (1,024 bytes, made at a.cu:25, freed at a.cu:46)\n"));
    strbuf_free(&out);
    r.build_verdict = c.verdict = VERDICT_BUILD_ERROR;
    r.build_log = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\nhint: what to do\n";
    out = (StrBuf){0};
    report_screen(&out, &r, (ReportStyle){0});
    assert_non_null(strstr(out.text, "     14\n     ...\n     hint: what to do\n"));
    strbuf_free(&out);
}

/* A film is of a public case that falls short by a finding in a kernel. */
static void test_film(void **state)
{
    (void)state;
    Finding finding = {.kind = "race", .kernel = "add"};
    CaseResult c = {.name = "one-more", .verdict = VERDICT_RACE, .replay = "make run CASE=one-more", .findings = &finding, .n_findings = 1};
    assert_true(report_has_film(&c));
    CaseResult other = c;
    other.hidden = true;
    assert_false(report_has_film(&other));
    other = c;
    other.verdict = VERDICT_PASS;
    assert_false(report_has_film(&other));
    other = c;
    other.replay = "";
    assert_false(report_has_film(&other));
    static const char *const hostile[] = {"", "a b", "$(x)", "a;b", "<b>", "../x", "a\nb", "\xE2\x80\xAE", "A"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        other = c;
        other.name = hostile[i];
        assert_false(report_has_film(&other));
    }
    finding.kernel = "";
    assert_false(report_has_film(&c));
    finding.kernel = NULL;
    assert_false(report_has_film(&c));
}

static void test_exports(void **state)
{
    (void)state;
    ReportClass *c = fixture_class();
    for (const ReportFormat *f = report_formats(); f->name; f++) {
        StrBuf out = {0};
        Diag d = {0};
        char name[64];
        Status s = f->write(c, &out, &d);
        assert_int_equal(s, f->one_result ? STATUS_INVALID : STATUS_OK);
        snprintf(name, sizeof name, "export-%s.txt", f->name);
        if (f->one_result)
            assert_non_null(strstr(d.message, "one submission"));
        else
            expect_golden(name, &out);
        strbuf_free(&out);
    }
    report_class_free(c);
    assert_null(report_format("word"));
}

static void test_exports_of_one(void **state)
{
    (void)state;
    Result *results[] = {fixture_result("s002", "02-vector-add", VERDICT_PASS, fixture_racy, 3)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    for (const ReportFormat *f = report_formats(); f->name; f++) {
        if (!f->one_result)
            continue;
        StrBuf out = {0};
        char name[64];
        assert_int_equal(f->write(c, &out, NULL), STATUS_OK);
        snprintf(name, sizeof name, "export-%s.txt", f->name);
        if (strcmp(f->name, "student-html") != 0) /* the page's parts are in submission.html */
            expect_golden(name, &out);
        else
            assert_null(strstr(out.text, "How it was graded"));
        assert_null(strstr(out.text, "SECRET"));
        strbuf_free(&out);
    }
    report_class_free(c);
}

/* Points that are not the grader's own, with what there is to say about them, in every format; a secret note
 * only where the instructor reads. */
static void test_grades(void **state)
{
    (void)state;
    static GradeItem items[] = {{.points = -5.5, .text = "no comments in the code"},
                                {.points = 80, .set = true, .text = "shown at the board"},
                                {.text = "good idea"},
                                {.secret = true, .text = "QUIET: ask who wrote it"}};
    Result *results[] = {fixture_result("s002", "02-vector-add", VERDICT_PASS, fixture_racy, 3)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    c->grades[0] = (Grade){.score = 45,
                           .max_score = 100,
                           .attempt = 2,
                           .n_attempts = 3,
                           .late = true,
                           .late_s = 97260,
                           .steps = 2,
                           .deduction = 20,
                           .final = 74.5,
                           .items = items,
                           .n_items = 4,
                           .n_comments = 2};
    static const struct {
        const char *format, *points;
        bool comment, secret;
    } rows[] = {
        {"csv", ",74.5,2,3,97260,20,", true, true},
        {"json", "\"final_score\": 74.5", true, true},
        {"junit", "name=\"final_score\" value=\"74.5\"", true, false},
        {"markdown", " race 74.5/100 ", false, false},
        {"student", "Points that count: 74.5/100", true, false},
        {"gradescope", "\"score\": 74.5", true, false},
        {"prairielearn", "\"score\": 0.745", true, false},
        {"student-html", "74.5/100", true, false},
        {"autolab", "\"scores\":{\"02-vector-add\":74.5}", true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf out = {0};
        assert_int_equal(report_format(rows[i].format)->write(c, &out, NULL), STATUS_OK);
        if (!strstr(out.text, rows[i].points) || !strstr(out.text, "good idea") == rows[i].comment ||
            !strstr(out.text, "QUIET") == rows[i].secret)
            fail_msg("%s:\n%s", rows[i].format, out.text);
        if (rows[i].comment && strcmp(rows[i].format, "json") != 0)
            assert_non_null(strstr(out.text, "late by 1 day 3 hours: -20 points"));
        if (strcmp(rows[i].format, "student") == 0)
            expect_golden("export-student-graded.txt", &out);
        strbuf_free(&out);
    }
    StrBuf page = {0};
    html_submission(&page, c, c->results[0], &c->grades[0], NULL, "Kit");
    assert_non_null(strstr(page.text, "74.5/100"));
    assert_non_null(strstr(page.text, "<li>attempt 2 of 3 counts</li>"));
    assert_non_null(strstr(page.text, "<li>set to 80 points: shown at the board</li>"));
    assert_non_null(strstr(page.text, "<li>note (not for the student): QUIET"));
    strbuf_free(&page);
    html_index(&page, c, "Kit", false);
    assert_non_null(strstr(page.text, "74.5/100*"));
    assert_non_null(strstr(page.text, "* not the grader's own points"));
    strbuf_free(&page);
    report_class_free(c);
}

/* Text without the format's own markup: what is left must hold no control character and nothing that hides.
 */
static void expect_clean(const StrBuf *out)
{
    for (size_t i = 0; i < out->length;) {
        Utf8Char c = utf8_next(out->text + i, out->length - i);
        bool layout = c.code == '\n' || c.code == '\r';
        if (!c.valid || (utf8_is_control(c.code) && !layout) || utf8_is_deceptive(c.code))
            fail_msg("U+%04X at %zu in:\n%s", c.code, i, out->text);
        i += c.bytes;
    }
}

static void test_hostile(void **state)
{
    (void)state;
    ReportClass *c = fixture_hostile();
    StrBuf out = {0};
    report_table(&out, c, (ReportStyle){0});
    report_cases(&out, c->results[0], false, (ReportStyle){0});
    report_progress(&out, 1, 1, c->results[0], (ReportStyle){0});
    expect_clean(&out);
    strbuf_free(&out);
    for (const ReportFormat *f = report_formats(); f->name; f++) {
        assert_int_equal(f->write(c, &out, NULL), STATUS_OK);
        if (!strstr(out.text, "{\"") &&
            !strstr(out.text, "{\n")) /* JSON has its own escapes, which jansson writes */
            expect_clean(&out);
        if (strcmp(f->name, "csv") == 0)
            assert_non_null(strstr(out.text, "\n\"'=../.."));
        if (strcmp(f->name, "junit") == 0)
            assert_null(strstr(out.text, "SECRET"));
        if (strcmp(f->name, "junit") == 0 || strcmp(f->name, "markdown") == 0 ||
            strcmp(f->name, "student-html") == 0)
            assert_null(strstr(out.text, "<script"));
        strbuf_free(&out);
    }
    report_class_free(c);
}

static char *read_page(Arena *a, const char *dir, const char *name)
{
    char *text;
    size_t length;
    Diag d = {0};
    if (file_read(a, arena_printf(a, "%s/%s", dir, name), 1 << 20, &text, &length, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return text;
}

/* Pages that the test in a browser looks at. */
static void keep_or_remove(const char *what, const char *dir)
{
    if (getenv("KEEP_HTML"))
        printf("# %s: kept in %s\n", what, dir);
    else
        assert_int_equal(dir_remove(dir, NULL), STATUS_OK);
}

/* A source that was handed in, under the name that the finding names. */
static Status find_attack(void *context, Arena *a, const Result *r, ReportFiles *files, Diag *d)
{
    (void)context, (void)a, (void)r, (void)d;
    static const char source[] = "int first;\n" ATTACK "\nint last;\n";
    static const ReportFile file = {ATTACK, source, sizeof source - 1};
    *files = (ReportFiles){.files = &file, .n = 1};
    return STATUS_OK;
}

static void test_hostile_html(void **state)
{
    (void)state;
    char dir[] = "/tmp/test-html-XXXXXX";
    assert_non_null(mkdtemp(dir));
    ReportClass *c = fixture_hostile();
    Arena a = {0};
    Diag d = {0};
    const ReportFinder finder = {find_attack, NULL};
    if (report_html(c, ATTACK, dir, &finder, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    StrBuf student = {0};
    if (report_student_page(c, c->results[0], &finder, &student, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    const char *own = arena_printf(&a, "%s/student.html", dir);
    assert_int_equal(file_write_atomic(own, student.text, student.length, &d), STATUS_OK);
    strbuf_free(&student);
    const char *page = report_page_path(&a, c->students[0], c->labs[0]);
    assert_ptr_equal(strchr(page, '/'), strrchr(page, '/')); /* one folder down, and no further */
    assert_true(page[0] != '.' && strchr(page, '/')[1] != '.');
    const char *pages[] = {"index.html", page, "student.html"};
    for (size_t i = 0; i < 3; i++) {
        StrBuf text = {.text = read_page(&a, dir, pages[i])};
        text.length = strlen(text.text);
        expect_clean(&text);
        char *script = strstr(text.text, "<script"); /* the index has its own, and it is the last */
        assert_true(i == 0 ? script && strncmp(script, "<script>(function", 17) == 0 : !script);
        assert_null(script ? strstr(script + 1, "<script") : NULL);
        assert_null(strstr(text.text, "alert('"));
        assert_non_null(strstr(text.text, "&lt;script&gt;alert(&#39;x&#39;)"));
        assert_null(strstr(text.text, "http:"));
        assert_null(strstr(text.text, "https:"));
        assert_null(strstr(text.text, "src="));
    }
    report_class_free(c);
    keep_or_remove("hostile", dir);
    arena_free(&a);
}

/* The body of a page, without the style sheet. */
static void expect_body(const char *golden, char *page)
{
    char *body = strstr(page, "<body>");
    assert_non_null(body);
    StrBuf text = {.text = body, .length = strlen(body)};
    expect_golden(golden, &text);
}

static void test_html(void **state)
{
    (void)state;
    char dir[] = "/tmp/test-html-XXXXXX";
    assert_non_null(mkdtemp(dir));
    ReportClass *c = fixture_class();
    Arena a = {0};
    assert_int_equal(report_html(c, "CUDA Lab Kit", dir, NULL, NULL), STATUS_OK);
    expect_body("index.html", read_page(&a, dir, "index.html"));
    assert_null(strstr(read_page(&a, dir, "index.html"), "similar.html"));
    assert_int_equal(file_write_atomic(arena_printf(&a, "%s/similar.html", dir), "x", 1, NULL), STATUS_OK);
    assert_int_equal(report_html(c, "CUDA Lab Kit", dir, NULL, NULL), STATUS_OK);
    assert_non_null(strstr(read_page(&a, dir, "index.html"), "<a href=\"similar.html\">"));
    expect_body("submission.html", read_page(&a, dir, "s002/02-vector-add.html"));
    assert_non_null(strstr(read_page(&a, dir, "s003/02-vector-add.html"), "<details open>"));
    for (size_t i = 0; i < c->n_results; i++) { /* each page of the index is there */
        const char *page = report_page_path(&a, c->results[i]->student, c->results[i]->lab);
        assert_non_null(strstr(read_page(&a, dir, "index.html"), page));
        assert_int_equal(access(arena_printf(&a, "%s/%s", dir, page), R_OK), 0);
    }
    keep_or_remove("class", dir);
    report_class_free(c);
    arena_free(&a);
}

/* Pairs with hostile names and sources: text stays text, on the page and on the terminal. */
static void test_similar(void **state)
{
    (void)state;
    SimilarFile files[] = {{"a\x1b[2J.cu", "first\n" ATTACK "\nthird", sizeof "first\n" ATTACK "\nthird" - 1},
                           {ATTACK, "", 0}};
    SimilarWork works[] = {{ATTACK, files, 2, false}, {"s002", files, 2, false}};
    SimilarPassage passages[] = {{.file = {0, 1}, .first = {2, 1}, .last = {3, 9}, .tokens = 20}};
    SimilarPair pair = {.work = {0, 1},
                        .own = {30, 40},
                        .shared = {20, 25},
                        .percent = 64,
                        .passages = passages,
                        .n_passages = 1};
    const SimilarGroup both = {(size_t[]){0, 1}, 2};
    ReportSimilar lab = {.lab = ATTACK,
                         .works = works,
                         .n_works = 2,
                         .identical = &both,
                         .n_identical = 1,
                         .clusters = &both,
                         .n_clusters = 1,
                         .pairs = &pair,
                         .n_pairs = 1};
    char dir[] = "/tmp/test-html-XXXXXX";
    assert_non_null(mkdtemp(dir));
    Arena a = {0};
    assert_int_equal(report_similar_html(&lab, 1, ATTACK, dir, NULL), STATUS_OK);
    StrBuf page = {.text = read_page(&a, dir, "similar.html")}, text = {0};
    page.length = strlen(page.text);
    expect_clean(&page);
    assert_null(strstr(page.text, "<script"));
    assert_null(strstr(page.text, "first"));
    assert_non_null(strstr(page.text, "   2  &lt;/pre&gt;&lt;script&gt;"));
    assert_non_null(strstr(page.text, "64&#160;% (20 of 30 tokens, 25 of 40)"));
    report_similar(&text, &lab, 1);
    expect_clean(&text);
    assert_non_null(strstr(text.text, " s002: 64 % (20 of 30 tokens, 25 of 40)\n"));
    strbuf_free(&text);
    keep_or_remove("similar", dir);
    arena_free(&a);
}

static void test_empty_class(void **state)
{
    (void)state;
    ReportClass *c;
    StrBuf out = {0};
    assert_int_equal(report_class_make(NULL, 0, &c, NULL), STATUS_OK);
    report_table(&out, c, (ReportStyle){0});
    assert_string_equal(out.text, "no results\n");
    for (const ReportFormat *f = report_formats(); f->name; f++)
        if (!f->one_result)
            assert_int_equal(f->write(c, &out, NULL), STATUS_OK);
    char dir[] = "/tmp/test-html-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(report_html(c, "Kit", dir, NULL, NULL), STATUS_OK);
    assert_int_equal(dir_remove(dir, NULL), STATUS_OK);
    strbuf_free(&out);
    report_class_free(c);
}

static void test_load(void **state)
{
    (void)state;
    char dir[] = "/tmp/test-load-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/book.db", dir);
    ReportClass *c = fixture_class(), *loaded;
    Gradebook *g;
    GradebookRun run = {.kit_version = "1", .device_kind = "virtual", .device_name = "T4"};
    assert_int_equal(gradebook_open(path, &g, NULL), STATUS_OK);
    assert_int_equal(gradebook_start_run(g, &run, NULL), STATUS_OK);
    for (size_t i = 0; i < c->n_results; i++)
        assert_int_equal(gradebook_save(g, run.id, c->results[i], NULL, NULL), STATUS_OK);
    StrBuf direct = {0}, through = {0};
    report_table(&direct, c, (ReportStyle){0});
    report_format("json")->write(c, &direct, NULL);
    assert_int_equal(report_class_load(g, &(ReportChoice){0}, &loaded, NULL), STATUS_OK);
    report_table(&through, loaded, (ReportStyle){0});
    report_format("json")->write(loaded, &through, NULL);
    assert_string_equal(through.text, direct.text);
    report_class_free(loaded);
    assert_int_equal(report_class_load(g,
                                       &(ReportChoice){.students = (const char *const[]){"s002", NULL},
                                                       .labs = (const char *const[]){"02-vector-add", NULL}},
                                       &loaded, NULL),
                     STATUS_OK);
    assert_int_equal(loaded->n_results, 1);
    report_class_free(loaded);
    gradebook_close(g);
    strbuf_free(&direct);
    strbuf_free(&through);
    report_class_free(c);
    assert_int_equal(dir_remove(dir, NULL), STATUS_OK);
}

static void test_student_view(void **state)
{
    (void)state;
    Result *r = result_create();
    Finding finding = {.kind = "race",
                       .verdict = "race",
                       .kernel = "k",
                       .place.file = "SECRET-file",
                       .message = "SECRET-m",
                       .hint = "SECRET-h",
                       .text = "SECRET-t"};
    ResultMetric metric = {"SECRET-metric", 1};
    CaseResult cases[2] = {{.name = "open",
                            .points = 1,
                            .max_points = 2,
                            .verdict = VERDICT_RACE,
                            .message = "m",
                            .lesson = "l",
                            .hint = "h",
                            .replay = "r"},
                           {.name = "closed",
                            .hidden = true,
                            .max_points = 8,
                            .verdict = VERDICT_RACE,
                            .message = "SECRET-1",
                            .lesson = "what it teaches",
                            .hint = "SECRET-2",
                            .replay = "SECRET-3",
                            .findings = &finding,
                            .n_findings = 1,
                            .metrics = &metric,
                            .n_metrics = 1}};
    r->student = "s001";
    r->lab = "02-vector-add";
    r->seed = 123456789;
    r->cases = cases;
    r->n_cases = 2;
    Result *view = report_student_view(r);
    assert_non_null(view);
    json_t *json = result_to_json(view);
    char *text = json_dumps(json, 0);
    assert_null(strstr(text, "SECRET"));
    assert_null(strstr(text, "123456789"));
    assert_non_null(strstr(text, "what it teaches"));
    assert_string_equal(view->cases[0].message, "m");
    assert_string_equal(view->cases[1].name, "closed");
    assert_int_equal(view->cases[1].verdict, VERDICT_RACE);
    free(text);
    json_decref(json);
    result_free(view);
    result_free(r);
}

/* How a student may stand in a lab. */
typedef enum Standing { GRADED, BY_HAND, UNGRADED, UNGRADED_AND_SET, NOT_HANDED_IN, N_STANDINGS } Standing;

/* One result as it stands. The numbers occur nowhere else. */
static ReportClass *class_of(Standing standing)
{
    static const CaseResult right[] = {OK_CASE("a", 61.5, false),
                                       {.name = "b",
                                        .max_points = 38.5,
                                        .verdict = VERDICT_SLOW,
                                        .message = "",
                                        .lesson = "",
                                        .hint = "",
                                        .replay = ""}};
    CaseResult cases[] = {right[0], right[1]};
    Verdict verdict = VERDICT_SLOW;
    if (standing == UNGRADED || standing == UNGRADED_AND_SET) {
        verdict = cases[1].verdict = VERDICT_KIT_ERROR;
        cases[1].points = 38.5; /* as an older kit gave them */
    } else if (standing != GRADED) {
        verdict = cases[0].verdict = cases[1].verdict = VERDICT_NOT_SUBMITTED;
        cases[0].points = 0;
    }
    Result *results[] = {fixture_result("s007", "05-lab", verdict, cases, 2)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    static GradeItem set[] = {{.set = true, .points = 42.25, .text = "shown to me"}};
    if (standing == BY_HAND || standing == UNGRADED_AND_SET) {
        c->grades[0].items = set;
        c->grades[0].n_items = 1;
        c->grades[0].final = 42.25;
    }
    return c;
}

/* What each export says of them; a row for each format of formats.def. */
static const struct {
    const char *format, *says[N_STANDINGS];
} counting_rows[] = {
    {"csv",
     {",61.5,1,1,0,0,,graded\r\n", ",42.25,0,0,0,0,set to 42.25 points: shown to me,by-hand\r\n",
      ",,1,1,0,0,\"ungraded: the grader itself failed, and a person decides\",ungraded\r\n",
      ",42.25,1,1,0,0,set to 42.25 points: shown to me,by-hand\r\n", ",,0,0,0,0,,not-handed-in\r\n"}},
    {"cases-csv",
     {",slow,0,38.5,", ",not-submitted,0,38.5,", ",kit-error,,38.5,", ",kit-error,,38.5,",
      ",not-submitted,0,38.5,"}},
    {"json",
     {"\"final_score\": 61.5", "\"final_score\": 42.25", "\"final_score\": null", "\"final_score\": 42.25",
      "\"state\": \"not-handed-in\",\n      \"final_score\": null"}},
    {"junit",
     {"failures=\"1\" errors=\"0\"", "name=\"final_score\" value=\"42.25\"",
      "value=\"ungraded: the grader itself failed", "name=\"final_score\" value=\"42.25\"", "skipped=\"2\""}},
    {"markdown",
     {" slow 61.5/100 ", " not-submitted 42.25/100 ", " kit-error ungraded ", " kit-error 42.25/100 ",
      " not-submitted 0/100 "}},
    {"student",
     {"Score: 61.5/100\n", "Points that count: 42.25/100\n", "Score: ungraded\nungraded: the grader itself",
      "Points that count: 42.25/100\n", "Score: 0/100\n"}},
    {"student-html",
     {"<dt>Points</dt><dd>61.5/100<", "<dt>Points</dt><dd>42.25/100<", "<dt>Points</dt><dd>ungraded<",
      "<dt>Points</dt><dd>42.25/100<", "<dt>Points</dt><dd>0/100<"}},
    {"gradescope",
     {"{\n  \"score\": 61.5,", "{\n  \"score\": 42.25,", "{\n  \"output\": ", "{\n  \"score\": 42.25,",
      "{\n  \"score\": 0.0,"}},
    {"prairielearn",
     {"\"gradable\": true,\n  \"score\": 0.615", "\"gradable\": true,\n  \"score\": 0.4225",
      "\"gradable\": false,\n  \"score\": 0.0", "\"gradable\": true,\n  \"score\": 0.4225",
      "\"gradable\": true,\n  \"score\": 0.0"}},
    {"autolab",
     {"{\"scores\":{\"05-lab\":61.5},", "{\"scores\":{\"05-lab\":42.25},", "{\"scores\":{}}",
      "{\"scores\":{\"05-lab\":42.25},", "{\"scores\":{\"05-lab\":0.0},"}},
};

static const char *const *counting_row(const char *format)
{
    for (size_t i = 0; i < sizeof counting_rows / sizeof *counting_rows; i++)
        if (strcmp(counting_rows[i].format, format) == 0)
            return counting_rows[i].says;
    fail_msg("no row says what %s must say of points", format);
    return NULL;
}

/* No export shows all points, or any but those set by hand, of what the kit failed on. */
static void check_ungraded(const char *format, const char *text)
{
    static const char *const points[] = {"\"score\": 1", "100/100",        "61.5/100",
                                         "s007,,100.00", "kit-error,100,", "kit-error,61.5,"};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (strcmp(format, "json") != 0 && strstr(text, points[i]))
            fail_msg("%s shows '%s' of an ungraded submission:\n%s", format, points[i], text);
}

static void only_these(const json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            fail_msg("Gradescope knows no member '%s'", key);
    }
}

/* Gradescope's results.json has members of these names only. A score stands at the top or in each test: where there is none in
 * either, Gradescope reports an autograder that failed, and no points. The leaderboard would show a number, too. */
static bool gradescope_scores(const char *text, bool *in_tests)
{
    static const char *const top[] = {"score",         "execution_time",     "output",
                                      "output_format", "test_output_format", "test_name_format",
                                      "visibility",    "stdout_visibility",  "extra_data",
                                      "tests",         "leaderboard",        NULL};
    static const char *const each[] = {"score",       "max_score",  "status",     "name",
                                       "name_format", "number",     "output",     "output_format",
                                       "tags",        "visibility", "extra_data", NULL};
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *test;
    size_t i, n_scored = 0;
    assert_non_null(json);
    only_these(json, top);
    json_t *tests = json_object_get(json, "tests");
    assert_true(json_is_array(tests) && json_array_size(tests) > 0);
    json_array_foreach(tests, i, test)
    {
        const char *status = json_string_value(json_object_get(test, "status"));
        only_these(test, each);
        assert_true(json_is_string(json_object_get(test, "name")) &&
                    json_is_number(json_object_get(test, "max_score")));
        assert_true(status && (strcmp(status, "passed") == 0 || strcmp(status, "failed") == 0));
        n_scored += json_is_number(json_object_get(test, "score"));
    }
    assert_true(n_scored == 0 || n_scored == json_array_size(tests));
    *in_tests = n_scored > 0;
    bool at_top = json_is_number(json_object_get(json, "score"));
    if (!at_top)
        assert_null(json_object_get(json, "leaderboard"));
    json_decref(json);
    return at_top;
}

static void test_gradescope_has_no_score_of_what_is_ungraded(void **state)
{
    (void)state;
    for (Standing standing = 0; standing < N_STANDINGS; standing++) {
        ReportClass *c = class_of(standing);
        StrBuf out = {0};
        bool in_tests;
        c->results[0]->cases[0].leaderboard = "timeline_us";
        c->results[0]->cases[0].metrics = &(ResultMetric){"timeline_us", 77};
        c->results[0]->cases[0].n_metrics = 1;
        assert_int_equal(report_format("gradescope")->write(c, &out, NULL), STATUS_OK);
        bool at_top = gradescope_scores(out.text, &in_tests);
        assert_int_equal(at_top, standing != UNGRADED);
        assert_int_equal(in_tests, standing != UNGRADED);
        strbuf_free(&out);
        report_class_free(c);
    }
}

static void test_what_counts_in_every_format(void **state)
{
    (void)state;
    for (const ReportFormat *f = report_formats(); f->name; f++) {
        const char *const *says = counting_row(f->name);
        for (Standing standing = 0; standing < N_STANDINGS; standing++) {
            ReportClass *c = class_of(standing);
            StrBuf out = {0};
            assert_int_equal(f->write(c, &out, NULL), STATUS_OK);
            if (!strstr(out.text, says[standing]))
                fail_msg("%s, %d: wanted '%s' in\n%s", f->name, (int)standing, says[standing], out.text);
            if (standing == UNGRADED)
                check_ungraded(f->name, out.text);
            strbuf_free(&out);
            report_class_free(c);
        }
    }
}

/* Ids, labs, cases, messages, notes: no cell of any export in CSV begins as a formula does. */
static void test_no_formula_in_any_cell(void **state)
{
    (void)state;
    static const char *const formats[] = {"csv", "cases-csv"};
    static const char *const starts[] = {"=", "+", "-", "@", "\t", "'=", "\xEF\xBC\x9D"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        char evil[32];
        snprintf(evil, sizeof evil, "%sA1+1", starts[k]);
        CaseResult one = {.name = evil,
                          .max_points = 100,
                          .verdict = VERDICT_CRASH,
                          .message = evil,
                          .lesson = "",
                          .hint = "",
                          .replay = ""};
        Result *results[] = {fixture_result(evil, evil, VERDICT_CRASH, &one, 1)};
        results[0]->device_name = results[0]->kit_version = evil;
        GradeItem item = {.text = evil};
        ReportClass *c;
        assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
        c->grades[0].items = &item;
        c->grades[0].n_items = c->grades[0].n_comments = 1;
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            Arena a = {0};
            StrBuf out = {0};
            CsvRow row;
            assert_int_equal(report_format(formats[i])->write(c, &out, NULL), STATUS_OK);
            size_t n_guarded = 0;
            for (size_t at = 0; at < out.length; at = row.end) {
                assert_true(csv_read_row(&a, out.text, out.length, at, &row));
                for (size_t j = 0; j < row.n; j++) {
                    const char *text = row.cells[j].text;
                    if (text[0] != '\'' && csv_is_formula(text))
                        fail_msg("%s: a cell is '%s'", formats[i], text);
                    n_guarded += strcmp(csv_unguarded(text), evil) == 0;
                }
            }
            assert_true(n_guarded >= 2); /* and each comes back as it was */
            strbuf_free(&out);
            arena_free(&a);
        }
        report_class_free(c);
    }
}

/* The table, the index and a lab's figures leave out what is ungraded. */
static void test_ungraded_in_tables(void **state)
{
    (void)state;
    ReportClass *c = class_of(UNGRADED);
    StrBuf table = {0}, page = {0};
    report_table(&table, c, (ReportStyle){0});
    assert_non_null(strstr(table.text, "s007     kit-error  ungraded\n"));
    assert_non_null(strstr(table.text, "mean 0, median 0 of 100, 1 ungraded\n"));
    assert_non_null(strstr(table.text, "a person should look at: s007 05-lab (kit-error, ungraded)\n"));
    html_index(&page, c, "T", false);
    assert_non_null(strstr(page.text, "<dt>Ungraded</dt><dd>1</dd>"));
    assert_non_null(strstr(page.text, "<span class=\"pts\">ungraded</span>"));
    assert_null(strstr(page.text, "100/100"));
    strbuf_free(&table);
    strbuf_free(&page);
    report_class_free(c);
}

/* Full points, and a mark wherever a note can stand. */
static void test_inconclusive_is_marked(void **state)
{
    (void)state;
    static const char *const marked[] = {"csv",          "json",       "junit",        "student",
                                         "student-html", "gradescope", "prairielearn", "autolab"};
    CaseResult cases[] = {OK_CASE("a", 60, false), OK_CASE("b", 40, false)};
    cases[1].verdict = VERDICT_INCONCLUSIVE;
    Result *results[] = {fixture_result("s007", "05-lab", VERDICT_INCONCLUSIVE, cases, 2)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    assert_true(grade_that_counts(&c->grades[0]).points == 100);
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        StrBuf out = {0};
        assert_int_equal(report_format(marked[i])->write(c, &out, NULL), STATUS_OK);
        if (!strstr(out.text, "1 case is inconclusive: counted in full") &&
            !strstr(out.text, "\"inconclusive_cases\": 1"))
            fail_msg("%s has no mark:\n%s", marked[i], out.text);
        strbuf_free(&out);
    }
    report_class_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_advice_is_told_once),
        cmocka_unit_test(test_screen_fits),
        cmocka_unit_test(test_screen_tells_what_helps),
        cmocka_unit_test(test_screen_of_a_suspect),
        cmocka_unit_test(test_screen_of_arrays),
        cmocka_unit_test(test_film),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_what_counts_in_every_format),
        cmocka_unit_test(test_gradescope_has_no_score_of_what_is_ungraded),
        cmocka_unit_test(test_ungraded_in_tables),
        cmocka_unit_test(test_no_formula_in_any_cell),
        cmocka_unit_test(test_inconclusive_is_marked),
        cmocka_unit_test(test_wide_names_align),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_reason_told_once),
        cmocka_unit_test(test_another_place_is_another_reason),
        cmocka_unit_test(test_slow_for_other_reasons),
        cmocka_unit_test(test_new_findings_of_like_cases),
        cmocka_unit_test(test_exports),
        cmocka_unit_test(test_exports_of_one),
        cmocka_unit_test(test_grades),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_hostile_html),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_similar),
        cmocka_unit_test(test_empty_class),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_student_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
