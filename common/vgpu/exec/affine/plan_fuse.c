/* Steps of a plan that become one: see plan.h.
 *
 * Backwards through the steps it is known of each register which steps read it before it is written again. A
 * load whose value one float operation reads, once, and nobody else, with no store and no barrier in between,
 * is left to that operation.
 */
#include "common/vgpu/exec/affine/plan.h"

#include <stdlib.h>
#include <string.h>

/* Steps (counted from 1; 0: none) that read a register before it is written again. */
typedef struct Readers {
    uint32_t first, second;
} Readers;

typedef struct Fusion {
    Plan *plan;
    const ExecRun *run;
    uint32_t row;     /* lanes that lie together in memory, or have one word; 0: none do */
    Readers *readers; /* by offset / 4 */
    uint32_t wall;    /* the next store or barrier */
} Fusion;

/* ---- float operations ---- */

static void make_float(PlanStep *step)
{
    const IrInst *inst = step->inst;
    PlanFloatOp op = plan_float_op(inst);
    unsigned n = op == PLAN_FMA ? 3 : 2;
    if (op == PLAN_NO_FLOAT || (!step->whole && step->keeps))
        return;
    memset(step->src, 0, sizeof step->src);
    step->kind = PLAN_FLOAT;
    step->op = (uint8_t)op;
    step->off = inst->dst.off;
    for (unsigned k = 0; k < PLAN_SOURCES;
         k++) { /* one that there is not points somewhere, and is not read */
        const IrOperand *o = &inst->src[k < n ? k : 0];
        step->src[k].kind = o->kind;
        step->src[k].off = o->off;
    }
}

/* ---- memory ---- */

/* The rows of a block's threads are one after the other in memory, so many bytes apart. */
static bool find_row_step(const Fusion *f, const WideSpan *s, int64_t *row_step)
{
    const uint32_t *dim = f->run->launch->block;
    const int64_t *step = s->at.step;
    int64_t row = step[0] * f->row, line = step[0] * dim[0];
    if (!f->row || (step[0] != 0 && step[0] != 4))
        return false;
    bool one_row = dim[0] == f->row && dim[1] > 1; /* a row is a line */
    *row_step = one_row ? step[1] : row;
    if (!one_row && dim[1] > 1 && step[1] != line)
        return false;
    return dim[2] == 1 && *row_step == (int32_t)*row_step;
}

static bool take_from_memory(const Fusion *f, const PlanStep *load, PlanStep *user, uint32_t off)
{
    int64_t row_step;
    unsigned n = user->op == PLAN_FMA ? 3 : 2;
    bool alike = load->span.at.step[0] == 0;
    if (load->inst->n_vec != 1 || load->span.element != 4 || !find_row_step(f, &load->span, &row_step))
        return false;
    for (unsigned k = 0; k < n; k++) {
        PlanSource *s = &user->src[k];
        if (s->kind != IR_REG || s->off != off || (alike && k == 2))
            continue;
        const MemAlloc *a = load->span.alloc;
        *s = (PlanSource){.kind = IR_NONE,
                          .alike = alike,
                          .shared = !a,
                          .move = load->move,
                          .row_step = (int32_t)row_step,
                          .at = (uintptr_t)load->span.at.base + (a ? (uintptr_t)a->host - a->addr : 0)};
        return true;
    }
    return false;
}

static void fuse_load(Fusion *f, uint32_t i)
{
    PlanStep *load = &f->plan->steps[i];
    const IrOperand *o = wide_register(load->inst, 0);
    if (o->kind != IR_REG)
        return;
    const Readers *r = &f->readers[o->off / 4];
    if (!r->first || r->second || (f->wall && f->wall < r->first))
        return;
    PlanStep *user = &f->plan->steps[r->first - 1];
    if (user->kind == PLAN_FLOAT && user->whole && take_from_memory(f, load, user, o->off))
        load->kind = PLAN_TELL;
}

/* ---- who reads what ---- */

static void writes(Fusion *f, const PlanStep *step, const IrOperand *o)
{
    if (o->kind == IR_REG && !step->keeps)
        f->readers[o->off / 4] = (Readers){0};
}

static void reads(Fusion *f, uint32_t off, uint32_t i)
{
    Readers *r = &f->readers[off / 4];
    r->second = r->first;
    r->first = i + 1;
}

