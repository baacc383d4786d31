/* Lab 19: runs one of the kernels on a case's arrays, and measures what a change gains.
 *
 * Parameter `function` names what is run; its counters and its time are the case's. `make numbers` sets `timed`: then
 * `function` and `against`, on the same numbers, are timed so many times after that, and the driver reports gain, the
 * best time of `against` over the best time of `function`, for the student to see. With `again` the function is called before,
 * for half of the numbers and with another output, and a dot product once more behind it, for a few. `every` calls both functions of the student's, for few numbers and for all.
 */
#include "lab.h"

#include "profiling_and_roofline.h"

#include <stdlib.h>
#include <string.h>

enum { FACTOR = 3, FEWER = 70, FEW = 5 };

/* The case's arrays on the device, in the forms that its function wants; NULL where it does not. */
typedef struct Data {
    float *x, *y, *z, *out;
    Particle *particles;      /* velocities: x, y, z */
    unsigned short *x16, *out16;
    int n;
} Data;

static void *device_bytes(size_t bytes)
{
    void *to = NULL;
    CUDA_CHECK(cudaMalloc(&to, bytes));
    return to;
}

static void *device_copy(const void *from, size_t bytes)
{
    void *to = device_bytes(bytes);
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

/* ---- The functions by their names ---- */

static int run_scale(const Data *d)
{
    return scale(d->x, d->out, FACTOR, d->n);
}

static int run_polynomial(const Data *d)
{
    return polynomial(d->x, d->out, d->n);
}

static int run_speeds(const Data *d)
{
    return speeds(d->particles, d->out, d->n);
}

static int run_dot(const Data *d)
{
    return dot(d->x, d->y, d->out, d->n);
}

static int run_scale_16(const Data *d)
{
    return scale_16(d->x16, d->out16, FACTOR, d->n);
}

static int run_polynomial_16(const Data *d)
{
    return polynomial_16(d->x16, d->out16, d->n);
}

static int run_speeds_apart(const Data *d)
{
    return speeds_apart(d->x, d->y, d->z, d->out, d->n);
}

static int run_dot_spread(const Data *d)
{
    return dot_spread(d->x, d->y, d->out, d->n);
}

/* The first error ends it: one that is returned, or one that is not and should have been. */
static int run_every(const Data *d)
{
    int status = 0;
    for (int call = 0; call < 4 && status == 0; call++) { /* for few first, which may be another kernel's business */
        int n = call < 2 ? FEW : d->n;
        lab_own_calls(0);
        status = call % 2 == 0 ? speeds_apart(d->x, d->y, d->z, d->out, n) : dot_spread(d->x, d->y, d->out, n);
        lab_own_calls(1);
        if (cudaGetLastError() != cudaSuccess)
            break;
    }
    return status;
}

typedef int Run(const Data *d);

static Run *find(const char *name)
{
    static const struct {
        const char *name;
        Run *run;
    } all[] = {
        {"scale", run_scale},
        {"polynomial", run_polynomial},
        {"speeds", run_speeds},
        {"dot", run_dot},
        {"scale_16", run_scale_16},
        {"polynomial_16", run_polynomial_16},
        {"speeds_apart", run_speeds_apart},
        {"dot_spread", run_dot_spread},
        {"every", run_every},
    };
    size_t i = 0;
    while (strcmp(all[i].name, name) != 0)
        i++;
    return all[i].run;
}

/* ---- Arrays ---- */

static void *upper_halves(const float *x, size_t n)
{
    unsigned short *half = malloc(n * sizeof *half);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        half[i] = (unsigned short)(bits >> 16);
    }
    void *device = device_copy(half, n * sizeof *half);
    free(half);
    return device;
}

static void *particles_of(const float *x, const float *y, const float *z, size_t n)
{
    Particle *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = (Particle){1, 2, 3, x[i], y[i], z[i], 4, 5};
    void *device = device_copy(p, n * sizeof *p);
    free(p);
    return device;
}

