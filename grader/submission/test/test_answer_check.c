/* Answers held against the truth: of the lab's files, of the run's report, of what the driver reported. */
#include "grader/submission/answer_check.h"

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

static const char *limits[] = {"memory", "compute", "latency"};
static LabField fields[] = {
    {.name = "limit", .words = limits, .n_words = 3},
    {.name = "bytes", .min = 0, .max = 1e300},
    {.name = "gain", .min = 0, .max = 1e300},
};
static const char *names[] = {"copy"};
static LabSection section = {names, 1, fields, 3};
static const Lab lab = {.sheet = {.file = "answers.yaml", .sections = &section, .n_sections = 1}};

static const char report_text[] =
    "{\"schema\":1,\"totals\":{\"dram_read_bytes\":1000,\"flops32\":500,\"none\":0},"
    "\"launches\":[{\"kernel\":\"a\",\"time_us\":2,\"bound\":\"compute\"},"
    "{\"kernel\":\"b\",\"time_us\":5,\"bound\":\"memory\"},{\"kernel\":\"c\",\"time_us\":1}]}";

#define ONE_OF(list) .one_of = list, .n_one_of = 2, .at_least = NAN, .at_most = NAN
#define NONE         .one_of = NULL, .at_least = NAN, .at_most = NAN
static const char *right_words[] = {"latency", "memory"}, *right_numbers[] = {"10", "1e3"};

typedef struct Row {
    const char *name, *text;
    LabAnswer wanted;
    Verdict verdict;
    const char *says;
} Row;

static const Row rows[] = {
    {"a word of two", "limit: memory", {.of = "copy.limit", ONE_OF(right_words)}, VERDICT_PASS, ""},
    {"a wrong word",
     "limit: compute",
     {.of = "copy.limit", ONE_OF(right_words), .why = "look at the roof"},
     VERDICT_WRONG_RESULT,
     "copy.limit, line 1: compute is not right: look at the roof."},
    {"the word of the longest launch",
     "limit: memory",
     {.of = "copy.limit", NONE, .truth = "bound"},
     VERDICT_PASS,
     ""},
    {"not of another launch",
     "limit: compute",
     {.of = "copy.limit", NONE, .truth = "bound"},
     VERDICT_WRONG_RESULT,
     "not right"},
    {"a listed number", "bytes: 1000", {.of = "copy.bytes", ONE_OF(right_numbers)}, VERDICT_PASS, ""},
    {"within bounds", "bytes: 12", {.of = "copy.bytes", .at_least = 12, .at_most = 12}, VERDICT_PASS, ""},
    {"below the bounds",
     "bytes: 11",
     {.of = "copy.bytes", .at_least = 12, .at_most = 14},
     VERDICT_WRONG_RESULT,
     "11 is not right"},
    {"above the bounds",
     "bytes: 15",
     {.of = "copy.bytes", .at_least = 12, .at_most = 14},
     VERDICT_WRONG_RESULT,
     ""},
    {"one bound", "bytes: 15", {.of = "copy.bytes", .at_least = 12, .at_most = NAN}, VERDICT_PASS, ""},
    {"a total, in its band",
     "bytes: 1090",
     {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .rtol = 0.1},
     VERDICT_PASS,
     ""},
    {"a total, out of its band",
     "bytes: 1110",
     {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .rtol = 0.1},
     VERDICT_WRONG_RESULT,
     ""},
    {"below its band",
     "bytes: 890",
     {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .rtol = 0.1},
     VERDICT_WRONG_RESULT,
     ""},
    {"an absolute band",
     "bytes: 1005",
     {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .atol = 5},
     VERDICT_PASS,
     ""},
    {"a quotient",
     "gain: 0.5",
     {.of = "copy.gain", NONE, .truth = "flops32", .over = "dram_read_bytes"},
     VERDICT_PASS,
     ""},
    {"a quotient by nothing",
     "gain: 0.5",
     {.of = "copy.gain", NONE, .truth = "flops32", .over = "none"},
     VERDICT_WRONG_RESULT,
     ""},
    {"the solution's number over the submission's",
     "gain: 2.4",
     {.of = "copy.gain", NONE, .truth = "gain", .rtol = 0.05},
     VERDICT_PASS,
     ""},
    {"what a program reports of itself",
     "gain: 2.4",
     {.of = "copy.gain", NONE, .truth = "value.gain", .rtol = 0.05},
     VERDICT_KIT_ERROR,
     "cannot be told"},
    {"a name that no report has",
     "gain: 2.4",
     {.of = "copy.gain", NONE, .truth = "dram_rad_bytes"},
     VERDICT_KIT_ERROR,
     "cannot be told"},
    {"the wrong way round", "gain: 0.4", {.of = "copy.gain", NONE, .truth = "gain", .rtol = 0.05}, VERDICT_WRONG_RESULT, "the wrong way round"},
    {"neither way", "gain: 0.5", {.of = "copy.gain", NONE, .truth = "gain", .rtol = 0.05, .why = "so it is"}, VERDICT_WRONG_RESULT, "0.5 is not right: so it is."},
    {"floats for bytes", "bytes: 250", {.of = "copy.bytes", NONE, .truth = "dram_read_bytes"}, VERDICT_WRONG_RESULT, "a float has four"},
    {"a fourth of something else", "bytes: 250", {.of = "copy.bytes", .at_least = 1000, .at_most = 1000}, VERDICT_WRONG_RESULT, "250 is not right."},
    {"thousands", "bytes: 1.01", {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .rtol = 0.02}, VERDICT_WRONG_RESULT, "its unit is not"},
    {"one element", "bytes: 2", {.of = "copy.bytes", NONE, .truth = "dram_read_bytes", .rtol = 0.02}, VERDICT_WRONG_RESULT, "that of one element"},
    {"thousandths", "bytes: 1e6", {.of = "copy.bytes", .at_least = 999, .at_most = 1001}, VERDICT_WRONG_RESULT, "its unit is not"},
    {"no answer yet",
     "gain:",
     {.of = "copy.gain", NONE, .truth = "flops32"},
     VERDICT_MISSING_OUTPUT,
     "copy.gain, line 1: no answer yet."},
    {"no field",
     "limit: memory",
     {.of = "copy.gain", NONE, .truth = "flops32"},
     VERDICT_MISSING_OUTPUT,
     "copy.gain is missing."},
    {"a file that is none",
     "gain: [1]",
     {.of = "copy.gain", NONE, .truth = "flops32"},
     VERDICT_MISSING_OUTPUT,
     "a list here"},
};

