/* Values of all threads of a launch, and what a plan demands of a block: see plan.h.
 *
 * The same arithmetic as in wide_value.c, with three more steps. What must not wrap is looked at for the
 * whole grid, so that it says nothing of a block; only what a comparison decides, and the ends of an
 * allocation, are conditions.
 */
#include "common/vgpu/exec/plan.h"

#include "common/vgpu/exec/affine.h"

#include <string.h>

#define NUMBER_MAX ((int64_t)1 << 62)

/* ---- registers ---- */

static uint64_t word_at(const uint8_t *from, unsigned bytes)
{
    uint64_t word = 0;
    memcpy(&word, from, bytes);
    return word;
}

bool plan_known(const PlanState *s, const IrOperand *o, PlanValue *x)
{
    *x = (PlanValue){0};
    if (o->bytes - 1u >= 8 || (o->kind != IR_REG && o->kind != IR_CONST))
        return false;
    if (o->kind == IR_CONST) {
        x->base = word_at(s->pool + o->off, o->bytes);
        return true;
    }
    uint8_t held = s->held[o->off / 4];
    if (held & HELD_AFFINE)
        *x = s->values[o->off / 64];
    return held != HELD_LANES && !(held & HELD_MIXED);
}

int plan_predicate(const PlanState *s, const IrOperand *o)
{
    int value;
    if (o->kind == IR_CONST) {
        value = s->pool[o->off] & 1;
    } else {
        uint8_t held = s->held[o->off / 4];
        if (held == HELD_LANES || held & (HELD_MIXED | HELD_FIRST))
            return -1;
        value = (held & HELD_TRUE) != 0;
    }
    return value ^ o->negated;
}

/* A number of the register's width; signed, so that there is one form for each step. */
static int64_t cut(uint64_t x, unsigned bytes)
{
    return bytes == 4 ? (int32_t)x : bytes == 2 ? (int16_t)x : (int64_t)x;
}

static void set(PlanState *s, const IrOperand *o, const PlanValue *x)
{
    PlanValue *to = &s->values[o->off / 64];
    to->base = o->bytes == 8 ? x->base : x->base & (((uint64_t)1 << 8 * o->bytes) - 1);
    for (int i = 0; i < PLAN_DIMS; i++)
        to->step[i] = s->most[i] ? cut((uint64_t)x->step[i], o->bytes) : 0;
    s->held[o->off / 4] = HELD_AFFINE;
}

static void set_predicate(PlanState *s, const IrOperand *o, bool value)
{
    s->held[o->off / 4] = value ? HELD_TRUE : HELD_FALSE;
}

static bool is_alike(const PlanValue *x)
{
    int64_t steps = 0;
    for (int i = 0; i < PLAN_DIMS; i++)
        steps |= x->step[i];
    return steps == 0;
}

/* ---- ranges and conditions ---- */

/* Adds what index * step comes to, at its ends. False: that is no number of 62 bits. */
static bool widen_range(int64_t step, uint32_t most, int64_t *low, int64_t *high)
{
    int64_t reach;
    if (__builtin_mul_overflow(step, (int64_t)most, &reach) ||
        __builtin_add_overflow(reach < 0 ? *low : *high, reach, reach < 0 ? low : high))
        return false;
    return *low >= -NUMBER_MAX && *high <= NUMBER_MAX;
}

bool plan_range(const PlanState *s, const PlanValue *x, bool is_signed, unsigned bytes, int64_t *below,
                int64_t *above)
{
    int64_t base = is_signed ? cut(x->base, bytes) : (int64_t)x->base, low = base, high = base;
    *below = *above = 0;
    if (base < -NUMBER_MAX || base > NUMBER_MAX)
        return false;
    for (int i = 0; i < PLAN_DIMS; i++)
        if (!widen_range(x->step[i], s->most[i], &low, &high) ||
            (i < 3 && !widen_range(x->step[i], s->most[i], below, above)))
            return false;
    if (!is_signed)
        return low >= 0 && (bytes == 8 || high <= UINT32_MAX);
    return bytes == 8 || (low >= INT32_MIN && high <= INT32_MAX);
}

