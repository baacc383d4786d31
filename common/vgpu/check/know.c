/* Know: see know.h. The tree's one operation is the merge of two; adding is merging with a leaf. What is
 * merged stays; where one of two says all that both do, it is the result, so that trees that came from one
 * another meet again in pointers that are the same, and are done with at once.
 */
#include "common/vgpu/check/know.h"

#include <stddef.h>
#include <string.h>

enum {
    WARP_BITS = 5,
    KEY_BITS = 32 + WARP_BITS,
    ALL_INTERVALS = UINT32_MAX,
};

/* A fact covers all intervals of its block before its own, and of its own what the warp's lanes did at ticks
 * below these. */
struct KnowTree {
    uint64_t prefix;   /* keys below are equal to it but for their last `span` bits */
    uint32_t interval; /* of a leaf; the latest of all leaves below */
    uint8_t span;      /* 0: a warp's leaf */
    bool ended;        /* a leaf for all keys below: interval is ALL_INTERVALS */
    union {
        const KnowTree *half[2];
        uint32_t tick[WARP_LANES];
    };
};

void know_reset(KnowMaker *m)
{
    if (m->pool.current)
        memset(m->memo, 0, sizeof m->memo);
    pool_reset(&m->pool);
    m->spare = NULL;
    m->full = false;
}

/* ---- making ---- */

static KnowTree *know_take(KnowMaker *m, size_t size)
{
    KnowTree *t = m->full ? NULL : pool_alloc(&m->pool, size);
    if (!t)
        m->full = true;
    return t;
}

static KnowTree *take_leaf(KnowMaker *m)
{
    KnowTree *t = m->spare;
    m->spare = NULL;
    return t ? t : know_take(m, sizeof *t);
}

