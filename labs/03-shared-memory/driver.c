/* Lab 03: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * The output of a stencil begins as a copy of the poisoned host array, so that elements nobody writes are
 * told from wrong ones.
 */
#include "lab.h"

#include "shared_memory.h"

#include <string.h>

static int *to_device(const int *host, size_t n)
{
    int *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    return device;
}

/* Waits for the kernel, and stops with an explanation when it failed or when the launch's error was not
 * returned. */
static void finish(LabCase *c, const char *function, int status)
{
    if (lab_next_status(c, function, status))
        LAB_CHECK_DEFAULT_STREAM();
}

static void from_device(int *host, int *device, size_t n)
{
    CUDA_CHECK(cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(device));
}

static int size_param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

/* Runs, radii, blocks and threads are a `part`-th of the case's. */
static int call_reverse(LabCase *c, const char *function, int *data, int n, int part)
{
    int is_static = strcmp(function, "reverse_static") == 0;
    int run = is_static ? 0 : size_param(c, "run") / part;
    lab_leave_work(data, (size_t)n * sizeof(int));
    lab_note(n == 0 ? "nothing" : part == 1 ? "something" : "something before");
    int status = is_static ? reverse_static(data, n) : reverse_dynamic(data, n, run);
    lab_own_calls(1);
    return status;
}

static int call_stencil(LabCase *c, const char *function, const int *in, int *out, int n, int part)
{
    int is_static = strcmp(function, "stencil_static") == 0, is_loop = strcmp(function, "stencil_loop") == 0;
    int radius = is_static ? 0 : size_param(c, "radius") / part;
    int threads = is_static ? 0 : (size_param(c, "threads") + part - 1) / part;
    int blocks = is_loop ? (size_param(c, "blocks") + part - 1) / part : 0;
    lab_leave_work((void *)in, (size_t)n * sizeof(int));
    lab_note(n == 0 ? "nothing" : part == 1 ? "something" : "something before");
    int status = is_static ? stencil_static(in, out, n)
                 : is_loop ? stencil_loop(in, out, n, radius, blocks, threads)
                           : stencil_dynamic(in, out, n, radius, threads);
    lab_own_calls(1);
    return status;
}

/* The arrays are changed in place. Cases with `again` call a function three times: first for so many of the elements with half the run, or radius, blocks and threads,
 * of an array of their own, which becomes the output `of_fewer`; then for none. */
static void run_reverse(LabCase *c, const char *function)
{
    size_t n = 0;
    const int *before = lab_input_i32(c, "data", &n);
    int *after = lab_output_i32(c, "data_after", n);
    int *data = to_device(before, n);
    if (lab_has_param(c, "again")) {
        size_t fewer = (size_t)size_param(c, "again");
        int *first_result = lab_output_i32(c, "of_fewer", fewer);
        int *other = to_device(before, fewer);
        finish(c, function, call_reverse(c, function, other, (int)fewer, 2));
        from_device(first_result, other, fewer);
        finish(c, function, call_reverse(c, function, data, 0, 1));
    }
    finish(c, function, call_reverse(c, function, data, (int)n, 1));
    from_device(after, data, n);
}

static void run_stencil(LabCase *c, const char *function)
{
    size_t n = 0;
    const int *input = lab_input_i32(c, "in", &n);
    int *result = lab_output_i32(c, "out", n);
    int *in = to_device(input, n);
    int *out = to_device(result, n);
    if (lab_has_param(c, "again")) {
        size_t fewer = (size_t)size_param(c, "again");
        int *first_result = lab_output_i32(c, "of_fewer", fewer);
        int *other = to_device(first_result, fewer);
        finish(c, function, call_stencil(c, function, in, other, (int)fewer, 2));
        from_device(first_result, other, fewer);
        finish(c, function, call_stencil(c, function, in, out, 0, 1));
    }
    finish(c, function, call_stencil(c, function, in, out, (int)n, 1));
    from_device(result, out, n);
    CUDA_CHECK(cudaFree(in));
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    lab_own_calls(1);
    if (strncmp(function, "reverse", 7) == 0)
        run_reverse(c, function);
    else
        run_stencil(c, function);
}
