/* Order: what happens before what, beyond block-wide barriers.
 *
 * Two ways lead from one thread's access to another's:
 *
 *   warp sync     each warp has a tick, bumped by every warp sync and fence. After a warp sync its
 *                 lanes know all that they did before it:
 *                     known[t][u] = t knows what u did at ticks below this
 *                 (one number, `base`, while all lanes of the warp know the same).
 *   publication   a release pattern of one thread (a fence, then a strong write of a location L; or a
 *                 release on L), and an acquire pattern of another (a strong read of L, then a fence; or
 *                 an acquire on L) that sees what the first stored, or what atomics made of it:
 *
 *                     store d
 *                     fence         snapshot: what the thread did (a fact) and knows
 *                     store L  ---> L: the snapshot ---> load L        seen
 *                                                        fence         what is seen is known
 *                                                        load d
 *
 * Scopes. A fence or strong access of block scope (narrow) reaches threads of its own block only, any other
 * (wide) all of them. So a thread has two snapshots, of its last wide fence and of its last one of any scope; a
 * location says two things, one to all and one to the block that stored; and what is seen waits for a wide
 * fence, or for any when it was said to the own block. What is known is known, by whatever way it came.
 *
 * A strong store begins a new chain on L (unless it is the same thread's as the one before), an atomic goes on
 * with it: the model's observation order leads through atomics only. Who is of another block than what was
 * stored last, and one of the two narrow, sees nothing.
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
 * Where hardware is kinder than the letter of the memory model, so is this: a barrier counts as a fence for
 * what its threads have seen before it, a fence before a barrier or warp sync counts for the thread that
 * publishes after it, and of a thread that only arrives at a barrier (bar.arrive) what it does until the
 * others come counts as done before. These can hide a race, never make one up. The order of fence.sc among
 * themselves is left out: no program can say which of two comes first.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARPS_MAX = 32,
    LOCATIONS_MIN = 256,
};
#define KNOWLEDGE_BYTES_MAX ((size_t)256 << 20)

/* Near: to or from the own block; far: to or from all. */
typedef enum Reach { NEAR, FAR, N_REACHES } Reach;

/* Snapshots of the last fences that reach so far: near, of any scope; far, of wide ones. */
typedef struct OrderFence {
    uint32_t fenced;              /* lanes with a fence */
    const Fact *fact[WARP_LANES]; /* what the lane had done by then */
    Know learnt[WARP_LANES];      /* and learnt */
    Know more[WARP_LANES];        /* fences of others, met at a sync */
} OrderFence;

typedef struct OrderWarp {
    uint32_t tick, base;
    uint32_t (*known)[WARP_LANES];
    Know learnt[WARP_LANES];          /* through publications */
    Know seen[N_REACHES][WARP_LANES]; /* learnt with the next fence that reaches so far */
    OrderFence fence[N_REACHES];
} OrderWarp;

typedef struct OrderBlock {
    OrderWarp *warps[WARPS_MAX];  /* NULL until the warp fences or syncs */
    Know learnt, more[N_REACHES]; /* by all, at the last barrier */
    bool changed;                 /* since the last barrier */
} OrderBlock;

/* What is said on a location, to all or to a block. */
typedef struct Location {
    uint64_t word;  /* 0: free */
    uint32_t to;    /* the block, or TO_ALL */
    uint32_t chain; /* number of the chain of a store and the atomics that saw one another since */
    Know know;      /* along that chain */
    /* TO_ALL: */
    uint32_t block, thread; /* who stored last */
    uint32_t last;          /* the block of the last store or atomic */
    bool narrow;            /* which was narrow */
} Location;
enum { TO_ALL = UINT32_MAX };

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
            for (Reach reach = NEAR; reach <= FAR; reach++)
                w->fence[reach].more[lane] = ob->more[reach];
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
static Fact *fact_of_now(OrderLaunch *o, CheckBlock *b, uint32_t warp)
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
        .known = w->known,
    };
    w->tick++;
    return f;
}

/* ---- synchronisation ---- */

/* The fences of some lanes, and `more`. */
static Know gather_fences(OrderLaunch *o, const OrderFence *f, uint32_t lanes, Know more)
{
    for (uint32_t rest = lanes & f->fenced; rest;) {
        const Fact *fact = f->fact[__builtin_ctz(rest)];
        uint32_t same = 0;
        for (uint32_t r = rest; r; r &= r - 1) {
            unsigned lane = (unsigned)__builtin_ctz(r);
            if (f->fact[lane] == fact) {
                same |= 1u << lane;
                merge_into(o, &more, f->learnt[lane]);
            }
        }
        more = know_add(&o->maker, more, fact, same);
        rest &= ~same;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        merge_into(o, &more, f->more[__builtin_ctz(rest)]);
    return more;
}

static Know gather(OrderLaunch *o, const Know *of, uint32_t lanes, Know more)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        merge_into(o, &more, of[__builtin_ctz(rest)]);
    return more;
}

