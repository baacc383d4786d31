/* texture: the texture and surface objects of a device.
 *
 *      handle   bit 45..   44        43 .. 20       19 .. 0
 *               device+1   surface   generation     slot+1
 *
 * A slot is taken again only when many others have been since it was left, so that a destroyed object is
 * nearly always known as such, with what it was; afterwards its generation still tells that the handle is an
 * old one.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/queue.h"

#include <stdlib.h>

enum { SLOT_BITS = 20, GENERATION_BITS = 24, DEVICE_SHIFT = 45, SURFACE_SHIFT = 44, REUSE_AFTER = 1024 };
#define SLOTS_MAX ((1u << SLOT_BITS) - 1)

typedef struct TextureSlot {
    ExecTexture object;
    uint32_t generation;
    uint64_t site; /* where the program made it */
} TextureSlot;

typedef struct TextureTable {
    TextureSlot *slots;
    size_t n_slots, slots_cap;
    uint32_t *left; /* slots of destroyed objects, the oldest first: left[left_first .. n_left) */
    size_t left_first, n_left, left_cap;
    ExecTexture old_texture, old_surface; /* what a handle names whose slot was taken again */
} TextureTable;

static uint64_t handle_of(const Device *d, const TextureSlot *slot, size_t index)
{
    return (uint64_t)(d->index + 1) << DEVICE_SHIFT | (uint64_t)slot->object.surface << SURFACE_SHIFT |
           (uint64_t)slot->generation << SLOT_BITS | (index + 1);
}

static TextureTable *table_of(Device *d)
{
    if (!d->textures) {
        d->textures = calloc(1, sizeof *d->textures);
        if (!d->textures)
            return NULL;
        d->textures->old_texture = (ExecTexture){.destroyed = true, .resource = RESOURCE_LINEAR};
        d->textures->old_surface =
            (ExecTexture){.destroyed = true, .resource = RESOURCE_LINEAR, .surface = true};
    }
    return d->textures;
}

/* A slot for a new object; NULL: no room. */
static TextureSlot *take_slot(TextureTable *t)
{
    if (t->n_left - t->left_first > REUSE_AFTER) {
        TextureSlot *slot = &t->slots[t->left[t->left_first++]];
        slot->generation = (slot->generation + 1) & ((1u << GENERATION_BITS) - 1);
        return slot;
    }
    if (t->n_slots == SLOTS_MAX || !VEC_GROW(t->slots, t->n_slots, t->slots_cap))
        return NULL;
    t->slots[t->n_slots] = (TextureSlot){.generation = 0};
    return &t->slots[t->n_slots++];
}

static void leave_slot(TextureTable *t, uint32_t index)
{
    if (t->left_first > REUSE_AFTER &&
        t->left_first * 2 > t->n_left) { /* the front is dropped now and then */
        for (size_t i = t->left_first; i < t->n_left; i++)
            t->left[i - t->left_first] = t->left[i];
        t->n_left -= t->left_first;
        t->left_first = 0;
    }
    if (VEC_GROW(t->left, t->n_left, t->left_cap))
        t->left[t->n_left++] = index;
}

static ExecTexture object_from(const DeviceTexture *from)
{
    ExecTexture to = {
        .surface = from->surface,
        .resource = from->resource,
        .layered = from->layered,
        .cube = from->cube,
        .channel = from->channel,
        .bits = from->bits,
        .n_channels = from->n_channels,
        .normalized_coords = from->normalized_coords,
        .linear_filter = from->linear_filter,
        .srgb = from->srgb,
        .normalized_read = from->normalized_read,
        .width = from->width,
        .height = from->height,
        .depth = from->depth,
        .addr = from->addr,
        .pitch = from->pitch,
        .slice = from->slice,
    };
    for (int i = 0; i < 3; i++)
        to.addressing[i] = from->addressing[i];
    for (int i = 0; i < 4; i++)
        to.border[i] = from->border[i];
    return to;
}

DeviceError texture_create(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    TextureTable *t = table_of(d);
    if (m->in.bytes != sizeof(DeviceTexture))
        return DEVICE_INVALID_VALUE;
    TextureSlot *slot = t ? take_slot(t) : NULL;
    if (!slot)
        return DEVICE_NO_MEMORY;
    slot->object = object_from(m->in.data);
    slot->site = m->site;
    r->value = handle_of(d, slot, (size_t)(slot - t->slots));
    return DEVICE_OK;
}

static TextureSlot *find_texture_slot(const Device *d, uint64_t handle)
{
    uint64_t index = (handle & SLOTS_MAX) - 1;
    bool mine = handle >> DEVICE_SHIFT == d->index + 1u && d->textures;
    return mine && index < d->textures->n_slots ? &d->textures->slots[index] : NULL;
}

/* Kernels that were launched before may still use the object: they run first. */
DeviceError texture_destroy(Device *d, const DeviceMsg *m)
{
    TextureSlot *slot = find_texture_slot(d, m->range.addr);
    if (!slot || slot->object.destroyed ||
        handle_of(d, slot, (size_t)(slot - d->textures->slots)) != m->range.addr)
        return DEVICE_OK;
    DeviceError error = queue_run_device(d);
    if (error != DEVICE_OK)
        return error;
    slot->object.destroyed = true;
    leave_slot(d->textures, (uint32_t)(slot - d->textures->slots));
    return DEVICE_OK;
}

const ExecTexture *texture_of(void *self, uint64_t handle)
{
    const Device *d = self;
    const TextureSlot *slot = find_texture_slot(d, handle);
    if (!slot)
        return NULL;
    uint64_t now = handle_of(d, slot, (size_t)(slot - d->textures->slots));
    if (now == handle)
        return &slot->object;
    uint32_t generation = handle >> SLOT_BITS & ((1u << GENERATION_BITS) - 1);
    if (generation >= slot->generation)
        return NULL;
    return handle >> SURFACE_SHIFT & 1 ? &d->textures->old_surface : &d->textures->old_texture;
}

void texture_leaks(const Device *d)
{
    for (size_t i = 0; d->textures && i < d->textures->n_slots; i++) {
        const TextureSlot *slot = &d->textures->slots[i];
        if (slot->site && !slot->object.destroyed)
            check_handle_leak(d->check, slot->site, slot->object.surface ? "a surface object" : "a texture object");
    }
}

void texture_free_all(Device *d)
{
    if (!d->textures)
        return;
    free(d->textures->slots);
    free(d->textures->left);
    free(d->textures);
    d->textures = NULL;
}
