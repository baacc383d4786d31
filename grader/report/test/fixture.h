/* A class for the report's tests: right, wrong and hostile results. Included by each test program, as each is
 * one file. */
#ifndef GRADER_REPORT_TEST_FIXTURE_H
#define GRADER_REPORT_TEST_FIXTURE_H

#include "grader/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const LAYERS[] = {"bubblewrap", "seccomp"};

/* A copy of c's cases in r's arena. */
static Result *fixture_result(const char *student, const char *lab, Verdict build, const CaseResult *cases,
                              size_t n)
{
    Result *r = result_create();
    assert_non_null(r);
    r->student = student;
    r->lab = lab;
    r->build_verdict = build;
    r->submission_sha256 = build == VERDICT_NOT_SUBMITTED
                               ? ""
                               : "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    r->kit_version = "0.1";
    r->device_kind = "virtual";
    r->device_name = "Virtual T4";
    r->compiler = "clang";
    r->compiler_version = "19.1.7";
    r->seed = 42;
    r->sandbox = (const char **)LAYERS;
    r->n_sandbox = 2;
    r->cases = ARENA_NEW_ARRAY(&r->arena, CaseResult, n + 1);
    memcpy(r->cases, cases, n * sizeof *cases);
    r->n_cases = n;
    result_sum_up(r);
    return r;
}

#define OK_CASE(n, p, h)                                                                                     \
    {                                                                                                        \
        .name = n, .hidden = h, .points = p, .max_points = p, .verdict = VERDICT_PASS, .message = "",        \
        .lesson = "", .hint = "", .replay = ""                                                               \
    }

static Finding fixture_findings[] = {{.kind = "race",
                                            .verdict = "race",
                                            .kernel = "add",
                                            .place.file = "vector_add.cu",
                                            .place.line = 23,
                                            .has_thread = true,
                                            .has_address = true,
.address = 0x10,
                                            .bytes = 4,
                                            .count = 3,
                                            .message = "two threads write",
                                            .hint = "",
                                            .text = "race: two threads write c[0]\n  at vector_add.cu:23\n"},
                                           {.kind = "api-order",
                                            .verdict = "",
                                            .advice = true,
                                            .kernel = "",
                                            .place.file = "",
                                            .count = 1,
                                            .message = "A synchronise is not needed here.",
                                            .hint = "",
                                            .text = "A synchronise is not needed here."}};
static ResultMetric fixture_metrics[] = {{"dram_ratio", 1.25}, {"kernel_ops", 4096}};
static ResultSpan fixture_spans[] = {
    {.what = "copy", .name = "copy to device", .stream = 2, .bytes = 4096, .start_us = 10, .end_us = 12.5},
    {.what = "kernel", .name = "add", .stream = 2, .start_us = 12.5, .end_us = 20},
    {.what = "copy", .name = "copy to host", .bytes = 4096, .start_us = 15, .end_us = 15.01}};
static ResultSpan fixture_secret_spans[] = {{.what = "kernel", .name = "SECRET kernel", .end_us = 1}};

static const CaseResult fixture_right[] = {OK_CASE("one-block", 30, false), OK_CASE("one-more", 30, false),
                                           OK_CASE("large-odd", 40, true)};
static const CaseResult fixture_racy[] = {
    OK_CASE("one-block", 30, false),
    {.name = "one-more",
     .points = 15,
     .max_points = 30,
     .verdict = VERDICT_RACE,
     .message = "race: two threads write c[0]\n  at vector_add.cu:23\nThe result is right all the same.",
     .lesson = "257 elements, one more than a block.",
     .hint = "Which thread writes c[0]?",
     .replay = "grade check labs/02-vector-add --case one-more",
     .findings = fixture_findings,
     .n_findings = 2,
     .metrics = fixture_metrics,
     .n_metrics = 2,
     .spans = fixture_spans,
     .n_spans = 3,
     .spans_left_out = 7},
    {.name = "large-odd",
     .hidden = true,
     .max_points = 40,
     .verdict = VERDICT_WRONG_RESULT,
     .message = "SECRET: 7 of 999983 differ",
     .lesson = "No multiple of anything.",
     .hint = "SECRET hint",
     .replay = "SECRET replay",
     .spans = fixture_secret_spans,
     .n_spans = 1}};
