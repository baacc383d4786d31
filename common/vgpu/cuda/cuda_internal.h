/* cuda_internal: what the files of libcuda.so.1, the driver API, share.
 *
 * A call of the driver API goes like this:
 *
 *      DEFINE(cuThing, NEEDS_CONTEXT, (int argument), thing(argument))
 *
 * makes the exported function cuThing: it begins (is the driver initialised, has the thread a live context,
 * is this the call that --fail-at counts to?), does thing(argument), and ends: a failure is recorded. What a
 * call does is the runtime's work, under the driver's rules for arguments and errors:
 * common/vgpu/cudart/cudart.h says what the two libraries share. Only contexts live here.
 *
 * The one mutable global is the table of contexts (context.c), and each thread's stack of them.
 */
#ifndef COMMON_VGPU_CUDA_CUDA_INTERNAL_H
#define COMMON_VGPU_CUDA_CUDA_INTERNAL_H

/* Names as exported: the header would turn cuMemAlloc into cuMemAlloc_v2. */
#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include "common/vgpu/cudart/cudart.h"

#define EXPORT __attribute__((visibility("default")))

typedef enum Api {
#define X(name, ...) API_##name,
#include "common/vgpu/cuda/api.def"
#undef X
    N_APIS
} Api;

/* ---- calls (call.c) ---- */

typedef enum Needs { NEEDS_INIT, NEEDS_CONTEXT } Needs;

CUresult call_begin(Api api, Needs needs);
CUresult call_end(Api api, CUresult result);
/* The driver's error for one of the runtime's. */
CUresult from_runtime(cudaError_t error);

/* An exported function. */
#define DEFINE(name, needs, params, expression)                                                              \
    EXPORT CUresult name params;                                                                             \
    CUresult name params                                                                                     \
    {                                                                                                        \
        CUresult result = call_begin(API_##name, needs);                                                     \
        if (result == CUDA_SUCCESS)                                                                          \
            result = (expression);                                                                           \
        return call_end(API_##name, result);                                                                 \
    }

/* One with a parameter `stream`, and its twin for which stream 0 is the thread's own (--default-stream
 * per-thread). */
#define DEFINE_STREAM(name, params, expression)                                                              \
    DEFINE(name, NEEDS_CONTEXT, params, expression)                                                          \
    EXPORT CUresult name##_ptsz params;                                                                      \
    CUresult name##_ptsz params                                                                              \
    {                                                                                                        \
        stream = own_stream(stream);                                                                         \
        CUresult result = call_begin(API_##name##_ptsz, NEEDS_CONTEXT);                                      \
        if (result == CUDA_SUCCESS)                                                                          \
            result = (expression);                                                                           \
        return call_end(API_##name##_ptsz, result);                                                          \
    }

/* One that means the default stream, called `stream` in the expression, and its twin that means the thread's.
 */
#define DEFINE_DEFAULT(name, params, expression)                                                             \
    EXPORT CUresult name params;                                                                             \
    CUresult name params                                                                                     \
    {                                                                                                        \
        const CUstream stream = NULL;                                                                        \
        CUresult result = call_begin(API_##name, NEEDS_CONTEXT);                                             \
        if (result == CUDA_SUCCESS)                                                                          \
            result = (expression);                                                                           \
        return call_end(API_##name, result);                                                                 \
    }                                                                                                        \
    EXPORT CUresult name##_ptds params;                                                                      \
    CUresult name##_ptds params                                                                              \
    {                                                                                                        \
        const CUstream stream = CU_STREAM_PER_THREAD;                                                        \
        CUresult result = call_begin(API_##name##_ptds, NEEDS_CONTEXT);                                      \
        if (result == CUDA_SUCCESS)                                                                          \
            result = (expression);                                                                           \
        return call_end(API_##name##_ptds, result);                                                          \
    }

static inline CUstream own_stream(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static inline void *to_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* ---- contexts (context.c) ---- */

/* The thread's context: NULL, none. */
CUcontext context_current(void);
/* CUDA_SUCCESS, or what using this context gives. */
CUresult context_check(CUcontext context);
int context_device(CUcontext context);
bool device_valid(CUdevice device);

/* ---- arrays (array.c) ---- */

/* Bytes of an element. */
CUresult array_texel(CUarray array, size_t *bytes);

/* ---- images (jit.c) ---- */

/* What the options of a compilation ask for: where its log goes. */
typedef struct JitLog {
    char *text[2]; /* information, errors */
    size_t bytes[2];
    void **bytes_out[2];
    float *wall_time;
} JitLog;

CUresult jit_read_options(unsigned n, const CUjit_option *options, void **values, JitLog *out);
/* Tells what came out of it: in the log, or on standard error when the program gave no room for it. */
void jit_write_log(const JitLog *log, cudaError_t error, const Diag *diag);
/* A whole file, with a NUL after it; the caller frees it. */
CUresult jit_read_file(const char *path, char **out, size_t *bytes);

#endif
