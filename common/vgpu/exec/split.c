/* Splits and joins: lanes that part, and meet again. See exec_internal.h for the picture. */

#include "common/base/rng.h"
#include "common/vgpu/exec/split.h"

#include <assert.h>

enum { HOPS_MAX = 8 }; /* jumps that are followed */

ExecSplit *split_new(Warp *warp, uint32_t mask, uint32_t pc, ExecFrame *frame, ExecJoin *join)
{
    assert(warp->used !=
           FULL_MASK); /* splits have lanes of their own, and there are as many slots as lanes */
    int slot = first_lane(~warp->used);
    ExecSplit *s = &warp->splits[slot];
    *s = (ExecSplit){.mask = mask, .pc = pc, .frame = frame, .join = join, .state = SPLIT_READY};
    warp->used |= 1u << slot;
    warp->ready |= 1u << slot;
    return s;
}

static uint32_t slot_bit(const Warp *warp, const ExecSplit *s)
{
    return 1u << (s - warp->splits);
}

void split_free(Warp *warp, ExecSplit *s)
{
    s->state = SPLIT_FREE;
    warp->used &= ~slot_bit(warp, s);
    warp->ready &= ~slot_bit(warp, s);
    warp->parked &= ~slot_bit(warp, s);
}

void split_wake(Warp *warp, ExecSplit *s)
{
    s->state = SPLIT_READY;
    warp->ready |= slot_bit(warp, s);
    warp->parked &= ~slot_bit(warp, s);
}

void split_set_lanes(ExecWarp *w, uint32_t mask)
{
    w->split->mask = w->active = mask;
    w->n_active = bits_count(mask);
}

ExecJoin *split_join_new(ExecBlock *b, const ExecJoin *as)
{
    ExecJoin *j = b->free_joins;
    if (j)
        b->free_joins = j->parent;
    else
        j = block_alloc(b, sizeof *j);
    if (j)
        *j = *as;
    else
        exec_fail(b->run, EXEC_NO_MEMORY, "no memory for a branch");
    return j;
}

static ExecJoin *join_new(ExecWarp *w, uint32_t pc, uint32_t expected)
{
    ExecJoin *j = split_join_new(
        w->block, &(ExecJoin){.parent = w->split->join, .frame = w->frame, .pc = pc, .expected = expected});
    if (!j)
        warp_stop(w, ACTION_STOP);
    return j;
}

static void join_free(ExecBlock *b, ExecJoin *j)
{
    j->parent = b->free_joins;
    b->free_joins = j;
}

bool split_at_join(const ExecSplit *s)
{
    return s->join && s->join->frame == s->frame && s->join->pc == s->pc;
}

void split_wait(ExecWarp *w, ExecJoin *j, uint32_t lanes)
{
    if (!j->arrived)
        j->since = warp_of(w)->slices;
    j->arrived |= lanes;
}

/* The other side of an inner branch goes before that of an outer one, as where a whole block runs at once. */
static void turn_to_branch_of(Warp *warp, const ExecJoin *j)
{
    for (uint32_t left = warp->ready & ~warp->yielded; left; left &= left - 1)
        if (warp->splits[first_lane(left)].join == j)
            warp->cursor = (uint32_t)first_lane(left);
}

bool split_arrive(Warp *warp, ExecSplit *s)
{
    while (split_at_join(s)) {
        ExecJoin *j = s->join;
        split_wait(&warp->base, j, s->mask);
        if (j->arrived != j->expected) {
            split_free(warp, s);
            turn_to_branch_of(warp, j);
            return false;
        }
        s->mask = j->arrived;
        s->join = j->parent;
        join_free(warp->base.block, j);
    }
    return true;
}

/* The join where the lanes of the running split meet again at pc: the one that they are bound for anyway, or
 * a new one. */
static ExecJoin *join_at(ExecWarp *w, uint32_t pc)
{
    ExecJoin *j = w->split->join;
    if (j && j->frame == w->frame && j->pc == pc)
        return j;
    return join_new(w, pc, w->active);
}

ExecJoin *split_join_for(ExecWarp *w, const IrInst *inst)
{
    uint32_t pc = inst->reconverge == IR_NO_PC ? w->frame->function->epilogue : inst->reconverge;
    return join_at(w, pc);
}

/* Which side goes first: the one that falls through; with a seed, either. */
static bool taken_goes_first(const ExecWarp *w)
{
    uint64_t seed = w->block->run->launch->seed;
    return seed && rng_mix(seed + w->block->retired + w->pc * 64u + w->index) & 1;
}

void split_diverge(ExecWarp *w, const IrInst *inst, uint32_t mask, uint32_t target)
{
    uint32_t others = w->active & ~mask, next = w->pc + 1;
    warp_close_run(w, next);
    count_divergence(w);
    ExecJoin *j = split_join_for(w, inst);
    if (!j)
        return;
    w->split->join = j;
    w->stop_pc = j->pc;
    if (target == j->pc || next == j->pc) { /* one side is there already */
        split_wait(w, j, target == j->pc ? mask : others);
        split_set_lanes(w, target == j->pc ? others : mask);
        w->next_pc = target == j->pc ? next : target;
    } else if (taken_goes_first(w)) {
        split_new(warp_of(w), others, next, w->frame, j);
        split_set_lanes(w, mask);
        w->next_pc = target;
    } else {
        split_new(warp_of(w), mask, target, w->frame, j);
        split_set_lanes(w, others);
        w->next_pc = next;
    }
    w->run_start = w->next_pc;
    if (w->next_pc <= w->pc && (w->fuel <= 0 || warp_spins(w)))
        warp_stop(w, ACTION_YIELD);
}