/* What lanes have learnt, and what they have seen: a barrier is a fence for it. */
static Know gather_learnt(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, Know learnt)
{
    learnt = gather(o, w->learnt, lanes, learnt);
    for (Reach reach = NEAR; reach <= FAR; reach++)
        learnt = gather(o, w->seen[reach], lanes, learnt);
    return learnt;
}

static void set_lanes(Know *of, uint32_t lanes, Know know)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        of[__builtin_ctz(rest)] = know;
}

void order_barrier(const CheckEvent *e)
{
    OrderBlock *ob = e->block->order;
    if (!ob || !ob->changed)
        return;
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    for (int i = 0; i < WARPS_MAX; i++) {
        const OrderWarp *w = ob->warps[i];
        if (!w)
            continue;
        ob->learnt = gather_learnt(o, w, 0xFFFFFFFFu, ob->learnt);
        for (Reach reach = NEAR; reach <= FAR; reach++)
            ob->more[reach] = gather_fences(o, &w->fence[reach], 0xFFFFFFFFu, ob->more[reach]);
    }
    for (int i = 0; i < WARPS_MAX; i++) {
        OrderWarp *w = ob->warps[i];
        if (!w)
            continue;
        set_lanes(w->learnt, 0xFFFFFFFFu, ob->learnt);
        for (Reach reach = NEAR; reach <= FAR; reach++) {
            OrderFence *f = &w->fence[reach];
            set_lanes(w->seen[reach], 0xFFFFFFFFu, (Know){0});
            set_lanes(f->more, 0xFFFFFFFFu, ob->more[reach]);
            memset(f->fact, 0, sizeof f->fact);
            f->fenced = 0;
        }
    }
    ob->changed = false;
    pthread_mutex_unlock(&o->lock);
}

void order_part_barrier(const CheckEvent *e, const uint32_t *arrived, const uint32_t *waited,
                        uint32_t n_warps)
{
    OrderLaunch *o = e->set->order;
    Know learnt = {0}, more[N_REACHES] = {{0}};
    pthread_mutex_lock(&o->lock);
    for (uint32_t i = 0; i < n_warps; i++) {
        const Fact *now = arrived[i] ? fact_of_now(o, e->block, i) : NULL;
        if (!now)
            continue;
        const OrderWarp *w = e->block->order->warps[i];
        learnt = gather_learnt(o, w, arrived[i], know_add(&o->maker, learnt, now, arrived[i]));
        for (Reach reach = NEAR; reach <= FAR; reach++)
            more[reach] = gather_fences(o, &w->fence[reach], arrived[i], more[reach]);
        e->block->order->changed = true;
    }
    for (uint32_t i = 0; i < n_warps; i++) {
        OrderWarp *w = waited[i] ? warp_order(o, e->block, i) : NULL;
        for (uint32_t rest = w ? waited[i] : 0; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            merge_into(o, &w->learnt[lane], learnt);
            for (Reach reach = NEAR; reach <= FAR; reach++)
                merge_into(o, &w->fence[reach].more[lane], more[reach]);
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
            set_lanes(w->learnt, mask, gather(o, w->learnt, mask, (Know){0}));
            for (Reach reach = NEAR; reach <= FAR; reach++) {
                OrderFence *f = &w->fence[reach];
                set_lanes(w->seen[reach], mask, gather(o, w->seen[reach], mask, (Know){0}));
                set_lanes(f->more, mask, gather_fences(o, f, mask, (Know){0}));
            }
        }
    }
    pthread_mutex_unlock(&o->lock);
}

static bool is_acquire(IrSem sem)
{
    return sem == SEM_ACQUIRE || sem == SEM_ACQ_REL || sem == SEM_SC;
}

static bool is_release(IrSem sem)
{
    return sem == SEM_RELEASE || sem == SEM_ACQ_REL || sem == SEM_SC;
}

/* What the lane has seen, it knows. */
static void acquire_seen(const CheckEvent *e, OrderWarp *w, unsigned lane, bool narrow)
{
    for (Reach reach = NEAR; reach <= (narrow ? NEAR : FAR); reach++) {
        if (know_is_nothing(w->seen[reach][lane]))
            continue;
        merge_into(e->set->order, &w->learnt[lane], w->seen[reach][lane]);
        w->seen[reach][lane] = (Know){0};
        e->block->order->changed = true;
    }
}

