/* Vector clocks: see vector_clock.h. The tree's one operation is the join of two; adding is joining with a leaf.
 * What is joined stays as it is; where one of two covers all that both do, it is the result, so that trees that
 * came from one another meet again in pointers that are the same, and are done with at once.
 */
#include "common/vgpu/check/vector_clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARP_BITS = 5,
    KEY_BITS = 32 + WARP_BITS,
    ALL_INTERVALS = UINT32_MAX,
};

/* A leaf covers all intervals of its block before its own, and of its own what the warp's lanes did at epochs
 * below these. */
struct ClockTree {
    uint64_t prefix;   /* keys below are equal to it but for their last `span` bits */
    uint32_t interval; /* of a leaf; the latest of all leaves below */
    uint8_t span;      /* 0: a warp's leaf */
    bool ended;        /* a leaf for all keys below: interval is ALL_INTERVALS */
    union {
        const ClockTree *half[2];
        uint32_t epoch[WARP_LANES];
    };
};

void clock_maker_reset(ClockMaker *m)
{
    if (m->pool.current)
        memset(m->memo, 0, sizeof m->memo);
    pool_reset(&m->pool);
    m->made = 0;
    m->spare = NULL;
    m->full = false;
}

void *clock_maker_take(ClockMaker *m, size_t size)
{
    void *at = m->full ? NULL : pool_alloc(&m->pool, size);
    m->made += at ? size : 0;
    m->full |= !at;
    return at;
}

/* ---- making ---- */

static ClockTree *tree_take_leaf(ClockMaker *m)
{
    ClockTree *t = m->spare;
    m->spare = NULL;
    return t ? t : clock_maker_take(m, sizeof *t);
}

static const ClockTree *tree_fork(ClockMaker *m, uint64_t prefix, unsigned span, const ClockTree *zero,
                                  const ClockTree *one)
{
    ClockTree *t = clock_maker_take(m, offsetof(ClockTree, half) + sizeof t->half);
    if (!t)
        return zero;
    t->prefix = prefix >> span << span;
    t->span = (uint8_t)span;
    t->ended = false;
    t->interval = zero->interval > one->interval ? zero->interval : one->interval;
    t->half[0] = zero;
    t->half[1] = one;
    return t;
}

/* The tree with a half replaced, or as it is when that is the half it has. */
static const ClockTree *tree_with_half(ClockMaker *m, const ClockTree *t, unsigned side,
                                       const ClockTree *half)
{
    if (t->half[side] == half)
        return t;
    return tree_fork(m, t->prefix, t->span, side ? t->half[0] : half, side ? half : t->half[1]);
}

/* ---- joining ---- */

/* Two of one warp. */
static const ClockTree *join_leaves(ClockMaker *m, const ClockTree *a, const ClockTree *b)
{
    if (a->interval != b->interval)
        return a->interval > b->interval ? a : b;
    uint32_t epoch[WARP_LANES], above_a = 0, above_b = 0;
    for (int u = 0; u < WARP_LANES; u++) {
        epoch[u] = a->epoch[u] > b->epoch[u] ? a->epoch[u] : b->epoch[u];
        above_a |= epoch[u] ^ a->epoch[u];
        above_b |= epoch[u] ^ b->epoch[u];
    }
    if (!above_a || !above_b)
        return above_a ? b : a;
    ClockTree *t = tree_take_leaf(m);
    if (!t)
        return a;
    *t = *a;
    memcpy(t->epoch, epoch, sizeof epoch);
    return t;
}

static const ClockTree *join_trees(ClockMaker *m, const ClockTree *a, const ClockTree *b);

/* Two that fork at the same bit. */
static const ClockTree *join_halves(ClockMaker *m, const ClockTree *a, const ClockTree *b)
{
    const ClockTree *zero = join_trees(m, a->half[0], b->half[0]);
    const ClockTree *one = join_trees(m, a->half[1], b->half[1]);
    if (zero == a->half[0] && one == a->half[1])
        return a;
    if (zero == b->half[0] && one == b->half[1])
        return b;
    return tree_fork(m, a->prefix, a->span, zero, one);
}

