/* The arithmetic of affine values: see affine.h. `dims` is a constant wherever it counts: each function here is built
 * for three steps and for six. */
#include "common/vgpu/exec/affine/affine.h"

#include "common/vgpu/exec/affine/wide.h"

#include <string.h>

static const AffineValue zero;

static bool is_signed_type(uint8_t type)
{
    return type == PTX_TYPE_S16 || type == PTX_TYPE_S32 || type == PTX_TYPE_S64;
}

/* ---- registers ---- */

EXEC_INLINE uint64_t word_at(const void *from, unsigned bytes)
{
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    switch (bytes) {
    case 2:
        memcpy(&half, from, 2);
        return half;
    case 4:
        memcpy(&word, from, 4);
        return word;
    default:
        memcpy(&whole, from, 8);
        return whole;
    }
}

EXEC_INLINE const AffineValue *known(const AffineState *s, const IrOperand *o, AffineValue *room, int dims)
{
    if (o->kind == IR_REG && o->bytes - 1u < 8) {
        uint8_t held = s->held[o->off / 4];
        if (held & HELD_AFFINE)
            return &s->values[o->off / 64];
        if (held != HELD_NOTHING)
            return NULL;
        room->base = 0;
    } else if (o->kind == IR_CONST && o->bytes - 1u < 8) {
        room->base = word_at(s->pool + o->off, o->bytes);
    } else {
        return NULL;
    }
    for (int i = 0; i < dims; i++)
        room->step[i] = 0;
    return room;
}

const AffineValue *affine_known(const AffineState *s, const IrOperand *o, AffineValue *room)
{
    return known(s, o, room, AFFINE_GRID);
}

/* The register becomes `base`, with the steps of a * factor + b. Values are read and written word by word: copies of
 * whole ones would wait for their words. */
EXEC_INLINE void put(AffineState *s, const IrOperand *o, uint64_t base, const AffineValue *a, uint64_t factor,
                     const AffineValue *b, int dims)
{
    AffineValue *to = &s->values[o->off / 64];
    uint64_t step[AFFINE_GRID];
    for (int i = 0; i < dims; i++)
        step[i] = (uint64_t)a->step[i] * factor + (uint64_t)b->step[i];
    to->base = o->bytes == 4 ? (uint32_t)base : o->bytes == 2 ? (uint16_t)base : base;
    for (int i = 0; i < dims; i++)
        to->step[i] = affine_cut(step[i], o->bytes); /* one form for each value: steps are signed */
    s->held[o->off / 4] = HELD_AFFINE;
}

static void set_predicate(AffineState *s, const IrOperand *o, bool value)
{
    s->held[o->off / 4] = value ? HELD_TRUE : HELD_FALSE;
}

void affine_set_uniform(AffineState *s, const IrOperand *o, uint64_t bits)
{
    if (o->bytes == 0)
        set_predicate(s, o, bits & 1);
    else
        put(s, o, bits, &zero, 0, &zero, AFFINE_GRID);
}

void affine_set_index(AffineState *s, const IrOperand *o, int dim)
{
    AffineValue x = {0};
    x.step[dim] = s->most[dim] != 0; /* what does not move has no step: it is uniform */
    put(s, o, 0, &x, 1, &zero, AFFINE_GRID);
}

int affine_predicate(const AffineState *s, const IrOperand *o)
{
    if (o->kind == IR_CONST)
        return (s->pool[o->off] & 1) ^ o->negated;
    uint8_t held = s->held[o->off / 4];
    if (held != HELD_NOTHING && !(held & (HELD_TRUE | HELD_FALSE)))
        return -1;
    return ((held & HELD_TRUE) != 0) ^ o->negated;
}

/* ---- instructions ---- */

/* Whether a value of 32 bits is the same number in 64, and its base as that. */
EXEC_INLINE bool widen(const AffineState *s, const AffineValue *x, bool is_signed, uint64_t *base, int dims)
{
    int64_t below, above;
    *base = is_signed ? (uint64_t)(int64_t)(int32_t)x->base : x->base;
    return affine_is_uniform(x, dims) || affine_range(x, s->most, dims, is_signed, 4, &below, &above);
}

/* mov, cvta */
EXEC_INLINE bool move(AffineState *s, const IrInst *inst, uint64_t more, int dims)
{
    AffineValue room;
    const AffineValue *a = known(s, &inst->src[0], &room, dims);
    if (inst->src[0].kind == IR_FRAME) /* the kernel's frame begins at 0 */
        put(s, &inst->dst, inst->src[0].off, &zero, 0, &zero, dims);
    else if (a)
        put(s, &inst->dst, a->base + more, a, 1, &zero, dims);
    return a || inst->src[0].kind == IR_FRAME;
}

