/* copy: copies and fills. */
#include "common/vgpu/cuda/cuda_internal.h"

/* ---- one row ---- */

static CUresult wait_for(CUstream stream, cudaError_t error)
{
    return from_runtime(error == cudaSuccess ? cudaStreamSynchronize(stream) : error);
}

/* The default stream's copy returns when the runtime's does; on the thread's own stream it is waited for. */
static CUresult copy_now(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, CUstream stream)
{
    if (!stream)
        return from_runtime(cudaMemcpy(dst, src, bytes, kind));
    return wait_for(stream, cudaMemcpyAsync(dst, src, bytes, kind, stream));
}

static CUresult copy_later(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                           CUstream stream)
{
    return from_runtime(cudaMemcpyAsync(dst, src, bytes, kind, stream));
}

DEFINE_DEFAULT(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
               copy_now(to_pointer(dst), to_pointer(src), bytes, cudaMemcpyDefault, stream))
DEFINE_DEFAULT(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t bytes),
               copy_now(to_pointer(dst), src, bytes, cudaMemcpyHostToDevice, stream))
DEFINE_DEFAULT(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t bytes),
               copy_now(dst, to_pointer(src), bytes, cudaMemcpyDeviceToHost, stream))
DEFINE_DEFAULT(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
               copy_now(to_pointer(dst), to_pointer(src), bytes, cudaMemcpyDeviceToDevice, stream))
DEFINE_STREAM(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
              copy_later(to_pointer(dst), to_pointer(src), bytes, cudaMemcpyDefault, stream))
DEFINE_STREAM(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream),
              copy_later(to_pointer(dst), src, bytes, cudaMemcpyHostToDevice, stream))
DEFINE_STREAM(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream),
              copy_later(dst, to_pointer(src), bytes, cudaMemcpyDeviceToHost, stream))
DEFINE_STREAM(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
              copy_later(to_pointer(dst), to_pointer(src), bytes, cudaMemcpyDeviceToDevice, stream))

/* ---- between contexts ---- */

static CUresult copy_peer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes,
                          CUstream stream, bool later)
{
    CUresult result = context_check(to);
    if (result == CUDA_SUCCESS)
        result = context_check(from);
    if (result != CUDA_SUCCESS)
        return result;
    int to_device = context_device(to), from_device = context_device(from);
    if (later)
        return from_runtime(
            cudaMemcpyPeerAsync(to_pointer(dst), to_device, to_pointer(src), from_device, bytes, stream));
    if (!stream)
        return from_runtime(cudaMemcpyPeer(to_pointer(dst), to_device, to_pointer(src), from_device, bytes));
    return wait_for(
        stream, cudaMemcpyPeerAsync(to_pointer(dst), to_device, to_pointer(src), from_device, bytes, stream));
}

DEFINE_DEFAULT(cuMemcpyPeer, (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes),
               copy_peer(dst, to, src, from, bytes, stream, false))
DEFINE_STREAM(cuMemcpyPeerAsync,
              (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes, CUstream stream),
              copy_peer(dst, to, src, from, bytes, stream, true))

/* ---- boxes: two and three dimensions ---- */

/* One side of a box copy: where its memory is and how it lies. */
typedef struct Side {
    CUmemorytype type;
    void *base;
    CUarray array;
    size_t x, y, z, pitch, height;
} Side;

static void *base_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
    return type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : to_pointer(device);
}

/* A single row needs no pitch; otherwise rows must not overlap. */
static bool settle(Side *s, size_t width, size_t height, size_t depth)
{
    if (s->type == CU_MEMORYTYPE_ARRAY)
        return true;
    if (s->pitch == 0 && height <= 1 && depth <= 1)
        s->pitch = s->x + width;
    if (s->height == 0 && depth <= 1)
        s->height = s->y + height;
    return s->pitch >= s->x + width && s->height >= s->y + (depth > 1 ? height : 0);
}

