/* The observer: counts a launch. Each worker has counters of its own, added up when the launch ends; each
 * block has a cache of its own, found by the block's linear index, since a block that waits may go on later,
 * on any worker.
 *
 * A whole block's access (on_access_wide) raises the same counters by the same amounts as its warps' would,
 * one after the other.
 */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

static PerfBlock *block_of(PerfSet *set, const ExecWho *who)
{
    PerfBlock *chunk = who->slot / SLOT_CHUNK < SLOT_CHUNKS
                           ? __atomic_load_n(&set->slots[who->slot / SLOT_CHUNK], __ATOMIC_ACQUIRE)
                           : NULL;
    return chunk && chunk[who->slot % SLOT_CHUNK].cache.sets ? &chunk[who->slot % SLOT_CHUNK] : NULL;
}

static void make_chunk(PerfSet *set, uint32_t i)
{
    pthread_mutex_lock(&set->lock);
    if (i < SLOT_CHUNKS && !set->slots[i])
        __atomic_store_n(&set->slots[i], calloc(SLOT_CHUNK, sizeof(PerfBlock)), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&set->lock);
}

/* The block gets an empty cache. */
static void open_block(PerfSet *set, uint32_t slot)
{
    uint32_t i = slot / SLOT_CHUNK;
    if (i >= SLOT_CHUNKS)
        return;
    if (!__atomic_load_n(&set->slots[i], __ATOMIC_ACQUIRE))
        make_chunk(set, i);
    PerfBlock *chunk = __atomic_load_n(&set->slots[i], __ATOMIC_ACQUIRE), *b = &chunk[slot % SLOT_CHUNK];
    if (!chunk)
        return;
    if (b->cache.sets || cache_create(&b->cache, set->model->l1_bytes))
        cache_clear(&b->cache);
    b->waits = 0;
    b->late = 0xFFFFFFFFu;
    memset(b->more, 0, sizeof b->more);
    memset(b->strong, 0, sizeof b->strong);
}

void count_free_blocks(PerfSet *set)
{
    for (int i = 0; i < SLOT_CHUNKS; i++) {
        for (int k = 0; set->slots[i] && k < SLOT_CHUNK; k++)
            cache_free(&set->slots[i][k].cache);
        free(set->slots[i]);
    }
}

static PerfWorker *worker_of(PerfSet *set, const ExecWho *who)
{
    return &set->workers[who->worker < set->n_workers ? who->worker : 0];
}

/* ---- touched bytes ---- */

static Touched *touched_of(PerfSet *set, PerfWorker *w, const MemAlloc *a)
{
    Touched **recent = &w->touched[a->serial % TOUCH_RECENT];
    if (*recent && (*recent)->alloc == a)
        return *recent;
    pthread_mutex_lock(&set->lock);
    Touched **bucket = &set->touched[a->serial % TOUCH_BUCKETS];
    Touched *t = *bucket;
    while (t && (!touch_is_of(t, a) || !t->atomics != !set->watch))
        t = t->next;
    if (!t && (t = touch_new(a, set->watch != NULL))) {
        t->next = *bucket;
        *bucket = t;
    }
    pthread_mutex_unlock(&set->lock);
    *recent = t;
    return t;
}

static void touch_lane(PerfSet *set, PerfWorker *w, const ExecAccess *a, uint64_t addr, uint64_t bytes)
{
    const MemAlloc *alloc = a->alloc ? a->alloc : mem_find(set->launch->mem, addr);
    Touched *t = alloc ? touched_of(set, w, alloc) : NULL;
    if (!t)
        return;
    if (a->kind != ACCESS_STORE)
        touch_mark(t, t->loads, addr, bytes, set->n_workers > 1);
    if (a->kind != ACCESS_LOAD)
        touch_mark(t, t->stores, addr, bytes, set->n_workers > 1);
    if (t->atomics && a->kind != ACCESS_LOAD && a->kind != ACCESS_STORE)
        touch_mark(t, t->atomics, addr, bytes, set->n_workers > 1);
}

/* Lanes in several allocations. */
static void touch_each(PerfSet *set, PerfWorker *w, const ExecAccess *a)
{
    for (uint32_t rest = a->mask; rest; rest &= rest - 1)
        touch_lane(set, w, a, a->addr[__builtin_ctz(rest)], a->bytes);
}

