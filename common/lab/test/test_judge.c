/* Harness and judge together: a case is made, "run" by the functions that drivers call, and checked. The CUDA
 * runtime is not needed for that; the few functions that the library's error messages call are replaced
 * below.
 */
#include "common/lab/judge_internal.h"
#include "common/lab/lab_internal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Instead of libcudart ---- */

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "other";
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream)
{
    (void)p, (void)bytes, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    (void)p, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)to, (void)from, (void)bytes, (void)kind, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = NULL;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event;
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    (void)start;
    (void)stop;
    *milliseconds = 1;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

_Noreturn void lab_fail(const Diag *diag)
{
    fail_msg("%s", diag->message);
    abort();
}

/* ---- A lab: out = 2 * in + weight, and a number ---- */

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    judge_fill_f32(c, judge_input_make_f32(c, "in", n), -1, 1);
    judge_fill_i32(c, judge_input_make_i32(c, "other", 4), 5, 6);
    if (judge_has_param(c, "broken_reference"))
        judge_input_f32(c, "nothing", NULL);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double weight = judge_param_float(c, "weight");
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    for (size_t i = 0; i < n; i++)
        out[i] = 2.0 * in[i] + weight;
    judge_expect_value(c, "count", (double)n);
    size_t n_calls = 0;
    const JudgeCall *calls = judge_has_param(c, "reads_calls") ? judge_calls(c, &n_calls) : NULL;
    for (size_t i = 0; i < n_calls; i++)
        if (strcmp(calls[i].op, "ALLOC") == 0 && (strcmp(calls[i].error, "OK") != 0 || calls[i].number != 400))
            judge_refuse(c, "Not what was to be allocated.");
    if (judge_has_param(c, "destroys"))
        judge_expect_destroyed(c);
    if (judge_has_param(c, "launches"))
        judge_expect_launches(c);
    if (judge_has_param(c, "launches"))
        judge_expect_launches_at_most(c, 2);
    if (judge_has_param(c, "nothing"))
        judge_expect_nothing(c);
}

/* Without the weight, doubled once more. */
void judge_mistakes(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", "the weight is missing", "Where is the weight added?");
    for (size_t i = 0; i < n; i++)
        out[i] = 2.0 * in[i];
    assert_null(judge_mistake(c, "nothing", "", ""));
    judge_mistake_value(c, "count", (double)n + 1, "Is one counted twice?");
    if (judge_has_param(c, "broken_mistakes"))
        judge_input_f32(c, "nothing", NULL);
}

typedef enum Fault {
    NO_FAULT,
    WEIGHT_MISSING,
    WRONG_VALUE,
    WRONG_NUMBER,
    TAIL_MISSING,
    OVERRUN,
    UNDERRUN,
    INPUT_CHANGED,
    WRONG_TYPE,
    WRONG_SHAPE,
} Fault;

/* What a driver and a student's function do, with a fault in it. */
static void run_program(const char *folder, Fault fault)
{
    LabCase *c = malloc(sizeof *c);
    Diag diag = {0};
    assert_int_equal(lab_case_open(c, folder, &diag), STATUS_OK);
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    assert_int_equal(lab_input_i32(c, "other", NULL)[0], lab_input_i32(c, "other", NULL)[0]);
    float *out;
    if (fault == WRONG_TYPE)
        out = (float *)lab_output_i32(c, "out", n);
    else
        out = lab_output_f32(c, "out", fault == WRONG_SHAPE ? n - 1 : n);
    size_t stop = fault == TAIL_MISSING ? n - 3 : fault == WRONG_SHAPE ? n - 1 : n;
    for (size_t i = 0; i < stop; i++)
        out[i] = 2 * in[i] + (fault == WEIGHT_MISSING ? 0 : (float)lab_param_float(c, "weight"));
    if (fault == WRONG_VALUE)
        out[n / 2] += 1;
    if (fault == OVERRUN)
        out[n] = 1;
    if (fault == UNDERRUN)
        ((float *)in)[-2] = 1;
    if (fault == INPUT_CHANGED)
        ((float *)in)[7] = 99;
    lab_value(c, "count", (double)n + (fault == WRONG_NUMBER));
    assert_int_equal(lab_case_finish(c, &diag), STATUS_OK);
    lab_case_close(c);
    free(c);
}

