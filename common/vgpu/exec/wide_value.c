/* Values of a whole block: base + x * step[0] + y * step[1] + z * step[2] in thread (x, y, z).
 *
 * All arithmetic here is modulo the register's width, as the threads' own is; sums and products with what all
 * threads have keep the form. Where a value is looked at as a number (comparisons, wider results), it must be
 * shown that no thread's wraps: the ends of its range do.
 */
#include "common/vgpu/exec/wide.h"

#include <string.h>

/* Numbers whose sums and products of a few cannot leave 64 bits. */
#define BASE_MAX ((int64_t)1 << 62)
#define STEP_MAX ((int64_t)1 << 40)

static WideValue uniform(uint64_t base)
{
    return (WideValue){.base = base};
}

/* One form for each value: steps are signed. */
static WideValue cut(WideValue x, unsigned bytes)
{
    if (bytes == 8)
        return x;
    x.base = bytes == 4 ? (uint32_t)x.base : (uint16_t)x.base;
    for (int i = 0; i < 3; i++)
        x.step[i] = bytes == 4 ? (int32_t)x.step[i] : (int16_t)x.step[i];
    return x;
}

static WideValue combine(const WideValue *a, const WideValue *b, uint64_t sign)
{
    WideValue x = {.base = a->base + sign * b->base};
    for (int i = 0; i < 3; i++)
        x.step[i] = (int64_t)((uint64_t)a->step[i] + sign * (uint64_t)b->step[i]);
    return x;
}

static WideValue scale(const WideValue *a, uint64_t factor)
{
    WideValue x = {.base = a->base * factor};
    for (int i = 0; i < 3; i++)
        x.step[i] = (int64_t)((uint64_t)a->step[i] * factor);
    return x;
}

static uint64_t word_at(const void *from, unsigned bytes)
{
    uint64_t word = 0;
    memcpy(&word, from, bytes); /* little endian, as PTX is */
    return word;
}

bool wide_known(const Wide *v, const IrOperand *o, WideValue *x)
{
    if (o->kind == IR_CONST && o->bytes && o->bytes <= 8) {
        *x = uniform(word_at(v->code->pool + o->off, o->bytes));
        return true;
    }
    if (o->kind != IR_REG || !o->bytes || o->bytes > 8)
        return false;
    uint8_t held = v->held[o->off / 4];
    if (held == HELD_NOTHING)
        *x = uniform(0);
    else
        *x = v->values[o->off / 64];
    return held != HELD_LANES;
}

