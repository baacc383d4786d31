/* Lab 08: takes a case's matrices to the device, calls the function that the case names, and brings the
 * result back.
 *
 * C begins on the device as a copy of the poisoned host array, so that elements nobody writes are told from
 * wrong ones; as the input `old` if there is one; and with parameter `fresh`, where beta is 0, as cudaMalloc gives it, so that
 * who reads it is found. With `again` the function is called four times before, with another C: for less, which
 * becomes the output `c_of_half`, for no rows, for empty sums (k = 0, and alpha = 0), which become the output `c_for_k_0`, and for no
 * columns. With `first_beta` each call comes after one for that beta.
 * Parameter `timed` also reports gflops: how many billion operations a second the
 * function makes, in the best of that many calls.
 */
#include "lab.h"

#include "matrix_multiply.h"

#include <string.h>

typedef struct Product {
    const char *function;
    float *a, *b, *c;
    int m, n, k;
    int tile;
    float alpha, beta;
} Product;

static int multiply(const Product *p)
{
    if (strcmp(p->function, "multiply_naive") == 0)
        return multiply_naive(p->a, p->b, p->c, p->m, p->n, p->k);
    if (strcmp(p->function, "multiply_tiled") == 0)
        return multiply_tiled(p->a, p->b, p->c, p->m, p->n, p->k, p->tile);
    if (strcmp(p->function, "multiply_registers") == 0)
        return multiply_registers(p->a, p->b, p->c, p->m, p->n, p->k);
    return sgemm(p->a, p->b, p->c, p->m, p->n, p->k, p->alpha, p->beta);
}

/* No rows, or no columns. */
static int multiply_nothing(const Product *p)
{
    lab_note("nothing");
    int status = multiply(p);
    lab_note("something");
    return status;
}

static float *device_floats(size_t n)
{
    float *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(float)));
    return device;
}

static float *to_device(const float *host, size_t n)
{
    float *device = device_floats(n);
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

/* With `forget` an error that the function has not returned is told by nobody behind it: then a case in which calls fail finds it. */
static void forget_error(LabCase *c)
{
    lab_own_calls(1);
    if (lab_has_param(c, "forget"))
        cudaGetLastError();
    lab_own_calls(0);
}

/* With `first_beta` for that beta before, into the same C. */
static int multiply_for_each_beta(LabCase *c, const Product *p)
{
    if (!lab_has_param(c, "first_beta"))
        return multiply(p);
    Product first = *p;
    first.beta = (float)lab_param_float(c, "first_beta");
    int status = multiply(&first);
    forget_error(c);
    return status != 0 ? status : multiply(p);
}

/* As cudaMalloc gives it, or holding something. */
static float *device_result(LabCase *c, const Product *p, const float *held, size_t n)
{
    return lab_has_param(c, "fresh") && p->beta == 0 ? device_floats(n) : to_device(held, n);
}

/* With a C of its own, which begins as `old` if there is one, with `fresh` as nobody has written it, and becomes the output `name`; then for no
 * rows, or for no columns. */
static int multiply_into(LabCase *c, const char *name, const Product *p, const float *old)
{
    Product own = *p;
    size_t shape[2] = {(size_t)p->m, (size_t)p->n};
    lab_own_calls(1);
    LabArray *result = lab_output(c, name, LAB_F32, 2, shape);
    own.c = device_result(c, p, old ? old : result->data, result->elements);
    lab_own_calls(0);
    int status = multiply_for_each_beta(c, &own);
    forget_error(c);
    *(own.k > 0 ? &own.m : &own.n) = 0;
    if (status == 0)
        status = multiply_nothing(&own);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(result->data, own.c, result->elements * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(own.c));
    lab_own_calls(0);
    return status;
}

static int multiply_less(LabCase *c, const Product *p, const float *old)
{
    Product less = *p;
    less.m /= 2;
    less.n = (p->n + 1) / 2;
    less.k /= 2;
    less.tile = p->tile == 0 ? 0 : 48 - p->tile; /* 16 or 32 */
    int status = multiply_into(c, "c_of_half", &less, old);
    less.k = 0;
    less.alpha = 0; /* of nothing: beta * C is left */
    return status != 0 ? status : multiply_into(c, "c_for_k_0", &less, old);
}

static void report_gflops(LabCase *c, const Product *p)
{
    double best_ms = 0;
    for (int64_t i = 0; i < lab_param_int(c, "timed"); i++) {
        LabTimer timer = lab_timer_start(0);
        int status = multiply(p);
        double ms = lab_timer_stop(&timer);
        CUDA_CHECK(status);
        if (i == 0 || ms < best_ms)
            best_ms = ms;
    }
    lab_value(c, "gflops", 2.0 * p->m * p->n * p->k / (best_ms * 1e6));
}

static int call_multiply(void *context)
{
    return multiply(context);
}

/* The same function for square matrices of speed_side rows, as often as whoever times it asks for. */
static void time_on_gpu(LabCase *c)
{
    int side = (int)lab_param_int(c, "speed_side");
    size_t n = (size_t)side * (size_t)side, bytes = n * sizeof(float);
    Product p = {.function = lab_param_text(c, "function"),
                 .a = device_floats(n),
                 .b = device_floats(n),
                 .c = device_floats(n),
                 .m = side,
                 .n = side,
                 .k = side,
                 .tile = 32,
                 .alpha = 1};
    LabSpeed speed = {.call = call_multiply,
                      .context = &p,
                      .inputs = {{p.a, bytes, LAB_FILL_FLOATS}, {p.b, bytes, LAB_FILL_FLOATS}},
                      .n_inputs = 2,
                      .output = {p.c, bytes, 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(p.a));
    CUDA_CHECK(cudaFree(p.b));
    CUDA_CHECK(cudaFree(p.c));
}

void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    lab_own_calls(1);
    const LabArray *a = lab_input(c, "a"), *b = lab_input(c, "b");
    size_t m = a->shape[0], k = a->shape[1], n = b->shape[1];
    const float *old = lab_has_param(c, "old") ? lab_input(c, "old")->data : NULL;
    float *result = lab_output(c, "c", LAB_F32, 2, (size_t[]){m, n})->data;
    Product p = {.function = lab_param_text(c, "function"),
                 .a = to_device(a->data, m * k),
                 .b = to_device(b->data, k * n),
                 .m = (int)m,
                 .n = (int)n,
                 .k = (int)k,
                 .tile = lab_has_param(c, "tile") ? (int)lab_param_int(c, "tile") : 0,
                 .alpha = lab_has_param(c, "alpha") ? (float)lab_param_float(c, "alpha") : 1,
                 .beta = lab_has_param(c, "beta") ? (float)lab_param_float(c, "beta") : 0};
    p.c = device_result(c, &p, old ? old : result, m * n);

    lab_leave_work((void *)p.a, m * k * sizeof(float));
    int status = lab_has_param(c, "again") ? multiply_less(c, &p, old) : 0;
    if (status == 0)
        status = m * n == 0 ? multiply_nothing(&p) : multiply_for_each_beta(c, &p);
    lab_status(c, p.function, status);
    if (status != 0)
        lab_next_status(c, p.function, m * n == 0 ? multiply_nothing(&p) : multiply(&p));
    lab_own_calls(1);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    if (status == 0 && lab_has_param(c, "timed"))
        report_gflops(c, &p);
    CUDA_CHECK(cudaMemcpy(result, p.c, m * n * sizeof(float), cudaMemcpyDeviceToHost));

    CUDA_CHECK(cudaFree(p.a));
    CUDA_CHECK(cudaFree(p.b));
    CUDA_CHECK(cudaFree(p.c));
}