/* ---- Folders and commands ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_judge.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void command(const char *text, StrBuf *answer)
{
    char line[512];
    bool quit = false;
    Diag diag = {0};
    snprintf(line, sizeof line, text, folder);
    if (judge_command(line, LANGUAGE_ENGLISH, answer, &quit, &diag))
        fail_msg("%s", diag.message);
}

static void make_case(void)
{
    StrBuf answer = {0};
    command("make\t%s\t77\tn=100\tweight=0.5", &answer);
    assert_string_equal(answer.text, "{\"ok\":true}");
    strbuf_free(&answer);
}

static void assert_checks(const char *verdict, const char *says)
{
    StrBuf answer = {0};
    char wanted[64];
    command("check\t%s\t77\t1e-6\t1e-7\tnever\tn=100\tweight=0.5", &answer);
    snprintf(wanted, sizeof wanted, "{\"ok\":true,\"verdict\":\"%s\",", verdict);
    if (strncmp(answer.text, wanted, strlen(wanted)) != 0 || !strstr(answer.text, says))
        fail_msg("expected %s with \"%s\", got %s", verdict, says, answer.text);
    strbuf_free(&answer);
}

static void run_and_check(Fault fault, const char *verdict, const char *says)
{
    make_case();
    run_program(folder, fault);
    assert_checks(verdict, says);
}

static void in_folder(const char *what, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, what);
}

/* ---- Tests ---- */

static void each_fault_gets_its_verdict(void **state)
{
    (void)state;
    run_and_check(NO_FAULT, "pass", "\"outputs\":[{\"name\":\"out\",\"elements\":100,\"mismatches\":0");
    run_and_check(WRONG_VALUE, "wrong-result", "\"mismatches\":1,\"max_error\":0.99");
    run_and_check(WRONG_NUMBER, "wrong-result", "count: got 101; 100 is wanted.");
    run_and_check(WRONG_NUMBER, "wrong-result", "hint: Is one counted twice?");
    run_and_check(WEIGHT_MISSING, "wrong-result", "100 of 100 elements differ: the weight is missing.");
    run_and_check(WEIGHT_MISSING, "wrong-result", "hint: Where is the weight added?");
    run_and_check(TAIL_MISSING, "wrong-result", "the elements from 97 to the end were never written");
    run_and_check(OVERRUN, "host-overrun",
                  "out: host memory after the array was changed: 4 bytes, the nearest 1 byte after it.");
    run_and_check(UNDERRUN, "host-overrun", "in: host memory before the array was changed");
    run_and_check(INPUT_CHANGED, "input-modified",
                  "in: this input was changed: 1 of 100 elements, the first at [7]");
    run_and_check(WRONG_TYPE, "missing-output",
                  "holds int32 of shape (100,); float32 of shape (100,) is expected");
    run_and_check(WRONG_SHAPE, "missing-output", "holds float32 of shape (99,)");
}

