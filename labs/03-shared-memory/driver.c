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
    lab_status(c, function, status);
    if (status == 0)
        CUDA_CHECK_LAUNCH();
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

/* The arrays are changed in place. */
static void run_reverse(LabCase *c, const char *function)
{
    size_t n = 0;
    const int *before = lab_input_i32(c, "data", &n);
    int *after = lab_output_i32(c, "data_after", n);
    int *data = to_device(before, n);
    int status;
    if (strcmp(function, "reverse_static") == 0)
        status = reverse_static(data, (int)n);
    else
        status = reverse_dynamic(data, (int)n, size_param(c, "run"));
    finish(c, function, status);
    from_device(after, data, n);
}

static void run_stencil(LabCase *c, const char *function)
{
    size_t n = 0;
    const int *input = lab_input_i32(c, "in", &n);
    int *result = lab_output_i32(c, "out", n);
    int *in = to_device(input, n);
    int *out = to_device(result, n);
    int status;
    if (strcmp(function, "stencil_static") == 0)
        status = stencil_static(in, out, (int)n);
    else if (strcmp(function, "stencil_dynamic") == 0)
        status = stencil_dynamic(in, out, (int)n, size_param(c, "radius"), size_param(c, "threads"));
    else
        status = stencil_loop(in, out, (int)n, size_param(c, "radius"), size_param(c, "blocks"),
                              size_param(c, "threads"));
    finish(c, function, status);
    from_device(result, out, n);
    CUDA_CHECK(cudaFree(in));
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    if (strncmp(function, "reverse", 7) == 0)
        run_reverse(c, function);
    else
        run_stencil(c, function);
}
