/* Wide: see wide.h. What both kinds of memory need: shapes, telling an entry warp by warp, bitmaps. */
#include "common/vgpu/check/wide_internal.h"

/* ---- shapes ---- */

typedef struct Dim {
    uint64_t step;
    uint32_t extent;
} Dim;

/* The dimensions that are there, by the size of their steps. Which way a step goes makes no difference to
 * the bytes. */
static unsigned list_dims(const ExecWideAccess *w, const uint32_t dims[3], Dim out[WIDE_SHAPE_DIMS])
{
    bool all = (uint64_t)dims[0] * dims[1] * dims[2] == w->n_threads;
    const uint32_t extent[WIDE_SHAPE_DIMS] = {all ? dims[0] : w->n_threads, all ? dims[1] : 1,
                                              all ? dims[2] : 1, w->n_blocks};
    const int64_t steps[WIDE_SHAPE_DIMS] = {w->step[0], w->step[1], w->step[2], w->block_step};
    unsigned n = 0;
    for (int d = 0; d < WIDE_SHAPE_DIMS; d++) {
        if (extent[d] <= 1)
            continue;
        Dim now = {steps[d] < 0 ? 0 - (uint64_t)steps[d] : (uint64_t)steps[d], extent[d]};
        unsigned at = n++;
        for (; at > 0 && out[at - 1].step > now.step; at--)
            out[at] = out[at - 1];
        out[at] = now;
    }
    return n;
}

/* The usual case: one row, a thread after the other, and a block after the other. */
static bool is_row(const ExecWideAccess *w, const uint32_t dims[3])
{
    int64_t bytes = w->bytes, row = bytes * dims[0];
    return w->step[0] == bytes && (w->n_blocks == 1 || w->block_step == bytes * w->n_threads) &&
           (dims[1] == 1 || w->step[1] == row) && (dims[2] == 1 || w->step[2] == row * dims[1]);
}

/* Steps that go on where the row ends make it longer. */
WideShape wide_shape_of(const ExecWideAccess *w, const uint32_t dims[3])
{
    WideShape s = {.low = w->low, .row_bytes = w->bytes, .extent = {1, 1, 1, 1}};
    if (is_row(w, dims)) {
        s.row_bytes = (uint64_t)w->bytes * w->n_threads * w->n_blocks;
        return s;
    }
    Dim list[WIDE_SHAPE_DIMS];
    unsigned n = list_dims(w, dims, list), kept = 0;
    uint64_t span = w->bytes;
    for (unsigned i = 0; i < n; i++) {
        s.overlaps |= list[i].step < span;
        span += list[i].step * (list[i].extent - 1);
        if (list[i].step == 0)
            continue;
        if (kept == 0 && list[i].step <= s.row_bytes) {
            s.row_bytes += list[i].step * (list[i].extent - 1);
            continue;
        }
        s.step[kept] = list[i].step;
        s.extent[kept++] = list[i].extent;
    }
    return s;
}

/* ---- bitmaps ---- */

bool wide_is_set(const uint8_t *bits, uint64_t base, const WideShape *s)
{
    WideWalk walk = wide_walk(s);
    do {
        if (!init_is_set(bits, walk.at - base, s->row_bytes))
            return false;
    } while (wide_next_row(s, &walk));
    return true;
}

void wide_mark(uint8_t *bits, uint64_t base, const WideShape *s, bool shared_by_workers)
{
    WideWalk walk = wide_walk(s);
    do {
        init_mark(bits, walk.at - base, s->row_bytes, shared_by_workers);
    } while (wide_next_row(s, &walk));
}

/* ---- entries ---- */

void wide_fill_entry(WideEntry *x, const CheckEvent *e, const ExecWideAccess *w)
{
    const ExecWho *who = e->who;
    x->item = (WideItem){0};
    x->function = who->function;
    x->inst = who->inst;
    x->alloc = w->alloc;
    x->base = w->base;
    x->low = w->low;
    x->end = w->end;
    x->again = 0;
    x->count = 1;
    x->block = e->block->linear;
    x->interval = e->block->interval;
    x->n_threads = w->n_threads;
    x->n_blocks = w->n_blocks;
    x->block_step = w->block_step;
    x->bytes = w->bytes;
    x->kind = w->kind;
    x->space = w->space;
    x->sem = w->sem;
    for (int d = 0; d < WIDE_DIMS; d++) {
        x->step[d] = w->step[d];
        x->dims[d] = (uint16_t)who->block_dim[d];
    }
}

static void replay_access(const CheckEvent *e, const ExecWho *who, const ExecAccess *a)
{
    const CheckEvent now = {e->set, e->worker, e->block, who, true};
    SegmentList segments;
    segment_list(a, &segments);
    if (a->space == SPACE_SHARED)
        quick_observe(&now, a, &segments);
    race_observe(&now, a, &segments);
}

static void replay_warp(const CheckEvent *e, const WideEntry *x, uint64_t base, uint32_t first)
{
    uint64_t addr[WARP_LANES] = {0};
    uint32_t n = x->n_threads - first < WARP_LANES ? x->n_threads - first : WARP_LANES;
    for (uint32_t lane = 0; lane < n; lane++) {
        uint32_t t = first + lane;
        int64_t at[WIDE_DIMS] = {t % x->dims[0], t / x->dims[0] % x->dims[1], t / x->dims[0] / x->dims[1]};
        addr[lane] = base + (uint64_t)(at[0] * x->step[0] + at[1] * x->step[1] + at[2] * x->step[2]);
    }
    ExecWho who = *e->who;
    who.function = x->function;
    who.inst = x->inst;
    who.warp = first / WARP_LANES;
    who.first_thread = first;
    replay_access(e, &who,
                  &(ExecAccess){.kind = x->kind,
                                .space = x->space,
                                .pattern = PATTERN_OTHER,
                                .sem = x->sem,
                                .bytes = x->bytes,
                                .mask = UINT32_MAX >> (WARP_LANES - n),
                                .addr = addr,
                                .alloc = x->alloc});
}

void wide_replay_scatter(const CheckEvent *e, const WideScatter *x, MemAlloc *alloc)
{
    uint64_t addr[WARP_LANES];
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        addr[lane] = alloc->addr + (uint64_t)x->word[lane] * 4;
    ExecWho who = *e->who;
    who.function = x->function;
    who.inst = x->inst;
    who.warp = x->first_thread / WARP_LANES;
    who.first_thread = x->first_thread;
    replay_access(e, &who,
                  &(ExecAccess){.kind = x->kind,
                                .space = SPACE_GLOBAL,
                                .pattern = PATTERN_OTHER,
                                .sem = x->sem,
                                .bytes = x->bytes,
                                .mask = x->mask,
                                .addr = addr,
                                .alloc = alloc});
}

void wide_replay(const CheckEvent *e, const WideEntry *x, uint32_t block)
{
    uint32_t count = __atomic_load_n(&x->count, __ATOMIC_ACQUIRE); /* and x->again with it */
    uint64_t base = x->base + (uint64_t)(x->block_step * block);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t first = 0; first < x->n_threads; first += WARP_LANES)
            replay_warp(e, x, base + (uint64_t)(x->again * i), first);
}

bool wide_observe(const CheckEvent *e, const ExecWideAccess *w)
{
    if (e->block->order || w->n_threads == 0)
        return false;
    return w->space == SPACE_SHARED ? wide_observe_shared(e, w) : wide_observe_global(e, w);
}
