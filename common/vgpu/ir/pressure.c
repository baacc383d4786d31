/* How many registers a thread needs, without an assembler: an estimate, and the least.
 *
 * Both count 32-bit registers where most are live. Left out are values that an assembler need not keep:
 * constants, parameters, and what integer arithmetic makes of these alone. The estimate takes a value from
 * where it is written to its last use, and adds what assemblers take on top (registers.t holds it against
 * ptxas). For the least, a value that is made in a block counts from its first use there only: until then it
 * could be written later.
 *
 *      ld v; ...; add a, v, 1; ...; mul b, v, 3       estimate: |-------------|   least:    |-----|
 */
#include "common/vgpu/ir/form.h"
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

/* The estimate is 1.2 times what is live, and these. */
enum { ADDED_REGISTERS = 5 };

typedef struct Pressure {
    IrFunction *f;
    const Cfg *cfg;
    const Lives *lives;
    const uint8_t *reg_bytes;
    uint8_t *n_writes; /* [register], up to 2 */
    bool *is_cheap;    /* [register] */
    bool *is_held;     /* [register]: live where the walk stands */
    uint64_t *last;    /* [pc]: bit k: the k-th operand's value is not needed afterwards */
    uint32_t pc, k;
    bool all_cheap, from_write, guarded;
    uint64_t n16, peak16; /* in units of 16 bits */
} Pressure;

static uint32_t units(const Pressure *p, uint32_t reg)
{
    return p->is_cheap[reg] || p->reg_bytes[reg] < 2 ? 0 : p->reg_bytes[reg] / 2u;
}

static void hold(Pressure *p, uint32_t reg)
{
    if (!p->is_held[reg])
        p->n16 += units(p, reg);
    p->is_held[reg] = true;
    p->peak16 = p->n16 > p->peak16 ? p->n16 : p->peak16;
}

static void pressure_drop(Pressure *p, uint32_t reg)
{
    if (p->is_held[reg])
        p->n16 -= units(p, reg);
    p->is_held[reg] = false;
}

/* ---- values that need no register ---- */

static void count_write(void *self, IrOperand *o, bool is_dest)
{
    Pressure *p = self;
    if (is_dest && p->n_writes[o->off] < 2)
        p->n_writes[o->off]++;
}

static void look_at_source(void *self, IrOperand *o, bool is_dest)
{
    Pressure *p = self;
    p->all_cheap = p->all_cheap && (is_dest || p->is_cheap[o->off]);
}

static bool is_alike_for_all(PtxSreg sreg)
{
    return sreg != PTX_SREG_TID_X && sreg != PTX_SREG_TID_Y && sreg != PTX_SREG_TID_Z &&
           sreg != PTX_SREG_LANEID && sreg != PTX_SREG_WARPID;
}

/* Does the instruction make the same of the same, with no thread's own value in it? */
static bool is_cheap(Pressure *p, IrInst *in)
{
    bool param = in->opcode == PTX_LD && in->space == SPACE_PARAM;
    bool integer = in->opcode == PTX_ADD || in->opcode == PTX_SUB || in->opcode == PTX_MUL ||
                   in->opcode == PTX_MAD || in->opcode == PTX_SHL || in->opcode == PTX_SHR ||
                   in->opcode == PTX_AND || in->opcode == PTX_OR || in->opcode == PTX_CVT;
    bool kept = in->opcode == PTX_MOV || in->opcode == PTX_CVTA || (integer && !ir_is_float(in->type));
    if (in->dst.kind != IR_REG || in->guard.kind != IR_NONE || (!param && !kept))
        return false;
    for (int i = 0; i < 4; i++)
        if (in->src[i].kind == IR_SREG && !is_alike_for_all((PtxSreg)in->src[i].off))
            return false;
    p->all_cheap = true;
    ir_visit_regs(in, look_at_source, p);
    return p->all_cheap;
}

static void find_cheap(Pressure *p)
{
    for (uint32_t pc = 0; pc < p->f->n_insts; pc++)
        ir_visit_regs(&p->f->insts[pc], count_write, p);
    for (uint32_t pc = 0; pc < p->f->n_insts; pc++) {
        IrInst *in = &p->f->insts[pc];
        if (in->dst.kind == IR_REG && p->n_writes[in->dst.off] == 1)
            p->is_cheap[in->dst.off] = is_cheap(p, in);
    }
}

