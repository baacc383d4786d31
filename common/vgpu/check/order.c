/* Order: what happens before what, beyond block-wide barriers.
 *
 * Two ways lead from one thread's access to another's:
 *
 *   warp sync     each warp has an epoch, raised by every warp sync and fence. After a warp sync its
 *                 lanes know all that they did before it:
 *                     clocks[t][u] = the epoch of u in the clock of t
 *                 (one number, `base`, while all lanes of the warp have the same clock).
 *   publication   a release pattern of one thread (a fence, then a strong write of a location L; or a
 *                 release on L), and an acquire pattern of another (a strong read of L, then a fence; or
 *                 an acquire on L) that sees what the first stored, or what atomics made of it:
 *
 *                     store d
 *                     fence         snapshot: the thread's clock
 *                     store L  ---> L: the snapshot ---> load L        seen
 *                                                        fence         what is seen is known
 *                                                        load d
 *
 * Scopes. A fence or strong access of block scope (narrow) reaches threads of its own block only, any other
 * (wide) all of them. So a thread has two snapshots, of its last wide fence and of its last one of any scope; a
 * location says two things, one to all and one to the block that stored; and what is seen waits for a wide
 * fence, or for any when it was said to the own block. What is known is known, by whatever way it came.
 *
 * A location is a word. Accesses of one or two bytes have one for each byte of it, so that flags of bytes, side by
 * side, each have a chain of their own; a read of a part of a word sees what was said on the word too, and a read of a word what
 * was said on its parts.
 *
 * A strong store begins a new chain on L (unless it is the same thread's as the one before), an atomic goes on
 * with it: the model's observation order leads through atomics only. Who is of another block than what was
 * stored last, and one of the two narrow, sees nothing.
 *
 * A barrier over a part of a block publishes what its threads did to those of them that waited. Barriers over
 * the whole block are kept out of the epochs: the block counts them as intervals, a clock at interval i covers
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

enum { LOCATIONS_MIN = 256 };
#define CLOCK_BYTES_MAX  ((size_t)256 << 20) /* of clocks in use */
#define CLOCK_BYTES_MOVE ((size_t)64 << 20)  /* so many are made before it is looked which of them are */

/* Near: to or from the own block; far: to or from all. */
typedef enum Reach { NEAR, FAR, N_REACHES } Reach;

/* Snapshots of the last fences that reach so far: near, of any scope; far, of wide ones. */
typedef struct OrderFence {
    uint32_t fenced;              /* lanes with a fence */
    const WarpClock *warp_clock[WARP_LANES]; /* of the lane, as it was then */
    VectorClock learnt[WARP_LANES];          /* and learnt */
    VectorClock more[WARP_LANES];            /* fences of others, met at a sync */
} OrderFence;

typedef struct OrderWarp {
    uint32_t epoch, base;
    uint32_t (*clocks)[WARP_LANES];
    VectorClock learnt[WARP_LANES];          /* through publications */
    VectorClock seen[N_REACHES][WARP_LANES]; /* learnt with the next fence that reaches so far */
    OrderFence fence[N_REACHES];
} OrderWarp;

typedef struct OrderBlock {
    OrderWarp *warps[EXEC_WARPS_MAX];  /* NULL until the warp fences or syncs */
    VectorClock learnt, more[N_REACHES]; /* by all, at the last barrier */
    bool changed;                 /* since the last barrier */
} OrderBlock;

/* What is said on a location, to all or to a block. */
typedef struct Location {
    uint64_t word;  /* 0: free */
    uint32_t to;    /* the block, or TO_ALL */
    uint32_t chain; /* number of the chain of a store and the atomics that saw one another since */
    VectorClock clock; /* along that chain */
    /* TO_ALL: */
    uint32_t block, thread; /* who stored last */
    uint32_t last;          /* the block of the last store or atomic */
    bool narrow;            /* which was narrow */
} Location;
enum { TO_ALL = UINT32_MAX };

