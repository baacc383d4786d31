/* Lab 09: takes a case's array or image to the device, calls the function that the case names, and brings the
 * result back.
 *
 * The output begins as a copy of the poisoned host array, so that elements nobody writes are told from wrong
 * ones. With parameter `again` the function is called six times before, with taps of the filter (of both, the row and the column) turned round: for images without elements, for
 * half of the image with half the radius (in convolve_2d and convolve_tiled with the radii exchanged), for the whole image, for the half once more, and for a single element with the
 * same radius. A seventh time it is called for the whole image with the filter of the last call, but for its last tap. So a filter or a size that stays from a call before, or of which
 * a part was looked at, shows. All these filters lie at one address, as an array that is filled anew for each call does. What comes of that half is the output `out_of_half`.
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

static void turn_round(const LabArray *taps)
{
    int *tap = taps->data;
    for (size_t i = 0, j = taps->elements; i + 1 < j; i++) {
        int last = tap[--j];
        tap[j] = tap[i];
        tap[i] = last;
    }
}

/* Another last tap: 1 for 0, and else `tap`. What it was. */
static int change_last(const LabArray *taps, int tap)
{
    if (taps->elements == 0)
        return 0;
    int *at = (int *)taps->data + taps->elements - 1, was = *at;
    *at = was == tap ? 1 : tap;
    return was;
}

/* Images of no rows and of no columns; then the upper half (of a line the first one), with as many taps of
 * the filter as half the radius has, or as wide as it was high; then the whole image, and the half again: what stays of a larger image or filter shows there; then one
 * element, and the whole image with a filter that only differs in its last tap. */
static int convolve_before(LabCase *lab, const Convolution *c, const LabArray *filter, const LabArray *columns)
{
    const int *taps = filter->data, *column = columns->data;
    Convolution no_rows = *c, no_columns = *c, whole = *c, half = *c, one = *c;
    int exchanged = strcmp(c->function, "convolve_2d") == 0 || strcmp(c->function, "convolve_tiled") == 0;
    no_rows.height = no_columns.width = 0;
    one.height = one.width = 1;
    if (c->height > 1)
        half.height /= 2;
    else
        half.width /= 2;
    half.radius_y = exchanged ? c->radius_x : c->radius_y / 2;
    half.radius_x = exchanged ? c->radius_y : c->radius_x / 2;
    lab_own_calls(1);
    LabArray *before = lab_output(lab, "out_of_half", LAB_I32, 2, (size_t[]){(size_t)half.height, (size_t)half.width});
    whole.out = to_device(NULL, (size_t)c->height * (size_t)c->width);
    half.out = to_device(before->data, before->elements);
    one.out = to_device(before->data, 1);
    lab_own_calls(0);
    turn_round(filter), turn_round(columns);
    int status = convolve(&no_rows, taps, column);
    if (status == 0)
        status = convolve(&no_columns, taps, column);
    if (status == 0)
        status = convolve(&half, taps, column);
    if (status == 0)
        status = convolve(&whole, taps, column);
    if (status == 0)
        status = convolve(&half, taps, column);
    if (status == 0)
        status = convolve(&one, taps, column);
    turn_round(filter), turn_round(columns);
    int last = change_last(filter, 0), last_of_column = change_last(columns, 0);
    if (status == 0)
        status = convolve(&whole, taps, column);
    change_last(filter, last), change_last(columns, last_of_column);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(before->data, half.out, before->elements * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(whole.out));
    CUDA_CHECK(cudaFree(half.out));
    CUDA_CHECK(cudaFree(one.out));
    lab_own_calls(0);
    return status;
}

void lab_main(LabCase *c)
{
    lab_own_calls(1);
    const LabArray *in = lab_input(c, "in"), *filter = lab_input(c, "filter");
    int is_line = in->n_dims == 1;
    int is_separable = lab_has_param(c, "separable");
    const LabArray none = {0}, *columns = is_separable ? lab_input(c, "column") : &none;
    const int *column = columns->data;
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
    lab_leave_work((void *)v.in, in->elements * sizeof(int));
    if (lab_has_param(c, "again"))
        status = convolve_before(c, &v, filter, columns);
    if (status == 0)
        status = convolve(&v, filter->data, column);
    lab_status(c, v.function, status);
    if (status != 0)
        lab_next_status(c, v.function, convolve(&v, filter->data, column));
    lab_own_calls(1);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    CUDA_CHECK(cudaMemcpy(out->data, v.out, in->elements * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(v.in));
    CUDA_CHECK(cudaFree(v.out));
    CUDA_CHECK(cudaFree(v.scratch));
}
