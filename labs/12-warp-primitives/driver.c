/* Lab 12: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * The result is not set on the device. Parameter `calls` calls the function several times. With `again` it is called
 * twice before, for half of the elements and for none, with another width and another result.
 */
#include "lab.h"

#include "warp_primitives.h"

#include <string.h>

typedef struct Primitive {
    const char *function;
    int *in, *out;
    int n, width;
} Primitive;

static int is(const Primitive *p, const char *function)
{
    return strcmp(p->function, function) == 0;
}

static int call(const Primitive *p)
{
    if (is(p, "run_sums"))
        return run_sums(p->in, p->out, p->n);
    if (is(p, "run_scans"))
        return run_scans(p->in, p->out, p->n);
    if (is(p, "below_largest"))
        return below_largest(p->in, p->out, p->n, p->width);
    if (is(p, "positive_first"))
        return positive_first(p->in, p->out, p->n);
    return count_positive(p->in, p->out, p->n);
}

static size_t result_length(const Primitive *p)
{
    if (is(p, "run_sums"))
        return ((size_t)p->n + RUN - 1) / RUN;
    return is(p, "count_positive") ? 1 : (size_t)p->n;
}

static int *device_ints(size_t n)
{
    int *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(int)));
    return device;
}

static int call_for_less(const Primitive *p)
{
    Primitive less = *p;
    less.n /= 2;
    less.width = p->width == RUN ? RUN / 2 : RUN;
    lab_own_calls(1);
    less.out = device_ints(result_length(&less));
    lab_own_calls(0);
    int status = call(&less);
    less.n = 0;
    lab_note("nothing");
    if (status == 0)
        status = call(&less);
    lab_note("something");
    lab_own_calls(1);
    CUDA_CHECK(cudaFree(less.out));
    lab_own_calls(0);
    return status;
}

void lab_main(LabCase *c)
{
    lab_own_calls(1);
    size_t n = 0;
    const int32_t *in = lab_input_i32(c, "in", &n);
    Primitive p = {.function = lab_param_text(c, "function"), .n = (int)n};
    size_t n_out = result_length(&p);
    int32_t *out = lab_output_i32(c, "out", n_out);
    p.width = lab_has_param(c, "width") ? (int)lab_param_int(c, "width") : RUN;
    p.in = device_ints(n);
    p.out = device_ints(n_out);
    CUDA_CHECK(cudaMemcpy(p.in, in, n * sizeof(int), cudaMemcpyHostToDevice));

    int64_t calls = lab_has_param(c, "calls") ? lab_param_int(c, "calls") : 1;
    lab_leave_work((void *)p.in, n * sizeof(int));
    int status = lab_has_param(c, "again") ? call_for_less(&p) : 0;
    for (int64_t i = 0; i < calls && status == 0; i++)
        status = call(&p);
    lab_status(c, p.function, status);
    if (status != 0)
        lab_next_status(c, p.function, call(&p));
    lab_own_calls(1);
    if (status == 0) {
        LAB_CHECK_DEFAULT_STREAM();
        CUDA_CHECK(cudaMemcpy(out, p.out, n_out * sizeof(int), cudaMemcpyDeviceToHost));
    }

    CUDA_CHECK(cudaFree(p.in));
    CUDA_CHECK(cudaFree(p.out));
}
