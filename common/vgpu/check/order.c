/* Order: what happens before what, beyond block-wide barriers.
 *
 * Two ways lead from one thread's access to another's:
 *
 *   warp sync     each warp has a tick, bumped by every warp sync and fence. After a warp sync its
 *                 lanes know all that they did before it:
 *                     known[t][u] = t knows what u did at ticks below this
 *                 (one number, `base`, while all lanes of the warp know the same).
 *   publication   fence, then a strong store or an atomic on a location L; then another thread's
 *                 strong load or atomic on L. A fence takes a snapshot of what the thread did and
 *                 knows (a fact). A strong write adds it to what lies on L, a strong read adds all
 *                 that lies on L to what the thread knows. know.h says how knowledge is kept.
 *
 * A barrier over a part of a block publishes what its threads did to those of them that waited. Barriers over
 * the whole block are kept out of the ticks: the block counts them as intervals, a fact of interval i covers
 * all intervals before i of its block, and after a barrier each thread knows what every thread of the block
 * knew.
 *
 * A strong store without a fence publishes less: that the thread's loads are done, since what it stores
 * depends on them (PTX ISA 8.10.4, no value out of thin air). So a look-back by relaxed flags may overwrite
 * what the blocks before it have read, but not read what they wrote.
 *
 * Where hardware is kinder than the letter of the memory model, so is this: a strong read needs no fence
 * after it, a fence before a barrier or warp sync counts for the thread that publishes after it, and of a
 * thread that only arrives at a barrier (bar.arrive) what it does until the others come counts as done
 * before. These can hide a race, never make one up. A fence of block scope publishes to its own block only.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARPS_MAX = 32,
    LOCATIONS_MIN = 256,
};
#define KNOWLEDGE_BYTES_MAX ((size_t)256 << 20)

typedef struct OrderWarp {
    uint32_t tick, base;
    uint32_t (*known)[WARP_LANES];
    uint32_t fenced;              /* lanes with a fence */
    Know learnt[WARP_LANES];      /* through publications */
    const Fact *fact[WARP_LANES]; /* of the last fence */
    Know fact_learnt[WARP_LANES]; /* what the lane had learnt by then */
    Know fact_more[WARP_LANES];   /* fences of others, met at a sync */
} OrderWarp;

typedef struct OrderBlock {
    OrderWarp *warps[WARPS_MAX]; /* NULL until the warp fences or syncs */
    Know learnt, fact_more;      /* by all, at the last barrier */
    bool changed;                /* since the last barrier */
} OrderBlock;

typedef struct Location {
    uint64_t key; /* 0: free */
    Know know;
} Location;

typedef struct OrderLaunch {
    pthread_mutex_t lock;
    KnowMaker maker; /* full: everything counts as ordered from then on */
    Location *locations;
    size_t n, cap;
    bool published;
} OrderLaunch;

struct OrderLaunch *order_launch_create(void)
{
    OrderLaunch *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    pthread_mutex_init(&o->lock, NULL);
    o->maker.pool.limit = KNOWLEDGE_BYTES_MAX;
    return o;
}

void order_launch_reset(struct OrderLaunch *o)
{
    know_reset(&o->maker);
    if (o->n)
        memset(o->locations, 0, o->cap * sizeof *o->locations);
    o->n = 0;
    o->published = false;
}

void order_launch_free(struct OrderLaunch *o)
{
    if (!o)
        return;
    pthread_mutex_destroy(&o->lock);
    pool_free(&o->maker.pool);
    free(o->locations);
    free(o);
}

/* ---- what is known; callers hold the lock ---- */

static void *order_take(OrderLaunch *o, size_t size)
{
    void *at = o->maker.full ? NULL : pool_zalloc(&o->maker.pool, size);
    if (!at)
        o->maker.full = true;
    return at;
}

static void merge_into(OrderLaunch *o, Know *k, Know more)
{
    *k = know_merge(&o->maker, *k, more);
}

static OrderBlock *block_order(OrderLaunch *o, CheckBlock *b)
{
    if (!b->order)
        b->order = order_take(o, sizeof *b->order);
    return b->order;
}

static OrderWarp *warp_order(OrderLaunch *o, CheckBlock *b, uint32_t warp)
{
    OrderBlock *ob = block_order(o, b);
    if (!ob || warp >= WARPS_MAX)
        return NULL;
    if (!ob->warps[warp]) {
        OrderWarp *w = order_take(o, sizeof *w);
        if (!w)
            return NULL;
        for (int lane = 0; lane < WARP_LANES; lane++) {
            w->learnt[lane] = ob->learnt;
            w->fact_more[lane] = ob->fact_more;
        }
        ob->warps[warp] = w;
    }
    return ob->warps[warp];
}