static PlanMove *move_of(Plan *plan, const int64_t step[3])
{
    for (uint32_t i = 0; i < plan->n_moves; i++)
        if (memcmp(plan->moves[i].step, step, sizeof plan->moves[i].step) == 0)
            return &plan->moves[i];
    if (plan->n_moves == PLAN_MOVES_MAX)
        return NULL;
    PlanMove *m = &plan->moves[plan->n_moves++];
    *m = (PlanMove){.min = INT64_MIN, .max = INT64_MAX};
    memcpy(m->step, step, sizeof m->step);
    return m;
}

bool plan_demand(PlanState *s, const int64_t step[3], int64_t min, int64_t max, uint16_t *move)
{
    int64_t here = step[0] * s->at[0] + step[1] * s->at[1] + step[2] * s->at[2];
    PlanMove *m = here < min || here > max ? NULL : move_of(s->plan, step);
    if (!m)
        return false;
    m->min = min > m->min ? min : m->min;
    m->max = max < m->max ? max : m->max;
    *move = (uint16_t)(m - s->plan->moves);
    return true;
}

/* ---- arithmetic ---- */

static PlanValue sum(const PlanValue *a, const PlanValue *b, uint64_t factor)
{
    PlanValue x = {.base = a->base + factor * b->base};
    for (int i = 0; i < PLAN_DIMS; i++)
        x.step[i] = (int64_t)((uint64_t)a->step[i] + factor * (uint64_t)b->step[i]);
    return x;
}

/* A value of 32 bits is the same number in 64, in all threads. */
static bool widen(const PlanState *s, PlanValue *x, bool is_signed)
{
    int64_t below, above;
    if (!is_alike(x) && !plan_range(s, x, is_signed, 4, &below, &above))
        return false;
    if (is_signed)
        x->base = (uint64_t)cut(x->base, 4);
    return true;
}

static bool product(PlanState *s, const IrInst *inst, PlanValue c)
{
    PlanValue a, b;
    bool is_signed = affine_is_signed(inst->type);
    if (!plan_known(s, &inst->src[0], &a) || !plan_known(s, &inst->src[1], &b))
        return false;
    if (inst->mode == MUL_WIDE && (!widen(s, &a, is_signed) || !widen(s, &b, is_signed)))
        return false;
    bool first = is_alike(&a);
    if (!first && !is_alike(&b))
        return false;
    c = first ? sum(&c, &b, a.base) : sum(&c, &a, b.base);
    set(s, &inst->dst, &c);
    return true;
}

static bool shift_left(PlanState *s, const IrInst *inst)
{
    static const PlanValue zero;
    PlanValue a, b;
    if (!plan_known(s, &inst->src[0], &a) || !plan_known(s, &inst->src[1], &b) || !is_alike(&b))
        return false;
    a = sum(&zero, &a, b.base >= inst->dst.bytes * 8u ? 0 : (uint64_t)1 << b.base);
    set(s, &inst->dst, &a);
    return true;
}

static bool convert(PlanState *s, const IrInst *inst)
{
    PlanValue a;
    bool wider = inst->dst.bytes > inst->src[0].bytes;
    if (!plan_known(s, &inst->src[0], &a) || (wider && !widen(s, &a, affine_is_signed(inst->type2))))
        return false;
    set(s, &inst->dst, &a);
    return true;
}