/* What the server has recorded stands before what the program has written, and each value is in it once. */
static void values_come_from_the_record_of_calls(void **state)
{
    (void)state;
    static const struct {
        const char *record, *params, *verdict, *says;
    } rows[] = {
        {"vgpu-calls 1\nNOTE OK 0 value count=100\n", "", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 device-reset \nNOTE OK 0 value count=100\n", "", "wrong-result", "cudaDeviceReset was called"},
        {"vgpu-calls 1\nDEVICE_RESET OK 0 \nNOTE OK 0 value count=100\n", "", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=99\n", "", "wrong-result", "count: got 99; 100 is wanted"},
        {"vgpu-calls 1\nNOTE OK 0 value other=100\n", "", "wrong-result", "count: no number was reported"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nNOTE OK 0 value count=99\n", "", "wrong-result", "count: no number was"},
        {"vgpu-calls 1\nNOTE OK 0 value counts=1\nNOTE OK 0 valued count=1\nNOTE OK 0 value count=100\n", "", "pass", ""},
        {"", "", "wrong-result", "count: no number was reported"},
        {"vgpu-calls 1\nvgpu-calls 1\nNOTE OK 0 value count=100\n", "", "wrong-result", "more than one process"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\ncut\n", "", "wrong-result", "more calls than are recorded"},
        {"NOTE OK 0 value count=100\n", "", "wrong-result", "damaged"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC OK\n", "", "wrong-result", "damaged"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC OK x \n", "", "wrong-result", "damaged"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC OK 400 \n", "\treads_calls=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC OK 401 \n", "\treads_calls=1", "wrong-result", "Not what was to be allocated."},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC NO_MEMORY 400 \n", "\treads_calls=1", "wrong-result", "Not what was to be"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nALLOC OK 401 \n", "", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nSTREAM_CREATE OK 1 \nSTREAM_CREATE NO_MEMORY 2 "
         "\nSTREAM_DESTROY OK 1 \n",
         "\tdestroys=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nSTREAM_CREATE OK 1 \n", "\tdestroys=1", "wrong-result", "A stream was made and never destroyed"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nEVENT_CREATE OK 1 \n", "\tdestroys=1", "wrong-result", "An event was made and never destroyed"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\n", "\tlaunches=1", "wrong-result", "No kernel was launched"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nLAUNCH OK 1 32 a\nLAUNCH OK 1 32 b\n", "\tlaunches=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nLAUNCH OK 1 32 a\nLAUNCH OK 1 32 b\nLAUNCH OK 1 32 a\n", "\tlaunches=1", "wrong-result", "More kernels were launched"},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nLAUNCH OK 7 k\n", "\tnothing=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nNOTE OK 0 nothing\nFREE OK 0 \nNOTE OK 0 something\nLAUNCH OK 7 k\n", "\tnothing=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nNOTE OK 0 nothing\nLAUNCH INVALID_VALUE 0 k\n", "\tnothing=1", "pass", ""},
        {"vgpu-calls 1\nNOTE OK 0 value count=100\nNOTE OK 0 nothing\nFREE OK 0 \nLAUNCH OK 1 k\n", "\tnothing=1", "wrong-result",
         "there is nothing to do"},
    };
    make_case();
    run_program(folder, NO_FAULT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[128], text[256], wanted[64];
        StrBuf answer = {0};
        in_folder("calls", path, sizeof path);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].record, file);
        fclose(file);
        snprintf(text, sizeof text, "check\t%%s\t77\t1e-6\t1e-7\tnever\tn=100\tweight=0.5%s", rows[i].params);
        command(text, &answer);
        snprintf(wanted, sizeof wanted, "{\"ok\":true,\"verdict\":\"%s\",", rows[i].verdict);
        if (strncmp(answer.text, wanted, strlen(wanted)) != 0 || !strstr(answer.text, rows[i].says))
            fail_msg("%zu: expected %s with \"%s\", got %s", i, rows[i].verdict, rows[i].says, answer.text);
        strbuf_free(&answer);
    }
    /* On a GPU there is no record, and nothing to be asked of it. */
    char path[128];
    StrBuf answer = {0};
    in_folder("calls", path, sizeof path);
    assert_int_equal(remove(path), 0);
    command("check\t%s\t77\t1e-6\t1e-7\tnever\tn=100\tweight=0.5\tlaunches=1\tdestroys=1\tnothing=1", &answer);
    assert_non_null(strstr(answer.text, "\"verdict\":\"pass\""));
    strbuf_free(&answer);
}

static void nothing_written_is_missing_output(void **state)
{
    (void)state;
    make_case();
    assert_checks("missing-output", "without writing its results");
}

static void hostile_files_are_missing_output(void **state)
{
    (void)state;
    char path[128], target[128];
    make_case();
    run_program(folder, NO_FAULT);
    in_folder("out/out.npy", path, sizeof path);
    in_folder("copy.npy", target, sizeof target);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_checks("missing-output", "a symbolic link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_checks("missing-output", "not a regular file");
    assert_int_equal(unlink(path), 0);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
    close(fd);
    assert_checks("missing-output", "more than the");
    assert_int_equal(truncate(path, 50), 0);
    assert_checks("missing-output", "not a .npy file");
    in_folder("out/guards", path, sizeof path);
    in_folder("out/out.npy", target, sizeof target);
    run_program(folder, NO_FAULT);
    assert_int_equal(unlink(path), 0);
    assert_checks("missing-output", "did not reach its end");
}

static void an_out_folder_that_is_a_link_is_missing_output(void **state)
{
    (void)state;
    char path[128], target[128];
    make_case();
    run_program(folder, NO_FAULT);
    in_folder("out", path, sizeof path);
    in_folder("elsewhere", target, sizeof target);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_checks("missing-output", "without writing its results");
}

/* The judge makes the inputs again and believes no file: a forged input cannot agree with a forged output. */
static void forged_inputs_do_not_help(void **state)
{
    (void)state;
    char path[128];
    make_case();
    in_folder("in", path, sizeof path);
    int in = open(path, O_RDONLY | O_DIRECTORY);
    float zeros[100] = {0};
    LabArray array = {.type = LAB_F32, .n_dims = 1, .shape = {100}, .elements = 100, .data = zeros};
    Diag diag;
    assert_int_equal(npy_write(in, "in.npy", &array, &diag), STATUS_OK);
    close(in);
    run_program(folder, NO_FAULT);
    assert_checks("input-modified", "100 of 100 elements");
}

static void inputs_depend_on_seed_name_and_position(void **state)
{
    (void)state;
    char *params[] = {(char *)"n=1000"};
    JudgeCase *a = malloc(sizeof *a), *b = malloc(sizeof *b), *again = malloc(sizeof *again);
    Diag diag;
    assert_int_equal(judge_case_open(a, 1, params, 1, &diag), STATUS_OK);
    assert_int_equal(judge_case_open(b, 2, params, 1, &diag), STATUS_OK);
    assert_int_equal(judge_case_open(again, 1, params, 1, &diag), STATUS_OK);
    assert_int_equal(judge_run_inputs(a, &diag), STATUS_OK);
    assert_int_equal(judge_run_inputs(b, &diag), STATUS_OK);
    assert_int_equal(judge_run_inputs(again, &diag), STATUS_OK);
    const float *x = a->inputs[0].data, *y = b->inputs[0].data;
    assert_memory_equal(x, again->inputs[0].data, 4000);
    size_t same = 0, same_neighbours = 0, outside = 0;
    for (int i = 0; i < 1000; i++) {
        same += x[i] == y[i];
        same_neighbours += i > 0 && x[i] == x[i - 1];
        outside += !(x[i] >= -1 && x[i] < 1);
    }
    assert_int_equal(same + same_neighbours + outside, 0);
    const int32_t *other = a->inputs[1].data;
    for (int i = 1; i < 4; i++)
        assert_true(other[i] != other[i - 1] && other[i] >= 5 && other[i] <= 6);
    judge_case_free(a);
    judge_case_free(b);
    judge_case_free(again);
    free(a);
    free(b);
    free(again);
}

static void an_authors_mistake_is_the_kits_fault(void **state)
{
    (void)state;
    StrBuf answer = {0};
    command("make\t%s\t1\tweight=1", &answer);
    assert_string_equal(answer.text, "{\"ok\":false,\"message\":\"the case has no parameter 'n'\"}");
    strbuf_free(&answer);
    command("make\t%s\t1\tn=12x", &answer);
    assert_string_equal(answer.text,
                        "{\"ok\":false,\"message\":\"parameter 'n' is '12x', an integer is expected\"}");
    strbuf_free(&answer);
    command("make\t%s\t1\tn=4\tbroken_reference=1", &answer);
    assert_string_equal(answer.text, "{\"ok\":false,\"message\":\"judge_inputs made no input 'nothing'\"}");
    strbuf_free(&answer);
    command("make\t%s\t-1\tn=4", &answer);
    assert_non_null(strstr(answer.text, "is no seed"));
    strbuf_free(&answer);
    command("make\t%s\t1\tn=99999999999999999", &answer);
    assert_non_null(strstr(answer.text, "\"ok\":false"));
    strbuf_free(&answer);
    command("check\t%s\t1\tx\t0\tnever\tn=4", &answer);
    assert_non_null(strstr(answer.text, "is no rtol"));
    strbuf_free(&answer);
    command("check\t%s\t1\t0\t0\tsometimes\tn=4", &answer);
    assert_non_null(strstr(answer.text, "equal or never"));
    strbuf_free(&answer);
}

static void commands_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "", "mak", "make", "make\tx", "check\ta\t1\t0\t0", "quit\tnow\tplease?"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[128];
        StrBuf answer = {0};
        bool quit = false;
        Diag diag = {0};
        strcpy(line, lines[i]);
        Status status = judge_command(line, LANGUAGE_ENGLISH, &answer, &quit, &diag);
        assert_true(quit ? status == STATUS_OK : status == STATUS_INVALID);
        assert_int_equal(quit, strncmp(lines[i], "quit", 4) == 0);
        strbuf_free(&answer);
    }
}

static void a_failed_function_is_remembered(void **state)
{
    (void)state;
    make_case();
    LabCase *c = malloc(sizeof *c);
    Diag diag;
    assert_int_equal(lab_case_open(c, folder, &diag), STATUS_OK);
    lab_status(c, "f", 0);
    assert_false(c->function_failed);
    lab_status(c, "g", 2);
    assert_true(c->function_failed);
    assert_string_equal(c->values[1].value, "2");
    assert_true(lab_has_param(c, "weight"));
    assert_false(lab_has_param(c, "n "));
    assert_string_equal(lab_param_text(c, "n"), "100");
    assert_int_equal(lab_param_int(c, "n"), 100);
    lab_case_close(c);
    free(c);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(each_fault_gets_its_verdict),
        IN_FOLDER(nothing_written_is_missing_output),
        IN_FOLDER(hostile_files_are_missing_output),
        IN_FOLDER(an_out_folder_that_is_a_link_is_missing_output),
        IN_FOLDER(forged_inputs_do_not_help),
        cmocka_unit_test(inputs_depend_on_seed_name_and_position),
        IN_FOLDER(an_authors_mistake_is_the_kits_fault),
        cmocka_unit_test(commands_that_are_none_are_refused),
        IN_FOLDER(a_failed_function_is_remembered),
        IN_FOLDER(values_come_from_the_record_of_calls),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