static void touch(PerfSet *set, PerfWorker *w, const ExecAccess *a)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask), last = 31 - (unsigned)__builtin_clz(a->mask);
    bool full = a->mask == (uint32_t)(((uint64_t)2 << last) - ((uint64_t)1 << first));
    if (a->alloc && a->pattern == PATTERN_UNIFORM) {
        touch_lane(set, w, a, a->addr[first], a->bytes);
    } else if (a->alloc && a->pattern == PATTERN_UNIT_STRIDE && full) {
        touch_lane(set, w, a, a->addr[first], (uint64_t)a->bytes * (last - first + 1));
    } else if (a->alloc && a->group_lanes) {
        uint64_t length =
            a->group_pattern == PATTERN_UNIFORM ? a->bytes : (uint64_t)a->bytes * a->group_lanes;
        for (unsigned lane = 0; lane < WARP_LANES; lane += a->group_lanes)
            touch_lane(set, w, a, a->addr[lane], length);
    } else if (a->alloc) {
        Touched *t = touched_of(set, w, a->alloc);
        if (t)
            touch_mark_lanes(t, a, set->n_workers > 1);
    } else {
        touch_each(set, w, a);
    }
}

/* ---- waits ---- */

static const Waits *find_waits(PerfSet *set, const IrFunction *f)
{
    pthread_mutex_lock(&set->lock);
    Waits *found = set->waits;
    while (found && found->function != f)
        found = found->next;
    if (!found && (found = waits_new(f))) {
        found->next = set->waits;
        set->waits = found;
    }
    pthread_mutex_unlock(&set->lock);
    return found;
}

static bool begins_wait(PerfSet *set, PerfWorker *w, const ExecWho *who, uint8_t flag)
{
    if (!who->inst)
        return false;
    if (!w->waits || w->waits->function != who->function)
        w->waits = find_waits(set, who->function);
    return w->waits && w->waits->flags[who->inst - who->function->insts] & flag;
}

/* Warps in `late` wait for what the first level does not have; each wait counts once. */
static void count_late(PerfWorker *w, PerfBlock *b, uint32_t late)
{
    w->c.v[PERF_LOAD_WAITS_MISSED] += bits_count(late & ~b->late);
    b->late |= late;
}

/* A load begins a wait of its warp, or goes along with the one that is there. */
static void count_wait(PerfWorker *w, PerfBlock *b, uint32_t warp, bool begins, bool late)
{
    b->more[warp] += begins;
    b->late &= ~((uint32_t)begins << warp);
    w->c.v[PERF_LOAD_WAITS] += begins;
    count_late(w, b, (uint32_t)late << warp);
}

/* Waits of the block's first n_warps warps, of `all` that it has. */
static void begin_waits(PerfWorker *w, PerfBlock *b, uint32_t n_warps, uint32_t all)
{
    b->waits += n_warps == all;
    for (uint32_t warp = 0; n_warps < all && warp < n_warps; warp++)
        b->more[warp]++;
    b->late &= ~(uint32_t)(((uint64_t)1 << n_warps) - 1);
    w->c.v[PERF_LOAD_WAITS] += n_warps;
}

/* ---- accesses ---- */

/* Sectors read: from the first-level cache, or beyond it. */
static void count_read(PerfWorker *w, PerfBlock *b, uint32_t warp, const ExecAccess *a, const SectorList *s,
                       bool begins)
{
    uint64_t *v = w->c.v;
    bool cached = b && (a->sem == SEM_WEAK || a->sem == SEM_NC), /* strong loads ask the second level */
        late = !cached;
    unsigned hits = 0;
    warp %= EXEC_WARPS_MAX;
    for (unsigned i = 0; cached && i < s->n; i++)
        hits += cache_load(&b->cache, s->line[i], s->sectors[i], b->waits + b->more[warp] + begins, &late);
    if (b)
        count_wait(w, b, warp, begins, late);
    v[PERF_L1_HIT_SECTORS] += hits;
    v[PERF_L2_READ_SECTORS] += s->n_sectors - hits;
}