/* ---- a block ---- */

static void hold_set(Pressure *p, const uint64_t *set)
{
    for (size_t w = 0; w < p->lives->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            hold(p, p->lives->wide_reg[w * 64 + (size_t)__builtin_ctzll(bits)]);
}

static void hold_ends(Pressure *p, uint32_t block)
{
    for (uint32_t e = p->cfg->succ_begin[block]; e < p->cfg->succ_begin[block + 1]; e++)
        hold_set(p, p->lives->in + p->cfg->succ[e] * p->lives->words);
}

static void walk_up(void *self, IrOperand *o, bool is_dest)
{
    Pressure *p = self;
    if (is_dest || p->k >= 64) {
        p->k++;
        return;
    }
    if (!p->is_held[o->off])
        p->last[p->pc] |= UINT64_C(1) << p->k;
    p->k++;
}

static void note_use(void *self, IrOperand *o, bool is_dest)
{
    if (!is_dest)
        hold(self, o->off);
}

static void note_write(void *self, IrOperand *o, bool is_dest)
{
    Pressure *p = self;
    if (is_dest && !p->guarded)
        pressure_drop(p, o->off);
}

/* From the end up: exact lives, and where each value is used last. */
static void climb(Pressure *p, uint32_t block)
{
    hold_ends(p, block);
    for (p->pc = p->cfg->start[block + 1]; p->pc-- > p->cfg->start[block];) {
        IrInst *in = &p->f->insts[p->pc];
        p->guarded = in->guard.kind != IR_NONE;
        ir_visit_regs(in, note_write, p);
        p->k = 0;
        ir_visit_regs(in, walk_up, p);
        ir_visit_regs(in, note_use, p);
    }
}

static void step_down(void *self, IrOperand *o, bool is_dest)
{
    Pressure *p = self;
    bool last = p->k < 64 && p->last[p->pc] >> p->k & 1;
    p->k++;
    if (is_dest ? !p->guarded : last)
        pressure_drop(p, o->off);
    else if (!is_dest)
        hold(p, o->off);
}

static void clear(Pressure *p)
{
    memset(p->is_held, 0, p->lives->n * sizeof *p->is_held);
    p->n16 = 0;
}

/* From the beginning down: only what was used already and will be again. */
static void descend(Pressure *p, uint32_t block)
{
    hold_set(p, p->lives->in + block * p->lives->words);
    for (p->pc = p->cfg->start[block]; p->pc < p->cfg->start[block + 1]; p->pc++) {
        p->guarded = p->f->insts[p->pc].guard.kind != IR_NONE;
        p->k = 0;
        ir_visit_regs(&p->f->insts[p->pc], step_down, p);
    }
    clear(p);
    hold_ends(p, block);
}

static bool get_room(Pressure *p)
{
    p->n_writes = calloc(p->lives->n + 1, sizeof *p->n_writes);
    p->is_cheap = calloc(p->lives->n + 1, sizeof *p->is_cheap);
    p->is_held = calloc(p->lives->n + 1, sizeof *p->is_held);
    p->last = calloc(p->f->n_insts + 1, sizeof *p->last);
    return p->n_writes && p->is_cheap && p->is_held && p->last;
}

/* The most registers that are live at once in any block, by the walk. */
static uint32_t peak_of(Pressure *p, void (*walk)(Pressure *p, uint32_t block))
{
    p->peak16 = 0;
    for (uint32_t b = 0; b < p->cfg->n_blocks; b++) {
        clear(p);
        walk(p, b);
    }
    return (uint32_t)(p->peak16 / 2);
}

bool pressure_compute(IrFunction *f, const uint8_t *reg_bytes, const Cfg *cfg, const Lives *lives)
{
    Pressure p = {.f = f, .cfg = cfg, .lives = lives, .reg_bytes = reg_bytes};
    bool ok = get_room(&p);
    if (ok && lives->in) {
        find_cheap(&p);
        uint32_t live = peak_of(&p, climb);
        f->n_regs32 = live + live / 5 + ADDED_REGISTERS;
        f->n_regs32_least = peak_of(&p, descend);
    }
    free(p.n_writes);
    free(p.is_cheap);
    free(p.is_held);
    free(p.last);
    return ok;
}