typedef struct OrderLaunch {
    pthread_mutex_t lock;
    ClockMaker maker; /* full: everything counts as ordered from then on */
    size_t move_at;   /* bytes made, at which clocks are moved */
    Location *locations;
    size_t n, cap;
    bool published, has_parts;
} OrderLaunch;

struct OrderLaunch *order_launch_create(void)
{
    OrderLaunch *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    pthread_mutex_init(&o->lock, NULL);
    o->maker.pool.limit = CLOCK_BYTES_MAX;
    o->move_at = CLOCK_BYTES_MOVE;
    return o;
}

void order_launch_reset(struct OrderLaunch *o)
{
    clock_maker_reset(&o->maker);
    o->move_at = CLOCK_BYTES_MOVE;
    if (o->n)
        memset(o->locations, 0, o->cap * sizeof *o->locations);
    o->n = 0;
    o->published = o->has_parts = false;
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

/* ---- clocks; callers hold the lock ---- */

static void *order_take(OrderLaunch *o, size_t size)
{
    void *at = clock_maker_take(&o->maker, size);
    return at ? memset(at, 0, size) : NULL;
}

static void clock_join_into(OrderLaunch *o, VectorClock *k, VectorClock more)
{
    *k = clock_join(&o->maker, *k, more);
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
    if (!ob || warp >= EXEC_WARPS_MAX)
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

uint32_t order_epoch(const CheckBlock *b, uint32_t warp)
{
    return b->order && warp < EXEC_WARPS_MAX && b->order->warps[warp] ? b->order->warps[warp]->epoch : 0;
}

/* The clocks of a warp's lanes as they are here. */
static WarpClock *warp_clock_now(OrderLaunch *o, CheckBlock *b, uint32_t warp)
{
    OrderWarp *w = warp_order(o, b, warp);
    WarpClock *f = w ? order_take(o, sizeof *f) : NULL;
    if (!f)
        return NULL;
    *f = (WarpClock){
        .block = b->linear,
        .interval = b->interval,
        .warp = warp,
        .epoch = w->epoch + 1,
        .base = w->base,
        .clocks = w->clocks,
    };
    w->epoch++;
    return f;
}

/* ---- dropping clocks that nobody asks for any more ---- */

static void move_all(ClockMove *v, VectorClock *clocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        clocks[i] = clock_moved(v, clocks[i]);
}

static void *clocks_of_warp_moved(ClockMove *v, const void *old)
{
    bool fresh;
    return clock_moved_bytes(v, old, sizeof(uint32_t[WARP_LANES][WARP_LANES]), &fresh);
}

static const WarpClock *warp_clock_moved(ClockMove *v, const WarpClock *old)
{
    bool fresh;
    WarpClock *now = clock_moved_bytes(v, old, sizeof *now, &fresh);
    if (fresh)
        now->clocks = clocks_of_warp_moved(v, now->clocks);
    return now;
}

static OrderWarp *order_warp_moved(ClockMove *v, const OrderWarp *old)
{
    bool fresh;
    OrderWarp *now = clock_moved_bytes(v, old, sizeof *now, &fresh);
    if (!fresh)
        return now;
    now->clocks = clocks_of_warp_moved(v, now->clocks);
    move_all(v, now->learnt, WARP_LANES);
    for (Reach reach = NEAR; reach <= FAR; reach++) {
        OrderFence *f = &now->fence[reach];
        move_all(v, now->seen[reach], WARP_LANES);
        move_all(v, f->learnt, WARP_LANES);
        move_all(v, f->more, WARP_LANES);
        for (int lane = 0; lane < WARP_LANES; lane++)
            f->warp_clock[lane] = warp_clock_moved(v, f->warp_clock[lane]);
    }
    return now;
}

static void move_block(void *self, CheckBlock *b)
{
    ClockMove *v = self;
    bool fresh;
    OrderBlock *now = b->order = clock_moved_bytes(v, b->order, sizeof *now, &fresh);
    if (!fresh)
        return;
    now->learnt = clock_moved(v, now->learnt);
    move_all(v, now->more, N_REACHES);
    for (int i = 0; i < EXEC_WARPS_MAX; i++)
        now->warps[i] = order_warp_moved(v, now->warps[i]);
}

/* A look-back makes new clocks with each step, and needs the last of each place. With several workers nothing is dropped: they read
 * clocks without the lock. Called where no clock is in a variable. */
static void drop_old_clocks(CheckSet *set)
{
    OrderLaunch *o = set->order;
    if (set->n_workers > 1 || o->maker.full || o->maker.made < (set->options.moves_clocks ? 1 : o->move_at))
        return;
    ClockMove v;
    clock_move_begin(&v, &o->maker);
    check_each_block(set, move_block, &v);
    set->before = clock_moved(&v, set->before);
    for (size_t i = 0; i < set->n_spawns; i++)
        set->spawns[i].before = clock_moved(&v, set->spawns[i].before);
    for (size_t i = 0; i < o->cap; i++)
        if (o->locations[i].word)
            o->locations[i].clock = clock_moved(&v, o->locations[i].clock);
    clock_move_end(&v);
    if (o->maker.made * 2 > o->move_at)
        o->move_at = o->maker.made * 2;
}

/* ---- synchronisation ---- */

/* The fences of some lanes, and `more`. */
static VectorClock gather_fences(OrderLaunch *o, const OrderFence *f, uint32_t lanes, VectorClock more)
{
    for (uint32_t rest = lanes & f->fenced; rest;) {
        const WarpClock *clock = f->warp_clock[__builtin_ctz(rest)];
        uint32_t same = 0;
        for (uint32_t r = rest; r; r &= r - 1) {
            unsigned lane = (unsigned)__builtin_ctz(r);
            if (f->warp_clock[lane] == clock) {
                same |= 1u << lane;
                clock_join_into(o, &more, f->learnt[lane]);
            }
        }
        more = clock_add_warp(&o->maker, more, clock, same);
        rest &= ~same;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        clock_join_into(o, &more, f->more[__builtin_ctz(rest)]);
    return more;
}

/* The lanes' last fences were all wide. */
static bool fences_alike(const OrderWarp *w, uint32_t lanes)
{
    const OrderFence *near = &w->fence[NEAR], *far = &w->fence[FAR];
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (near->warp_clock[lane] != far->warp_clock[lane] || !clock_is_same(near->more[lane], far->more[lane]) ||
            !clock_is_same(near->learnt[lane], far->learnt[lane]))
            return false;
    }
    return true;
}

/* The fences of either reach. Where both say the same they are one clock, so that joins further on are, too. */
static void gather_both(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, VectorClock more[N_REACHES])
{
    bool alike = clock_is_same(more[NEAR], more[FAR]) && fences_alike(w, lanes);
    more[FAR] = gather_fences(o, &w->fence[FAR], lanes, more[FAR]);
    more[NEAR] = alike ? more[FAR] : gather_fences(o, &w->fence[NEAR], lanes, more[NEAR]);
}

static VectorClock gather(OrderLaunch *o, const VectorClock *of, uint32_t lanes, VectorClock more)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        clock_join_into(o, &more, of[__builtin_ctz(rest)]);
    return more;
}

/* What lanes have learnt, and what they have seen: a barrier is a fence for it. */
static VectorClock gather_learnt(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, VectorClock learnt)
{
    learnt = gather(o, w->learnt, lanes, learnt);
    for (Reach reach = NEAR; reach <= FAR; reach++)
        learnt = gather(o, w->seen[reach], lanes, learnt);
    return learnt;
}

static void set_lanes(VectorClock *of, uint32_t lanes, VectorClock clock)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        of[__builtin_ctz(rest)] = clock;
}