void wide_set(Wide *v, const IrOperand *o, const WideValue *x)
{
    v->values[o->off / 64] = cut(*x, o->bytes);
    v->held[o->off / 4] = HELD_AFFINE;
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

static void spread_predicate(ExecBlock *b, uint32_t off)
{
    uint8_t *held = &b->wide->held[off / 4];
    uint32_t bits = *held & HELD_TRUE ? FULL_MASK : 0;
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        memcpy(b->warps[i].base.regs + off, &bits, sizeof bits);
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
    if (bytes == 2)
        spread2(b, off, x);
    else if (bytes == 4)
        spread4(b, off, x);
    else
        spread8(b, off, x);
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

bool wide_range(const WideValue *x, const uint32_t most[3], bool is_signed, unsigned bytes, int64_t *low,
                int64_t *high)
{
    int64_t base = bytes == 4 && is_signed ? (int32_t)x->base : (int64_t)x->base;
    if (base < -BASE_MAX || base > BASE_MAX || (base < 0 && !is_signed))
        return false;
    *low = *high = base;
    for (int i = 0; i < 3; i++) {
        if (x->step[i] < -STEP_MAX || x->step[i] > STEP_MAX)
            return false;
        int64_t reach = x->step[i] * (int64_t)most[i];
        *(reach < 0 ? low : high) += reach;
    }
    if (bytes == 8)
        return is_signed || *low >= 0;
    return is_signed ? *low >= INT32_MIN && *high <= INT32_MAX : *low >= 0 && *high <= UINT32_MAX;
}

/* A value of 32 bits as one of 64. */
static bool widen(const Wide *v, WideValue *x, bool is_signed)
{
    int64_t low, high;
    if (!wide_range(x, v->most, is_signed, 4, &low, &high))
        return false;
    if (is_signed)
        x->base = (uint64_t)(int64_t)(int32_t)x->base;
    return true;
}

static bool is_signed_type(uint8_t type)
{
    return ptx_type_class((PtxType)type) == PTX_TYPES_SIGNED;
}

static bool multiply(const Wide *v, const IrInst *inst, WideValue *x)
{
    WideValue a, b;
    if (!wide_known(v, &inst->src[0], &a) || !wide_known(v, &inst->src[1], &b) ||
        (!wide_is_uniform(&a) && !wide_is_uniform(&b)))
        return false;
    bool is_signed = is_signed_type(inst->type);
    if (inst->mode == MUL_WIDE && (!widen(v, &a, is_signed) || !widen(v, &b, is_signed)))
        return false;
    *x = wide_is_uniform(&b) ? scale(&a, b.base) : scale(&b, a.base);
    return true;
}

static bool shift_left(const Wide *v, const IrInst *inst, WideValue *x)
{
    WideValue a, b;
    if (!wide_known(v, &inst->src[0], &a) || !wide_known(v, &inst->src[1], &b) || !wide_is_uniform(&b))
        return false;
    *x = b.base >= inst->dst.bytes * 8u ? uniform(0) : scale(&a, (uint64_t)1 << b.base);
    return true;
}

static bool convert(const Wide *v, const IrInst *inst, WideValue *x)
{
    if (!wide_known(v, &inst->src[0], x))
        return false;
    return inst->dst.bytes <= inst->src[0].bytes || widen(v, x, is_signed_type(inst->type2));
}

/* -1: threads differ, or it cannot be told. */
static int compare(uint8_t cmp, int64_t low, int64_t high)
{
    switch (cmp) {
    case CMP_EQ:
        return low == 0 && high == 0 ? 1 : low > 0 || high < 0 ? 0 : -1;
    case CMP_NE:
        return low == 0 && high == 0 ? 0 : low > 0 || high < 0 ? 1 : -1;
    case CMP_LT:
    case CMP_LO:
        return high < 0 ? 1 : low >= 0 ? 0 : -1;
    case CMP_LE:
    case CMP_LS:
        return high <= 0 ? 1 : low > 0 ? 0 : -1;
    case CMP_GT:
    case CMP_HI:
        return low > 0 ? 1 : high <= 0 ? 0 : -1;
    case CMP_GE:
    case CMP_HS:
        return low >= 0 ? 1 : high < 0 ? 0 : -1;
    default:
        return -1;
    }
}

static bool compare_values(Wide *v, const IrInst *inst)
{
    WideValue a, b;
    int64_t low, high;
    bool is_signed = is_signed_type(inst->type);
    unsigned bytes = inst->src[0].bytes;
    if (!wide_known(v, &inst->src[0], &a) || !wide_known(v, &inst->src[1], &b) ||
        !wide_range(&a, v->most, is_signed, bytes, &low, &high) ||
        !wide_range(&b, v->most, is_signed, bytes, &low, &high))
        return false;
    if (is_signed && bytes == 4) {
        a.base = (uint64_t)(int64_t)(int32_t)a.base;
        b.base = (uint64_t)(int64_t)(int32_t)b.base;
    }
    WideValue difference = combine(&a, &b, (uint64_t)-1);
    low = high = (int64_t)difference.base;
    for (int i = 0; i < 3; i++) {
        int64_t reach = difference.step[i] * (int64_t)v->most[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    int outcome = compare(inst->cmp, low, high);
    if (outcome >= 0)
        set_predicate(v, &inst->dst, outcome);
    return outcome >= 0;
}

static bool select_value(const Wide *v, const IrInst *inst, WideValue *x)
{
    int which = wide_predicate(v, &inst->src[2]);
    return which >= 0 && wide_known(v, &inst->src[which ? 0 : 1], x);
}

/* and, or, not of predicates: one known side may decide. */
static bool logic(Wide *v, const IrInst *inst)
{
    int a = wide_predicate(v, &inst->src[0]);
    int b = inst->opcode == PTX_NOT ? 0 : wide_predicate(v, &inst->src[1]), outcome;
    if (inst->opcode == PTX_NOT)
        outcome = a < 0 ? -1 : !a;
    else if (inst->opcode == PTX_AND)
        outcome = a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : 1;
    else
        outcome = a == 1 || b == 1 ? 1 : a < 0 || b < 0 ? -1 : 0;
    if (outcome >= 0)
        set_predicate(v, &inst->dst, outcome);
    return outcome >= 0;
}

static bool special(ExecBlock *b, const IrInst *inst, WideValue *x)
{
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    if (sreg <= PTX_SREG_TID_Z) {
        *x = uniform(0);
        x->step[sreg - PTX_SREG_TID_X] = b->wide->most[sreg - PTX_SREG_TID_X] ? 1 : 0;
        return true;
    }
    if (sreg_differs_by_lane(sreg) || sreg == PTX_SREG_WARPID)
        return false;
    *x = uniform(sreg_of_warp(&b->warps[0].base, sreg));
    return true;
}

static bool parameter(const ExecBlock *b, const IrInst *inst, WideValue *x)
{
    const ExecRun *run = b->run;
    uint64_t at = (uint64_t)inst->offset, bytes = inst->dst.bytes;
    if (at % bytes || run->entry->param_bytes < bytes || at > run->entry->param_bytes - bytes)
        return false;
    *x = uniform(word_at(run->launch->params + at, (unsigned)bytes));
    return true;
}

static bool move(const Wide *v, const IrInst *inst, WideValue *x)
{
    if (inst->src[0].kind != IR_FRAME)
        return wide_known(v, &inst->src[0], x);
    *x = uniform(inst->src[0].off); /* the kernel's frame begins at 0 */
    return true;
}

static bool change_space(const Wide *v, const IrInst *inst, WideValue *x)
{
    if (!wide_known(v, &inst->src[0], x))
        return false;
    uint64_t window = exec_window_of(inst->space);
    x->base += inst->to ? 0 - window : window;
    return true;
}

static bool add(const Wide *v, const IrInst *inst, WideValue *x)
{
    WideValue a, b;
    if (!wide_known(v, &inst->src[0], &a) || !wide_known(v, &inst->src[1], &b))
        return false;
    *x = combine(&a, &b, inst->opcode == PTX_SUB ? (uint64_t)-1 : 1);
    return true;
}

static bool multiply_add(const Wide *v, const IrInst *inst, WideValue *x)
{
    WideValue product, c;
    if (!wide_known(v, &inst->src[2], &c) || !multiply(v, inst, &product))
        return false;
    *x = combine(&product, &c, 1);
    return true;
}

static bool value_of(ExecBlock *b, const IrInst *inst, WideValue *x)
{
    const Wide *v = b->wide;
    switch ((WideKind)inst->wide) {
    case WIDE_MOV:
        return move(v, inst, x);
    case WIDE_CVTA:
        return change_space(v, inst, x);
    case WIDE_ADD:
    case WIDE_SUB:
        return add(v, inst, x);
    case WIDE_MUL:
        return multiply(v, inst, x);
    case WIDE_MAD:
        return multiply_add(v, inst, x);
    case WIDE_SHL:
        return shift_left(v, inst, x);
    case WIDE_CVT:
        return convert(v, inst, x);
    case WIDE_SELP:
        return select_value(v, inst, x);
    case WIDE_SREG:
        return special(b, inst, x);
    case WIDE_PARAM:
        return parameter(b, inst, x);
    default:
        return false;
    }
}

bool wide_compute(ExecBlock *b, const IrInst *inst)
{
    WideValue x;
    if (inst->wide == WIDE_SETP)
        return compare_values(b->wide, inst);
    if (inst->wide == WIDE_LOGIC)
        return logic(b->wide, inst);
    if (!value_of(b, inst, &x))
        return false;
    wide_set(b->wide, &inst->dst, &x);
    return true;
}
