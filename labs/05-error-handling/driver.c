/* Lab 05: calls what the parameter `part` names, makes it fail where the case says so, and reports what came
 * of it.
 *
 * Calls that fail for want of memory are made to by asking for more than any device has (HUGE_BYTES), a
 * lasting error by an index that is far out of the array, a store at an odd address or one at an address of shared memory, and a machine without a device by hiding it. What
 * the case options of the virtual GPU add (--fail-at) happens inside gather and reserve: before them nothing
 * here makes a call that could fail.
 *
 * Points are decided by the devices' record of calls (reference.c): what was asked of them, and which of that failed.
 * Notes between the calls say what this file is about to do, and it goes on as what came back tells it to.
 */
#include "lab.h"

#include "error_handling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HUGE_BYTES ((size_t)1 << 60)
enum { TEXT_MAX = 16 * 1024, JOB_CALLS_MAX = 20 };

static int64_t param_or(LabCase *c, const char *key, int64_t otherwise)
{
    return lab_has_param(c, key) ? lab_param_int(c, key) : otherwise;
}

/* ---- What is printed on standard error while it is looked at ---- */

typedef struct Ear {
    FILE *file; /* what is printed goes here; NULL: cannot listen */
    int before; /* where standard error went before */
} Ear;

static Ear start_listening(void)
{
    Ear ear = {.file = tmpfile(), .before = dup(STDERR_FILENO)};
    fflush(stderr);
    if (ear.file)
        dup2(fileno(ear.file), STDERR_FILENO);
    return ear;
}

/* Puts what was printed into text, and prints it where it belongs. */
static void stop_listening(Ear *ear, char text[TEXT_MAX])
{
    size_t n = 0;
    fflush(stderr);
    dup2(ear->before, STDERR_FILENO);
    close(ear->before);
    if (ear->file) {
        rewind(ear->file);
        n = fread(text, 1, TEXT_MAX - 1, ear->file);
        fclose(ear->file);
    }
    text[n] = '\0';
    fputs(text, stderr);
}

/* ---- gather ---- */

typedef struct GatherData {
    const float *in;
    const int32_t *index;
    size_t n_in, n;
    float *out;
} GatherData;

static GatherData gather_data(LabCase *c)
{
    GatherData g = {0};
    g.in = lab_input_f32(c, "in", &g.n_in);
    g.index = lab_input_i32(c, "index", &g.n);
    g.out = lab_output_f32(c, "out", g.n);
    return g;
}

static int call_gather(void *data)
{
    GatherData *g = data;
    lab_note("gather");
    return gather(g->in, (int)g->n_in, g->index, g->out, (int)g->n);
}

/* No call is made to fail. With `again` one element is gathered before. */
static void run_gather(LabCase *c)
{
    GatherData g = gather_data(c);
    if (lab_has_param(c, "again")) {
        GatherData one = g;
        one.n = 1;
        call_gather(&one);
    }
    lab_status(c, "gather", call_gather(&g));
    lab_note("returned");
    lab_value(c, "error_left_behind", cudaPeekAtLastError());
}

/* The k-th CUDA call fails, whichever that is: one of `calls` calls of gather returns an error, the others
 * are right. What comes after the first right result goes to a buffer of its own. With `keep_error` an error
 * that gather left behind stays for the next call to meet. */
static void run_failing(LabCase *c)
{
    GatherData g = gather_data(c);
    int64_t calls = lab_param_int(c, "calls");
    float *spare = calloc(g.n + 1, sizeof *spare);
    int64_t keep_error = param_or(c, "keep_error", 0);
    int failed = 0;
    if (!spare)
        exit(2);
    for (int64_t i = 0; i < calls; i++) {
        int status = call_gather(&g);
        lab_note("returned %d", status);
        if (status != cudaSuccess && failed++ == 0)
            lab_value(c, "returned", status);
        else if (status == cudaSuccess)
            g.out = spare;
        if (!keep_error)
            cudaGetLastError();
    }
    lab_value(c, "calls_of_gather_that_returned_an_error", failed);
    lab_value(c, "error_left_behind", cudaPeekAtLastError());
    free(spare);
}

