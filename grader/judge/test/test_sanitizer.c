/* What compute-sanitizer's tools print: each kind of report becomes its finding, with place, thread and
 * address; summaries are told apart; hostile and damaged texts do no harm. */
#include "grader/judge/sanitizer_report.h"

#include "common/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOP "========= COMPUTE-SANITIZER\n"
#define HOST                                                                                                 \
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"                    \
    "=========         Host Frame: cudaLaunchKernel [0x7d4e3] in libcudart.so.13\n"                          \
    "=========         Host Frame: __device_stub__add(float*) in /tmp/x.cudafe1.stub.c:13 [0x1f] in "        \
    "program\n"                                                                                              \
    "=========         Host Frame: vector_add in vector_add.cu:40 [0x8a81] in program\n"                     \
    "=========         Host Frame: lab_main in driver.c:9 [0x8b00] in program\n========= \n"

static const char WRITE[] =
    TOP "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at store(float *, float)+0x80 in /src/vector_add.cu:12\n"
        "=========     by thread (96,0,0) in block (3,0,0)\n"
        "=========     Access to 0x7f00000003e8 is out of bounds\n"
        "=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 1,000 bytes\n"
        "=========         Device Frame: add(const float *, float *, int)+0x80 in vector_add.cu:20\n" HOST
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at store(float *, float)+0x80 in /src/vector_add.cu:12\n"
        "=========     by thread (97,0,0) in block (3,0,0)\n"
        "=========     Access to 0x7f00000003ec is out of bounds\n"
        "=========         Device Frame: add(const float *, float *, int)+0x80 in vector_add.cu:20\n" HOST
        "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on "
        "CUDA API call to "
        "cudaDeviceSynchronize.\n"
        "=========         Host Frame: vector_add in vector_add.cu:44 [0x8a81] in program\n"
        "========= Target application returned an error\n"
        "========= ERROR SUMMARY: 3 errors\n";

/* The report of one text of one tool that came to its end. */
static VgpuReport *report_of(SanitizerTool tool, const char *text)
{
    const char *why;
    VgpuReport *r = sanitizer_report_create();
    assert_non_null(r);
    assert_true(sanitizer_report_add(r, tool, text, strlen(text), &why));
    assert_string_equal("", why);
    return r;
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    VgpuReport *r = report_of(SANITIZER_MEMCHECK, WRITE);
    assert_int_equal(1, r->n_findings);
    const Finding *f = &r->findings[0];
    assert_string_equal("out-of-bounds", f->kind);
    assert_int_equal(VERDICT_OUT_OF_BOUNDS, vgpu_finding_verdict(f));
    assert_string_equal("vector_add.cu", f->place.file);
    assert_int_equal(12, f->place.line);
    assert_string_equal("add(const float *, float *, int)", f->kernel);
    assert_true(f->has_thread);
    assert_int_equal(96, f->thread[0]);
    assert_int_equal(3, f->block[0]);
    assert_int_equal(0x7f00000003e8, f->address);
    assert_int_equal(4, f->bytes);
    assert_int_equal(2, f->count);
    assert_string_equal("write of 4 bytes outside every allocation of global memory", f->message);
    assert_non_null(strstr(f->text, "1 byte after an allocation of 1,000 bytes"));
    assert_non_null(strstr(f->text, "launched at vector_add.cu:40 in vector_add"));
    assert_non_null(strstr(f->text, "memcheck said: Invalid __global__ write of size 4 bytes"));
    assert_int_equal(1, r->n_errors);
    assert_string_equal("cudaDeviceSynchronize", r->errors[0].call);
    assert_string_equal("cudaErrorLaunchFailure", r->errors[0].error);
    assert_int_equal(719, r->errors[0].code);
    assert_int_equal(44, r->errors[0].line);
    vgpu_report_free(r);
}

