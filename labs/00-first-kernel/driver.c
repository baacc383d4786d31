/* Lab 00: makes the array on the device, calls the function that the case names, and brings the result back.
 *
 * The array on the device begins as a copy of the poisoned host array, so that elements nobody writes are told
 * from wrong ones. With `again` the function is called for one element before. The function `each` is all three of them, one
 * after the other, and the first error that one of them returns.
 */
#include "lab.h"

#include "first_kernel.h"

#include <string.h>

static int call(LabCase *c, const char *function, int *out, int n)
{
    int number = lab_has_param(c, "number") ? (int)lab_param_int(c, "number") : 0;
    int threads = lab_has_param(c, "threads") ? (int)lab_param_int(c, "threads") : 0;
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

/* No function meets the error of the one before. */
static int call_each(LabCase *c, int *out, int n)
{
    static const char *const functions[] = {"write_number", "write_indexes", "write_squares"};
    int status = 0;
    for (int i = 0; i < 3; i++) {
        int now = call(c, functions[i], out, n);
        status = status == 0 ? now : status;
        cudaGetLastError();
    }
    return status;
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    size_t n = lab_has_param(c, "n") ? (size_t)lab_param_int(c, "n") : 1;
    int *result = lab_output_i32(c, "out", n);
    int *out = NULL;
    lab_own_calls(1);
    CUDA_CHECK(cudaMalloc((void **)&out, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(out, result, n * sizeof(int), cudaMemcpyHostToDevice));
    int status = lab_has_param(c, "again") ? call(c, function, out, 1) : 0;
    if (status == 0)
        status = strcmp(function, "each") == 0 ? call_each(c, out, (int)n) : call(c, function, out, (int)n);
    lab_status(c, function, status);
    if (status == 0)
        CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(result, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(out));
}
