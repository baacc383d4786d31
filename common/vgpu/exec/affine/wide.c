/* The run loop of a block whose warps go together. See wide.h.
 */
#include "common/vgpu/exec/affine/wide.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

typedef enum Step {
    STEP_NEXT,   /* the instruction is done */
    STEP_JUMPED, /* pc is where to go on */
    STEP_LEAVE,  /* nothing was done: the warps are to do it one by one */
    STEP_TURN,   /* some warps have done it; the others will when the block has its turn */
    STEP_STOP,
    STEP_END,
} Step;

/* ---- who is active ---- */

static bool is_first_threads(const ExecBlock *b)
{
    const Wide *v = b->wide;
    const uint32_t *dim = b->run->launch->block;
    uint32_t full = v->n_lanes / WARP_LANES, rest = v->n_lanes % WARP_LANES;
    if (v->whole || dim[1] * dim[2] > 1)
        return v->whole;
    for (uint32_t i = 0; i < full; i++)
        if (v->active[i] != FULL_MASK)
            return false;
    return !rest || v->active[full] == (1u << rest) - 1;
}

void wide_count_active(ExecBlock *b)
{
    Wide *v = b->wide;
    v->warps = v->n_warps = v->n_lanes = 0;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        v->warps |= (uint32_t)(v->active[i] != 0) << i;
        v->n_warps += v->active[i] != 0;
        v->n_lanes += bits_count(v->active[i]);
    }
    v->whole = v->n_lanes == b->n_threads;
    v->n_first = is_first_threads(b) ? v->n_lanes : 0;
    v->stop_pc = v->depth ? v->levels[v->depth - 1].join : IR_NO_PC;
}

void wide_activate_first(ExecBlock *b, uint32_t n_threads)
{
    Wide *v = b->wide;
    v->n_lanes = v->n_first = n_threads;
    v->n_warps = (n_threads + WARP_LANES - 1) / WARP_LANES;
    v->warps = UINT32_MAX >> (EXEC_WARPS_MAX - v->n_warps);
    v->whole = n_threads == b->n_threads;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        uint32_t left = n_threads > i * WARP_LANES ? n_threads - i * WARP_LANES : 0;
        v->active[i] = left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
    }
}

/* ---- counting ---- */

void wide_close_run(Wide *v, uint32_t end)
{
    uint32_t n = end - v->run_start;
    if (n == 0)
        return;
    ExecPc *first = &v->code->pcs[v->run_start], *after = &v->code->pcs[end];
    first->runs += v->n_warps;
    after->runs -= v->n_warps;
    first->lanes += v->n_lanes;
    after->lanes -= v->n_lanes;
    v->retired += (uint64_t)n * v->n_warps;
    v->fuel -= (int32_t)(n * v->n_warps);
    v->run_start = end;
}

void wide_account(ExecBlock *b)
{
    Wide *v = b->wide;
    b->retired += v->retired;
    if (b->run->launch->max_instructions && b->run->n_workers > 1)
        atomic_fetch_add(&b->run->retired, v->retired);
    else
        b->worker->retired += v->retired;
    v->retired = 0;
}

bool wide_is_near_limit(const ExecRun *run)
{
    uint64_t limit = run->launch->max_instructions;
    return limit && run_retired(run) + EXEC_LIMIT_NEAR * run->n_workers > limit;
}

/* ---- control flow ---- */

static Step jump(Wide *v, uint32_t target)
{
    wide_close_run(v, v->pc + 1);
    v->run_start = v->pc = target;
    return STEP_JUMPED;
}

/* Splits the active lanes: to[] of each warp go to the target. Counts warps that part. */
static void split_masks(ExecBlock *b, const uint32_t *to, uint32_t *others)
{
    Wide *v = b->wide;
    uint32_t parted = 0;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        others[i] = v->active[i] & ~to[i];
        parted += to[i] && others[i];
    }
    b->worker->divergent_branches += parted;
    v->code->pcs[v->pc].diverged += parted;
}

