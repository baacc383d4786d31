/* The flow graph of a function, and where the sides of its branches meet again.
 *
 * A block starts at the function's start, at branch targets, and after instructions that do not just go on.
 * The sides of a branch meet at the branch's immediate post-dominator: the first block that every path to the
 * function's end passes. Paths that never get to the end (exit, trap, a loop for ever) do not count as long
 * as another path does: lanes that exit do not come back, so the others need not wait.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

/* Ends the thread, or never returns: nothing follows in this lane. */
static bool is_end(const IrInst *in)
{
    if (in->guard.kind != IR_NONE)
        return false;
    bool ends = in->opcode == PTX_EXIT || in->opcode == PTX_TRAP || in->opcode == PTX_UNSUPPORTED;
    return ends || (in->opcode == PTX_CALL && in->call->builtin == BUILTIN_ASSERTFAIL);
}

static bool ends_block(const IrInst *in)
{
    return in->opcode == PTX_BRA || in->opcode == PTX_BRX || is_end(in);
}

uint32_t ir_n_targets(const IrInst *in)
{
    return in->opcode == PTX_BRX ? in->n_targets : in->opcode == PTX_BRA ? 1 : 0;
}

uint32_t ir_target_at(const IrInst *in, uint32_t i)
{
    return in->opcode == PTX_BRX ? in->targets[i] : in->target;
}

bool ir_goes_on(const IrInst *in)
{
    if (in->guard.kind != IR_NONE)
        return true;
    return in->opcode != PTX_BRA && in->opcode != PTX_BRX && in->opcode != PTX_RET && !is_end(in);
}

static void find_blocks(const IrFunction *f, Cfg *cfg)
{
    uint32_t *leader = cfg->block_of; /* first as flags */
    leader[0] = 1;
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        const IrInst *in = &f->insts[pc];
        for (uint32_t i = 0; i < ir_n_targets(in); i++)
            leader[ir_target_at(in, i)] = 1;
        if (ends_block(in) && pc + 1 < f->n_insts)
            leader[pc + 1] = 1;
    }
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        if (leader[pc])
            cfg->start[cfg->n_blocks++] = pc;
        cfg->block_of[pc] = cfg->n_blocks - 1;
    }
    cfg->start[cfg->n_blocks] = f->n_insts;
}

static size_t count_edges(const IrFunction *f)
{
    size_t n = 0;
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        n += ir_n_targets(&f->insts[pc]);
    return n;
}

static void add_edges(const IrFunction *f, Cfg *cfg)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        const IrInst *last = &f->insts[cfg->start[b + 1] - 1];
        cfg->succ_begin[b] = n;
        for (uint32_t i = 0; i < ir_n_targets(last); i++)
            cfg->succ[n++] = cfg->block_of[ir_target_at(last, i)];
        if (ir_goes_on(last) && b + 1 < cfg->n_blocks)
            cfg->succ[n++] = b + 1;
    }
    cfg->succ_begin[cfg->n_blocks] = n;
}

/* What a walk against the edges needs. */
typedef struct Backwards {
    uint32_t *begin, *preds; /* predecessors of block b: preds[begin[b] .. begin[b + 1]) */
    uint32_t *work;
    bool *reaches;
} Backwards;

static bool backwards_start(Backwards *w, const Cfg *cfg)
{
    uint32_t n = cfg->n_blocks, n_edges = cfg->succ_begin[n];
    w->begin = calloc((size_t)n + 2, sizeof *w->begin);
    w->preds = malloc(((size_t)n_edges + 1) * sizeof *w->preds);
    w->work = malloc(((size_t)n + 1) * sizeof *w->work);
    w->reaches = calloc(n, 1);
    if (!w->begin || !w->preds || !w->work || !w->reaches)
        return false;
    for (uint32_t e = 0; e < n_edges; e++)
        w->begin[cfg->succ[e] + 2]++;
    for (uint32_t b = 0; b < n; b++)
        w->begin[b + 2] += w->begin[b + 1];
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = cfg->succ_begin[b]; e < cfg->succ_begin[b + 1]; e++)
            w->preds[w->begin[cfg->succ[e] + 1]++] = b;
    return true;
}

static void backwards_free(Backwards *w)
{
    free(w->begin);
    free(w->preds);
    free(w->work);
    free(w->reaches);
}

/* Marks the blocks that lead to `end`. Each block is visited once in all calls together. */
static void mark_reaching(Backwards *w, uint32_t end)
{
    uint32_t n_work = 0;
    if (w->reaches[end])
        return;
    w->reaches[end] = true;
    w->work[n_work++] = end;
    while (n_work > 0) {
        uint32_t b = w->work[--n_work];
        for (uint32_t e = w->begin[b]; e < w->begin[b + 1]; e++) {
            uint32_t pred = w->preds[e];
            if (w->reaches[pred])
                continue;
            w->reaches[pred] = true;
            w->work[n_work++] = pred;
        }
    }
}

