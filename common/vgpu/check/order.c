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
 *                 knows (a fact). A strong write puts it on L, a strong read adds all that lies on
 *                 L to what the thread knows. Snapshots are nodes of a graph and never change:
 *
 *                     L ---> (join) ---> fact of block 7, thread 0 ---> what it knew when it fenced
 *                              |
 *                              +---> what lay on L before
 *
 *                 So a question ("does t come after p?") is a search from what t knows for a fact
 *                 that covers p.
 *
 * A barrier over a part of a block publishes what its threads did to those of them that waited. Barriers over
 * the whole block are kept out of the ticks: the block counts them as intervals, a fact of interval i covers
 * all intervals before i of its block, and after a barrier each thread knows what every thread of the block
 * knew.
 *
 * A strong store without a fence publishes less: that the thread's loads are done, since what it stores
 * depends on them (PTX ISA 8.9.4, no value out of thin air). So a look-back by relaxed flags may overwrite
 * what the blocks before it have read, but not read what they wrote. Such nodes are skipped when the question
 * is about a write.
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
    SEARCH_MAX = 1 << 16, /* nodes of one search */
    STACK_MAX = 4096,
    SEEN_MAX = 4096, /* answers that are kept */
};
#define LAUNCH_SEARCH_MAX ((uint64_t)1 << 26) /* nodes of all searches of a launch */
#define GRAPH_BYTES_MAX   ((size_t)256 << 20)

typedef struct Fact {
    uint32_t block, interval, warp, tick;
    uint32_t base;
    uint32_t last; /* ended: blocks `block` to `last` have ended, and nothing else is meant */
    bool ended;
    bool block_scope;
    uint32_t (*known)[WARP_LANES]; /* NULL: base for all */
} Fact;

typedef struct Node {
    struct Node *older, *newer; /* either may be NULL */
    const Fact *fact;           /* or NULL */
    uint32_t lanes;             /* of the fact */
    bool reads_only;            /* this and all below: speaks of reads, not of writes */
    uint32_t visited;           /* number of the last search */
} Node;

typedef struct OrderWarp {
    uint32_t tick, base;
    uint32_t (*known)[WARP_LANES];
    uint32_t fenced;               /* lanes with a fence */
    Node *learnt[WARP_LANES];      /* through publications; NULL: nothing */
    const Fact *fact[WARP_LANES];  /* of the last fence */
    Node *fact_learnt[WARP_LANES]; /* what the lane had learnt by then */
    Node *fact_more[WARP_LANES];   /* fences of others, met at a sync */
} OrderWarp;

typedef struct OrderBlock {
    OrderWarp *warps[WARPS_MAX]; /* NULL until the warp fences or syncs */
    Node *learnt, *fact_more;    /* by all, at the last barrier */
    bool changed;                /* since the last barrier */
} OrderBlock;

typedef struct Location {
    uint64_t key; /* 0: free */
    Node *node;
} Location;

/* What a node tells of a block: all intervals before `interval` (0: nothing). Nodes never change, so this
 * stays true. */
typedef struct Seen {
    const Node *node;
    uint32_t block, interval;
    bool reads, own; /* asked about a read; by the same block */
} Seen;

typedef struct OrderLaunch {
    pthread_mutex_t lock;
    Seen seen[SEEN_MAX];
    Pool pool;
    Location *locations;
    size_t n, cap;
    uint32_t search;
    uint64_t searched;
    bool published, full; /* full: out of room, everything counts as ordered from then on */
} OrderLaunch;

struct OrderLaunch *order_launch_create(void)
{
    OrderLaunch *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    pthread_mutex_init(&o->lock, NULL);
    o->pool.limit = GRAPH_BYTES_MAX;
    return o;
}

void order_launch_reset(struct OrderLaunch *o)
{
    pool_reset(&o->pool);
    if (o->n)
        memset(o->locations, 0, o->cap * sizeof *o->locations);
    if (o->searched)
        memset(o->seen, 0, sizeof o->seen);
    o->n = 0;
    o->searched = 0;
    o->search = 0;
    o->published = o->full = false;
}

void order_launch_free(struct OrderLaunch *o)
{
    if (!o)
        return;
    pthread_mutex_destroy(&o->lock);
    pool_free(&o->pool);
    free(o->locations);
    free(o);
}

