/* Lab 17: takes a case's arrays to the device, calls the function that the case names, and brings back what it
 * made.
 *
 * Outputs begin on the device as copies of the poisoned host arrays, so that elements nobody writes are told from
 * wrong ones. update_weights is called `steps` times, as in training; the other functions once. With `again` the
 * function is called twice before, for no rows and for half of them, with other outputs. `every` calls all of them, for little.
 */
#include "lab.h"

#include "mixed_precision.h"

#include <string.h>

enum { COPIES_MAX = 8 };

/* What lies on the device: copies of inputs, and of outputs, which come back at the end. */
typedef struct Device {
    LabCase *c;
    void *copies[COPIES_MAX];
    LabArray *outputs[COPIES_MAX]; /* NULL: an input's copy */
    size_t n;
    enum { ALL_ROWS, HALF_OF_ROWS, NO_ROWS } part; /* outputs of a part are not the case's */
} Device;

static size_t bytes_of(const LabArray *array)
{
    size_t each = array->type == LAB_I8 ? 1 : array->type == LAB_F16 || array->type == LAB_U16 ? 2 : 4;
    return array->elements * each;
}

static int rows_of(const Device *d, size_t rows)
{
    return d->part == NO_ROWS ? 0 : (int)(d->part == HALF_OF_ROWS ? rows / 2 : rows);
}

static void *keep(Device *d, const LabArray *array, LabArray *output)
{
    void *copy = NULL;
    CUDA_CHECK(cudaMalloc(&copy, bytes_of(array)));
    if (array->data)
        CUDA_CHECK(cudaMemcpy(copy, array->data, bytes_of(array), cudaMemcpyHostToDevice));
    d->copies[d->n] = copy;
    d->outputs[d->n++] = output;
    return copy;
}

static const void *input(Device *d, const char *name)
{
    return keep(d, lab_input(d->c, name), NULL);
}

static void *output(Device *d, const char *name, LabType type, int n_dims, const size_t *shape)
{
    if (d->part != ALL_ROWS) {
        LabArray other = {.type = type, .elements = shape[0] * (n_dims == 2 ? shape[1] : 1)};
        return keep(d, &other, NULL);
    }
    LabArray *array = lab_output(d->c, name, type, n_dims, shape);
    return keep(d, array, array);
}

static void *output_vector(Device *d, const char *name, LabType type, size_t n)
{
    return output(d, name, type, 1, &n);
}

/* An output that begins as a copy of an input. */
static void *changed(Device *d, const char *from, const char *name)
{
    const LabArray *old = lab_input(d->c, from);
    return keep(d, old, d->part == ALL_ROWS ? lab_output(d->c, name, old->type, 1, old->shape) : NULL);
}

static int run_matvec(Device *d)
{
    const LabArray *w = lab_input(d->c, "w");
    int rows = rows_of(d, w->shape[0]), columns = (int)w->shape[1];
    const void *of_w = input(d, "w"), *x = input(d, "x");
    float *y = output_vector(d, "y", LAB_F32, w->shape[0]);
    return w->type == LAB_F16 ? matvec_half(of_w, x, y, rows, columns) : matvec_bfloat(of_w, x, y, rows, columns);
}

static int run_layer(Device *d)
{
    const LabArray *x = lab_input(d->c, "x"), *w = lab_input(d->c, "w");
    const void *of_x = input(d, "x"), *of_w = input(d, "w");
    float *y = output(d, "y", LAB_F32, 2, (size_t[]){x->shape[0], w->shape[0]});
    int m = (int)x->shape[0], n = (int)w->shape[0], k = (int)x->shape[1];
    int status = d->part == NO_ROWS ? layer_tensor(of_x, of_w, y, m, 0, k) : 0; /* of W, here, and of X below */
    return status != 0 ? status : layer_tensor(of_x, of_w, y, rows_of(d, x->shape[0]), n, k);
}

static int run_gradient(Device *d)
{
    size_t n = lab_input(d->c, "x")->elements;
    const void *x = input(d, "x");
    const float *error = input(d, "error");
    return scaled_gradient(x, error, output_vector(d, "gradient", LAB_F16, n), rows_of(d, n),
                           (float)lab_param_float(d->c, "scale"));
}

static int run_update(Device *d)
{
    const Half *gradient = input(d, "gradient");
    float *master = changed(d, "master", "master_after");
    Half *weights = changed(d, "weights", "weights_after");
    int *overflow = output_vector(d, "overflow", LAB_I32, 1);
    int status = 0;
    for (int64_t step = 0; step < lab_param_int(d->c, "steps") && status == 0; step++)
        status = update_weights(master, weights, gradient, rows_of(d, lab_input(d->c, "gradient")->elements),
                                (float)lab_param_float(d->c, "rate"), (float)lab_param_float(d->c, "scale"),
                                overflow);
    if (d->part == NO_ROWS && status == 0) {
        int of_nothing = 1;
        CUDA_CHECK(cudaMemcpy(&of_nothing, overflow, sizeof of_nothing, cudaMemcpyDeviceToHost));
        lab_value(d->c, "overflow_of_no_gradients", of_nothing);
    }
    return status;
}