/* a - b, as numbers. */
static bool difference(const PlanState *s, const IrInst *inst, PlanValue *d, int64_t *below, int64_t *above)
{
    PlanValue a, b;
    bool is_signed = affine_is_signed(inst->type);
    unsigned bytes = inst->src[0].bytes;
    if (!plan_known(s, &inst->src[0], &a) || !plan_known(s, &inst->src[1], &b) ||
        !plan_range(s, &a, is_signed, bytes, below, above) ||
        !plan_range(s, &b, is_signed, bytes, below, above))
        return false;
    if (is_signed) {
        a.base = (uint64_t)cut(a.base, bytes);
        b.base = (uint64_t)cut(b.base, bytes);
    }
    *d = sum(&a, &b, (uint64_t)-1);
    return plan_range(s, d, true, 8, below, above);
}

static bool compare(PlanState *s, const IrInst *inst)
{
    PlanValue d;
    int64_t below, above;
    uint16_t move;
    if (!difference(s, inst, &d, &below, &above))
        return false;
    const int64_t base = (int64_t)d.base, *step = d.step + 3;
    int64_t here = base + step[0] * s->at[0] + step[1] * s->at[1] + step[2] * s->at[2];
    AffineSide side = affine_side(inst->cmp, here + below, here + above);
    if (!side.decided || !plan_demand(s, step, side.from ? side.at_least - base - below : INT64_MIN,
                                      side.to ? side.at_most - base - above : INT64_MAX, &move))
        return false;
    set_predicate(s, &inst->dst, side.outcome);
    return true;
}

void plan_note_first(PlanState *s, const IrInst *inst)
{
    PlanValue d;
    int64_t below, above;
    uint32_t n = 1;
    if (inst->wide != WIDE_SETP || s->run->launch->block[1] * s->run->launch->block[2] > 1 ||
        !difference(s, inst, &d, &below, &above) || d.step[3] | d.step[4] | d.step[5])
        return;
    int64_t at = (int64_t)d.base;
    bool first = affine_side(inst->cmp, at, at).outcome;
    while (n <= s->most[0] && affine_side(inst->cmp, at + n * d.step[0], at + n * d.step[0]).outcome == first)
        n++;
    s->firsts[inst->dst.off / 4] = n;
    for (; n <= s->most[0]; n++)
        if (affine_side(inst->cmp, at + n * d.step[0], at + n * d.step[0]).outcome == first)
            return;
    s->held[inst->dst.off / 4] |= HELD_FIRST | (first ? HELD_TRUE : HELD_FALSE);
}

static bool select_value(PlanState *s, const IrInst *inst)
{
    PlanValue x;
    int which = plan_predicate(s, &inst->src[2]);
    if (which < 0 || !plan_known(s, &inst->src[which ? 0 : 1], &x))
        return false;
    set(s, &inst->dst, &x);
    return true;
}

static bool logic(PlanState *s, const IrInst *inst)
{
    int a = plan_predicate(s, &inst->src[0]), b = inst->opcode == PTX_NOT ? a : plan_predicate(s, &inst->src[1]);
    int outcome = affine_logic(inst->opcode, a, b);
    if (outcome >= 0)
        set_predicate(s, &inst->dst, outcome);
    return outcome >= 0;
}

static bool special(PlanState *s, const IrInst *inst)
{
    const ExecLaunch *l = s->run->launch;
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    PlanValue x = {0};
    if (sreg >= PTX_SREG_TID_X && sreg <= PTX_SREG_TID_Z)
        x.step[sreg - PTX_SREG_TID_X] = 1;
    else if (sreg >= PTX_SREG_CTAID_X && sreg <= PTX_SREG_CTAID_Z)
        x.step[3 + sreg - PTX_SREG_CTAID_X] = 1;
    else if (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z)
        x.base = l->block[sreg - PTX_SREG_NTID_X];
    else if (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z)
        x.base = l->grid[sreg - PTX_SREG_NCTAID_X];
    else
        return false;
    set(s, &inst->dst, &x);
    return true;
}