static const ClockTree *join_trees(ClockMaker *m, const ClockTree *a, const ClockTree *b)
{
    if (a == b)
        return a;
    const ClockTree *wide = a->span >= b->span ? a : b, *other = wide == a ? b : a;
    uint64_t apart = a->prefix ^ b->prefix;
    if (apart >> wide->span) {
        unsigned bit = 63 - (unsigned)__builtin_clzll(apart);
        bool a_first = !(a->prefix >> bit & 1);
        return tree_fork(m, a->prefix, bit + 1, a_first ? a : b, a_first ? b : a);
    }
    if (wide->ended || (other->ended && other->span == wide->span))
        return wide->ended ? wide : other;
    if (wide->span == other->span)
        return wide->span ? join_halves(m, a, b) : join_leaves(m, a, b);
    unsigned side = other->prefix >> (wide->span - 1) & 1;
    return tree_with_half(m, wide, side, join_trees(m, wide->half[side], other));
}

/* What many threads learn is often the same: the last answers are kept. */
static const ClockTree *join_kept(ClockMaker *m, const ClockTree *a, const ClockTree *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    uint64_t hash = ((uint64_t)(uintptr_t)a >> 4) * 0x9E3779B97F4A7C15u ^
                    ((uint64_t)(uintptr_t)b >> 4) * 0xBF58476D1CE4E5B9u;
    ClockMemo *memo = &m->memo[(hash >> 32) % CLOCK_MEMO];
    if (memo->a != a || memo->b != b)
        *memo = (ClockMemo){a, b, join_trees(m, a, b)};
    return memo->both;
}

VectorClock clock_join(ClockMaker *m, VectorClock a, VectorClock b)
{
    const ClockTree *reads = join_kept(m, a.reads, b.reads);
    bool alike = a.reads == a.writes && b.reads == b.writes;
    return (VectorClock){reads, alike ? reads : join_kept(m, a.writes, b.writes)};
}

/* ---- questions ---- */

/* The part of the tree where all keys are equal to `key` but for their last `span` bits: it may be a part of
 * a leaf of ended blocks. NULL: there is none. */
static const ClockTree *tree_find(const ClockTree *t, uint64_t key, unsigned span)
{
    while (t && t->span > span && !t->ended && (t->prefix ^ key) >> t->span == 0)
        t = t->half[key >> (t->span - 1) & 1];
    unsigned open = t && t->span > span ? t->span : span;
    return t && (t->prefix ^ key) >> open == 0 ? t : NULL;
}

static uint64_t key_of(uint32_t block, uint32_t warp)
{
    return (uint64_t)block << WARP_BITS | warp;
}

bool clock_covers(VectorClock k, const OrderPoint *p)
{
    uint64_t key = key_of(p->block, p->thread / WARP_LANES);
    const ClockTree *of_block = tree_find(p->reads ? k.reads : k.writes, key, WARP_BITS);
    if (!of_block || of_block->interval != p->interval)
        return of_block && of_block->interval > p->interval;
    const ClockTree *leaf = tree_find(of_block, key, 0);
    return leaf && leaf->interval == p->interval && p->epoch < leaf->epoch[p->thread % WARP_LANES];
}

/* ---- adding ---- */

/* The epoch of lane u in the joined clocks of these lanes of its warp. */
static uint32_t warp_clock_of(const WarpClock *f, uint32_t lanes, unsigned u)
{
    if (lanes >> u & 1)
        return f->epoch;
    if (!f->clocks)
        return f->base;
    uint32_t most = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t k = f->clocks[__builtin_ctz(rest)][u];
        most = k > most ? k : most;
    }
    return most;
}

/* The leaf takes in the warp's old one, so that it takes its place. */
static const ClockTree *tree_add_warp(ClockMaker *m, const ClockTree *t, const WarpClock *f, uint32_t lanes)
{
    ClockTree *leaf = tree_take_leaf(m);
    if (!leaf)
        return t;
    *leaf = (ClockTree){.prefix = key_of(f->block, f->warp), .interval = f->interval};
    const ClockTree *old = tree_find(t, leaf->prefix, 0);
    bool merges = old && !old->ended && old->interval == f->interval;
    for (unsigned u = 0; u < WARP_LANES; u++) {
        uint32_t now = warp_clock_of(f, lanes, u), before = merges ? old->epoch[u] : 0;
        leaf->epoch[u] = now > before ? now : before;
    }
    const ClockTree *both = t ? join_trees(m, t, leaf) : leaf;
    if (both == t)
        m->spare = leaf;
    return both;
}

VectorClock clock_add_warp(ClockMaker *m, VectorClock k, const WarpClock *f, uint32_t lanes)
{
    const ClockTree *reads = tree_add_warp(m, k.reads, f, lanes);
    return (VectorClock){reads, k.reads == k.writes ? reads : tree_add_warp(m, k.writes, f, lanes)};
}

