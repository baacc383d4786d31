/* The observer: counts a launch. Each worker has counters of its own, added up when the launch ends; each
 * block has a cache of its own, found by the block's linear index, since a block that waits may go on later,
 * on any worker.
 *
 * The card's memory (dram_*_bytes) is modelled behind a second-level cache that keeps all that the launch
 * touches as long as it is no larger than the cache: each different sector then moves once. When the launch
 * touches more, that share of the first level's misses which the cache cannot hold moves too:
 *
 *      moved = different + (misses - different) * (footprint - cache) / footprint        (sectors)
 */
#include "common/vgpu/perf/perf_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 256,
    SLOT_CHUNK = 64,    /* blocks */
    SLOT_CHUNKS = 1024, /* of blocks that are there at once: more than exec ever has */
    TOUCH_BUCKETS = 64,
    TOUCH_RECENT = 8,
    TOUCH_IDLE_MAX = 4, /* launches after which the marks of an allocation that none touched are let go */
};

enum { BLOCK_WARPS_MAX = 32 };

typedef struct PerfBlock {
    Cache cache;                     /* no sets: none could be had */
    uint32_t waits[BLOCK_WARPS_MAX]; /* waits of each warp so far */
    uint32_t late[BLOCK_WARPS_MAX];  /* the last of them that the first level could not end */
} PerfBlock;

typedef struct PerfWorker {
    PerfCounters c;
    Touched *touched[TOUCH_RECENT]; /* used last, by serial */
    const Waits *waits;             /* of the function that ran last */
} PerfWorker;

struct PerfSet {
    const PerfModel *model;
    ExecObserver observer;
    PerfCounters last, totals;
    const ExecLaunch *launch;
    PerfWorker *workers;
    unsigned n_workers;
    Turns *turns;                  /* of each worker */
    Waits *waits;                  /* of the launch's functions */
    pthread_mutex_t lock;          /* chunks, touched and waits */
    PerfBlock *slots[SLOT_CHUNKS]; /* by ExecWho.slot, SLOT_CHUNK in one piece */
    Touched *touched[TOUCH_BUCKETS];
    Lines *lines; /* NULL: nobody asked for them */
    PerfTouchFn *watch;
    void *watch_self;
};

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
    memset(b->waits, 0, sizeof b->waits);
    memset(b->late, 0, sizeof b->late);
}