static const KnowTree *fork(KnowMaker *m, uint64_t prefix, unsigned span, const KnowTree *zero,
                            const KnowTree *one)
{
    KnowTree *t = know_take(m, offsetof(KnowTree, half) + sizeof t->half);
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
static const KnowTree *with_half(KnowMaker *m, const KnowTree *t, unsigned side, const KnowTree *half)
{
    if (t->half[side] == half)
        return t;
    return fork(m, t->prefix, t->span, side ? t->half[0] : half, side ? half : t->half[1]);
}

/* ---- merging ---- */

/* Two of one warp. */
static const KnowTree *merge_leaves(KnowMaker *m, const KnowTree *a, const KnowTree *b)
{
    if (a->interval != b->interval)
        return a->interval > b->interval ? a : b;
    uint32_t tick[WARP_LANES], above_a = 0, above_b = 0;
    for (int u = 0; u < WARP_LANES; u++) {
        tick[u] = a->tick[u] > b->tick[u] ? a->tick[u] : b->tick[u];
        above_a |= tick[u] ^ a->tick[u];
        above_b |= tick[u] ^ b->tick[u];
    }
    if (!above_a || !above_b)
        return above_a ? b : a;
    KnowTree *t = take_leaf(m);
    if (!t)
        return a;
    *t = *a;
    memcpy(t->tick, tick, sizeof tick);
    return t;
}

static const KnowTree *merge_trees(KnowMaker *m, const KnowTree *a, const KnowTree *b);

/* Two that fork at the same bit. */
static const KnowTree *merge_halves(KnowMaker *m, const KnowTree *a, const KnowTree *b)
{
    const KnowTree *zero = merge_trees(m, a->half[0], b->half[0]);
    const KnowTree *one = merge_trees(m, a->half[1], b->half[1]);
    if (zero == a->half[0] && one == a->half[1])
        return a;
    if (zero == b->half[0] && one == b->half[1])
        return b;
    return fork(m, a->prefix, a->span, zero, one);
}

static const KnowTree *merge_trees(KnowMaker *m, const KnowTree *a, const KnowTree *b)
{
    if (a == b)
        return a;
    const KnowTree *wide = a->span >= b->span ? a : b, *other = wide == a ? b : a;
    uint64_t apart = a->prefix ^ b->prefix;
    if (apart >> wide->span) {
        unsigned bit = 63 - (unsigned)__builtin_clzll(apart);
        bool a_first = !(a->prefix >> bit & 1);
        return fork(m, a->prefix, bit + 1, a_first ? a : b, a_first ? b : a);
    }
    if (wide->ended || (other->ended && other->span == wide->span))
        return wide->ended ? wide : other;
    if (wide->span == other->span)
        return wide->span ? merge_halves(m, a, b) : merge_leaves(m, a, b);
    unsigned side = other->prefix >> (wide->span - 1) & 1;
    return with_half(m, wide, side, merge_trees(m, wide->half[side], other));
}

/* What many threads learn is often the same: the last answers are kept. */
static const KnowTree *merge(KnowMaker *m, const KnowTree *a, const KnowTree *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    uint64_t hash = ((uint64_t)(uintptr_t)a >> 4) * 0x9E3779B97F4A7C15u ^
                    ((uint64_t)(uintptr_t)b >> 4) * 0xBF58476D1CE4E5B9u;
    KnowMemo *memo = &m->memo[(hash >> 32) % KNOW_MEMO];
    if (memo->a != a || memo->b != b)
        *memo = (KnowMemo){a, b, merge_trees(m, a, b)};
    return memo->both;
}

Know know_merge(KnowMaker *m, Know a, Know b)
{
    const KnowTree *reads = merge(m, a.reads, b.reads);
    bool alike = a.reads == a.writes && b.reads == b.writes;
    return (Know){reads, alike ? reads : merge(m, a.writes, b.writes)};
}

/* ---- questions ---- */

/* The part of the tree where all keys are equal to `key` but for their last `span` bits: it may be a part of
 * a leaf of ended blocks. NULL: there is none. */
static const KnowTree *find(const KnowTree *t, uint64_t key, unsigned span)
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

bool know_covers(Know k, const OrderPoint *p)
{
    uint64_t key = key_of(p->block, p->thread / WARP_LANES);
    const KnowTree *of_block = find(p->reads ? k.reads : k.writes, key, WARP_BITS);
    if (!of_block || of_block->interval != p->interval)
        return of_block && of_block->interval > p->interval;
    const KnowTree *leaf = find(of_block, key, 0);
    return leaf && leaf->interval == p->interval && p->tick < leaf->tick[p->thread % WARP_LANES];
}

/* ---- adding ---- */

/* Ticks below which lanes of a fact know what lane u of their warp did. */
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

/* The leaf takes in what is known already, so that it takes its place. */
static const KnowTree *add(KnowMaker *m, const KnowTree *t, const Fact *f, uint32_t lanes)
{
    KnowTree *leaf = take_leaf(m);
    if (!leaf)
        return t;
    *leaf = (KnowTree){.prefix = key_of(f->block, f->warp), .interval = f->interval};
    const KnowTree *old = find(t, leaf->prefix, 0);
    bool merges = old && !old->ended && old->interval == f->interval;
    for (unsigned u = 0; u < WARP_LANES; u++) {
        uint32_t now = fact_known(f, lanes, u), before = merges ? old->tick[u] : 0;
        leaf->tick[u] = now > before ? now : before;
    }
    const KnowTree *both = t ? merge_trees(m, t, leaf) : leaf;
    if (both == t)
        m->spare = leaf;
    return both;
}

Know know_add(KnowMaker *m, Know k, const Fact *f, uint32_t lanes)
{
    const KnowTree *reads = add(m, k.reads, f, lanes);
    return (Know){reads, k.reads == k.writes ? reads : add(m, k.writes, f, lanes)};
}

Know know_add_reads(KnowMaker *m, Know k, const Fact *f, uint32_t lanes)
{
    return (Know){add(m, k.reads, f, lanes), k.writes};
}

static const KnowTree *add_ended(KnowMaker *m, const KnowTree *t, uint64_t prefix, unsigned span)
{
    KnowTree *leaf = know_take(m, offsetof(KnowTree, half));
    if (!leaf)
        return t;
    leaf->prefix = prefix;
    leaf->span = (uint8_t)span;
    leaf->ended = true;
    leaf->interval = ALL_INTERVALS;
    return t ? merge_trees(m, t, leaf) : leaf;
}

/* The range of keys in pieces of 2^span, each at a multiple of its length. */
Know know_add_ended(KnowMaker *m, Know k, uint32_t first, uint32_t last)
{
    uint64_t at = (uint64_t)first << WARP_BITS, end = ((uint64_t)last + 1) << WARP_BITS;
    while (at < end) {
        unsigned span = at ? (unsigned)__builtin_ctzll(at) : KEY_BITS;
        while (at + ((uint64_t)1 << span) > end)
            span--;
        bool alike = k.reads == k.writes;
        k.reads = add_ended(m, k.reads, at, span);
        k.writes = alike ? k.reads : add_ended(m, k.writes, at, span);
        at += (uint64_t)1 << span;
    }
    return k;
}
