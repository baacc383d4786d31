/* Wide accesses to shared memory: see wide.h. */
#include "common/vgpu/check/wide_internal.h"

#include <stdlib.h>

/* ---- initialised bytes ---- */

static bool is_known_initialised(const WideBlock *wide, const ExecWideAccess *w)
{
    return w->low >= wide->known_from && w->end <= wide->known_to;
}

/* Of two ranges that do not touch the longer one is kept. */
static void know(WideBlock *wide, uint64_t low, uint64_t end)
{
    bool touch = low <= wide->known_to && end >= wide->known_from;
    if (touch) {
        low = wide->known_from < low ? wide->known_from : low;
        end = wide->known_to > end ? wide->known_to : end;
    }
    if (end - low > wide->known_to - wide->known_from) {
        wide->known_from = low;
        wide->known_to = end;
    }
}

static bool is_initialised(CheckBlock *b, const ExecWideAccess *w, const WideShape *s)
{
    WideBlock *wide = &b->wide;
    if (!wide_is_set(b->shared_init, 0, s))
        return false;
    if (!init_is_set(b->shared_init, w->low, w->end - w->low))
        return true;
    know(wide, w->low, w->end);
    return true;
}

/* ---- the log ---- */

void wide_forget_block(CheckBlock *b)
{
    b->wide.n = 0;
    b->wide.stores = false;
    b->wide.low = UINT64_MAX;
    b->wide.end = 0;
}

/* The entries have no order of their own: the block's came later, if it has one. */
static void drain(const CheckEvent *e)
{
    CheckBlock *b = e->block;
    struct OrderBlock *order = b->order;
    uint32_t n = b->wide.n;
    Cell learnt_mark = b->learnt_mark;
    wide_forget_block(b);
    b->order = NULL;
    b->learnt_mark = 0;
    for (uint32_t i = 0; i < n; i++)
        wide_replay(e, &b->wide.at[i], 0);
    b->order = order;
    b->learnt_mark = learnt_mark;
}

static bool meets(const WideBlock *wide, uint64_t low, uint64_t end, bool stores, const ExecWideAccess *w)
{
    if (low >= wide->end || end <= wide->low || (!stores && !wide->stores))
        return false;
    for (uint32_t i = 0; i < wide->n; i++) {
        const WideEntry *x = &wide->at[i];
        bool apart = low >= x->end || end <= x->low || (!stores && x->kind == ACCESS_LOAD);
        if (!apart && !(w && wide_is_same(x, w)))
            return true;
    }
    return false;
}

void wide_settle_shared(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    if (e->block->wide.n == 0 || e->replays)
        return;
    bool stores = a->kind != ACCESS_LOAD;
    for (unsigned i = 0; i < segments->n; i++) {
        uint64_t low = segments->at[i].addr, end = low + segment_bytes(&segments->at[i], a->bytes);
        if (meets(&e->block->wide, low, end, stores, NULL)) {
            drain(e);
            return;
        }
    }
}

/* Has the general way something in the range that a load, or a store, must be compared with? */
static bool meets_lines(const CheckBlock *b, uint64_t low, uint64_t end, bool stores)
{
    if (b->records.next == b->records.base)
        return false; /* it has nothing at all */
    for (uint64_t at = low, next; at < end; at = next) {
        const RaceLine *line = &b->lines[at >> LINE_SHIFT];
        next = (at | (LINE_BYTES - 1)) + 1;
        next = next < end ? next : end;
        uint32_t used = line->since != b->records.base ? 0 : line->written | (stores ? line->read : 0);
        if (used & word_bits((unsigned)(at % LINE_BYTES), (unsigned)(next - at)))
            return true;
    }
    return false;
}

/* The same instruction once more. */
static bool repeats(WideBlock *wide, const CheckEvent *e, const ExecWideAccess *w)
{
    for (uint32_t i = wide->n; i-- > 0 && i + WIDE_LAST >= wide->n;) {
        WideEntry *x = &wide->at[i];
        if (x->inst != e->who->inst || x->kind != w->kind || !wide_is_alike(x, w))
            continue;
        if (!wide_goes_on(x, w->base))
            return false;
        x->low = w->low < x->low ? w->low : x->low;
        x->end = w->end > x->end ? w->end : x->end;
        return true;
    }
    return false;
}

static bool wide_shared_keep(const CheckEvent *e, const ExecWideAccess *w)
{
    WideBlock *wide = &e->block->wide;
    bool stores = w->kind == ACCESS_STORE;
    if (meets(wide, w->low, w->end, stores, w)) {
        drain(e);
        return false;
    }
    if (meets_lines(e->block, w->low, w->end, stores))
        return false;
    if (stores || !repeats(wide, e, w)) {
        if (wide->n == WIDE_SHARED_MAX ||
            (!wide->at && !(wide->at = calloc(WIDE_SHARED_MAX, sizeof *wide->at))))
            return false;
        wide_fill_entry(&wide->at[wide->n++], e, w);
    }
    wide->stores |= stores;
    wide->low = w->low < wide->low ? w->low : wide->low;
    wide->end = w->end > wide->end ? w->end : wide->end;
    return true;
}

static bool wide_load_shared(const CheckEvent *e, const ExecWideAccess *w)
{
    if (check_has(e->set, CHECK_INIT) && !is_known_initialised(&e->block->wide, w)) {
        WideShape s = wide_shape_of(w, e->who->block_dim);
        if (!is_initialised(e->block, w, &s))
            return false;
    }
    return !check_has(e->set, CHECK_RACE) || wide_shared_keep(e, w);
}

static bool store(const CheckEvent *e, const ExecWideAccess *w)
{
    WideShape s = wide_shape_of(w, e->who->block_dim);
    if (s.overlaps || (check_has(e->set, CHECK_RACE) && !wide_shared_keep(e, w)))
        return false;
    if (!check_has(e->set, CHECK_INIT) || is_known_initialised(&e->block->wide, w))
        return true;
    wide_mark(e->block->shared_init, 0, &s, false);
    if (w->end - w->low == s.row_bytes)
        know(&e->block->wide, w->low, w->end);
    return true;
}

bool wide_observe_shared(const CheckEvent *e, const ExecWideAccess *w)
{
    return w->kind == ACCESS_STORE ? store(e, w) : wide_load_shared(e, w);
}
