/* Guesses: plain reads whose value only goes into a compare-and-swap of the same place, which finds out whether it is old.
 *
 *      old = *a;                           ld    %1, [%a]
 *      do {                             L: add   %2, %1, 5
 *          assumed = old;                  cas   %3, [%a], %1, %2
 *          old = atomicCAS(a, assumed,     setp  %p, %1, %3
 *                          assumed + 5);   mov   %1, %3
 *      } while (assumed != old);           @%p bra L
 *
 * The value is followed forward, instruction by instruction, through registers. What each may hold is marked:
 *
 *      VALUE    the value, or what arithmetic made of it       RESULT   what a compare-and-swap gave
 *      PLACE    the address that was read
 *
 * A VALUE may go into arithmetic, into compare and new value of a compare-and-swap, and into a comparison with its RESULT. A branch
 * that it decides may only choose between pieces of arithmetic. Every other use is one that an old value would harm. When the marks do not
 * fit, the answer is no.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>

enum { VALUE = 1, RESULT = 2, PLACE = 4, MARKS_MAX = 32, GUESS_INSTS_MAX = 1 << 16 };

typedef struct Mark {
    uint32_t reg; /* IrOperand.off */
    uint32_t bits;
} Mark;

/* What registers hold before an instruction. */
typedef struct Marks {
    Mark at[MARKS_MAX];
    uint32_t n;
    bool seen;
} Marks;

typedef struct Guess {
    const IrFunction *f;
    Marks *before;   /* [n_insts + 1] */
    uint32_t *until; /* [n_insts + 1]: below this pc what is written depends on a VALUE: a branch decided */
    const IrInst *read;
    uint32_t swap; /* the other access's pc in this function, or IR_NO_PC */
    bool refused, reached, changed;
} Guess;

static uint32_t marks_of(const Marks *m, const IrOperand *o)
{
    for (uint32_t i = 0; o->kind == IR_REG && i < m->n; i++)
        if (m->at[i].reg == o->off)
            return m->at[i].bits;
    return 0;
}

static void add_marks(Guess *g, Marks *m, uint32_t reg, uint32_t bits)
{
    uint32_t i = 0;
    while (i < m->n && m->at[i].reg != reg)
        i++;
    if (i == MARKS_MAX) {
        g->refused = true;
        return;
    }
    if (i == m->n)
        m->at[m->n++] = (Mark){.reg = reg};
    m->at[i].bits |= bits;
}

/* The register holds what bits say; under a guard perhaps still what it held. */
static void set_marks(Guess *g, Marks *m, const IrOperand *o, uint32_t bits, bool guarded)
{
    if (o->kind != IR_REG)
        return;
    for (uint32_t i = 0; !guarded && i < m->n; i++)
        if (m->at[i].reg == o->off)
            m->at[i--] = m->at[--m->n];
    if (bits)
        add_marks(g, m, o->off, bits);
}

static bool holds_value(const Marks *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->at[i].bits & VALUE)
            return true;
    return false;
}

/* Control comes to pc with these marks. */
static void flow(Guess *g, uint32_t pc, const Marks *m)
{
    if (pc > g->f->n_insts || !holds_value(m))
        return;
    Marks *to = &g->before[pc];
    Marks old = *to;
    for (uint32_t i = 0; i < m->n; i++)
        add_marks(g, to, m->at[i].reg, m->at[i].bits);
    bool same = old.seen && old.n == to->n;
    for (uint32_t i = 0; same && i < old.n; i++)
        same = old.at[i].bits == to->at[i].bits;
    to->seen = true;
    g->changed |= !same;
}

static bool is_arithmetic(const IrInst *in)
{
    PtxClass c = ptx_opcode_class((PtxOpcode)in->opcode);
    return (c == PTX_CLASS_ARITH || c == PTX_CLASS_FLOAT || c == PTX_CLASS_SPECIAL) && !in->carry_in && !in->carry_out;
}

static uint32_t marks_read(const Marks *m, const IrInst *in)
{
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= marks_of(m, &in->src[i]);
    bool unpacks = in->opcode == PTX_MOV && in->dst.kind == IR_NONE; /* then vec is written */
    for (uint32_t i = 0; in->vec && !unpacks && i < in->n_vec; i++)
        bits |= marks_of(m, &in->vec[i]);
    return bits;
}

/* if (value != what the swap gave) */
static bool asks_for_success(const Marks *m, const IrInst *in)
{
    bool equal = in->cmp == CMP_EQ || in->cmp == CMP_NE || in->cmp == CMP_EQU || in->cmp == CMP_NEU;
    uint32_t a = marks_of(m, &in->src[0]), b = marks_of(m, &in->src[1]);
    return in->opcode == PTX_SETP && equal && (((a & VALUE) && (b & RESULT)) || ((a & RESULT) && (b & VALUE)));
}