/* A report of one kind: its tool, its text, and what it must become. */
typedef struct Sample {
    SanitizerTool tool;
    const char *text, *kind, *verdict, *file;
    int line;
    const char *message;
} Sample;

static const Sample samples[] = {
    {SANITIZER_MEMCHECK,
     "========= Invalid __shared__ atomic of size 4 bytes\n=========     at k(int *)+0x10 in a.cu:5\n"
     "=========     by thread (0,1,2) in block (0,0,0)\n=========     Access at 0x404 is out of bounds\n"
     "========= ERROR SUMMARY: 1 error\n",
     "out-of-bounds", "out-of-bounds", "a.cu", 5, "atomic of 4 bytes outside the block's shared memory"},
    {SANITIZER_MEMCHECK,
     "========= Invalid __global__ read of size 8 bytes\n=========     at k(int *)+0x10 in a.cu:6\n"
     "=========     Address 0x7f0000000004 is misaligned\n========= ERROR SUMMARY: 1 error\n",
     "misaligned", "misaligned", "a.cu", 6, "misaligned read of 8 bytes in global memory"},
    {SANITIZER_MEMCHECK,
     "========= Invalid __global__ read of size 4 bytes\n=========     at k(int *)+0x10 in a.cu:7\n"
     "=========     Access at 0x0 is out of bounds\n"
     "=========     and is 139,637,976,727,552 bytes before the nearest allocation at 0x7f0000000000 of size "
     "16 bytes\n"
     "========= ERROR SUMMARY: 1 error\n",
     "null-pointer", "out-of-bounds", "a.cu", 7, "read of 4 bytes through a null pointer"},
    {SANITIZER_MEMCHECK,
     "========= Leaked 4,000 bytes at 0x7f0000000000\n=========     Saved host backtrace up to driver entry "
     "point at "
     "cudaMalloc time\n=========         Host Frame: cudaMalloc [0x1] in libcudart.so.13\n"
     "=========         Host Frame: cudaMalloc<float> in cuda_runtime.h:879 [0x2] in program\n"
     "=========         Host Frame: f in a.cu:8 [0x2] in program\n=========\n"
     "========= LEAK SUMMARY: 4,000 bytes leaked in 1 allocations\n========= ERROR SUMMARY: 1 error\n",
     "leak", "leak", "a.cu", 8, "4,000 bytes never freed"},
    {SANITIZER_MEMCHECK,
     "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to "
     "cudaFree.\n"
     "=========         Host Frame: f in a.cu:9 [0x2] in program\n========= ERROR SUMMARY: 1 error\n",
     "invalid-free", "invalid-free", "a.cu", 9,
     "memory freed twice, or free of an address that no allocation starts at"},
    {SANITIZER_RACECHECK,
     "========= Error: Race reported between Write access at void k<(int)16>(int *)+0x190 in a.cu:10\n"
     "=========     and Read access at void k<(int)16>(int *)+0x2d0 in a.cu:14 [508 hazards]\n=========\n"
     "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
     "race", "race", "a.cu", 10,
     "write and read of one place in shared memory by two threads, with nothing that orders them"},
    {SANITIZER_RACECHECK,
     "========= Warning: Race reported between Write access at k(int *)+0x190 in a.cu:11\n"
     "=========     and Write access at k(int *)+0x190 in a.cu:11 [4 hazards]\n"
     "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n",
     "race", "race", "a.cu", 11,
     "write and write of one place in shared memory by two threads, with nothing that orders them"},
    {SANITIZER_INITCHECK,
     "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at k(int *)+0x10 in "
     "a.cu:12\n"
     "=========     by thread (1,0,0) in block (2,0,0)\n=========     Access at 0x7f0000000004\n"
     "========= ERROR SUMMARY: 1 error\n",
     "uninitialized", "uninitialized", "a.cu", 12, "read of global memory that nobody wrote"},
    {SANITIZER_INITCHECK,
     "========= Host API memory access error at host access to 0x7f0000000000 of size 1,024 bytes\n"
     "=========     Uninitialized access at 0x7f0000000000 on access by cudaMemcpy source.\n"
     "=========         Host Frame: f in a.cu:13 [0x2] in program\n========= ERROR SUMMARY: 1 error\n",
     "api-uninitialized-copy", "", "a.cu", 13, "a copy to the host reads device memory that nobody wrote"},
    {SANITIZER_SYNCCHECK,
     "========= Barrier error detected. Divergent thread(s) in warp.\n=========     at k(int *)+0x10 in "
     "a.cu:14\n"
     "=========     by thread (31,0,0) in block (0,0,0)\n========= ERROR SUMMARY: 1 error\n",
     "barrier-divergent", "barrier", "a.cu", 14,
     "a barrier inside divergent code: threads of one warp do not reach it together"},
    {SANITIZER_SYNCCHECK,
     "========= Barrier error detected. Divergent thread(s) in block.\n=========     at k(int *)+0x10 in "
     "a.cu:15\n"
     "========= ERROR SUMMARY: 1 error\n",
     "barrier-divergent", "barrier", "a.cu", 15, "a barrier that not all threads of the block reach"},
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const Sample *s = &samples[i];
        VgpuReport *r = report_of(s->tool, s->text);
        assert_int_equal(1, r->n_findings);
        const Finding *f = &r->findings[0];
        assert_string_equal(s->kind, f->kind);
        assert_string_equal(s->verdict, f->verdict);
        assert_string_equal(s->file, f->place.file);
        assert_int_equal(s->line, f->place.line);
        assert_string_equal(s->message, f->message);
        vgpu_report_free(r);
    }
}

