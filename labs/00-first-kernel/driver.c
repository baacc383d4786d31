/* Lab 00: makes the array on the device, calls the function that the case names, and brings the result back.
 *
 * The array on the device begins as a copy of the poisoned host array, so that elements nobody writes are told
 * from wrong ones. With `again` the function is called for one element before, with half of the threads. The function `each` is all three of them, one
 * after the other, and the first error that one of them returns.
 */
#include "lab.h"

#include "first_kernel.h"

#include <string.h>

/* `threads` is asked for where the function is told it. */
static int call(LabCase *c, const char *function, int *out, int n, int threads)
{
    int number = lab_has_param(c, "number") ? (int)lab_param_int(c, "number") : 0;
    int status;
    lab_own_calls(0);
    if (strcmp(function, "write_number") == 0)
        status = write_number(out, number);
    else if (strcmp(function, "write_indexes") == 0)
        status = write_indexes(out, n);
    else
        status = write_squares(out, n, threads);
    lab_own_calls(1);
    return status;
}

static void finish(LabCase *c, const char *function, int status)
{
    if (lab_next_status(c, function, status))
        LAB_CHECK_DEFAULT_STREAM();
}

/* No function is to return the error that the one before met. One that was not returned is taken away, so that no other function does it instead. */
static void call_each(LabCase *c, int *out, int n, int threads)
{
    static const char *const functions[] = {"write_number", "write_indexes", "write_squares"};
    for (int i = 0; i < 3; i++) {
        int status = call(c, functions[i], out, n, threads);
        lab_next_status(c, functions[i], status);
        if (status == 0)
            cudaGetLastError();
    }
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    size_t n = lab_has_param(c, "n") ? (size_t)lab_param_int(c, "n") : 1;
    int *result = lab_output_i32(c, "out", n);
    int threads = lab_has_param(c, "threads") ? (int)lab_param_int(c, "threads") : 0;
    int *out = NULL;
    lab_own_calls(1);
    CUDA_CHECK(cudaMalloc((void **)&out, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(out, result, n * sizeof(int), cudaMemcpyHostToDevice));
    if (lab_has_param(c, "again"))
        finish(c, function, call(c, function, out, 1, (threads + 1) / 2));
    if (strcmp(function, "each") == 0)
        call_each(c, out, (int)n, threads);
    else
        finish(c, function, call(c, function, out, (int)n, threads));
    CUDA_CHECK(cudaMemcpy(result, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(out));
}