/* mov packs or unpacks its vector: which of them, its result says. */
static void note_instruction(Fusion *f, const PlanStep *step, uint32_t i)
{
    const IrInst *inst = step->inst;
    bool vec_is_read = inst->dst.kind == IR_REG;
    writes(f, step, &inst->dst);
    writes(f, step, &inst->dst2);
    for (uint32_t k = 0; inst->vec && !vec_is_read && k < inst->n_vec; k++)
        writes(f, step, &inst->vec[k]);
    for (uint32_t k = 0; k < inst->n_src; k++)
        if (inst->src[k].kind == IR_REG)
            reads(f, inst->src[k].off, i);
    for (uint32_t k = 0; inst->vec && vec_is_read && k < inst->n_vec; k++)
        if (inst->vec[k].kind == IR_REG)
            reads(f, inst->vec[k].off, i);
}

static void note_step(Fusion *f, uint32_t i)
{
    const PlanStep *step = &f->plan->steps[i];
    switch ((PlanKind)step->kind) {
    case PLAN_LOAD:
    case PLAN_TELL: /* the address is a value */
        for (uint32_t k = 0; k < step->inst->n_vec; k++)
            writes(f, step, wide_register(step->inst, k));
        break;
    case PLAN_STORE:
        for (uint32_t k = 0; k < step->inst->n_vec; k++)
            if (wide_register(step->inst, k)->kind == IR_REG)
                reads(f, wide_register(step->inst, k)->off, i);
        f->wall = i + 1;
        break;
    case PLAN_SPREAD:
        f->readers[step->off / 4] = (Readers){0};
        break;
    case PLAN_RUN:
    case PLAN_FLOAT:
        note_instruction(f, step, i);
        break;
    case PLAN_BARRIER:
    case PLAN_ACTIVE:
        f->wall = i + 1;
        break;
    case PLAN_NOTHING:
        break;
    }
}

/* ---- all of it ---- */

static bool hears_of_loads(const ExecRun *run)
{
    for (unsigned i = 0; i < run->n_watchers; i++)
        if (!run->watchers[i].writes_only)
            return true;
    return false;
}

static bool is_read(const Fusion *f, const IrOperand *o)
{
    return o->kind == IR_REG && f->readers[o->off / 4].first;
}

/* What nobody reads: comparisons that the walk has decided, most of all. */
static bool is_idle(const Fusion *f, const PlanStep *step)
{
    const IrInst *inst = step->inst;
    switch ((PlanKind)step->kind) {
    case PLAN_SPREAD:
        return !f->readers[step->off / 4].first;
    case PLAN_RUN:
    case PLAN_FLOAT:
        return !inst->vec && !is_read(f, &inst->dst) && !is_read(f, &inst->dst2);
    default:
        return false;
    }
}

static void drop_steps(Plan *plan, bool told)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].kind != PLAN_NOTHING && (told || plan->steps[i].kind != PLAN_TELL))
            plan->steps[n++] = plan->steps[i];
    plan->n_steps = n;
}

static uint32_t rows_of(const ExecRun *run)
{
    const uint32_t *dim = run->launch->block;
    if (dim[0] % WARP_LANES == 0)
        return WARP_LANES;
    return dim[0] == WARP_LANES / 2 ? WARP_LANES / 2 : 0;
}

/* Barriers, and what only some threads do, are told block by block. */
static bool tells_rows(const Plan *plan, const ExecRun *run)
{
    bool wanted = false;
    for (unsigned i = 0; i < run->n_watchers; i++)
        wanted |= run->watchers[i].takes_rows;
    for (uint32_t i = 0; i < plan->n_steps; i++)
        wanted &= plan->steps[i].kind != PLAN_BARRIER && plan->steps[i].kind != PLAN_ACTIVE;
    return wanted && plan->n_steps <= PLAN_ROW_STEPS;
}

void plan_fuse(Plan *plan, const ExecRun *run)
{
    Fusion f = {.plan = plan, .run = run, .row = rows_of(run)};
    f.readers = calloc(run->entry->reg_bytes / 4 + 1u, sizeof *f.readers);
    if (!f.readers || run->n_threads % WARP_LANES) {
        free(f.readers);
        return;
    }
    for (uint32_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].kind == PLAN_RUN)
            make_float(&plan->steps[i]);
    for (uint32_t i = plan->n_steps; i-- > 0;) {
        if (is_idle(&f, &plan->steps[i]))
            plan->steps[i].kind = PLAN_NOTHING;
        if (plan->steps[i].kind == PLAN_LOAD)
            fuse_load(&f, i);
        note_step(&f, i);
    }
    free(f.readers);
    drop_steps(plan, hears_of_loads(run));
    plan->tells_rows = tells_rows(plan, run);
}
