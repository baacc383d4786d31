/* Barriers: bar and barrier, sync, arrive and red; and __syncwarp's.
 *
 * A barrier counts threads: a warp whose live lanes have all arrived counts 32, as the hardware's does, a
 * part of one its lanes. Without a count it waits for all threads of the block that have not exited. Lanes
 * that wait are splits in SPLIT_BARRIER, whose pc is already the next instruction.
 */
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

static bool is_complete(const ExecBlock *b, const ExecBarrier *bar)
{
    uint32_t threads = 0;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        uint32_t live = b->warps[i].base.live, here = bar->arrived[i];
        bool whole = (live & ~here) == 0;
        if (bar->all && !whole)
            return false;
        threads += here && whole ? WARP_LANES : bits_count(here);
    }
    return bar->all || threads >= bar->count;
}

static bool waits_at(const ExecSplit *s, uint32_t id)
{
    return s->state == SPLIT_BARRIER && s->barrier == id;
}

static uint32_t waiting_lanes(const Warp *warp, uint32_t id)
{
    uint32_t lanes = 0;
    for (int k = 0; k < WARP_LANES; k++)
        lanes |= waits_at(&warp->splits[k], id) ? warp->splits[k].mask : 0;
    return lanes;
}

/* Threads of the block have exited, and so never come: the first warp that has such threads stands for them.
 */
static void note_exited(ExecBlock *b, const ExecBarrier *bar)
{
    if (!bar->all || b->live_threads == b->n_threads)
        return;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        Warp *warp = &b->warps[i];
        uint32_t exited = warp->exists & ~warp->base.live;
        if (exited) {
            exec_note(&warp->base, bar->function, bar->inst,
                      (ExecFault){.kind = FAULT_BARRIER_EXITED, .mask = exited});
            return;
        }
    }
}

/* Lanes of a warp that came to one barrier by different bar instructions, which must not be (PTX
 * ISA 9.7.13.1: .aligned). */
static void note_divergent(Warp *warp, uint32_t id)
{
    const ExecSplit *first = NULL;
    if (warp->parted) {
        warp->parted = false;
        return;
    }
    for (uint32_t left = warp->used; left; left &= left - 1) {
        const ExecSplit *s = &warp->splits[first_lane(left)];
        if (!waits_at(s, id))
            continue;
        const IrInst *inst = &s->frame->function->insts[s->pc - 1];
        if (!first) {
            first = s;
            continue;
        }
        bool apart = first->pc != s->pc || first->frame->function != s->frame->function;
        const ExecSplit *aligned = inst->uniform ? s : first;
        inst = &aligned->frame->function->insts[aligned->pc - 1];
        if (apart && inst->uniform) {
            exec_note(&warp->base, aligned->frame->function, inst,
                      (ExecFault){.kind = FAULT_BARRIER_DIVERGENT, .mask = aligned->mask});
            return;
        }
    }
}

/* Writes the vote's outcome into the lanes of a split that waited at bar.red. */
static void give_vote(const ExecBarrier *bar, const ExecSplit *s)
{
    const IrInst *inst = &s->frame->function->insts[s->pc - 1];
    uint8_t *dst = s->frame->regs + inst->dst.off;
    uint32_t *predicate = (uint32_t *)dst;
    bool outcome = inst->mode == BAR_RED_AND ? bar->every : bar->some;
    if (inst->mode == BAR_RED_AND || inst->mode == BAR_RED_OR)
        *predicate = (*predicate & ~s->mask) | (outcome ? s->mask : 0);
    for (uint32_t left = inst->mode == BAR_RED_POPC ? s->mask : 0; left; left &= left - 1)
        ((uint32_t *)dst)[first_lane(left)] = bar->popc;
}

static void tell_observers(ExecBlock *b, const ExecBarrier *bar, uint32_t id)
{
    const ExecLaunch *launch = b->run->launch;
    const ExecWho *who = exec_who(&b->warps[0].base, bar->function, bar->inst);
    uint32_t waited[EXEC_WARPS_MAX] = {0};
    bool part = false;
    for (uint32_t i = 0; !bar->all && i < b->run->n_warps; i++) {
        waited[i] = waiting_lanes(&b->warps[i], id);
        part |= waited[i] != b->warps[i].base.live;
    }
    for (size_t i = 0; i < launch->n_observers; i++) {
        const ExecObserver *o = &launch->observers[i];
        if (part && o->barrier_part)
            o->barrier_part(o->self, who, bar->arrived, waited, b->run->n_warps);
        else if (o->barrier)
            o->barrier(o->self, who, id);
    }
}

void barrier_tell_all(ExecBlock *b, const IrInst *inst, uint32_t id)
{
    const ExecBarrier bar = {.all = true, .inst = inst, .function = b->run->entry};
    tell_observers(b, &bar, id);
}

