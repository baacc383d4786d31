/* array: CUDA arrays, and copies to and from them.
 *
 * What is valid, and the errors, were measured on an H200 with runtime 13.0 (test/textures-h200.txt has some). A
 * second cudaFreeArray of one array crashes there; here it is cudaErrorInvalidValue, and a finding.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>

/* ---- formats ---- */

/* 1, 2 or 4 channels of equal width; 0: not so. */
static int count_channels(const struct cudaChannelFormatDesc *d)
{
    if (d->x && !d->y && !d->z && !d->w)
        return 1;
    if (d->x && d->y == d->x && !d->z && !d->w)
        return 2;
    return d->x && d->y == d->x && d->z == d->x && d->w == d->x ? 4 : 0;
}

cudaError_t channel_format(const struct cudaChannelFormatDesc *d, ChannelFormat *out)
{
    int n = count_channels(d);
    bool is_unsigned = d->f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
                       d->f <= cudaChannelFormatKindUnsignedNormalized16X4;
    bool is_signed =
        d->f >= cudaChannelFormatKindSignedNormalized8X1 && d->f <= cudaChannelFormatKindSignedNormalized16X4;
    bool is_float = d->f == cudaChannelFormatKindFloat, normalized = is_unsigned || is_signed;
    is_unsigned |= d->f == cudaChannelFormatKindUnsigned;
    is_signed |= d->f == cudaChannelFormatKindSigned;
    if (d->f > cudaChannelFormatKindNone && !normalized)
        return cudaErrorNotSupported; /* compressed blocks, planes */
    bool width = d->x == 16 || (d->x == 8 && !is_float) || (d->x == 32 && !normalized);
    if (n == 0 || !width || !(is_unsigned || is_signed || is_float))
        return cudaErrorInvalidChannelDescriptor;
    *out = (ChannelFormat){.channel = is_float    ? DEVICE_CHANNEL_FLOAT
                                      : is_signed ? DEVICE_CHANNEL_SIGNED
                                                  : DEVICE_CHANNEL_UNSIGNED,
                           .bits = (uint8_t)d->x,
                           .n_channels = (uint8_t)n,
                           .normalized = normalized};
    return cudaSuccess;
}

/* ---- arrays ---- */

Array *array_of(cudaArray_const_t handle)
{
    Array *a = facade()->arrays;
    while (a && a->addr != (uint64_t)(uintptr_t)handle)
        a = a->next;
    return handle ? a : NULL;
}

static void drop_array(Array *array)
{
    Array **at = &facade()->arrays;
    while (*at != array)
        at = &(*at)->next;
    *at = array->next;
    free(array);
}

void arrays_forget(uint32_t device)
{
    Array *next;
    for (Array *a = facade()->arrays; a; a = next) {
        next = a->next;
        if (a->device == device)
            drop_array(a);
    }
}

/* Largest extents, as cards of all supported capabilities have them (cudaDevAttrMaxTexture...). */
enum {
    WIDTH_1D_MAX = 131072,
    HEIGHT_2D_MAX = 65536,
    SIDE_3D_MAX = 16384,
    DEPTH_3D_ALT_MAX = 32768, /* of an array that is at most half as wide and high */
    SIDE_LAYERED_MAX = 32768, /* cubemaps and gathers too */
    LAYERS_MAX = 2048,
    CUBE_LAYERS_MAX = 2046,
};

static bool valid_layered(const struct cudaExtent *e, unsigned flags)
{
    bool cube = flags & cudaArrayCubemap, layered = flags & cudaArrayLayered;
    if (cube && (e->height != e->width || (layered ? e->depth % 6 != 0 : e->depth != 6)))
        return false;
    return e->depth > 0 && e->depth <= (cube ? CUBE_LAYERS_MAX : LAYERS_MAX) &&
           e->width <= SIDE_LAYERED_MAX && e->height <= SIDE_LAYERED_MAX;
}