static void fence_locked(const CheckEvent *e, uint32_t mask, IrSem sem, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Fact *fact = w && is_release(sem) ? fact_of_now(o, e->block, e->who->warp) : NULL;
    for (uint32_t rest = w ? mask : 0; rest && is_acquire(sem); rest &= rest - 1)
        acquire_seen(e, w, (unsigned)__builtin_ctz(rest), order_is_narrow(scope));
    for (Reach reach = NEAR; fact && reach <= (order_is_narrow(scope) ? NEAR : FAR); reach++) {
        OrderFence *f = &w->fence[reach];
        f->fenced |= mask;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            f->fact[lane] = fact;
            f->learnt[lane] = w->learnt[lane];
        }
        e->block->order->changed = true;
    }
}

void order_fence(const CheckEvent *e, uint32_t mask, IrSem sem, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, mask, sem, scope);
    pthread_mutex_unlock(&o->lock);
}

bool order_has_fenced(const CheckBlock *b, uint32_t thread)
{
    const OrderBlock *ob = b->order;
    if (!ob)
        return false;
    const OrderWarp *w = thread / WARP_LANES < WARPS_MAX ? ob->warps[thread / WARP_LANES] : NULL;
    if (!w)
        return !know_is_nothing(ob->more[NEAR]);
    const OrderFence *f = &w->fence[NEAR];
    return (f->fenced >> thread % WARP_LANES & 1) || !know_is_nothing(f->more[thread % WARP_LANES]);
}

/* ---- publication ---- */

static size_t location_slot(const OrderLaunch *o, uint64_t word, uint32_t to)
{
    uint64_t hash = (word ^ (uint64_t)to * 0xBF58476D1CE4E5B9u) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 20) & (o->cap - 1);
    while (o->locations[at].word && (o->locations[at].word != word || o->locations[at].to != to))
        at = (at + 1) & (o->cap - 1);
    return at;
}

static bool grow_locations(OrderLaunch *o)
{
    OrderLaunch bigger = {.cap = o->cap ? o->cap * 2 : LOCATIONS_MIN};
    bigger.locations = calloc(bigger.cap, sizeof *bigger.locations);
    if (!bigger.locations)
        return false;
    for (size_t i = 0; i < o->cap; i++)
        if (o->locations[i].word)
            bigger.locations[location_slot(&bigger, o->locations[i].word, o->locations[i].to)] = o->locations[i];
    free(o->locations);
    o->locations = bigger.locations;
    o->cap = bigger.cap;
    return true;
}

/* A word of global memory, or of one block's shared memory; never 0. */
static uint64_t location_word(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    uint64_t word = a->addr[lane] & ~(uint64_t)3;
    return a->space == SPACE_SHARED ? (uint64_t)1 << 63 | (uint64_t)e->block->linear << 24 | word | 1
                                    : word | 1;
}

static Location *find_location(OrderLaunch *o, uint64_t word, uint32_t to, bool make)
{
    Location *l = o->cap ? &o->locations[location_slot(o, word, to)] : NULL;
    if (!l || l->word || !make)
        return l && l->word ? l : NULL;
    o->n++;
    *l = (Location){.word = word, .to = to};
    return l;
}

/* For two locations more. */
static bool make_room(OrderLaunch *o)
{
    if ((o->n + 2) * 2 <= o->cap || grow_locations(o))
        return true;
    o->maker.full = true;
    return false;
}

/* One lane's strong access. */
typedef struct Strong {
    const CheckEvent *e;
    uint64_t word;
    unsigned lane;
    bool narrow, acquires, stores; /* stores: not an atomic */
    const Fact *released, *reads;  /* what the lane did, which a release tells; what it read, which a store does; or NULL */
} Strong;

/* What was stored last and the access are strong to one another. */
static bool sees(const Strong *s, const Location *all)
{
    return all->last == s->e->block->linear || !(s->narrow || all->narrow);
}

