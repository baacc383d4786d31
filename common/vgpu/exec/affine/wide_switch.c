/* Between a block whose warps go together and one whose warps each have splits and joins. */
#include "common/vgpu/exec/affine/wide.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

/* The most lanes, up to a warp's, that always go up in x together. */
static uint32_t row_lanes(const uint32_t dim[3])
{
    uint32_t row = WARP_LANES;
    if (dim[1] == 1 && dim[2] == 1)
        return row;
    while (dim[0] % row)
        row /= 2;
    return row;
}

bool wide_create(ExecBlock *b)
{
    const ExecRun *run = b->run;
    const uint32_t reg_bytes = run->entry->reg_bytes;
    Wide *v = block_alloc(b, sizeof *v);
    uint8_t *held = block_alloc(b, reg_bytes / 4 + 1u);
    AffineValue *values = block_alloc(b, (reg_bytes / 64 + 1u) * sizeof *values);
    if (!v || !held || !values)
        return false;
    memset(v, 0, sizeof *v);
    v->affine = (AffineState){.run = run, .held = held, .values = values, .dims = AFFINE_BLOCK};
    v->reg_stride = ((size_t)reg_bytes + 63) & ~(size_t)63;
    v->row_lanes = row_lanes(run->launch->block);
    for (int i = 0; i < 3; i++)
        v->affine.most[i] = run->launch->block[i] - 1;
    b->wide = v;
    return true;
}

/* All threads are active, at pc. */
static void activate_all(ExecBlock *b, uint32_t pc)
{
    Wide *v = b->wide;
    v->on = true;
    v->coming = false;
    v->pc = v->run_start = pc;
    v->depth = 0;
    v->todo = 0;
    v->fuel = WIDE_FUEL;
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        v->active[i] = b->warps[i].exists;
    wide_count_active(b);
}

static void load_warp(ExecBlock *b, Warp *warp)
{
    const Wide *v = b->wide;
    ExecWarp *w = &warp->base;
    warp->used = warp->ready = warp->parked = 0;
    warp->entry = (ExecFrame){.function = b->run->entry,
                              .index = b->run->launch->function,
                              .regs = b->regs + w->index * v->reg_stride,
                              .lanes = warp->exists};
    w->frame = &warp->entry;
    w->regs = warp->entry.regs;
    w->frame_base = 0;
    w->live = warp->exists;
    w->carry = 0;
    w->polls = EXEC_CALM;
}

bool wide_begin(ExecBlock *b)
{
    Wide *v = b->wide;
    v->coming = false;
    if (b->steps || run_follows_unset(b->run) || (!b->n_planned && wide_is_near_limit(b->run))) { /* what is planned was seen to fit */
        v->on = v->loaded = false;
        v->leaves = WIDE_LEAVES_MAX;
        return false;
    }
    memset(v->affine.held, HELD_NOTHING, b->run->entry->reg_at[IR_N_WIDTHS] / 4);
    v->leaves = 0;
    v->retired = 0;
    for (uint32_t i = 0; !v->loaded && i < b->run->n_warps; i++)
        load_warp(b, &b->warps[i]);
    v->code = v->loaded ? v->code : NULL;
    v->loaded = true;
    activate_all(b, 0);
    return true;
}

/* A join of the level for the lanes of a warp: the one around it if that is at the same place, as it is where
 * warps part by themselves. NULL after a failure. */
static ExecJoin *make_join(ExecBlock *b, Warp *warp, const WideLevel *level, ExecJoin *parent)
{
    if (parent && parent->pc == level->join)
        return parent;
    return split_join_new(b, &(ExecJoin){.parent = parent,
                                         .frame = &warp->entry,
                                         .pc = level->join,
                                         .expected = level->expected[warp->base.index]});
}

/* A warp's lanes of one level: where those stand that are not in the next one. True: the others do go on
 * there. */