static const CaseResult fixture_unbuilt[] = {{.name = "one-block",
                                              .max_points = 30,
                                              .verdict = VERDICT_BUILD_ERROR,
                                              .message = "",
                                              .lesson = "",
                                              .hint = "",
                                              .replay = ""},
                                             {.name = "one-more",
                                              .max_points = 30,
                                              .verdict = VERDICT_BUILD_ERROR,
                                              .message = "",
                                              .lesson = "",
                                              .hint = "",
                                              .replay = ""},
                                             {.name = "large-odd",
                                              .hidden = true,
                                              .max_points = 40,
                                              .verdict = VERDICT_BUILD_ERROR,
                                              .message = "",
                                              .lesson = "",
                                              .hint = "",
                                              .replay = ""}};
static const CaseResult fixture_kit[] = {{.name = "one",
                                          .max_points = 12.5,
                                          .verdict = VERDICT_KIT_ERROR,
                                          .message = "The disk is full.",
                                          .lesson = "",
                                          .hint = "",
                                          .replay = ""}};
static const CaseResult fixture_absent[] = {{.name = "one-block",
                                             .max_points = 100,
                                             .verdict = VERDICT_NOT_SUBMITTED,
                                             .message = "",
                                             .lesson = "",
                                             .hint = "",
                                             .replay = ""}};

/* s001 passes, s002 has a race, a wrong result and advice, s003 does not compile, s004 handed nothing in, and
 * met a kit error in the other lab. */
static inline ReportClass *fixture_class(void)
{
    Result *results[] = {
        fixture_result("s004", "02-vector-add", VERDICT_NOT_SUBMITTED, fixture_absent, 1),
        fixture_result("s001", "02-vector-add", VERDICT_PASS, fixture_right, 3),
        fixture_result("s003", "02-vector-add", VERDICT_BUILD_ERROR, fixture_unbuilt, 3),
        fixture_result("s002", "02-vector-add", VERDICT_PASS, fixture_racy, 3),
        fixture_result("s001", "01-indexing", VERDICT_PASS, fixture_right, 3),
        fixture_result("s004", "01-indexing", VERDICT_PASS, fixture_kit, 1),
    };
    results[2]->build_log = "vector_add.cu(7): error: expected a \";\"\n1 error detected\n";
    ReportClass *c;
    assert_int_equal(report_class_make(results, 6, &c, NULL), STATUS_OK);
    return c;
}

#define ATTACK "</pre><script>alert('x')</script>\"&]]>\x1b[31m\x07\xE2\x80\xAE=1+1,|`$x$\n\x01"

/* One result whose every text is an attack on the format that shows it. */
static inline ReportClass *fixture_hostile(void)
{
    static Finding findings[] = {{.kind = ATTACK,
                                        .verdict = "race",
                                        .kernel = ATTACK,
                                        .place.file = ATTACK,
                                        .message = ATTACK,
                                        .hint = ATTACK,
                                        .text = "t" ATTACK}};
    static ResultMetric metrics[] = {{ATTACK, 1}};
    static ResultSpan spans[] = {{.what = ATTACK, .name = ATTACK, .start_us = 1, .end_us = 1}};
    static const CaseResult cases[] = {{.name = ATTACK,
                                        .max_points = 100,
                                        .verdict = VERDICT_RACE,
                                        .message = "m" ATTACK,
                                        .lesson = ATTACK,
                                        .hint = ATTACK,
                                        .replay = ATTACK,
                                        .findings = findings,
                                        .n_findings = 1,
                                        .metrics = metrics,
                                        .n_metrics = 1,
                                        .spans = spans,
                                        .n_spans = 1}};
    Result *results[] = {fixture_result("=../../" ATTACK, "02-" ATTACK, VERDICT_BUILD_ERROR, cases, 1)};
    results[0]->build_log = ATTACK;
    results[0]->device_name = results[0]->kit_version = ATTACK;
    ReportClass *c;
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    static GradeItem items[] = {
        {.points = -1, .text = ATTACK}, {.text = "=" ATTACK}, {.secret = true, .text = ATTACK}};
    c->grades[0].items = items;
    c->grades[0].n_items = 3;
    c->grades[0].n_comments = 2;
    return c;
}

#endif