static void use_device(void);
static int ask_for_too_much(void);

/* One index is far outside of the array: the kernel breaks down. */
static void run_bad_index(LabCase *c)
{
    char text[TEXT_MAX];
    GatherData g = gather_data(c);
    Ear ear = start_listening();
    int status = call_gather(&g);
    lab_note("returned %d", status);
    stop_listening(&ear, text);
    lab_value(c, "gather_returned", status);
    lab_value(c, "something_was_printed_about_it", text[0] != '\0');
    lab_value(c, "an_error_of_the_kernel_was_blamed_on_a_copy", strstr(text, "cudaMemcpy") != NULL);
    if (status == cudaSuccess)
        use_device();
}

/* ---- CHECK ---- */

/* The device sees what the probe does: each call that works and each place that is reached fills a byte of its own, and a call
 * that fails asks for more than there is. */
enum { TRAIL_CALL = PROBE_PLACES, TRAIL_BYTES };

cudaError_t probe_call(CheckProbe *p, int fails)
{
    void *nothing = NULL;
    p->calls++;
    if (!fails)
        return cudaMemset(p->trail + TRAIL_CALL, 0, 1);
    cudaError_t error = cudaMalloc(&nothing, HUGE_BYTES);
    cudaGetLastError(); /* as in CHECK(cudaGetLastError()), what the call returns is all that there is to know of the error */
    return error;
}

void probe_reach(CheckProbe *p, ProbePlace place)
{
    p->reached[place]++;
    cudaMemset(p->trail + place, 0, 1);
}

static CheckProbe probe_new(char *trail, const char *name)
{
    lab_note("probe %s", name);
    return (CheckProbe){.trail = trail};
}

static void run_check_good(LabCase *c)
{
    char text[TEXT_MAX], *trail = NULL;
    cudaMalloc((void **)&trail, TRAIL_BYTES);
    ask_for_too_much(); /* noted from here on: calls that work leave it as it is */
    Ear ear = start_listening();
    CheckProbe twice = probe_new(trail, "twice");
    lab_value(c, "err_after_two_good_calls_in_CHECK", probe_twice(&twice));
    CheckProbe branch = probe_new(trail, "branch");
    probe_branch(&branch, 0);
    stop_listening(&ear, text);
    lab_value(c, "evaluations_of_two_calls_in_CHECK", twice.calls);
    lab_value(c, "statements_run_after_good_calls_in_CHECK", twice.reached[PROBE_AFTER] + branch.reached[PROBE_AFTER]);
    lab_value(c, "else_branches_taken_though_the_condition_was_true", branch.reached[PROBE_OTHER]);
    lab_value(c, "something_was_printed_about_a_good_call", text[0] != '\0');
    lab_value(c, "error_noted_before_good_calls_and_behind_them", cudaPeekAtLastError());
    CheckProbe bad = probe_new(trail, "failing-branch");
    lab_value(c, "err_after_a_failed_CHECK_between_if_and_else", probe_branch(&bad, 1));
    lab_value(c, "statements_run_after_a_failed_CHECK", bad.reached[PROBE_AFTER]);
    lab_note("probed");
    cudaFree(trail);
}

static void run_check_bad(LabCase *c)
{
    char text[TEXT_MAX], line[16], *trail = NULL;
    cudaMalloc((void **)&trail, TRAIL_BYTES);
    Ear ear = start_listening();
    CheckProbe p = probe_new(trail, "failure");
    int err = probe_failure(&p);
    lab_note("probed");
    stop_listening(&ear, text);
    cudaFree(trail);
    snprintf(line, sizeof line, "%d", p.line);
    lab_value(c, "evaluations_of_a_failing_call_in_CHECK", p.calls);
    lab_value(c, "statements_run_after_a_failed_CHECK", p.reached[PROBE_AFTER]);
    lab_value(c, "jumps_to_done_after_a_failed_CHECK", p.reached[PROBE_DONE]);
    lab_value(c, "err_after_a_failed_CHECK", err);
    lab_value(c, "message_names_the_file", strstr(text, "check_probe.h") != NULL);
    lab_value(c, "message_names_the_line", strstr(text, line) != NULL);
    lab_value(c, "message_shows_the_call", strstr(text, "probe_call(p, 9 % sizeof p->calls)") != NULL);
    lab_value(c, "message_names_the_error",
              strstr(text, "cudaErrorMemoryAllocation") != NULL || strstr(text, "out of memory") != NULL);
}

