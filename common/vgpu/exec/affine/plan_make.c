/* The walk through a kernel that makes a plan: see plan.h. */
#include "common/vgpu/exec/affine/plan.h"
#include "common/vgpu/exec/schedule.h"

#include <stdlib.h>
#include <string.h>

/* The first threads are alone up to a place where all meet. */
typedef struct Level {
    uint32_t join, n_threads; /* that meet there */
    uint32_t n_scoped;        /* before */
} Level;

typedef struct Walk {
    PlanState s;
    uint32_t pc, run_start, room;
    uint32_t n_threads; /* active: the first so many */
    uint64_t walked;    /* instructions */
    bool ended;
    uint32_t depth, n_scoped, scoped_room;
    Level levels[PLAN_LEVELS];
    uint32_t *scoped; /* registers (offset / 4) that hold something for the active threads only */
} Walk;

static bool all_active(const Walk *w)
{
    return w->n_threads == w->s.affine.run->n_threads;
}

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
    step->whole = w->n_threads % WARP_LANES == 0;
    return step;
}

/* ---- counting ---- */

static uint32_t active_warps(const Walk *w)
{
    return (w->n_threads + WARP_LANES - 1) / WARP_LANES;
}

/* As wide_close_run. */
static void close_run(Walk *w, uint32_t end)
{
    Plan *plan = w->s.plan;
    ExecPc *first = &plan->pcs[w->run_start], *after = &plan->pcs[end];
    first->runs += active_warps(w);
    after->runs -= active_warps(w);
    first->lanes += w->n_threads;
    after->lanes -= w->n_threads;
    plan->insts += (uint64_t)(end - w->run_start) * active_warps(w);
    w->run_start = end;
}

static void skip(Walk *w)
{
    w->s.plan->pcs[w->pc].lanes -= w->n_threads;
    w->s.plan->pcs[w->pc + 1].lanes += w->n_threads;
}

/* ---- registers ---- */

/* The register files hold it from now on. */
static bool spread(Walk *w, const IrOperand *o)
{
    PlanState *s = &w->s;
    if (o->kind != IR_REG || s->affine.held[o->off / 4] & HELD_LANES)
        return true;
    uint8_t held = s->affine.held[o->off / 4];
    if (o->bytes > 8 || held & HELD_MIXED)
        return false;
    AffineValue room = {.base = held & HELD_TRUE ? FULL_MASK : 0};
    const AffineValue *x = o->bytes ? affine_known(&s->affine, o, &room) : &room;
    PlanStep *step = add_step(w, PLAN_SPREAD, NULL);
    if (!step || !x || !plan_demand(s, x->step + 3, INT64_MIN, INT64_MAX, &step->move))
        return false;
    step->off = o->off;
    step->bytes = o->bytes;
    step->span.at = *x;
    s->affine.held[o->off / 4] = held | HELD_LANES | (o->bytes ? 0 : held ? 0 : HELD_FALSE);
    return true;
}

/* The register holds something for the active threads; false: no memory. */
static bool scope(Walk *w, const IrOperand *o)
{
    if (all_active(w) || o->kind != IR_REG)
        return true;
    if (w->n_scoped == w->scoped_room) {
        uint32_t room = w->scoped_room ? 2 * w->scoped_room : 32;
        uint32_t *scoped = realloc(w->scoped, room * sizeof *scoped);
        if (!scoped)
            return false;
        w->scoped = scoped;
        w->scoped_room = room;
    }
    w->scoped[w->n_scoped++] = o->off / 4;
    return true;
}

