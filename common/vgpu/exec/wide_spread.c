/* Values of a whole block: base + x * step[0] + y * step[1] + z * step[2] in thread (x, y, z).
 *
 * All arithmetic here is modulo the register's width, as the threads' own is; sums and products with what all
 * threads have keep the form. Where a value is looked at as a number (comparisons, wider results), it must be
 * shown that no thread's wraps: the ends of its range do.
 */
#include "common/vgpu/exec/wide.h"

#include "common/vgpu/exec/affine.h"

#include <string.h>

/* Numbers whose sums and products of a few cannot leave 64 bits. */
#define BASE_MAX ((int64_t)1 << 62)
#define STEP_MAX ((int64_t)1 << 40)

/* Values are read and written word by word: copies of whole ones would wait for their words. */
EXEC_INLINE void put(Wide *v, const IrOperand *o, uint64_t base, uint64_t x, uint64_t y, uint64_t z)
{
    WideValue *to = &v->values[o->off / 64];
    const bool word = o->bytes == 4, half = o->bytes == 2;
    to->base = word ? (uint32_t)base : half ? (uint16_t)base : base;
    to->step[0] = word   ? (int32_t)x
                  : half ? (int16_t)x
                         : (int64_t)x; /* one form for each value: steps are signed */
    to->step[1] = word ? (int32_t)y : half ? (int16_t)y : (int64_t)y;
    to->step[2] = word ? (int32_t)z : half ? (int16_t)z : (int64_t)z;
    v->held[o->off / 4] = HELD_AFFINE;
}

void wide_set(Wide *v, const IrOperand *o, const WideValue *x)
{
    put(v, o, x->base, (uint64_t)x->step[0], (uint64_t)x->step[1], (uint64_t)x->step[2]);
}

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

/* Where the operand's value is, if it is known as one for the block; NULL: it is not. A constant is put into
 * room. */
EXEC_INLINE const WideValue *value(const Wide *v, const IrOperand *o, WideValue *room)
{
    if (o->kind == IR_REG && o->bytes - 1u < 8) {
        uint8_t held = v->held[o->off / 4];
        if (held & HELD_AFFINE)
            return &v->values[o->off / 64];
        if (held == HELD_LANES)
            return NULL;
        room->base = 0;
    } else if (o->kind == IR_CONST && o->bytes - 1u < 8) {
        room->base = word_at(v->code->pool + o->off, o->bytes);
    } else {
        return NULL;
    }
    room->step[0] = room->step[1] = room->step[2] = 0;
    return room;
}

const WideValue *wide_known(const Wide *v, const IrOperand *o, WideValue *room)
{
    return value(v, o, room);
}

int wide_predicate(const Wide *v, const IrOperand *o)
{
    int value;
    if (o->kind == IR_CONST) {
        value = (*(const uint32_t *)(v->code->pool + o->off) & 1) != 0;
    } else {
        uint8_t held = v->held[o->off / 4];
        if (held == HELD_LANES)
            return -1;
        value = (held & HELD_TRUE) != 0;
    }
    return value ^ o->negated;
}

static void set_predicate(Wide *v, const IrOperand *o, bool value)
{
    v->held[o->off / 4] = value ? HELD_TRUE : HELD_FALSE;
}

/* ---- into the register files ---- */

#define DEFINE_SPREAD(name, T)                                                                               \
    EXEC_CLONES static void name(ExecBlock *b, uint32_t off, const WideValue *x)                             \
    {                                                                                                        \
        const T base = (T)x->base, sx = (T)x->step[0], sy = (T)x->step[1], sz = (T)x->step[2];               \
        for (uint32_t i = 0; i < b->run->n_warps; i++) {                                                     \
            const ExecWarp *w = &b->warps[i].base;                                                           \
            T *to = (T *)(w->regs + off);                                                                    \
            if (wide_is_uniform(x))                                                                          \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = base;                                                                         \
            else if (!x->step[1] && !x->step[2])                                                             \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = (T)(base + (T)w->tid[0][lane] * sx);                                          \
            else                                                                                             \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = (T)(base + (T)w->tid[0][lane] * sx + (T)w->tid[1][lane] * sy +                \
                                   (T)w->tid[2][lane] * sz);                                                 \
        }                                                                                                    \
    }