/* ---- reserve ---- */

enum { TAKEN_MAX = 128 };

/* Takes all of the device's memory: what is free, by halves. The errors of it are taken away. In cases with `vgpu` alone: a real card may have other users. */
static size_t take_memory(void *taken[TAKEN_MAX])
{
    size_t bytes = 0, total = 0, n = 0;
    CUDA_CHECK(cudaMemGetInfo(&bytes, &total));
    while (bytes > 0 && n < TAKEN_MAX)
        if (cudaMalloc(&taken[n], bytes) == cudaSuccess)
            n++;
        else
            bytes /= 2;
    cudaGetLastError();
    return n;
}

/* The last of `count` floats lies inside the allocation. */
static int reaches_its_end(float *buffer, size_t count)
{
    return buffer && count > 0 && cudaMemset(buffer + count - 1, 0, sizeof(float)) == cudaSuccess;
}

/* All memory but that for `bytes` bytes. */
static size_t take_all_but(size_t bytes, void *taken[TAKEN_MAX])
{
    void *room = NULL;
    CUDA_CHECK(cudaMalloc(&room, bytes));
    size_t n = take_memory(taken);
    CUDA_CHECK(cudaFree(room));
    return n;
}

/* Calls reserve while a stream of this thread captures what it is asked for: cudaMalloc has another error then. Who finds room all the
 * same, on a way of its own, is right. */
static void reserve_capturing(LabCase *c)
{
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    float *buffer = NULL;
    size_t count = 1000;
    lab_own_calls(1);
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    lab_note("capturing");
    int status = reserve(&buffer, &count);
    lab_value(c, "error_left_behind_while_a_stream_captures", cudaGetLastError());
    cudaStreamEndCapture(stream, &graph); /* fails where the capture has become invalid */
    cudaGetLastError();
    if (graph)
        cudaGraphDestroy(graph);
    if (status == cudaSuccess)
        cudaFree(buffer);
    cudaStreamDestroy(stream);
}

/* `room`: there is memory for a few bytes alone.
 * `halvings`: how often the count must be halved; -1: until it fits, at least once; more often than the count can be: nothing fits.
 * With 0 reserve is called once more, for half as many. */
static void run_reserve(LabCase *c)
{
    size_t wanted = (size_t)lab_param_int(c, "count");
    int64_t halvings = lab_param_int(c, "halvings");
    size_t count = wanted;
    float before = 0, *buffer = &before;
    void *taken[TAKEN_MAX];
    size_t n = lab_has_param(c, "room") ? take_all_but((size_t)lab_param_int(c, "room"), taken) : 0;
    lab_note("reserve");
    int status = reserve(&buffer, &count);
    lab_note("returned %d", status);
    lab_value(c, "reserve_returned", status);
    lab_value(c, "error_left_behind", cudaPeekAtLastError());
    for (size_t i = 0; i < n; i++)
        cudaFree(taken[i]);
    if (halvings > 0 && wanted >> halvings == 0) {
        if (status != cudaSuccess)
            lab_value(c, "returned", status);
        lab_value(c, "reserve_left_a_buffer", buffer != NULL);
        reserve_capturing(c);
        return;
    }
    if (halvings >= 0) {
        lab_value(c, "floats_reserved", (double)count);
    } else {
        size_t half = wanted / 2;
        while (half > count)
            half /= 2;
        lab_value(c, "count_is_what_halving_gives", half == count);
    }
    lab_value(c, "buffer_is_as_long_as_count_says", reaches_its_end(buffer, count));
    cudaFree(buffer);
    if (halvings != 0)
        return;
    buffer = NULL;
    count = wanted / 2;
    status = reserve(&buffer, &count);
    lab_value(c, "second_buffer_is_as_long_as_count_says", status == 0 && count == wanted / 2 && reaches_its_end(buffer, count));
    cudaFree(buffer);
}

