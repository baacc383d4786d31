/* Lab 11: takes a case's matrix to the device, calls the function that the case names, and brings the result
 * back. With parameter `again` it is called three times before, with another result: for half of the rows (in place:
 * of a matrix with half as many rows and columns), for no rows and for no columns.
 */
#include "lab.h"

#include "transpose.h"

#include <string.h>

typedef struct Transpose {
    const char *function;
    float *in, *out;
    int width, height;
    float factor;
} Transpose;

static int is_in_place(const Transpose *t)
{
    return strcmp(t->function, "transpose_in_place") == 0;
}

static int transpose(const Transpose *t)
{
    if (is_in_place(t))
        return transpose_in_place(t->out, t->width, t->factor);
    if (strcmp(t->function, "transpose_naive") == 0)
        return transpose_naive(t->in, t->out, t->width, t->height);
    if (strcmp(t->function, "transpose_tiled") == 0)
        return transpose_tiled(t->in, t->out, t->width, t->height);
    return transpose_padded(t->in, t->out, t->width, t->height);
}

static int transpose_less(const Transpose *t)
{
    Transpose less = *t;
    less.height /= 2;
    if (is_in_place(t)) {
        less.width /= 2;
        less.factor = t->factor + 1; /* nothing is to stay of it */
    }
    size_t bytes = (size_t)less.width * (size_t)less.height * sizeof(float);
    lab_own_calls(1);
    CUDA_CHECK(cudaMalloc((void **)&less.out, bytes));
    if (is_in_place(t))
        CUDA_CHECK(cudaMemcpy(less.out, t->out, bytes, cudaMemcpyDeviceToDevice));
    lab_own_calls(0);
    int status = transpose(&less);
    lab_note("nothing");
    less.height = 0;
    if (is_in_place(t))
        less.width = 0;
    if (status == 0)
        status = transpose(&less);
    less.height = t->height;
    less.width = 0;
    if (status == 0)
        status = transpose(&less);
    lab_note("something");
    lab_own_calls(1);
    CUDA_CHECK(cudaFree(less.out));
    lab_own_calls(0);
    return status;
}

static int call_transpose(void *context)
{
    return transpose(context);
}

/* The same function for a matrix of speed_width columns and speed_height rows, as often as whoever times it
 * asks for. */
static void time_on_gpu(LabCase *c)
{
    Transpose t = {.function = lab_param_text(c, "function"),
                   .width = (int)lab_param_int(c, "speed_width"),
                   .height = (int)lab_param_int(c, "speed_height")};
    size_t bytes = (size_t)t.width * (size_t)t.height * sizeof(float);
    CUDA_CHECK(cudaMalloc((void **)&t.in, bytes));
    CUDA_CHECK(cudaMalloc((void **)&t.out, bytes));
    LabSpeed speed = {.call = call_transpose,
                      .context = &t,
                      .inputs = {{t.in, bytes, LAB_FILL_FLOATS}},
                      .n_inputs = 1,
                      .output = {t.out, bytes, 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(t.in));
    CUDA_CHECK(cudaFree(t.out));
}

void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    lab_own_calls(1);
    const LabArray *in = lab_input(c, "in");
    Transpose t = {
        .function = lab_param_text(c, "function"), .width = (int)in->shape[1], .height = (int)in->shape[0]};
    t.factor = is_in_place(&t) ? (float)lab_param_float(c, "factor") : 1;
    size_t shape[2] = {in->shape[1], in->shape[0]}, bytes = in->elements * sizeof(float);
    LabArray *out = lab_output(c, "out", LAB_F32, 2, shape);
    CUDA_CHECK(cudaMalloc((void **)&t.in, bytes));
    CUDA_CHECK(cudaMalloc((void **)&t.out, bytes));
    CUDA_CHECK(cudaMemcpy(is_in_place(&t) ? t.out : t.in, in->data, bytes, cudaMemcpyHostToDevice));

    lab_leave_work(is_in_place(&t) ? t.out : t.in, bytes);
    int status = lab_has_param(c, "again") ? transpose_less(&t) : 0;
    lab_note("transposes");
    if (status == 0)
        status = transpose(&t);
    lab_note("transposed");
    lab_status(c, t.function, status);
    if (status != 0)
        lab_next_status(c, t.function, transpose(&t));
    lab_own_calls(1);
    if (status == 0) {
        LAB_CHECK_DEFAULT_STREAM();
        CUDA_CHECK(cudaMemcpy(out->data, t.out, bytes, cudaMemcpyDeviceToHost));
    }

    CUDA_CHECK(cudaFree(t.in));
    CUDA_CHECK(cudaFree(t.out));
}