/* The active threads have their own value in it. */
static bool take_lanes(Walk *w, PlanStep *step, const IrOperand *o)
{
    if (o->kind != IR_REG)
        return true;
    uint8_t *held = &w->s.affine.held[o->off / 4];
    bool there = *held & HELD_LANES;
    *held = HELD_LANES;
    if (all_active(w))
        return true;
    step->keeps |= there;
    return there || scope(w, o);
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
    PlanStep *step = carries || !spread_sources(w, inst) ? NULL : add_step(w, PLAN_RUN, inst);
    bool ok = step && take_lanes(w, step, &inst->dst) && take_lanes(w, step, &inst->dst2);
    for (uint32_t i = 0; ok && inst->vec && i < inst->n_vec; i++)
        ok = take_lanes(w, step, &inst->vec[i]);
    if (ok)
        plan_note_first(&w->s, inst);
    return ok;
}

/* The address of an access that is aligned, and known for all threads of all blocks. */
static bool find_address(const PlanState *s, const IrInst *inst, AffineValue *at, WideSpan *span,
                         int64_t *below, int64_t *above)
{
    const IrOperand *o = &inst->src[0];
    bool narrow = o->kind != IR_NONE && o->bytes == 4;
    AffineValue room = {0};
    const AffineValue *known = o->kind == IR_NONE ? &room : affine_known(&s->affine, o, &room);
    if (!known || !wide_elements(inst, span))
        return false;
    *at = *known;
    at->base += (uint64_t)inst->offset;
    if (narrow)
        at->base = (uint32_t)at->base;
    return affine_is_aligned(at, s->affine.most, AFFINE_GRID, span->bytes) &&
           affine_range(at, s->affine.most, AFFINE_GRID, false, narrow ? 4 : 8, below, above);
}

static bool add_access(Walk *w, const IrInst *inst)
{
    PlanState *s = &w->s;
    const ExecRun *run = s->affine.run;
    AffineValue at;
    WideSpan span = {0};
    int64_t below, above, from = 0, to = run->shared_bytes;
    if (!find_address(s, inst, &at, &span, &below, &above))
        return false;
    uint64_t here = at.base;
    for (int i = 0; i < 3; i++)
        here += (uint64_t)(at.step[3 + i] * s->at[i]);
    span.at = at;
    memcpy(span.most, s->affine.most, sizeof span.most);
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
    bool ok = true;
    for (uint32_t k = 0; ok && !store && k < inst->n_vec; k++)
        ok = take_lanes(w, step, wide_register(inst, k));
    return ok;
}

/* bar.sync of all threads of the block. */
static bool add_barrier(Walk *w, const IrInst *inst)
{
    const IrOperand *o = &inst->src[0];
    AffineValue room = {0};
    const AffineValue *id = o->kind == IR_NONE ? &room : affine_known(&w->s.affine, o, &room);
    bool counts = inst->src[1].kind != IR_NONE && inst->src[1].bytes;
    if (!all_active(w) || counts || !id || !affine_is_uniform(id, AFFINE_GRID) || id->base >= EXEC_N_BARRIERS)
        return false;
    PlanStep *step = add_step(w, PLAN_BARRIER, inst);
    if (step)
        step->off = (uint32_t)id->base;
    return step;
}

/* ---- the walk ---- */

static void jump(Walk *w, uint32_t target)
{
    close_run(w, w->pc + 1);
    w->run_start = w->pc = target;
}

static bool activate(Walk *w, uint32_t n_threads)
{
    PlanStep *step = add_step(w, PLAN_ACTIVE, NULL);
    w->n_threads = n_threads;
    if (n_threads <= w->s.affine.run->launch->block[0])
        w->s.affine.most[0] = n_threads - 1;
    if (step)
        step->off = n_threads;
    return step;
}

