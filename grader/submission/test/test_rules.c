/* The rules from evidence to verdict and points: a table, a row for each rule and for each order of two that
 * meet. */
#include "grader/judge/sanitizer_report.h"
#include "grader/submission/case_run.h"
#include "grader/submission/outputs.h"
#include "grader/submission/submission.h"
#include "grader/submission/verdict_rules.h"
#include "grader/submission/work.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A report's JSON; the parts that a row leaves out are those of a good run. */
#define GOOD "\"totals\":{\"kernel_ops\":1000}"

typedef struct Row {
    const char *name;
    LabCase c; /* points 10, finding_credit 0.5 are set below */
    WireEnd end;
    int status, signal; /* of the command; by default as the report says */
    bool forged, isolated;
    const char *report; /* NULL: a good one; "": none */
    Verdict answer;     /* of the judge */
    double metric;
    bool has_metric, no_answer, no_run;
    const AnswerCheck *answers; /* of an answer file */
    const ProvenanceFound *work;
    Verdict wanted;
    double points;
} Row;

static LabTier tiers[] = {{1.1, NAN, 10}, {2.0, NAN, 5}};
static LabTier at_least[] = {{NAN, 8, 10}};

#define REPORT(x)  "{\"schema\":1," x "}"
#define EXIT(s, g) "\"exit\":{\"status\":" #s ",\"signal\":" #g "}"
#define FIND(v)    "\"findings\":[{\"kind\":\"k\",\"verdict\":\"" v "\",\"advice\":false}]"
#define ADVICE     "\"findings\":[{\"kind\":\"k\",\"verdict\":\"\",\"advice\":true}]"
#define ERR(e)     "\"errors\":[{\"call\":\"cudaMalloc\",\"error\":\"" e "\",\"code\":2}]"
static LabAnswer asked[2];
static const AnswerCheck all_right = {VERDICT_PASS, 10, ""}, half_right = {VERDICT_WRONG_RESULT, 4, ""},
                         one_missing = {VERDICT_MISSING_OUTPUT, 6, ""}, no_truth = {VERDICT_KIT_ERROR, 4, ""};
static const ProvenanceFound work_done = {.verdict = VERDICT_PASS}, suspect = {.verdict = VERDICT_SUSPECT},
                             no_work = {.verdict = VERDICT_NO_GPU_WORK};
#define ASKS   .c = {.answers = asked, .n_answers = 2}
#define PASSED .answer = VERDICT_PASS

