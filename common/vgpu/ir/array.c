/* Which array of shared memory an access is meant for: the variable that its address is worked out from.
 *
 *      mov.u32     %r1, tile;           %r1: tile
 *      mad.lo.s32  %r3, %r2, 4, %r1;    %r3: tile: a variable and a number make a place of that variable
 *      selp.b32    %r4, %r3, %r5, %p1;  %r4: tile if %r5 is too, else it is mixed: nothing is known
 *      st.shared   [%r4+8], %f1;        an access to tile, however far the number leads
 *
 * A block's shared variables lie side by side, so what goes past the end of one is inside of the next. A register has the join of all that is written to
 * it anywhere, from OPEN downwards, until nothing changes: PTX that a compiler writes has a register for each value. What an address of two variables, of one
 * that is masked, or of one that came through memory leads to is not known, and no access through it is held to an array.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>

/* What a register holds; VARIABLE + i: a place that belongs to the module's global i, in shared memory. */
enum { OPEN /* no write seen yet */, NUMBER, MIXED, VARIABLE };

typedef struct Arrays {
    const Decoder *d;
    uint32_t *held; /* [register] */
    uint32_t value; /* what the instruction at hand writes */
    bool changed;
} Arrays;

static uint32_t join(uint32_t a, uint32_t b)
{
    if (a == OPEN || a == b)
        return b;
    return b == OPEN ? a : MIXED;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    if (a == OPEN || b == OPEN)
        return OPEN;
    if (a == NUMBER)
        return b;
    return b == NUMBER ? a : MIXED;
}

static uint32_t held_by(const Arrays *x, const IrOperand *o)
{
    if (o->kind == IR_REG && o->bytes > 0)
        return x->held[o->off];
    if (o->kind != IR_CONST)
        return NUMBER;
    const PoolEntry *e = pool_entry(&x->d->pool, o->off);
    return e->kind == POOL_SHARED ? VARIABLE + e->symbol : NUMBER;
}

/* Arithmetic that makes no place of a variable out of one. */
static uint32_t number_of(const Arrays *x, const IrInst *in, unsigned from, unsigned n)
{
    uint32_t value = NUMBER;
    for (unsigned i = from; i < from + n; i++)
        if (held_by(x, &in->src[i]) >= MIXED)
            value = MIXED;
    return value;
}

static uint32_t value_of(const Arrays *x, const IrInst *in)
{
    const IrOperand *src = in->src;
    switch (in->opcode) {
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_CVT:
        return in->vec ? MIXED : held_by(x, &src[0]);
    case PTX_ADD:
    case PTX_OR: /* a place that is a multiple of a power of two, and less than that */
        return sum(held_by(x, &src[0]), held_by(x, &src[1]));
    case PTX_SUB:
        return held_by(x, &src[1]) >= MIXED ? MIXED : sum(held_by(x, &src[0]), held_by(x, &src[1]));
    case PTX_MAD:
        return sum(number_of(x, in, 0, 2), held_by(x, &src[2]));
    case PTX_SELP:
        return join(held_by(x, &src[0]), held_by(x, &src[1]));
    case PTX_LD:
    case PTX_LDU:
    case PTX_ATOM:
        return NUMBER;
    default:
        return number_of(x, in, 0, 4);
    }
}

static void write_reg(void *self, IrOperand *o, bool is_dest)
{
    Arrays *x = self;
    if (!is_dest || o->bytes == 0)
        return;
    uint32_t now = join(x->held[o->off], x->value);
    x->changed |= now != x->held[o->off];
    x->held[o->off] = now;
}

/* Each register goes down three steps at most. */
static void settle(Arrays *x, IrFunction *f)
{
    do {
        x->changed = false;
        for (uint32_t pc = 0; pc < f->n_insts; pc++) {
            x->value = value_of(x, &f->insts[pc]);
            ir_visit_regs(&f->insts[pc], write_reg, x);
        }
    } while (x->changed);
}

static bool is_access(const IrInst *in)
{
    bool accesses = in->opcode == PTX_LD || in->opcode == PTX_ST || in->opcode == PTX_ATOM || in->opcode == PTX_RED;
    return accesses && (in->space == SPACE_SHARED || in->space == SPACE_GENERIC);
}

bool arrays_find(Decoder *d)
{
    IrFunction *f = d->f;
    if (d->uses->n_shared == 0)
        return true;
    f->shared_variable = link_alloc(d->l, f->n_insts, sizeof *f->shared_variable);
    Arrays x = {.d = d, .held = calloc(d->n_regs + 1, sizeof *x.held)};
    if (f->shared_variable && x.held) {
        settle(&x, f);
        for (uint32_t pc = 0; pc < f->n_insts; pc++) {
            uint32_t at = is_access(&f->insts[pc]) ? held_by(&x, &f->insts[pc].src[0]) : NUMBER;
            f->shared_variable[pc] = at >= VARIABLE ? at - VARIABLE + 1 : 0;
        }
    } else if (!x.held) {
        link_no_memory(d->l);
    }
    free(x.held);
    return !d->l->status;
}
