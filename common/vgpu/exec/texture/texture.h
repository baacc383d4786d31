/* What the files of textures share: texture.c (objects, queries), sample.c (reads of textures), texel.c
 * (bytes of a texel
 * -> values), surface.c. */
#ifndef COMMON_VGPU_EXEC_TEXTURE_TEXTURE_H
#define COMMON_VGPU_EXEC_TEXTURE_TEXTURE_H

#include "common/vgpu/exec/transfer.h"

enum { TEXTURE_CHANNELS = 4 };

/* Bytes of a texel. */
static inline uint32_t texel_bytes(const ExecTexture *t)
{
    return t->n_channels * t->bits / 8u;
}

/* The four channels of a texel as the read mode gives them: bits of a float, or an integer of 32 bits.
 * Channels that the format has not are 0. */
void texel_read(const ExecTexture *t, const uint8_t *host, uint32_t out[TEXTURE_CHANNELS]);
/* The border's colour, in the texture's format. */
void texel_border(const ExecTexture *t, uint32_t out[TEXTURE_CHANNELS]);

/* Runs `use` for the lanes of each object that the instruction's handles name; NULL where the handle names
 * none that fits. False: a fault was raised, or the instruction will be run again. */
typedef bool (*TextureUse)(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, void *to);
bool texture_each(ExecWarp *w, const IrInst *inst, uint32_t mask, TextureUse use, void *to);

void texture_sample(ExecWarp *w, const IrInst *inst, uint32_t mask);
void surface_load(ExecWarp *w, const IrInst *inst, uint32_t mask);
void surface_store(ExecWarp *w, const IrInst *inst, uint32_t mask);

/* Coordinate k of a lane: the layer of an array is the first. */
static inline uint32_t texture_coord(const ExecWarp *w, const IrInst *inst, uint32_t k, int lane)
{
    return (uint32_t)operand_value(w, &inst->vec[inst->texture->n_out + k], lane);
}

#endif