/* n_out: how many numbers the function puts out, and no more are there. */
static Data make_data(LabCase *c, const char *function, size_t n_out)
{
    size_t n = 0;
    const float *x = lab_input_f32(c, "x", &n), *y = lab_input_f32(c, "y", NULL),
                *z = lab_input_f32(c, "z", NULL);
    size_t bytes = n * sizeof(float);
    return (Data){.x = device_copy(x, bytes),
                  .y = device_copy(y, bytes),
                  .z = device_copy(z, bytes),
                  .out = strncmp(function, "scale", 5) == 0 ? device_copy(y, bytes) : device_bytes(n_out * sizeof(float)),
                  .particles = strncmp(function, "speeds", 6) == 0 ? particles_of(x, y, z, n) : NULL,
                  .x16 = strstr(function, "_16") ? upper_halves(x, n) : NULL,
                  .out16 = strstr(function, "_16") ? upper_halves(y, n) : NULL,
                  .n = (int)n};
}

/* What the function put out, as floats. */
static void copy_back(const Data *d, float *out, size_t n)
{
    if (!d->out16) {
        CUDA_CHECK(cudaMemcpy(out, d->out, n * sizeof *out, cudaMemcpyDeviceToHost));
        return;
    }
    unsigned short *half = malloc(n * sizeof *half);
    CUDA_CHECK(cudaMemcpy(half, d->out16, n * sizeof *half, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)half[i] << 16;
        memcpy(&out[i], &bits, sizeof bits);
    }
    free(half);
}

static void free_data(Data *d)
{
    void *all[] = {d->x, d->y, d->z, d->out, d->particles, d->x16, d->out16};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CUDA_CHECK(cudaFree(all[i]));
}

static int run_before(Run *run, const Data *d, size_t n_out)
{
    Data half = *d;
    half.n = d->n / 2;
    half.out = device_bytes(n_out * sizeof(float));
    int status = run(&half);
    CUDA_CHECK(cudaFree(half.out));
    return status;
}

/* The dot product of the first numbers alone, behind one of all. */
static int run_fewer(LabCase *c, Run *run, const Data *d)
{
    Data fewer = *d;
    float sum = 0;
    fewer.n = FEWER;
    fewer.out = device_bytes(sizeof sum);
    int status = run(&fewer);
    CUDA_CHECK(cudaMemcpy(&sum, fewer.out, sizeof sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(fewer.out));
    lab_value(c, "sum_of_the_first_70", sum);
    return status;
}

/* ---- Measuring ---- */

static float best_time(Run *run, const Data *d, int64_t times)
{
    float best = 0;
    for (int64_t i = 0; i < times; i++) {
        LabTimer timer = lab_timer_start(0);
        int status = run(d);
        float ms = lab_timer_stop(&timer);
        CUDA_CHECK(status);
        if (i == 0 || ms < best)
            best = ms;
    }
    return best;
}

void lab_main(LabCase *c)
{
    const char *name = lab_param_text(c, "function");
    lab_own_calls(strcmp(name, "every") == 0);
    size_t n_out = 0;
    lab_input_f32(c, "x", &n_out);
    n_out = strncmp(name, "dot", 3) == 0 ? 1 : n_out;
    Data d = make_data(c, name, n_out);
    float *out = lab_output_f32(c, "out", n_out);
    int status = lab_has_param(c, "again") ? run_before(find(name), &d, n_out) : 0;
    if (status == 0)
        status = find(name)(&d);
    if (status == 0 && n_out == 1 && lab_has_param(c, "again"))
        status = run_fewer(c, find(name), &d);
    lab_status(c, name, status);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    copy_back(&d, out, n_out);
    int64_t times = lab_has_param(c, "against") ? lab_param_int(c, "timed") : 0;
    if (times > 0) {
        float after = best_time(find(name), &d, times);
        lab_value(c, "gain", best_time(find(lab_param_text(c, "against")), &d, times) / after);
    }
    free_data(&d);
}