/* The lanes go both ways: those that fall through first. */
static Step part(ExecBlock *b, const IrInst *inst, const uint32_t *to, const uint32_t *others)
{
    Wide *v = b->wide;
    size_t size = b->run->n_warps * sizeof *to;
    uint32_t join = inst->reconverge == IR_NO_PC ? b->run->entry->epilogue : inst->reconverge;
    uint32_t next = v->pc + 1;
    bool ends = inst->target == join || next == join; /* one side is there already */
    const uint32_t *first = next == join ? to : others;
    if (!ends || v->stop_pc != join) {
        WideLevel *level = &v->levels[v->depth++];
        level->join = join;
        level->other = ends ? IR_NO_PC : inst->target;
        memcpy(level->expected, v->active, size);
        memcpy(level->waiting, to, size);
    }
    memcpy(v->active, first, size);
    v->run_start = v->pc = next == join ? inst->target : next;
    return STEP_JUMPED;
}

static Step branch(ExecBlock *b, const IrInst *inst)
{
    Wide *v = b->wide;
    uint32_t to[EXEC_WARPS_MAX] = {0}, others[EXEC_WARPS_MAX], any = 0, rest = 0;
    int taken = inst->guard.kind == IR_NONE ? 1 : affine_predicate(&v->affine, &inst->guard);
    if (taken >= 0)
        return taken ? jump(v, inst->target) : STEP_NEXT;
    for (uint32_t left = v->warps; left; left &= left - 1) {
        int i = first_lane(left);
        to[i] = v->active[i] & warp_pred(&b->warps[i].base, &inst->guard);
        any |= to[i];
        rest |= v->active[i] & ~to[i];
    }
    if (!any || !rest)
        return any ? jump(v, inst->target) : STEP_NEXT;
    if (v->depth == WIDE_LEVELS)
        return STEP_LEAVE;
    wide_close_run(v, v->pc + 1);
    split_masks(b, to, others);
    part(b, inst, to, others);
    wide_count_active(b);
    return STEP_JUMPED;
}

/* The active lanes stand where those of the innermost level meet. */
static void meet(ExecBlock *b)
{
    Wide *v = b->wide;
    WideLevel *level = &v->levels[v->depth - 1];
    size_t size = b->run->n_warps * sizeof *v->active;
    wide_close_run(v, v->pc);
    if (level->other != IR_NO_PC) {
        memcpy(v->active, level->waiting, size);
        v->run_start = v->pc = level->other;
        level->other = IR_NO_PC;
    } else {
        memcpy(v->active, level->expected, size);
        v->depth--;
    }
    wide_count_active(b);
}

/* bar.sync of all threads. The warp that would have come last goes on first: the order in which warps leave
 * here, if they do. */
static Step barrier(ExecBlock *b, const IrInst *inst)
{
    const Wide *v = b->wide;
    const IrOperand *o = &inst->src[0];
    AffineValue room = {0};
    const AffineValue *id = o->kind == IR_NONE ? &room : affine_known(&v->affine, o, &room);
    bool counts = inst->src[1].kind != IR_NONE && inst->src[1].bytes;
    if (!v->whole || counts || !id || !affine_is_uniform(id, AFFINE_BLOCK) || id->base >= EXEC_N_BARRIERS ||
        b->barriers[id->base].used)
        return STEP_LEAVE;
    barrier_tell_all(b, inst, (uint32_t)id->base);
    b->cursor = (b->cursor + b->run->n_warps - 1) % b->run->n_warps;
    return STEP_NEXT;
}

static Step end(ExecBlock *b)
{
    Wide *v = b->wide;
    if (!v->whole)
        return STEP_LEAVE;
    wide_close_run(v, v->pc + 1);
    wide_account(b);
    b->live_threads = 0;
    return STEP_END;
}

/* ---- what the warps' handlers do ---- */

static void spread_sources(ExecBlock *b, const IrInst *inst)
{
    for (uint32_t i = 0; i < inst->n_src; i++)
        wide_spread(b, &inst->src[i]);
    for (uint32_t i = 0; inst->vec && i < inst->n_vec; i++)
        wide_spread(b, &inst->vec[i]);
}

/* The register files will hold what is written; what some lanes leave as it is must be there before. */
static void open_result(ExecBlock *b, const IrOperand *o, bool partial)
{
    if (o->kind != IR_REG)
        return;
    if (partial)
        wide_spread(b, o);
    b->wide->affine.held[o->off / 4] = HELD_LANES;
}