void order_barrier(const CheckEvent *e)
{
    OrderBlock *ob = e->block->order;
    if (!ob || !ob->changed)
        return;
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    for (int i = 0; i < EXEC_WARPS_MAX; i++) {
        const OrderWarp *w = ob->warps[i];
        if (!w)
            continue;
        ob->learnt = gather_learnt(o, w, 0xFFFFFFFFu, ob->learnt);
        gather_both(o, w, 0xFFFFFFFFu, ob->more);
    }
    for (int i = 0; i < EXEC_WARPS_MAX; i++) {
        OrderWarp *w = ob->warps[i];
        if (!w)
            continue;
        set_lanes(w->learnt, 0xFFFFFFFFu, ob->learnt);
        for (Reach reach = NEAR; reach <= FAR; reach++) {
            OrderFence *f = &w->fence[reach];
            set_lanes(w->seen[reach], 0xFFFFFFFFu, (VectorClock){0});
            set_lanes(f->more, 0xFFFFFFFFu, ob->more[reach]);
            memset(f->warp_clock, 0, sizeof f->warp_clock);
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
    VectorClock learnt = {0}, more[N_REACHES] = {{0}};
    pthread_mutex_lock(&o->lock);
    for (uint32_t i = 0; i < n_warps; i++) {
        const WarpClock *now = arrived[i] ? warp_clock_now(o, e->block, i) : NULL;
        if (!now)
            continue;
        const OrderWarp *w = e->block->order->warps[i];
        learnt = gather_learnt(o, w, arrived[i], clock_add_warp(&o->maker, learnt, now, arrived[i]));
        gather_both(o, w, arrived[i], more);
        e->block->order->changed = true;
    }
    for (uint32_t i = 0; i < n_warps; i++) {
        OrderWarp *w = waited[i] ? warp_order(o, e->block, i) : NULL;
        for (uint32_t rest = w ? waited[i] : 0; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            clock_join_into(o, &w->learnt[lane], learnt);
            for (Reach reach = NEAR; reach <= FAR; reach++)
                clock_join_into(o, &w->fence[reach].more[lane], more[reach]);
        }
    }
    pthread_mutex_unlock(&o->lock);
}

/* The lanes of mask have their joined clock from now on, which covers what they did up to here. */
static void join_lanes(OrderLaunch *o, OrderWarp *w, uint32_t mask)
{
    uint32_t(*clocks)[WARP_LANES] = order_take(o, sizeof(uint32_t[WARP_LANES][WARP_LANES]));
    if (!clocks)
        return;
    for (int t = 0; t < WARP_LANES; t++)
        for (int u = 0; u < WARP_LANES; u++)
            clocks[t][u] = w->clocks ? w->clocks[t][u] : w->base;
    for (int u = 0; u < WARP_LANES; u++) {
        uint32_t most = mask >> u & 1 ? w->epoch + 1 : 0;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            uint32_t k = clocks[__builtin_ctz(rest)][u];
            most = k > most ? k : most;
        }
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            clocks[__builtin_ctz(rest)][u] = most;
    }
    w->clocks = clocks; /* a new matrix: snapshots keep the old one */
}

void order_warp_sync(const CheckEvent *e, uint32_t mask)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    drop_old_clocks(e->set);
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    if (w) {
        uint32_t all = lanes_of_warp(e->block, e->who->warp);
        if ((mask & all) == all) {
            w->base = w->epoch + 1;
            w->clocks = NULL;
        } else {
            join_lanes(o, w, mask);
        }
        w->epoch++;
        if (o->published || e->block->order->changed) {
            VectorClock more[N_REACHES] = {{0}};
            gather_both(o, w, mask, more);
            set_lanes(w->learnt, mask, gather(o, w->learnt, mask, (VectorClock){0}));
            for (Reach reach = NEAR; reach <= FAR; reach++) {
                set_lanes(w->seen[reach], mask, gather(o, w->seen[reach], mask, (VectorClock){0}));
                set_lanes(w->fence[reach].more, mask, more[reach]);
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

/* What the lane has seen goes into its clock. */
static void acquire_seen(const CheckEvent *e, OrderWarp *w, unsigned lane, bool narrow)
{
    for (Reach reach = NEAR; reach <= (narrow ? NEAR : FAR); reach++) {
        if (clock_is_zero(w->seen[reach][lane]))
            continue;
        clock_join_into(e->set->order, &w->learnt[lane], w->seen[reach][lane]);
        w->seen[reach][lane] = (VectorClock){0};
        e->block->order->changed = true;
    }
}

static void fence_locked(const CheckEvent *e, uint32_t mask, IrSem sem, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    WarpClock *clock = w && is_release(sem) ? warp_clock_now(o, e->block, e->who->warp) : NULL;
    for (uint32_t rest = w ? mask : 0; rest && is_acquire(sem); rest &= rest - 1)
        acquire_seen(e, w, (unsigned)__builtin_ctz(rest), order_is_narrow(scope));
    for (Reach reach = NEAR; clock && reach <= (order_is_narrow(scope) ? NEAR : FAR); reach++) {
        OrderFence *f = &w->fence[reach];
        f->fenced |= mask;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            f->warp_clock[lane] = clock;
            f->learnt[lane] = w->learnt[lane];
        }
        e->block->order->changed = true;
    }
}

void order_fence(const CheckEvent *e, uint32_t mask, IrSem sem, IrScope scope)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    drop_old_clocks(e->set);
    fence_locked(e, mask, sem, scope);
    pthread_mutex_unlock(&o->lock);
}

bool order_has_fenced(const CheckBlock *b, uint32_t thread)
{
    const OrderBlock *ob = b->order;
    if (!ob)
        return false;
    const OrderWarp *w = thread / WARP_LANES < EXEC_WARPS_MAX ? ob->warps[thread / WARP_LANES] : NULL;
    if (!w)
        return !clock_is_zero(ob->more[NEAR]);
    const OrderFence *f = &w->fence[NEAR];
    return (f->fenced >> thread % WARP_LANES & 1) || !clock_is_zero(f->more[thread % WARP_LANES]);
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

/* A place in a word, for accesses that are narrower. */
static uint64_t location_part(uint64_t word, unsigned at)
{
    return (word & ~(uint64_t)3) | (uint64_t)1 << 62 | at;
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
    const WarpClock *released,
        *reads; /* what the lane did, which a release tells; what it read, which a store does; or NULL */
} Strong;

/* What was stored last and the access are strong to one another. */
static bool sees(const Strong *s, const Location *all)
{
    return all->last == s->e->block->linear || !(s->narrow || all->narrow);
}

/* What a lane learns from a place: mostly what the lane before it did, which knew the same. */
typedef struct Learnt {
    VectorClock clock, learnt, seen;  /* of the place, and of the lane before */
    VectorClock now_learnt, now_seen; /* and after */
} Learnt;

/* Loads that were done before a store cannot meet a store that comes of seeing it: they are known at once. */
static void learn_from(const Strong *s, const Location *l, Reach reach, Learnt *before)
{
    OrderLaunch *o = s->e->set->order;
    OrderWarp *w = clock_is_zero(l->clock) ? NULL : warp_order(o, s->e->block, s->e->who->warp);
    if (!w)
        return;
    VectorClock *learnt = &w->learnt[s->lane], *seen = &w->seen[reach][s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (!clock_is_same(before->clock, l->clock) || !clock_is_same(before->learnt, *learnt) ||
        !clock_is_same(before->seen, *seen)) {
        *before = (Learnt){l->clock, *learnt, *seen, *learnt, *seen};
        if (reaches)
            clock_join_into(o, &before->now_learnt,
                            s->acquires ? l->clock : (VectorClock){.reads = l->clock.reads});
        if (l->clock.writes && !(reaches && s->acquires))
            clock_join_into(o, &before->now_seen, (VectorClock){l->clock.writes, l->clock.writes});
    }
    if (clock_is_same(before->now_learnt, *learnt) && clock_is_same(before->now_seen, *seen))
        return;
    *learnt = before->now_learnt;
    *seen = before->now_seen;
    s->e->block->learnt_mark = cell_of(__atomic_load_n(&s->e->set->records.next, __ATOMIC_RELAXED), 0);
    s->e->block->order->changed = true;
}

/* What is said on a word: to all, and to the own block; NULL: nothing. And what the lane before learnt of it. */
typedef struct Told {
    uint64_t word;
    const Location *all, *own;
    Learnt learnt[N_REACHES];
} Told;

static void learn(const Strong *s, Told *told)
{
    OrderLaunch *o = s->e->set->order;
    if (told->word != s->word) { /* lanes mostly ask for one word */
        told->word = s->word;
        told->all = find_location(o, s->word, TO_ALL, false);
        told->own = find_location(o, s->word, s->e->block->linear, false);
    }
    if (!told->all || !sees(s, told->all))
        return;
    learn_from(s, told->all, FAR, &told->learnt[FAR]);
    if (told->own && told->own->chain == told->all->chain)
        learn_from(s, told->own, NEAR, &told->learnt[NEAR]);
}

/* What the lane's strong write says to the block, or to all. w: NULL of a block that has nothing to say. */
static VectorClock said(const Strong *s, const OrderWarp *w, Reach reach)
{
    OrderLaunch *o = s->e->set->order;
    if (!w)
        return (VectorClock){0};
    const OrderFence *f = &w->fence[reach];
    const uint32_t lane = 1u << s->lane;
    VectorClock clock = f->more[s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (f->warp_clock[s->lane])
        clock = clock_add_warp(&o->maker, clock_join(&o->maker, clock, f->learnt[s->lane]),
                               f->warp_clock[s->lane], lane);
    if (s->released && reaches)
        clock =
            clock_add_warp(&o->maker, clock_join(&o->maker, clock, w->learnt[s->lane]), s->released, lane);
    if (s->reads && reaches) {
        clock_join_into(o, &clock, (VectorClock){.reads = w->learnt[s->lane].reads});
        clock = clock_add_warp_reads(&o->maker, clock, s->reads, lane);
    }
    return clock;
}

static bool says_nothing(const Strong *s, const OrderWarp *w)
{
    if (s->released || s->reads)
        return false;
    for (Reach reach = NEAR; w && reach <= FAR; reach++)
        if (w->fence[reach].warp_clock[s->lane] || !clock_is_zero(w->fence[reach].more[s->lane]))
            return false;
    return true;
}

static void publish(const Strong *s)
{
    OrderLaunch *o = s->e->set->order;
    const OrderWarp *w = s->e->block->order ? warp_order(o, s->e->block, s->e->who->warp) : NULL;
    if (!make_room(o))
        return;
    bool alike = !w || (!s->narrow && fences_alike(w, 1u << s->lane));
    VectorClock far = said(s, w, FAR), near = alike ? far : said(s, w, NEAR);
    bool says = !clock_is_zero(near);
    const uint32_t block = s->e->block->linear, thread = s->e->who->first_thread + s->lane;
    Location *all = find_location(o, s->word, TO_ALL, says);
    if (!all)
        return;
    bool follows = s->stores ? all->block == block && all->thread == thread : sees(s, all);
    if (!follows) {
        all->clock = (VectorClock){0};
        all->chain++;
    }
    clock_join_into(o, &all->clock, far);
    all->last = block;
    all->narrow = s->narrow;
    if (s->stores) {
        all->block = block;
        all->thread = thread;
    }
    Location *own = find_location(o, s->word, block, says);
    if (own && own->chain != all->chain) {
        own->clock = (VectorClock){0};
        own->chain = all->chain;
    }
    if (own)
        clock_join_into(o, &own->clock, near);
    __atomic_store_n(&o->published, true, __ATOMIC_RELAXED);
}

static bool access_writes(const ExecAccess *a)
{
    return a->kind != ACCESS_LOAD;
}

static bool access_reads(const ExecAccess *a)
{
    return a->kind == ACCESS_LOAD || a->kind == ACCESS_ATOMIC;
}

static Strong strong_of(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    return (Strong){.e = e,
                    .word = a->bytes < 4 ? location_part(location_word(e, a, lane), a->addr[lane] & 3) : location_word(e, a, lane),
                    .lane = lane,
                    .narrow = a->space == SPACE_SHARED || order_is_narrow((IrScope)a->scope),
                    .acquires = is_acquire((IrSem)a->sem),
                    .stores = a->kind == ACCESS_STORE};
}

/* What is said on the word of a part, and on the parts of a word. */
static void learn_parts(const Strong *s, const ExecAccess *a)
{
    Strong part = *s;
    const uint64_t word = location_word(s->e, a, s->lane);
    const unsigned first = a->addr[s->lane] & 3;
    if (a->bytes < 4) {
        part.word = word;
        learn(&part, &(Told){0});
    }
    for (unsigned at = first; at < first + a->bytes; at++) {
        part.word = location_part(word + (at & ~3u), at & 3);
        learn(&part, &(Told){0});
    }
}

void order_strong_read(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    if (!access_reads(a) || !__atomic_load_n(&o->published, __ATOMIC_RELAXED))
        return;
    Told told = {0};
    pthread_mutex_lock(&o->lock);
    drop_old_clocks(e->set);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        learn(&s, &told);
        if (o->has_parts || a->bytes < 4)
            learn_parts(&s, a);
    }
    pthread_mutex_unlock(&o->lock);
}

void order_strong_write(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    bool releases = access_writes(a) && is_release((IrSem)a->sem);
    bool tells_reads = a->kind == ACCESS_STORE && a->space == SPACE_GLOBAL;
    bool says = releases || tells_reads || e->block->order;
    if (!access_writes(a) || !(says || __atomic_load_n(&o->published, __ATOMIC_RELAXED)))
        return; /* nobody has fenced: nothing to pass on */
    pthread_mutex_lock(&o->lock);
    drop_old_clocks(e->set);
    const WarpClock *now = releases || tells_reads ? warp_clock_now(o, e->block, e->who->warp) : NULL;
    const OrderWarp *w = e->block->order ? warp_order(o, e->block, e->who->warp) : NULL;
    Told told = {0};
    uint64_t silent = 0; /* word on which the lane before said nothing */
    bool spoken = false; /* by a lane before */
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        if (a->kind == ACCESS_ATOMIC && spoken) /* it sees what the lanes before it have published just now */
            learn(&s, &told);
        s.released = releases ? now : NULL;
        s.reads = tells_reads ? now : NULL;
        const bool says_none = says_nothing(&s, w);
        if (says_none && silent == s.word && !s.stores && a->bytes >= 4)
            continue; /* who waits for a lock */
        silent = says_none ? s.word : 0;
        spoken |= !says_none;
        told.word = 0; /* a place may be made */
        o->has_parts |= a->bytes < 4;
        publish(&s);
        for (unsigned at = 1; at < a->bytes && a->bytes < 4; at++) {
            s.word++; /* the next part */
            publish(&s);
        }
    }
    pthread_mutex_unlock(&o->lock);
}

/* ---- grids that kernels launch ---- */

VectorClock order_spawn(const CheckEvent *e, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, 1u << lane, SEM_SC, SCOPE_GPU);
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    VectorClock before = {0};
    if (w && w->fence[FAR].warp_clock[lane])
        before = clock_add_warp(&o->maker, clock_join(&o->maker, w->learnt[lane], w->fence[FAR].more[lane]),
                                w->fence[FAR].warp_clock[lane], 1u << lane);
    pthread_mutex_unlock(&o->lock);
    return before;
}

VectorClock order_after(CheckSet *set, VectorClock before, const ExecAfter *after, size_t n)
{
    OrderLaunch *o = set->order;
    pthread_mutex_lock(&o->lock);
    for (size_t i = 0; i < n; i++)
        before = clock_add_ended(&o->maker, before, after[i].first, after[i].last);
    pthread_mutex_unlock(&o->lock);
    return before;
}

void order_block_begin(CheckSet *set, CheckBlock *b, VectorClock before)
{
    if (clock_is_zero(before))
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

/* A clock does not change, so that no lock is needed here. */
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
    const OrderWarp *w = warp < EXEC_WARPS_MAX ? ob->warps[warp] : NULL;
    if (w && p->block == e->block->linear && p->thread / WARP_LANES == warp) {
        uint32_t u = p->thread % WARP_LANES;
        if (p->epoch < (w->clocks ? w->clocks[lane][u] : w->base))
            return true;
    }
    return clock_covers(w ? w->learnt[lane] : ob->learnt, p);
}