/* a + b * factor */
EXEC_INLINE bool sum(AffineState *s, const IrInst *inst, uint64_t factor, int dims)
{
    AffineValue room[2];
    const AffineValue *a = known(s, &inst->src[0], &room[0], dims),
                      *b = known(s, &inst->src[1], &room[1], dims);
    if (!a || !b)
        return false;
    put(s, &inst->dst, a->base + factor * b->base, b, factor, a, dims);
    return true;
}

/* a * b + c of which a or b is the same in all threads. */
EXEC_INLINE bool product(AffineState *s, const IrInst *inst, const AffineValue *c, int dims)
{
    AffineValue room[2];
    const AffineValue *a = known(s, &inst->src[0], &room[0], dims),
                      *b = known(s, &inst->src[1], &room[1], dims);
    if (!a || !b || !c)
        return false;
    if (!affine_is_uniform(b, dims)) {
        const AffineValue *other = a;
        a = b;
        b = other;
    }
    uint64_t base = a->base, factor = b->base;
    bool is_signed = is_signed_type(inst->type);
    if (!affine_is_uniform(b, dims) ||
        (inst->mode == MUL_WIDE &&
         (!widen(s, a, is_signed, &base, dims) || !widen(s, b, is_signed, &factor, dims))))
        return false;
    put(s, &inst->dst, base * factor + c->base, a, factor, c, dims);
    return true;
}

EXEC_INLINE bool shift_left(AffineState *s, const IrInst *inst, int dims)
{
    AffineValue room[2];
    const AffineValue *a = known(s, &inst->src[0], &room[0], dims),
                      *b = known(s, &inst->src[1], &room[1], dims);
    if (!a || !b || !affine_is_uniform(b, dims))
        return false;
    uint64_t factor = b->base >= inst->dst.bytes * 8u ? 0 : (uint64_t)1 << b->base;
    put(s, &inst->dst, a->base * factor, a, factor, &zero, dims);
    return true;
}

EXEC_INLINE bool convert(AffineState *s, const IrInst *inst, int dims)
{
    AffineValue room;
    const AffineValue *a = known(s, &inst->src[0], &room, dims);
    if (!a)
        return false;
    uint64_t base = a->base;
    if (inst->dst.bytes > inst->src[0].bytes && !widen(s, a, is_signed_type(inst->type2), &base, dims))
        return false;
    put(s, &inst->dst, base, a, 1, &zero, dims);
    return true;
}

EXEC_INLINE bool difference(const AffineState *s, const IrInst *inst, AffineValue *d, int64_t *below,
                            int64_t *above, int dims)
{
    AffineValue room[2];
    const bool is_signed = is_signed_type(inst->type);
    const unsigned bytes = inst->src[0].bytes;
    const AffineValue *a = known(s, &inst->src[0], &room[0], dims),
                      *b = known(s, &inst->src[1], &room[1], dims);
    if (!a || !b || !affine_range(a, s->most, dims, is_signed, bytes, below, above) ||
        !affine_range(b, s->most, dims, is_signed, bytes, below, above))
        return false;
    d->base = is_signed ? (uint64_t)(affine_cut(a->base, bytes) - affine_cut(b->base, bytes)) : a->base - b->base;
    *below = *above = 0;
    for (int i = 0; i < dims; i++) {
        d->step[i] = (int64_t)((uint64_t)a->step[i] - (uint64_t)b->step[i]);
        const int64_t reach = i < AFFINE_BLOCK ? (int64_t)((uint64_t)d->step[i] * s->most[i]) : 0;
        *below += reach < 0 ? reach : 0;
        *above += reach < 0 ? 0 : reach;
    }
    return true;
}

bool affine_difference(const AffineState *s, const IrInst *inst, AffineValue *d, int64_t *below,
                       int64_t *above)
{
    return difference(s, inst, d, below, above, AFFINE_GRID);
}

EXEC_INLINE bool compare(AffineState *s, const IrInst *inst, int dims)
{
    AffineValue d;
    int64_t below, above;
    if (dims != AFFINE_BLOCK || !difference(s, inst, &d, &below, &above, dims))
        return false;
    AffineSide side = affine_side(inst->cmp, (int64_t)d.base + below, (int64_t)d.base + above);
    if (side.decided)
        set_predicate(s, &inst->dst, side.outcome);
    return side.decided;
}

EXEC_INLINE bool select_value(AffineState *s, const IrInst *inst, int dims)
{
    AffineValue room;
    int which = affine_predicate(s, &inst->src[2]);
    const AffineValue *a = which < 0 ? NULL : known(s, &inst->src[which ? 0 : 1], &room, dims);
    if (a)
        put(s, &inst->dst, a->base, a, 1, &zero, dims);
    return a;
}