/* A read that filters is one request, of up to eight accesses. */
static void count_texture(PerfWorker *w, PerfBlock *b, const ExecWho *who, const ExecAccess *a,
                          const SectorList *s, bool begins)
{
    uint64_t *v = w->c.v;
    bool surface = a->texture == ACCESS_SURFACE, first = a->texture != ACCESS_TEXTURE_MORE;
    v[surface ? PERF_SURFACE_REQUESTS : PERF_TEXTURE_REQUESTS] += first;
    v[surface ? PERF_SURFACE_SECTORS : PERF_TEXTURE_SECTORS] += s->n_sectors;
    if (a->kind == ACCESS_LOAD)
        count_read(w, b, who->warp, a, s, begins && first);
    else
        v[PERF_L2_WRITE_SECTORS] += s->n_sectors;
}

static void count_atomic(PerfSet *set, PerfWorker *w, PerfBlock *b, const ExecWho *who, const ExecAccess *a,
                         const SectorList *s, bool begins)
{
    uint64_t *v = w->c.v;
    bool is_float = who->inst && ptx_type_class((PtxType)who->inst->type) == PTX_TYPES_FLOAT;
    v[PERF_GLOBAL_ATOMIC_REQUESTS]++;
    unsigned conflicts;
    v[PERF_GLOBAL_ATOMIC_SECTORS] += turns_add(&set->turns[w - set->workers], a, s, is_float, &conflicts);
    v[PERF_GLOBAL_ATOMIC_THREADS] += bits_count(a->mask);
    v[PERF_GLOBAL_ATOMIC_CONFLICTS] += conflicts;
    v[PERF_L2_WRITE_SECTORS] += s->n_sectors;
    if (b && begins)
        count_wait(w, b, who->warp % EXEC_WARPS_MAX, true, true);
}

/* A strong load that its warp does once more at the same place: it waits for somebody to write there, as often as luck has it. */
static bool is_poll(PerfBlock *b, const ExecWho *who, const ExecAccess *a)
{
    if (!b || !who->inst || a->kind != ACCESS_LOAD || a->texture || a->sem == SEM_WEAK || a->sem == SEM_NC)
        return false;
    const uint32_t warp = who->warp % EXEC_WARPS_MAX;
    bool same = b->strong[warp].inst == who->inst && b->strong[warp].low == a->low && b->strong[warp].mask == a->mask;
    b->strong[warp].inst = who->inst;
    b->strong[warp].low = a->low;
    b->strong[warp].mask = a->mask;
    return same;
}

static void count_global(PerfSet *set, PerfWorker *w, PerfBlock *b, const ExecWho *who, const ExecAccess *a)
{
    if (is_poll(b, who, a))
        return;
    SectorList s;
    uint64_t *v = w->c.v, lanes = bits_count(a->mask);
    bool begins = a->kind != ACCESS_STORE && begins_wait(set, w, who, WAIT_GLOBAL);
    sector_list(a, &s);
    v[PERF_GLOBAL_LINES] += s.n;
    if (a->texture) {
        count_texture(w, b, who, a, &s, begins);
    } else if (a->kind == ACCESS_LOAD) {
        v[PERF_GLOBAL_LOAD_REQUESTS]++;
        v[PERF_GLOBAL_LOAD_SECTORS] += s.n_sectors;
        v[PERF_GLOBAL_LOAD_BYTES] += lanes * a->bytes;
        count_read(w, b, who->warp, a, &s, begins);
    } else if (a->kind == ACCESS_STORE) {
        v[PERF_GLOBAL_STORE_REQUESTS]++;
        v[PERF_GLOBAL_STORE_SECTORS] += s.n_sectors;
        v[PERF_GLOBAL_STORE_BYTES] += lanes * a->bytes;
        v[PERF_L2_WRITE_SECTORS] += s.n_sectors;
    } else {
        count_atomic(set, w, b, who, a, &s, begins);
    }
    touch(set, w, a);
}

