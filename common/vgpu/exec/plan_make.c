/* The walk through a kernel that makes a plan: see plan.h. */
#include "common/vgpu/exec/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct Walk {
    PlanState s;
    uint32_t pc, run_start, room;
    uint64_t walked; /* instructions */
    bool ended;
} Walk;

static PlanStep *add_step(Walk *w, PlanKind kind, const IrInst *inst)
{
    Plan *plan = w->s.plan;
    if (plan->n_steps == w->room) {
        uint32_t room = w->room ? 2 * w->room : 64;
        PlanStep *steps = room > PLAN_STEPS_MAX ? NULL : realloc(plan->steps, room * sizeof *steps);
        if (!steps)
            return NULL;
        plan->steps = steps;
        w->room = room;
    }
    PlanStep *step = &plan->steps[plan->n_steps++];
    memset(step, 0, sizeof *step);
    step->kind = (uint8_t)kind;
    step->inst = inst;
    return step;
}

/* ---- counting ---- */

/* As wide_close_run: of one warp, and of one of its threads. */
static void close_run(Walk *w, uint32_t end)
{
    Plan *plan = w->s.plan;
    plan->runs[w->run_start]++;
    plan->runs[end]--;
    plan->lanes[w->run_start]++;
    plan->lanes[end]--;
    plan->insts += end - w->run_start;
    w->run_start = end;
}

static void skip(Walk *w)
{
    w->s.plan->lanes[w->pc]--;
    w->s.plan->lanes[w->pc + 1]++;
}

/* ---- registers ---- */

/* The register files hold it from now on. */
static bool spread(Walk *w, const IrOperand *o)
{
    PlanState *s = &w->s;
    if (o->kind != IR_REG || s->held[o->off / 4] & HELD_LANES)
        return true;
    if (o->bytes > 8)
        return false;
    uint8_t held = s->held[o->off / 4];
    PlanValue x = {.base = held & HELD_TRUE ? FULL_MASK : 0};
    PlanStep *step = add_step(w, PLAN_SPREAD, NULL);
    if (!step || (o->bytes && !plan_known(s, o, &x)) ||
        !plan_demand(s, x.step + 3, INT64_MIN, INT64_MAX, &step->move))
        return false;
    step->off = o->off;
    step->bytes = o->bytes;
    step->span.at.base = x.base;
    memcpy(step->span.at.step, x.step, sizeof step->span.at.step);
    s->held[o->off / 4] = held | HELD_LANES | (o->bytes ? 0 : held ? 0 : HELD_FALSE);
    return true;
}

static void take_lanes(Walk *w, const IrOperand *o)
{
    if (o->kind == IR_REG)
        w->s.held[o->off / 4] = HELD_LANES;
}

static bool spread_sources(Walk *w, const IrInst *inst)
{
    for (uint32_t i = 0; i < inst->n_src; i++)
        if (!spread(w, &inst->src[i]))
            return false;
    for (uint32_t i = 0; inst->vec && i < inst->n_vec; i++)
        if (!spread(w, &inst->vec[i]))
            return false;
    return true;
}

/* ---- steps ---- */

static bool run_handlers(Walk *w, const IrInst *inst)
{
    bool carries = inst->carry_in || inst->carry_out;
    if (carries || !spread_sources(w, inst) || !add_step(w, PLAN_RUN, inst))
        return false;
    take_lanes(w, &inst->dst);
    take_lanes(w, &inst->dst2);
    for (uint32_t i = 0; inst->vec && i < inst->n_vec; i++)
        take_lanes(w, &inst->vec[i]);
    return true;
}

/* The address of an access that is aligned, and known for all threads of all blocks. */
static bool find_address(const PlanState *s, const IrInst *inst, PlanValue *at, WideSpan *span,
                         int64_t *below, int64_t *above)
{
    const IrOperand *o = &inst->src[0];
    bool narrow = o->kind != IR_NONE && o->bytes == 4;
    *at = (PlanValue){0};
    if (!wide_elements(inst, span) || (o->kind != IR_NONE && !plan_known(s, o, at)))
        return false;
    at->base += (uint64_t)inst->offset;
    if (narrow)
        at->base = (uint32_t)at->base;
    uint64_t odd = at->base;
    for (int i = 0; i < PLAN_DIMS; i++)
        odd |= (uint64_t)at->step[i];
    return !(odd & (span->bytes - 1)) && plan_range(s, at, false, narrow ? 4 : 8, below, above);
}

static bool add_access(Walk *w, const IrInst *inst)
{
    PlanState *s = &w->s;
    const ExecRun *run = s->run;
    PlanValue at;
    WideSpan span = {0};
    int64_t below, above, from = 0, to = run->shared_bytes;
    if (!find_address(s, inst, &at, &span, &below, &above))
        return false;
    uint64_t here = at.base;
    for (int i = 0; i < 3; i++)
        here += (uint64_t)(at.step[3 + i] * s->at[i]);
    span.at.base = at.base;
    memcpy(span.at.step, at.step, sizeof span.at.step);
    memcpy(span.most, s->most, sizeof span.most);
    span.low = at.base + (uint64_t)below;
    span.end = at.base + (uint64_t)above + span.bytes;
    if (inst->space == SPACE_GLOBAL) {
        MemAlloc *a = exec_find_alloc(s->warp, here + (uint64_t)below, span.end - span.low);
        if (!a || a->kind == MEM_CONST_VAR)
            return false;
        span.alloc = a;
        from = (int64_t)a->addr;
        to = (int64_t)(a->addr + a->bytes);
    }
    bool store = inst->opcode == PTX_ST;
    for (uint32_t k = 0; store && k < inst->n_vec; k++)
        if (!spread(w, wide_register(inst, k)))
            return false;
    PlanStep *step = add_step(w, store ? PLAN_STORE : PLAN_LOAD, inst);
    if (!step || !plan_demand(s, at.step + 3, from - (int64_t)span.low, to - (int64_t)span.end, &step->move))
        return false;
    step->span = span;
    for (uint32_t k = 0; !store && k < inst->n_vec; k++)
        take_lanes(w, wide_register(inst, k));
    return true;
}

