/* A block that goes as planned: see plan.h. */
#include "common/vgpu/exec/affine/plan.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

/* How far everything has moved. False: the block does not meet the conditions. */
static bool find_shifts(const Plan *plan, const uint32_t index[3], int64_t *shifts)
{
    bool meets = true;
    for (uint32_t i = 0; i < plan->n_moves; i++) {
        const PlanMove *m = &plan->moves[i];
        shifts[i] =
            m->step[0] * (int64_t)index[0] + m->step[1] * (int64_t)index[1] + m->step[2] * (int64_t)index[2];
        meets &= shifts[i] >= m->min && shifts[i] <= m->max;
    }
    return meets;
}

/* The span as it is in this block. */
static WideSpan span_here(const ExecBlock *b, const PlanStep *step, const int64_t *shifts)
{
    WideSpan s = step->span;
    const uint64_t shift = (uint64_t)shifts[step->move];
    s.at.base += shift;
    s.low += shift;
    s.end += shift;
    s.host = s.alloc ? s.alloc->host + (s.at.base - s.alloc->addr) : b->shared + s.at.base;
    s.warps = b->wide->warps;
    return s;
}

static void load(ExecBlock *b, const PlanStep *step, const int64_t *shifts, uint32_t told)
{
    const IrInst *inst = step->inst;
    const WideSpan s = span_here(b, step, shifts);
    if (b->run->n_watchers)
        wide_tell_warps(b, inst, &s, wide_tell(b, inst, &s, told));
    for (uint32_t k = 0; step->kind == PLAN_LOAD && k < inst->n_vec; k++) {
        const IrOperand *o = wide_register(inst, k);
        if (o->kind == IR_REG)
            wide_load_rows(b, &s, o, s.host + (size_t)k * s.element);
    }
}

static void store(ExecBlock *b, const PlanStep *step, const int64_t *shifts, uint32_t told)
{
    WideSpan s = span_here(b, step, shifts);
    wide_store(b, step->inst, &s, b->run->n_watchers ? wide_tell(b, step->inst, &s, told) : 0);
}

static void spread(ExecBlock *b, const PlanStep *step, const int64_t *shifts)
{
    AffineValue x = step->span.at;
    x.base += (uint64_t)shifts[step->move];
    wide_put_lanes(b, step->off, step->bytes, &x);
}

static void run_handlers(ExecBlock *b, const IrInst *inst)
{
    const Wide *v = b->wide;
    for (uint32_t i = 0; i < v->n_warps; i++)
        inst->handler(&b->warps[i].base, inst, v->active[i]);
}

/* told: observers (a bit each) that know of the step; NULL: nobody does. */
static void go_through(ExecBlock *b, const Plan *plan, const int64_t *shifts, const uint32_t *told)
{
    for (uint32_t i = 0; i < plan->n_steps; i++) {
        const PlanStep *step = &plan->steps[i];
        switch ((PlanKind)step->kind) {
        case PLAN_LOAD:
        case PLAN_TELL:
            load(b, step, shifts, told ? told[i] : 0);
            break;
        case PLAN_STORE:
            store(b, step, shifts, told ? told[i] : 0);
            break;
        case PLAN_SPREAD:
            spread(b, step, shifts);
            break;
        case PLAN_RUN:
            run_handlers(b, step->inst);
            break;
        case PLAN_FLOAT:
            plan_float(b, step, shifts);
            break;
        case PLAN_BARRIER:
            barrier_tell_all(b, step->inst, step->off);
            break;
        case PLAN_NOTHING:
            break;
        case PLAN_ACTIVE:
            wide_activate_first(b, step->off);
            break;
        }
    }
}

/* Tells of this block and those after it with the same Y and Z. Gives back how many these are. */
static uint32_t tell_row(ExecBlock *b, const Plan *plan, const int64_t *shifts, uint32_t left, uint32_t *told)
{
    uint32_t rest = b->run->launch->grid[0] - b->index[0], n = left < rest ? left : rest;
    for (uint32_t i = 0; i < plan->n_steps; i++) {
        const PlanStep *step = &plan->steps[i];
        bool global = (step->kind == PLAN_LOAD || step->kind == PLAN_TELL || step->kind == PLAN_STORE) &&
                      step->inst->space == SPACE_GLOBAL;
        told[i] = 0;
        if (!global)
            continue;
        const WideSpan s = span_here(b, step, shifts);
        told[i] = wide_tell_row(b, step->inst, &s, n, plan->moves[step->move].step[0]);
    }
    return n;
}

/* So far from the limit of instructions that none of the blocks needs to be watched. */
static bool are_far_from_limit(const ExecRun *run, uint32_t blocks)
{
    uint64_t limit = run->launch->max_instructions,
             more = run->plan->insts * blocks * run->n_workers + EXEC_LIMIT_NEAR * run->n_workers;
    return !limit || run_retired(run) + more <= limit;
}

uint32_t plan_blocks(const ExecRun *run, uint64_t position, uint32_t most)
{
    int64_t shifts[PLAN_MOVES_MAX];
    const uint32_t *grid = run->launch->grid;
    uint32_t n = 0;
    if (!run->plan || !are_far_from_limit(run, most))
        return 0;
    uint32_t index[3] = {(uint32_t)(position % grid[0]), (uint32_t)(position / grid[0] % grid[1]),
                         (uint32_t)(position / grid[0] / grid[1])};
    while (n < most && !run_tells_steps(run, position + n) && find_shifts(run->plan, index, shifts)) {
        n++;
        for (int i = 0; i < 3 && ++index[i] == grid[i] && i < 2; i++)
            index[i] = 0;
    }
    return n;
}

bool plan_run(ExecBlock *b)
{
    const Plan *plan = b->run->plan;
    int64_t shifts[PLAN_MOVES_MAX];
    uint32_t told[PLAN_ROW_STEPS];
    uint32_t row = 0; /* blocks, this one included, that were told of */
    if (!b->n_planned || !wide_load(b))
        return false;
    for (uint32_t left = b->n_planned;; row -= row > 0) {
        find_shifts(plan, b->index, shifts);
        if (plan->tells_rows && !row && b->n_planned > 1)
            row = tell_row(b, plan, shifts, left, told);
        go_through(b, plan, shifts, row ? told : NULL);
        b->wide->retired += plan->insts;
        wide_account(b);
        b->worker->divergent_branches += plan->divergent;
        b->worker->planned++;
        b->live_threads = 0;
        if (--left == 0 || atomic_load_explicit(&b->run->stop, memory_order_relaxed))
            return true;
        block_end(b);
        block_advance(b);
    }
}

void plan_count(ExecWorker *worker)
{
    const ExecRun *run = worker->run;
    const ExecCode *code = worker->planned ? worker_code(worker, run->launch->function) : NULL;
    for (uint32_t pc = 0; code && pc <= run->entry->n_insts; pc++) {
        const ExecPc *p = &run->plan->pcs[pc];
        code->pcs[pc].runs += p->runs * (int64_t)worker->planned;
        code->pcs[pc].lanes += p->lanes * (int64_t)worker->planned;
        code->pcs[pc].diverged += p->diverged * (uint32_t)worker->planned;
    }
    worker->planned = 0;
}