/* A load or store of lanes side by side in one allocation, or all at one place: what count_global does, without a list of sectors. */
static void count_solid(PerfSet *set, PerfWorker *w, const ExecWho *who, const ExecAccess *a)
{
    PerfBlock *b = block_of(set, who);
    uint64_t *v = w->c.v, bytes = (uint64_t)(a->mask == UINT32_MAX ? WARP_LANES : bits_count(a->mask)) * a->bytes;
    const uint64_t first = a->low / SECTOR_BYTES, last = (a->low + a->solid_bytes - 1) / SECTOR_BYTES,
                   n = last - first + 1, end = last / LINE_SECTORS;
    const bool load = a->kind == ACCESS_LOAD;
    v[PERF_GLOBAL_LINES] += end - first / LINE_SECTORS + 1;
    v[load ? PERF_GLOBAL_LOAD_REQUESTS : PERF_GLOBAL_STORE_REQUESTS]++;
    v[load ? PERF_GLOBAL_LOAD_SECTORS : PERF_GLOBAL_STORE_SECTORS] += n;
    v[load ? PERF_GLOBAL_LOAD_BYTES : PERF_GLOBAL_STORE_BYTES] += bytes;
    if (load) {
        const uint32_t warp = who->warp % EXEC_WARPS_MAX;
        bool begins = begins_wait(set, w, who, WAIT_GLOBAL), late = !b;
        unsigned hits = 0;
        for (uint64_t line = first / LINE_SECTORS; b && line <= end; line++) {
            uint32_t sectors = 0xFu << (line == first / LINE_SECTORS ? first % LINE_SECTORS : 0);
            sectors &= 0xFu >> (line == end ? LINE_SECTORS - 1 - last % LINE_SECTORS : 0);
            hits += cache_load(&b->cache, line, (uint8_t)sectors, b->waits + b->more[warp] + begins, &late);
        }
        if (b)
            count_wait(w, b, warp, begins, late);
        v[PERF_L1_HIT_SECTORS] += hits;
        v[PERF_L2_READ_SECTORS] += n - hits;
    } else {
        v[PERF_L2_WRITE_SECTORS] += n;
    }
    Touched *t = touched_of(set, w, a->alloc);
    if (t)
        touch_mark(t, load ? t->loads : t->stores, a->low, a->solid_bytes, set->n_workers > 1);
}

static bool is_solid(const ExecAccess *a)
{
    return a->solid_bytes && a->alloc && !a->texture && (a->kind == ACCESS_STORE || (a->kind == ACCESS_LOAD && (a->sem == SEM_WEAK || a->sem == SEM_NC)));
}

static void count_shared(PerfWorker *w, const ExecAccess *a)
{
    unsigned wavefronts, least;
    uint64_t *v = w->c.v;
    perf_wavefronts(a, &wavefronts, &least);
    v[a->kind == ACCESS_LOAD    ? PERF_SHARED_LOAD_REQUESTS
      : a->kind == ACCESS_STORE ? PERF_SHARED_STORE_REQUESTS
                                : PERF_SHARED_ATOMIC_REQUESTS]++;
    v[PERF_SHARED_WAVEFRONTS] += wavefronts;
    v[PERF_SHARED_BANK_CONFLICTS] += wavefronts - least;
    v[PERF_SHARED_BYTES] += bits_count(a->mask) * a->bytes;
}

static void count_const(PerfWorker *w, const ExecAccess *a)
{
    uint64_t passes = 0;
    for (uint32_t rest = a->mask; rest;
         rest &= rest - 1, passes++) { /* one pass serves all lanes of one address */
        uint64_t addr = a->addr[__builtin_ctz(rest)];
        for (uint32_t others = rest & (rest - 1); others; others &= others - 1)
            if (a->addr[__builtin_ctz(others)] == addr)
                rest &= ~(1u << __builtin_ctz(others));
    }
    w->c.v[PERF_CONST_REQUESTS]++;
    w->c.v[PERF_CONST_SERIAL] += passes;
}

static void count_access(PerfSet *set, PerfWorker *w, const ExecWho *who, const ExecAccess *a)
{
    switch (a->space) {
    case SPACE_GLOBAL:
        if (is_solid(a))
            count_solid(set, w, who, a);
        else
            count_global(set, w, block_of(set, who), who, a);
        break;
    case SPACE_SHARED:
        count_shared(w, a);
        w->c.v[PERF_SHARED_WAITS] += begins_wait(set, w, who, WAIT_SHARED);
        break;
    case SPACE_LOCAL:
    case SPACE_FRAME:
        w->c.v[a->kind == ACCESS_LOAD ? PERF_LOCAL_LOAD_REQUESTS : PERF_LOCAL_STORE_REQUESTS]++;
        break;
    case SPACE_CONST:
        count_const(w, a);
        if (set->watch) /* whoever writes the constants meanwhile wants to know */
            touch(set, w, a);
        break;
    default:
        break;
    }
}

