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
#include "common/vgpu/check/order_internal.h"

#include <stdlib.h>
#include <string.h>

#define CLOCK_BYTES_MAX  ((size_t)256 << 20) /* of clocks in use */
#define CLOCK_BYTES_MOVE ((size_t)64 << 20)  /* so many are made before it is looked which of them are */

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

static OrderBlock *block_order(OrderLaunch *o, CheckBlock *b)
{
    if (!b->order)
        b->order = order_take(o, sizeof *b->order);
    return b->order;
}

OrderWarp *order_of_warp(OrderLaunch *o, CheckBlock *b, uint32_t warp)
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

WarpClock *order_warp_clock_now(OrderLaunch *o, CheckBlock *b, uint32_t warp)
{
    OrderWarp *w = order_of_warp(o, b, warp);
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

bool order_fences_alike(const OrderWarp *w, uint32_t lanes)
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
    bool alike = clock_is_same(more[NEAR], more[FAR]) && order_fences_alike(w, lanes);
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
        const WarpClock *now = arrived[i] ? order_warp_clock_now(o, e->block, i) : NULL;
        if (!now)
            continue;
        const OrderWarp *w = e->block->order->warps[i];
        learnt = gather_learnt(o, w, arrived[i], clock_add_warp(&o->maker, learnt, now, arrived[i]));
        gather_both(o, w, arrived[i], more);
        e->block->order->changed = true;
    }
    for (uint32_t i = 0; i < n_warps; i++) {
        OrderWarp *w = waited[i] ? order_of_warp(o, e->block, i) : NULL;
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
    order_drop_old_clocks(e->set);
    OrderWarp *w = order_of_warp(o, e->block, e->who->warp);
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
    OrderWarp *w = order_of_warp(o, e->block, e->who->warp);
    WarpClock *clock = w && is_release(sem) ? order_warp_clock_now(o, e->block, e->who->warp) : NULL;
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
    order_drop_old_clocks(e->set);
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
/* ---- grids that kernels launch ---- */

VectorClock order_spawn(const CheckEvent *e, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, 1u << lane, SEM_SC, SCOPE_GPU);
    const OrderWarp *w = order_of_warp(o, e->block, e->who->warp);
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
