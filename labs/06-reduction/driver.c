/* Lab 06: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * The result and the scratch array are not set on the device: whoever adds to what is in them adds to nothing
 * of use. Parameter `calls` calls the function several times. With `again` it is called twice before, for half of
 * the elements and for none, by smaller blocks and with other results, which are the outputs `result_of_half` and `result_of_none`.
 */
#include "lab.h"

#include "reduction.h"

#include <string.h>

typedef struct Reduction {
    const char *function;
    float *in, *result, *scratch;
    int n, threads;
} Reduction;

static int reduce(const Reduction *r)
{
    if (strcmp(r->function, "sum_tree") == 0)
        return sum_tree(r->in, r->result, r->n);
    if (strcmp(r->function, "sum_strided") == 0)
        return sum_strided(r->in, r->result, r->n);
    if (strcmp(r->function, "sum_warps") == 0)
        return sum_warps(r->in, r->result, r->n);
    return max_all(r->in, r->result, r->scratch, r->n, r->threads);
}

static float *device_floats(size_t n)
{
    float *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(float)));
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

/* With a result of its own, which becomes the output `name`. */
static int reduce_into(LabCase *c, const char *name, const Reduction *r)
{
    Reduction own = *r;
    lab_own_calls(1);
    float *result = lab_output_f32(c, name, 1);
    own.result = device_floats(1);
    lab_own_calls(0);
    int status = reduce(&own);
    forget_error(c);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(result, own.result, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(own.result));
    lab_own_calls(0);
    return status;
}

static int reduce_less(LabCase *c, const Reduction *r)
{
    Reduction less = *r;
    less.n /= 2;
    less.threads = (r->threads + 1) / 2;
    int status = reduce_into(c, "result_of_half", &less);
    less.n = 0;
    return status != 0 ? status : reduce_into(c, "result_of_none", &less);
}

static int call_reduce(void *context)
{
    return reduce(context);
}

/* The same function for an array of speed_n elements, as often as whoever times it asks for. */
static void time_on_gpu(LabCase *c)
{
    size_t n = (size_t)lab_param_int(c, "speed_n");
    Reduction r = {.function = lab_param_text(c, "function"),
                   .in = device_floats(n),
                   .result = device_floats(1),
                   .scratch = device_floats(SCRATCH_FLOATS),
                   .n = (int)n,
                   .threads = lab_has_param(c, "threads") ? (int)lab_param_int(c, "threads") : 0};
    LabSpeed speed = {.call = call_reduce,
                      .context = &r,
                      .inputs = {{r.in, n * sizeof(float), LAB_FILL_FLOATS}},
                      .n_inputs = 1,
                      .output = {r.result, sizeof(float), 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(r.in));
    CUDA_CHECK(cudaFree(r.result));
    CUDA_CHECK(cudaFree(r.scratch));
}

void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    lab_own_calls(1);
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *result = lab_output_f32(c, "result", 1);
    Reduction r = {.function = lab_param_text(c, "function"),
                   .in = device_floats(n),
                   .result = device_floats(1),
                   .scratch = device_floats(SCRATCH_FLOATS),
                   .n = (int)n,
                   .threads = lab_has_param(c, "threads") ? (int)lab_param_int(c, "threads") : 0};
    CUDA_CHECK(cudaMemcpy(r.in, in, n * sizeof(float), cudaMemcpyHostToDevice));

    int64_t calls = lab_has_param(c, "calls") ? lab_param_int(c, "calls") : 1;
    lab_leave_work((void *)r.in, n * sizeof(float));
    int status = lab_has_param(c, "again") ? reduce_less(c, &r) : 0;
    for (int64_t i = 0; i < calls && status == 0; i++)
        status = reduce(&r);
    lab_status(c, r.function, status);
    if (status != 0)
        lab_next_status(c, r.function, reduce(&r));
    lab_own_calls(1);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    CUDA_CHECK(cudaMemcpy(result, r.result, sizeof(float), cudaMemcpyDeviceToHost));

    CUDA_CHECK(cudaFree(r.in));
    CUDA_CHECK(cudaFree(r.result));
    CUDA_CHECK(cudaFree(r.scratch));
}