static bool place_level(ExecBlock *b, Warp *warp, const WideLevel *level, uint32_t current, ExecJoin **join)
{
    uint32_t i = warp->base.index;
    uint32_t waiting = level->other == IR_NO_PC ? 0 : level->waiting[i];
    uint32_t arrived = level->expected[i] & ~waiting & ~current;
    uint32_t parts = (current != 0) + (waiting != 0) + (arrived != 0);
    if (parts > 1) {
        *join = make_join(b, warp, level, *join);
        if (!*join)
            return false;
        (*join)->arrived |= arrived;
    } else if (arrived) {
        split_new(warp, arrived, level->join, &warp->entry, *join);
    }
    if (waiting)
        split_new(warp, waiting, level->other, &warp->entry, *join);
    return current != 0;
}

static void place_warp(ExecBlock *b, Warp *warp)
{
    const Wide *v = b->wide;
    uint32_t i = warp->base.index;
    ExecJoin *join = NULL;
    /* first, so that it runs first, as it would had the warp come here alone */
    ExecSplit *active = v->active[i] ? split_new(warp, v->active[i], v->pc, &warp->entry, NULL) : NULL;
    for (uint32_t k = 0; k < v->depth; k++) {
        uint32_t current = k + 1 < v->depth ? v->levels[k + 1].expected[i] : v->active[i];
        if (!place_level(b, warp, &v->levels[k], current, &join))
            return;
    }
    if (active)
        active->join = join;
}

void wide_leave(ExecBlock *b)
{
    Wide *v = b->wide;
    wide_close_run(v, v->pc);
    wide_account(b);
    block_take_stores(b);
    wide_spread_all(b);
    v->on = v->loaded = false;
    v->leaves++;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        block_clear_warp(&b->warps[i]);
        place_warp(b, &b->warps[i]);
    }
    b->round_any = b->round_progress = false;
    b->round_left = b->run->n_warps;
}

/* All of a warp's threads stand at pc, as one. */
static bool stands_at(const Warp *warp, uint32_t pc)
{
    if (warp->used & (warp->used - 1) || warp->ready != warp->used || warp->base.live != warp->exists)
        return false;
    const ExecSplit *s = &warp->splits[first_lane(warp->used)];
    return s->mask == warp->exists && s->pc == pc && s->frame == &warp->entry && !s->join;
}

static bool is_followed(const ExecBlock *b)
{
    bool any = false;
    for (uint32_t i = 0; b->followed && i < b->run->n_warps; i++)
        any |= b->warps[i].base.follow;
    return any;
}

static bool may_enter(const ExecBlock *b)
{
    const Warp *first = &b->warps[0];
    if (is_followed(b) || b->wide->leaves >= WIDE_LEAVES_MAX || b->live_threads != b->n_threads || !first->used)
        return false;
    uint32_t pc = first->splits[first_lane(first->used)].pc;
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        if (!b->warps[i].used || !stands_at(&b->warps[i], pc))
            return false;
    return true;
}

void wide_enter(ExecBlock *b)
{
    Wide *v = b->wide;
    uint32_t pc = b->warps[0].splits[first_lane(b->warps[0].used)].pc;
    memset(v->affine.held, HELD_LANES, b->run->entry->reg_at[IR_N_WIDTHS] / 4);
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        Warp *warp = &b->warps[i];
        split_free(warp, &warp->splits[first_lane(warp->used)]);
        warp->base.regs = warp->entry.regs;
        warp->base.frame = &warp->entry;
        warp->base.frame_base = 0;
    }
    v->code = NULL;
    b->followed = false;
    activate_all(b, pc);
}

bool wide_is_on(const ExecBlock *b)
{
    return b->wide && b->wide->on;
}

bool wide_is_coming(const ExecBlock *b)
{
    return b->wide && b->wide->coming;
}

void wide_barrier_passed(ExecBlock *b)
{
    if (b->wide)
        b->wide->coming = !b->probe && may_enter(b);
}

void wide_probe_ended(ExecBlock *b)
{
    if (!b->wide || !may_enter(b))
        return;
    b->wide->leaves--; /* it did not leave by itself */
    wide_enter(b);
}
