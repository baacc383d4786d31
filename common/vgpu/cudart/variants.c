/* variants: the entry points that --default-stream per-thread compiles calls into. _ptds: the default stream
 * is meant, and it is the thread's own; _ptsz: stream 0 means the thread's own. */
#include "common/vgpu/cudart/cudart_internal.h"

#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" /* cudaMemcpyToArray and its kin still have variants */

#define SELF cudaStreamPerThread

/* A variant of a function that takes a stream last: X(name, parameters, arguments) */
#define PTSZ(name, params, args)                                                                             \
    cudaError_t name##_ptsz params;                                                                          \
    EXPORT cudaError_t name##_ptsz params                                                                    \
    {                                                                                                        \
        return name args;                                                                                    \
    }

/* A variant of a function without a stream: the asynchronous call on the thread's stream, then a wait for it.
 */
#define PTDS(name, async, params, args)                                                                      \
    cudaError_t name##_ptds params;                                                                          \
    EXPORT cudaError_t name##_ptds params                                                                    \
    {                                                                                                        \
        thread_state()->waits_after = true;                                                                  \
        cudaError_t error = async args;                                                                      \
        thread_state()->waits_after = false;                                                                 \
        return error == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : error;                    \
    }

PTSZ(cudaMemcpyAsync, (void *d, const void *s, size_t n, enum cudaMemcpyKind k, cudaStream_t t),
     (d, s, n, k, per_thread(t)))
PTSZ(cudaMemcpy2DAsync,
     (void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k,
      cudaStream_t t),
     (d, dp, s, sp, w, h, k, per_thread(t)))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t t), (p, per_thread(t)))
PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t t), (p, per_thread(t)))
PTSZ(cudaMemcpy2DToArrayAsync,
     (cudaArray_t a, size_t x, size_t y, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k,
      cudaStream_t t),
     (a, x, y, s, sp, w, h, k, per_thread(t)))
PTSZ(cudaMemcpy2DFromArrayAsync,
     (void *d, size_t dp, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, enum cudaMemcpyKind k,
      cudaStream_t t),
     (d, dp, a, x, y, w, h, k, per_thread(t)))
PTSZ(cudaMemcpyToArrayAsync,
     (cudaArray_t a, size_t x, size_t y, const void *s, size_t n, enum cudaMemcpyKind k, cudaStream_t t),
     (a, x, y, s, n, k, per_thread(t)))
PTSZ(cudaMemcpyFromArrayAsync,
     (void *d, cudaArray_const_t a, size_t x, size_t y, size_t n, enum cudaMemcpyKind k, cudaStream_t t),
     (d, a, x, y, n, k, per_thread(t)))
PTSZ(cudaMemcpyToSymbolAsync,
     (const void *y, const void *s, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t t),
     (y, s, n, o, k, per_thread(t)))
PTSZ(cudaMemcpyFromSymbolAsync,
     (void *d, const void *y, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t t),
     (d, y, n, o, k, per_thread(t)))
PTSZ(cudaMemsetAsync, (void *d, int v, size_t n, cudaStream_t t), (d, v, n, per_thread(t)))
PTSZ(cudaMemset2DAsync, (void *d, size_t p, int v, size_t w, size_t h, cudaStream_t t),
     (d, p, v, w, h, per_thread(t)))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t t),
     (p, v, e, per_thread(t)))
PTSZ(cudaStreamSynchronize, (cudaStream_t t), (per_thread(t)))
PTSZ(cudaStreamQuery, (cudaStream_t t), (per_thread(t)))
PTSZ(cudaStreamWaitEvent, (cudaStream_t t, cudaEvent_t e, unsigned int f), (per_thread(t), e, f))
PTSZ(cudaStreamGetPriority, (cudaStream_t t, int *p), (per_thread(t), p))
PTSZ(cudaStreamGetFlags, (cudaStream_t t, unsigned int *f), (per_thread(t), f))
PTSZ(cudaStreamGetId, (cudaStream_t t, unsigned long long *i), (per_thread(t), i))
PTSZ(cudaStreamGetDevice, (cudaStream_t t, int *d), (per_thread(t), d))
PTSZ(cudaStreamAddCallback, (cudaStream_t t, cudaStreamCallback_t c, void *d, unsigned int f),
     (per_thread(t), c, d, f))
PTSZ(cudaLaunchHostFunc, (cudaStream_t t, cudaHostFn_t c, void *d), (per_thread(t), c, d))
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t t, void *p, size_t n, unsigned int f), (per_thread(t), p, n, f))
PTSZ(cudaStreamIsCapturing, (cudaStream_t t, enum cudaStreamCaptureStatus *s), (per_thread(t), s))
PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t t), (e, per_thread(t)))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t t, unsigned int f), (e, per_thread(t), f))

