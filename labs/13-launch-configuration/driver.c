/* Lab 13: takes a case's array to the device, calls the function that the case names, and brings the result
 * back.
 *
 * With `again` the function is called twice before, for half of the elements (and four fifths of the radius and of the threads) and for none, with
 * another result. With `asked` that is the number of elements that the function is told, of arrays of n: its launch is refused. Behind a launch that was refused without it, walk is called for one element, which is right; behind a call that was made to fail, the function is called again, which is right, too.
 * `sweep` prints a line for each size of a block, from 1 to 1024: threads, modelled or measured microseconds
 * of the launch, occupancy. The Makefile's `sweep` draws it. Times are of the device's clock, between two events.
 */
#include "lab.h"

#include "asked.h"
#include "launch_configuration.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const int sizes[] = {1,   4,   16,  32,  33,  64,  96,  128,  192,
                            256, 384, 512, 576, 640, 768, 896, 1000, 1024};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static int size_param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

enum { BUSY_BYTES = 32 << 20 };

/* Of a launch, in microseconds. The device is busy with something else in the
 * meantime, filling BUSY_BYTES, so that what the host needs for its calls is not measured. */
static float time_walk(const int *next, int *out, int n, int threads, void *busy, int *status)
{
    CUDA_CHECK(cudaMemsetAsync(busy, 0, BUSY_BYTES, 0));
    LabTimer timer = lab_timer_start(0);
    *status = walk(next, out, n, threads);
    return 1000 * lab_timer_stop(&timer);
}

static void put_bar(float share)
{
    for (int i = 0; i < (int)(share * 40 + 0.5f); i++)
        putchar('#');
    putchar('\n');
}

static int run_sweep(const int *next, int *out, int n)
{
    float best = 0;
    void *busy = NULL;
    CUDA_CHECK(cudaMalloc(&busy, BUSY_BYTES));
    int status = walk(next, out, n, 64), best_threads = 0;
    puts("threads     time us  occupancy");
    for (int i = 0; i < N_SIZES && status == 0; i++) {
        float share = 0, us = time_walk(next, out, n, sizes[i], busy, &status);
        if (status == 0)
            status = walk_occupancy(sizes[i], 0, &share);
        if (best_threads == 0 || us < best) {
            best = us;
            best_threads = sizes[i];
        }
        if (status != 0)
            break;
        printf("%7d %11.2f       %.3f  ", sizes[i], us, share);
        put_bar(share);
    }
    printf("the shortest time: %.2f us, in blocks of %d\n", best, best_threads);
    CUDA_CHECK(cudaFree(busy));
    return status;
}

/* The occupancy of a few blocks: nothing runs on the device. */
static int run_occupancy(LabCase *c)
{
    int status = 0;
    size_t shared = (size_t)lab_param_int(c, "shared");
    for (int i = 0; i < N_ASKED; i++) {
        float *share = lab_output_f32(c, asked[i].key, 1);
        if (status == 0)
            status = walk_occupancy(asked[i].threads, shared, share);
    }
    return status;
}

typedef struct Numbers {
    int n, radius, threads;
} Numbers;

static Numbers less(Numbers m)
{
    return (Numbers){m.n / 2, m.radius - m.radius / 5, m.threads - m.threads / 5};
}

static int call(const char *function, const void *in, void *out, Numbers m)
{
    if (strcmp(function, "window_sums") == 0)
        return window_sums(in, out, m.n, m.radius);
    if (strcmp(function, "spread") == 0)
        return spread(in, out, m.n, m.threads);
    if (strcmp(function, "walk") == 0)
        return walk(in, out, m.n, m.threads);
    if (strcmp(function, "walk_best") == 0)
        return walk_best(in, out, m.n);
    return run_sweep(in, out, m.n);
}

static void *to_device(const void *host, size_t bytes)
{
    void *device = NULL;
    CUDA_CHECK(cudaMalloc(&device, bytes));
    CUDA_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

static void run_on_device(LabCase *c, const char *function)
{
    int windows = strcmp(function, "window_sums") == 0, spreads = strcmp(function, "spread") == 0, status = 0;
    size_t n_in = 0, n = (size_t)lab_param_int(c, "n");
    const void *input = windows || spreads ? (const void *)lab_input_f32(c, "in", &n_in)
                                           : (const void *)lab_input_i32(c, "next", &n_in);
    void *result =
        windows || spreads ? (void *)lab_output_f32(c, "out", n) : (void *)lab_output_i32(c, "out", n);
    lab_own_calls(1);
    void *in = to_device(input, 4 * n_in), *out = to_device(result, 4 * n), *other = NULL;
    if (lab_has_param(c, "again"))
        other = to_device(result, 2 * n);
    Numbers m = {.n = (int)n,
                 .radius = windows ? size_param(c, "radius") : 0,
                 .threads = lab_has_param(c, "threads") ? size_param(c, "threads") : 0};
    lab_leave_work(in, 4 * n_in);
    if (other)
        status = call(function, in, other, less(m));
    lab_note(other ? "nothing" : "something");
    if (other && status == 0)
        status = call(function, in, other, (Numbers){0, m.radius, m.threads});
    lab_note("something");
    if (lab_has_param(c, "asked"))
        m.n = size_param(c, "asked");
    if (status == 0)
        status = call(function, in, out, m);
    lab_own_calls(1);
    if (lab_has_param(c, "refused")) {
        lab_value(c, "refused", status != 0);
        if (!lab_has_param(c, "asked")) {
            lab_own_calls(0);
            lab_value(c, "returned_by_a_good_call_behind_it", status == 0 ? 0 : walk(in, out, 1, 32));
            lab_own_calls(1);
            CUDA_CHECK(cudaMemcpy(out, result, 4, cudaMemcpyHostToDevice)); /* as it was */
        }
        cudaGetLastError(); /* of a launch that nobody asked about */
    } else {
        lab_status(c, function, status);
        if (status == 0)
            LAB_CHECK_DEFAULT_STREAM();
        else if (strcmp(function, "sweep") != 0) {
            lab_own_calls(0);
            lab_next_status(c, function, call(function, in, out, m));
            lab_own_calls(1);
        }
    }
    CUDA_CHECK(cudaMemcpy(result, out, 4 * n, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
    CUDA_CHECK(cudaFree(other));
}

typedef struct Walk {
    int *next, *out, n;
} Walk;

static int call_walk_best(void *context)
{
    const Walk *w = context;
    return walk_best(w->next, w->out, w->n);
}

/* walk_best for speed_n places, as often as whoever times it asks for. */
static void time_on_gpu(LabCase *c)
{
    Walk w = {.n = (int)lab_param_int(c, "speed_n")};
    size_t bytes = (size_t)w.n * sizeof(int);
    CUDA_CHECK(cudaMalloc((void **)&w.next, bytes));
    CUDA_CHECK(cudaMalloc((void **)&w.out, bytes));
    LabSpeed speed = {.call = call_walk_best,
                      .context = &w,
                      .inputs = {{w.next, bytes, LAB_FILL_PLACES}},
                      .n_inputs = 1,
                      .output = {w.out, bytes, 0}};
    lab_speed(&speed);
    CUDA_CHECK(cudaFree(w.next));
    CUDA_CHECK(cudaFree(w.out));
}

/* All elements are 4 bytes. An output begins as a copy of the poisoned host array. */
void lab_main(LabCase *c)
{
    if (lab_is_timed())
        time_on_gpu(c);
    const char *function = lab_param_text(c, "function");
    if (strcmp(function, "walk_occupancy") == 0)
        lab_status(c, function, run_occupancy(c));
    else
        run_on_device(c, function);
}
