/* Volatile loads that poll: flags, as told from data.
 *
 *      while (*flag == 0);       ld.volatile %1, [%f]    a comparison asks for the value: the thread waits for another, or looks
 *                                setp %p, %1, 0          whether one has come
 *
 *      v[t] += v[t + 16];        ld.volatile %1, [%v]    nobody asks: the value is taken as data, so that somebody must have
 *                                add %3, %2, %1          put it there before
 *                                st.volatile [%t], %3
 *
 * The value is followed through registers, instruction by instruction. Where it leads out of sight it counts as a flag.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>

enum { FOLLOWED_MAX = 64, POLLED_INSTS_MAX = 1 << 16 };

typedef struct Followed {
    const IrFunction *f;
    uint32_t reg[FOLLOWED_MAX]; /* registers that hold the value somewhere (IrOperand.off) */
    uint32_t n;
    uint64_t *before; /* [n_insts + 1]: those of them that hold it before an instruction, a bit each */
    bool asked, changed;
} Followed;

/* The bit of a register; 0: it is not followed, or (make) there are too many. */
static uint64_t bit_of(Followed *f, const IrOperand *o, bool make)
{
    if (o->kind != IR_REG)
        return 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->reg[i] == o->off)
            return (uint64_t)1 << i;
    if (!make)
        return 0;
    f->asked |= f->n == FOLLOWED_MAX;
    if (f->asked)
        return 0;
    f->reg[f->n] = o->off;
    return (uint64_t)1 << f->n++;
}

static bool writes_vec(const IrInst *in)
{
    return in->vec && (in->opcode == PTX_LD || (in->opcode == PTX_MOV && in->dst.kind == IR_NONE));
}

static uint64_t read_by(Followed *f, const IrInst *in)
{
    uint64_t bits = bit_of(f, &in->guard, false);
    for (int i = 0; i < 4; i++)
        bits |= bit_of(f, &in->src[i], false);
    for (uint32_t i = 0; in->vec && !writes_vec(in) && i < in->n_vec; i++)
        bits |= bit_of(f, &in->vec[i], false);
    return bits;
}

static uint64_t written_by(Followed *f, const IrInst *in, bool make)
{
    uint64_t bits = bit_of(f, &in->dst, make) | bit_of(f, &in->dst2, make);
    for (uint32_t i = 0; writes_vec(in) && i < in->n_vec; i++)
        bits |= bit_of(f, &in->vec[i], make);
    return bits;
}

static void flow(Followed *f, uint32_t pc, uint64_t bits)
{
    if (pc <= f->f->n_insts && bits & ~f->before[pc]) {
        f->before[pc] |= bits;
        f->changed = true;
    }
}

/* What is done with the value leads out of sight, or asks for it. */
static bool asks(const IrInst *in)
{
    bool leaves = in->call || in->n_targets ||
                  (in->opcode == PTX_ST && (in->space == SPACE_FRAME || in->space == SPACE_LOCAL));
    return leaves || in->opcode == PTX_SETP || in->opcode == PTX_SET || in->opcode == PTX_SELP || in->opcode == PTX_SLCT ||
           ptx_opcode_class((PtxOpcode)in->opcode) == PTX_CLASS_WARP;
}

static void followed_step(Followed *f, uint32_t pc)
{
    const IrInst *in = &f->f->insts[pc];
    uint64_t bits = f->before[pc];
    bool takes = read_by(f, in) & bits, guarded = in->guard.kind != IR_NONE;
    f->asked |= takes && asks(in);
    if (!guarded)
        bits &= ~written_by(f, in, false);
    if (takes)
        bits |= written_by(f, in, true);
    if (in->opcode == PTX_BRA)
        flow(f, in->target, bits);
    for (uint32_t i = 0; i < in->n_targets; i++)
        flow(f, in->targets[i], bits);
    bool ends = in->opcode == PTX_RET || in->opcode == PTX_EXIT || in->opcode == PTX_TRAP || in->opcode == PTX_BRA;
    if (!ends || guarded)
        flow(f, pc + 1, bits);
}

bool polled_is(const IrFunction *f, uint32_t pc)
{
    const IrInst *load = &f->insts[pc];
    if (load->opcode != PTX_LD || load->vec || load->dst.kind != IR_REG || f->n_insts > POLLED_INSTS_MAX)
        return true;
    Followed value = {.f = f, .before = calloc((size_t)f->n_insts + 1, sizeof *value.before)};
    if (!value.before)
        return true;
    flow(&value, pc + 1, bit_of(&value, &load->dst, true));
    while (value.changed && !value.asked) {
        value.changed = false;
        for (uint32_t at = 0; at < f->n_insts && !value.asked; at++)
            if (value.before[at])
                followed_step(&value, at);
    }
    free(value.before);
    return value.asked;
}