/* The first threads fall through, the others jump to where all meet. */
static bool part(Walk *w, const IrInst *inst)
{
    PlanState *s = &w->s;
    uint8_t held = s->affine.held[inst->guard.off / 4];
    uint32_t n = s->firsts[inst->guard.off / 4];
    uint32_t join = inst->reconverge == IR_NO_PC ? s->affine.run->entry->epilogue : inst->reconverge;
    bool first_jump = ((held & HELD_FIRST_TRUE) != 0) ^ inst->guard.negated;
    if (!(held & (HELD_FIRST_FALSE | HELD_FIRST_TRUE)) || first_jump || n >= w->n_threads || inst->target != join ||
        w->depth == PLAN_LEVELS)
        return false;
    close_run(w, w->pc + 1);
    s->plan->divergent += n % WARP_LANES != 0;
    s->plan->pcs[w->pc].diverged += n % WARP_LANES != 0;
    if (!w->depth || w->levels[w->depth - 1].join != join)
        w->levels[w->depth++] = (Level){join, w->n_threads, w->n_scoped};
    w->run_start = ++w->pc;
    return activate(w, n);
}

static bool meet(Walk *w)
{
    const Level level = w->levels[--w->depth];
    close_run(w, w->pc);
    while (w->n_scoped > level.n_scoped)
        w->s.affine.held[w->scoped[--w->n_scoped]] = HELD_MIXED;
    return activate(w, level.n_threads);
}

static bool compute(Walk *w, const IrInst *inst)
{
    if (!plan_compute(&w->s, inst))
        return inst->wide != WIDE_PARAM && run_handlers(w, inst); /* outside of the parameters, it faults */
    return scope(w, &inst->dst) && scope(w, &inst->dst2);
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
        return all_active(w);
    case WIDE_BARRIER:
        w->pc++;
        return add_barrier(w, inst);
    case WIDE_LOAD:
    case WIDE_STORE:
        w->pc++;
        return add_access(w, inst);
    default:
        w->pc++;
        return compute(w, inst);
    }
}

/* False: no plan. */
static bool walk_on(Walk *w)
{
    if (w->depth && w->pc == w->levels[w->depth - 1].join)
        return meet(w);
    const IrInst *inst = &w->s.affine.run->entry->insts[w->pc];
    int on = inst->guard.kind == IR_NONE ? 1 : affine_predicate(&w->s.affine, &inst->guard);
    if (++w->walked > PLAN_INSTS_MAX)
        return false;
    if (on < 0)
        return inst->opcode == PTX_BRA && part(w, inst);
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
    Walk w = {.s = {.affine = {.run = run, .dims = AFFINE_GRID, .pool = l->instance->pools[l->function]},
                    .plan = plan},
              .n_threads = run->n_threads};
    ExecBlock *block = aligned_zeros(sizeof *block);
    Warp *warp = aligned_zeros(sizeof *warp);
    uint8_t *regs = aligned_zeros(f->reg_bytes);
    w.s.affine.held = calloc(f->reg_bytes / 4 + 1u, 1);
    w.s.affine.values = calloc(f->reg_bytes / 64 + 1u, sizeof *w.s.affine.values);
    w.s.firsts = calloc(f->reg_bytes / 4 + 1u, sizeof *w.s.firsts);
    bool made = block && warp && regs && w.s.affine.held && w.s.affine.values && w.s.firsts;
    if (made) {
        block->run = run;
        warp->base.block = block;
        warp->base.regs = regs;
        warp->base.pool = w.s.affine.pool;
        w.s.warp = &warp->base;
    }
    for (int i = 0; i < 3; i++) {
        w.s.affine.most[i] = l->block[i] - 1;
        w.s.affine.most[3 + i] = l->grid[i] - 1;
        w.s.at[i] = l->grid[i] / 2;
    }
    while (made && !w.ended)
        made = walk_on(&w);
    free(block);
    free(warp);
    free(regs);
    free(w.s.affine.held);
    free(w.s.affine.values);
    free(w.s.firsts);
    free(w.scoped);
    return made;
}

/* ---- what nobody wrote ---- */

/* How far the steps of a plan reach in an allocation, over all blocks that go as planned. */
static void find_reach(const Plan *plan, const ExecRun *run, const PlanStep *step, uint64_t *low, uint64_t *end)
{
    const PlanMove *m = &plan->moves[step->move];
    int64_t least = 0, most = 0;
    for (int d = 0; d < 3; d++) {
        int64_t last = m->step[d] * (int64_t)(run->launch->grid[d] - 1);
        least += last < 0 ? last : 0;
        most += last > 0 ? last : 0;
    }
    *low = step->span.low + (uint64_t)(least > m->min ? least : m->min);
    *end = step->span.end + (uint64_t)(most < m->max ? most : m->max);
}