/* ---- device_is_usable, with_retry ---- */

/* Leaves an error that passes. */
static int ask_for_too_much(void)
{
    void *nothing = NULL;
    return cudaMalloc(&nothing, HUGE_BYTES);
}

/* What a program does with a device that it believes in. */
static void use_device(void)
{
    char *byte = NULL;
    lab_note("uses-the-device");
    if (cudaMalloc((void **)&byte, 1) == cudaSuccess)
        cudaMemset(byte, 0, 1);
    cudaFree(byte);
}

/* The n blocks of memory are given back behind the question. */
static int is_usable(void *taken[], size_t n)
{
    lab_note("usable");
    int usable = device_is_usable();
    lab_note("returned %d", usable);
    for (size_t i = 0; i < n; i++)
        cudaFree(taken[i]);
    if (usable)
        use_device();
    return usable;
}

/* A device that is at work is as usable as any other. */
static int is_usable_at_work(void)
{
    enum { BYTES = 1 << 20 };
    char *filled = NULL;
    CUDA_CHECK(cudaMalloc((void **)&filled, BYTES));
    CUDA_CHECK(cudaMemsetAsync(filled, 0, BYTES, 0));
    void *taken[] = {filled};
    return is_usable(taken, 1);
}

static void run_usable(LabCase *c)
{
    lab_value(c, "device_is_usable_at_first", is_usable_at_work());
    void *taken[TAKEN_MAX];
    size_t n = take_memory(taken);
    int before = ask_for_too_much();
    lab_value(c, "device_is_usable_after_an_allocation_failed", is_usable(taken, n));
    int after = cudaGetLastError(); /* who leaves an error of somebody else as it was has left none */
    lab_value(c, "error_left_behind", after == before ? cudaSuccess : after);
    GatherData g = gather_data(c); /* with an index that is far outside */
    int broken = call_gather(&g) == cudaErrorIllegalAddress;
    lab_note("broken");
    lab_value(c, "device_is_usable_after_a_kernel_broke_down", broken && is_usable(NULL, 0));
    size_t count = 1000;
    float mark = 0, *buffer = &mark;
    lab_note("reserve");
    int status = reserve(&buffer, &count);
    lab_note("returned %d", status);
    lab_value(c, "reserve_on_the_broken_device_returned", status);
    lab_value(c, "reserve_left_a_buffer", buffer != NULL);
}

/* Leaves another one. */
static int ask_for_no_device(void)
{
    lab_note("fails-otherwise");
    return cudaSetDevice(-1);
}

/* A job that fails a number of times, or for ever: for want of memory, but in call `otherwise`, which has another error that passes. */
typedef struct Flaky {
    int64_t failures, otherwise;
    int calls, stale;
} Flaky;

static int flaky_job(void *data)
{
    Flaky *f = data;
    lab_note("job");
    f->stale += cudaPeekAtLastError() != cudaSuccess;
    f->calls++;
    if (f->calls <= f->failures && f->calls < JOB_CALLS_MAX) /* whoever never stops is stopped */
        return f->calls == f->otherwise ? ask_for_no_device() : ask_for_too_much();
    use_device();
    return cudaSuccess;
}

static int good_job(void *data)
{
    (void)data;
    return cudaSuccess;
}

static void run_retry(LabCase *c)
{
    Flaky f = {.failures = lab_param_int(c, "failures"), .otherwise = param_or(c, "otherwise", 0)};
    with_retry(good_job, NULL, 1); /* the next call has a job of its own */
    int status = with_retry(flaky_job, &f, (int)lab_param_int(c, "attempts"));
    lab_note("returned %d", status);
    lab_value(c, "with_retry_returned", status);
    lab_value(c, "calls_of_the_job", f.calls);
    lab_value(c, "calls_of_the_job_that_met_an_old_error", f.stale);
    lab_value(c, "error_left_behind", cudaPeekAtLastError());
}