VectorClock clock_add_warp_reads(ClockMaker *m, VectorClock k, const WarpClock *f, uint32_t lanes)
{
    return (VectorClock){tree_add_warp(m, k.reads, f, lanes), k.writes};
}

static const ClockTree *tree_add_ended(ClockMaker *m, const ClockTree *t, uint64_t prefix, unsigned span)
{
    ClockTree *leaf = clock_maker_take(m, offsetof(ClockTree, half));
    if (!leaf)
        return t;
    leaf->prefix = prefix;
    leaf->span = (uint8_t)span;
    leaf->ended = true;
    leaf->interval = ALL_INTERVALS;
    return t ? join_trees(m, t, leaf) : leaf;
}

/* The range of keys in pieces of 2^span, each at a multiple of its length. */
VectorClock clock_add_ended(ClockMaker *m, VectorClock k, uint32_t first, uint32_t last)
{
    uint64_t at = (uint64_t)first << WARP_BITS, end = ((uint64_t)last + 1) << WARP_BITS;
    while (at < end) {
        unsigned span = at ? (unsigned)__builtin_ctzll(at) : KEY_BITS;
        while (at + ((uint64_t)1 << span) > end)
            span--;
        bool alike = k.reads == k.writes;
        k.reads = tree_add_ended(m, k.reads, at, span);
        k.writes = alike ? k.reads : tree_add_ended(m, k.writes, at, span);
        at += (uint64_t)1 << span;
    }
    return k;
}

/* ---- moving ---- */

enum { MOVED_MIN = 1024 };

static size_t moved_slot(const ClockMove *v, const void *old)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)old >> 4) * 0x9E3779B97F4A7C15u >> 20) & (v->cap - 1);
    while (v->map[at].old && v->map[at].old != old)
        at = (at + 1) & (v->cap - 1);
    return at;
}

static bool grow_moved(ClockMove *v)
{
    ClockMove bigger = {.cap = v->cap ? v->cap * 2 : MOVED_MIN};
    bigger.map = calloc(bigger.cap, sizeof *bigger.map);
    if (!bigger.map)
        return false;
    for (size_t i = 0; i < v->cap; i++)
        if (v->map[i].old)
            bigger.map[moved_slot(&bigger, v->map[i].old)] = v->map[i];
    free(v->map);
    v->map = bigger.map;
    v->cap = bigger.cap;
    return true;
}

void clock_move_begin(ClockMove *v, ClockMaker *m)
{
    *v = (ClockMove){.m = m, .from = m->pool};
    m->pool = (Pool){.limit = v->from.limit};
    m->made = 0;
    m->spare = NULL;
    memset(m->memo, 0, sizeof m->memo);
}

void *clock_moved_bytes(ClockMove *v, const void *old, size_t size, bool *fresh)
{
    *fresh = false;
    v->failed = v->failed || ((v->n + 1) * 2 > v->cap && !grow_moved(v));
    if (v->failed || !old)
        return (void *)(uintptr_t)old;
    struct ClockMoved *at = &v->map[moved_slot(v, old)];
    if (at->old)
        return at->now;
    void *now = clock_maker_take(v->m, size);
    v->failed = !now;
    if (!now)
        return (void *)(uintptr_t)old;
    memcpy(now, old, size);
    *at = (struct ClockMoved){old, now};
    v->n++;
    *fresh = true;
    return now;
}

static size_t tree_bytes(const ClockTree *t)
{
    if (t->ended)
        return offsetof(ClockTree, half);
    return t->span ? offsetof(ClockTree, half) + sizeof t->half : sizeof *t;
}

static const ClockTree *tree_moved(ClockMove *v, const ClockTree *t)
{
    bool fresh;
    ClockTree *now = t ? clock_moved_bytes(v, t, tree_bytes(t), &fresh) : NULL;
    for (int i = 0; now && fresh && t->span && !t->ended && i < 2; i++)
        now->half[i] = tree_moved(v, now->half[i]);
    return now;
}

VectorClock clock_moved(ClockMove *v, VectorClock k)
{
    return (VectorClock){tree_moved(v, k.reads), tree_moved(v, k.writes)};
}

void clock_move_end(ClockMove *v)
{
    if (v->failed) { /* some are here, some there: both stay, and go with the maker's pool */
        v->m->full = true;
        pool_join(&v->m->pool, &v->from);
    } else {
        pool_free(&v->from);
    }
    free(v->map);
}
