/* texture: the objects that handles name, and questions about them.
 *
 * What hardware answers to wrong handles was measured on an H200: a handle that never was one is an illegal
 * address; 0, a destroyed object, or an instruction that does not fit the object (tex3D of a 2D array) reads
 * zeros, or writes nothing, and nobody is told. Here it is a finding, and the launch goes on in the same way;
 * a destroyed object is still followed, as hardware does.
 */
#include "common/vgpu/exec/texture/texture.h"

#include <stdio.h>

enum { DETAIL_MAX = 160 };

static bool is_surface_op(const IrTexture *op)
{
    return op->op == SURFACE_LOAD || op->op == SURFACE_STORE || op->op == SURFACE_QUERY;
}

static const char *dimensions_of(const ExecTexture *t)
{
    if (t->resource == RESOURCE_LINEAR)
        return "linear memory";
    if (t->cube)
        return t->layered ? "a layered cubemap" : "a cubemap";
    if (t->layered)
        return t->height ? "a layered 2D array" : "a layered 1D array";
    return t->depth ? "a 3D array" : t->height ? "a 2D array" : "a 1D array";
}

/* What hardware serves, and how: a 1D or 2D array serves both kinds of reads, with or without a layer. */
static bool shape_fits(const IrInst *inst, const ExecTexture *t)
{
    const IrTexture *op = inst->texture;
    bool fetch = inst->type2 == PTX_TYPE_S32 && op->op == TEXTURE_SAMPLE;
    bool flat = !t->depth || t->layered;
    if (op->op == TEXTURE_QUERY || op->op == SURFACE_QUERY)
        return true;
    if (fetch || t->resource == RESOURCE_LINEAR)
        return fetch && t->resource == RESOURCE_LINEAR;
    switch ((IrTextureShape)op->shape) {
    case TEXTURE_3D:
        return !flat && !t->cube;
    case TEXTURE_CUBE:
    case TEXTURE_ACUBE:
        return t->cube;
    case TEXTURE_1D:
    case TEXTURE_A1D:
        return flat && !t->cube && (!t->surface || !t->height);
    default:
        return (flat || t->cube) && (t->height || !t->surface);
    }
}

/* Why the object cannot serve the instruction as it should; NULL: it can. */
static const char *misuse(const IrInst *inst, const ExecTexture *t, uint64_t handle, char *text)
{
    bool surface = is_surface_op(inst->texture);
    const char *what = surface ? "surface" : "texture";
    if (!handle)
        snprintf(text, DETAIL_MAX, "a %s object that was never created: its handle is 0", what);
    else if (t->surface != surface)
        snprintf(text, DETAIL_MAX, "a %s object where a %s object is needed",
                 t->surface ? "surface" : "texture", what);
    else if (t->destroyed)
        snprintf(text, DETAIL_MAX, "a %s object that was destroyed", what);
    else if (!shape_fits(inst, t))
        snprintf(text, DETAIL_MAX, "%s, which this %s function cannot access", dimensions_of(t), what);
    else
        return NULL;
    return text;
}

/* The object of the lanes' handle; *out NULL: there is none to follow. */
static bool find_object(ExecWarp *w, const IrInst *inst, uint32_t lanes, uint64_t handle,
                        const ExecTexture **out)
{
    char text[DETAIL_MAX];
    const ExecHost *host = w->block->run->launch->host;
    const ExecTexture *t = handle && host && host->texture_of ? host->texture_of(host->self, handle) : NULL;
    if (handle && !t) {
        snprintf(text, sizeof text, "a handle that no %s object ever had: 0x%llx",
                 is_surface_op(inst->texture) ? "surface" : "texture", (unsigned long long)handle);
        exec_fault(w, inst, (ExecFault){.kind = FAULT_TEXTURE_UNKNOWN, .mask = lanes, .detail = text});
        return false;
    }
    const char *why = misuse(inst, t, handle, text);
    *out = t;
    if (!why)
        return true;
    if (!exec_turn(w))
        return false;
    exec_note(w, w->frame->function, inst,
              (ExecFault){.kind = FAULT_TEXTURE_MISUSED, .mask = lanes, .detail = why});
    bool follow = t && t->surface == is_surface_op(inst->texture) && shape_fits(inst, t);
    *out = follow ? t : NULL;
    return true;
}

bool texture_each(ExecWarp *w, const IrInst *inst, uint32_t mask, TextureUse use, void *to)
{
    while (mask) {
        const ExecTexture *t;
        uint64_t handle = operand_value(w, &inst->src[0], first_lane(mask));
        uint32_t lanes = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            if (operand_value(w, &inst->src[0], first_lane(left)) == handle)
                lanes |= 1u << first_lane(left);
        if (!find_object(w, inst, lanes, handle, &t) || !use(w, inst, t, lanes, to))
            return false;
        mask &= ~lanes;
    }
    return true;
}

/* ---- questions ---- */

static uint32_t answer(const ExecTexture *t, uint8_t query)
{
    switch ((IrTextureQuery)query) {
    case QUERY_WIDTH:
        return t->width;
    case QUERY_HEIGHT:
        return t->height;
    case QUERY_DEPTH:
        return t->layered || t->cube ? 0 : t->depth;
    case QUERY_ARRAY_SIZE:
        return t->layered ? t->depth / (t->cube ? 6 : 1) : 0;
    case QUERY_NORMALIZED_COORDS:
        return t->normalized_coords;
    default: /* mipmap levels, samples */
        return 1;
    }
}

static bool query_object(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, void *to)
{
    (void)w;
    for (uint32_t left = lanes; left; left &= left - 1)
        ((uint32_t *)to)[first_lane(left)] = t ? answer(t, inst->texture->query) : 0;
    return true;
}

static void query(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t values[WARP_LANES];
    if (!texture_each(w, inst, mask, query_object, values) || inst->dst.kind != IR_REG)
        return;
    for (uint32_t left = mask; left; left &= left - 1)
        ((U32 *)warp_dst(w, &inst->dst))[first_lane(left)] = values[first_lane(left)];
}

/* The others' answers are codes that the PTX ISA does not give. */
static bool is_known_query(uint8_t query_kind)
{
    return query_kind <= QUERY_ARRAY_SIZE || query_kind == QUERY_NORMALIZED_COORDS ||
           query_kind == QUERY_MIPMAP_LEVELS || query_kind == QUERY_SAMPLES;
}

IrHandler exec_texture_handler(const IrInst *inst)
{
    switch ((IrTextureOp)inst->texture->op) {
    case TEXTURE_SAMPLE:
    case TEXTURE_GATHER:
        return texture_sample;
    case SURFACE_LOAD:
        return surface_load;
    case SURFACE_STORE:
        return surface_store;
    default:
        return is_known_query(inst->texture->query) ? query : NULL;
    }
}