static const Row rows[] = {
    {.name = "all is well", PASSED, .wanted = VERDICT_PASS, .points = 10},
    {.name = "wall", .end = WIRE_END_WALL, .report = "", .no_answer = true, .wanted = VERDICT_TIMEOUT},
    {.name = "cpu", .end = WIRE_END_CPU, .no_answer = true, .wanted = VERDICT_TIMEOUT},
    {.name = "memory",
     .end = WIRE_END_MEMORY,
     .report = "",
     .no_answer = true,
     .wanted = VERDICT_MEMORY_LIMIT},
    {.name = "processes",
     .end = WIRE_END_PROCESSES,
     .report = "",
     .no_answer = true,
     .wanted = VERDICT_MEMORY_LIMIT},
    {.name = "output",
     .end = WIRE_END_OUTPUT,
     .report = "",
     .no_answer = true,
     .wanted = VERDICT_OUTPUT_LIMIT},
    {.name = "a file that the kernel refuses",
     .end = WIRE_END_REFUSED,
     .status = 8, /* ENOEXEC */
     .isolated = true,
     .report = "",
     .no_answer = true,
     .wanted = VERDICT_CRASH},
    {.name = "a program that could not be started",
     .end = WIRE_END_EXEC,
     .status = 12,
     .isolated = true,
     .report = "",
     .no_answer = true,
     .wanted = VERDICT_KIT_ERROR},
    {.name = "file size",
     .report = REPORT(EXIT(0, 25)),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_OUTPUT_LIMIT},
    {.name = "a limit comes before a finding",
     .end = WIRE_END_MEMORY,
     .report = REPORT(FIND("race")),
     .no_answer = true,
     .wanted = VERDICT_MEMORY_LIMIT},
    {.name = "instruction budget",
     .report = REPORT(FIND("timeout") "," ERR("cudaErrorLaunchTimeout")),
     .answer = VERDICT_WRONG_RESULT,
     .wanted = VERDICT_TIMEOUT},
    {.name = "right result with a race",
     .report = REPORT(FIND("race") "," GOOD),
     PASSED,
     .wanted = VERDICT_RACE,
     .points = 5},
    {.name = "wrong result with a race",
     .report = REPORT(FIND("race") "," GOOD),
     .answer = VERDICT_WRONG_RESULT,
     .wanted = VERDICT_RACE},
    {.name = "leak", .report = REPORT(FIND("leak") "," GOOD), PASSED, .wanted = VERDICT_LEAK, .points = 5},
    {.name = "a wrong result comes before a leak",
     .report = REPORT(FIND("leak") "," GOOD),
     .answer = VERDICT_WRONG_RESULT,
     .wanted = VERDICT_WRONG_RESULT},
    {.name = "no credit where the case gives none",
     .c = {.finding_credit = -1},
     .report = REPORT(FIND("leak") "," GOOD),
     PASSED,
     .wanted = VERDICT_LEAK},
    {.name = "advice costs nothing",
     .report = REPORT(ADVICE "," GOOD),
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "a finding of crash",
     .report = REPORT(FIND("crash") "," GOOD),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CRASH},
    {.name = "signal",
     .report = REPORT(EXIT(0, 11)),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CRASH},
    {.name = "status",
     .report = REPORT(EXIT(3, 0)),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CRASH},
    {.name = "right result, then a bad status",
     .report = REPORT(EXIT(3, 0) "," GOOD),
     PASSED,
     .wanted = VERDICT_CRASH},
    {.name = "status 1 without an error",
     .report = REPORT(EXIT(1, 0)),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CRASH},
    {.name = "status 1 after an error",
     .report = REPORT(EXIT(1, 0) "," ERR("cudaErrorInvalidValue")),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CUDA_ERROR},
    {.name = "no report: it ended its watcher",
     .report = "",
     .signal = SIGKILL,
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CRASH},
    {.name = "no report, right result", .report = "", PASSED, .wanted = VERDICT_CRASH},
    {.name = "a report that its program wrote, before it killed its watcher",
     .forged = true,
     .signal = SIGKILL,
     PASSED,
     .wanted = VERDICT_CRASH},
    {.name = "a report without the finding that its watcher met",
     .forged = true,
     .status = 1,
     PASSED,
     .wanted = VERDICT_CRASH},
    {.name = "isolated: all is well, whatever the report says of the end",
     .isolated = true,
     .report = REPORT(EXIT(3, 0) "," GOOD),
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "isolated: a finding, and the program ends well",
     .isolated = true,
     .report = REPORT(FIND("race") "," GOOD),
     PASSED,
     .wanted = VERDICT_RACE,
     .points = 5},
    {.name = "isolated: the program's own end counts",
     .isolated = true,
     .status = 3,
     PASSED,
     .wanted = VERDICT_CRASH},
    {.name = "isolated: a signal", .isolated = true, .signal = SIGSEGV, PASSED, .wanted = VERDICT_CRASH},
    {.name = "isolated: no report", .isolated = true, .report = "", PASSED, .wanted = VERDICT_CRASH},
    {.name = "isolated: a CUDA error that the program met",
     .isolated = true,
     .status = 1,
     .report = REPORT(ERR("cudaErrorInvalidValue") "," GOOD),
     .answer = VERDICT_MISSING_OUTPUT,
     .wanted = VERDICT_CUDA_ERROR},
    {.name = "error, right result",
     .report = REPORT(ERR("cudaErrorInvalidValue") "," GOOD),
     PASSED,
     .wanted = VERDICT_CUDA_ERROR},
    {.name = "not ready is no error",
     .report = REPORT(ERR("cudaErrorNotReady") "," GOOD),
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "missing", .answer = VERDICT_MISSING_OUTPUT, .wanted = VERDICT_MISSING_OUTPUT},
    {.name = "overrun", .answer = VERDICT_HOST_OVERRUN, .wanted = VERDICT_HOST_OVERRUN},
    {.name = "input", .answer = VERDICT_INPUT_MODIFIED, .wanted = VERDICT_INPUT_MODIFIED},
    {.name = "wrong", .answer = VERDICT_WRONG_RESULT, .wanted = VERDICT_WRONG_RESULT},
    {.name = "no kernel", .report = REPORT("\"totals\":{}"), PASSED, .wanted = VERDICT_NO_GPU_WORK},
    {.name = "too little arithmetic", .c = {.min_ops = 1001}, PASSED, .wanted = VERDICT_NO_GPU_WORK},
    {.name = "just enough arithmetic", .c = {.min_ops = 1000}, PASSED, .wanted = VERDICT_PASS, .points = 10},
    {.name = "no work by the record", PASSED, .work = &no_work, .wanted = VERDICT_NO_GPU_WORK},
    {.name = "the record's word counts, not the totals",
     .c = {.min_ops = 1001},
     PASSED,
     .work = &work_done,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "suspect", PASSED, .work = &suspect, .wanted = VERDICT_SUSPECT, .points = 10},
    {.name = "suspect, second tier",
     .c = {.metric = "m", .tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 1.5,
     PASSED,
     .work = &suspect,
     .wanted = VERDICT_SUSPECT,
     .points = 5},
    {.name = "suspect, with a leak",
     .report = REPORT(FIND("leak") "," GOOD),
     PASSED,
     .work = &suspect,
     .wanted = VERDICT_LEAK,
     .points = 5},
    {.name = "no work is graver than a leak",
     .report = REPORT(FIND("leak") "," GOOD),
     PASSED,
     .work = &no_work,
     .wanted = VERDICT_NO_GPU_WORK},
    {.name = "a wrong result comes before no work",
     .report = REPORT("\"totals\":{}"),
     .answer = VERDICT_WRONG_RESULT,
     .wanted = VERDICT_WRONG_RESULT},
    {.name = "no work earns no credit for a leak",
     .report = REPORT(FIND("leak")),
     PASSED,
     .wanted = VERDICT_NO_GPU_WORK},
    {.name = "expected error",
     .c = {.expect_status = 1, .expect_error = "cudaErrorMemoryAllocation"},
     .report = REPORT(EXIT(1, 0) "," ERR("cudaErrorMemoryAllocation") "," GOOD),
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "any error",
     .c = {.expect_status = 1, .expect_error = "any"},
     .report = REPORT(EXIT(1, 0) "," ERR("cudaErrorUnknown") "," GOOD),
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "another error",
     .c = {.expect_status = 1, .expect_error = "cudaErrorMemoryAllocation"},
     .report = REPORT(EXIT(1, 0) "," ERR("cudaErrorUnknown") "," GOOD),
     PASSED,
     .wanted = VERDICT_CUDA_ERROR},
    {.name = "error swallowed",
     .c = {.expect_status = 1, .expect_error = "any"},
     .report = REPORT(EXIT(0, 0) "," ERR("cudaErrorUnknown") "," GOOD),
     PASSED,
     .wanted = VERDICT_CUDA_ERROR},
    {.name = "first tier",
     .c = {.tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 1.1,
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "second tier",
     .c = {.tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 1.11,
     PASSED,
     .wanted = VERDICT_SLOW,
     .points = 5},
    {.name = "no tier",
     .c = {.tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 2.01,
     PASSED,
     .wanted = VERDICT_SLOW},
    {.name = "at least",
     .c = {.tiers = at_least, .n_tiers = 1},
     .has_metric = true,
     .metric = 8,
     PASSED,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "less than at least",
     .c = {.tiers = at_least, .n_tiers = 1},
     .has_metric = true,
     .metric = 7.9,
     PASSED,
     .wanted = VERDICT_SLOW},
    {.name = "second tier with a leak",
     .c = {.tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 1.5,
     .report = REPORT(FIND("leak") "," GOOD),
     PASSED,
     .wanted = VERDICT_LEAK,
     .points = 2.5},
    {.name = "slow and wrong",
     .c = {.tiers = tiers, .n_tiers = 2},
     .has_metric = true,
     .metric = 9,
     .answer = VERDICT_WRONG_RESULT,
     .wanted = VERDICT_WRONG_RESULT},
    {.name = "no metric as there was no kernel",
     .c = {.tiers = tiers, .n_tiers = 2},
     .report = REPORT("\"totals\":{}"),
     PASSED,
     .wanted = VERDICT_NO_GPU_WORK},
    {.name = "no metric as there is no report",
     .c = {.tiers = tiers, .n_tiers = 2},
     .report = "",
     PASSED,
     .wanted = VERDICT_CRASH},
    {.name = "a metric that nobody gives",
     .c = {.tiers = tiers, .n_tiers = 2},
     PASSED,
     .wanted = VERDICT_KIT_ERROR},
    {.name = "all answers right", ASKS, PASSED, .answers = &all_right, .wanted = VERDICT_PASS, .points = 10},
    {.name = "some answers right",
     ASKS,
     PASSED,
     .answers = &half_right,
     .wanted = VERDICT_WRONG_RESULT,
     .points = 4},
    {.name = "some answers missing",
     ASKS,
     PASSED,
     .answers = &one_missing,
     .wanted = VERDICT_MISSING_OUTPUT,
     .points = 6},
    {.name = "right answers about a wrong result",
     ASKS,
     .answer = VERDICT_WRONG_RESULT,
     .answers = &all_right,
     .wanted = VERDICT_WRONG_RESULT},
    {.name = "some answers right, and a race",
     ASKS,
     PASSED,
     .report = REPORT(FIND("race") "," GOOD),
     .answers = &half_right,
     .wanted = VERDICT_RACE,
     .points = 2},
    {.name = "a race that costs all",
     .c = {.answers = asked, .n_answers = 2, .finding_credit = -1},
     PASSED,
     .report = REPORT(FIND("race") "," GOOD),
     .answers = &all_right,
     .wanted = VERDICT_RACE},
    {.name = "a truth that the run does not have",
     ASKS,
     PASSED,
     .answers = &no_truth,
     .wanted = VERDICT_KIT_ERROR},
    {.name = "answers without a run",
     ASKS,
     .no_run = true,
     .report = "",
     .no_answer = true,
     .answers = &half_right,
     .wanted = VERDICT_WRONG_RESULT,
     .points = 4},
    {.name = "a form without a run",
     .no_run = true,
     .report = "",
     .no_answer = true,
     .answers = &all_right,
     .wanted = VERDICT_PASS,
     .points = 10},
    {.name = "a wrong form without a run",
     .no_run = true,
     .report = "",
     .no_answer = true,
     .answers = &one_missing,
     .wanted = VERDICT_MISSING_OUTPUT},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Row row = rows[i];
        row.c.points = 10;
        row.c.finding_credit = row.c.finding_credit < 0 ? 0 : 0.5;
        row.c.gpu_work = row.c.check_output = true;
        row.c.run = !row.no_run;
        row.c.min_ops = row.c.min_ops ? row.c.min_ops : 1;
        row.c.expect_error = row.c.expect_error ? row.c.expect_error : "";
        row.c.metric = row.c.metric ? row.c.metric : "m";
        const char *json = row.report ? row.report : REPORT(GOOD);
        VgpuReport *report = NULL;
        Diag d;
        if (json[0] && vgpu_report_parse(json, strlen(json), &report, &d) != STATUS_OK)
            fail_msg("%s: %s", row.name, d.message);
        if (report && !row.forged && !row.isolated)
            row.status = report->exit_signal   ? 128 + (int)report->exit_signal
                         : report->exit_status ? (int)report->exit_status
                                               : vgpu_report_worst(report) != NULL;
        JudgeAnswer answer = {.verdict = row.answer, .message = ""};
        Evidence e = {.lab_case = &row.c,
                      .virtual_device = true,
                      .isolated = row.isolated,
                      .end = row.end,
                      .status = row.status,
                      .signal = row.signal,
                      .report = report,
                      .answer = row.no_answer ? NULL : &answer,
                      .answers = row.answers,
                      .work = row.work,
                      .has_metric = row.has_metric,
                      .metric = row.metric};
        Verdict v = verdict_of(&e);
        if (v != row.wanted)
            fail_msg("%s: wanted %s, got %s", row.name, verdict_word(row.wanted), verdict_word(v));
        if (points_of(&e, v) != row.points)
            fail_msg("%s: wanted %g points, got %g", row.name, row.points, points_of(&e, v));
        vgpu_report_free(report);
    }
}

/* Cases that look at no output, or expect no kernel. */
static void test_switches(void **state)
{
    (void)state;
    LabCase c = {.points = 4, .expect_error = "", .metric = "", .min_ops = 1, .run = true};
    VgpuReport *report;
    const char *json = REPORT("\"totals\":{}");
    assert_int_equal(STATUS_OK, vgpu_report_parse(json, strlen(json), &report, NULL));
    JudgeAnswer wrong = {.verdict = VERDICT_WRONG_RESULT};
    Evidence e = {.lab_case = &c, .virtual_device = true, .report = report, .answer = &wrong};
    assert_int_equal(VERDICT_PASS, verdict_of(&e));
    c.check_output = true;
    assert_int_equal(VERDICT_WRONG_RESULT, verdict_of(&e));
    c.check_output = false;
    c.gpu_work = true;
    assert_int_equal(VERDICT_NO_GPU_WORK, verdict_of(&e));
    vgpu_report_free(report);
}

/* On hardware there is no report: the program's own status and the judge's word are all there is. */
static void test_hardware(void **state)
{
    (void)state;
    LabCase c = {.points = 4,
                 .expect_error = "",
                 .metric = "",
                 .min_ops = 1,
                 .gpu_work = true,
                 .check_output = true,
                 .run = true};
    JudgeAnswer pass = {.verdict = VERDICT_PASS}, missing = {.verdict = VERDICT_MISSING_OUTPUT};
    Evidence e = {.lab_case = &c, .answer = &pass};
    assert_int_equal(VERDICT_PASS, verdict_of(&e));
    e.answer = &missing;
    e.status = 1;
    assert_int_equal(VERDICT_CUDA_ERROR, verdict_of(&e));
    e.status = 3;
    assert_int_equal(VERDICT_CRASH, verdict_of(&e));
    e.status = 0;
    e.signal = SIGSEGV;
    assert_int_equal(VERDICT_CRASH, verdict_of(&e));
    e.end = WIRE_END_WALL;
    assert_int_equal(VERDICT_TIMEOUT, verdict_of(&e));
}

/* With tools on hardware there are findings and errors; the program's end is still its own. */
static void test_hardware_with_tools(void **state)
{
    (void)state;
    LabCase c = {.points = 4,
                 .finding_credit = 0.5,
                 .expect_error = "",
                 .metric = "",
                 .min_ops = 1,
                 .gpu_work = true,
                 .check_output = true,
                 .run = true};
    const char *why,
        leak[] = "========= Leaked 4 bytes at 0x7f0000000000\n========= ERROR SUMMARY: 1 error\n",
        error[] = "========= Program hit cudaErrorInvalidValue (error 1) due to \"x\" on CUDA API "
                  "call to cudaMemcpy.\n========= ERROR SUMMARY: 1 error\n";
    JudgeAnswer pass = {.verdict = VERDICT_PASS};
    VgpuReport *report = sanitizer_report_create();
    Evidence e = {.lab_case = &c, .answer = &pass, .report = report};
    assert_int_equal(VERDICT_PASS, verdict_of(&e));
    assert_true(sanitizer_report_add(report, SANITIZER_MEMCHECK, leak, strlen(leak), &why));
    assert_int_equal(VERDICT_LEAK, verdict_of(&e));
    assert_true(points_of(&e, VERDICT_LEAK) == 2);
    assert_true(sanitizer_report_add(report, SANITIZER_MEMCHECK, error, strlen(error), &why));
    assert_int_equal(VERDICT_CUDA_ERROR, verdict_of(&e));
    c.expect_error = "cudaErrorInvalidConfiguration"; /* a tool names errors as the driver does */
    assert_int_equal(VERDICT_LEAK, verdict_of(&e));
    e.signal = SIGSEGV;
    assert_int_equal(VERDICT_CRASH, verdict_of(&e));
    vgpu_report_free(report);
}

/* Output files ----------------------------------------------------------------------------------- */

static char folder[64];

static void put(const char *name, const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, n, f);
    fclose(f);
}

/* The arrays of a case, and its record, as work_judge finds them in files. */
static void test_work(void **state)
{
    (void)state;
    enum { HEAD = 10 + 118, DATA = 256 };
    static const char json[] =
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":0,\"bytes\":256}],\"fills\":[],"
        "\"out\":[{\"at\":256,\"bytes\":256,\"origins\":[[256,2]]}],\"stores\":[{\"id\":2,\"group\":0,"
        "\"site\":1}],"
        "\"groups\":[{\"function\":0,\"ops\":[[1,64]],\"reads\":[[0,[1]]]}],"
        "\"functions\":[{\"n\":2,\"slices\":[{\"site\":1,\"pcs\":\"03\"}]}]}";
    unsigned char npy[HEAD + DATA] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4'", bin[2 * DATA];
    Arena a = {0};
    ProvenanceFound found;
    JudgeOutput output = {.name = "c"};
    JudgeAnswer answer = {.outputs = &output, .n_outputs = 1};
    LabCase c = {.run = true, .gpu_work = true, .check_output = true, .min_ops = 64};
    char path[128];
    for (size_t i = 0; i < sizeof bin; i++)
        bin[i] = (unsigned char)(i * i * 7 / 5 + i / 3);
    strcpy(folder, "/tmp/rules-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "mkdir %s/in %s/out", folder, folder);
    assert_int_equal(0, system(path));
    memcpy(npy + HEAD, bin, DATA);
    put("../in/a.npy", npy, sizeof npy);
    put("../in/params", "n=64\n", 5);
    memcpy(npy + HEAD, bin + DATA, DATA);
    put("c.npy", npy, sizeof npy);
    put("large-and-unasked.npy", npy, sizeof npy);
    assert_int_equal(STATUS_OK, work_judge(&a, &c, folder, &answer, LANGUAGE_ENGLISH, &found, NULL));
    assert_int_equal(VERDICT_SUSPECT, found.verdict); /* there is no record */
    put("../provenance.json", json, sizeof json - 1);
    assert_int_equal(STATUS_OK, work_judge(&a, &c, folder, &answer, LANGUAGE_ENGLISH, &found, NULL));
    assert_int_equal(VERDICT_SUSPECT, found.verdict); /* half of one */
    put("../provenance.json.bin", bin, sizeof bin);
    assert_int_equal(STATUS_OK, work_judge(&a, &c, folder, &answer, LANGUAGE_ENGLISH, &found, NULL));
    assert_int_equal(VERDICT_PASS, found.verdict);
    assert_int_equal(DATA, found.out_bytes);
    assert_int_equal(0, found.foreign);
    c.min_ops = 65;
    assert_int_equal(STATUS_OK, work_judge(&a, &c, folder, &answer, LANGUAGE_CHINESE, &found, NULL));
    assert_int_equal(VERDICT_NO_GPU_WORK, found.verdict);
    assert_true(work_is_judged(&c));
    c.gpu_work = false;
    assert_false(work_is_judged(&c));
    arena_free(&a);
    snprintf(path, sizeof path, "rm -rf %s", folder);
    assert_int_equal(0, system(path));
}

static void test_outputs(void **state)
{
    (void)state;
    char path[128];
    strcpy(folder, "/tmp/rules-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(0, mkdir(path, 0755));
    put("values", "ratio=1.5\nbad=x\nratio2=7\nhuge=inf\n", 34);
    double v = 0;
    assert_true(outputs_value(folder, "ratio", &v) && v == 1.5);
    assert_true(outputs_value(folder, "ratio2", &v) && v == 7);
    assert_false(outputs_value(folder, "bad", &v));
    assert_false(outputs_value(folder, "huge", &v));
    assert_false(outputs_value(folder, "rat", &v));
    snprintf(path, sizeof path, "rm -rf %s", folder);
    assert_int_equal(0, system(path));
}

/* Devices ---------------------------------------------------------------------------------------- */

static void test_devices(void **state)
{
    (void)state;
    Arena a = {0};
    const char *options[] = {"--fail-at=2"};
    Lab lab = {.lab = "02-vector-add"};
    GradeRun virtual = {0}, one = {.gpu = true, .n_gpus = 1}, two = {.gpu = true, .n_gpus = 2};
    LabCase plain = {.devices = 1, .metric = ""}, pair = {.devices = 2, .metric = "right.answers"};
    LabCase counted = {.devices = 1, .metric = "overlap_ratio"}, failing = {.devices = 1, .metric = ""};
    failing.vgpu = options, failing.n_vgpu = 1;
    assert_null(case_not_here(&a, &virtual, &lab, &pair));
    assert_null(case_not_here(&a, &virtual, &lab, &counted));
    assert_null(case_not_here(&a, &one, &lab, &plain));
    assert_null(case_not_here(&a, &two, &lab, &pair));
    assert_string_equal("This case needs 2 GPUs, and this machine has 1.",
                        case_not_here(&a, &one, &lab, &pair));
    assert_string_equal("This case can be judged on the virtual GPU only.",
                        case_not_here(&a, &two, &lab, &counted));
    assert_string_equal("This case can be judged on the virtual GPU only.",
                        case_not_here(&a, &two, &lab, &failing));
    arena_free(&a);
}

/* Seeds ------------------------------------------------------------------------------------------ */

static void test_seeds(void **state)
{
    (void)state;
    GradeRun run = {.seed = 5}, other = {.seed = 6};
    Lab lab = {.lab = "02-vector-add"}, lab2 = {.lab = "01-indexing"};
    LabCase shown = {.name = "a", .seed = 201}, hidden = {.name = "a", .hidden = true},
            hidden2 = {.name = "b", .hidden = true};
    assert_int_equal(201, submission_case_seed(&run, &lab, &shown));
    uint64_t seed = submission_case_seed(&run, &lab, &hidden);
    assert_true(seed == submission_case_seed(&run, &lab, &hidden) && seed < UINT64_C(1) << 53);
    assert_true(seed != submission_case_seed(&other, &lab, &hidden));
    assert_true(seed != submission_case_seed(&run, &lab2, &hidden));
    assert_true(seed != submission_case_seed(&run, &lab, &hidden2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_hardware_with_tools),
        cmocka_unit_test(test_hardware),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_seeds),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