/* All that loads of global memory reach was written before the launch. A range that was looked at is not looked at again. */
static bool global_is_written(const Plan *plan, const ExecRun *run)
{
    uint64_t known_low = 0, known_end = 0;
    for (uint32_t i = 0; i < plan->n_steps; i++) {
        const PlanStep *step = &plan->steps[i];
        const MemAlloc *a = step->kind == PLAN_LOAD ? step->span.alloc : NULL;
        if (!a || !a->init)
            continue;
        uint64_t low, end;
        find_reach(plan, run, step, &low, &end);
        if (low >= known_low && end <= known_end)
            continue;
        if (mem_first_uninit(a, low, end - low) < end - low)
            return false;
        bool joins = low <= known_end && end >= known_low;
        known_low = joins && known_low < low ? known_low : low;
        known_end = joins && known_end > end ? known_end : end;
    }
    return true;
}

/* The first n threads store, or load; false: they load what none has stored. */
static bool each_thread(const PlanStep *step, const ExecRun *run, uint32_t n, uint8_t *written)
{
    const uint32_t *dim = run->launch->block;
    for (uint32_t t = 0; t < n; t++) {
        const int64_t at[3] = {t % dim[0], t / dim[0] % dim[1], t / dim[0] / dim[1]};
        uint64_t addr = step->span.at.base;
        for (int d = 0; d < 3; d++)
            addr += (uint64_t)(at[d] * step->span.at.step[d]);
        if (step->kind == PLAN_STORE)
            memset(written + addr, 1, step->span.bytes);
        else if (memchr(written + addr, 0, step->span.bytes))
            return false;
    }
    return true;
}

static bool step_is_fixed(const Plan *plan, const PlanStep *step)
{
    const PlanMove *m = &plan->moves[step->move];
    return !m->step[0] && !m->step[1] && !m->step[2];
}

/* A block that goes as planned loads from its shared memory only what it has stored there. */
static bool shared_is_written(const Plan *plan, const ExecRun *run)
{
    uint32_t n = run->n_threads;
    uint8_t *written = calloc(run->shared_bytes + 1u, 1);
    bool ok = written != NULL;
    for (uint32_t i = 0; ok && i < plan->n_steps; i++) {
        const PlanStep *step = &plan->steps[i];
        n = step->kind == PLAN_ACTIVE ? step->off : n;
        bool loads = step->kind == PLAN_LOAD, accesses = loads || step->kind == PLAN_STORE;
        if (!accesses || step->span.alloc)
            continue;
        uint64_t low = step->span.low, length = step->span.end - low;
        ok = step_is_fixed(plan, step) && step->span.end <= run->shared_bytes;
        if (ok && !(loads && !memchr(written + low, 0, length)))
            ok = each_thread(step, run, n, written);
    }
    free(written);
    return ok;
}

/* Whoever follows undefined values finds none in a block that goes as planned. Before loads are fused. */
static bool is_defined(const Plan *plan, const ExecRun *run)
{
    return global_is_written(plan, run) && shared_is_written(plan, run);
}

Plan *plan_prepare(ExecRun *run)
{
    if (!run->wide || run->n_blocks < PLAN_BLOCKS_MIN || run->launch->cooperative || run_follows_unset(run))
        return NULL;
    Plan *plan = calloc(1, sizeof *plan);
    if (plan)
        plan->pcs = calloc(run->entry->n_insts + 1u, sizeof *plan->pcs);
    if (plan && plan->pcs && walk(plan, run) && (!run->follows || is_defined(plan, run))) {
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
    free(plan->pcs);
    free(plan);
}
