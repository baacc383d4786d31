/* The run loop of a warp: its splits one after the other, each until it waits, ends or has used up its slice.
 */
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

/* Counts the instructions [run_start, end), which all lanes of the split went through. */
void warp_close_run(ExecWarp *w, uint32_t end)
{
    uint32_t n = end - w->run_start;
    if (n == 0)
        return;
    ExecPc *first = &w->pcs[w->run_start], *after = &w->pcs[end];
    first->runs++;
    after->runs--;
    first->lanes += w->n_active;
    after->lanes -= w->n_active;
    w->fuel -= (int32_t)n;
    w->run_start = end;
}

uint64_t warp_retired(const ExecWarp *w)
{
    const Warp *warp = (const Warp *)w;
    return w->block->retired + (uint64_t)(warp->fuel_start - w->fuel) + (w->pc - w->run_start);
}

void warp_stop(ExecWarp *w, WarpAction action)
{
    w->action = action;
    w->stop_pc = w->next_pc;
}

void warp_jump(ExecWarp *w, uint32_t target)
{
    warp_close_run(w, w->pc + 1);
    w->run_start = w->next_pc = target;
    if (target <= w->pc && (w->fuel <= 0 || warp_spins(w)))
        warp_stop(w, ACTION_YIELD);
}

static void tell_step(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const Warp *warp = warp_of(w);
    const ExecBlock *b = w->block;
    const ExecLaunch *l = b->run->launch;
    ExecStep step = {.active = w->active,
                     .mask = mask,
                     .joining = split_waiting_lanes(warp),
                     .regs = w->regs,
                     .local = b->local ? b->local + (size_t)w->index * WARP_LANES * b->run->local_bytes + w->frame_base : NULL,
                     .local_stride = b->run->local_bytes};
    for (uint32_t left = warp->used; left; left &= left - 1) {
        const ExecSplit *s = &warp->splits[first_lane(left)];
        if (s == w->split)
            continue;
        step.other |= s->state == SPLIT_READY ? s->mask : 0;
        step.barrier |= s->state == SPLIT_BARRIER ? s->mask : 0;
        step.sync |= s->state == SPLIT_SYNC ? s->mask : 0;
    }
    uint8_t from[WARP_LANES];
    if (inst->opcode == PTX_SHFL) {
        lanes_shuffle_sources(w, inst, from);
        step.from = from;
        step.value = warp_src(w, &inst->src[0]);
    }
    const ExecWho *who = exec_who(w, w->frame->function, inst);
    EXEC_TELL(l, step, who, &step);
}

/* What of an instruction is not known any more when it has been executed. */
static ExecDone before_it_is_done(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    ExecDone done = {.mask = mask};
    for (int k = 0; k < 2 && w->follow && inst->opcode == PTX_AND && inst->src[k].bytes >= 2; k++)
        for (uint32_t left = mask; left; left &= left - 1) {
            int lane = first_lane(left);
            done.zero[k] |= (uint32_t)(operand_value(w, &inst->src[k], lane) == 0) << lane;
        }
    return done;
}

/* The instruction was executed with these registers, unless it waits for the block's turn. */
static void tell_done(ExecWarp *w, const IrFunction *function, uint8_t *regs, const IrInst *inst, ExecDone done)
{
    if (!w->follow || w->action == ACTION_TURN)
        return;
    uint8_t from[WARP_LANES];
    if (inst->opcode == PTX_SHFL) {
        lanes_shuffle_sources(w, inst, from);
        done.from = from;
    }
    const uint32_t *chooses = inst->opcode == PTX_SELP && inst->src[2].kind == IR_REG ? (const uint32_t *)(regs + inst->src[2].off) : NULL;
    if (chooses)
        done.first = inst->src[2].negated ? ~*chooses : *chooses;
    else if (inst->opcode == PTX_SELP)
        done.first = warp_pred(w, &inst->src[2]);
    ExecWho who = *exec_who(w, function, inst);
    who.frame = regs;
    const ExecLaunch *l = w->block->run->launch;
    EXEC_TELL(l, follow, &who, &done);
}

/* steps: observers are told of each instruction. */
EXEC_INLINE void run_until_stop(ExecWarp *w, bool steps)
{
    const IrInst *insts = w->insts;
    do {
        uint32_t pc = w->next_pc;
        const IrInst *inst = &insts[pc];
        uint32_t mask = w->active;
        w->pc = pc;
        w->next_pc = pc + 1;
        if (inst->guard.kind != IR_NONE) {
            mask &= warp_pred(w, &inst->guard);
            if (inst->opcode != PTX_BRA) { /* all lanes take part in a branch */
                int32_t off = (int32_t)(w->n_active - bits_count(mask));
                w->pcs[pc].lanes -= off;
                w->pcs[pc + 1].lanes += off;
            }
            if (!mask) {
                if (steps && w->block->steps)
                    tell_step(w, inst, inst->opcode == PTX_BRA ? w->active : 0);
                continue;
            }
        }
        if (steps && w->block->steps)
            tell_step(w, inst, inst->opcode == PTX_BRA ? w->active : mask);
        const IrFunction *function = steps ? w->frame->function : NULL;
        uint8_t *regs = w->regs;
        ExecDone done = {0};
        if (steps)
            done = before_it_is_done(w, inst, mask);
        inst->handler(w, inst, mask);
        if (steps)
            tell_done(w, function, regs, inst, done);
    } while (w->next_pc != w->stop_pc);
}

