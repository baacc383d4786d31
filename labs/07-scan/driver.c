/* Lab 07: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * The output array begins as a copy of the poisoned host array, so that elements nobody writes are told from
 * wrong ones. With `last` that many of its last elements are the output `last_of_out`, and the others are nobody's.
 * With `in_place: 1` the function gets one array as both. With `again` it is called twice before, for
 * half of the elements and for none, with arrays of their own; what the first gives is the output `out_of_half`.
 */
#include "lab.h"

#include "scan.h"

#include <stdlib.h>
#include <string.h>

static int *to_device(const int *host, size_t n)
{
    int *device = NULL;
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    return device;
}

static int call(const char *function, const int *in, int *out, int n)
{
    if (strcmp(function, "scan_runs") == 0)
        return scan_runs(in, out, n);
    if (strcmp(function, "exclusive_scan") == 0)
        return exclusive_scan(in, out, n);
    return exclusive_scan_fast(in, out, n);
}

/* With `forget` an error that the function has not returned is told by nobody behind it: then a case in which calls fail finds it. */
static void forget_error(LabCase *c)
{
    lab_own_calls(1);
    if (lab_has_param(c, "forget"))
        cudaGetLastError();
    lab_own_calls(0);
}

static int call_for_less(LabCase *c, const char *function, const int *host_in, size_t n, int in_place)
{
    lab_own_calls(1);
    int *before = lab_output_i32(c, "out_of_half", n / 2);
    int *in = to_device(host_in, n / 2);
    int *out = to_device(before, n / 2);
    lab_own_calls(0);
    int status = call(function, in, in_place ? in : out, (int)(n / 2));
    forget_error(c);
    if (status == 0)
        status = call(function, in, in_place ? in : out, 0);
    forget_error(c);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(before, in_place ? in : out, n / 2 * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
    lab_own_calls(0);
    return status;
}

/* How many elements of the input array on the device are no longer what they were. */
static int count_changed(const int *device, const int *host, size_t n)
{
    int changed = 0;
    int *now = malloc((n + 1) * sizeof *now);
    if (!now)
        exit(2);
    CUDA_CHECK(cudaMemcpy(now, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        changed += now[i] != host[i];
    free(now);
    return changed;
}

typedef struct Scan {
    const char *function;
    int *in, *out;
    int n;
} Scan;

static int call_scan(void *context)
{
    const Scan *s = context;
    return call(s->function, s->in, s->out, s->n);
}

/* The same function for an array of speed_n elements, as often as whoever times it asks for. */
static void time_on_gpu(LabCase *c)
{
    Scan s = {.function = lab_param_text(c, "function"), .n = (int)lab_param_int(c, "speed_n")};
    size_t bytes = (size_t)s.n * sizeof(int);
    CUDA_CHECK(cudaMalloc((void **)&s.in, bytes));
    CUDA_CHECK(cudaMalloc((void **)&s.out, bytes));
    LabSpeed speed = {.call = call_scan,
                      .context = &s,
                      .inputs = {{s.in, bytes, LAB_FILL_INTS}},
                      .n_inputs = 1,
                      .output = {s.out, bytes, 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(s.in));
    CUDA_CHECK(cudaFree(s.out));
}

void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    size_t n = 0;
    const char *function = lab_param_text(c, "function");
    const int *host_in = lab_input_i32(c, "in", &n);
    size_t shown = lab_has_param(c, "last") ? (size_t)lab_param_int(c, "last") : n;
    int *host_out = lab_output_i32(c, shown < n ? "last_of_out" : "out", shown);
    int in_place = lab_has_param(c, "in_place") && lab_param_int(c, "in_place") != 0;
    lab_own_calls(1);
    int *in = to_device(host_in, n);
    int *out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&out, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(out + (n - shown), host_out, shown * sizeof(int), cudaMemcpyHostToDevice));
    int status = 0;
    if (lab_has_param(c, "again")) {
        lab_own_calls(0);
        status = call_for_less(c, function, host_in, n, in_place);
    }
    lab_leave_work(in, n * sizeof(int));
    if (status == 0)
        status = call(function, in, in_place ? in : out, (int)n);
    lab_status(c, function, status);
    if (status != 0)
        lab_next_status(c, function, call(function, in, in_place ? in : out, (int)n));
    lab_own_calls(1);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    CUDA_CHECK(cudaMemcpy(host_out, (in_place ? in : out) + (n - shown), shown * sizeof(int), cudaMemcpyDeviceToHost));
    if (!in_place)
        lab_value(c, "elements_of_in_that_were_changed", count_changed(in, host_in, n));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}