static void complete(ExecBlock *b, uint32_t id)
{
    ExecBarrier bar = b->barriers[id];
    b->barriers[id] = (ExecBarrier){0};
    note_exited(b, &bar);
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        note_divergent(&b->warps[i], id);
    tell_observers(b, &bar, id);
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        Warp *warp = &b->warps[i];
        bool woken = false;
        for (uint32_t left = warp->used; left; left &= left - 1) {
            ExecSplit *s = &warp->splits[first_lane(left)];
            if (!waits_at(s, id))
                continue;
            give_vote(&bar, s);
            split_wake(warp, s);
            woken = true;
        }
        if (woken)
            split_merge(warp);
    }
    if (bar.all && id != EXEC_CLUSTER_BARRIER) /* whose last thread to arrive does not wait */
        wide_barrier_passed(b);
}

void barrier_recheck(ExecBlock *b)
{
    b->recheck = false;
    for (uint32_t id = 0; id <= EXEC_CLUSTER_BARRIER; id++)
        if (b->barriers[id].used && is_complete(b, &b->barriers[id]))
            complete(b, id);
}

/* The number of threads, or NULL: it may be left out. */
static const IrOperand *count_operand(const IrInst *inst)
{
    const IrOperand *o = &inst->src[1];
    return o->kind == IR_NONE || o->bytes == 0 ? NULL : o;
}

static void vote(ExecWarp *w, ExecBarrier *bar, const IrInst *inst, uint32_t mask)
{
    if (inst->mode != BAR_RED_POPC && inst->mode != BAR_RED_AND && inst->mode != BAR_RED_OR)
        return;
    const IrOperand *predicate = inst->src[2].kind != IR_NONE ? &inst->src[2] : &inst->src[1];
    uint32_t yes = warp_pred(w, predicate) & mask;
    bar->popc += bits_count(yes);
    bar->every &= yes == mask;
    bar->some |= yes != 0;
}

static void park(ExecWarp *w, uint32_t id)
{
    ExecSplit *s = w->split;
    s->state = SPLIT_BARRIER;
    s->barrier = (uint8_t)id;
    s->pc = w->pc + 1;
    warp_of(w)->ready &= ~(1u << (s - warp_of(w)->splits));
    warp_stop(w, ACTION_PARK);
}

void exec_barrier(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    ExecBlock *b = w->block;
    int lane = first_lane(mask);
    uint64_t id = inst->src[0].kind == IR_NONE ? 0 : operand_value(w, &inst->src[0], lane);
    if (id >= EXEC_N_BARRIERS) {
        exec_fault(
            w, inst,
            (ExecFault){.kind = FAULT_TRAP, .mask = mask, .detail = "a barrier's number must be 0 to 15"});
        return;
    }
    if (inst->mode != BAR_ARRIVE && !split_isolate(w, mask))
        return;
    ExecBarrier *bar = &b->barriers[id];
    b->barriers_used = true;
    if (!bar->used) {
        bar->used = bar->every = bar->all = true;
    }
    if (count_operand(inst)) {
        bar->count = (uint32_t)operand_value(w, count_operand(inst), lane);
        bar->all = false;
    }
    bar->arrived[w->index] |= mask;
    bar->inst = inst;
    bar->function = w->frame->function;
    vote(w, bar, inst, mask);
    if (inst->mode != BAR_ARRIVE)
        park(w, (uint32_t)id);
    if (is_complete(b, bar))
        complete(b, (uint32_t)id);
}

void exec_cluster_arrive(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    ExecBarrier *bar = &w->block->barriers[EXEC_CLUSTER_BARRIER];
    w->block->barriers_used = bar->used = bar->all = true;
    bar->arrived[w->index] |= mask;
    bar->inst = inst;
    bar->function = w->frame->function;
    if (is_complete(w->block, bar))
        complete(w->block, EXEC_CLUSTER_BARRIER);
}

/* Lanes wait as long as the barrier still knows them as arrived; completing forgets all. */
void exec_cluster_wait(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)inst;
    uint32_t waiting = w->block->barriers[EXEC_CLUSTER_BARRIER].arrived[w->index] & mask;
    if (waiting && split_isolate(w, waiting))
        park(w, EXEC_CLUSTER_BARRIER);
}

bool barrier_part_warps(ExecBlock *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        any |= split_leave_ends(&b->warps[i]);
    if (any) /* they exit, and the barrier is without them */
        return true;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        Warp *warp = &b->warps[i];
        if (!split_waiting_lanes(warp))
            continue;
        const ExecSplit *s = NULL;
        for (int k = 0; k < WARP_LANES && !s; k++)
            s = warp->splits[k].state == SPLIT_BARRIER ? &warp->splits[k] : NULL;
        if (!s)
            continue;
        const IrInst *inst = &s->frame->function->insts[s->pc - 1];
        if (inst->uniform) {
            exec_note(&warp->base, s->frame->function, inst,
                      (ExecFault){.kind = FAULT_BARRIER_DIVERGENT, .mask = s->mask});
            warp->parted = true;
        }
        any |= split_leave_joins(warp, 0);
    }
    return any;
}

void exec_warp_barrier(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecLaunch *launch = w->block->run->launch;
    const ExecWho *who = sync_who(w, w->frame->function, inst);
    EXEC_TELL(launch, warp_sync, who, mask);
}