/* A kernel that stores a word at an address that is no multiple of 4: an error that lasts, and another one than a wrong index gives. */
static const char store_askew[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry store_askew(.param .u64 to)\n"
                                  "{\n"
                                  "  .reg .b32 %r<2>;\n"
                                  "  .reg .b64 %rd<2>;\n"
                                  "  ld.param.u64 %rd1, [to];\n"
                                  "  mov.u32 %r1, 0;\n"
                                  "  st.global.u32 [%rd1+1], %r1;\n"
                                  "  ret;\n"
                                  "}\n";

/* A kernel that stores to global memory at the address of a shared variable: yet another one. */
static const char store_elsewhere[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                      ".visible .entry store_elsewhere(.param .u64 to)\n"
                                      "{\n"
                                      "  .shared .align 4 .b8 own[4];\n"
                                      "  .reg .b32 %r<2>;\n"
                                      "  .reg .b64 %rd<3>;\n"
                                      "  mov.u64 %rd1, own;\n"
                                      "  cvta.shared.u64 %rd2, %rd1;\n"
                                      "  mov.u32 %r1, 0;\n"
                                      "  st.global.u32 [%rd2], %r1;\n"
                                      "  ret;\n"
                                      "}\n";

/* Leaves no error noted. */
static void break_device(int by_space)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *words = NULL, *args[] = {&words};
    dim3 one = {1, 1, 1};
    if (cudaMalloc(&words, 8) == cudaSuccess &&
        cudaLibraryLoadData(&library, by_space ? store_elsewhere : store_askew, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess &&
        cudaLibraryGetKernel(&kernel, library, by_space ? "store_elsewhere" : "store_askew") == cudaSuccess &&
        cudaLaunchKernel((const void *)kernel, one, one, args, 0, NULL) == cudaSuccess)
        cudaDeviceSynchronize();
    cudaGetLastError();
}

/* Returns the error that it met first, when it asked for more memory than there is: what the code says is nothing that lasts. */
typedef struct Breaking {
    int calls, by_space;
} Breaking;

static int breaking_job(void *data)
{
    Breaking *b = data;
    lab_note("job");
    if (++b->calls == JOB_CALLS_MAX)
        return cudaSuccess;
    int first = ask_for_too_much();
    cudaGetLastError();
    break_device(b->by_space);
    lab_note("returned %d", first);
    return first;
}

static void run_retry_lasting(LabCase *c)
{
    Breaking b = {.by_space = param_or(c, "by_space", 0) != 0};
    device_is_usable(); /* it still is: what this call found must not be kept */
    int status = with_retry(breaking_job, &b, (int)lab_param_int(c, "attempts"));
    lab_note("returned %d", status);
    lab_value(c, "with_retry_returned", status);
    lab_value(c, "calls_of_the_job", b.calls);
    if (status == cudaSuccess)
        use_device();
}

/* ---- A machine without a device ---- */

static void run_no_device(LabCase *c)
{
    GatherData g = gather_data(c);
    float *buffer = NULL;
    Breaking b = {0};
    size_t count = (size_t)param_or(c, "count", 1000);
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* before the first CUDA call, which looks at it */
    lab_value(c, "gather_returned", call_gather(&g));
    lab_value(c, "reserve_returned", reserve(&buffer, &count));
    lab_value(c, "reserve_left_a_buffer", buffer != NULL);
    lab_value(c, "device_is_usable", device_is_usable());
    lab_value(c, "with_retry_returned", with_retry(breaking_job, &b, 3));
    lab_value(c, "calls_of_the_job", b.calls);
}

void lab_main(LabCase *c)
{
    static const struct {
        const char *part;
        void (*run)(LabCase *);
    } parts[] = {
        {"gather", run_gather},         {"failing", run_failing},     {"bad-index", run_bad_index},
        {"check-good", run_check_good}, {"check-bad", run_check_bad}, {"reserve", run_reserve},
        {"usable", run_usable},         {"retry", run_retry},         {"retry-lasting", run_retry_lasting},
        {"no-device", run_no_device},
    };
    const char *part = lab_param_text(c, "part");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].part, part) == 0)
            parts[i].run(c);
}
