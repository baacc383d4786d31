/* texture: texture and surface objects.
 *
 * What is valid, and the errors, were measured on an H200 with runtime 13.0 (test/textures-h200.txt has some):
 * destroying what is no object is no error; a linear resource may claim more memory than there is (reads
 * beyond it are findings here). Left out: mipmapped arrays, resource views, filtering over the edges of
 * cubemaps.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>

/* Memory of a texture starts on such a multiple (cudaDevAttrTextureAlignment), counted from its allocation,
 * whose own address is a multiple on hardware; rows of pitched memory on the other
 * (cudaDevAttrTexturePitchAlignment). */
enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32, PITCHED_WIDTH_MAX = 131072, PITCHED_HEIGHT_MAX = 65000 };
#define PITCHED_PITCH_MAX 2097120

typedef struct Object {
    unsigned long long handle;
    uint32_t device; /* server's index */
    bool surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct Object *next;
} Object;

static Object *object_of(unsigned long long handle, bool surface)
{
    Object *o = facade()->objects;
    while (o && (o->handle != handle || o->surface != surface))
        o = o->next;
    return o;
}

static void drop_object(Object *object)
{
    Object **at = &facade()->objects;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    free(object);
}

void objects_forget(uint32_t device)
{
    Object *next;
    for (Object *o = facade()->objects; o; o = next) {
        next = o->next;
        if (o->device == device)
            drop_object(o);
    }
}

/* ---- resources ---- */

static cudaError_t set_format(DeviceTexture *t, const struct cudaChannelFormatDesc *desc,
                              ChannelFormat *format)
{
    cudaError_t error = channel_format(desc, format);
    t->channel = format->channel;
    t->bits = format->bits;
    t->n_channels = format->n_channels;
    return error;
}

static cudaError_t set_array(DeviceTexture *t, cudaArray_t handle, ChannelFormat *format)
{
    const Array *a = array_of(handle);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    t->resource = DEVICE_TEXTURE_ARRAY;
    t->addr = a->addr;
    t->pitch = a->row;
    t->slice = a->slice;
    t->width = (uint32_t)a->extent.width;
    t->height = (uint32_t)a->extent.height;
    t->depth = (uint32_t)a->extent.depth;
    t->layered = a->flags & cudaArrayLayered;
    t->cube = a->flags & cudaArrayCubemap;
    return set_format(t, &a->desc, format);
}

/* Device memory that starts where a texture may. */
static bool valid_memory(Call *call, const void *p)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_POINTER};
    msg.range.addr = (uint64_t)(uintptr_t)p;
    call_send(call, &msg, &reply);
    bool known = reply.pointer.kind != DEVICE_MEMORY_NONE && reply.pointer.kind != DEVICE_MEMORY_NOWHERE;
    return p && known && (msg.range.addr - reply.pointer.base) % ALIGNMENT == 0;
}