PTSZ(cudaStreamBeginCapture, (cudaStream_t t, enum cudaStreamCaptureMode m), (per_thread(t), m))
PTSZ(cudaStreamBeginCaptureToGraph,
     (cudaStream_t t, cudaGraph_t g, const cudaGraphNode_t *d, const cudaGraphEdgeData *e, size_t n,
      enum cudaStreamCaptureMode m),
     (per_thread(t), g, d, e, n, m))
PTSZ(cudaStreamEndCapture, (cudaStream_t t, cudaGraph_t *g), (per_thread(t), g))
PTSZ(cudaStreamGetCaptureInfo,
     (cudaStream_t t, enum cudaStreamCaptureStatus *s, unsigned long long *i, cudaGraph_t *g,
      const cudaGraphNode_t **d, const cudaGraphEdgeData **e, size_t *n),
     (per_thread(t), s, i, g, d, e, n))
PTSZ(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t t, cudaGraphNode_t *d, const cudaGraphEdgeData *e, size_t n, unsigned int f),
     (per_thread(t), d, e, n, f))
PTSZ(cudaStreamGetAttribute, (cudaStream_t t, cudaLaunchAttributeID i, cudaLaunchAttributeValue *v),
     (per_thread(t), i, v))
PTSZ(cudaStreamSetAttribute, (cudaStream_t t, cudaLaunchAttributeID i, const cudaLaunchAttributeValue *v),
     (per_thread(t), i, v))
PTSZ(cudaStreamCopyAttributes, (cudaStream_t a, cudaStream_t b), (per_thread(a), per_thread(b)))
PTSZ(cudaGraphLaunch, (cudaGraphExec_t e, cudaStream_t t), (e, per_thread(t)))
PTSZ(cudaGraphUpload, (cudaGraphExec_t e, cudaStream_t t), (e, per_thread(t)))
PTSZ(cudaGraphInstantiateWithParams, (cudaGraphExec_t * e, cudaGraph_t g, cudaGraphInstantiateParams *p),
     (e, g, p))

PTDS(cudaMemcpy, cudaMemcpyAsync, (void *d, const void *s, size_t n, enum cudaMemcpyKind k),
     (d, s, n, k, SELF))
PTDS(cudaMemcpy2D, cudaMemcpy2DAsync,
     (void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k),
     (d, dp, s, sp, w, h, k, SELF))
PTDS(cudaMemcpy3D, cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p), (p, SELF))
PTDS(cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p), (p, SELF))
PTDS(cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync,
     (cudaArray_t a, size_t x, size_t y, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k),
     (a, x, y, s, sp, w, h, k, SELF))
PTDS(cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync,
     (void *d, size_t dp, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, enum cudaMemcpyKind k),
     (d, dp, a, x, y, w, h, k, SELF))
PTDS(cudaMemcpyToArray, cudaMemcpyToArrayAsync,
     (cudaArray_t a, size_t x, size_t y, const void *s, size_t n, enum cudaMemcpyKind k),
     (a, x, y, s, n, k, SELF))
PTDS(cudaMemcpyFromArray, cudaMemcpyFromArrayAsync,
     (void *d, cudaArray_const_t a, size_t x, size_t y, size_t n, enum cudaMemcpyKind k),
     (d, a, x, y, n, k, SELF))
PTDS(cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
     (const void *y, const void *s, size_t n, size_t o, enum cudaMemcpyKind k), (y, s, n, o, k, SELF))
PTDS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync,
     (void *d, const void *y, size_t n, size_t o, enum cudaMemcpyKind k), (d, y, n, o, k, SELF))

/* Fills return before they are done, on any stream. */
#define FILL(name, params, args)                                                                             \
    cudaError_t name##_ptds params;                                                                          \
    EXPORT cudaError_t name##_ptds params                                                                    \
    {                                                                                                        \
        return name##Async args;                                                                             \
    }

FILL(cudaMemset, (void *d, int v, size_t n), (d, v, n, SELF))
FILL(cudaMemset2D, (void *d, size_t p, int v, size_t w, size_t h), (d, p, v, w, h, SELF))
FILL(cudaMemset3D, (struct cudaPitchedPtr p, int v, struct cudaExtent e), (p, v, e, SELF))

/* Between arrays there is no asynchronous call: these copies are done on the legacy stream, which no stream
 * of a thread's own can overlap. */
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t dst_w, size_t dst_h, cudaArray_const_t src,
                                          size_t src_w, size_t src_h, size_t width, size_t height,
                                          enum cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t dst_w, size_t dst_h,
                                                 cudaArray_const_t src, size_t src_w, size_t src_h,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DArrayToArray(dst, dst_w, dst_h, src, src_w, src_h, width, height, kind);
}

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t dst_w, size_t dst_h, cudaArray_const_t src,
                                        size_t src_w, size_t src_h, size_t bytes, enum cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t dst_w, size_t dst_h,
                                               cudaArray_const_t src, size_t src_w, size_t src_h,
                                               size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyArrayToArray(dst, dst_w, dst_h, src, src_w, src_h, bytes, kind);
}