static uint32_t lanes_of_warp(const CheckBlock *b, uint32_t warp)
{
    uint32_t n = b->n_threads - warp * WARP_LANES;
    return n >= WARP_LANES ? 0xFFFFFFFFu : (1u << n) - 1;
}

uint32_t order_tick(const CheckBlock *b, uint32_t warp)
{
    return b->order && warp < WARPS_MAX && b->order->warps[warp] ? b->order->warps[warp]->tick : 0;
}

/* What the lanes of a warp have done up to here. */
static Fact *fact_of_now(OrderLaunch *o, CheckBlock *b, uint32_t warp, bool block_scope)
{
    OrderWarp *w = warp_order(o, b, warp);
    Fact *f = w ? order_take(o, sizeof *f) : NULL;
    if (!f)
        return NULL;
    *f = (Fact){
        .block = b->linear,
        .interval = b->interval,
        .warp = warp,
        .tick = w->tick + 1,
        .base = w->base,
        .block_scope = block_scope,
        .known = w->known,
    };
    w->tick++;
    return f;
}

/* ---- synchronisation ---- */

/* The fences of some lanes, and `more`. */
static Know gather_fences(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, Know more)
{
    for (uint32_t rest = lanes & w->fenced; rest;) {
        unsigned first = (unsigned)__builtin_ctz(rest);
        const Fact *fact = w->fact[first];
        uint32_t same = 0;
        for (uint32_t r = rest; r; r &= r - 1) {
            unsigned lane = (unsigned)__builtin_ctz(r);
            if (w->fact[lane] == fact) {
                same |= 1u << lane;
                merge_into(o, &more, w->fact_learnt[lane]);
            }
        }
        more = know_add(&o->maker, more, fact, same);
        rest &= ~same;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        merge_into(o, &more, w->fact_more[__builtin_ctz(rest)]);
    return more;
}

static Know gather_learnt(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, Know learnt)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        merge_into(o, &learnt, w->learnt[__builtin_ctz(rest)]);
    return learnt;
}

void order_barrier(const CheckEvent *e)
{
    OrderBlock *ob = e->block->order;
    if (!ob || !ob->changed)
        return;
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    Know learnt = ob->learnt, more = ob->fact_more;
    for (int i = 0; i < WARPS_MAX; i++) {
        if (!ob->warps[i])
            continue;
        learnt = gather_learnt(o, ob->warps[i], 0xFFFFFFFFu, learnt);
        more = gather_fences(o, ob->warps[i], 0xFFFFFFFFu, more);
    }
    ob->learnt = learnt;
    ob->fact_more = more;
    for (int i = 0; i < WARPS_MAX; i++) {
        OrderWarp *w = ob->warps[i];
        for (int lane = 0; w && lane < WARP_LANES; lane++) {
            w->learnt[lane] = learnt;
            w->fact_more[lane] = more;
            w->fact[lane] = NULL;
        }
        if (w)
            w->fenced = 0;
    }
    ob->changed = false;
    pthread_mutex_unlock(&o->lock);
}

void order_part_barrier(const CheckEvent *e, const uint32_t *arrived, const uint32_t *waited,
                        uint32_t n_warps)
{
    OrderLaunch *o = e->set->order;
    Know learnt = {0}, more = {0};
    pthread_mutex_lock(&o->lock);
    for (uint32_t i = 0; i < n_warps; i++) {
        const Fact *now = arrived[i] ? fact_of_now(o, e->block, i, false) : NULL;
        if (!now)
            continue;
        const OrderWarp *w = e->block->order->warps[i];
        learnt = gather_learnt(o, w, arrived[i], know_add(&o->maker, learnt, now, arrived[i]));
        more = gather_fences(o, w, arrived[i], more);
        e->block->order->changed = true;
    }
    for (uint32_t i = 0; i < n_warps; i++) {
        OrderWarp *w = waited[i] ? warp_order(o, e->block, i) : NULL;
        for (uint32_t rest = w ? waited[i] : 0; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            merge_into(o, &w->learnt[lane], learnt);
            merge_into(o, &w->fact_more[lane], more);
        }
    }
    pthread_mutex_unlock(&o->lock);
}

