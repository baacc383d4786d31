/* Cases in which a call fails: who earns the points. */
#include "grader/submission/error_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define REPORT(members) "{\"schema\":1,\"exit\":{\"status\":1}," members "}"
#define FAILED(calls, failed) \
    REPORT("\"fail_at\":{\"calls\":" #calls ",\"failed\":" #failed ",\"code\":2},\"errors\":[" \
           "{\"call\":\"cudaMalloc\",\"error\":\"cudaErrorMemoryAllocation\",\"code\":2,\"met\":true}]")
#define SAID(met) \
    REPORT("\"errors\":[{\"call\":\"cudaMalloc\",\"error\":\"cudaErrorMemoryAllocation\",\"code\":2,\"met\":" #met "}]")

typedef struct Row {
    const char *name, *report;
    bool injects, may_not_meet, failed_before;
    int status, expect_status;
    const char *expect_error;
    bool has_returned;
    double returned;
    Verdict wanted;
} Row;

static const Row rows[] = {
    {"the failed call's error is returned", FAILED(3, true), .injects = true, .status = 1, .expect_status = 1, .has_returned = true, .returned = 2, .wanted = VERDICT_PASS},
    {"and was returned without a cause before", FAILED(3, true), .injects = true, .failed_before = true, .status = 1, .expect_status = 1, .has_returned = true, .returned = 2, .wanted = VERDICT_WRONG_RESULT},
    {"another error is", FAILED(3, true), .injects = true, .status = 1, .expect_status = 1, .has_returned = true, .returned = 1, .wanted = VERDICT_WRONG_RESULT},
    {"the status alone is not enough", FAILED(3, true), .injects = true, .status = 1, .expect_status = 1, .wanted = VERDICT_WRONG_RESULT},
    {"an error is returned, and none was met", FAILED(3, false), .injects = true, .status = 1, .expect_status = 1, .has_returned = true, .returned = 2, .wanted = VERDICT_WRONG_RESULT},
    {"an error is returned without any call", FAILED(0, false), .injects = true, .status = 1, .expect_status = 1, .has_returned = true, .returned = 1, .wanted = VERDICT_CRASH},
    {"no call can fail, and none does", FAILED(0, false), .injects = true, .status = 0, .expect_status = 1, .wanted = VERDICT_PASS},
    {"the error is met and handled", FAILED(3, true), .injects = true, .status = 0, .wanted = VERDICT_PASS},
    {"handled without being met", FAILED(3, false), .injects = true, .status = 0, .wanted = VERDICT_WRONG_RESULT},
    {"one of several calls returns it", FAILED(3, true), .injects = true, .status = 0, .has_returned = true, .returned = 2, .wanted = VERDICT_PASS},
    {"one of several returns another", FAILED(3, true), .injects = true, .status = 0, .has_returned = true, .returned = 1, .wanted = VERDICT_WRONG_RESULT},
    {"an error that the devices gave", SAID(true), .expect_error = "any", .wanted = VERDICT_PASS},
    {"the one that is expected", SAID(true), .expect_error = "cudaErrorMemoryAllocation", .wanted = VERDICT_PASS},
    {"an error that the program only tells of", SAID(false), .expect_error = "any", .wanted = VERDICT_WRONG_RESULT},
    {"no error at all", REPORT("\"errors\":[]"), .expect_error = "any", .wanted = VERDICT_WRONG_RESULT},
    {"one that may be met is returned where all should go well", SAID(true), .may_not_meet = true, .status = 1, .expect_error = "cudaErrorMemoryAllocation", .has_returned = true, .returned = 2, .wanted = VERDICT_CUDA_ERROR},
    {"and is not", SAID(true), .may_not_meet = true, .expect_error = "cudaErrorMemoryAllocation", .wanted = VERDICT_PASS},
    {"no error at all, where it may be met", REPORT("\"errors\":[]"), .may_not_meet = true, .expect_error = "any", .wanted = VERDICT_PASS},
};

static void test_rows(void **state)
{
    (void)state;
    static const char *options[] = {"--check=race", "--fail-at=9"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        VgpuReport *report = NULL;
        assert_int_equal(STATUS_OK, vgpu_report_parse(row->report, strlen(row->report), &report, NULL));
        const char *error = row->expect_error ? row->expect_error : row->injects ? "any" : "";
        LabCase c = {.run = true, .points = 10, .metric = "", .expect_error = error, .expect_status = row->expect_status,
                     .must_meet = !row->may_not_meet, .vgpu = options, .n_vgpu = row->injects ? 2 : 1};
        Evidence e = {.lab_case = &c, .virtual_device = true, .isolated = true, .status = row->status, .report = report,
                      .has_returned = row->has_returned, .failed_before = row->failed_before, .returned = row->returned};
        Verdict v = verdict_of(&e);
        if (v != row->wanted)
            fail_msg("%s: %s", row->name, verdict_word(v));
        Arena a = {0};
        assert_true((error_fault(&e) == ERROR_FAULT_NONE) == (error_fault_text(&a, &e, LANGUAGE_ENGLISH) == NULL));
        arena_free(&a);
        vgpu_report_free(report);
    }
}

static void test_runs(void **state)
{
    (void)state;
    static const char *options[] = {"--check=race", "--fail-at=9"};
    LabCase c = {.vgpu = options, .n_vgpu = 2}, plain = {.vgpu = options, .n_vgpu = 1};
    VgpuReport few = {.can_fail = 4}, as_many = {.can_fail = 9}, none = {0};
    Arena a = {0};
    assert_true(error_is_injected(&c) && !error_is_injected(&plain));
    assert_string_equal("--fail-at=1000000000000", error_case_first(&a, &c)->vgpu[1]);
    assert_int_equal(0, error_runs(&c, &none));
    assert_int_equal(0, error_runs(&c, NULL));
    assert_int_equal(1, error_runs(&c, &few));
    assert_string_equal("--check=race", error_case_run(&a, &c, &few, 1)->vgpu[0]);
    assert_string_equal("--fail-at=4", error_case_run(&a, &c, &few, 1)->vgpu[1]);
    assert_string_equal("--fail-at=9", error_case_run(&a, &c, &as_many, 1)->vgpu[1]);
    assert_string_equal("--fail-at=9", c.vgpu[1]);
    arena_free(&a);
}

static void test_each_call(void **state)
{
    (void)state;
    static const char *options[] = {"--fail-at=each"};
    LabCase c = {.vgpu = options, .n_vgpu = 1};
    VgpuReport few = {.can_fail = 4}, many = {.can_fail = ERROR_RUNS_MAX + 1}, none = {0};
    Arena a = {0};
    assert_true(error_is_injected(&c));
    assert_string_equal("--fail-at=1000000000000", error_case_first(&a, &c)->vgpu[0]);
    assert_int_equal(0, error_runs(&c, &none));
    assert_int_equal(4, error_runs(&c, &few));
    assert_int_equal(ERROR_RUNS_MAX, error_runs(&c, &many));
    assert_string_equal("--fail-at=1", error_case_run(&a, &c, &few, 1)->vgpu[0]);
    assert_string_equal("--fail-at=4", error_case_run(&a, &c, &few, 4)->vgpu[0]);
    arena_free(&a);
}

/* A launch returns nothing: where one failed, the text says who tells of it. */
static void test_launch(void **state)
{
    (void)state;
    static const char *options[] = {"--fail-at=1"};
    static const struct {
        const char *call;
        bool has_returned;
        const char *text;
        double returned;
    } tries[] = {
        {"__cudaLaunchKernel", false, "no error was returned. Of a launch that was refused cudaGetLastError() tells", 0},
        {"__cudaLaunchKernel", true, "0 was returned. Of a launch", 0},
        {"cudaMalloc", true, "A CUDA call failed with error 2, and 0 was returned.", 0},
        {"cudaMalloc", true, "A CUDA call failed with error 2, and 1 was returned. 1 is what ||, !, a comparison", 1},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        LabCase c = {.run = true, .points = 10, .metric = "", .expect_error = "any", .expect_status = 1, .vgpu = options, .n_vgpu = 1};
        VgpuError error = {.call = tries[i].call, .error = "cudaErrorMemoryAllocation", .file = "a.cu", .line = 3, .met = true};
        VgpuError errors[] = {error, {.call = "cudaMemcpy", .error = "cudaErrorInvalidValue", .file = "a.cu", .line = 4, .met = true}};
        VgpuReport report = {.can_fail = 1, .injected = true, .injected_code = 2, .errors = errors, .n_errors = 1};
        Evidence e = {.lab_case = &c, .virtual_device = true, .isolated = true, .report = &report, .has_returned = tries[i].has_returned, .returned = tries[i].returned};
        Arena a = {0};
        const char *text = error_fault_text(&a, &e, LANGUAGE_ENGLISH);
        assert_non_null(text);
        if (!strstr(text, tries[i].text) || (strstr(text, "Of a launch") != NULL) != (error.call[0] == '_'))
            fail_msg("%s: %s", tries[i].call, text);
        report.n_errors = 2; /* who goes on returns the error of a later call: 1 is its code */
        assert_null(strstr(error_fault_text(&a, &e, LANGUAGE_ENGLISH), "a bool"));
        arena_free(&a);
    }
}

/* CUB tells of devices that cannot be counted by a code of its own. */
static void test_library(void **state)
{
    (void)state;
    static const char *options[] = {"--fail-at=1"};
    static const struct {
        const char *call;
        double returned;
        ErrorFault fault;
    } tries[] = {{"cudaGetDeviceCount", 100, ERROR_FAULT_NONE},
                 {"cudaGetDeviceCount", 101, ERROR_FAULT_NONE},
                 {"cudaGetDeviceCount", 1, ERROR_NOT_RETURNED},
                 {"cudaGetDevice", 101, ERROR_NOT_RETURNED}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        LabCase c = {.run = true, .points = 10, .metric = "", .expect_error = "any", .expect_status = 1, .vgpu = options, .n_vgpu = 1};
        VgpuError error = {.call = tries[i].call, .error = "cudaErrorNoDevice", .file = "", .met = true};
        VgpuReport report = {.can_fail = 1, .injected = true, .injected_code = 100, .errors = &error, .n_errors = 1};
        Evidence e = {.lab_case = &c, .virtual_device = true, .isolated = true, .report = &report, .has_returned = true, .returned = tries[i].returned};
        assert_int_equal(tries[i].fault, error_fault(&e));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_runs), cmocka_unit_test(test_each_call),
                                       cmocka_unit_test(test_launch), cmocka_unit_test(test_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
