/* error: names and texts of the runtime's errors, and the thread's last error. */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdio.h>

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define X(name, code, text) {code, #name, text},
#include "kit/errors.def"
#undef X
};

static int find_error(cudaError_t error)
{
    for (int i = 0; i < (int)(sizeof errors / sizeof errors[0]); i++)
        if (errors[i].code == (int)error)
            return i;
    return -1;
}

const char *error_name(cudaError_t error)
{
    int i = find_error(error);
    return i < 0 ? "unrecognized error code" : errors[i].name;
}

void thread_asked(void)
{
    Thread *t = thread_state();
    t->failed_launch = 0;
    t->failed.site = 0;
}

const char *cudaGetErrorName(cudaError_t error)
{
    thread_asked();
    return error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    int i = find_error(error);
    thread_asked();
    return i < 0 ? "unrecognized error code" : errors[i].text;
}

/* The record of calls has where a program took its last error. */
static void note_last_error(cudaError_t error)
{
    char text[32];
    snprintf(text, sizeof text, "last-error %d", (int)error);
    vgpu_lab_note(text);
}

/* Where there is no device, each call returns that, these two as well, however often they are asked: seen on an H200's machine. */
static bool is_without_devices(void)
{
    return facade()->has_looked && facade()->n_devices == 0;
}

/* Two questions so near each other in the program's code are one function's. */
enum { SAME_FUNCTION_BYTES = 512 };

/* `if (cudaGetLastError() != cudaSuccess) return cudaGetLastError();` returns 0: what the launch had left is gone. No call came between the two. */
static void tell_taken(const Thread *t, uintptr_t returns_to)
{
    uintptr_t away = returns_to > t->taken_at ? returns_to - t->taken_at : t->taken_at - returns_to;
    if (t->taken != cudaSuccess && t->taken_calls == __atomic_load_n(&facade()->n_calls, __ATOMIC_RELAXED) && away <= SAME_FUNCTION_BYTES)
        vgpu_advise(NULL, "cudaGetLastError is asked a second time behind a launch that failed: the first time has taken the error away, and now it returns cudaSuccess",
                    "keep its first answer in a variable, and return that");
}

cudaError_t cudaGetLastError(void)
{
    Thread *t = thread_state();
    cudaError_t error = is_without_devices() ? facade()->no_device : t->last;
    uintptr_t returns_to = (uintptr_t)__builtin_return_address(0);
    t->last = cudaSuccess;
    thread_asked();
    if (error == cudaSuccess) {
        tell_taken(t, returns_to);
        t->taken = cudaSuccess;
        return error;
    }
    note_last_error(error);
    t->taken = t->last_of_launch && !facade()->is_driver ? error : cudaSuccess;
    t->taken_calls = __atomic_load_n(&facade()->n_calls, __ATOMIC_RELAXED);
    t->taken_at = returns_to;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    thread_asked();
    return is_without_devices() ? facade()->no_device : thread_state()->last;
}

cudaError_t error_of_device(DeviceError e)
{
    static const cudaError_t map[] = {
#define X(device, runtime) [device] = runtime,
#include "common/vgpu/cudart/device_errors.def"
#undef X
    };
    return map[e];
}
