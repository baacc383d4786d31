/* Lab 04: brings a case's arrays into pinned memory, and calls the function that the case names. With
 * parameter `your_arrays` the student's host_array_create makes these arrays. With `no_room` it is
 * asked before for one that is far too large.
 *
 * The output begins as a copy of the poisoned array that the harness made. It is read as soon as the student's
 * function has returned, and nobody waits before but for calibrate_chunk, whose caller has to.
 *
 * With parameter `again` the function is called before, for half of the readings and in half as large chunks. With `stale`
 * out holds readings above any limit at first, as it would from other work: who counts too early, or too much, counts those.
 */
#include "lab.h"

#include "streams.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    LabCase *c;
    size_t n;
    float *in, *dark, *out; /* in pinned memory */
} Job;

static int size_param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

/* A host array with the values of another. Ends the program when it cannot be made. */
static float *host_copy(LabCase *c, const float *from, size_t n_values)
{
    float *array = NULL;
    size_t n = n_values == 0 ? 1 : n_values;
    if (lab_has_param(c, "your_arrays"))
        CUDA_CHECK(host_array_create(&array, n));
    else {
        lab_own_calls(1);
        CUDA_CHECK(cudaMallocHost((void **)&array, n * sizeof(float)));
        lab_own_calls(0);
    }
    if (array == NULL) {
        fprintf(stderr, "host_array_create returned 0, and the array is NULL\n");
        exit(1);
    }
    memcpy(array, from, n_values * sizeof(float));
    return array;
}

/* Whether CUDA knows the array as pinned host memory. */
static int is_pinned(const float *array)
{
    struct cudaPointerAttributes kind = {0};
    lab_own_calls(1);
    int known = cudaPointerGetAttributes(&kind, array) == cudaSuccess;
    lab_own_calls(0);
    cudaGetLastError();
    return known && kind.type == cudaMemoryTypeHost;
}

/* No machine has room for such an array. */
static void ask_for_too_much(LabCase *c)
{
    float mark = 0, *array = &mark;
    int status = host_array_create(&array, (size_t)1 << 58);
    cudaError_t noted = cudaPeekAtLastError(); /* none where no call of CUDA failed, or where the function has taken it */
    lab_value(c, "an_array_without_room_is_an_error", status != cudaSuccess);
    lab_value(c, "the_code_is_that_of_CUDA", noted == cudaSuccess || status == (int)noted || status == cudaErrorMemoryAllocation);
    lab_value(c, "an_array_without_room_is_NULL", array == NULL);
    cudaGetLastError();
}

/* The caller's side of calibrate_chunk: two chunks in two streams that have nothing to do with the default
 * stream, each with its own device memory. */
static int run_chunks(Job *j)
{
    size_t half = (j->n + 1) / 2;
    cudaStream_t stream[2];
    float *d_data[2];
    int status = 0;
    lab_own_calls(1);
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc((void **)&d_data[i], half * sizeof(float)));
    }
    lab_own_calls(0);
    for (size_t i = 0; i < 2 && status == 0; i++) {
        size_t first = i * half, count = i == 0 ? half : j->n - half;
        lab_note("chunk");
        status = calibrate_chunk(j->in + first, j->out + first, (int)count, d_data[i], stream[i]);
        lab_note("sent");
    }
    lab_own_calls(1);
    for (int i = 0; i < 2; i++) {
        if (status == 0)
            CUDA_CHECK(cudaStreamSynchronize(stream[i]));
        CUDA_CHECK(cudaFree(d_data[i]));
        CUDA_CHECK(cudaStreamDestroy(stream[i]));
    }
    lab_own_calls(0);
    return status;
}

static int run_count(Job *j, int n, int chunk)
{
    int n_over = 1 << 30, of_none = n_over; /* which a count does not begin with */
    if (lab_has_param(j->c, "stale"))
        for (size_t i = 0; i < j->n; i++)
            j->out[i] = FLT_MAX;
    int status = calibrate_count(j->in, j->out, n, chunk, size_param(j->c, "streams"),
                                 (float)lab_param_float(j->c, "limit"), &n_over);
    if ((size_t)n == j->n)
        lab_value(j->c, "n_over", n_over);
    if ((size_t)n != j->n && status == 0) { /* a call before: one for nothing, too */
        lab_note("nothing");
        status = calibrate_count(j->in, j->out, 0, chunk, size_param(j->c, "streams"), (float)lab_param_float(j->c, "limit"), &of_none);
        lab_value(j->c, "n_over_of_no_readings", of_none);
    }
    return status;
}

static int call(Job *j, const char *function, int n, int chunk)
{
    int streams = size_param(j->c, "streams");
    lab_note(n == 0 ? "nothing" : "something");
    if (strcmp(function, "calibrate_all") == 0)
        return calibrate_all(j->in, j->out, n, chunk, streams);
    if (strcmp(function, "calibrate_dark") == 0)
        return calibrate_dark(j->in, j->dark, j->out, n, chunk, streams);
    return run_count(j, n, chunk);
}

static int run(Job *j, const char *function)
{
    if (strcmp(function, "calibrate_chunk") == 0)
        return run_chunks(j);
    int chunk = size_param(j->c, "chunk"), status = 0;
    if (lab_has_param(j->c, "again"))
        status = call(j, function, (int)(j->n / 2), (chunk + 1) / 2);
    return status != 0 ? status : call(j, function, (int)j->n, chunk);
}

void lab_main(LabCase *c)
{
    Job j = {.c = c};
    const char *function = lab_param_text(c, "function");
    const float *input = lab_input_f32(c, "in", &j.n);
    if (lab_has_param(c, "no_room"))
        ask_for_too_much(c);
    float *result = lab_output_f32(c, "out", j.n);
    j.in = host_copy(c, input, j.n);
    j.out = host_copy(c, result, j.n);
    if (strcmp(function, "calibrate_dark") == 0) {
        size_t n_dark = 0;
        const float *dark = lab_input_f32(c, "dark", &n_dark);
        j.dark = host_copy(c, dark, n_dark);
    }
    if (lab_has_param(c, "no_room"))
        lab_value(c, "arrays_are_pinned", is_pinned(j.in) && is_pinned(j.out));
    int status = run(&j, function);
    memcpy(result, j.out, j.n * sizeof(float)); /* nobody waits in between */
    float *arrays[] = {j.in, j.out, j.dark};
    for (int i = 0; i < 3; i++) {
        lab_own_calls(!lab_has_param(c, "your_arrays"));
        int freed = lab_has_param(c, "your_arrays") ? host_array_destroy(arrays[i]) : (int)cudaFreeHost(arrays[i]);
        status = status == 0 ? freed : status;
    }
    lab_status(c, function, status);
}
