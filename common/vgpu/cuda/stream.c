/* stream: streams and events: the runtime's, under the driver's names. */
#include "common/vgpu/cuda/cuda_internal.h"

#include <string.h>

/* ---- streams ---- */

/* The callback gets a CUresult where the runtime's gets a cudaError_t: both are ints. */
static CUresult add_callback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags)
{
    cudaStreamCallback_t same;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&same, &callback, sizeof same);
    return from_runtime(cudaStreamAddCallback(stream, same, data, flags));
}

static CUresult get_context(CUstream stream, CUcontext *out)
{
    int device;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(cudaStreamGetDevice(stream, &device));
    if (result == CUDA_SUCCESS)
        *out = context_current();
    return result;
}

static CUresult get_device(CUstream stream, CUdevice *out)
{
    return out ? from_runtime(cudaStreamGetDevice(stream, out)) : CUDA_ERROR_INVALID_VALUE;
}

DEFINE(cuStreamCreate, NEEDS_CONTEXT, (CUstream * out, unsigned flags),
       from_runtime(cudaStreamCreateWithFlags(out, flags)))
DEFINE(cuStreamCreateWithPriority, NEEDS_CONTEXT, (CUstream * out, unsigned flags, int priority),
       from_runtime(cudaStreamCreateWithPriority(out, flags, priority)))
DEFINE(cuStreamDestroy_v2, NEEDS_INIT, (CUstream stream), from_runtime(cudaStreamDestroy(stream)))
DEFINE_STREAM(cuStreamSynchronize, (CUstream stream), from_runtime(cudaStreamSynchronize(stream)))
DEFINE_STREAM(cuStreamQuery, (CUstream stream), from_runtime(cudaStreamQuery(stream)))
DEFINE_STREAM(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
              from_runtime(cudaStreamWaitEvent(stream, event, flags)))
DEFINE_STREAM(cuStreamAddCallback, (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),
              add_callback(stream, callback, data, flags))
DEFINE_STREAM(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags),
              from_runtime(cudaStreamAttachMemAsync(stream, to_pointer(p), bytes, flags)))
DEFINE_STREAM(cuStreamGetPriority, (CUstream stream, int *out),
              from_runtime(cudaStreamGetPriority(stream, out)))
DEFINE_STREAM(cuStreamGetFlags, (CUstream stream, unsigned *out),
              from_runtime(cudaStreamGetFlags(stream, out)))
DEFINE_STREAM(cuStreamGetId, (CUstream stream, unsigned long long *out),
              from_runtime(cudaStreamGetId(stream, out)))
DEFINE_STREAM(cuStreamGetDevice, (CUstream stream, CUdevice *out), get_device(stream, out))
DEFINE_STREAM(cuStreamGetCtx, (CUstream stream, CUcontext *out), get_context(stream, out))
DEFINE_STREAM(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *out),
              from_runtime(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)out)))

/* ---- events ---- */

static CUresult elapsed(float *ms, CUevent start, CUevent end)
{
    return ms ? from_runtime(cudaEventElapsedTime(ms, start, end)) : CUDA_ERROR_INVALID_VALUE;
}

DEFINE(cuEventCreate, NEEDS_CONTEXT, (CUevent * out, unsigned flags),
       from_runtime(cudaEventCreateWithFlags(out, flags)))
DEFINE(cuEventDestroy_v2, NEEDS_INIT, (CUevent event), from_runtime(cudaEventDestroy(event)))
DEFINE(cuEventQuery, NEEDS_INIT, (CUevent event), from_runtime(cudaEventQuery(event)))
DEFINE(cuEventSynchronize, NEEDS_INIT, (CUevent event), from_runtime(cudaEventSynchronize(event)))
DEFINE(cuEventElapsedTime, NEEDS_INIT, (float *ms, CUevent start, CUevent end), elapsed(ms, start, end))
DEFINE(cuEventElapsedTime_v2, NEEDS_INIT, (float *ms, CUevent start, CUevent end), elapsed(ms, start, end))
DEFINE_STREAM(cuEventRecord, (CUevent event, CUstream stream), from_runtime(cudaEventRecord(event, stream)))
DEFINE_STREAM(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
              from_runtime(cudaEventRecordWithFlags(event, stream, flags)))