static VgpuReport *report;

static int set_up(void **state)
{
    (void)state;
    return vgpu_report_parse(report_text, strlen(report_text), &report, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    vgpu_report_free(report);
    return 0;
}

static const char *baseline_of = "dram_read_bytes";
static const CardCounters *card; /* what a real card counted, in a run on one */

static AnswerCheck check_text(Arena *a, const char *text, LabAnswer *wanted, size_t n, const VgpuReport *r)
{
    AnswerFile file;
    AnswerCheck check;
    AnswerTruths truths = {.report = r, .card = card};
    LabBaseline baseline = {.name = "gain", .of = baseline_of, .number = 2500, .as = "quotient", .by = 1};
    LabCase c = {.answers = wanted, .n_answers = n, .run = true, .baseline = baseline, .params = &(LabParam){"n", "500"}, .n_params = 1};
    for (size_t i = 0; i < n; i++) {
        const char **texts[] = {&wanted[i].truth, &wanted[i].over, &wanted[i].why};
        for (int t = 0; t < 3; t++)
            *texts[t] = *texts[t] ? *texts[t] : "";
    }
    assert_int_equal(STATUS_OK, answers_parse(a, &lab, text, strlen(text), &file, NULL));
    assert_int_equal(STATUS_OK, answer_check(a, &c, &file, &truths, &check, NULL));
    return check;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Arena a = {0};
        char text[128];
        LabAnswer wanted = rows[i].wanted;
        wanted.points = 4;
        snprintf(text, sizeof text, "copy: {%s }\n", rows[i].text);
        AnswerCheck check = check_text(&a, text, &wanted, 1, report);
        if (check.verdict != rows[i].verdict || !strstr(check.message, rows[i].says))
            fail_msg("%s: got %s, \"%s\"", rows[i].name, verdict_word(check.verdict), check.message);
        assert_true(check.points == (rows[i].verdict == VERDICT_PASS ? 4 : 0));
        arena_free(&a);
    }
}