static bool valid_extent(const struct cudaExtent *e, unsigned flags)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    bool gathers = flags & cudaArrayTextureGather;
    if ((flags & ~known) || e->width == 0)
        return false;
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return valid_layered(e, flags) && !(gathers && e->height == 0);
    if (gathers &&
        (e->height == 0 || e->depth > 0 || e->width > SIDE_LAYERED_MAX || e->height > SIDE_LAYERED_MAX))
        return false;
    if (e->depth == 0)
        return e->width <= WIDTH_1D_MAX && e->height <= HEIGHT_2D_MAX;
    bool usual = e->width <= SIDE_3D_MAX && e->height <= SIDE_3D_MAX && e->depth <= SIDE_3D_MAX;
    bool deep = e->width <= SIDE_3D_MAX / 2 && e->height <= SIDE_3D_MAX / 2 && e->depth <= DEPTH_3D_ALT_MAX;
    return e->height > 0 && (usual || deep);
}

static cudaError_t make_array(Call *call, cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
    ChannelFormat format;
    if (!out || !desc)
        return cudaErrorInvalidValue;
    cudaError_t error = channel_format(desc, &format);
    if (error != cudaSuccess)
        return error;
    if (!valid_extent(&extent, flags))
        return cudaErrorInvalidValue;
    Array *a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    *a = (Array){.desc = *desc, .extent = extent, .flags = flags, .device = call_device()};
    a->texel = format.bits / 8u * format.n_channels;
    a->row = extent.width * a->texel;
    a->slice = a->row * (extent.height ? extent.height : 1);
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_ALLOC};
    msg.alloc.bytes = a->slice * (extent.depth ? extent.depth : 1);
    msg.alloc.kind = DEVICE_MEMORY_ARRAY;
    call_site(call);
    error = call_send(call, &msg, &reply);
    if (error != cudaSuccess) {
        free(a);
        return error;
    }
    a->addr = reply.value;
    a->next = facade()->arrays;
    facade()->arrays = a;
    *out = (cudaArray_t)(uintptr_t)a->addr;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned int flags)
{
    ENTER(API_cudaMallocArray);
    struct cudaExtent extent = {.width = width, .height = height};
    return call_leave(&call, make_array(&call, array, desc, extent, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    ENTER(API_cudaMalloc3DArray);
    return call_leave(&call, make_array(&call, array, desc, extent, flags));
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    ENTER(API_cudaFreeArray);
    if (!array)
        return call_leave(&call, cudaSuccess);
    DeviceMsg msg = {.op = OP_FREE};
    Array *a = array_of(array);
    msg.free.addr = (uint64_t)(uintptr_t)array;
    msg.free.kind = DEVICE_MEMORY_ARRAY;
    call_site(&call);
    cudaError_t error = call_send_to(&call, a ? a->device : call_device(), &msg, NULL);
    if (error == cudaSuccess && a)
        drop_array(a);
    return call_leave(&call, error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    ENTER(API_cudaArrayGetInfo);
    const Array *a = array_of(array);
    if (!a)
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = a->desc;
    if (extent)
        *extent = a->extent;
    if (flags)
        *flags = a->flags;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    ENTER(API_cudaGetChannelDesc);
    const Array *a = array_of(array);
    if (!desc)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!a)
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    *desc = a->desc;
    return call_leave(&call, cudaSuccess);
}

/* ---- copies of rows ---- */

/* One side of a copy of rows: memory with a pitch, or an array from (w bytes, h rows) on. */
typedef struct Rows {
    bool is_array;
    const Array *array;
    size_t w, h, pitch;
    const void *p;
} Rows;

static Rows array_rows(cudaArray_const_t array, size_t w, size_t h)
{
    return (Rows){.is_array = true, .array = array_of(array), .w = w, .h = h};
}

static Rows memory_rows(const void *p, size_t pitch)
{
    return (Rows){.p = p, .pitch = pitch};
}

static cudaError_t check_rows(const Rows *r, size_t width, size_t height)
{
    if (!r->is_array)
        return width > r->pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
    size_t rows = r->array->extent.height ? r->array->extent.height : 1, row = r->array->row;
    bool fits = width <= row && r->w <= row - width && height <= rows && r->h <= rows - height;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

static void *rows_start(const Rows *r)
{
    uintptr_t at = r->is_array ? (uintptr_t)(r->array->addr + r->h * r->array->row + r->w) : (uintptr_t)r->p;
    return (void *)at;
}

static size_t rows_pitch(const Rows *r)
{
    return r->is_array ? r->array->row : r->pitch;
}

/* Copies to an array come from the host or a device, those from one go there; between two of them nothing
 * else will do. */
static bool direction_fits(const Rows *dst, const Rows *src, enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault)
        return true;
    if (dst->is_array && src->is_array)
        return false;
    return kind == (dst->is_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static cudaError_t copy_rows(Api api, Rows dst, Rows src, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    ENTER(api);
    if (!direction_fits(&dst, &src, kind))
        return call_leave(&call, cudaErrorInvalidMemcpyDirection);
    if ((dst.is_array && !dst.array) || (src.is_array && !src.array))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (width == 0 || height == 0)
        return call_leave(&call, cudaSuccess);
    cudaError_t error = check_rows(&dst, width, height);
    if (error == cudaSuccess)
        error = check_rows(&src, width, height);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    CopyShape shape = {.dst_pitch = rows_pitch(&dst),
                       .src_pitch = rows_pitch(&src),
                       .width = width,
                       .height = height,
                       .depth = 1};
    return call_leave(&call,
                      copy_any(&call, rows_start(&dst), rows_start(&src), &shape, kind, stream, async));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t w, size_t h, const void *src, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(API_cudaMemcpy2DToArray, array_rows(dst, w, h), memory_rows(src, pitch), width, height,
                     kind, NULL, false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t w, size_t h, const void *src, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return copy_rows(API_cudaMemcpy2DToArrayAsync, array_rows(dst, w, h), memory_rows(src, pitch), width,
                     height, kind, stream, true);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t w, size_t h,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(API_cudaMemcpy2DFromArray, memory_rows(dst, pitch), array_rows(src, w, h), width, height,
                     kind, NULL, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t w, size_t h,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    return copy_rows(API_cudaMemcpy2DFromArrayAsync, memory_rows(dst, pitch), array_rows(src, w, h), width,
                     height, kind, stream, true);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_w, size_t dst_h, cudaArray_const_t src,
                                     size_t src_w, size_t src_h, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    return copy_rows(API_cudaMemcpy2DArrayToArray, array_rows(dst, dst_w, dst_h),
                     array_rows(src, src_w, src_h), width, height, kind, NULL, false);
}

/* ---- copies of a run of bytes, which goes on in the next row ---- */

static bool run_fits(const Rows *r, size_t bytes)
{
    if (!r->is_array)
        return true;
    size_t start = r->h * r->array->row + r->w;
    return start <= r->array->slice && bytes <= r->array->slice - start;
}

static cudaError_t copy_run(Api api, Rows dst, Rows src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool async)
{
    ENTER(api);
    if (!direction_fits(&dst, &src, kind))
        return call_leave(&call, cudaErrorInvalidMemcpyDirection);
    if ((dst.is_array && !dst.array) || (src.is_array && !src.array))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if (!run_fits(&dst, bytes) || !run_fits(&src, bytes))
        return call_leave(&call, cudaErrorInvalidValue);
    CopyShape shape = {.dst_pitch = bytes, .src_pitch = bytes, .width = bytes, .height = 1, .depth = 1};
    return call_leave(&call,
                      copy_any(&call, rows_start(&dst), rows_start(&src), &shape, kind, stream, async));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t w, size_t h, const void *src, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return copy_run(API_cudaMemcpyToArray, array_rows(dst, w, h), memory_rows(src, 0), bytes, kind, NULL,
                    false);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t w, size_t h, const void *src, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run(API_cudaMemcpyToArrayAsync, array_rows(dst, w, h), memory_rows(src, 0), bytes, kind,
                    stream, true);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t w, size_t h, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return copy_run(API_cudaMemcpyFromArray, memory_rows(dst, 0), array_rows(src, w, h), bytes, kind, NULL,
                    false);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t w, size_t h, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run(API_cudaMemcpyFromArrayAsync, memory_rows(dst, 0), array_rows(src, w, h), bytes, kind,
                    stream, true);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_w, size_t dst_h, cudaArray_const_t src,
                                   size_t src_w, size_t src_h, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_run(API_cudaMemcpyArrayToArray, array_rows(dst, dst_w, dst_h), array_rows(src, src_w, src_h),
                    bytes, kind, NULL, false);
}
