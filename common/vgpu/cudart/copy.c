/* copy: copies and fills of plain and pitched memory.
 *
 * What a copy's direction may be was measured (test/errors-hardware.txt): HostToDevice wants a device's
 * address as its target, DeviceToHost as its source, DeviceToDevice both; HostToHost and Default look at the
 * pointers only.
 */
#include "common/base/page.h"
#include "common/vgpu/cudart/cudart_internal.h"

typedef struct Pointer {
    const void *p;
    DeviceMemoryKind kind;
} Pointer;

static Pointer look_at(Call *call, const void *p)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_POINTER};
    msg.range.addr = (uint64_t)(uintptr_t)p;
    call_send(call, &msg, &reply);
    return (Pointer){.p = p, .kind = reply.pointer.kind};
}

static bool is_pageable(const Pointer *p)
{
    return p->kind == DEVICE_MEMORY_NONE;
}

/* Device memory in the narrow sense: a copy between two such places returns before it is done. */
static bool is_device_only(const Pointer *p)
{
    return p->kind == DEVICE_MEMORY_DEVICE || p->kind == DEVICE_MEMORY_POOL ||
           p->kind == DEVICE_MEMORY_VARIABLE;
}

static bool wants_device_dst(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

static bool wants_device_src(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/* The commonest mistakes get a sentence; the error alone is always the same. */
static cudaError_t check_pointers(Call *call, const Pointer *dst, const Pointer *src,
                                  enum cudaMemcpyKind kind)
{
    const char *order = "the arguments are (destination, source, bytes, direction)";
    if (!dst->p || !src->p) {
        call_advise(call, NULL, dst->p ? "a copy from a null pointer" : "a copy to a null pointer",
                    "was it allocated, and did the allocation succeed?");
        return cudaErrorInvalidValue;
    }
    if (dst->kind == DEVICE_MEMORY_NOWHERE || src->kind == DEVICE_MEMORY_NOWHERE) {
        const Pointer *bad = dst->kind == DEVICE_MEMORY_NOWHERE ? dst : src;
        call_advise(call, bad->p, "a copy's device pointer lies in no live allocation",
                    "was it freed or never allocated, or moved by bytes where a pointer counts elements?");
        return cudaErrorInvalidValue;
    }
    if (wants_device_dst(kind) && is_pageable(dst)) {
        call_advise(call, NULL, "a copy to the device whose destination is host memory", order);
        return cudaErrorInvalidValue;
    }
    if (wants_device_src(kind) && is_pageable(src)) {
        call_advise(call, NULL, "a copy from the device whose source is host memory", order);
        return cudaErrorInvalidValue;
    }
    /* Made all the same, by the addresses; to pageable memory it was refused above. CUDA Runtime API, cudaMemcpy. */
    if (kind != cudaMemcpyDefault && ((!wants_device_dst(kind) && is_device_only(dst)) || (!wants_device_src(kind) && is_device_only(src))))
        call_tell_direction(call);
    return cudaSuccess;
}

static bool is_mapped(const char *p)
{
    return page_is_mapped((uint64_t)(uintptr_t)p);
}

/* The copy will crash in the runtime, as with hardware: its place is told first. */
static void advise_unmapped(Call *call, const Pointer *p, uint64_t bytes)
{
    if (is_pageable(p) && (!is_mapped(p->p) || !is_mapped((const char *)p->p + bytes - 1)))
        call_advise(
            call, NULL, "a copy from or to host memory that the program does not have",
            "is a pointer moved by bytes where it counts elements, or moved past the end of its array?");
}

static uint64_t extent(uint64_t pitch, uint64_t slice, const CopyShape *s)
{
    return (s->depth - 1) * slice + (s->height - 1) * pitch + s->width;
}

/* A copy that was made, from memory of the host's: an array of the lab's ends before it does. */
static void tell_overread(Call *call, const char *from, uint64_t bytes)
{
    Facade *f = facade();
    for (size_t i = 0; i < f->n_lab_arrays && !f->is_driver; i++) {
        const char *data = f->lab_arrays[i].data;
        size_t there = f->lab_arrays[i].bytes;
        if (from < data || from >= data + there || bytes <= there - (size_t)(from - data))
            continue;
        StrBuf text = {0};
        strbuf_printf(&text, "%s of %llu bytes from byte %zu of an array of %zu bytes", api_name(call->api), (unsigned long long)bytes,
                      (size_t)(from - data), there);
        call_tell_overread(call, text.failed ? "" : text.text);
        strbuf_free(&text);
        return;
    }
}

cudaError_t copy_any(Call *call, void *dst_p, const void *src_p, const CopyShape *shape,
                     enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    if ((int)kind < cudaMemcpyHostToHost || (int)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (shape->width == 0 || shape->height == 0 || shape->depth == 0)
        return cudaSuccess;
    DeviceReply reply;
    cudaError_t error = call_send(call, &(DeviceMsg){.op = OP_DEVICE_ERROR}, &reply);
    if (error != cudaSuccess)
        return error;
    Pointer dst = look_at(call, dst_p), src = look_at(call, src_p);
    DeviceMsg msg = {.op = OP_COPY};
    uint32_t device;
    error = check_pointers(call, &dst, &src, kind);
    if (error != cudaSuccess)
        return error;
    if (!stream_of(call, stream, &msg.stream, &device))
        return cudaErrorInvalidResourceHandle;
    msg.copy = (DeviceCopy){.dst = (uint64_t)(uintptr_t)dst_p,
                            .src = (uint64_t)(uintptr_t)src_p,
                            .dst_pitch = shape->dst_pitch,
                            .src_pitch = shape->src_pitch,
                            .dst_slice = shape->dst_slice,
                            .src_slice = shape->src_slice,
                            .width = shape->width,
                            .height = shape->height,
                            .depth = shape->depth,
                            .async = async || (is_device_only(&dst) && is_device_only(&src))};
    if (is_pageable(&dst))
        msg.copy.host_dst =
            (DeviceSpan){.data = dst_p, .bytes = extent(shape->dst_pitch, shape->dst_slice, shape)};
    if (is_pageable(&src))
        msg.copy.host_src = (DeviceSpan){.data = (void *)(uintptr_t)src_p,
                                         .bytes = extent(shape->src_pitch, shape->src_slice, shape)};
    call_site(call);
    advise_unmapped(call, &dst, extent(shape->dst_pitch, shape->dst_slice, shape));
    advise_unmapped(call, &src, extent(shape->src_pitch, shape->src_slice, shape));
    bool overlaps =
        async && !thread_state()->waits_after && !call->node && msg.stream != DEVICE_STREAM_LEGACY;
    if (overlaps && (is_pageable(&dst) || is_pageable(&src)))
        call_advise(call, NULL, "an asynchronous copy of pageable memory: it cannot overlap with other work",
                    "allocate host memory with cudaMallocHost");
    if (overlaps && ((dst.kind == DEVICE_MEMORY_MANAGED && is_device_only(&src)) ||
                     (src.kind == DEVICE_MEMORY_MANAGED && is_device_only(&dst))))
        call_advise(call, NULL,
                    "an asynchronous copy between the device and managed memory, which is not pinned",
                    "allocate host memory that copies use with cudaMallocHost; managed memory is for kernels "
                    "that use it without a copy");
    error = call_send_to(call, device, &msg, &reply);
    if (error == cudaSuccess && is_pageable(&src))
        tell_overread(call, src_p, extent(shape->src_pitch, shape->src_slice, shape));
    return error;
}

/* ---- one row ---- */

static cudaError_t copy_line(Api api, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                             cudaStream_t stream, bool async)
{
    ENTER(api);
    CopyShape shape = {.dst_pitch = bytes,
                       .src_pitch = bytes,
                       .dst_slice = bytes,
                       .src_slice = bytes,
                       .width = bytes,
                       .height = 1,
                       .depth = 1};
    return call_leave(&call, copy_any(&call, dst, src, &shape, kind, stream, async));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_line(API_cudaMemcpy, dst, src, bytes, kind, NULL, false);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_line(API_cudaMemcpyAsync, dst, src, bytes, kind, stream, true);
}

static cudaError_t copy_peer(Api api, void *dst, int dst_device, const void *src, int src_device,
                             size_t bytes, cudaStream_t stream, bool async)
{
    ENTER(api);
    int n = facade()->n_devices;
    if (dst_device < 0 || dst_device >= n || src_device < 0 || src_device >= n)
        return call_leave(&call, cudaErrorInvalidDevice);
    CopyShape shape = {.dst_pitch = bytes, .src_pitch = bytes, .width = bytes, .height = 1, .depth = 1};
    return call_leave(&call, copy_any(&call, dst, src, &shape, cudaMemcpyDeviceToDevice, stream, async));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return copy_peer(API_cudaMemcpyPeer, dst, dst_device, src, src_device, bytes, NULL, false);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                cudaStream_t stream)
{
    return copy_peer(API_cudaMemcpyPeerAsync, dst, dst_device, src, src_device, bytes, stream, true);
}

/* ---- rows with a pitch ---- */

static cudaError_t copy_rows(Api api, void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream,
                             bool async)
{
    ENTER(api);
    if (width > dst_pitch || width > src_pitch)
        return call_leave(&call, height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue); /* measured */
    CopyShape shape = {
        .dst_pitch = dst_pitch, .src_pitch = src_pitch, .width = width, .height = height, .depth = 1};
    return call_leave(&call, copy_any(&call, dst, src, &shape, kind, stream, async));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(API_cudaMemcpy2D, dst, dst_pitch, src, src_pitch, width, height, kind, NULL, false);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows(API_cudaMemcpy2DAsync, dst, dst_pitch, src, src_pitch, width, height, kind, stream,
                     true);
}

/* ---- fills ---- */

cudaError_t fill_send(Call *call, const struct cudaMemsetParams *p, size_t slice, size_t depth,
                      cudaStream_t stream)
{
    DeviceMsg msg = {.op = OP_FILL};
    uint32_t device;
    if ((p->height > 1 || depth > 1) && p->width * p->elementSize > p->pitch)
        return cudaErrorInvalidValue;
    if (!stream_of(call, stream, &msg.stream, &device))
        return cudaErrorInvalidResourceHandle;
    msg.fill.dst = (uint64_t)(uintptr_t)p->dst;
    msg.fill.pitch = p->pitch;
    msg.fill.slice = slice;
    msg.fill.width = p->width * p->elementSize;
    msg.fill.height = p->height;
    msg.fill.depth = depth;
    msg.fill.value = p->value;
    msg.fill.element = (uint8_t)p->elementSize;
    call_site(call);
    return call_send_to(call, device, &msg, NULL);
}

static cudaError_t fill_any(Api api, void *dst, size_t pitch, size_t slice, int value, size_t width,
                            size_t height, size_t depth, cudaStream_t stream)
{
    ENTER(api);
    if (width == 0 || height == 0 || depth == 0)
        return call_leave(&call, cudaSuccess);
    const struct cudaMemsetParams p = {.dst = dst,
                                       .pitch = pitch,
                                       .value = (uint8_t)value,
                                       .elementSize = 1,
                                       .width = width,
                                       .height = height};
    return call_leave(&call, fill_send(&call, &p, slice, depth, stream));
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes)
{
    return fill_any(API_cudaMemset, dst, bytes, bytes, value, bytes, 1, 1, NULL);
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream)
{
    return fill_any(API_cudaMemsetAsync, dst, bytes, bytes, value, bytes, 1, 1, stream);
}

cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return fill_any(API_cudaMemset2D, dst, pitch, 0, value, width, height, 1, NULL);
}

cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill_any(API_cudaMemset2DAsync, dst, pitch, 0, value, width, height, 1, stream);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    return fill_any(API_cudaMemset3D, p.ptr, p.pitch, p.pitch * p.ysize, value, e.width, e.height, e.depth,
                    NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t stream)
{
    return fill_any(API_cudaMemset3DAsync, p.ptr, p.pitch, p.pitch * p.ysize, value, e.width, e.height,
                    e.depth, stream);
}
