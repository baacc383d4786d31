/* Lab 10: takes a case's array to the device, calls the function that the case names, and brings the bins
 * back.
 *
 * The bins are not set on the device: whoever adds to what is in them adds to nothing of use. Parameter
 * `calls` calls the function several times. With `again` it is called three times before, for half of the bytes, for
 * one and for none, with other bins: the outputs `bins_of_half`, `bins_of_one` and `bins_of_none`; with `none` for none alone.
 */
#include "lab.h"

#include "histogram.h"

#include <string.h>

typedef struct Histogram {
    const char *function;
    void *in;
    unsigned *bins;
    int n, low, width, n_bins;
} Histogram;

static int count(const Histogram *h)
{
    if (strcmp(h->function, "histogram_range") == 0)
        return histogram_range(h->in, h->bins, h->n, h->low, h->width, h->n_bins);
    if (strcmp(h->function, "histogram_global") == 0)
        return histogram_global(h->in, h->bins, h->n);
    if (strcmp(h->function, "histogram_shared") == 0)
        return histogram_shared(h->in, h->bins, h->n);
    if (strcmp(h->function, "histogram_lanes") == 0)
        return histogram_lanes(h->in, h->bins, h->n);
    return histogram_wide(h->in, h->bins, h->n);
}

static void *device_bytes(size_t bytes)
{
    void *device = NULL;
    CUDA_CHECK(cudaMalloc(&device, bytes));
    return device;
}

static Histogram read_case(LabCase *c, const LabArray *in)
{
    Histogram h = {.function = lab_param_text(c, "function"), .n = (int)in->elements};
    if (strcmp(h.function, "histogram_range") == 0) {
        h.low = (int)lab_param_int(c, "low");
        h.width = (int)lab_param_int(c, "width");
        h.n_bins = (int)lab_param_int(c, "n_bins");
    }
    return h;
}

static size_t count_bins(const Histogram *h)
{
    return h->n_bins > 0 ? (size_t)h->n_bins + 2 : BINS;
}

/* With bins of its own, which become the output `name`. */
static int count_into(LabCase *c, const char *name, const Histogram *h)
{
    Histogram own = *h;
    size_t n_out = count_bins(h);
    lab_own_calls(1);
    LabArray *bins = lab_output(c, name, LAB_U32, 1, &n_out);
    own.bins = device_bytes(n_out * sizeof(unsigned));
    lab_own_calls(0);
    int status = count(&own);
    lab_own_calls(1);
    if (status == 0)
        CUDA_CHECK(cudaMemcpy(bins->data, own.bins, n_out * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(own.bins));
    lab_own_calls(0);
    return status;
}

static int count_less(LabCase *c, const Histogram *h)
{
    Histogram less = *h;
    less.n /= 2;
    less.n_bins = (h->n_bins + 1) / 2;
    int status = count_into(c, "bins_of_half", &less);
    less.n = 1;
    if (status == 0)
        status = count_into(c, "bins_of_one", &less);
    less.n = 0;
    return status != 0 ? status : count_into(c, "bins_of_none", &less);
}

/* An error that the function has not returned is told by nobody behind it: then a case in which calls fail finds it. */
static int count_none(LabCase *c, const Histogram *h)
{
    Histogram none = *h;
    none.n = 0;
    int status = count_into(c, "bins_of_none", &none);
    lab_own_calls(1);
    cudaGetLastError();
    lab_own_calls(0);
    return status;
}

static int call_count(void *context)
{
    return count(context);
}

/* The same function for speed_n bytes, as often as whoever times it asks for. */
static void time_on_gpu(LabCase *c)
{
    size_t n = (size_t)lab_param_int(c, "speed_n"), out_bytes = BINS * sizeof(unsigned);
    Histogram h = {.function = lab_param_text(c, "function"),
                   .in = device_bytes(n),
                   .bins = device_bytes(out_bytes),
                   .n = (int)n};
    LabSpeed speed = {.call = call_count,
                      .context = &h,
                      .inputs = {{h.in, n, LAB_FILL_BITS}},
                      .n_inputs = 1,
                      .output = {h.bins, out_bytes, 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(h.in));
    CUDA_CHECK(cudaFree(h.bins));
}

void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    lab_own_calls(1);
    const LabArray *in = lab_input(c, "in");
    Histogram h = read_case(c, in);
    size_t n_out = count_bins(&h);
    LabArray *bins = lab_output(c, "bins", LAB_U32, 1, &n_out);
    size_t in_bytes = in->elements * (in->type == LAB_I32 ? sizeof(int) : 1),
           out_bytes = n_out * sizeof(unsigned);
    h.in = device_bytes(in_bytes);
    h.bins = device_bytes(out_bytes);
    CUDA_CHECK(cudaMemcpy(h.in, in->data, in_bytes, cudaMemcpyHostToDevice));

    int64_t calls = lab_has_param(c, "calls") ? lab_param_int(c, "calls") : 1;
    lab_leave_work((void *)h.in, in_bytes);
    int status = lab_has_param(c, "again") ? count_less(c, &h) : lab_has_param(c, "none") ? count_none(c, &h) : 0;
    for (int64_t i = 0; i < calls && status == 0; i++)
        status = count(&h);
    lab_status(c, h.function, status);
    if (status != 0)
        lab_next_status(c, h.function, count(&h));
    lab_own_calls(1);
    if (status == 0) {
        LAB_CHECK_DEFAULT_STREAM();
        CUDA_CHECK(cudaMemcpy(bins->data, h.bins, out_bytes, cudaMemcpyDeviceToHost));
    }

    CUDA_CHECK(cudaFree(h.in));
    CUDA_CHECK(cudaFree(h.bins));
}
