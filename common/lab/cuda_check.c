/* CUDA_CHECK and the timer: the part of the lab library that calls the CUDA runtime.
 *
 *   vector_add.cu:31: cudaMemcpy(d_a, a, n, ...) failed
 *     cudaErrorInvalidValue: invalid argument
 *     hint: ...
 */
#include "common/lab/lab.h"

#include "common/base/hints.h"
#include "common/lab/lab_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ErrorHint {
    cudaError_t code;
    const char *hint;
} ErrorHint;

static const ErrorHint hints[] = {
#define X(code_, hint_) {code_, hint_},
#include "common/lab/cuda_hints.def"
#undef X
};

const char *lab_error_hint(int error)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if ((int)hints[i].code == error)
            return hints[i].hint;
    return NULL;
}

void lab_print_error(int error, FILE *to)
{
    fprintf(to, "  %s: %s\n", cudaGetErrorName((cudaError_t)error), cudaGetErrorString((cudaError_t)error));
    const char *hint = lab_error_hint(error);
    if (hint && hints_wanted())
        fprintf(to, "  hint: %s\n", hint);
}

/* As far as the virtual GPU tells. */
static bool was_reset(void)
{
    int (*ask)(void);
    void *found = dlsym(RTLD_DEFAULT, "vgpu_lab_was_reset");
    memcpy(&ask, &found, sizeof ask);
    return ask && ask();
}

static void stop(int error, const char *what, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s failed\n", file, line, what);
    if (was_reset() && hints_wanted())
        fputs("  hint: cudaDeviceReset was called before. It destroys all memory, streams and events on the device, also those of the caller: free what the "
              "function has made, and nothing else\n",
              stderr);
    else
        lab_print_error(error, stderr);
    exit(LAB_EXIT_CUDA);
}

void lab_cuda_check(int error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        stop(error, call, file, line);
}

static void check_launch(cudaError_t launched, cudaError_t ended, const char *file, int line)
{
    if (launched != cudaSuccess)
        stop((int)launched, "the launch", file, line);
    if (ended != cudaSuccess)
        stop((int)ended, "the kernel", file, line);
}

void lab_cuda_check_launch(const char *file, int line)
{
    cudaError_t launched = cudaGetLastError();
    check_launch(launched, launched ? launched : cudaDeviceSynchronize(), file, line);
}

void lab_check_default_stream(const char *file, int line)
{
    cudaError_t launched = cudaGetLastError();
    check_launch(launched, launched ? launched : cudaStreamSynchronize(cudaStreamLegacy), file, line);
}

LabTimer lab_timer_start(cudaStream_t stream)
{
    LabTimer timer = {.stream = stream};
    CUDA_CHECK(cudaEventCreate(&timer.start));
    CUDA_CHECK(cudaEventCreate(&timer.stop));
    CUDA_CHECK(cudaEventRecord(timer.start, stream));
    return timer;
}

float lab_timer_stop(LabTimer *timer)
{
    float milliseconds = 0;
    CUDA_CHECK(cudaEventRecord(timer->stop, timer->stream));
    CUDA_CHECK(cudaEventSynchronize(timer->stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, timer->start, timer->stop));
    CUDA_CHECK(cudaEventDestroy(timer->start));
    CUDA_CHECK(cudaEventDestroy(timer->stop));
    return milliseconds;
}
