/* array: CUDA arrays: the runtime's, under the driver's names. Handles are the same. */
#include "common/vgpu/cuda/cuda_internal.h"

/* ---- formats: of a channel, and of an element ---- */

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

static CUresult to_channels(CUarray_format format, unsigned n, struct cudaChannelFormatDesc *out)
{
    int i = 0;
    while (i < N_FORMATS && formats[i].format != format)
        i++;
    if (n != 1 && n != 2 && n != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (i == N_FORMATS)
        return CUDA_ERROR_NOT_SUPPORTED; /* planes, compressed blocks */
    int bits = formats[i].bits;
    *out = (struct cudaChannelFormatDesc){.x = bits, .y = n > 1 ? bits : 0, .z = n > 2 ? bits : 0, .w = n > 2 ? bits : 0};
    out->f = formats[i].kind;
    return CUDA_SUCCESS;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d)
{
    int i = 0;
    while (i < N_FORMATS - 1 && !(formats[i].bits == d->x && formats[i].kind == d->f))
        i++;
    return formats[i].format;
}

static unsigned count_channels(const struct cudaChannelFormatDesc *d)
{
    return d->y == 0 ? 1 : d->z == 0 ? 2 : 4;
}

static cudaArray_t to_array(CUarray array)
{
    return (cudaArray_t)array;
}

CUresult array_texel(CUarray array, size_t *bytes)
{
    struct cudaChannelFormatDesc d;
    if (cudaGetChannelDesc(&d, to_array(array)) != cudaSuccess)
        return CUDA_ERROR_INVALID_HANDLE;
    *bytes = (size_t)d.x / 8 * count_channels(&d);
    return CUDA_SUCCESS;
}

/* ---- making, asking, destroying ---- */

static CUresult create_array(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct cudaChannelFormatDesc channels;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = to_channels(d->Format, d->NumChannels, &channels);
    if (result != CUDA_SUCCESS)
        return result;
    cudaArray_t array;
    struct cudaExtent extent = {.width = d->Width, .height = d->Height, .depth = d->Depth};
    result = from_runtime(cudaMalloc3DArray(&array, &channels, extent, d->Flags));
    if (result == CUDA_SUCCESS)
        *out = (CUarray)array;
    return result;
}

static CUresult create_array_2d(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    return create_array(out, &(CUDA_ARRAY3D_DESCRIPTOR){
                           .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels});
}

static CUresult describe_array(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array)
{
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent;
    unsigned flags;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = from_runtime(cudaArrayGetInfo(&channels, &extent, &flags, to_array(array)));
    if (result == CUDA_SUCCESS)
        *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                         .Height = extent.height,
                                         .Depth = extent.depth,
                                         .Format = format_of(&channels),
                                         .NumChannels = count_channels(&channels),
                                         .Flags = flags};
    return result;
}

static CUresult describe_array_2d(CUDA_ARRAY_DESCRIPTOR *out, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    CUresult result = out ? describe_array(&d, array) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *out = (CUDA_ARRAY_DESCRIPTOR){
            .Width = d.Width, .Height = d.Height, .Format = d.Format, .NumChannels = d.NumChannels};
    return result;
}

static CUresult destroy_array(CUarray array)
{
    return array ? from_runtime(cudaFreeArray(to_array(array))) : CUDA_ERROR_INVALID_HANDLE;
}

DEFINE(cuArrayCreate_v2, NEEDS_CONTEXT, (CUarray * out, const CUDA_ARRAY_DESCRIPTOR *d), create_array_2d(out, d))
DEFINE(cuArray3DCreate_v2, NEEDS_CONTEXT, (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR *d),
       d ? create_array(out, d) : CUDA_ERROR_INVALID_VALUE)
DEFINE(cuArrayGetDescriptor_v2, NEEDS_CONTEXT, (CUDA_ARRAY_DESCRIPTOR * out, CUarray array), describe_array_2d(out, array))
DEFINE(cuArray3DGetDescriptor_v2, NEEDS_CONTEXT, (CUDA_ARRAY3D_DESCRIPTOR * out, CUarray array), describe_array(out, array))
DEFINE(cuArrayDestroy, NEEDS_CONTEXT, (CUarray array), destroy_array(array))

/* ---- copies of a run of bytes ---- */

/* One side: a run of bytes in memory, or in an array from an offset on. */
typedef struct Run {
    CUmemorytype type;
    void *memory;
    CUarray array;
    size_t offset;
} Run;

static Run in_array(CUarray array, size_t offset)
{
    return (Run){.type = CU_MEMORYTYPE_ARRAY, .array = array, .offset = offset};
}

static Run in_memory(CUmemorytype type, const void *memory)
{
    return (Run){.type = type, .memory = (void *)(uintptr_t)memory};
}

static CUresult copy_run(Run dst, Run src, size_t bytes, CUstream stream, bool later)
{
    enum cudaMemcpyKind kind = src.type == CU_MEMORYTYPE_HOST   ? cudaMemcpyHostToDevice
                               : dst.type == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost
                                                                : cudaMemcpyDeviceToDevice;
    cudaArray_t to = to_array(dst.array), from = to_array(src.array);
    if (dst.type == CU_MEMORYTYPE_ARRAY && src.type == CU_MEMORYTYPE_ARRAY)
        return from_runtime(cudaMemcpyArrayToArray(to, dst.offset, 0, from, src.offset, 0, bytes, kind));
    cudaError_t error = dst.type == CU_MEMORYTYPE_ARRAY
                            ? cudaMemcpyToArrayAsync(to, dst.offset, 0, src.memory, bytes, kind, stream)
                            : cudaMemcpyFromArrayAsync(dst.memory, from, src.offset, 0, bytes, kind, stream);
    return from_runtime(error == cudaSuccess && !later ? cudaStreamSynchronize(stream) : error);
}

DEFINE_DEFAULT(cuMemcpyHtoA_v2, (CUarray dst, size_t offset, const void *src, size_t bytes),
               copy_run(in_array(dst, offset), in_memory(CU_MEMORYTYPE_HOST, src), bytes, stream, false))
DEFINE_DEFAULT(cuMemcpyAtoH_v2, (void *dst, CUarray src, size_t offset, size_t bytes),
               copy_run(in_memory(CU_MEMORYTYPE_HOST, dst), in_array(src, offset), bytes, stream, false))
DEFINE_DEFAULT(cuMemcpyDtoA_v2, (CUarray dst, size_t offset, CUdeviceptr src, size_t bytes),
               copy_run(in_array(dst, offset), in_memory(CU_MEMORYTYPE_DEVICE, to_pointer(src)), bytes, stream, false))
DEFINE_DEFAULT(cuMemcpyAtoD_v2, (CUdeviceptr dst, CUarray src, size_t offset, size_t bytes),
               copy_run(in_memory(CU_MEMORYTYPE_DEVICE, to_pointer(dst)), in_array(src, offset), bytes, stream, false))
DEFINE_DEFAULT(cuMemcpyAtoA_v2, (CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t bytes),
               copy_run(in_array(dst, dst_offset), in_array(src, src_offset), bytes, stream, false))
DEFINE_STREAM(cuMemcpyHtoAAsync_v2, (CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream),
              copy_run(in_array(dst, offset), in_memory(CU_MEMORYTYPE_HOST, src), bytes, stream, true))
DEFINE_STREAM(cuMemcpyAtoHAsync_v2, (void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream),
              copy_run(in_memory(CU_MEMORYTYPE_HOST, dst), in_array(src, offset), bytes, stream, true))