/* The lanes of mask now know all that any of them knew, and what they did up to here. */
static void merge_known(OrderLaunch *o, OrderWarp *w, uint32_t mask)
{
    uint32_t(*known)[WARP_LANES] = order_take(o, sizeof(uint32_t[WARP_LANES][WARP_LANES]));
    if (!known)
        return;
    for (int t = 0; t < WARP_LANES; t++)
        for (int u = 0; u < WARP_LANES; u++)
            known[t][u] = w->known ? w->known[t][u] : w->base;
    for (int u = 0; u < WARP_LANES; u++) {
        uint32_t most = mask >> u & 1 ? w->tick + 1 : 0;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            uint32_t k = known[__builtin_ctz(rest)][u];
            most = k > most ? k : most;
        }
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            known[__builtin_ctz(rest)][u] = most;
    }
    w->known = known; /* a new matrix: facts keep the old one */
}

void order_warp_sync(const CheckEvent *e, uint32_t mask)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    if (w) {
        uint32_t all = lanes_of_warp(e->block, e->who->warp);
        if ((mask & all) == all) {
            w->base = w->tick + 1;
            w->known = NULL;
        } else {
            merge_known(o, w, mask);
        }
        w->tick++;
        if (o->published || e->block->order->changed) {
            Know learnt = gather_learnt(o, w, mask, (Know){0});
            Know more = gather_fences(o, w, mask, (Know){0});
            for (uint32_t rest = mask; rest; rest &= rest - 1) {
                w->learnt[__builtin_ctz(rest)] = learnt;
                w->fact_more[__builtin_ctz(rest)] = more;
            }
        }
    }
    pthread_mutex_unlock(&o->lock);
}

static void fence_locked(const CheckEvent *e, uint32_t mask, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Fact *f = w ? fact_of_now(o, e->block, e->who->warp, scope == SCOPE_CTA) : NULL;
    if (!f)
        return;
    w->fenced |= mask;
    e->block->order->changed = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (f->block_scope && w->fact[lane] && !w->fact[lane]->block_scope) /* the wider fence stays */
            w->fact_more[lane] = know_add(&o->maker, w->fact_more[lane], w->fact[lane], 1u << lane);
        w->fact[lane] = f;
        w->fact_learnt[lane] = w->learnt[lane];
    }
}

void order_fence(const CheckEvent *e, uint32_t mask, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, mask, scope);
    pthread_mutex_unlock(&o->lock);
}

bool order_has_fenced(const CheckBlock *b, uint32_t thread)
{
    const OrderBlock *ob = b->order;
    if (!ob)
        return false;
    const OrderWarp *w = thread / WARP_LANES < WARPS_MAX ? ob->warps[thread / WARP_LANES] : NULL;
    if (!w)
        return !know_is_nothing(ob->fact_more);
    return (w->fenced >> thread % WARP_LANES & 1) || !know_is_nothing(w->fact_more[thread % WARP_LANES]);
}

/* ---- publication ---- */

static bool grow_locations(OrderLaunch *o)
{
    size_t cap = o->cap ? o->cap * 2 : LOCATIONS_MIN;
    Location *locations = calloc(cap, sizeof *locations);
    if (!locations)
        return false;
    for (size_t i = 0; i < o->cap; i++) {
        if (!o->locations[i].key)
            continue;
        size_t at = (size_t)(o->locations[i].key * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);
        while (locations[at].key)
            at = (at + 1) & (cap - 1);
        locations[at] = o->locations[i];
    }
    free(o->locations);
    o->locations = locations;
    o->cap = cap;
    return true;
}

/* A location of global memory, or of one block's shared memory; never 0. */
static uint64_t location_key(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    uint64_t word = a->addr[lane] & ~(uint64_t)3;
    return a->space == SPACE_SHARED ? (uint64_t)1 << 63 | (uint64_t)e->block->linear << 24 | word | 1
                                    : word | 1;
}

static Location *find_location(OrderLaunch *o, uint64_t key, bool make)
{
    if (make && o->n * 2 >= o->cap && !grow_locations(o)) {
        o->maker.full = true;
        return NULL;
    }
    if (!o->cap)
        return NULL;
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & (o->cap - 1);
    for (; o->locations[at].key; at = (at + 1) & (o->cap - 1))
        if (o->locations[at].key == key)
            return &o->locations[at];
    if (!make)
        return NULL;
    o->n++;
    o->locations[at] = (Location){.key = key};
    return &o->locations[at];
}

static void learn(const CheckEvent *e, uint64_t key, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    const Location *l = find_location(o, key, false);
    OrderWarp *w = l && !know_is_nothing(l->know) ? warp_order(o, e->block, e->who->warp) : NULL;
    if (!w)
        return;
    Know more = know_merge(&o->maker, w->learnt[lane], l->know);
    if (know_is_same(more, w->learnt[lane]))
        return;
    w->learnt[lane] = more;
    e->block->learnt_mark = cell_of(__atomic_load_n(&e->set->records.next, __ATOMIC_RELAXED), 0);
    e->block->order->changed = true;
}

