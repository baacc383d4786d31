/* What a student reads: every verdict has words. */
#include "grader/judge/explain.h"

#include "common/base/hints.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static LabTier tiers[] = {{.at_most = 1.1, .at_least = NAN, .points = 10},
                          {.at_most = 2, .at_least = NAN, .points = 5}};
static const LabCase a_case = {.name = "odd",
                               .hint = "Which threads have no element?",
                               .message = "Sizes need not be multiples.",
                               .tiers = tiers,
                               .n_tiers = 2};

static void expect_explanation(Verdict verdict, CaseFacts facts, const char *message, const char *hint)
{
    Arena a = {0};
    CaseResult r = {.verdict = verdict};
    if (!facts.lab_case)
        facts.lab_case = &a_case;
    explain_case(&a, &facts, &r);
    assert_string_equal(r.message, message);
    assert_string_equal(r.hint, hint);
    assert_string_equal(r.lesson, verdict == VERDICT_PASS ? "" : "Sizes need not be multiples.");
    arena_free(&a);
}

/* A result that is right and costs too much has a hint of its own, where the case has one. */
static void test_slow_hint(void **state)
{
    (void)state;
    LabCase slow = a_case;
    slow.slow_hint = "How many blocks?";
    Arena a = {0};
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        CaseResult r = {.verdict = is_slow ? VERDICT_SLOW : VERDICT_CRASH};
        explain_case(&a, &(CaseFacts){.lab_case = &slow, .metric_value = 3, .metric_name = "blocks"}, &r);
        assert_string_equal(r.hint, is_slow ? slow.slow_hint : slow.hint);
    }
    arena_free(&a);
}