/* ---- the graph; callers hold the lock ---- */

static void *take(OrderLaunch *o, size_t size)
{
    void *at = o->full ? NULL : pool_zalloc(&o->pool, size);
    if (!at)
        o->full = true;
    return at;
}

static Node *join(OrderLaunch *o, Node *older, Node *newer)
{
    if (!older || older == newer)
        return newer;
    if (!newer || older->newer == newer || older->older == newer)
        return older;
    Node *n = take(o, sizeof *n);
    if (n)
        *n = (Node){.older = older, .newer = newer};
    return n;
}

static Node *fact_node(OrderLaunch *o, Node *older, const Fact *fact, uint32_t lanes)
{
    Node *n = take(o, sizeof *n);
    if (n)
        *n = (Node){.older = older, .fact = fact, .lanes = lanes};
    return n;
}

static OrderBlock *block_order(OrderLaunch *o, CheckBlock *b)
{
    if (!b->order)
        b->order = take(o, sizeof *b->order);
    return b->order;
}

static OrderWarp *warp_order(OrderLaunch *o, CheckBlock *b, uint32_t warp)
{
    OrderBlock *ob = block_order(o, b);
    if (!ob || warp >= WARPS_MAX)
        return NULL;
    if (!ob->warps[warp]) {
        OrderWarp *w = take(o, sizeof *w);
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

void order_block_end(CheckBlock *b)
{
    b->order = NULL; /* its memory is the launch's */
}

uint32_t order_tick(const CheckBlock *b, uint32_t warp)
{
    return b->order && warp < WARPS_MAX && b->order->warps[warp] ? b->order->warps[warp]->tick : 0;
}

/* What the lanes of a warp have done up to here. */
static Fact *fact_of_now(OrderLaunch *o, CheckBlock *b, uint32_t warp, bool block_scope)
{
    OrderWarp *w = warp_order(o, b, warp);
    Fact *f = w ? take(o, sizeof *f) : NULL;
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

/* The fences of some lanes as one node over `more`: one piece for each fact. */
static Node *gather_fences(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, Node *more)
{
    for (uint32_t rest = lanes & w->fenced; rest;) {
        unsigned first = (unsigned)__builtin_ctz(rest);
        const Fact *fact = w->fact[first];
        uint32_t same = 0;
        for (uint32_t r = rest; r; r &= r - 1) {
            unsigned lane = (unsigned)__builtin_ctz(r);
            if (w->fact[lane] == fact) {
                same |= 1u << lane;
                more = join(o, more, w->fact_learnt[lane]);
            }
        }
        more = fact_node(o, more, fact, same);
        rest &= ~same;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        more = join(o, more, w->fact_more[__builtin_ctz(rest)]);
    return more;
}

static Node *gather_learnt(OrderLaunch *o, const OrderWarp *w, uint32_t lanes, Node *learnt)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        learnt = join(o, learnt, w->learnt[__builtin_ctz(rest)]);
    return learnt;
}

void order_barrier(const CheckEvent *e)
{
    OrderBlock *ob = e->block->order;
    if (!ob || !ob->changed)
        return;
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    Node *learnt = ob->learnt, *more = ob->fact_more;
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
    Node *learnt = NULL, *more = NULL;
    pthread_mutex_lock(&o->lock);
    for (uint32_t i = 0; i < n_warps; i++) {
        const Fact *now = arrived[i] ? fact_of_now(o, e->block, i, false) : NULL;
        if (!now)
            continue;
        const OrderWarp *w = e->block->order->warps[i];
        learnt = gather_learnt(o, w, arrived[i], fact_node(o, learnt, now, arrived[i]));
        more = gather_fences(o, w, arrived[i], more);
        e->block->order->changed = true;
    }
    for (uint32_t i = 0; i < n_warps; i++) {
        OrderWarp *w = waited[i] ? warp_order(o, e->block, i) : NULL;
        for (uint32_t rest = w ? waited[i] : 0; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            w->learnt[lane] = join(o, w->learnt[lane], learnt);
            w->fact_more[lane] = join(o, w->fact_more[lane], more);
        }
    }
    pthread_mutex_unlock(&o->lock);
}

/* The lanes of mask now know all that any of them knew, and what they did up to here. */
static void merge_known(OrderLaunch *o, OrderWarp *w, uint32_t mask)
{
    uint32_t(*known)[WARP_LANES] = take(o, sizeof(uint32_t[WARP_LANES][WARP_LANES]));
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
            Node *learnt = gather_learnt(o, w, mask, NULL), *more = gather_fences(o, w, mask, NULL);
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
            w->fact_more[lane] = fact_node(o, w->fact_more[lane], w->fact[lane], 1u << lane);
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
        return ob->fact_more != NULL;
    return (w->fenced >> thread % WARP_LANES & 1) || w->fact_more[thread % WARP_LANES];
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
        o->full = true;
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
    OrderWarp *w = l && l->node ? warp_order(o, e->block, e->who->warp) : NULL;
    if (!w || w->learnt[lane] == l->node)
        return;
    w->learnt[lane] = join(o, w->learnt[lane], l->node);
    e->block->learnt_mark = cell_of(__atomic_load_n(&e->set->records.next, __ATOMIC_RELAXED), 0);
    e->block->order->changed = true;
}

static void publish(const CheckEvent *e, uint64_t key, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    OrderWarp *w = warp_order(o, e->block, e->who->warp);
    if (!w)
        return;
    const Fact *fact = w->fact[lane];
    Node *more = join(o, w->fact_more[lane], fact ? w->fact_learnt[lane] : NULL);
    if (!fact && !more)
        return;
    Location *l = find_location(o, key, true);
    if (!l)
        return;
    o->published = true;
    Node *top = l->node;
    if (fact && top && top->fact == fact && (top->lanes >> lane & 1) && !more)
        return; /* it lies there already */
    Node *both = join(o, top, more);
    l->node = fact ? fact_node(o, both, fact, 1u << lane) : both;
}

/* A strong store without a fence: the loads of the lane, and those it has learnt of, are done. */
static void publish_reads(const CheckEvent *e, uint64_t key, unsigned lane, const Fact *fact)
{
    OrderLaunch *o = e->set->order;
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Location *l = w && fact ? find_location(o, key, true) : NULL;
    Node *n = l ? fact_node(o, w->learnt[lane], fact, 1u << lane) : NULL;
    if (!n)
        return;
    n->reads_only = true;
    o->published = true;
    l->node = join(o, l->node, n);
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

struct Node *order_spawn(const CheckEvent *e, unsigned lane)
{
    OrderLaunch *o = e->set->order;
    pthread_mutex_lock(&o->lock);
    fence_locked(e, 1u << lane, SCOPE_GPU);
    const OrderWarp *w = warp_order(o, e->block, e->who->warp);
    Node *before = NULL;
    if (w && w->fact[lane])
        before = fact_node(o, join(o, w->learnt[lane], w->fact_more[lane]), w->fact[lane], 1u << lane);
    pthread_mutex_unlock(&o->lock);
    return before;
}

struct Node *order_after(CheckSet *set, struct Node *before, const ExecAfter *after, size_t n)
{
    OrderLaunch *o = set->order;
    pthread_mutex_lock(&o->lock);
    for (size_t i = 0; i < n; i++) {
        Fact *f = take(o, sizeof *f);
        if (!f)
            break;
        *f = (Fact){.block = after[i].first, .last = after[i].last, .ended = true};
        before = fact_node(o, before, f, 0);
    }
    pthread_mutex_unlock(&o->lock);
    return before;
}

void order_block_begin(CheckSet *set, CheckBlock *b, struct Node *before)
{
    OrderLaunch *o = set->order;
    pthread_mutex_lock(&o->lock);
    OrderBlock *ob = before ? block_order(o, b) : NULL;
    if (ob) {
        ob->learnt = ob->fact_more = before;
        b->learnt_mark = cell_of(__atomic_load_n(&set->records.next, __ATOMIC_RELAXED), 0);
    }
    pthread_mutex_unlock(&o->lock);
}

/* ---- questions ---- */

/* Highest tick below which the lanes of a fact know what lane u of their warp did. */
static uint32_t fact_known(const Fact *f, uint32_t lanes, unsigned u)
{
    if (lanes >> u & 1)
        return f->tick;
    if (!f->known)
        return f->base;
    uint32_t most = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t k = f->known[__builtin_ctz(rest)][u];
        most = k > most ? k : most;
    }
    return most;
}

static bool covers(const Node *n, const OrderPoint *p, uint32_t asking_block)
{
    const Fact *f = n->fact;
    if (f && f->ended)
        return p->block >= f->block && p->block <= f->last;
    if (!f || f->block != p->block || (f->block_scope && asking_block != f->block))
        return false;
    if (p->interval != f->interval)
        return p->interval < f->interval;
    return f->warp == p->thread / WARP_LANES && p->tick < fact_known(f, n->lanes, p->thread % WARP_LANES);
}

/* A walk over the nodes under one, depth first, the newest knowledge first. */
typedef struct Walk {
    Node *stack[STACK_MAX];
    size_t n, seen;
    uint32_t number;
    bool too_long; /* what was not visited counts as found */
} Walk;

static void walk_begin(OrderLaunch *o, Walk *walk, Node *from)
{
    walk->n = walk->seen = 0;
    walk->number = ++o->search;
    walk->too_long = false;
    walk->stack[walk->n++] = from;
}

/* The next node that speaks of accesses like p; NULL: no more. */
static Node *walk_next(OrderLaunch *o, Walk *walk, const OrderPoint *p)
{
    while (walk->n) {
        Node *at = walk->stack[--walk->n];
        if (at->visited == walk->number || (at->reads_only && !p->reads))
            continue;
        at->visited = walk->number;
        if (++walk->seen > SEARCH_MAX || ++o->searched > LAUNCH_SEARCH_MAX || walk->n + 2 > STACK_MAX) {
            o->full = o->searched > LAUNCH_SEARCH_MAX || o->full;
            walk->too_long = true;
            return NULL;
        }
        if (at->older)
            walk->stack[walk->n++] = at->older;
        if (at->newer)
            walk->stack[walk->n++] = at->newer;
        return at;
    }
    return NULL;
}

static bool search(OrderLaunch *o, Node *from, const OrderPoint *p, uint32_t asking_block)
{
    Walk walk;
    walk_begin(o, &walk, from);
    for (const Node *at; (at = walk_next(o, &walk, p));)
        if (covers(at, p, asking_block))
            return true;
    return walk.too_long;
}

/* One more than the latest interval of p's block that a fact under the node was made in; 0: there is none. */
static uint32_t latest_interval(OrderLaunch *o, Node *from, const OrderPoint *p, bool own)
{
    uint32_t latest = 0;
    Walk walk;
    walk_begin(o, &walk, from);
    for (const Node *at; (at = walk_next(o, &walk, p));) {
        const Fact *f = at->fact;
        if (f && f->ended && covers(at, p, p->block))
            return UINT32_MAX;
        if (f && !f->ended && f->block == p->block && (own || !f->block_scope) && f->interval >= latest)
            latest = f->interval + 1;
    }
    return walk.too_long ? UINT32_MAX : latest;
}

static uint32_t known_interval(OrderLaunch *o, Node *from, const OrderPoint *p, bool own)
{
    uint64_t hash = ((uint64_t)(uintptr_t)from >> 4) * 0x9E3779B97F4A7C15u ^ p->block * 0xBF58476D1CE4E5B9u;
    Seen *s = &o->seen[(hash >> 32) % SEEN_MAX];
    if (s->node != from || s->block != p->block || s->reads != p->reads || s->own != own)
        *s = (Seen){from, p->block, latest_interval(o, from, p, own), p->reads, own};
    return s->interval;
}

bool order_is_after(const CheckEvent *e, uint32_t thread, const OrderPoint *p)
{
    OrderLaunch *o = e->set->order;
    const OrderBlock *ob = e->block->order;
    if (o->full) {
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
    Node *learnt = w ? w->learnt[lane] : ob->learnt;
    if (!learnt)
        return false;
    pthread_mutex_lock(&o->lock);
    uint32_t latest = known_interval(o, learnt, p, e->block->linear == p->block);
    bool found =
        p->interval + 1 < latest || (p->interval + 1 == latest && search(o, learnt, p, e->block->linear));
    pthread_mutex_unlock(&o->lock);
    return found;
}
