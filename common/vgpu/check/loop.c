/* Loops that take another number of turns in each thread of a block: no barrier fits into one.
 *
 *      for (int j = first[t]; j < first[t + 1]; j++)      L: ...                      registers that differ from thread to
 *          sum[row[j]] += value[j];                          setp %p, %j, %end        thread: made of %tid, of what is loaded
 *                                                            @%p bra L                from such an address, of atomics...
 *
 * A loop is what lies between a branch back and its target. What registers are made of is looked at without regard to order, and
 * values that a branch chooses count as what they are made of.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>

typedef struct Varying {
    const IrFunction *f;
    bool *regs; /* by IrOperand.off: differs among the threads of a block */
    bool changed;
} Varying;

static bool is_of_thread(uint32_t sreg)
{
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID:
    case PTX_SREG_WARPID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

static bool varies(const Varying *v, const IrOperand *o)
{
    return o->kind == IR_SREG ? is_of_thread(o->off) : o->kind == IR_REG && v->regs[o->off];
}

static void set_varying(Varying *v, const IrOperand *o)
{
    if (o->kind != IR_REG || v->regs[o->off])
        return;
    v->regs[o->off] = v->changed = true;
}

static void varying_step(Varying *v, const IrInst *in)
{
    uint32_t written = ir_vec_dests(in);
    bool any = varies(v, &in->guard) || in->opcode == PTX_ATOM || in->opcode == PTX_SHFL;
    for (int i = 0; i < 4; i++)
        any |= varies(v, &in->src[i]);
    for (uint32_t i = written; in->vec && i < in->n_vec; i++)
        any |= varies(v, &in->vec[i]);
    if (!any)
        return;
    set_varying(v, &in->dst);
    set_varying(v, &in->dst2);
    for (uint32_t i = 0; in->vec && i < written; i++)
        set_varying(v, &in->vec[i]);
}

static bool is_barrier(const IrInst *in)
{
    return (in->opcode == PTX_BAR || in->opcode == PTX_BARRIER) && in->mode != BAR_WARP;
}

/* The loop [first, last]: is it left by a branch that differs from thread to thread, and by no barrier held together? */
static bool differs(const Varying *v, uint32_t first, uint32_t last)
{
    bool apart = false;
    for (uint32_t pc = first; pc <= last; pc++) {
        const IrInst *in = &v->f->insts[pc];
        if (is_barrier(in))
            return false;
        bool leaves = in->opcode == PTX_BRA && (pc == last || in->target < first || in->target > last);
        apart |= leaves && varies(v, &in->guard);
    }
    return apart;
}

bool loop_differs(const IrFunction *f, uint32_t pc, uint32_t other)
{
    Varying v = {.f = f, .regs = calloc((size_t)f->reg_bytes + 1, sizeof *v.regs), .changed = true};
    bool found = false;
    while (v.regs && v.changed) {
        v.changed = false;
        for (uint32_t at = 0; at < f->n_insts; at++)
            varying_step(&v, &f->insts[at]);
    }
    for (uint32_t at = pc > other ? pc : other; v.regs && !found && at < f->n_insts; at++) {
        const IrInst *in = &f->insts[at];
        bool around = in->opcode == PTX_BRA && in->target <= pc && in->target <= other;
        found = around && differs(&v, in->target, at);
    }
    free(v.regs);
    return found;
}

/* A barrier of the source stands between the lines of the two. */
static bool has_barrier_between_lines(const IrModule *m, const IrFunction *f, const IrLoc *a, const IrLoc *b)
{
    uint32_t low = a->line < b->line ? a->line : b->line, high = a->line < b->line ? b->line : a->line;
    for (uint32_t at = 0; a->file == b->file && at < f->n_insts; at++) {
        const IrLoc *l = is_barrier(&f->insts[at]) ? ir_place(m, f, at) : NULL;
        if (l && l->file == a->file && l->line > low && l->line < high)
            return true;
    }
    return false;
}

static bool is_at(const IrLoc *l, const IrLoc *place)
{
    return l && l->file == place->file && l->line == place->line && l->column == place->column;
}

/* The two lines by turns, with the same operations, twice each at least: a loop that the compiler has unrolled. A loop of each in straight code is
 * none around them. */
static bool are_repeated_by_turns(const IrModule *m, const IrFunction *f, uint32_t pc, uint32_t other)
{
    enum { GROUPS = 4 };
    const IrLoc *a = ir_place(m, f, pc), *b = ir_place(m, f, other), *last = NULL;
    int groups = 0;
    for (uint32_t at = 0; at < f->n_insts; at++) {
        const IrLoc *l = ir_place(m, f, at);
        const IrLoc *now = is_at(l, a) && f->insts[at].opcode == f->insts[pc].opcode      ? a
                           : is_at(l, b) && f->insts[at].opcode == f->insts[other].opcode ? b
                                                                                          : NULL;
        groups += now && now != last;
        last = now ? now : last;
    }
    return groups >= GROUPS;
}

/* Whether `to` can come after `from`. */
static bool can_follow(const IrFunction *f, uint32_t from, uint32_t to)
{
    uint32_t *left = calloc((size_t)f->n_insts + 1, sizeof *left), n = 1;
    bool *seen = calloc((size_t)f->n_insts + 1, sizeof *seen);
    if (left)
        left[0] = from;
    while (left && seen && n && !seen[to]) {
        const uint32_t at = left[--n];
        const IrInst *in = at < f->n_insts ? &f->insts[at] : NULL;
        const uint32_t branches = in ? ir_n_targets(in) : 0;
        for (uint32_t i = 0; in && i < branches + ir_goes_on(in); i++) {
            uint32_t pc = i < branches ? ir_target_at(in, i) : at + 1;
            if (!seen[pc])
                left[n++] = pc;
            seen[pc] = true;
        }
    }
    bool found = seen && seen[to];
    free(left);
    free(seen);
    return found;
}

bool loop_has_barrier_between(const IrModule *m, const IrFunction *f, uint32_t pc, uint32_t other)
{
    const IrLoc *a = ir_place(m, f, pc), *b = ir_place(m, f, other);
    if (!a || !b || !has_barrier_between_lines(m, f, a, b))
        return false;
    return (can_follow(f, pc, other) && can_follow(f, other, pc)) || are_repeated_by_turns(m, f, pc, other);
}
