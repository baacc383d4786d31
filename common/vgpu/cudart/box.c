/* box: copies of boxes (cudaMemcpy3D and its kin): memory with a pitch, or arrays, on either side.
 *
 * Without an array everything is counted in bytes. With one, the extent is counted in its elements, and so
 * are positions in it; positions in memory stay bytes (CUDA Runtime API, cudaMemcpy3D). Errors as measured
 * (test/errors-texture-h200.txt).
 */
#include "common/vgpu/cudart/cudart_internal.h"

/* One side. */
typedef struct Box {
    cudaArray_t handle;
    const Array *array; /* NULL: memory */
    struct cudaPitchedPtr ptr;
    struct cudaPos pos;
} Box;

typedef struct BoxCopy {
    Box dst, src;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
} BoxCopy;

static size_t box_row_bytes(const Box *b)
{
    return b->array ? b->array->row : b->ptr.pitch;
}

static size_t slice_of(const Box *b)
{
    return b->array ? b->array->slice : b->ptr.pitch * b->ptr.ysize;
}

static size_t at_least_1(size_t n)
{
    return n ? n : 1;
}

/* False: neither an array nor memory, or both, or a handle of no array. */
static bool find_side(Box *b)
{
    b->array = array_of(b->handle);
    return b->handle ? b->array && !b->ptr.ptr : b->ptr.ptr != NULL;
}

static bool fits(size_t at, size_t n, size_t end)
{
    return n <= end && at <= end - n;
}

static bool array_holds(const Box *b, const struct cudaExtent *e)
{
    const struct cudaExtent *a = &b->array->extent;
    return fits(b->pos.x, e->width, a->width) && fits(b->pos.y, e->height, at_least_1(a->height)) &&
           fits(b->pos.z, e->depth, at_least_1(a->depth));
}

/* Memory beside an array must hold rows and slices as it says. */
static bool memory_holds(const Box *b, const struct cudaExtent *e, size_t width)
{
    return fits(b->pos.x * (width / e->width), width, b->ptr.pitch) &&
           fits(b->pos.y, e->height, b->ptr.ysize);
}

/* Memory on both sides. */
static cudaError_t check_memory(const BoxCopy *c)
{
    const struct cudaExtent *e = &c->extent;
    if (e->width > c->dst.ptr.pitch || e->width > c->src.ptr.pitch)
        return cudaErrorInvalidPitchValue;
    if (e->depth > 1 && (e->height > c->dst.ptr.ysize || e->height > c->src.ptr.ysize))
        return cudaErrorInvalidPitchValue;
    bool rows_fit =
        fits(c->dst.pos.x, e->width, c->dst.ptr.pitch) && fits(c->src.pos.x, e->width, c->src.ptr.pitch);
    return rows_fit ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t check_arrays(const BoxCopy *c, size_t texel)
{
    const Box *sides[] = {&c->dst, &c->src};
    for (int i = 0; i < 2; i++) {
        const Box *b = sides[i];
        bool holds = b->array ? b->array->texel == texel && array_holds(b, &c->extent)
                              : memory_holds(b, &c->extent, c->extent.width * texel);
        if (!holds)
            return cudaErrorInvalidValue;
    }
    /* What a copy's direction says of an array's side must be true; of the other it is looked at as always.
     */
    bool from_array = c->src.array && c->kind == cudaMemcpyHostToDevice;
    bool to_array = c->dst.array && c->kind == cudaMemcpyDeviceToHost;
    return from_array || to_array ? cudaErrorInvalidValue : cudaSuccess;
}

static void *start_of(const Box *b, size_t texel)
{
    uintptr_t base = b->array ? (uintptr_t)b->array->addr : (uintptr_t)b->ptr.ptr;
    return (void *)(base + b->pos.z * slice_of(b) + b->pos.y * box_row_bytes(b) + b->pos.x * texel);
}

static cudaError_t copy_box(Call *call, BoxCopy *c, cudaStream_t stream, bool async)
{
    if (c->extent.width == 0 || c->extent.height == 0 || c->extent.depth == 0)
        return cudaSuccess;
    if (!find_side(&c->dst) || !find_side(&c->src))
        return cudaErrorInvalidValue;
    const Array *array = c->dst.array ? c->dst.array : c->src.array;
    size_t texel = array ? array->texel : 1;
    cudaError_t error = array ? check_arrays(c, texel) : check_memory(c);
    if (error != cudaSuccess)
        return error;
    CopyShape shape = {.dst_pitch = box_row_bytes(&c->dst),
                       .src_pitch = box_row_bytes(&c->src),
                       .dst_slice = slice_of(&c->dst),
                       .src_slice = slice_of(&c->src),
                       .width = c->extent.width * texel,
                       .height = c->extent.height,
                       .depth = c->extent.depth};
    return copy_any(call, start_of(&c->dst, texel), start_of(&c->src, texel), &shape, c->kind, stream, async);
}

/* ---- the calls ---- */

cudaError_t copy_send_box(Call *call, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    if (!p)
        return cudaErrorInvalidValue;
    BoxCopy c = {.dst = {.handle = p->dstArray, .ptr = p->dstPtr, .pos = p->dstPos},
                 .src = {.handle = p->srcArray, .ptr = p->srcPtr, .pos = p->srcPos},
                 .extent = p->extent,
                 .kind = p->kind};
    return copy_box(call, &c, stream, async);
}

static cudaError_t copy_3d(Api api, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
    ENTER(api);
    return call_leave(&call, copy_send_box(&call, p, stream, async));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_3d(API_cudaMemcpy3D, p, NULL, false);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d(API_cudaMemcpy3DAsync, p, stream, true);
}

static cudaError_t copy_3d_peer(Api api, const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                                bool async)
{
    ENTER(api);
    if (!p)
        return call_leave(&call, cudaErrorInvalidValue);
    int n = facade()->n_devices;
    if (p->dstDevice < 0 || p->dstDevice >= n || p->srcDevice < 0 || p->srcDevice >= n)
        return call_leave(&call, cudaErrorInvalidDevice);
    BoxCopy c = {.dst = {.handle = p->dstArray, .ptr = p->dstPtr, .pos = p->dstPos},
                 .src = {.handle = p->srcArray, .ptr = p->srcPtr, .pos = p->srcPos},
                 .extent = p->extent,
                 .kind = cudaMemcpyDeviceToDevice};
    return call_leave(&call, copy_box(&call, &c, stream, async));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return copy_3d_peer(API_cudaMemcpy3DPeer, p, NULL, false);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return copy_3d_peer(API_cudaMemcpy3DPeerAsync, p, stream, true);
}