static void test_race_of_two_lines(void **state)
{
    (void)state;
    VgpuReport *r = report_of(SANITIZER_RACECHECK, samples[5].text);
    assert_int_equal(508, r->findings[0].count);
    assert_non_null(strstr(r->findings[0].text, "read at a.cu:14"));
    vgpu_report_free(r);
}

/* The summaries of both forms end a report; a text without one is no result, and a tool that failed says why.
 */
static void test_ends(void **state)
{
    (void)state;
    const char *why, *failed = TOP "========= Error: process didn't terminate successfully\n";
    VgpuReport *r = report_of(SANITIZER_MEMCHECK, TOP "========= ERROR SUMMARY: 0 errors\n");
    vgpu_report_free(r);
    r = report_of(SANITIZER_RACECHECK,
                  TOP "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n");
    assert_int_equal(0, r->n_findings);
    assert_false(sanitizer_report_add(r, SANITIZER_MEMCHECK, TOP, strlen(TOP), &why));
    assert_string_equal("", why);
    assert_false(sanitizer_report_add(r, SANITIZER_SYNCCHECK, failed, strlen(failed), &why));
    assert_string_equal("process didn't terminate successfully", why);
    sanitizer_report_add_failure(r, SANITIZER_SYNCCHECK, why);
    assert_int_equal(1, r->n_findings);
    assert_true(r->findings[0].advice);
    assert_null(vgpu_report_worst(r));
    assert_non_null(strstr(r->findings[0].message, "synccheck gave no result"));
    vgpu_report_free(r);
}

/* An access in a header is told where the student's code calls it, a launch that failed where it stands. */
static void test_places(void **state)
{
    (void)state;
    VgpuReport *r =
        report_of(SANITIZER_INITCHECK,
                  "========= Uninitialized __global__ memory read of size 4 bytes\n"
                  "=========     at atomicAdd(float *, float)+0x460 in atomic_functions.hpp:84\n"
                  "=========         Device Frame: add(float *)+0x450 in a.cu:34\n"
                  "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
                  "=========         Host Frame: run in a.cu:41 [0x581c] in p\n========= \n"
                  "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on "
                  "CUDA API call to cudaLaunchKernel.\n"
                  "=========         Host Frame: add(float*) in a.cu:9 [0x5b9b] in p\n"
                  "=========         Host Frame: run in a.cu:37 [0x588d] in p\n"
                  "=========         Host Frame: lab_main in driver.c:18 [0x5d40] in p\n"
                  "========= ERROR SUMMARY: 2 errors\n");
    assert_string_equal("a.cu", r->findings[0].place.file);
    assert_int_equal(34, r->findings[0].place.line);
    assert_int_equal(1, r->n_errors);
    assert_int_equal(37, r->errors[0].line);
    vgpu_report_free(r);
}