void split_part(ExecWarp *w, ExecJoin *j, uint32_t mask)
{
    warp_close_run(w, w->pc); /* so far all lanes went together */
    w->split->join = j;
    w->stop_pc = j->frame == w->frame ? j->pc : IR_NO_PC;
    split_set_lanes(w, mask);
}

bool split_isolate(ExecWarp *w, uint32_t mask)
{
    if (mask == w->active)
        return true;
    ExecJoin *j = join_at(w, w->pc + 1);
    if (!j)
        return false;
    /* the run loop has taken the other lanes off this instruction's count already */
    int32_t off = (int32_t)bits_count(w->active & ~mask);
    w->pcs[w->pc].lanes += off;
    w->pcs[w->pc + 1].lanes -= off;
    split_wait(w, j, w->active & ~mask);
    split_part(w, j, mask);
    return true;
}

/* Lanes leave the joins of a chain for good; joins for which they were the last to come let go. */
static void leave_chain(Warp *warp, ExecJoin *j, uint32_t mask)
{
    while (j) {
        ExecJoin *parent = j->parent;
        j->expected &= ~mask;
        if (j->expected == j->arrived) {
            if (j->arrived) {
                ExecSplit *s = split_new(warp, j->arrived, j->pc, j->frame, parent);
                join_free(warp->base.block, j);
                split_arrive(warp, s); /* a waiting lane is still expected by the parents: they stay */
            } else {
                join_free(warp->base.block, j);
            }
        }
        j = parent;
    }
}

void split_exit(ExecWarp *w, uint32_t mask)
{
    Warp *warp = warp_of(w);
    ExecBlock *b = w->block;
    ExecJoin *chain = w->split->join;
    ExecFrame *frame = w->frame;
    uint32_t left = w->active & ~mask;
    warp_close_run(w, w->pc + 1);
    w->live &= ~mask;
    b->live_threads -= bits_count(mask);
    b->recheck = true;
    split_set_lanes(w, left);
    if (!left) {
        split_free(warp, w->split);
        warp_stop(w, ACTION_DEAD);
    }
    leave_chain(warp, chain, mask);
    frame_leave(b, frame, mask);
}

uint32_t split_waiting_lanes(const Warp *warp)
{
    uint32_t lanes = warp->base.live;
    for (uint32_t left = warp->used; left; left &= left - 1)
        lanes &= ~warp->splits[first_lane(left)].mask;
    return lanes;
}

/* The join's lanes go on, and are no longer expected there. */
static void open_join(Warp *warp, ExecJoin *j)
{
    ExecSplit *s = split_new(warp, j->arrived, j->pc, j->frame, j->parent);
    j->expected &= ~j->arrived;
    j->arrived = 0;
    split_arrive(warp, s); /* the next join may be at the same place */
}

static bool open_chain(Warp *warp, ExecJoin *j, uint32_t slices)
{
    bool any = false;
    for (; j; j = j->parent) {
        if (!j->arrived || warp->slices - j->since < slices)
            continue;
        open_join(warp, j);
        any = true;
    }
    return any;
}

bool split_leave_joins(Warp *warp, uint32_t slices)
{
    bool any = false;
    for (int i = 0; i < WARP_LANES; i++)
        if (warp->splits[i].state != SPLIT_FREE)
            any |= open_chain(warp, warp->splits[i].join, slices);
    return any;
}

/* Nothing but the kernel's end comes from the join's place on. */
static bool is_at_end(const ExecJoin *j)
{
    const IrFunction *f = j->frame->function;
    uint32_t pc = j->pc;
    for (int hops = 0; !j->frame->call && pc < f->n_insts && hops < HOPS_MAX; hops++) {
        const IrInst *inst = &f->insts[pc];
        if (inst->guard.kind != IR_NONE)
            return false;
        if (inst->opcode == PTX_RET || inst->opcode == PTX_EXIT)
            return true;
        if (inst->opcode != PTX_BRA)
            return false;
        pc = inst->target;
    }
    return false;
}

bool split_leave_ends(Warp *warp)
{
    bool any = false;
    for (int i = 0; i < WARP_LANES; i++) {
        if (warp->splits[i].state == SPLIT_FREE)
            continue;
        for (ExecJoin *j = warp->splits[i].join; j; j = j->parent) {
            if (!j->arrived || !is_at_end(j))
                continue;
            open_join(warp, j);
            any = true;
        }
    }
    return any;
}

void split_merge(Warp *warp)
{
    for (uint32_t left = warp->ready & (warp->ready - 1) ? warp->ready : 0; left; left &= left - 1) {
        ExecSplit *s = &warp->splits[first_lane(left)];
        for (uint32_t others = left & (left - 1); s->state == SPLIT_READY && others; others &= others - 1) {
            ExecSplit *t = &warp->splits[first_lane(others)];
            if (t->state != SPLIT_READY || t->pc != s->pc || t->frame != s->frame || t->join != s->join)
                continue;
            s->mask |= t->mask;
            split_free(warp, t);
        }
    }
}