static bool logic(AffineState *s, const IrInst *inst)
{
    int a = affine_predicate(s, &inst->src[0]);
    int b = inst->opcode == PTX_NOT ? a : affine_predicate(s, &inst->src[1]);
    int outcome = affine_logic(inst->opcode, a, b);
    if (outcome >= 0)
        set_predicate(s, &inst->dst, outcome);
    return outcome >= 0;
}

static bool parameter(AffineState *s, const IrInst *inst)
{
    uint64_t at = (uint64_t)inst->offset, bytes = inst->dst.bytes, all = s->run->entry->param_bytes;
    if (at & (bytes - 1) || all < bytes || at > all - bytes)
        return false;
    affine_set_uniform(s, &inst->dst, word_at(s->run->launch->params + at, (unsigned)bytes));
    return true;
}

EXEC_INLINE bool compute(AffineState *s, const IrInst *inst, int dims)
{
    AffineValue room;
    uint64_t window;
    switch ((WideKind)inst->wide) {
    case WIDE_MOV:
        return move(s, inst, 0, dims);
    case WIDE_CVTA:
        window = exec_window_of(inst->space);
        return move(s, inst, inst->to ? 0 - window : window, dims);
    case WIDE_ADD:
        return sum(s, inst, 1, dims);
    case WIDE_SUB:
        return sum(s, inst, (uint64_t)-1, dims);
    case WIDE_MUL:
        return product(s, inst, &zero, dims);
    case WIDE_MAD:
        return product(s, inst, known(s, &inst->src[2], &room, dims), dims);
    case WIDE_SHL:
        return shift_left(s, inst, dims);
    case WIDE_CVT:
        return convert(s, inst, dims);
    case WIDE_SETP:
        return compare(s, inst, dims);
    case WIDE_SELP:
        return select_value(s, inst, dims);
    case WIDE_LOGIC:
        return logic(s, inst);
    case WIDE_PARAM:
        return parameter(s, inst);
    default:
        return false;
    }
}

bool affine_compute(AffineState *s, const IrInst *inst)
{
    return s->dims == AFFINE_BLOCK ? compute(s, inst, AFFINE_BLOCK) : compute(s, inst, AFFINE_GRID);
}

/* ---- what is the same in all threads ---- */

static bool source_is_uniform(const AffineState *s, const IrOperand *o)
{
    AffineValue room;
    if (o->kind != IR_REG)
        return o->kind == IR_CONST || o->kind == IR_NONE;
    if (o->bytes == 0)
        return affine_predicate(s, o) >= 0;
    const AffineValue *x = affine_known(s, o, &room);
    return x && affine_is_uniform(x, s->dims);
}

/* Brings a source into the warp's registers, without taking note of it. */
static void bring_source(const AffineState *s, const IrOperand *o, ExecWarp *warp, uint8_t there)
{
    uint8_t *to = warp->regs + o->off, held = o->kind == IR_REG ? s->held[o->off / 4] : 0;
    AffineValue room;
    if (o->kind != IR_REG || held & there)
        return;
    if (o->bytes == 0) {
        const uint32_t bits = held & HELD_TRUE ? FULL_MASK : 0;
        memcpy(to, &bits, sizeof bits);
        return;
    }
    const uint64_t base = affine_known(s, o, &room)->base;
    for (int lane = 0; lane < WARP_LANES; lane++)
        memcpy(to + (size_t)lane * o->bytes, &base, o->bytes);
}

static void take_result(AffineState *s, const IrOperand *o, const ExecWarp *warp)
{
    uint64_t bits = 0;
    if (o->kind != IR_REG)
        return;
    memcpy(&bits, warp->regs + o->off, o->bytes ? o->bytes : 1);
    affine_set_uniform(s, o, bits);
}

bool affine_compute_once(AffineState *s, const IrInst *inst, ExecWarp *warp, uint8_t there)
{
    if (inst->wide >= WIDE_PURE || inst->wide == WIDE_SREG || inst->wide == WIDE_PARAM ||
        inst->dst.bytes > 8 || inst->dst2.bytes > 8)
        return false;
    for (uint32_t i = 0; i < inst->n_src; i++)
        if (!source_is_uniform(s, &inst->src[i]))
            return false;
    for (uint32_t i = 0; i < inst->n_src; i++)
        bring_source(s, &inst->src[i], warp, there);
    inst->handler(warp, inst, FULL_MASK);
    take_result(s, &inst->dst, warp);
    take_result(s, &inst->dst2, warp);
    return true;
}