typedef uint16_t __attribute__((may_alias)) Word2;
typedef uint32_t __attribute__((may_alias)) Word4;
typedef uint64_t __attribute__((may_alias)) Word8;
DEFINE_SPREAD(spread2, Word2)
DEFINE_SPREAD(spread4, Word4)
DEFINE_SPREAD(spread8, Word8)

static void spread_zeros(ExecBlock *b, uint32_t off, size_t bytes)
{
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        memset(b->warps[i].base.regs + off, 0, bytes);
}

void wide_put_lanes(ExecBlock *b, uint32_t off, unsigned bytes, const WideValue *x)
{
    const uint32_t bits = (uint32_t)x->base;
    if (bytes == 2)
        spread2(b, off, x);
    else if (bytes == 4)
        spread4(b, off, x);
    else if (bytes == 8)
        spread8(b, off, x);
    for (uint32_t i = 0; !bytes && i < b->run->n_warps; i++)
        memcpy(b->warps[i].base.regs + off, &bits, sizeof bits);
}

static void spread_predicate(ExecBlock *b, uint32_t off)
{
    uint8_t *held = &b->wide->held[off / 4];
    uint32_t bits = *held & HELD_TRUE ? FULL_MASK : 0;
    wide_put_lanes(b, off, 0, &(WideValue){.base = bits});
    *held = bits ? HELD_LANES | HELD_TRUE : HELD_LANES | HELD_FALSE;
}

static void spread_register(ExecBlock *b, uint32_t off, unsigned bytes)
{
    uint8_t *held = &b->wide->held[off / 4];
    const WideValue *x = &b->wide->values[off / 64];
    if (*held == HELD_NOTHING) {
        spread_zeros(b, off, (size_t)bytes * WARP_LANES);
        *held = HELD_LANES;
        return;
    }
    *held |= HELD_LANES;
    wide_put_lanes(b, off, bytes, x);
}

void wide_spread(ExecBlock *b, const IrOperand *o)
{
    if (o->kind != IR_REG || b->wide->held[o->off / 4] & HELD_LANES)
        return;
    if (o->bytes == 0)
        spread_predicate(b, o->off);
    else
        spread_register(b, o->off, o->bytes);
}

void wide_spread_all(ExecBlock *b)
{
    static const unsigned widths[] = {16, 8, 4, 2};
    const IrFunction *f = b->run->entry;
    const uint8_t *held = b->wide->held;
    for (int k = 0; k < 4; k++)
        for (uint32_t off = f->reg_at[k]; off < f->reg_at[k + 1]; off += widths[k] * WARP_LANES)
            if (!(held[off / 4] & HELD_LANES))
                spread_register(b, off, widths[k]);
    for (uint32_t off = f->reg_at[4]; off < f->reg_at[5]; off += 4)
        if (!(held[off / 4] & HELD_LANES))
            spread_predicate(b, off);
}

/* ---- arithmetic ---- */

EXEC_INLINE bool range(const WideValue *x, const uint32_t most[3], bool is_signed, unsigned bytes,
                       int64_t *low, int64_t *high)
{
    int64_t base = bytes == 4 && is_signed ? (int32_t)x->base : (int64_t)x->base, below = base, above = base;
    bool large = base < -BASE_MAX || base > BASE_MAX || (base < 0 && !is_signed);
    for (int i = 0; i < 3; i++) {
        int64_t step = x->step[i], reach = (int64_t)((uint64_t)step * most[i]);
        large |= step < -STEP_MAX || step > STEP_MAX;
        below += reach < 0 ? reach : 0;
        above += reach < 0 ? 0 : reach;
    }
    *low = below;
    *high = above;
    if (large || bytes == 8)
        return !large && (is_signed || below >= 0);
    return is_signed ? below >= INT32_MIN && above <= INT32_MAX : below >= 0 && above <= UINT32_MAX;
}

bool wide_range(const WideValue *x, const uint32_t most[3], bool is_signed, unsigned bytes, int64_t *low,
                int64_t *high)
{
    return range(x, most, is_signed, bytes, low, high);
}