static void open_results(ExecBlock *b, const IrInst *inst, bool partial)
{
    open_result(b, &inst->dst, partial);
    open_result(b, &inst->dst2, partial);
    for (uint32_t i = 0; inst->vec && i < inst->n_vec; i++)
        open_result(b, &inst->vec[i], true);
}

static Step run_pure(ExecBlock *b, const IrInst *inst, const uint32_t *mask)
{
    for (uint32_t left = b->wide->warps; left; left &= left - 1) {
        int i = first_lane(left);
        if (mask[i])
            inst->handler(&b->warps[i].base, inst, mask[i]);
    }
    return STEP_NEXT;
}

static Step run_checked(ExecBlock *b, const IrInst *inst, const uint32_t *mask)
{
    Wide *v = b->wide;
    uint32_t left = v->todo ? v->todo : v->warps;
    for (v->todo = 0; left; left &= left - 1) {
        ExecWarp *w = &b->warps[first_lane(left)].base;
        if (!mask[w->index])
            continue;
        w->pc = v->pc;
        w->next_pc = v->pc + 1;
        w->action = ACTION_NONE;
        inst->handler(w, inst, mask[w->index]);
        if (w->action == ACTION_NONE)
            continue;
        v->todo = left;
        return w->action == ACTION_TURN ? STEP_TURN : STEP_STOP;
    }
    return STEP_NEXT;
}

static bool warps_are_whole(ExecBlock *b, const IrInst *inst, const uint32_t *mask)
{
    const Wide *v = b->wide;
    for (uint32_t left = v->warps; left; left &= left - 1) {
        int i = first_lane(left);
        if (mask[i] && !sync_is_whole(&b->warps[i].base, inst, mask[i]))
            return false;
    }
    return true;
}

static Step by_warp(ExecBlock *b, const IrInst *inst, const uint32_t *mask, bool partial)
{
    spread_sources(b, inst);
    if (inst->wide == WIDE_SYNC && !warps_are_whole(b, inst, mask))
        return STEP_LEAVE;
    open_results(b, inst, partial);
    bool checked =
        inst->wide >= WIDE_CHECKED || inst->wide == WIDE_PARAM; /* which lies outside, if it comes here */
    return checked ? run_checked(b, inst, mask) : run_pure(b, inst, mask);
}

/* ---- once for the block ---- */

static bool special(ExecBlock *b, const IrInst *inst)
{
    AffineState *s = &b->wide->affine;
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    if (sreg <= PTX_SREG_TID_Z)
        affine_set_index(s, &inst->dst, (int)(sreg - PTX_SREG_TID_X));
    else if (!sreg_differs_by_lane(sreg) && sreg != PTX_SREG_WARPID)
        affine_set_uniform(s, &inst->dst, sreg_of_warp(&b->warps[0].base, sreg));
    else
        return false;
    return true;
}

static bool compute(ExecBlock *b, const IrInst *inst)
{
    AffineState *s = &b->wide->affine;
    if (inst->wide == WIDE_SREG)
        return special(b, inst);
    return affine_compute(s, inst) || affine_compute_once(s, inst, &b->warps[0].base, HELD_LANES);
}

/* ---- the loop ---- */

static Step do_access(ExecBlock *b, const IrInst *inst)
{
    switch (b->wide->todo ? WIDE_BY_WARP : wide_access(b, inst)) {
    case WIDE_DONE:
        return STEP_NEXT;
    case WIDE_ODD:
        return STEP_LEAVE;
    default:
        return by_warp(b, inst, b->wide->active, !b->wide->whole);
    }
}

static Step do_inst(ExecBlock *b, const IrInst *inst)
{
    const Wide *v = b->wide;
    switch ((WideKind)inst->wide) {
    case WIDE_LEAVE:
        return STEP_LEAVE;
    case WIDE_BRANCH:
        return branch(b, inst);
    case WIDE_BARRIER:
        return barrier(b, inst);
    case WIDE_END:
        return end(b);
    case WIDE_LOAD:
    case WIDE_STORE:
        return do_access(b, inst);
    case WIDE_PURE:
    case WIDE_CHECKED:
    case WIDE_SYNC:
        return by_warp(b, inst, v->active, !v->whole);
    default:
        break;
    }
    if (v->whole && compute(b, inst))
        return STEP_NEXT;
    return by_warp(b, inst, v->active, !v->whole);
}

