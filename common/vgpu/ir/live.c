/* The lives of registers: from the first to the last instruction where a value may still be needed.
 *
 * Most registers live within one block. The others ("wide" ones: read in some block before it writes them) go
 * through the usual backward data flow, a bit each for every block. A write under a guard does not end a
 * life. From all this comes one interval of pcs for each register, which contains every place where it is
 * live.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

/* Above this many bytes of bit sets, wide registers count as live everywhere: large functions get larger
 * register files rather than long analyses. */
enum { LIVE_SETS_BYTES_MAX = 64 << 20, NOT_WIDE = 0xFFFFFFFF };

/* Registers at the front of vec that the instruction writes. */
uint32_t ir_vec_dests(const IrInst *in)
{
    if (!in->vec)
        return 0;
    if (in->tensor)
        return in->tensor->n_out;
    if (in->texture)
        return in->texture->n_out;
    if (in->opcode == PTX_ATOM)
        return in->n_vec / 2u;
    bool writes =
        in->opcode == PTX_LD || in->opcode == PTX_LDU || (in->opcode == PTX_MOV && in->dst.kind == IR_NONE);
    return writes ? in->n_vec : 0;
}

static void visit_one(IrOperand *o, bool is_dest, RegVisitor visit, void *self)
{
    if (o->kind == IR_REG)
        visit(self, o, is_dest);
}

void ir_visit_regs(IrInst *in, RegVisitor visit, void *self)
{
    uint32_t n_dests = ir_vec_dests(in);
    visit_one(&in->guard, false, visit, self);
    for (int i = 0; i < 4; i++)
        visit_one(&in->src[i], false, visit, self);
    for (uint32_t i = n_dests; in->vec && i < in->n_vec; i++)
        visit_one(&in->vec[i], false, visit, self);
    for (uint32_t i = 0; i < n_dests; i++)
        visit_one(&in->vec[i], true, visit, self);
    visit_one(&in->dst, true, visit, self);
    visit_one(&in->dst2, true, visit, self);
}

typedef struct Live {
    IrFunction *f;
    const Cfg *cfg;
    Lives *lives;
    uint32_t *written_in; /* [register]: last block that wrote it for sure, + 1 */
    uint32_t *wide;       /* [register]: number among the wide ones, or NOT_WIDE */
    uint32_t *wide_reg;   /* [wide]: register */
    uint32_t n_wide;
    size_t words;             /* of a bit set */
    uint64_t *use, *def, *in; /* [block][word]; `in` is live-in */
    uint32_t block, pc;
    bool guarded;
} Live;

static void extend(Lives *lives, uint32_t reg, uint32_t pc)
{
    if (pc < lives->begin[reg])
        lives->begin[reg] = pc;
    if (pc > lives->end[reg])
        lives->end[reg] = pc;
}

/* ---- which registers are wide; uses of each ---- */

static void scan_reg(void *self, IrOperand *o, bool is_dest)
{
    Live *l = self;
    extend(l->lives, o->off, l->pc);
    if (!is_dest) {
        l->lives->n_uses[o->off]++;
        if (l->written_in[o->off] != l->block + 1 && l->wide[o->off] == NOT_WIDE)
            l->wide[o->off] = l->n_wide++;
    } else if (!l->guarded) {
        l->written_in[o->off] = l->block + 1;
    }
}

static void for_all_regs(Live *l, RegVisitor visit)
{
    for (l->block = 0; l->block < l->cfg->n_blocks; l->block++)
        for (l->pc = l->cfg->start[l->block]; l->pc < l->cfg->start[l->block + 1]; l->pc++) {
            l->guarded = l->f->insts[l->pc].guard.kind != IR_NONE;
            ir_visit_regs(&l->f->insts[l->pc], visit, l);
        }
}

/* ---- data flow over the wide ones ---- */

static void set_bits(void *self, IrOperand *o, bool is_dest)
{
    Live *l = self;
    uint32_t wide = l->wide[o->off];
    if (wide == NOT_WIDE)
        return;
    size_t word = l->block * l->words + wide / 64;
    uint64_t bit = UINT64_C(1) << wide % 64;
    if (!is_dest && !(l->def[word] & bit))
        l->use[word] |= bit;
    if (is_dest && !l->guarded)
        l->def[word] |= bit;
}