/* Loads that were done before a store cannot meet a store that comes of seeing it: they are known at once. */
static void learn_from(const Strong *s, const Location *l, Reach reach)
{
    OrderLaunch *o = s->e->set->order;
    OrderWarp *w = know_is_nothing(l->know) ? NULL : warp_order(o, s->e->block, s->e->who->warp);
    if (!w)
        return;
    Know learnt = w->learnt[s->lane], seen = w->seen[reach][s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (reaches)
        merge_into(o, &learnt, s->acquires ? l->know : (Know){.reads = l->know.reads});
    if (l->know.writes && !(reaches && s->acquires))
        merge_into(o, &seen, (Know){l->know.writes, l->know.writes});
    if (know_is_same(learnt, w->learnt[s->lane]) && know_is_same(seen, w->seen[reach][s->lane]))
        return;
    w->learnt[s->lane] = learnt;
    w->seen[reach][s->lane] = seen;
    s->e->block->learnt_mark = cell_of(__atomic_load_n(&s->e->set->records.next, __ATOMIC_RELAXED), 0);
    s->e->block->order->changed = true;
}

static void learn(const Strong *s)
{
    OrderLaunch *o = s->e->set->order;
    const Location *all = find_location(o, s->word, TO_ALL, false);
    if (!all || !sees(s, all))
        return;
    learn_from(s, all, FAR);
    const Location *own = find_location(o, s->word, s->e->block->linear, false);
    if (own && own->chain == all->chain)
        learn_from(s, own, NEAR);
}

/* What the lane's strong write says to the block, or to all. w: NULL of a block that has nothing to say. */
static Know said(const Strong *s, const OrderWarp *w, Reach reach)
{
    OrderLaunch *o = s->e->set->order;
    if (!w)
        return (Know){0};
    const OrderFence *f = &w->fence[reach];
    const uint32_t lane = 1u << s->lane;
    Know know = f->more[s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (f->fact[s->lane])
        know = know_add(&o->maker, know_merge(&o->maker, know, f->learnt[s->lane]), f->fact[s->lane], lane);
    if (s->released && reaches)
        know = know_add(&o->maker, know_merge(&o->maker, know, w->learnt[s->lane]), s->released, lane);
    if (s->reads && reaches) {
        merge_into(o, &know, (Know){.reads = w->learnt[s->lane].reads});
        know = know_add_reads(&o->maker, know, s->reads, lane);
    }
    return know;
}

static void publish(const Strong *s)
{
    OrderLaunch *o = s->e->set->order;
    const OrderWarp *w = s->e->block->order ? warp_order(o, s->e->block, s->e->who->warp) : NULL;
    if (!make_room(o))
        return;
    Know far = said(s, w, FAR), near = said(s, w, NEAR);
    bool says = !know_is_nothing(near);
    const uint32_t block = s->e->block->linear, thread = s->e->who->first_thread + s->lane;
    Location *all = find_location(o, s->word, TO_ALL, says);
    if (!all)
        return;
    bool follows = s->stores ? all->block == block && all->thread == thread : sees(s, all);
    if (!follows) {
        all->know = (Know){0};
        all->chain++;
    }
    merge_into(o, &all->know, far);
    all->last = block;
    all->narrow = s->narrow;
    if (s->stores) {
        all->block = block;
        all->thread = thread;
    }
    Location *own = find_location(o, s->word, block, says);
    if (own && own->chain != all->chain) {
        own->know = (Know){0};
        own->chain = all->chain;
    }
    if (own)
        merge_into(o, &own->know, near);
    __atomic_store_n(&o->published, true, __ATOMIC_RELAXED);
}

static bool writes(const ExecAccess *a)
{
    return a->kind != ACCESS_LOAD;
}

static bool reads(const ExecAccess *a)
{
    return a->kind == ACCESS_LOAD || a->kind == ACCESS_ATOMIC;
}

static Strong strong_of(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    return (Strong){.e = e,
                    .word = location_word(e, a, lane),
                    .lane = lane,
                    .narrow = a->space == SPACE_SHARED || order_is_narrow((IrScope)a->scope),
                    .acquires = is_acquire((IrSem)a->sem),
                    .stores = a->kind == ACCESS_STORE};
}

void order_strong_read(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    if (!reads(a) || !__atomic_load_n(&o->published, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&o->lock);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        learn(&s);
    }
    pthread_mutex_unlock(&o->lock);
}

void order_strong_write(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    bool releases = writes(a) && is_release((IrSem)a->sem);
    bool tells_reads = a->kind == ACCESS_STORE && a->space == SPACE_GLOBAL;
    bool says = releases || tells_reads || e->block->order;
    if (!writes(a) || !(says || __atomic_load_n(&o->published, __ATOMIC_RELAXED)))
        return; /* nobody has fenced: nothing to pass on */
    pthread_mutex_lock(&o->lock);
    const Fact *now = releases || tells_reads ? fact_of_now(o, e->block, e->who->warp) : NULL;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        s.released = releases ? now : NULL;
        s.reads = tells_reads ? now : NULL;
        publish(&s);
    }
    pthread_mutex_unlock(&o->lock);
}

/* ---- grids that kernels launch ---- */

Know order_spawn(const CheckEvent *e, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, 1u << lane, SEM_SC, SCOPE_GPU);
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Know before = {0};
    if (w && w->fence[FAR].fact[lane])
        before = know_add(&o->maker, know_merge(&o->maker, w->learnt[lane], w->fence[FAR].more[lane]),
                          w->fence[FAR].fact[lane], 1u << lane);
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
        ob->learnt = ob->more[NEAR] = ob->more[FAR] = before;
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
    return know_covers(w ? w->learnt[lane] : ob->learnt, p);
}