static void do_arithmetic(Guess *g, Marks *m, const IrInst *in, bool decided)
{
    bool copies = in->opcode == PTX_MOV || in->opcode == PTX_CVTA || in->opcode == PTX_CVT;
    uint32_t bits = marks_read(m, in);
    bits = copies ? bits : bits & VALUE;
    if (asks_for_success(m, in))
        bits = marks_of(m, &in->src[2]) & VALUE;
    if (decided || (marks_of(m, &in->guard) & VALUE))
        bits |= VALUE;
    bool guarded = in->guard.kind != IR_NONE;
    set_marks(g, m, &in->dst, bits, guarded);
    set_marks(g, m, &in->dst2, bits, guarded);
    for (uint32_t i = 0; in->vec && in->dst.kind == IR_NONE && i < in->n_vec; i++)
        set_marks(g, m, &in->vec[i], bits, guarded);
}

static bool is_swap(const IrInst *in)
{
    return in->opcode == PTX_ATOM && in->mode == ATOM_CAS && in->n_vec <= 1;
}

static bool is_same_place(const Guess *g, const Marks *m, const IrInst *in)
{
    const IrOperand *base = &in->src[0], *read = &g->read->src[0];
    bool same_constant = base->kind == IR_CONST && read->kind == IR_CONST && base->off == read->off;
    return in->offset == g->read->offset && (same_constant || (marks_of(m, base) & PLACE));
}

static void do_swap(Guess *g, Marks *m, const IrInst *in)
{
    uint32_t pc = (uint32_t)(in - g->f->insts), given = marks_of(m, &in->src[1]) | marks_of(m, &in->src[2]);
    bool takes = given & VALUE;
    bool elsewhere = takes && pc != g->swap && !is_same_place(g, m, in);
    /* a new value may only be stored over the old one that it was made of */
    bool blind = takes && !(marks_of(m, &in->src[1]) & (VALUE | RESULT));
    g->refused |= elsewhere || blind || (marks_of(m, &in->src[0]) & VALUE) || (marks_of(m, &in->guard) & VALUE);
    g->reached |= takes;
    set_marks(g, m, &in->dst, RESULT, in->guard.kind != IR_NONE);
}

/* A branch that a VALUE decides: both ways to where they meet are arithmetic. */
static bool chooses_arithmetic(Guess *g, uint32_t pc)
{
    const IrInst *in = &g->f->insts[pc];
    uint32_t end = in->reconverge;
    if (in->opcode != PTX_BRA || end == IR_NO_PC || end <= pc || in->target <= pc || in->target > end)
        return false;
    for (uint32_t at = pc + 1; at < end; at++) {
        const IrInst *inside = &g->f->insts[at];
        bool jumps = inside->opcode == PTX_BRA && inside->target > at && inside->target <= end;
        if (!jumps && !is_arithmetic(inside))
            return false;
    }
    for (uint32_t at = pc + 1; at < end; at++)
        if (g->until[at] < end) {
            g->until[at] = end;
            g->changed = true;
        }
    return true;
}

static void guess_step(Guess *g, uint32_t pc)
{
    const IrInst *in = &g->f->insts[pc];
    Marks m = g->before[pc];
    bool jumps = in->opcode == PTX_BRA, guarded = in->guard.kind != IR_NONE;
    bool decides = marks_of(&m, &in->guard) & VALUE;
    if (jumps) {
        g->refused |= decides && !chooses_arithmetic(g, pc);
        flow(g, in->target, &m);
        if (guarded)
            flow(g, pc + 1, &m);
        return;
    }
    if (is_swap(in)) {
        do_swap(g, &m, in);
    } else if (is_arithmetic(in)) {
        do_arithmetic(g, &m, in, g->until[pc] > pc);
    } else {
        g->refused |= decides || (marks_read(&m, in) & VALUE) || in->call || in->n_targets;
        set_marks(g, &m, &in->dst, 0, guarded);
        set_marks(g, &m, &in->dst2, 0, guarded);
        for (uint32_t i = 0; in->vec && i < in->n_vec; i++)
            set_marks(g, &m, &in->vec[i], 0, guarded);
    }
    bool ends = in->opcode == PTX_RET || in->opcode == PTX_EXIT || in->opcode == PTX_TRAP;
    if (!ends || guarded)
        flow(g, pc + 1, &m);
}

static bool follow(Guess *g, uint32_t pc)
{
    Marks first = {0};
    if (g->read->src[0].kind == IR_REG)
        add_marks(g, &first, g->read->src[0].off, PLACE);
    set_marks(g, &first, &g->read->dst, VALUE, false);
    flow(g, pc + 1, &first);
    while (g->changed && !g->refused) {
        g->changed = false;
        for (uint32_t at = 0; at < g->f->n_insts && !g->refused; at++)
            if (g->before[at].seen)
                guess_step(g, at);
    }
    return g->reached && !g->refused;
}

bool guess_is_checked(const IrFunction *f, uint32_t pc, uint32_t swap)
{
    const IrInst *read = &f->insts[pc];
    bool plain = read->opcode == PTX_LD && !read->vec && read->dst.kind == IR_REG && read->guard.kind == IR_NONE;
    if (!plain || f->n_insts > GUESS_INSTS_MAX)
        return false;
    size_t n = (size_t)f->n_insts + 1;
    Guess g = {.f = f, .read = read, .swap = swap, .before = calloc(n, sizeof *g.before), .until = calloc(n, sizeof *g.until)};
    bool checked = g.before && g.until && follow(&g, pc);
    free(g.before);
    free(g.until);
    return checked;
}