static cudaError_t set_linear(Call *call, DeviceTexture *t, const struct cudaResourceDesc *r,
                              ChannelFormat *format)
{
    cudaError_t error = set_format(t, &r->res.linear.desc, format);
    if (error != cudaSuccess)
        return error;
    size_t width = r->res.linear.sizeInBytes / (format->bits / 8u * format->n_channels);
    t->resource = DEVICE_TEXTURE_LINEAR;
    t->addr = (uint64_t)(uintptr_t)r->res.linear.devPtr;
    t->width = width > INT32_MAX ? INT32_MAX : (uint32_t)width;
    return valid_memory(call, r->res.linear.devPtr) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_pitched(Call *call, DeviceTexture *t, const struct cudaResourceDesc *r,
                               ChannelFormat *format)
{
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
    cudaError_t error = set_format(t, &r->res.pitch2D.desc, format);
    if (error != cudaSuccess)
        return error;
    bool size = width > 0 && width <= PITCHED_WIDTH_MAX && height <= PITCHED_HEIGHT_MAX;
    bool rows = pitch <= PITCHED_PITCH_MAX && pitch % PITCH_ALIGNMENT == 0 &&
                pitch >= width * (format->bits / 8u * format->n_channels);
    t->resource = DEVICE_TEXTURE_PITCHED;
    t->addr = (uint64_t)(uintptr_t)r->res.pitch2D.devPtr;
    t->pitch = pitch;
    t->width = (uint32_t)width;
    t->height = height ? (uint32_t)height : 1;
    return size && rows && valid_memory(call, r->res.pitch2D.devPtr) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_resource(Call *call, DeviceTexture *t, const struct cudaResourceDesc *r,
                                ChannelFormat *format)
{
    switch (r->resType) {
    case cudaResourceTypeArray:
        return set_array(t, r->res.array.array, format);
    case cudaResourceTypeMipmappedArray: /* none can be made */
        return cudaErrorInvalidResourceHandle;
    case cudaResourceTypeLinear:
        return set_linear(call, t, r, format);
    case cudaResourceTypePitch2D:
        return set_pitched(call, t, r, format);
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- how a texture is read ---- */

static bool valid_modes(const struct cudaTextureDesc *d)
{
    for (int i = 0; i < 3; i++)
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder)
            return false;
    return (unsigned)d->filterMode <= cudaFilterModeLinear &&
           (unsigned)d->readMode <= cudaReadModeNormalizedFloat;
}

static cudaError_t set_sampling(DeviceTexture *t, const struct cudaTextureDesc *d,
                                const ChannelFormat *format)
{
    bool normalized = d->readMode == cudaReadModeNormalizedFloat,
         is_float = format->channel == DEVICE_CHANNEL_FLOAT;
    if (!valid_modes(d))
        return cudaErrorInvalidValue;
    bool filters = is_float || (normalized && format->bits < 32);
    if (d->filterMode == cudaFilterModeLinear && !filters)
        return cudaErrorInvalidFilterSetting;
    if (normalized ? is_float || format->bits == 32 : format->normalized)
        return cudaErrorInvalidNormSetting;
    if (d->seamlessCubemap && t->cube && d->filterMode == cudaFilterModeLinear)
        return cudaErrorNotSupported;
    t->normalized_coords = d->normalizedCoords != 0;
    t->linear_filter = d->filterMode == cudaFilterModeLinear;
    t->srgb = d->sRGB != 0;
    t->normalized_read = normalized;
    for (int i = 0; i < 3; i++)
        t->addressing[i] = (uint8_t)d->addressMode[i];
    for (int i = 0; i < 4; i++)
        t->border[i] = d->borderColor[i];
    return cudaSuccess;
}

/* ---- objects ---- */

static cudaError_t make_object(Call *call, DeviceTexture *t, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture, unsigned long long *out)
{
    Object *o = calloc(1, sizeof *o);
    if (!o)
        return cudaErrorMemoryAllocation;
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_TEXTURE_CREATE, .in = {.data = t, .bytes = sizeof *t}};
    call_site(call);
    cudaError_t error = call_send(call, &msg, &reply);
    if (error != cudaSuccess) {
        free(o);
        return error;
    }
    *o = (Object){.handle = reply.value,
                  .device = call_device(),
                  .surface = t->surface,
                  .resource = *resource,
                  .next = facade()->objects};
    if (texture)
        o->texture = *texture;
    facade()->objects = o;
    *out = reply.value;
    return cudaSuccess;
}

static cudaError_t destroy_object(Api api, unsigned long long handle, bool surface)
{
    ENTER(api);
    Object *o = object_of(handle, surface);
    if (!o)
        return call_leave(&call, cudaSuccess);
    DeviceMsg msg = {.op = OP_TEXTURE_DESTROY};
    msg.range.addr = handle;
    cudaError_t error = call_send_to(&call, o->device, &msg, NULL);
    drop_object(o);
    return call_leave(&call, error);
}

static cudaError_t make_texture(Call *call, cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view)
{
    DeviceTexture t = {0};
    ChannelFormat format = {0};
    if (!out || !r)
        return cudaErrorInvalidValue;
    if (!d)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = set_resource(call, &t, r, &format);
    if (error == cudaSuccess)
        error = set_sampling(&t, d, &format);
    if (error == cudaSuccess && view)
        error = cudaErrorNotSupported;
    return error == cudaSuccess ? make_object(call, &t, r, d, out) : error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view)
{
    ENTER(API_cudaCreateTextureObject);
    return call_leave(&call, make_texture(&call, out, r, d, view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return destroy_object(API_cudaDestroyTextureObject, texture, false);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r)
{
    ENTER(API_cudaCreateSurfaceObject);
    DeviceTexture t = {.surface = true};
    ChannelFormat format = {0};
    if (!out || !r || r->resType != cudaResourceTypeArray)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = set_array(&t, r->res.array.array, &format);
    if (error == cudaSuccess)
        error = make_object(&call, &t, r, NULL, out);
    return call_leave(&call, error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return destroy_object(API_cudaDestroySurfaceObject, surface, true);
}

/* ---- questions ---- */

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t texture)
{
    ENTER(API_cudaGetTextureObjectResourceDesc);
    const Object *o = object_of(texture, false);
    if (!out || !o)
        return call_leave(&call, cudaErrorInvalidValue);
    *out = o->resource;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t texture)
{
    ENTER(API_cudaGetTextureObjectTextureDesc);
    const Object *o = object_of(texture, false);
    if (!out || !o)
        return call_leave(&call, cudaErrorInvalidValue);
    *out = o->texture;
    return call_leave(&call, cudaSuccess);
}

/* No object has a view. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out,
                                                 cudaTextureObject_t texture)
{
    ENTER(API_cudaGetTextureObjectResourceViewDesc);
    (void)out, (void)texture;
    return call_leave(&call, cudaErrorInvalidValue);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surface)
{
    ENTER(API_cudaGetSurfaceObjectResourceDesc);
    const Object *o = object_of(surface, true);
    if (!out || !o)
        return call_leave(&call, cudaErrorInvalidValue);
    *out = o->resource;
    return call_leave(&call, cudaSuccess);
}

/* Measured: 2^30 elements of four bytes. */
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc,
                                                 int device)
{
    ChannelFormat format;
    ENTER(API_cudaDeviceGetTexture1DLinearMaxWidth);
    if (!width || !desc)
        return call_leave(&call, cudaErrorInvalidValue);
    if (device < 0 || device >= facade()->n_devices)
        return call_leave(&call, cudaErrorInvalidDevice);
    cudaError_t error = channel_format(desc, &format);
    if (error == cudaSuccess)
        *width = ((size_t)1 << 32) / (format.bits / 8u * format.n_channels);
    return call_leave(&call, error);
}