/* An instruction whose guard is not the same in all threads. */
static Step do_guarded(ExecBlock *b, const IrInst *inst)
{
    Wide *v = b->wide;
    uint32_t n_off = v->n_lanes;
    if (inst->wide == WIDE_LEAVE || inst->wide > WIDE_STORE)
        return STEP_LEAVE;
    wide_spread(b, &inst->guard);
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        v->mask[i] = v->active[i] & warp_pred(&b->warps[i].base, &inst->guard);
        n_off -= bits_count(v->mask[i]);
    }
    Step step = by_warp(b, inst, v->mask, true);
    if (step == STEP_NEXT || step == STEP_STOP) {
        v->code->pcs[v->pc].lanes -= n_off;
        v->code->pcs[v->pc + 1].lanes += n_off;
    }
    return step;
}

static Step step(ExecBlock *b, const IrInst *inst)
{
    Wide *v = b->wide;
    int on = inst->guard.kind == IR_NONE || inst->opcode == PTX_BRA ? 1 : affine_predicate(&v->affine, &inst->guard);
    if (on == 1)
        return do_inst(b, inst);
    if (on < 0)
        return do_guarded(b, inst);
    v->code->pcs[v->pc].lanes -= v->n_lanes;
    v->code->pcs[v->pc + 1].lanes += v->n_lanes;
    return STEP_NEXT;
}

/* After a jump back: whether the block may go on here. */
static BlockOutcome look_up(ExecBlock *b)
{
    Wide *v = b->wide;
    v->fuel = WIDE_FUEL;
    wide_account(b);
    if (atomic_load_explicit(&b->run->stop, memory_order_relaxed))
        return BLOCK_STOPPED;
    if (hang_look(b->run)) {
        wide_leave(b);
        return BLOCK_STOPPED;
    }
    block_take_stores(b);
    if (wide_is_near_limit(b->run)) {
        wide_leave(b);
        v->leaves = WIDE_LEAVES_MAX;
        return BLOCK_GOES_ON;
    }
    bool probed = block_probe(b);
    if (b->retired - b->turn_start < EXEC_BLOCK_QUANTUM && !probed)
        return BLOCK_GOES_ON;
    b->turn_start = b->retired;
    if (probed) {
        wide_leave(b);
        v->leaves--;
    }
    return BLOCK_GAVE_WAY;
}

static BlockOutcome give_up(ExecBlock *b, Step why)
{
    Wide *v = b->wide;
    switch (why) {
    case STEP_LEAVE:
        wide_leave(b);
        return BLOCK_GOES_ON;
    case STEP_TURN:
        return BLOCK_NEEDS_TURN;
    case STEP_STOP:
        wide_close_run(v, v->pc + 1);
        wide_account(b);
        return BLOCK_STOPPED;
    default:
        return BLOCK_ENDED;
    }
}

bool wide_load(ExecBlock *b)
{
    Wide *v = b->wide;
    const ExecCode *code = worker_code(b->worker, b->run->launch->function);
    if (!code) {
        exec_fail(b->run, EXEC_NO_MEMORY, "no memory for a function's counters");
        return false;
    }
    if (v->loaded && v->code == code)
        return true;
    v->code = code;
    v->affine.pool = code->pool;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        ExecWarp *w = &b->warps[i].base;
        w->pool = code->pool;
        w->pcs = code->pcs;
        w->insts = b->run->entry->insts;
    }
    return true;
}

BlockOutcome wide_run(ExecBlock *b)
{
    Wide *v = b->wide;
    const IrInst *insts = b->run->entry->insts;
    if (!wide_load(b))
        return BLOCK_STOPPED;
    for (;;) {
        if (v->pc == v->stop_pc) {
            meet(b);
            continue;
        }
        if (b->followed && !v->todo)
            return give_up(b, STEP_LEAVE);
        uint32_t pc = v->pc;
        Step s = step(b, &insts[pc]);
        if (s == STEP_NEXT) {
            v->pc++;
            continue;
        }
        if (s != STEP_JUMPED)
            return give_up(b, s);
        if (v->pc > pc || v->fuel > 0)
            continue;
        BlockOutcome outcome = look_up(b);
        if (outcome != BLOCK_GOES_ON || !v->on)
            return outcome;
    }
}
