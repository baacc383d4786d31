/* Lab 01: takes a case's arrays to the device, calls the function that the case names, and brings the result
 * back.
 *
 * Output arrays on the device begin as a copy of the poisoned host array, so that elements nobody writes are
 * told from wrong ones.
 */
#include "lab.h"

#include "indexing.h"

#include <stdlib.h>
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

/* Of an array's lengths. */
typedef enum Lengths {
    WHOLE,
    HALF,   /* of the width */
    LOWER,  /* half of the height */
    TURNED, /* width and height exchanged, so that there are as many elements */
} Lengths;

/* Calls map_1d, map_2d or map_3d, whichever the case names. */
static int call_map(LabCase *c, const char *function, const int *in, int *out, Lengths lengths)
{
    int part = lengths == HALF ? 2 : 1;
    int status;
    if (strcmp(function, "map_1d") == 0) {
        int n = size_param(c, "n") / part;
        lab_leave_work((void *)in, (size_t)n * sizeof(int));
        lab_note(n == 0 ? "nothing" : "something");
        status = map_1d(in, out, n);
    } else if (strcmp(function, "map_2d") == 0) {
        int width = size_param(c, "width") / part, height = size_param(c, "height") / (lengths == LOWER ? 2 : 1);
        lab_leave_work((void *)in, sizeof(int));
        status = lengths == TURNED ? map_2d(in, out, height, width) : map_2d(in, out, width, height);
    } else {
        int width = size_param(c, "width") / part, height = size_param(c, "height"), depth = size_param(c, "depth");
        lab_leave_work((void *)in, sizeof(int));
        status = map_3d(in, out, width, height, depth);
    }
    lab_own_calls(1);
    return status;
}

static int call_stride(LabCase *c, int *sum, const int *x, int n)
{
    int blocks = size_param(c, "blocks"), threads = size_param(c, "threads");
    lab_leave_work(sum, (size_t)n * sizeof(int));
    int status = add_stride(sum, x, n, blocks, threads);
    lab_own_calls(1);
    return status;
}

static int call_strip(LabCase *c, int *picture, int width, int rows, int amount)
{
    int pitch = size_param(c, "pitch"), first_row = size_param(c, "first_row");
    lab_own_calls(0);
    int status = add_strip(picture, pitch, width, first_row, rows, amount);
    lab_own_calls(1);
    return status;
}

/* Cases with `again` call a function before, with a smaller size, on an array of their own; map_2d twice more, with other lengths. */
static int comes_again(LabCase *c)
{
    return lab_has_param(c, "again");
}

/* map_1d, map_2d and map_3d: the case has as many lengths as dimensions. */
static void run_map(LabCase *c, const char *function)
{
    const LabArray *input = lab_input(c, "in");
    size_t n = input->elements;
    int *result = lab_output(c, "out", LAB_I32, input->n_dims, input->shape)->data;
    int *in = to_device(input->data, n);
    int *out = to_device(result, n);
    if (comes_again(c)) {
        int *other = to_device(result, n);
        finish(c, function, call_map(c, function, in, other, HALF));
        if (strcmp(function, "map_2d") == 0) {
            finish(c, function, call_map(c, function, in, other, TURNED));
            finish(c, function, call_map(c, function, in, other, LOWER));
        }
        CUDA_CHECK(cudaFree(other));
    }
    finish(c, function, call_map(c, function, in, out, WHOLE));
    from_device(result, out, n);
    CUDA_CHECK(cudaFree(in));
}

static void run_stride(LabCase *c)
{
    size_t n = 0;
    const int *before = lab_input_i32(c, "sum", &n);
    const int *addend = lab_input_i32(c, "x", NULL);
    int *result = lab_output_i32(c, "sum_after", n);
    int *sum = to_device(before, n);
    int *x = to_device(addend, n);
    if (comes_again(c)) {
        int *other = to_device(before, n);
        finish(c, "add_stride", call_stride(c, other, x, (int)n - 1));
        CUDA_CHECK(cudaFree(other));
    }
    finish(c, "add_stride", call_stride(c, sum, x, (int)n));
    from_device(result, sum, n);
    CUDA_CHECK(cudaFree(x));
}

enum { PADDING = 0x6b };

/* How many bytes between the rows, which are `used` bytes long, are no longer what they were. */
static size_t changed_padding(const char *strip, size_t rows, size_t pitch, size_t used)
{
    size_t changed = 0;
    char *now = malloc(rows * pitch);
    if (!now)
        exit(2);
    CUDA_CHECK(cudaMemcpy(now, strip, rows * pitch, cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < rows; r++)
        for (size_t i = used; i < pitch; i++)
            changed += now[r * pitch + i] != PADDING;
    free(now);
    return changed;
}

/* The strip lies on the device with padded rows. */
static void run_strip(LabCase *c)
{
    const LabArray *input = lab_input(c, "strip");
    size_t rows = input->shape[0], width = input->shape[1];
    size_t pitch = (size_t)lab_param_int(c, "pitch");
    size_t first_row = (size_t)lab_param_int(c, "first_row");
    int *result = lab_output(c, "strip_after", LAB_I32, 2, input->shape)->data;
    char *strip = NULL;
    CUDA_CHECK(cudaMalloc((void **)&strip, rows * pitch));
    CUDA_CHECK(cudaMemset(strip, PADDING, rows * pitch));
    CUDA_CHECK(cudaMemcpy2D(strip, pitch, input->data, width * sizeof(int), width * sizeof(int), rows,
                            cudaMemcpyHostToDevice));
    /* Where row 0 of the whole picture would be: an address to count from, outside of any array. */
    int *picture = (int *)((uintptr_t)strip - first_row * pitch);
    if (comes_again(c)) /* adds an amount to two rows, and takes it off again */
        for (int amount = -5; amount <= 5; amount += 10)
            finish(c, "add_strip", call_strip(c, picture, (int)width, 2, amount));
    finish(c, "add_strip", call_strip(c, picture, (int)width, (int)rows, size_param(c, "amount")));
    CUDA_CHECK(cudaMemcpy2D(result, width * sizeof(int), strip, pitch, width * sizeof(int), rows,
                            cudaMemcpyDeviceToHost));
    lab_value(c, "bytes_changed_between_the_rows", (double)changed_padding(strip, rows, pitch, width * sizeof(int)));
    CUDA_CHECK(cudaFree(strip));
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    lab_own_calls(1);
    if (strcmp(function, "add_stride") == 0)
        run_stride(c);
    else if (strcmp(function, "add_strip") == 0)
        run_strip(c);
    else
        run_map(c, function);
}
