/* surface: reads and writes of surfaces by whole bytes (suld.b, sust.b).
 *
 * x counts bytes, y and z rows and slices, or the layer, which PTX writes first. What happens outside is the
 * instruction's to say: trap is an illegal address, clamp goes to the nearest element, zero reads 0 and
 * writes nothing. An x that is no multiple of the element's size is a misaligned address in all three modes
 * (measured on an H200).
 */
#include "common/vgpu/exec/texture/texture.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENT_BYTES_MAX = 16, DETAIL_MAX = 160 };

typedef struct Elements {
    uint8_t bytes[WARP_LANES][ELEMENT_BYTES_MAX];
} Elements;

/* The element that a lane names: byte in the row, row, slice or layer. */
typedef struct Point {
    int64_t at[3];
} Point;

static uint32_t element_bytes(const IrInst *inst)
{
    uint32_t n = inst->texture->op == SURFACE_LOAD ? inst->texture->n_out : inst->texture->n_values;
    return n * ptx_type_bits((PtxType)inst->type) / 8;
}

static Point point_of(const ExecWarp *w, const IrInst *inst, int lane)
{
    const IrTexture *op = inst->texture;
    Point p = {{0}};
    bool layered = op->shape == TEXTURE_A1D || op->shape == TEXTURE_A2D;
    for (uint32_t k = layered; k < op->n_coords; k++)
        p.at[k - layered] = (int32_t)texture_coord(w, inst, k, lane);
    if (layered)
        p.at[2] = texture_coord(w, inst, 0, lane);
    return p;
}

/* The first positions past the end; bytes: of the element. */
static void ends_of(const ExecTexture *t, uint32_t bytes, int64_t end[3])
{
    end[0] = (int64_t)t->width * texel_bytes(t) - bytes + 1;
    end[1] = t->height ? t->height : 1;
    end[2] = t->depth ? t->depth : 1;
}

static bool is_inside(const Point *p, const int64_t end[3])
{
    for (int d = 0; d < 3; d++)
        if (p->at[d] < 0 || p->at[d] >= end[d])
            return false;
    return true;
}

static void clamp(Point *p, const int64_t end[3])
{
    for (int d = 0; d < 3; d++)
        p->at[d] = p->at[d] < 0 ? 0 : p->at[d] >= end[d] ? end[d] - 1 : p->at[d];
}

static uint64_t address_of(const ExecTexture *t, const Point *p)
{
    return t->addr + (uint64_t)p->at[2] * t->slice + (uint64_t)p->at[1] * t->pitch + (uint64_t)p->at[0];
}

static bool raise_outside(ExecWarp *w, const IrInst *inst, const ExecTexture *t, const Point *p,
                          uint32_t lanes)
{
    char text[DETAIL_MAX], size[DETAIL_MAX / 2];
    bool store = inst->texture->op == SURFACE_STORE;
    snprintf(size, sizeof size, "%llu bytes in a row, %u rows, %u %s",
             (unsigned long long)t->width * texel_bytes(t), t->height ? t->height : 1,
             t->depth ? t->depth : 1, t->layered || t->cube ? "layers" : "slices");
    snprintf(text, sizeof text, "byte %lld of row %lld, %s %lld; it has %s", (long long)p->at[0],
             (long long)p->at[1], t->layered || t->cube ? "layer" : "slice", (long long)p->at[2], size);
    exec_fault(w, inst,
               (ExecFault){.kind = FAULT_SURFACE_BOUNDS,
                           .access = store ? ACCESS_STORE : ACCESS_LOAD,
                           .space = SPACE_GLOBAL,
                           .mask = lanes,
                           .bytes = element_bytes(inst),
                           .detail = text});
    return false;
}

static bool raise_misaligned(ExecWarp *w, const IrInst *inst, const ExecTexture *t, const Point *p,
                             uint32_t lane)
{
    uint64_t addr[WARP_LANES] = {0};
    addr[lane] = address_of(t, p);
    exec_fault(w, inst,
               (ExecFault){.kind = FAULT_MISALIGNED,
                           .access = inst->texture->op == SURFACE_STORE ? ACCESS_STORE : ACCESS_LOAD,
                           .space = SPACE_GLOBAL,
                           .mask = 1u << lane,
                           .bytes = element_bytes(inst),
                           .addr = addr});
    return false;
}

/* Host addresses of the lanes that access memory (*inside). */
static bool reach(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, uint32_t *inside,
                  uint8_t **host)
{
    uint32_t bytes = element_bytes(inst);
    int64_t end[3];
    uint64_t addr[WARP_LANES] = {0};
    Transfer transfer = {.w = w,
                         .function = w->frame->function,
                         .inst = inst,
                         .kind = inst->texture->op == SURFACE_STORE ? ACCESS_STORE : ACCESS_LOAD,
                         .space = SPACE_GLOBAL,
                         .texture = ACCESS_SURFACE,
                         .bytes = bytes,
                         .align = bytes};
    ends_of(t, bytes, end);
    *inside = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        Point p = point_of(w, inst, lane);
        if (p.at[0] & (bytes - 1))
            return raise_misaligned(w, inst, t, &p, (uint32_t)lane);
        bool in = is_inside(&p, end);
        if (!in && inst->texture->bound == TEXTURE_TRAP)
            return raise_outside(w, inst, t, &p, 1u << lane);
        if (!in && (inst->texture->bound == TEXTURE_ZERO || end[0] <= 0))
            continue;
        clamp(&p, end);
        addr[lane] = address_of(t, &p);
        *inside |= 1u << lane;
    }
    return !*inside || transfer_reach(&transfer, *inside, addr, host);
}

/* ---- loads ---- */

static bool load_object(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, void *to)
{
    Elements *e = to;
    uint32_t inside = 0;
    uint8_t *host[WARP_LANES];
    if (t && !reach(w, inst, t, lanes, &inside, host))
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        memset(e->bytes[lane], 0, ELEMENT_BYTES_MAX);
        if (inside >> lane & 1)
            memcpy(e->bytes[lane], host[lane], element_bytes(inst));
    }
    return true;
}

void surface_load(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Elements e;
    uint32_t bytes = ptx_type_bits((PtxType)inst->type) / 8;
    if (!texture_each(w, inst, mask, load_object, &e))
        return;
    for (uint32_t k = 0; k < inst->texture->n_out; k++) {
        const IrOperand *o = &inst->vec[k];
        for (uint32_t left = o->kind == IR_REG ? mask : 0; left; left &= left - 1) {
            int lane = first_lane(left);
            uint64_t value = 0; /* low bytes first; a wider register is zero-extended */
            memcpy(&value, e.bytes[lane] + k * bytes, bytes);
            memcpy((uint8_t *)warp_dst(w, o) + (size_t)lane * o->bytes, &value, o->bytes);
        }
    }
}

/* ---- stores ---- */

static bool store_object(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, void *to)
{
    (void)to;
    uint32_t inside = 0, bytes = ptx_type_bits((PtxType)inst->type) / 8;
    uint8_t *host[WARP_LANES];
    if (!t)
        return true;
    if (!reach(w, inst, t, lanes, &inside, host))
        return false;
    for (uint32_t left = inside; left; left &= left - 1) {
        int lane = first_lane(left);
        for (uint32_t k = 0; k < inst->texture->n_values; k++) {
            uint64_t value = operand_value(w, &inst->vec[inst->texture->n_coords + k], lane);
            memcpy(host[lane] + k * bytes, &value, bytes);
        }
    }
    return true;
}

void surface_store(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (texture_each(w, inst, mask, store_object, NULL))
        w->polls = 0;
}