static void free_blocks(PerfSet *set)
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
        bool shared = set->n_workers > 1;
        if (t && a->kind != ACCESS_STORE)
            touch_mark_lanes(t, t->loads, a, shared);
        if (t && a->kind != ACCESS_LOAD)
            touch_mark_lanes(t, t->stores, a, shared);
        if (t && t->atomics && a->kind != ACCESS_LOAD && a->kind != ACCESS_STORE)
            touch_mark_lanes(t, t->atomics, a, shared);
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
    if (!found && (found = waits_new(f)) != NULL) {
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

/* A load begins a wait of its warp, or goes along with the one that is there. */
static void count_wait(PerfWorker *w, PerfBlock *b, uint32_t warp, bool begins, bool late)
{
    b->waits[warp] += begins;
    w->c.v[PERF_LOAD_WAITS] += begins;
    if (late && b->late[warp] != b->waits[warp]) {
        b->late[warp] = b->waits[warp];
        w->c.v[PERF_LOAD_WAITS_MISSED]++;
    }
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
    warp %= BLOCK_WARPS_MAX;
    for (unsigned i = 0; cached && i < s->n; i++)
        hits += cache_load(&b->cache, s->line[i], s->sectors[i], b->waits[warp] + begins, &late);
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
    v[PERF_GLOBAL_ATOMIC_SECTORS] += turns_add(&set->turns[w - set->workers], a, s, is_float);
    v[PERF_GLOBAL_ATOMIC_THREADS] += perf_bits(a->mask);
    v[PERF_GLOBAL_ATOMIC_CONFLICTS] += perf_bits(s->twins);
    v[PERF_L2_WRITE_SECTORS] += s->n_sectors;
    if (b && begins)
        count_wait(w, b, who->warp % BLOCK_WARPS_MAX, true, true);
}

static void count_global(PerfSet *set, PerfWorker *w, PerfBlock *b, const ExecWho *who, const ExecAccess *a)
{
    SectorList s;
    uint64_t *v = w->c.v, lanes = perf_bits(a->mask);
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

static void count_shared(PerfWorker *w, const ExecAccess *a)
{
    unsigned wavefronts, least;
    uint64_t *v = w->c.v;
    bank_wavefronts(a, &wavefronts, &least);
    v[a->kind == ACCESS_LOAD    ? PERF_SHARED_LOAD_REQUESTS
      : a->kind == ACCESS_STORE ? PERF_SHARED_STORE_REQUESTS
                                : PERF_SHARED_ATOMIC_REQUESTS]++;
    v[PERF_SHARED_WAVEFRONTS] += wavefronts;
    v[PERF_SHARED_BANK_CONFLICTS] += wavefronts - least;
    v[PERF_SHARED_BYTES] += perf_bits(a->mask) * a->bytes;
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
        break;
    default:
        break;
    }
}

static void on_access(void *self, const ExecWho *who, const ExecAccess *a)
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

/* ---- other events ---- */

static void on_block_begin(void *self, const ExecWho *who, uint32_t shared_bytes)
{
    (void)shared_bytes;
    PerfSet *set = self;
    uint64_t *v = worker_of(set, who)->c.v;
    uint64_t threads = (uint64_t)who->block_dim[0] * who->block_dim[1] * who->block_dim[2];
    v[PERF_BLOCKS]++;
    v[PERF_THREADS] += threads;
    v[PERF_WARPS] += (threads + WARP_LANES - 1) / WARP_LANES;
    open_block(set, who->slot);
}

static void on_barrier(void *self, const ExecWho *who, uint32_t barrier_id)
{
    (void)barrier_id;
    worker_of(self, who)->c.v[PERF_BARRIERS]++;
}

static void on_warp_sync(void *self, const ExecWho *who, uint32_t mask)
{
    (void)mask;
    worker_of(self, who)->c.v[PERF_WARP_SYNCS]++;
}

static void on_fence(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope)
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

static void on_retired_code(void *self, const ExecWho *who, const IrFunction *f, const ExecInstCount *counts)
{
    PerfSet *set = self;
    lines_add_code(set->lines, (unsigned)(worker_of(set, who) - set->workers), f, counts);
}

static void on_retired(void *self, const ExecWho *who, const ExecCounts *n)
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

/* ---- launches ---- */

static void on_launch_begin(void *self, const ExecLaunch *launch)
{
    PerfSet *set = self;
    set->launch = launch;
    memset(&set->last, 0, sizeof set->last);
    waits_free(set->waits); /* other functions may lie where those of an unloaded module lay */
    set->waits = NULL;
    for (unsigned w = 0; w < set->n_workers; w++) {
        set->workers[w] = (PerfWorker){0};
        if (set->turns[w].any)
            memset(&set->turns[w], 0, sizeof set->turns[w]);
    }
    if (set->lines)
        lines_begin(set->lines);
}

/* Sectors that move between the second level and the card's memory. */
static uint64_t moved_sectors(uint64_t different, uint64_t asked, uint64_t footprint, uint64_t cache)
{
    if (footprint <= cache || asked <= different)
        return different;
    return different +
           (uint64_t)((double)(asked - different) * ((double)(footprint - cache) / (double)footprint));
}

static void sum_touched(PerfSet *set)
{
    TouchSums s = {0};
    for (int i = 0; i < TOUCH_BUCKETS; i++) {
        for (Touched **at = &set->touched[i], *t; (t = *at) != NULL;) {
            t->idle = t->low < t->high ? 0 : t->idle + 1;
            if (set->watch)
                touch_tell(t, set->watch, set->watch_self);
            touch_sum(t, &s);
            if (t->idle <= TOUCH_IDLE_MAX) {
                at = &t->next;
                continue;
            }
            *at = t->next;
            touch_free(t);
        }
    }
    uint64_t *v = set->last.v, footprint = s.load_sectors + s.store_sectors,
             cache = set->model->l2_bytes / SECTOR_BYTES;
    v[PERF_UNIQUE_LOAD_BYTES] = s.load_bytes;
    v[PERF_UNIQUE_STORE_BYTES] = s.store_bytes;
    v[PERF_DRAM_READ_BYTES] =
        SECTOR_BYTES * moved_sectors(s.load_sectors, v[PERF_L2_READ_SECTORS], footprint, cache);
    v[PERF_DRAM_WRITE_BYTES] =
        SECTOR_BYTES * moved_sectors(s.store_sectors, v[PERF_L2_WRITE_SECTORS], footprint, cache);
}

static void on_launch_end(void *self, const ExecLaunch *launch)
{
    PerfSet *set = self;
    for (unsigned w = 0; w < set->n_workers; w++) {
        perf_counters_add(&set->last, &set->workers[w].c);
        if (w > 0)
            turns_merge(&set->turns[0], &set->turns[w]);
    }
    set->last.v[PERF_LAUNCHES] = 1;
    set->last.v[PERF_ATOMIC_TURNS] = turns_most(&set->turns[0]);
    sum_touched(set);
    if (set->lines)
        lines_end(set->lines, launch->instance->module);
    perf_counters_add(&set->totals, &set->last);
    set->launch = NULL;
}

/* ---- the set ---- */

Status perf_create(const PerfModel *model, unsigned jobs, PerfSet **out)
{
    jobs = jobs ? jobs : 1;
    if (jobs > WORKERS_MAX)
        return STATUS_LIMIT;
    PerfSet *set = calloc(1, sizeof *set);
    PerfWorker *workers = calloc(jobs, sizeof *workers);
    Turns *turns = calloc(jobs, sizeof *turns);
    if (!set || !workers || !turns) {
        free(set);
        free(workers);
        free(turns);
        return STATUS_NO_MEMORY;
    }
    pthread_mutex_init(&set->lock, NULL);
    set->model = model;
    set->workers = workers;
    set->turns = turns;
    set->n_workers = jobs;
    set->observer = (ExecObserver){
        .self = set,
        .launch_begin = on_launch_begin,
        .block_begin = on_block_begin,
        .access = on_access,
        .barrier = on_barrier,
        .warp_sync = on_warp_sync,
        .fence = on_fence,
        .retired = on_retired,
        .launch_end = on_launch_end,
    };
    *out = set;
    return STATUS_OK;
}

void perf_destroy(PerfSet *set)
{
    if (!set)
        return;
    free_blocks(set);
    for (int i = 0; i < TOUCH_BUCKETS; i++)
        for (Touched *t = set->touched[i], *next; t; t = next) {
            next = t->next;
            touch_free(t);
        }
    pthread_mutex_destroy(&set->lock);
    waits_free(set->waits);
    lines_free(set->lines);
    free(set->turns);
    free(set->workers);
    free(set);
}

const ExecObserver *perf_observer(const PerfSet *set)
{
    return &set->observer;
}

void perf_watch(PerfSet *set, PerfTouchFn *fn, void *self)
{
    set->watch = fn;
    set->watch_self = self;
}

const PerfCounters *perf_last(const PerfSet *set)
{
    return &set->last;
}

const PerfCounters *perf_totals(const PerfSet *set)
{
    return &set->totals;
}

bool perf_keep_lines(PerfSet *set)
{
    if (!set->lines)
        set->lines = lines_new(set->n_workers);
    set->observer.retired_code = set->lines ? on_retired_code : NULL;
    return set->lines != NULL;
}

const PerfLine *perf_lines(const PerfSet *set, size_t *n)
{
    *n = 0;
    return set->lines ? lines_of(set->lines, n) : NULL;
}