static void count_on_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    PerfSet *set = self;
    PerfWorker *w = worker_of(set, who);
    if (a->async == ACCESS_LANDS) /* counted when it began */
        return;
    if (!set->lines) {
        count_access(set, w, who, a);
        return;
    }
    const PerfCounters before = w->c;
    count_access(set, w, who, a);
    lines_add_access(set->lines, who, (unsigned)(w - set->workers), &before, &w->c);
}

/* ---- accesses of whole blocks ---- */

static uint32_t warps_of(const ExecWho *who)
{
    uint64_t threads = (uint64_t)who->block_dim[0] * who->block_dim[1] * who->block_dim[2];
    return (uint32_t)((threads + WARP_LANES - 1) / WARP_LANES);
}

static void read_wide(PerfWorker *w, PerfBlock *b, const ExecWho *who, const ExecWideAccess *a,
                      const WideCost *s, bool begins)
{
    uint32_t late;
    if (begins)
        begin_waits(w, b, s->n_warps, warps_of(who));
    unsigned hits = cache_load_wide(&b->cache, a->base / LINE_BYTES, s, b->waits, b->more, &late);
    count_late(w, b, late);
    w->c.v[PERF_L1_HIT_SECTORS] += hits;
    w->c.v[PERF_L2_READ_SECTORS] += s->n_sectors - hits;
}

static void count_global_wide(PerfSet *set, PerfWorker *w, PerfBlock *b, const ExecWho *who,
                              const ExecWideAccess *a, const WideCost *s)
{
    uint64_t *v = w->c.v, bytes = (uint64_t)a->n_threads * a->bytes;
    bool load = a->kind == ACCESS_LOAD;
    v[PERF_GLOBAL_LINES] += s->n_lines;
    v[load ? PERF_GLOBAL_LOAD_REQUESTS : PERF_GLOBAL_STORE_REQUESTS] += s->n_warps;
    v[load ? PERF_GLOBAL_LOAD_SECTORS : PERF_GLOBAL_STORE_SECTORS] += s->n_sectors;
    v[load ? PERF_GLOBAL_LOAD_BYTES : PERF_GLOBAL_STORE_BYTES] += bytes;
    if (load)
        read_wide(w, b, who, a, s, begins_wait(set, w, who, WAIT_GLOBAL));
    else
        v[PERF_L2_WRITE_SECTORS] += s->n_sectors;
    Touched *t = touched_of(set, w, a->alloc);
    if (t)
        touch_wide(w->runs, who, t, a, set->n_workers > 1);
}

static void count_shared_wide(PerfSet *set, PerfWorker *w, const ExecWho *who, const ExecWideAccess *a,
                              const WideCost *s)
{
    uint64_t *v = w->c.v;
    v[a->kind == ACCESS_LOAD ? PERF_SHARED_LOAD_REQUESTS : PERF_SHARED_STORE_REQUESTS] += s->n_warps;
    v[PERF_SHARED_WAVEFRONTS] += s->wavefronts;
    v[PERF_SHARED_BANK_CONFLICTS] += s->wavefronts - s->least;
    v[PERF_SHARED_BYTES] += (uint64_t)a->n_threads * a->bytes;
    if (begins_wait(set, w, who, WAIT_SHARED))
        v[PERF_SHARED_WAITS] += s->n_warps;
}

static bool count_access_wide(PerfSet *set, PerfWorker *w, const ExecWho *who, const ExecWideAccess *a)
{
    PerfBlock *b = a->space == SPACE_GLOBAL ? block_of(set, who) : NULL;
    if (a->space == SPACE_GLOBAL ? !b || !a->alloc : a->space != SPACE_SHARED)
        return false;
    const WideCost *s = wide_cost(&set->wide[w - set->workers], who, a);
    if (!s)
        return false;
    if (b)
        count_global_wide(set, w, b, who, a, s);
    else
        count_shared_wide(set, w, who, a, s);
    return true;
}