static enum cudaMemcpyKind kind_of(CUmemorytype dst, CUmemorytype src)
{
    if (dst == CU_MEMORYTYPE_UNIFIED || src == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (dst == CU_MEMORYTYPE_HOST)
        return src == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    return src == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

static CUresult check_type(CUmemorytype type)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
    case CU_MEMORYTYPE_ARRAY:
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static struct cudaPitchedPtr pitched(const Side *s)
{
    return (struct cudaPitchedPtr){.ptr = s->base, .pitch = s->pitch, .xsize = s->pitch, .ysize = s->height};
}

/* The runtime counts in elements where an array takes part: those of the array, there and in the width. */
static CUresult count_elements(Side *s, size_t *width, size_t *texel)
{
    size_t bytes;
    if (s->type != CU_MEMORYTYPE_ARRAY)
        return CUDA_SUCCESS;
    CUresult result = array_texel(s->array, &bytes);
    if (result != CUDA_SUCCESS)
        return result;
    bool known = *texel != 1, whole = s->x % bytes == 0 && (known ? bytes == *texel : *width % bytes == 0);
    if (!whole)
        return CUDA_ERROR_INVALID_VALUE;
    s->x /= bytes;
    *width /= known ? 1 : bytes;
    *texel = bytes;
    return CUDA_SUCCESS;
}

static CUresult copy_box(Side dst, Side src, size_t width, size_t height, size_t depth, CUstream stream,
                         bool later)
{
    CUresult result = check_type(dst.type);
    if (result == CUDA_SUCCESS)
        result = check_type(src.type);
    if (result == CUDA_SUCCESS && !(settle(&dst, width, height, depth) && settle(&src, width, height, depth)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS || width == 0 || height == 0 || depth == 0)
        return result;
    size_t texel = 1;
    result = count_elements(&dst, &width, &texel);
    if (result == CUDA_SUCCESS)
        result = count_elements(&src, &width, &texel);
    if (result != CUDA_SUCCESS)
        return result;
    struct cudaMemcpy3DParms p = {.srcPtr = src.type == CU_MEMORYTYPE_ARRAY ? (struct cudaPitchedPtr){0} : pitched(&src),
                                  .srcArray = src.type == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)src.array : NULL,
                                  .srcPos = {src.x, src.y, src.z},
                                  .dstPtr = dst.type == CU_MEMORYTYPE_ARRAY ? (struct cudaPitchedPtr){0} : pitched(&dst),
                                  .dstArray = dst.type == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)dst.array : NULL,
                                  .dstPos = {dst.x, dst.y, dst.z},
                                  .extent = {width, height, depth},
                                  .kind = kind_of(dst.type, src.type)};
    if (!later && !stream)
        return from_runtime(cudaMemcpy3D(&p));
    cudaError_t error = cudaMemcpy3DAsync(&p, stream);
    return later ? from_runtime(error) : wait_for(stream, error);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool later)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    Side dst = {.type = c->dstMemoryType,
                .base = base_of(c->dstMemoryType, c->dstHost, c->dstDevice),
                .array = c->dstArray,
                .x = c->dstXInBytes,
                .y = c->dstY,
                .pitch = c->dstPitch};
    Side src = {.type = c->srcMemoryType,
                .base = base_of(c->srcMemoryType, c->srcHost, c->srcDevice),
                .array = c->srcArray,
                .x = c->srcXInBytes,
                .y = c->srcY,
                .pitch = c->srcPitch};
    return copy_box(dst, src, c->WidthInBytes, c->Height, 1, stream, later);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, bool later)
{
    if (!c || c->srcLOD != 0 || c->dstLOD != 0)
        return CUDA_ERROR_INVALID_VALUE;
    Side dst = {.type = c->dstMemoryType,
                .base = base_of(c->dstMemoryType, c->dstHost, c->dstDevice),
                .array = c->dstArray,
                .x = c->dstXInBytes,
                .y = c->dstY,
                .z = c->dstZ,
                .pitch = c->dstPitch,
                .height = c->dstHeight};
    Side src = {.type = c->srcMemoryType,
                .base = base_of(c->srcMemoryType, c->srcHost, c->srcDevice),
                .array = c->srcArray,
                .x = c->srcXInBytes,
                .y = c->srcY,
                .z = c->srcZ,
                .pitch = c->srcPitch,
                .height = c->srcHeight};
    return copy_box(dst, src, c->WidthInBytes, c->Height, c->Depth, stream, later);
}

DEFINE_DEFAULT(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), copy_2d(c, stream, false))
DEFINE_DEFAULT(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c), copy_2d(c, stream, false))
DEFINE_STREAM(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream stream), copy_2d(c, stream, true))
DEFINE_DEFAULT(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), copy_3d(c, stream, false))
DEFINE_STREAM(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream stream), copy_3d(c, stream, true))

/* ---- fills ---- */

/* Elements must lie on multiples of their size. Fills of device memory return before they are done. */
static CUresult copy_fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element, size_t width,
                     size_t height, CUstream stream)
{
    if (dst % element != 0 || (height > 1 && (pitch % element != 0 || pitch < width * element)))
        return CUDA_ERROR_INVALID_VALUE;
    if (width == 0 || height == 0)
        return CUDA_SUCCESS;
    return from_runtime(vgpu_fill(to_pointer(dst), pitch, value, element, width, height, stream));
}

/* The four forms of a fill with elements of one size. */
#define DEFINE_FILL(suffix, type, element)                                                                   \
    DEFINE_DEFAULT(cuMemset##suffix##_v2, (CUdeviceptr dst, type value, size_t n),                           \
                   copy_fill(dst, 0, value, element, n, 1, stream))                                               \
    DEFINE_STREAM(cuMemset##suffix##Async, (CUdeviceptr dst, type value, size_t n, CUstream stream),         \
                  copy_fill(dst, 0, value, element, n, 1, stream))

#define DEFINE_FILL_2D(suffix, type, element)                                                                \
    DEFINE_DEFAULT(cuMemset##suffix##_v2,                                                                    \
                   (CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height),                 \
                   copy_fill(dst, pitch, value, element, width, height, stream))                                  \
    DEFINE_STREAM(cuMemset##suffix##Async,                                                                   \
                  (CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height, CUstream stream), \
                  copy_fill(dst, pitch, value, element, width, height, stream))

DEFINE_FILL(D8, unsigned char, 1)
DEFINE_FILL(D16, unsigned short, 2)
DEFINE_FILL(D32, unsigned, 4)
DEFINE_FILL_2D(D2D8, unsigned char, 1)
DEFINE_FILL_2D(D2D16, unsigned short, 2)
DEFINE_FILL_2D(D2D32, unsigned, 4)