static bool load_split(ExecWarp *w, ExecSplit *s)
{
    ExecFrame *f = s->frame;
    ExecCode *code = worker_code(w->block->worker, f->index);
    if (!code) {
        exec_fail(w->block->run, EXEC_NO_MEMORY, "no memory for a function's counters");
        return false;
    }
    w->split = s;
    w->frame = f;
    w->regs = f->regs;
    w->frame_base = f->base;
    w->insts = f->function->insts;
    w->pool = code->pool;
    w->pcs = code->pcs;
    w->action = ACTION_NONE;
    w->next_pc = w->run_start = s->pc;
    w->stop_pc = s->join && s->join->frame == f ? s->join->pc : IR_NO_PC;
    w->active = s->mask;
    w->n_active = bits_count(s->mask);
    return true;
}

/* Runs the split until it is gone or a handler says why it stops. */
static WarpAction run_split(Warp *warp, ExecSplit *s)
{
    ExecWarp *w = &warp->base;
    for (;;) {
        if (split_at_join(s) && !split_arrive(warp, s))
            return ACTION_DEAD;
        if (!load_split(w, s))
            return ACTION_STOP;
        w->told = w->follow || w->block->steps;
        if (w->told)
            run_until_stop(w, true);
        else
            run_until_stop(w, false);
        warp_close_run(w, w->next_pc);
        if (w->action == ACTION_DEAD || w->action == ACTION_PARK)
            return (WarpAction)w->action; /* the slot may be another's by now */
        s->pc = w->next_pc;
        if (w->action != ACTION_NONE && w->action != ACTION_FRAME)
            return (WarpAction)w->action;
    }
}

/* Adds what the warp retired since the last time to the block's and the launch's counts. */
static void account(Warp *warp)
{
    ExecBlock *b = warp->base.block;
    uint64_t n = (uint64_t)(warp->fuel_start - warp->base.fuel);
    warp->fuel_start = warp->base.fuel;
    b->retired += n;
    if (!(warp->base.polls & EXEC_CALM))
        block_note_store(b);
    uint64_t limit = b->run->launch->max_instructions;
    hang_look(b->run);
    if (!limit || b->run->n_workers == 1)
        b->worker->retired += n;
    else
        atomic_fetch_add(&b->run->retired, n);
    if (limit && run_retired(b->run) > limit)
        hang_stop(b->run, FAULT_TIMEOUT, warp);
}

static void refuel(Warp *warp)
{
    const ExecRun *run = warp->base.block->run;
    uint64_t limit = run->launch->max_instructions, slice = warp->base.block->probe ? EXEC_PROBE_SLICE : EXEC_SLICE;
    if (limit) {
        uint64_t retired = run_retired(run);
        uint64_t left = retired < limit ? limit - retired + 1 : 1;
        slice = left < slice ? left : slice;
    }
    warp->base.fuel = warp->fuel_start = (int32_t)slice;
    warp->base.polls = EXEC_CALM;
}

/* The next slot of `slots` in turn. */
static uint32_t pick_split(const Warp *warp, uint32_t slots)
{
    uint32_t from = slots >> warp->cursor << warp->cursor;
    return (uint32_t)first_lane(from ? from : slots);
}

static void note_yield(Warp *warp, uint32_t slot)
{
    warp->yielded |= 1u << slot;
    if (!warp_spins(&warp->base))
        warp->all_spun = false;
    if (!(warp->base.polls & ~EXEC_CALM))
        warp->splits[slot].poll.function = NULL;
    warp->cursor = (slot + 1) % WARP_LANES;
    account(warp);
    refuel(warp);
}

/* All ready splits have used up a slice. Lanes that have long waited for them at joins go on alone. */
static WarpOutcome end_visit(Warp *warp)
{
    warp->visiting = false;
    warp->slices++;
    bool left = split_leave_joins(warp, warp->all_spun ? EXEC_SPIN_SLICES : EXEC_DRY_SLICES);
    return warp->all_spun && !left ? WARP_SPINS : WARP_USED_SLICE;
}

static void begin_visit(Warp *warp)
{
    if (warp->visiting)
        return;
    warp->visiting = true;
    warp->yielded = 0;
    warp->all_spun = true;
    refuel(warp);
}

WarpOutcome warp_run(Warp *warp)
{
    begin_visit(warp);
    for (;;) {
        uint32_t slots = warp->ready & ~warp->yielded;
        if (!slots && sync_resolve(warp, false))
            continue;
        if (!slots && warp->ready)
            return end_visit(warp);
        if (!slots) {
            account(warp);
            warp->visiting = false;
            return atomic_load(&warp->base.block->run->stop) ? WARP_STOPPED : WARP_WAITS;
        }
        uint32_t slot = warp->cursor = pick_split(warp, slots);
        WarpAction action = run_split(warp, &warp->splits[slot]);
        if (action == ACTION_YIELD)
            note_yield(warp, slot);
        if (action == ACTION_TURN)
            return WARP_NEEDS_TURN;
        if (action == ACTION_PARK && wide_is_coming(warp->base.block)) {
            account(warp);
            warp->visiting = false;
            return WARP_USED_SLICE;
        }
        if (atomic_load_explicit(&warp->base.block->run->stop, memory_order_relaxed)) {
            account(warp);
            return WARP_STOPPED;
        }
    }
}