static void test_several(void **state)
{
    (void)state;
    Arena a = {0};
    LabAnswer wanted[] = {
        {.of = "copy.limit", .points = 1, NONE, .truth = "bound"},
        {.of = "copy.bytes", .points = 2, NONE, .truth = "dram_read_bytes"},
        {.of = "copy.gain", .points = 4, NONE, .truth = "gain"},
    };
    AnswerCheck check = check_text(&a, "copy: {limit: memory, bytes: 7, gain: 2.5}", wanted, 3, report);
    assert_int_equal(VERDICT_WRONG_RESULT, check.verdict);
    assert_true(check.points == 5);
    assert_string_equal("copy.bytes, line 1: 7 is not right.\n2 of 3 answers are right.", check.message);
    check = check_text(&a, "copy: {limit: memory, bytes: many}", wanted, 3, report);
    assert_int_equal(VERDICT_MISSING_OUTPUT, check.verdict);
    assert_true(check.points == 1);
    check = check_text(&a, "copy: {limit: memory, bytes: 1000, gain: 2.5}", wanted, 3, report);
    assert_int_equal(VERDICT_PASS, check.verdict);
    assert_true(check.points == 7);
    /* without a report nothing can be told, and that is the program's doing */
    check = check_text(&a, "copy: {limit: memory, bytes: 1000, gain: 2.5}", wanted, 3, NULL);
    assert_int_equal(VERDICT_WRONG_RESULT, check.verdict);
    assert_true(check.points == 0);
    arena_free(&a);
}

/* A program whose kernels never ran has a time of 0: no answer is near what is divided by it, and the lab is not at fault. */
static void test_nothing_ran(void **state)
{
    (void)state;
    Arena a = {0};
    LabAnswer wanted[] = {{.of = "copy.gain", .points = 4, NONE, .truth = "gain", .rtol = 0.05}};
    baseline_of = "none";
    assert_int_equal(VERDICT_WRONG_RESULT, check_text(&a, "copy: {gain: 2.5}", wanted, 1, report).verdict);
    baseline_of = "kernel_us";
    assert_int_equal(VERDICT_WRONG_RESULT, check_text(&a, "copy: {gain: 2.5}", wanted, 1, report).verdict);
    baseline_of = "kernels_us";
    assert_int_equal(VERDICT_KIT_ERROR, check_text(&a, "copy: {gain: 2.5}", wanted, 1, report).verdict);
    baseline_of = "dram_read_bytes";
    arena_free(&a);
}

/* What a real card counted is a truth beside the virtual GPU's, where both agree. */
static void test_card(void **state)
{
    (void)state;
    static const CardCounters counted = {
        .measured = true,
        .numbers = {[NCU_READ] = 1040, [NCU_WRITTEN] = 0, [NCU_FLOPS32] = 900},
        .counted = {[NCU_READ] = 1000, [NCU_WRITTEN] = 0, [NCU_FLOPS32] = 500},
        .agrees = {[NCU_READ] = true, [NCU_WRITTEN] = true},
        .has_intensity = true};
    static const struct {
        const char *text, *truth, *over;
        bool right_on_card, right_without;
    } cases[] = {
        {"bytes: 1000", "dram_read_bytes", NULL, true, true},
        {"bytes: 1040", "dram_read_bytes", NULL, true, false},
        {"bytes: 1020", "dram_read_bytes", NULL, false, false},
        {"bytes: 500", "flops32", NULL, true, true},
        {"bytes: 900", "flops32", NULL, false, false}, /* too far from 500 */
        {"gain: 0.480769", "flops32", "dram_read_bytes", true, false},
        {"gain: 0.480769", "arithmetic_intensity", NULL, true, false},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        LabAnswer wanted = {.of = cases[i].text[0] == 'b' ? "copy.bytes" : "copy.gain",
                            NONE,
                            .truth = cases[i].truth,
                            .over = cases[i].over,
                            .rtol = 1e-5,
                            .points = 1};
        snprintf(text, sizeof text, "copy: {%s}", cases[i].text);
        card = &counted;
        assert_int_equal(cases[i].right_on_card, check_text(&a, text, &wanted, 1, report).points == 1);
        card = NULL;
        assert_int_equal(cases[i].right_without, check_text(&a, text, &wanted, 1, report).points == 1);
    }
    double number;
    assert_false(counters_number(&counted, "flops32", &number));
    assert_false(counters_number(&counted, "launches", &number));
    arena_free(&a);
}

/* A case without answers asks for the form. */
static void test_form(void **state)
{
    (void)state;
    Arena a = {0};
    AnswerCheck check = check_text(&a, "copy: {limit: memory, bytes: 1000, gain: 2.5}", NULL, 0, NULL);
    assert_int_equal(VERDICT_PASS, check.verdict);
    check = check_text(&a, "copy: {limit: memory, bytes: 1000, grain: 2.5}", NULL, 0, NULL);
    assert_int_equal(VERDICT_MISSING_OUTPUT, check.verdict);
    assert_non_null(strstr(check.message, "no field 'grain'"));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_several), cmocka_unit_test(test_nothing_ran),
        cmocka_unit_test(test_card),
        cmocka_unit_test(test_form),
    };
    return cmocka_run_group_tests_name("answer_check", tests, set_up, tear_down);
}