/* Drops the edges from blocks that reach a better end to those that do not. */
static void drop_edges(Cfg *kept, const bool *better)
{
    uint32_t n = 0, begin = 0;
    for (uint32_t b = 0; b < kept->n_blocks; b++) {
        uint32_t end = kept->succ_begin[b + 1];
        kept->succ_begin[b] = n;
        for (uint32_t e = begin; e < end; e++)
            if (!better[b] || better[kept->succ[e]])
                kept->succ[n++] = kept->succ[e];
        begin = end;
    }
    kept->succ_begin[kept->n_blocks] = n;
}

/* Ends in order of worth: the epilogue, then exits, then the last block of each loop for ever. */
static void choose_ends(const IrFunction *f, Cfg *kept, Backwards *w, bool *ends)
{
    uint32_t n = kept->n_blocks;
    ends[kept->block_of[f->epilogue]] = true;
    mark_reaching(w, kept->block_of[f->epilogue]);
    drop_edges(kept, w->reaches);
    for (uint32_t b = 0; b < n; b++)
        if (!w->reaches[b] && is_end(&f->insts[kept->start[b + 1] - 1]))
            ends[b] = true;
    for (uint32_t b = 0; b < n; b++)
        if (ends[b])
            mark_reaching(w, b);
    drop_edges(kept, w->reaches);
    for (uint32_t b = n; b-- > 0;) {
        ends[b] = ends[b] || !w->reaches[b];
        mark_reaching(w, b);
    }
}

static bool find_postdominators(const IrFunction *f, Cfg *cfg)
{
    uint32_t n = cfg->n_blocks;
    Backwards w = {0};
    Cfg kept = *cfg;
    bool *ends = calloc(n, 1);
    kept.succ_begin = malloc(((size_t)n + 1) * sizeof *kept.succ_begin);
    kept.succ = malloc(((size_t)cfg->succ_begin[n] + 1) * sizeof *kept.succ);
    bool ok = ends && kept.succ_begin && kept.succ && backwards_start(&w, cfg);
    if (ok) {
        memcpy(kept.succ_begin, cfg->succ_begin, ((size_t)n + 1) * sizeof *kept.succ_begin);
        memcpy(kept.succ, cfg->succ, (size_t)cfg->succ_begin[n] * sizeof *kept.succ);
        choose_ends(f, &kept, &w, ends);
        ok = postdom_compute(n, kept.succ, kept.succ_begin, ends, cfg->ipdom);
    }
    backwards_free(&w);
    free(ends);
    free(kept.succ);
    free(kept.succ_begin);
    return ok;
}

bool cfg_thread_postdominators(const Cfg *cfg, uint32_t *ipdom)
{
    uint32_t n = cfg->n_blocks;
    Backwards w = {0};
    bool *ends = calloc(n, 1), ok = ends && backwards_start(&w, cfg);
    for (uint32_t b = 0; ok && b < n; b++)
        if (cfg->succ_begin[b] == cfg->succ_begin[b + 1]) {
            ends[b] = true;
            mark_reaching(&w, b);
        }
    for (uint32_t b = n; ok && b-- > 0;) { /* the last block of each loop for ever */
        ends[b] = ends[b] || !w.reaches[b];
        mark_reaching(&w, b);
    }
    ok = ok && postdom_compute(n, cfg->succ, cfg->succ_begin, ends, ipdom);
    backwards_free(&w);
    free(ends);
    return ok;
}

bool cfg_build(const IrFunction *f, Cfg *cfg)
{
    size_t n = f->n_insts;
    *cfg = (Cfg){0};
    cfg->block_of = calloc(n, sizeof *cfg->block_of);
    cfg->start = malloc((n + 1) * sizeof *cfg->start);
    cfg->succ_begin = malloc((n + 1) * sizeof *cfg->succ_begin);
    cfg->succ = malloc((n + count_edges(f)) * sizeof *cfg->succ);
    cfg->ipdom = malloc(n * sizeof *cfg->ipdom);
    if (!cfg->block_of || !cfg->start || !cfg->succ_begin || !cfg->succ || !cfg->ipdom)
        return false;
    find_blocks(f, cfg);
    add_edges(f, cfg);
    return find_postdominators(f, cfg);
}

void cfg_free(Cfg *cfg)
{
    free(cfg->block_of);
    free(cfg->start);
    free(cfg->succ);
    free(cfg->succ_begin);
    free(cfg->ipdom);
    *cfg = (Cfg){0};
}

void cfg_set_reconvergence(IrFunction *f, const Cfg *cfg)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        IrInst *in = &f->insts[pc];
        uint32_t meet = cfg->ipdom[cfg->block_of[pc]];
        bool conditional = in->opcode == PTX_BRA && in->guard.kind != IR_NONE;
        if (conditional || in->opcode == PTX_BRX)
            in->reconverge = meet == IR_NO_PC ? IR_NO_PC : cfg->start[meet];
        else if (in->opcode == PTX_CALL)
            in->reconverge = pc + 1;
        else
            in->reconverge = IR_NO_PC;
    }
}