/* What a wrong result came of, as far as launches and copies tell, in place of words that only say that it is wrong. */
static void test_launches(void **state)
{
    (void)state;
    VgpuLaunch one[] = {{.kernel = "void add<int>(int*, int)", .launched_as = "<<<3, 64>>>(#1, 200)", .blocks = 3, .threads = 64, .stored = 768}};
    VgpuLaunch two[] = {{.kernel = "add(int*)", .launched_as = "<<<3, 64>>>(#1)", .blocks = 3, .threads = 64},
                        {.kernel = "add(int*)", .launched_as = "<<<4, 64>>>(#2)", .blocks = 4, .threads = 64}};
    static const struct {
        const char *pattern, *hint;
        double n_launches, d2h, got; /* of the totals; got: where 1 is wanted */
        bool stores;
        int64_t first;
        const char *says, *not_says;
    } rows[] = {
        {"never-written", HINT_NEVER_WRITTEN, 0, 0, NAN, false, 0, "hint: No kernel was launched", HINT_NEVER_WRITTEN},
        {"never-written", HINT_NEVER_WRITTEN, 1, 0, NAN, false, 0, "hint: The kernel ran and stored nothing in global memory", HINT_NEVER_WRITTEN},
        {"never-written", HINT_NEVER_WRITTEN, 1, 0, NAN, true, 0, "nothing was copied from the device to the host", HINT_NEVER_WRITTEN},
        {"never-written", HINT_NEVER_WRITTEN, 1, 8, NAN, true, 0, "3 of 200 differ", HINT_NEVER_WRITTEN}, /* the case's own question is left */
        {"all-zero", HINT_ALL_ZERO, 1, 8, 0, true, 0, "hint: Kernels have stored results", HINT_ALL_ZERO},
        {"all-zero", HINT_ALL_ZERO, 1, 8, 0, false, 0, HINT_ALL_ZERO, "Kernels have stored"},
        {"tail", HINT_TAIL, 1, 8, NAN, true, 192, "add<int> has 192 threads in all, and there are 200 elements", HINT_TAIL},
        {"tail", HINT_TAIL, 1, 8, NAN, true, 191, HINT_TAIL, "has 192 threads"},
        {"all-wrong", HINT_BY_HAND_ALL, 1, 8, 7, true, 0, "launched: add<int><<<3, 64>>>(#1, 200)", HINT_BY_HAND_ALL},
        {"scaled", "Every value is off.", 1, 8, 2, true, 0, "hint: 2 is the number of warps in a block of add<int>", "number of threads"},
        {"scaled", "Every value is off.", 1, 8, 64, true, 0, "hint: 64 is the number of threads in a block of add<int>", "number of warps"},
        {"scaled", "Every value is off.", 1, 8, 5, true, 0, "hint: Every value is off.", "is the number of"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[1024];
        snprintf(message, sizeof message, "out: 3 of 200 differ\nhint: %s\n", rows[i].hint);
        one[0].stored = rows[i].stores ? 768 : 0;
        VgpuNumber totals[] = {{"launches", rows[i].n_launches}}, memory[] = {{"d2h_bytes", rows[i].d2h}};
        VgpuReport report = {.launches = one, .n_launches = (size_t)rows[i].n_launches, .totals = totals, .n_totals = 1, .memory = memory, .n_memory = 1};
        JudgeOutput output = {.name = "out", .pattern = rows[i].pattern, .elements = 200, .n_first = 1,
                              .first[0] = {.index = rows[i].first, .got = rows[i].got, .wanted = 1, .rank = 1}};
        JudgeAnswer answer = {.verdict = VERDICT_WRONG_RESULT, .message = message, .outputs = &output, .n_outputs = 1};
        CaseResult r = {.verdict = VERDICT_WRONG_RESULT};
        Arena a = {0};
        explain_case(&a, &(CaseFacts){.lab_case = &a_case, .answer = &answer, .report = &report, .virtual_device = true}, &r);
        if (!strstr(r.message, rows[i].says) || strstr(r.message, rows[i].not_says))
            fail_msg("row %zu: %s", i, r.message);
        report.launches = two;
        report.n_launches = 2;
        explain_case(&a, &(CaseFacts){.lab_case = &a_case, .answer = &answer, .report = &report, .virtual_device = true}, &r);
        assert_non_null(strstr(r.message, "launched: add<<<4, 64>>>(#2), the last of 2"));
        explain_case(&a, &(CaseFacts){.lab_case = &a_case, .answer = &answer, .report = &report}, &r);
        assert_null(strstr(r.message, "launched:"));
        arena_free(&a);
    }
}

/* What a kernel of an unordered stream has done is told before the copies that follow it. */
static void test_first_race(void **state)
{
    (void)state;
    Finding findings[] = {
        {.kind = "stream-race", .verdict = "race", .message = "a copy reads", .text = "a copy reads", .hint = "", .place.file = "", .kernel = ""},
        {.kind = "stream-race", .verdict = "race", .message = "a kernel reads", .text = "a kernel reads", .hint = "", .place.file = "", .kernel = ""}};
    VgpuReport report = {.findings = findings, .n_findings = 2};
    CaseResult r = {.verdict = VERDICT_RACE};
    Arena a = {0};
    explain_case(&a, &(CaseFacts){.lab_case = &a_case, .report = &report}, &r);
    assert_string_equal(r.message, "a kernel reads\n(1 more finding)");
    findings[0].kind = "race";
    explain_case(&a, &(CaseFacts){.lab_case = &a_case, .report = &report}, &r);
    assert_string_equal(r.message, "a copy reads\n(1 more finding)");
    arena_free(&a);
}

/* All that a student sees of a hidden case. */
static void test_lesson_of_hidden_case(void **state)
{
    (void)state;
    LabCase hidden = a_case;
    hidden.hidden = true;
    hidden.slow_hint = "How many blocks?";
    static const struct {
        Verdict verdict;
        const char *lesson;
    } rows[] = {{VERDICT_WRONG_RESULT, "Sizes need not be multiples. Which threads have no element?"},
                {VERDICT_SLOW, "Sizes need not be multiples. How many blocks?"},
                {VERDICT_PASS, ""}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CaseResult r = {.verdict = rows[i].verdict};
        explain_case(&a, &(CaseFacts){.lab_case = &hidden, .metric_value = NAN}, &r);
        assert_string_equal(r.lesson, rows[i].lesson);
    }
    hidden.hint = hidden.slow_hint = hidden.message = "";
    CaseResult r = {.verdict = VERDICT_WRONG_RESULT};
    explain_case(&a, &(CaseFacts){.lab_case = &hidden, .metric_value = NAN}, &r);
    assert_string_equal(r.lesson, "");
    arena_free(&a);
}

static void test_messages(void **state)
{
    (void)state;
    const char *hint = a_case.hint;
    Finding findings[2] = {{.kind = "x",
                            .advice = true,
                            .verdict = "",
                            .message = "advice",
                            .text = "",
                            .hint = "",
                            .place.file = "",
                            .kernel = ""},
                           {.kind = "race",
                            .verdict = "race",
                            .message = "two threads write",
                            .text = "",
                            .hint = "a barrier",
                            .place.file = "a.cu",
                            .place.line = 3,
                            .kernel = "add"}};
    VgpuError error = {.call = "cudaMalloc", .error = "cudaErrorMemoryAllocation", .file = "a.cu", .line = 8};
    VgpuReport report = {.findings = findings, .n_findings = 2, .errors = &error, .n_errors = 1};
    JudgeAnswer right = {.verdict = VERDICT_PASS, .message = ""},
                wrong = {.verdict = VERDICT_WRONG_RESULT, .message = "3 of 9 differ"};
    CaseFacts answers = {.answer = &right, .answers = "1 of 2", .answers_verdict = VERDICT_WRONG_RESULT};
    expect_explanation(VERDICT_WRONG_RESULT, answers, "1 of 2", hint);
    answers.answer = &wrong;
    expect_explanation(VERDICT_WRONG_RESULT, answers, "3 of 9 differ", hint);
    answers.answers_verdict = VERDICT_PASS;
    expect_explanation(VERDICT_PASS, (CaseFacts){.answers = "2 of 2"}, "2 of 2", "");
    expect_explanation(VERDICT_RACE, (CaseFacts){.report = &report, .answer = &right},
                       "a.cu:3: kernel add: two threads write\nThe result is right all the same.",
                       "a barrier\nWhich threads have no element?");
    findings[1].text = "race: as printed\n";
    expect_explanation(VERDICT_RACE, (CaseFacts){.report = &report, .answer = &wrong}, "race: as printed",
                       "a barrier\nWhich threads have no element?");
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &report, .answer = &wrong},
                       "3 of 9 differ", hint);
    expect_explanation(VERDICT_CUDA_ERROR, (CaseFacts){.report = &report, .stderr_text = "oh"},
                       "a.cu:8: cudaMalloc returned cudaErrorMemoryAllocation.\nIts standard error:\noh",
                       hint);
    Finding misuse = findings[0];
    misuse.kind = "api-misuse";
    misuse.message = "cudaMalloc of -4 bytes";
    misuse.hint = "count them";
    misuse.site.file = "a.cu";
    misuse.site.line = 8;
    misuse.kernel = "";
    misuse.place.file = "";
    misuse.place.line = 0;
    misuse.advice = true;
    Finding shuffle = misuse;
    VgpuReport advised = {.findings = &misuse, .n_findings = 1};
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &advised, .answer = &wrong}, "3 of 9 differ",
                       "a.cu:8: cudaMalloc of -4 bytes: count them\nWhich threads have no element?");
    shuffle.kind = "shuffle-unnamed";
    shuffle.message = "a shuffle";
    shuffle.hint = "is the value used?";
    shuffle.place.file = "a.cu";
    shuffle.place.line = 5;
    Finding two[] = {misuse, shuffle};
    advised = (VgpuReport){.findings = two, .n_findings = 2};
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &advised, .answer = &wrong}, "3 of 9 differ",
                       "a.cu:5: a shuffle: is the value used?\nWhich threads have no element?");
    expect_explanation(VERDICT_CUDA_ERROR,
                       (CaseFacts){.report = &(VgpuReport){.findings = two, .n_findings = 2, .errors = &error, .n_errors = 1},
                                   .stderr_text = "oh"}, /* reports and screens tell advice beside it */
                       "a.cu:8: cudaMalloc returned cudaErrorMemoryAllocation.\nIts standard error:\noh", hint);
    VgpuError too_much = {.call = "__cudaLaunchKernel: 53,024 bytes of dynamic shared memory; the kernel may have 49,152",
                          .error = "cudaErrorInvalidValue",
                          .file = "a.cu",
                          .line = 9};
    VgpuReport large = {.errors = &too_much, .n_errors = 1};
    expect_explanation(
        VERDICT_CUDA_ERROR, (CaseFacts){.report = &large},
        "a.cu:9: the launch failed: 53,024 bytes of dynamic shared memory; the kernel may have 49,152 (cudaErrorInvalidValue).",
        "is it counted in bytes, and is no more asked for than is used? What a block needs beyond 48 KiB has to be asked for in bytes, before each "
        "launch that needs more than was asked for so far: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes). Where it grows with "
        "the data, take these in parts of a fixed size: no attribute gives a block more than 64 KiB to 227 KiB, by compute capability\n"
        "Which threads have no element?");
    VgpuError carveout = {.call = "cudaFuncSetAttribute: the carveout is a share in percent; 1424 is none",
                          .error = "cudaErrorInvalidValue",
                          .file = "a.cu",
                          .line = 7};
    VgpuReport cut = {.errors = &carveout, .n_errors = 1};
    expect_explanation(VERDICT_CUDA_ERROR, (CaseFacts){.report = &cut},
                       "a.cu:7: cudaFuncSetAttribute returned cudaErrorInvalidValue: the carveout is a share in percent; 1424 is none.",
                       "to let a block have more than 48 KiB of dynamic shared memory, the attribute is "
                       "cudaFuncAttributeMaxDynamicSharedMemorySize, and its value counts bytes\n"
                       "Which threads have no element?");
    VgpuError launch = {.call = "__cudaLaunchKernel: 0 blocks in x; there must be one at least", .error = "cudaErrorInvalidValue", .file = "a.cu", .line = 9};
    VgpuReport empty = {.errors = &launch, .n_errors = 1};
    expect_explanation(
        VERDICT_CUDA_ERROR, (CaseFacts){.report = &empty},
        "a.cu:9: the launch failed: 0 blocks in x; there must be one at least (cudaErrorInvalidValue).",
        "is the number of blocks rounded up, (n + threads - 1) / threads, and is nothing launched where "
        "there is nothing to do?\n"
        "Which threads have no element?");
    VgpuError refused = {.call = "cudaMalloc", .error = "cudaErrorMemoryAllocation", .file = "a.cu", .line = 4};
    VgpuReport went_on = {.findings = &findings[1], .n_findings = 1, .errors = &refused, .n_errors = 1, .injected = true};
    expect_explanation(VERDICT_RACE, (CaseFacts){.report = &went_on, .errors = "no error was returned"},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. The function went on all the same:\nrace: as printed",
                       "a barrier\nWhich threads have no element?");
    Finding crash = findings[1];
    crash.kind = "host-fault";
    crash.verdict = "crash";
    crash.text = "host-fault: as printed\n";
    VgpuReport ended = {.findings = &crash, .n_findings = 1, .errors = &refused, .n_errors = 1, .injected = true};
    expect_explanation(VERDICT_CRASH, (CaseFacts){.report = &ended, .errors = "no error was returned", .exit_signal = 11},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. Did the function go on all the same?\nhost-fault: as printed",
                       "a barrier\nWhich threads have no element?");
    expect_explanation(VERDICT_RACE, (CaseFacts){.report = &went_on}, "race: as printed", "a barrier\nWhich threads have no element?");
    Finding early = findings[1]; /* without the wait that failed nothing orders the two */
    early.kind = "stream-race";
    VgpuReport unordered = {.findings = &early, .n_findings = 1, .errors = &refused, .n_errors = 1, .injected = true};
    expect_explanation(VERDICT_RACE, (CaseFacts){.report = &unordered},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. Did the function go on all the same?\nrace: as printed",
                       "a barrier\nWhich threads have no element?");
    Finding left = findings[1];
    left.kind = left.verdict = "leak";
    left.text = "leak: as printed\n";
    VgpuReport leaks = {.findings = &left, .n_findings = 1, .errors = &refused, .n_errors = 1, .injected = true};
    expect_explanation(VERDICT_LEAK, (CaseFacts){.report = &leaks},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. After that this stayed behind:\nleak: as printed",
                       "a barrier\nWhich threads have no element?");
    Finding unfilled = findings[1];
    unfilled.kind = unfilled.verdict = "uninitialized";
    unfilled.text = "uninitialized: as printed\nhint: a barrier\n";
    VgpuError calls[] = {{.call = "cudaFree", .error = "cudaErrorInvalidValue", .file = "a.cu", .line = 3}, refused};
    calls[1].met = true; /* this one was made to fail; of the other the program only tells */
    VgpuReport told = {.findings = &unfilled, .n_findings = 1, .errors = calls, .n_errors = 2, .injected = true};
    expect_explanation(VERDICT_UNINITIALIZED, (CaseFacts){.report = &told},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. Did the function go on all the same?\nuninitialized: as printed",
                       "is the error of each call asked for before the next one, and does the function then only give back what it has, and return that error?\n"
                       "Which threads have no element?");
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &told, .errors = "Error 2, and 0 was returned."},
                       "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation.\nError 2, and 0 was returned.", hint);
    Finding copy = findings[0];
    copy.kind = "api-uninitialized-copy";
    copy.place.file = "a.cu";
    copy.place.line = 7;
    copy.hint = "was it written?";
    VgpuReport unwritten = {.findings = &copy, .n_findings = 1};
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &unwritten, .answer = &wrong},
                       "3 of 9 differ", "a.cu:7: advice: was it written?\nWhich threads have no element?");
    expect_explanation(VERDICT_CRASH, (CaseFacts){.report = &unwritten, .exit_status = 3},
                       "The program ended with exit status 3.", hint);
    const LabTier tier = {.at_least = 1.5, .at_most = NAN, .points = 2};
    LabCase timed = a_case;
    timed.tiers = (LabTier *)&tier;
    timed.n_tiers = 1;
    copy.kind = "api-misuse";
    copy.hint = "was it given in elements?";
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &unwritten, .answer = &wrong}, "3 of 9 differ",
                       "a.cu:7: advice: was it given in elements?\nWhich threads have no element?");
    copy.hint = "allocate host memory with cudaMallocHost"; /* which is about time */
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &unwritten, .answer = &wrong}, "3 of 9 differ", hint);
    Finding handles[] = {findings[0], findings[0]};
    for (size_t i = 0; i < 2; i++) {
        handles[i].kind = "handle-leak";
        handles[i].message = "an event that stays";
        handles[i].hint = "destroy it";
        handles[i].place.line = 0, handles[i].place.file = handles[i].kernel = "";
        handles[i].site.file = "a.cu";
        handles[i].site.line = (uint32_t)i + 5;
        handles[i].count = i + 1;
    }
    VgpuReport stays = {.findings = handles, .n_findings = 2};
    JudgeAnswer of_events = {.verdict = VERDICT_WRONG_RESULT, .message = "never destroyed (cudaEventDestroy)"};
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &stays, .answer = &of_events}, "never destroyed (cudaEventDestroy)",
                       "a.cu:6: an event that stays: destroy it\nWhich threads have no element?");
    expect_explanation(VERDICT_WRONG_RESULT, (CaseFacts){.report = &stays, .answer = &wrong}, "3 of 9 differ", hint);
    copy.hint = "is it pinned?";
    CaseFacts slow = {
        .lab_case = &timed, .report = &unwritten, .metric_name = "overlap_ratio", .metric_value = 1};
    expect_explanation(VERDICT_SLOW, slow,
                       "The result is right, and falls short of what all points ask for. overlap_ratio is 1; "
                       "needed is at least 1.5.",
                       "a.cu:7: advice: is it pinned?\nWhich threads have no element?");
    slow.metric_name = "traffic_ratio"; /* which copies of the host do not change */
    expect_explanation(VERDICT_SLOW, slow,
                       "The result is right, and falls short of what all points ask for. traffic_ratio is 1; "
                       "needed is at least 1.5.",
                       hint);
    const LabTier stores[] = {{.at_most = 0.5, .at_least = NAN, .points = 2}, {.at_most = NAN, .at_least = 1, .points = 1}};
    timed.tiers = (LabTier *)stores;
    timed.n_tiers = 2;
    copy.kind = "same-value";
    copy.hint = "one thread?";
    slow.metric_name = "global_store_bytes"; /* the last tier is for a right result, and no number that one could reach for */
    expect_explanation(VERDICT_SLOW, slow,
                       "The result is right, and costs more than it may for all points. global_store_bytes is 1; "
                       "needed is at most 0.5.",
                       "a.cu:7: advice: one thread?\nWhich threads have no element?");
    VgpuError errors[2] = {
        error, {.call = "cudaMemcpy", .error = "cudaErrorInvalidValue", .file = "", .sticky = true}};
    VgpuReport both = {.errors = errors, .n_errors = 2};
    LabCase meant = a_case;
    meant.expect_error = "cudaErrorMemoryAllocation";
    expect_explanation(
        VERDICT_CUDA_ERROR, (CaseFacts){.lab_case = &meant, .report = &both},
        "cudaMemcpy returned cudaErrorInvalidValue. The error is sticky: every later call returns it too.",
        hint);
    expect_explanation(VERDICT_CRASH, (CaseFacts){.exit_signal = SIGSEGV},
                       "The program ended by signal 11 (Segmentation fault).", hint);
    VgpuReport no_error = {0};
    expect_explanation(VERDICT_CRASH, (CaseFacts){.exit_signal = SIGSEGV, .report = &no_error, .virtual_device = true},
                       "The program ended by signal 11 (Segmentation fault).",
                       "no line is known, as where the stack is damaged: is a local array too short for what is written to it?\nWhich threads have no element?");
    expect_explanation(VERDICT_CRASH, (CaseFacts){.exit_signal = SIGSEGV, .report = &no_error},
                       "The program ended by signal 11 (Segmentation fault).", hint);
    expect_explanation(VERDICT_CRASH, (CaseFacts){.exit_signal = SIGFPE, .report = &no_error, .virtual_device = true},
                       "The program ended by signal 8 (Floating point exception).", hint);
    CaseFacts returned = {
        .exit_status = 1, .report = &no_error, .stderr_text = "write_number returned 7\n  cudaErrorX: x\n"};
    expect_explanation(VERDICT_CRASH, returned,
                       "write_number returned 7, and no CUDA call failed: return 0 (cudaSuccess) where all "
                       "went well, and the code of the error "
                       "where a call failed.",
                       hint);
    returned.report = &report;
    expect_explanation(VERDICT_CRASH, returned,
                       "The program ended with exit status 1.\nIts standard error:\nwrite_number returned "
                       "7\n  cudaErrorX: x\n",
                       hint);
    returned.report = &no_error, returned.stderr_text = "oh";
    expect_explanation(VERDICT_CRASH, returned,
                       "The program ended with exit status 1.\nIts standard error:\noh", hint);
    expect_explanation(VERDICT_CRASH, (CaseFacts){.exit_status = 3}, "The program ended with exit status 3.",
                       hint);
    expect_explanation(VERDICT_TIMEOUT, (CaseFacts){.limit_hit = "wall time 10 s"},
                       "The program did not end in time. The limit: wall time 10 s.", hint);
    VgpuError often[20];
    for (size_t i = 0; i < 20; i++)
        often[i] = refused;
    VgpuReport round = {.errors = often, .n_errors = 20};
    CaseFacts limited = {.limit_hit = "10 s", .report = &round, .stderr_text = "oh\noh\n"};
    expect_explanation(
        VERDICT_TIMEOUT, limited,
        "The program did not end in time. The limit: 10 s.\n"
        "a.cu:4: cudaMalloc returned cudaErrorMemoryAllocation. It was called again and again, and failed each time.",
        "what leads back to a call that has failed? A check behind a label that jumps to this label, or a loop that tries until it works\n"
        "Which threads have no element?");
    often[0].line = 3; /* twenty calls, and not the same ones */
    expect_explanation(VERDICT_TIMEOUT, limited, "The program did not end in time. The limit: 10 s.", hint);
    const char printed[] = "The program printed or wrote more than it may. The limit: 10 s.\nAgain and again it printed:\noh";
    expect_explanation(VERDICT_OUTPUT_LIMIT, limited, printed, hint);
    limited.stderr_text = "oh\noh\nno\n\n[... 9 more bytes cut]\n";
    expect_explanation(VERDICT_OUTPUT_LIMIT, limited, printed, hint);
    limited.stderr_text = "oh\nno\n\n\nno\noh";
    expect_explanation(VERDICT_OUTPUT_LIMIT, limited, "The program printed or wrote more than it may. The limit: 10 s.", hint);
    expect_explanation(VERDICT_SLOW, (CaseFacts){.metric_name = "dram_ratio", .metric_value = 2.5},
                       "The result is right, and costs more than it may for all points. dram_ratio is 2.5; "
                       "needed is at most 1.1, and for part of the points 2.",
                       hint);
    expect_explanation(VERDICT_PASS, (CaseFacts){.metric_name = "dram_ratio", .metric_value = 1},
                       "dram_ratio is 1.", "");
    expect_explanation(VERDICT_PASS, (CaseFacts){0}, "", "");
}