/* bar.sync of all threads of the block. */
static bool add_barrier(Walk *w, const IrInst *inst)
{
    const IrOperand *o = &inst->src[0];
    PlanValue id = {0};
    bool counts = inst->src[1].kind != IR_NONE && inst->src[1].bytes;
    if (counts || (o->kind != IR_NONE && !plan_known(&w->s, o, &id)) || id.base >= EXEC_N_BARRIERS)
        return false;
    for (int i = 0; i < PLAN_DIMS; i++)
        if (id.step[i])
            return false;
    PlanStep *step = add_step(w, PLAN_BARRIER, inst);
    if (step)
        step->off = (uint32_t)id.base;
    return step;
}

/* ---- the walk ---- */

static void jump(Walk *w, uint32_t target)
{
    close_run(w, w->pc + 1);
    w->run_start = w->pc = target;
}

static bool do_inst(Walk *w, const IrInst *inst)
{
    switch ((WideKind)inst->wide) {
    case WIDE_LEAVE:
    case WIDE_CHECKED:
    case WIDE_SYNC:
        return false;
    case WIDE_BRANCH:
        jump(w, inst->target);
        return true;
    case WIDE_END:
        close_run(w, w->pc + 1);
        w->ended = true;
        return true;
    case WIDE_BARRIER:
        w->pc++;
        return add_barrier(w, inst);
    case WIDE_LOAD:
    case WIDE_STORE:
        w->pc++;
        return add_access(w, inst);
    default:
        w->pc++;
        return plan_compute(&w->s, inst) || run_handlers(w, inst);
    }
}

/* False: no plan. */
static bool walk_on(Walk *w)
{
    const IrInst *inst = &w->s.run->entry->insts[w->pc];
    int on = inst->guard.kind == IR_NONE ? 1 : plan_predicate(&w->s, &inst->guard);
    if (++w->walked > PLAN_INSTS_MAX || on < 0)
        return false;
    if (on)
        return do_inst(w, inst);
    if (inst->opcode != PTX_BRA)
        skip(w);
    w->pc++;
    return true;
}

static void *aligned_zeros(size_t bytes)
{
    size_t size = (bytes + 127) & ~(size_t)63;
    void *p = aligned_alloc(64, size);
    if (p)
        memset(p, 0, size);
    return p;
}

/* The walk's own block has one warp, which only serves handlers that look at registers. */
static bool walk(Plan *plan, ExecRun *run)
{
    const IrFunction *f = run->entry;
    const ExecLaunch *l = run->launch;
    Walk w = {.s = {.run = run, .plan = plan, .pool = l->instance->pools[l->function]}};
    ExecBlock *block = aligned_zeros(sizeof *block);
    Warp *warp = aligned_zeros(sizeof *warp);
    uint8_t *regs = aligned_zeros(f->reg_bytes);
    w.s.held = calloc(f->reg_bytes / 4 + 1u, 1);
    w.s.values = calloc(f->reg_bytes / 64 + 1u, sizeof *w.s.values);
    bool made = block && warp && regs && w.s.held && w.s.values;
    if (made) {
        block->run = run;
        warp->base.block = block;
        warp->base.regs = regs;
        warp->base.pool = w.s.pool;
        w.s.warp = &warp->base;
    }
    for (int i = 0; i < 3; i++) {
        w.s.most[i] = l->block[i] - 1;
        w.s.most[3 + i] = l->grid[i] - 1;
        w.s.at[i] = l->grid[i] / 2;
    }
    plan->n_moves = 1; /* not at all */
    plan->moves[0] = (PlanMove){.min = INT64_MIN, .max = INT64_MAX};
    while (made && !w.ended)
        made = walk_on(&w);
    free(block);
    free(warp);
    free(regs);
    free(w.s.held);
    free(w.s.values);
    return made;
}

Plan *plan_make(ExecRun *run)
{
    if (!run->wide || run->n_blocks < PLAN_BLOCKS_MIN || run->launch->cooperative)
        return NULL;
    const size_t n = run->entry->n_insts + 1u;
    Plan *plan = calloc(1, sizeof *plan);
    if (plan) {
        plan->runs = calloc(n, sizeof *plan->runs);
        plan->lanes = calloc(n, sizeof *plan->lanes);
    }
    if (plan && plan->runs && plan->lanes && walk(plan, run)) {
        plan_fuse(plan, run);
        return plan;
    }
    plan_free(plan);
    return NULL;
}

void plan_free(Plan *plan)
{
    if (!plan)
        return;
    free(plan->steps);
    free(plan->runs);
    free(plan->lanes);
    free(plan);
}