static uint64_t live_out(const Live *l, uint32_t block, size_t word)
{
    uint64_t out = 0;
    for (uint32_t e = l->cfg->succ_begin[block]; e < l->cfg->succ_begin[block + 1]; e++)
        out |= l->in[l->cfg->succ[e] * l->words + word];
    return out;
}

/* Passes from the last block to the first until nothing changes; loops nested d deep need about d + 2 of
 * them. */
static void solve(Live *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = l->cfg->n_blocks; b-- > 0;)
            for (size_t w = 0; w < l->words; w++) {
                size_t at = b * l->words + w;
                uint64_t in = l->use[at] | (live_out(l, b, w) & ~l->def[at]);
                changed = changed || in != l->in[at];
                l->in[at] = in;
            }
    }
}

static void extend_set(Live *l, uint64_t set, size_t word, uint32_t pc)
{
    for (; set; set &= set - 1)
        extend(l->lives, l->wide_reg[word * 64 + (size_t)__builtin_ctzll(set)], pc);
}

static void extend_over_blocks(Live *l)
{
    for (uint32_t b = 0; b < l->cfg->n_blocks; b++)
        for (size_t w = 0; w < l->words; w++) {
            extend_set(l, l->in[b * l->words + w], w, l->cfg->start[b]);
            extend_set(l, live_out(l, b, w), w, l->cfg->start[b + 1] - 1);
        }
}

static bool flow(Live *l)
{
    size_t size = (size_t)l->cfg->n_blocks * l->words;
    l->use = calloc(size + 1, sizeof *l->use);
    l->def = calloc(size + 1, sizeof *l->def);
    l->in = calloc(size + 1, sizeof *l->in);
    bool ok = l->use && l->def && l->in;
    if (ok) {
        for_all_regs(l, set_bits);
        solve(l);
        extend_over_blocks(l);
    }
    free(l->use);
    free(l->def);
    l->lives->in = l->in;
    l->lives->wide_reg = l->wide_reg;
    l->lives->words = l->words;
    return ok;
}

static bool spread_wide(Live *l, size_t n_regs)
{
    l->words = (l->n_wide + 63) / 64;
    l->wide_reg = malloc(((size_t)l->n_wide + 1) * sizeof *l->wide_reg);
    if (!l->wide_reg)
        return false;
    for (size_t r = 0; r < n_regs; r++)
        if (l->wide[r] != NOT_WIDE)
            l->wide_reg[l->wide[r]] = (uint32_t)r;
    if ((double)l->words * l->cfg->n_blocks * 24 <= LIVE_SETS_BYTES_MAX)
        return flow(l);
    for (uint32_t w = 0; w < l->n_wide; w++) {
        extend(l->lives, l->wide_reg[w], 0);
        extend(l->lives, l->wide_reg[w], l->f->n_insts - 1);
    }
    return true;
}

static void mark_unused_results(IrFunction *f, const Lives *lives)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        IrInst *in = &f->insts[pc];
        if (in->opcode == PTX_ATOM)
            in->result_unused = in->dst.kind != IR_REG || lives->n_uses[in->dst.off] == 0;
    }
}

bool live_compute(IrFunction *f, size_t n_regs, const Cfg *cfg, Lives *lives)
{
    Live l = {.f = f, .cfg = cfg, .lives = lives};
    *lives = (Lives){.n = n_regs};
    lives->begin = malloc((n_regs + 1) * sizeof *lives->begin);
    lives->end = calloc(n_regs + 1, sizeof *lives->end);
    lives->n_uses = calloc(n_regs + 1, sizeof *lives->n_uses);
    l.written_in = calloc(n_regs + 1, sizeof *l.written_in);
    l.wide = malloc((n_regs + 1) * sizeof *l.wide);
    bool ok = lives->begin && lives->end && lives->n_uses && l.written_in && l.wide;
    if (ok) {
        memset(lives->begin, 0xFF, (n_regs + 1) * sizeof *lives->begin);
        memset(l.wide, 0xFF, (n_regs + 1) * sizeof *l.wide);
        for_all_regs(&l, scan_reg);
        ok = spread_wide(&l, n_regs);
    }
    if (ok)
        mark_unused_results(f, lives);
    free(l.written_in);
    free(l.wide);
    if (!lives->wide_reg)
        free(l.wide_reg);
    return ok;
}

void live_free(Lives *lives)
{
    free(lives->begin);
    free(lives->end);
    free(lives->n_uses);
    free(lives->in);
    free(lives->wide_reg);
    *lives = (Lives){0};
}