static bool parameter(PlanState *s, const IrInst *inst)
{
    uint64_t at = (uint64_t)inst->offset, bytes = inst->dst.bytes, all = s->run->entry->param_bytes;
    if (at & (bytes - 1) || all < bytes || at > all - bytes)
        return false;
    const PlanValue x = {.base = word_at(s->run->launch->params + at, (unsigned)bytes)};
    set(s, &inst->dst, &x);
    return true;
}

/* mov, cvta, add, sub. */
static bool add_up(PlanState *s, const IrInst *inst, bool two, uint64_t factor, uint64_t more)
{
    PlanValue a, b = {0};
    if (!plan_known(s, &inst->src[0], &a) || (two && !plan_known(s, &inst->src[1], &b)))
        return false;
    a = sum(&a, &b, factor);
    a.base += more;
    set(s, &inst->dst, &a);
    return true;
}

static bool compute_form(PlanState *s, const IrInst *inst)
{
    PlanValue c = {0};
    uint64_t window;
    switch ((WideKind)inst->wide) {
    case WIDE_MOV:
        return inst->src[0].kind != IR_FRAME && add_up(s, inst, false, 0, 0);
    case WIDE_CVTA:
        window = exec_window_of(inst->space);
        return add_up(s, inst, false, 0, inst->to ? 0 - window : window);
    case WIDE_ADD:
        return add_up(s, inst, true, 1, 0);
    case WIDE_SUB:
        return add_up(s, inst, true, (uint64_t)-1, 0);
    case WIDE_MUL:
        return product(s, inst, c);
    case WIDE_MAD:
        return plan_known(s, &inst->src[2], &c) && product(s, inst, c);
    case WIDE_SHL:
        return shift_left(s, inst);
    case WIDE_CVT:
        return convert(s, inst);
    case WIDE_SETP:
        return compare(s, inst);
    case WIDE_SELP:
        return select_value(s, inst);
    case WIDE_LOGIC:
        return logic(s, inst);
    case WIDE_SREG:
        return special(s, inst);
    case WIDE_PARAM:
        return parameter(s, inst);
    default:
        return false;
    }
}

/* ---- what is alike everywhere ---- */

static bool bring(const PlanState *s, const IrOperand *o)
{
    uint8_t *to = s->warp->regs + o->off;
    PlanValue x;
    if (o->kind == IR_CONST)
        return true;
    if (o->kind != IR_REG)
        return false;
    if (o->bytes == 0) {
        int value = plan_predicate(s, o);
        uint32_t bits = (value ^ o->negated) > 0 ? FULL_MASK : 0;
        memcpy(to, &bits, sizeof bits);
        return value >= 0;
    }
    if (!plan_known(s, o, &x) || !is_alike(&x))
        return false;
    for (int lane = 0; lane < WARP_LANES; lane++)
        memcpy(to + (size_t)lane * o->bytes, &x.base, o->bytes);
    return true;
}

static void plan_value_take(PlanState *s, const IrOperand *o)
{
    const uint8_t *from = s->warp->regs + o->off;
    if (o->kind != IR_REG)
        return;
    if (o->bytes == 0)
        set_predicate(s, o, from[0] & 1);
    else
        set(s, o, &(PlanValue){.base = word_at(from, o->bytes)});
}

/* By the warps' handler, in a warp of the walk's own. */
static bool compute_once(PlanState *s, const IrInst *inst)
{
    if (inst->wide >= WIDE_PURE || inst->wide == WIDE_SREG || inst->wide == WIDE_PARAM ||
        inst->dst.bytes > 8 || inst->dst2.bytes > 8)
        return false;
    for (uint32_t i = 0; i < inst->n_src; i++)
        if (!bring(s, &inst->src[i]))
            return false;
    inst->handler(s->warp, inst, FULL_MASK);
    plan_value_take(s, &inst->dst);
    plan_value_take(s, &inst->dst2);
    return true;
}

bool plan_compute(PlanState *s, const IrInst *inst)
{
    return compute_form(s, inst) || compute_once(s, inst);
}