/* Whether a value of 32 bits is the same number in 64, and its base as that. */
EXEC_INLINE bool widen(const Wide *v, const WideValue *x, bool is_signed, uint64_t *base)
{
    int64_t low, high;
    *base = is_signed ? (uint64_t)(int64_t)(int32_t)x->base : x->base;
    return wide_is_uniform(x) || range(x, v->most, is_signed, 4, &low, &high);
}

static bool move(Wide *v, const IrInst *inst)
{
    WideValue room;
    if (inst->src[0].kind == IR_FRAME) { /* the kernel's frame begins at 0 */
        put(v, &inst->dst, inst->src[0].off, 0, 0, 0);
        return true;
    }
    const WideValue *a = value(v, &inst->src[0], &room);
    if (a)
        wide_set(v, &inst->dst, a);
    return a;
}

static bool change_space(Wide *v, const IrInst *inst)
{
    WideValue room;
    const WideValue *a = value(v, &inst->src[0], &room);
    uint64_t window = exec_window_of(inst->space);
    if (a)
        put(v, &inst->dst, a->base + (inst->to ? 0 - window : window), (uint64_t)a->step[0],
            (uint64_t)a->step[1], (uint64_t)a->step[2]);
    return a;
}

EXEC_INLINE bool sum(Wide *v, const IrInst *inst, uint64_t sign)
{
    WideValue room[2];
    const WideValue *a = value(v, &inst->src[0], &room[0]), *b = value(v, &inst->src[1], &room[1]);
    if (!a || !b)
        return false;
    put(v, &inst->dst, a->base + sign * b->base, (uint64_t)a->step[0] + sign * (uint64_t)b->step[0],
        (uint64_t)a->step[1] + sign * (uint64_t)b->step[1],
        (uint64_t)a->step[2] + sign * (uint64_t)b->step[2]);
    return true;
}

static bool wide_value_add(Wide *v, const IrInst *inst)
{
    return sum(v, inst, 1);
}

static bool subtract(Wide *v, const IrInst *inst)
{
    return sum(v, inst, (uint64_t)-1);
}

/* a * b + c of which a or b is the same in all threads. */
EXEC_INLINE bool product(Wide *v, const IrInst *inst, const WideValue *c)
{
    WideValue room[2];
    const WideValue *a = value(v, &inst->src[0], &room[0]), *b = value(v, &inst->src[1], &room[1]);
    if (!a || !b)
        return false;
    if (!wide_is_uniform(b)) {
        const WideValue *other = a;
        a = b;
        b = other;
    }
    uint64_t base = a->base, factor = b->base;
    bool is_signed = affine_is_signed(inst->type);
    if (!wide_is_uniform(b) ||
        (inst->mode == MUL_WIDE && (!widen(v, a, is_signed, &base) || !widen(v, b, is_signed, &factor))))
        return false;
    put(v, &inst->dst, base * factor + c->base, (uint64_t)a->step[0] * factor + (uint64_t)c->step[0],
        (uint64_t)a->step[1] * factor + (uint64_t)c->step[1],
        (uint64_t)a->step[2] * factor + (uint64_t)c->step[2]);
    return true;
}

static bool multiply(Wide *v, const IrInst *inst)
{
    static const WideValue zero;
    return product(v, inst, &zero);
}

static bool multiply_add(Wide *v, const IrInst *inst)
{
    WideValue room;
    const WideValue *c = value(v, &inst->src[2], &room);
    return c && product(v, inst, c);
}

static bool shift_left(Wide *v, const IrInst *inst)
{
    WideValue room[2];
    const WideValue *a = value(v, &inst->src[0], &room[0]), *b = value(v, &inst->src[1], &room[1]);
    if (!a || !b || !wide_is_uniform(b))
        return false;
    uint64_t factor = b->base >= inst->dst.bytes * 8u ? 0 : (uint64_t)1 << b->base;
    put(v, &inst->dst, a->base * factor, (uint64_t)a->step[0] * factor, (uint64_t)a->step[1] * factor,
        (uint64_t)a->step[2] * factor);
    return true;
}

