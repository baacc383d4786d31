/* Lab 09: takes a case's array or image to the device, calls the function that the case names, and brings the
 * result back.
 *
 * The output begins as a copy of the poisoned host array, so that elements nobody writes are told from wrong
 * ones. With parameter `again` the function is called three times before, for images without elements and for
 * half of the image with taps of the filter turned round and half its radius, so that a filter or a size that stays from the first call shows. What
 * comes of that half is the output `out_of_half`.
 */
#include "lab.h"

#include "convolution.h"

#include <stdlib.h>
#include <string.h>

typedef struct Convolution {
    const char *function;
    int *in, *out, *scratch;
    int height, width; /* height is 1 for convolve_1d */
    int radius_y, radius_x;
} Convolution;

/* filter is the row, and column the column, of a filter that has both. */
static int convolve(const Convolution *c, const int *filter, const int *column)
{
    if (strcmp(c->function, "convolve_1d") == 0)
        return convolve_1d(c->in, c->out, c->width, filter, c->radius_x);
    if (strcmp(c->function, "convolve_2d") == 0)
        return convolve_2d(c->in, c->out, c->height, c->width, filter, c->radius_y, c->radius_x);
    if (strcmp(c->function, "convolve_tiled") == 0)
        return convolve_tiled(c->in, c->out, c->height, c->width, filter, c->radius_y, c->radius_x);
    return convolve_separable(c->in, c->out, c->scratch, c->height, c->width, column, c->radius_y, filter,
                              c->radius_x);
}

static int *to_device(const int *host, size_t n)
{
    int *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(int)));
    if (host)
        CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    return device;
}

/* Images of no rows and of no columns; then the upper half (of a line the first one), with as many taps of
 * the filter turned round as half the radius has. */
static int convolve_before(LabCase *lab, const Convolution *c, const LabArray *filter, const int *column)
{
    const int *tap = filter->data;
    int *turned = malloc(filter->elements * sizeof *turned);
    if (!turned)
        exit(2);
    for (size_t i = 0; i < filter->elements; i++)
        turned[i] = tap[filter->elements - 1 - i];
    Convolution no_rows = *c, no_columns = *c, half = *c;
    no_rows.height = no_columns.width = 0;
    if (c->height > 1)
        half.height /= 2;
    else
        half.width /= 2;
    half.radius_y /= 2;
    half.radius_x /= 2;
    lab_own_calls(1);
    LabArray *before = lab_output(lab, "out_of_half", LAB_I32, 2, (size_t[]){(size_t)half.height, (size_t)half.width});
    half.out = to_device(before->data, before->elements);
    lab_own_calls(0);
    int status = convolve(&no_rows, turned, column);
    if (status == 0)
        status = convolve(&no_columns, turned, column);
    if (status == 0)
        status = convolve(&half, turned, column);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(before->data, half.out, before->elements * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(half.out));
    lab_own_calls(0);
    free(turned);
    return status;
}

void lab_main(LabCase *c)
{
    lab_own_calls(1);
    const LabArray *in = lab_input(c, "in"), *filter = lab_input(c, "filter");
    int is_line = in->n_dims == 1;
    int is_separable = lab_has_param(c, "separable");
    const int *column = is_separable ? lab_input(c, "column")->data : NULL;
    LabArray *out = lab_output(c, "out", LAB_I32, in->n_dims, in->shape);
    Convolution v = {.function = lab_param_text(c, "function"),
                     .in = to_device(in->data, in->elements),
                     .out = to_device(out->data, in->elements),
                     .scratch = to_device(NULL, is_separable ? in->elements : 0),
                     .height = is_line ? 1 : (int)in->shape[0],
                     .width = (int)in->shape[is_line ? 0 : 1],
                     .radius_y = is_line ? 0 : (int)lab_param_int(c, "radius_y"),
                     .radius_x = (int)lab_param_int(c, "radius_x")};

    int status = 0;
    lab_own_calls(0);
    if (lab_has_param(c, "again"))
        status = convolve_before(c, &v, filter, column);
    if (status == 0)
        status = convolve(&v, filter->data, column);
    lab_own_calls(1);
    lab_status(c, v.function, status);
    if (status == 0)
        CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out->data, v.out, in->elements * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(v.in));
    CUDA_CHECK(cudaFree(v.out));
    CUDA_CHECK(cudaFree(v.scratch));
}