/* With no facts at all every verdict but pass still says something. */
static void test_every_verdict(void **state)
{
    (void)state;
    for (int v = 0; v < VERDICT_N; v++) {
        Arena a = {0};
        CaseResult r = {.verdict = (Verdict)v};
        CaseFacts nothing = {0};
        explain_case(&a, &nothing, &r);
        if (v != VERDICT_PASS && strlen(r.message) < 20)
            fail_msg("%s says \"%s\"", verdict_word((Verdict)v), r.message);
        arena_free(&a);
    }
}

static void test_long_stderr_shows_its_end(void **state)
{
    (void)state;
    char text[EXPLAIN_STDERR_MAX + 100];
    memset(text, 'x', sizeof text);
    memcpy(text + sizeof text - 5, "last", 5);
    Arena a = {0};
    CaseResult r = {.verdict = VERDICT_CRASH};
    explain_case(&a, &(CaseFacts){.exit_status = 3, .stderr_text = text}, &r);
    assert_true(strlen(r.message) < EXPLAIN_STDERR_MAX + 100);
    assert_string_equal(r.message + strlen(r.message) - 5, "xlast");
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_hint), cmocka_unit_test(test_lesson_of_hidden_case), cmocka_unit_test(test_launches), cmocka_unit_test(test_first_race),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_every_verdict),
        cmocka_unit_test(test_long_stderr_shows_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