static bool convert(Wide *v, const IrInst *inst)
{
    WideValue room;
    const WideValue *a = value(v, &inst->src[0], &room);
    if (!a)
        return false;
    uint64_t base = a->base;
    if (inst->dst.bytes > inst->src[0].bytes && !widen(v, a, affine_is_signed(inst->type2), &base))
        return false;
    put(v, &inst->dst, base, (uint64_t)a->step[0], (uint64_t)a->step[1], (uint64_t)a->step[2]);
    return true;
}

static bool compare_values(Wide *v, const IrInst *inst)
{
    WideValue room[2];
    int64_t low, high;
    bool is_signed = affine_is_signed(inst->type);
    unsigned bytes = inst->src[0].bytes;
    const WideValue *a = value(v, &inst->src[0], &room[0]), *b = value(v, &inst->src[1], &room[1]);
    if (!a || !b || !range(a, v->most, is_signed, bytes, &low, &high) ||
        !range(b, v->most, is_signed, bytes, &low, &high))
        return false;
    bool extend = is_signed && bytes == 4;
    low = high =
        (extend ? (int32_t)a->base : (int64_t)a->base) - (extend ? (int32_t)b->base : (int64_t)b->base);
    for (int i = 0; i < 3; i++) {
        int64_t reach = (a->step[i] - b->step[i]) * (int64_t)v->most[i];
        low += reach < 0 ? reach : 0;
        high += reach < 0 ? 0 : reach;
    }
    AffineSide side = affine_side(inst->cmp, low, high);
    if (side.decided)
        set_predicate(v, &inst->dst, side.outcome);
    return side.decided;
}

static bool select_value(Wide *v, const IrInst *inst)
{
    WideValue room;
    int which = wide_predicate(v, &inst->src[2]);
    const WideValue *a = which < 0 ? NULL : value(v, &inst->src[which ? 0 : 1], &room);
    if (a)
        wide_set(v, &inst->dst, a);
    return a;
}

static bool logic(Wide *v, const IrInst *inst)
{
    int a = wide_predicate(v, &inst->src[0]), b = inst->opcode == PTX_NOT ? a : wide_predicate(v, &inst->src[1]);
    int outcome = affine_logic(inst->opcode, a, b);
    if (outcome >= 0)
        set_predicate(v, &inst->dst, outcome);
    return outcome >= 0;
}

static bool special(ExecBlock *b, const IrInst *inst)
{
    Wide *v = b->wide;
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    if (sreg <= PTX_SREG_TID_Z) {
        int i = (int)(sreg - PTX_SREG_TID_X);
        put(v, &inst->dst, 0, i == 0 && v->most[0], i == 1 && v->most[1], i == 2 && v->most[2]);
        return true;
    }
    if (sreg_differs_by_lane(sreg) || sreg == PTX_SREG_WARPID)
        return false;
    put(v, &inst->dst, sreg_of_warp(&b->warps[0].base, sreg), 0, 0, 0);
    return true;
}

static bool parameter(ExecBlock *b, const IrInst *inst)
{
    const ExecRun *run = b->run;
    uint64_t at = (uint64_t)inst->offset, bytes = inst->dst.bytes;
    if (at & (bytes - 1) || run->entry->param_bytes < bytes || at > run->entry->param_bytes - bytes)
        return false;
    put(b->wide, &inst->dst, word_at(run->launch->params + at, (unsigned)bytes), 0, 0, 0);
    return true;
}

bool wide_compute(ExecBlock *b, const IrInst *inst)
{
    Wide *v = b->wide;
    switch ((WideKind)inst->wide) {
    case WIDE_MOV:
        return move(v, inst);
    case WIDE_CVTA:
        return change_space(v, inst);
    case WIDE_ADD:
        return wide_value_add(v, inst);
    case WIDE_SUB:
        return subtract(v, inst);
    case WIDE_MUL:
        return multiply(v, inst);
    case WIDE_MAD:
        return multiply_add(v, inst);
    case WIDE_SHL:
        return shift_left(v, inst);
    case WIDE_CVT:
        return convert(v, inst);
    case WIDE_SETP:
        return compare_values(v, inst);
    case WIDE_SELP:
        return select_value(v, inst);
    case WIDE_LOGIC:
        return logic(v, inst);
    case WIDE_SREG:
        return special(b, inst);
    case WIDE_PARAM:
        return parameter(b, inst);
    default:
        return false;
    }
}
