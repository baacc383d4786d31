/* Lab 06: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * The result and the scratch array are not set on the device: whoever adds to what is in them adds to nothing
 * of use. Parameter `calls` calls the function several times. `timed` also reports copy_share: how many bytes
 * a second the function reads, over how many bytes a second a copy on the device reads and writes, in the
 * best of that many calls.
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

static float time_of_reduce(const Reduction *r)
{
    LabTimer timer = lab_timer_start(0);
    int status = reduce(r);
    float ms = lab_timer_stop(&timer);
    CUDA_CHECK(status);
    return ms;
}

static float time_of_copy(const Reduction *r)
{
    float *copy = device_floats((size_t)r->n);
    LabTimer timer = lab_timer_start(0);
    CUDA_CHECK(cudaMemcpyAsync(copy, r->in, (size_t)r->n * sizeof(float), cudaMemcpyDeviceToDevice, 0));
    float ms = lab_timer_stop(&timer);
    CUDA_CHECK(cudaFree(copy));
    return ms;
}

/* The copy moves each byte twice, the reduction once. */
static void report_share(LabCase *c, const Reduction *r)
{
    float best_reduce = 0, best_copy = 0;
    for (int64_t i = 0; i < lab_param_int(c, "timed"); i++) {
        float reduce_ms = time_of_reduce(r), copy_ms = time_of_copy(r);
        if (i == 0 || reduce_ms < best_reduce)
            best_reduce = reduce_ms;
        if (i == 0 || copy_ms < best_copy)
            best_copy = copy_ms;
    }
    lab_value(c, "copy_share", best_copy / (2.0 * best_reduce));
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
    int status = 0;
    for (int64_t i = 0; i < calls && status == 0; i++)
        status = reduce(&r);
    lab_status(c, r.function, status);
    if (status == 0)
        CUDA_CHECK_LAUNCH();
    if (status == 0 && lab_has_param(c, "timed"))
        report_share(c, &r);
    CUDA_CHECK(cudaMemcpy(result, r.result, sizeof(float), cudaMemcpyDeviceToHost));

    CUDA_CHECK(cudaFree(r.in));
    CUDA_CHECK(cudaFree(r.result));
    CUDA_CHECK(cudaFree(r.scratch));
}