/* Findings of several tools stand in one report; the gravest decides. */
static void test_several_tools(void **state)
{
    (void)state;
    const char *why;
    VgpuReport *r = sanitizer_report_create();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        assert_true(sanitizer_report_add(r, samples[i].tool, samples[i].text, strlen(samples[i].text), &why));
    assert_int_equal(sizeof samples / sizeof *samples, r->n_findings);
    assert_int_equal(VERDICT_OUT_OF_BOUNDS, vgpu_finding_verdict(vgpu_report_worst(r)));
    vgpu_report_free(r);
}

/* What a program prints itself is no report unless it has the mark; a name with escapes is cleaned. */
static void test_hostile_names(void **state)
{
    (void)state;
    VgpuReport *r = report_of(SANITIZER_MEMCHECK,
                              "Invalid __global__ write of size 4 bytes\n    at k in a.cu:1\n"
                              "========= Invalid __global__ write of size 4 bytes\n"
                              "=========     at k\033[2J\007(int)+0x1 in ../../etc/\033]0;x\007a.cu:1\n"
                              "========= ERROR SUMMARY: 1 error\n");
    assert_int_equal(1, r->n_findings);
    assert_null(strchr(r->findings[0].text, '\033'));
    assert_null(strchr(r->findings[0].text, '\007'));
    assert_null(strchr(r->findings[0].place.file, '/'));
    vgpu_report_free(r);
}

/* More reports than the limit are cut, and it is known. */
static void test_limit(void **state)
{
    (void)state;
    static char text[VGPU_REPORT_FINDINGS_MAX * 128 + 1024];
    size_t n = 0;
    for (int i = 0; i <= VGPU_REPORT_FINDINGS_MAX; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "========= Invalid __global__ read of size 4 bytes\n=========     at k()+0x1 in a.cu:%d\n",
            i + 1);
    snprintf(text + n, sizeof text - n, "========= ERROR SUMMARY: %d errors\n", VGPU_REPORT_FINDINGS_MAX + 1);
    VgpuReport *r = report_of(SANITIZER_MEMCHECK, text);
    assert_int_equal(VGPU_REPORT_FINDINGS_MAX, r->n_findings);
    assert_true(r->cut);
    vgpu_report_free(r);
}

/* Damage of every kind: bytes changed, cut, doubled. Nothing is asserted but that it ends, and that limits
 * hold. */
static void test_damage(void **state)
{
    (void)state;
    Rng rng = {.state = 7};
    for (int i = 0; i < 3000; i++) {
        const char *from = i % 3 ? samples[i % (sizeof samples / sizeof *samples)].text : WRITE, *why;
        char text[4096];
        size_t n = strlen(from), begin = rng_below(&rng, n);
        memcpy(text, from, n);
        for (uint64_t k = rng_below(&rng, 12); k > 0; k--)
            text[rng_below(&rng, n)] = (char)rng_below(&rng, 256);
        if (i % 5 == 0)
            memmove(text, text + begin, n -= begin);
        VgpuReport *r = sanitizer_report_create();
        sanitizer_report_add(r, (SanitizerTool)(i % SANITIZER_N_TOOLS), text, n, &why);
        assert_true(r->n_findings <= VGPU_REPORT_FINDINGS_MAX && r->n_errors <= VGPU_REPORT_ERRORS_MAX);
        vgpu_report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_bounds),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_race_of_two_lines),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_several_tools),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