static void publish(const CheckEvent *e, uint64_t key, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    if (!w)
        return;
    const Fact *fact = w->fact[lane];
    Know more = fact ? know_merge(&o->maker, w->fact_more[lane], w->fact_learnt[lane]) : w->fact_more[lane];
    Location *l = fact || !know_is_nothing(more) ? find_location(o, key, true) : NULL;
    if (!l)
        return;
    o->published = true;
    merge_into(o, &l->know, more);
    if (fact)
        l->know = know_add(&o->maker, l->know, fact, 1u << lane);
}

/* A strong store without a fence: the loads of the lane, and those it has learnt of, are done. */
static void publish_reads(const CheckEvent *e, uint64_t key, unsigned lane, const Fact *fact)
{
    OrderLaunch *o = e->set->order;
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Location *l = w ? find_location(o, key, true) : NULL;
    if (!l)
        return;
    o->published = true;
    merge_into(o, &l->know, (Know){.reads = w->learnt[lane].reads});
    l->know = know_add_reads(&o->maker, l->know, fact, 1u << lane);
}

static bool writes(const ExecAccess *a)
{
    return a->kind != ACCESS_LOAD;
}

static bool reads(const ExecAccess *a)
{
    return a->kind == ACCESS_LOAD || a->kind == ACCESS_ATOMIC;
}

void order_strong_access(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    bool releases = writes(a) && (a->sem == SEM_RELEASE || a->sem == SEM_ACQ_REL || a->sem == SEM_SC);
    bool tells_reads = a->kind == ACCESS_STORE && a->space == SPACE_GLOBAL;
    bool may_publish = writes(a) && (releases || e->block->order || tells_reads);
    if (!may_publish && !(reads(a) && __atomic_load_n(&o->published, __ATOMIC_RELAXED)))
        return; /* nobody has fenced: nothing to pass on or to learn */
    pthread_mutex_lock(&o->lock);
    if (releases)
        fence_locked(e, a->mask, (IrScope)a->scope);
    const Fact *now = tells_reads ? fact_of_now(o, e->block, e->who->warp, a->scope == SCOPE_CTA) : NULL;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t key = location_key(e, a, lane);
        if (reads(a))
            learn(e, key, lane);
        if (may_publish)
            publish(e, key, lane);
        if (now)
            publish_reads(e, key, lane, now);
    }
    pthread_mutex_unlock(&o->lock);
}

/* ---- grids that kernels launch ---- */

Know order_spawn(const CheckEvent *e, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, 1u << lane, SCOPE_GPU);
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Know before = {0};
    if (w && w->fact[lane])
        before = know_add(&o->maker, know_merge(&o->maker, w->learnt[lane], w->fact_more[lane]),
                          w->fact[lane], 1u << lane);
    pthread_mutex_unlock(&o->lock);
    return before;
}

Know order_after(CheckSet *set, Know before, const ExecAfter *after, size_t n)
{
    OrderLaunch *o = set->order;
    pthread_mutex_lock(&o->lock);
    for (size_t i = 0; i < n; i++)
        before = know_add_ended(&o->maker, before, after[i].first, after[i].last);
    pthread_mutex_unlock(&o->lock);
    return before;
}

void order_block_begin(CheckSet *set, CheckBlock *b, Know before)
{
    if (know_is_nothing(before))
        return;
    OrderLaunch *o = set->order;
    pthread_mutex_lock(&o->lock);
    OrderBlock *ob = block_order(o, b);
    if (ob) {
        ob->learnt = ob->fact_more = before;
        b->learnt_mark = cell_of(__atomic_load_n(&set->records.next, __ATOMIC_RELAXED), 0);
    }
    pthread_mutex_unlock(&o->lock);
}

/* ---- questions ---- */

/* What is known does not change, so that no lock is needed here. */
bool order_is_after(const CheckEvent *e, uint32_t thread, const OrderPoint *p)
{
    const OrderLaunch *o = e->set->order;
    const OrderBlock *ob = e->block->order;
    if (o->maker.full) {
        e->worker->limited = true;
        return true;
    }
    if (!ob)
        return false;
    uint32_t warp = thread / WARP_LANES, lane = thread % WARP_LANES;
    const OrderWarp *w = warp < WARPS_MAX ? ob->warps[warp] : NULL;
    if (w && p->block == e->block->linear && p->thread / WARP_LANES == warp) {
        uint32_t u = p->thread % WARP_LANES;
        if (p->tick < (w->known ? w->known[lane][u] : w->base))
            return true;
    }
    return know_covers(w ? w->learnt[lane] : ob->learnt, p, e->block->linear);
}