static bool count_on_access_wide(void *self, const ExecWho *who, const ExecWideAccess *a)
{
    PerfSet *set = self;
    PerfWorker *w = worker_of(set, who);
    if (!set->lines)
        return count_access_wide(set, w, who, a);
    const PerfCounters before = w->c;
    bool counted = count_access_wide(set, w, who, a);
    if (counted)
        lines_add_access(set->lines, who, (unsigned)(w - set->workers), &before, &w->c);
    return counted;
}

/* ---- other events ---- */

static void count_on_block_begin(void *self, const ExecWho *who, uint32_t shared_bytes)
{
    (void)shared_bytes;
    PerfSet *set = self;
    uint64_t *v = worker_of(set, who)->c.v;
    v[PERF_BLOCKS]++;
    v[PERF_THREADS] += (uint64_t)who->block_dim[0] * who->block_dim[1] * who->block_dim[2];
    v[PERF_WARPS] += warps_of(who);
    open_block(set, who->slot);
}

static void count_on_barrier(void *self, const ExecWho *who, uint32_t barrier_id)
{
    (void)barrier_id;
    worker_of(self, who)->c.v[PERF_BARRIERS]++;
}

static void count_on_warp_sync(void *self, const ExecWho *who, uint32_t mask)
{
    (void)mask;
    worker_of(self, who)->c.v[PERF_WARP_SYNCS]++;
}

static void count_on_fence(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope)
{
    (void)mask, (void)sem, (void)scope;
    worker_of(self, who)->c.v[PERF_FENCES]++;
}

static const uint8_t counter_of_class[PTX_N_CLASSES] = {
    [PTX_CLASS_ARITH] = PERF_ARITH_INSTRUCTIONS,     [PTX_CLASS_FLOAT] = PERF_FLOAT_INSTRUCTIONS,
    [PTX_CLASS_SPECIAL] = PERF_SPECIAL_INSTRUCTIONS, [PTX_CLASS_MEMORY] = PERF_MEMORY_INSTRUCTIONS,
    [PTX_CLASS_ATOMIC] = PERF_ATOMIC_INSTRUCTIONS,   [PTX_CLASS_CONTROL] = PERF_CONTROL_INSTRUCTIONS,
    [PTX_CLASS_SYNC] = PERF_SYNC_INSTRUCTIONS,       [PTX_CLASS_WARP] = PERF_WARP_LEVEL_INSTRUCTIONS,
    [PTX_CLASS_TENSOR] = PERF_OTHER_INSTRUCTIONS,    [PTX_CLASS_TEXTURE] = PERF_OTHER_INSTRUCTIONS,
    [PTX_CLASS_MISC] = PERF_OTHER_INSTRUCTIONS,
};

static void count_on_retired_code(void *self, const ExecWho *who, const IrFunction *f,
                                  const ExecInstCount *counts)
{
    PerfSet *set = self;
    lines_add_code(set->lines, (unsigned)(worker_of(set, who) - set->workers), f, counts);
}

static void count_on_retired(void *self, const ExecWho *who, const ExecCounts *n)
{
    uint64_t *v = worker_of(self, who)->c.v;
    for (int i = 0; i < PTX_N_CLASSES; i++) {
        v[counter_of_class[i]] += n->warp_insts[i];
        v[PERF_WARP_INSTRUCTIONS] += n->warp_insts[i];
        v[PERF_KERNEL_INSTRUCTIONS] += n->thread_insts[i];
    }
    v[PERF_FLOPS16] += n->flops16;
    v[PERF_FLOPS32] += n->flops32;
    v[PERF_FLOPS64] += n->flops64;
    v[PERF_INT_OPS] += n->int_ops;
    v[PERF_TENSOR_OPS] += n->tensor_ops;
    v[PERF_KERNEL_OPS] += n->flops16 + n->flops32 + n->flops64 + n->int_ops + n->tensor_ops;
    v[PERF_BRANCHES] += n->branches;
    v[PERF_DIVERGENT_BRANCHES] += n->divergent_branches;
}

void count_events(ExecObserver *o, bool by_line)
{
    o->block_begin = count_on_block_begin;
    o->access = count_on_access;
    o->access_wide = count_on_access_wide;
    o->barrier = count_on_barrier;
    o->warp_sync = count_on_warp_sync;
    o->fence = count_on_fence;
    o->retired = count_on_retired;
    o->retired_code = by_line ? count_on_retired_code : NULL;
}
