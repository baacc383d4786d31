/* Know: what a thread knows that others have done, beyond barriers of its own block.
 *
 * A fence takes a fact: what the lanes of a warp had done, and knew of each other, at a moment. Knowledge is
 * a set of facts that only grows; it is put on locations, learnt from them, merged and passed on. Questions
 * are about one access: is it covered by what is known?
 *
 * Facts are kept by what they say, the strongest for each warp, in a map that never changes: what is added
 * makes a new map, which shares with the old one all that is the same.
 *
 *      key     block ...... | warp 5 bits
 *
 *      map     (block 0-7) -+- (block 0-3) -+- (block 1, warp 0)  interval 2, ticks of its 32 lanes
 *                           |               +- (block 3, warp 1)
 *                           +- (block 6, warp 0)
 *
 * It is a binary tree over the bits of the keys, without the levels at which it does not fork (a Patricia
 * tree), so that adding a fact and asking for one take as many steps as the number of warps known has bits,
 * however long the chain of publications was. A part of the tree whose blocks have all ended is one leaf.
 *
 * Knowledge has two such maps: one for questions about reads, one for questions about writes. Publication
 * without a fence goes into the former alone (order.c).
 */
#ifndef COMMON_VGPU_CHECK_KNOW_H
#define COMMON_VGPU_CHECK_KNOW_H

#include "common/vgpu/check/pool.h"
#include "common/vgpu/exec/exec.h"

typedef struct KnowTree KnowTree;

typedef struct Know {
    const KnowTree *reads, *writes; /* facts that speak of reads; those of them that speak of writes, too */
} Know;

/* What lanes of a warp had done at a fence, and knew of its other lanes. */
typedef struct Fact {
    uint32_t block, interval, warp;
    uint32_t tick; /* what the lanes did at ticks below */
    uint32_t base; /* they know what the other lanes did at ticks below */
    uint32_t (*known)[WARP_LANES]; /* [t][u]: and t knows of u; NULL: base for all */
} Fact;

typedef struct OrderPoint { /* one thread's access: when and where */
    uint32_t block, thread, interval, tick;
    bool reads; /* it does not write */
} OrderPoint;

enum { KNOW_MEMO = 1024 };

typedef struct KnowMemo {
    const KnowTree *a, *b, *both;
} KnowMemo;

/* Where knowledge is made; all that was made in it is over when the pool is reset. */
typedef struct KnowMaker {
    Pool pool;
    KnowTree *spare; /* a leaf that was not used */
    KnowMemo memo[KNOW_MEMO];
    bool full; /* out of room: what was made since may lack facts */
} KnowMaker;

void know_reset(KnowMaker *m);

static inline bool know_is_nothing(Know k)
{
    return !k.reads;
}

static inline bool know_is_same(Know a, Know b)
{
    return a.reads == b.reads && a.writes == b.writes;
}

Know know_merge(KnowMaker *m, Know a, Know b);
/* And what these lanes of the fact's warp did and knew. */
Know know_add(KnowMaker *m, Know k, const Fact *f, uint32_t lanes);
/* The same of their reads alone. */
Know know_add_reads(KnowMaker *m, Know k, const Fact *f, uint32_t lanes);
/* And that all blocks from first to last have ended. */
Know know_add_ended(KnowMaker *m, Know k, uint32_t first, uint32_t last);

/* True when a thread that knows k comes after p. */
bool know_covers(Know k, const OrderPoint *p);

#endif