static int run_quantize(Device *d)
{
    const LabArray *w = lab_input(d->c, "w");
    const float *of_w = input(d, "w");
    signed char *q = output(d, "q", LAB_I8, 2, w->shape);
    return quantize_rows(of_w, q, output_vector(d, "scale", LAB_F32, w->shape[0]), rows_of(d, w->shape[0]),
                         (int)w->shape[1]);
}

static int run_int8(Device *d)
{
    const LabArray *q = lab_input(d->c, "q");
    const signed char *of_q = input(d, "q"), *x = input(d, "x");
    const float *scale = input(d, "scale"), *x_scale = input(d, "x_scale");
    float *y = output_vector(d, "y", LAB_F32, q->shape[0]);
    return matvec_int8(of_q, scale, x, x_scale, y, rows_of(d, q->shape[0]), (int)q->shape[1]);
}

static int run_csr(Device *d)
{
    size_t rows = lab_input(d->c, "row_start")->elements - 1;
    const int *row_start = input(d, "row_start"), *column = input(d, "column");
    const Half *value = input(d, "value"), *x = input(d, "x");
    return matvec_csr(row_start, column, value, x, output_vector(d, "y", LAB_F32, rows), rows_of(d, rows));
}

/* Each function once, and those again that may have another kernel for other sizes, with arrays of zeros. The first error ends it: one that is returned, or one that is not and should have been. */
static int run_every(Device *d)
{
    enum { CALLS = 11 };
    lab_own_calls(1);
    LabArray room = {.type = LAB_F32, .elements = 256};
    float *a = keep(d, &room, NULL), *b = keep(d, &room, NULL), *out = keep(d, &room, NULL);
    int *whole = keep(d, &room, NULL), status = 0;
    CUDA_CHECK(cudaMemset(a, 0, 1024));
    CUDA_CHECK(cudaMemset(b, 0, 1024));
    CUDA_CHECK(cudaMemset(out, 0, 1024));
    CUDA_CHECK(cudaMemset(whole, 0, 1024));
    const void *w = a, *x = b;
    void *y = out;
    for (int i = 0; i < CALLS && status == 0; i++) {
        lab_own_calls(0);
        status = i == 0   ? matvec_half(w, x, out, 2, 4)
                 : i == 1 ? matvec_bfloat(w, x, out, 2, 4)
                 : i == 2 ? layer_tensor(w, x, out, 16, 16, 16)
                 : i == 3 ? scaled_gradient(x, a, y, 4, 1)
                 : i == 4 ? update_weights(out, (Half *)a, x, 4, 1, 1, whole)
                 : i == 5 ? quantize_rows(a, y, b, 2, 4)
                 : i == 6 ? matvec_int8(w, a, x, b, out, 2, 4)
                 : i == 7 ? matvec_csr(whole, whole, w, x, out, 2)
                 : i == 8 ? matvec_half(w, x, out, 2, 3)
                 : i == 9 ? matvec_bfloat(w, x, out, 2, 3)
                          : layer_tensor(w, x, out, 5, 16, 16);
        lab_own_calls(1);
        if (cudaGetLastError() != cudaSuccess)
            break;
    }
    return status;
}

static void end(Device *d)
{
    for (size_t i = 0; i < d->n; i++) {
        if (d->outputs[i])
            CUDA_CHECK(cudaMemcpy(d->outputs[i]->data, d->copies[i], bytes_of(d->outputs[i]), cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaFree(d->copies[i]));
    }
}

void lab_main(LabCase *c)
{
    static const struct {
        const char *name;
        int (*run)(Device *d);
    } functions[] = {
        {"matvec_half", run_matvec},     {"matvec_bfloat", run_matvec},   {"layer_tensor", run_layer},
        {"scaled_gradient", run_gradient}, {"update_weights", run_update}, {"quantize_rows", run_quantize},
        {"matvec_int8", run_int8},       {"matvec_csr", run_csr},         {"every", run_every},
    };
    Device d = {.c = c};
    const char *name = lab_param_text(c, "function");
    size_t i = 0;
    while (strcmp(functions[i].name, name) != 0)
        i++;
    int status = 0;
    const int has_rows = functions[i].run != run_gradient && functions[i].run != run_update; /* else no rows and no elements are two things */
    for (d.part = lab_has_param(c, "again") ? NO_ROWS : ALL_ROWS; d.part != ALL_ROWS && status == 0; d.part--) {
        lab_note(d.part == NO_ROWS && has_rows ? "nothing" : "something");
        status = functions[i].run(&d);
        end(&d);
        d.n = 0;
    }
    lab_note(lab_has_param(c, "rows") && lab_param_int(c, "rows") == 0 ? "nothing" : "something");
    if (status == 0)
        status = functions[i].run(&d);
    lab_status(c, name, status);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    end(&d);
}
