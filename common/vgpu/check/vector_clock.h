/* Vector clocks: what happened before a thread, beyond barriers of its own block.
 *
 * A clock maps each thread to an epoch: what that thread did before it happened before the owner of the clock.
 * Clocks are joined, put on locations and taken from there; they only grow. A fence takes a warp's clock: the
 * epochs of its lanes, and what they know of each other. A question is about one access: does the clock cover
 * it?
 *
 * A clock is a map of warps that never changes: what is added makes a new map, which shares with the old one
 * all that is the same.
 *
 *      key     block ...... | warp 5 bits
 *
 *      map     (block 0-7) -+- (block 0-3) -+- (block 1, warp 0)  interval 2, epochs of its 32 lanes
 *                           |               +- (block 3, warp 1)
 *                           +- (block 6, warp 0)
 *
 * It is a binary tree over the bits of the keys, without the levels at which it does not fork (a Patricia
 * tree), so that adding a warp and asking for one take as many steps as the number of warps in it has bits,
 * however long the chain of publications was. A part of the tree whose blocks have all ended is one leaf.
 *
 * A clock has two such maps: one for questions about reads, one for questions about writes. Publication
 * without a fence goes into the former alone (order.c).
 */
#ifndef COMMON_VGPU_CHECK_VECTOR_CLOCK_H
#define COMMON_VGPU_CHECK_VECTOR_CLOCK_H

#include "common/vgpu/check/pool.h"
#include "common/vgpu/exec/exec.h"

typedef struct ClockTree ClockTree;

typedef struct VectorClock {
    const ClockTree *reads, *writes; /* what covers reads; what of it covers writes, too */
} VectorClock;

/* The clocks of a warp's lanes at a fence, over the lanes of that warp. */
typedef struct WarpClock {
    uint32_t block, interval, warp;
    uint32_t epoch;                 /* each has done what it did at epochs below */
    uint32_t base;                  /* and what the other lanes did at epochs below happened before */
    uint32_t (*clocks)[WARP_LANES]; /* [t][u]: the epoch of u in the clock of t; NULL: base for all */
} WarpClock;

typedef struct OrderPoint { /* one thread's access: when and where */
    uint32_t block, thread, interval, epoch;
    bool reads; /* it does not write */
} OrderPoint;

enum { CLOCK_MEMO = 1024 };

typedef struct ClockMemo {
    const ClockTree *a, *b, *both;
} ClockMemo;

/* Where clocks are made; all that was made in it is over when it is reset. */
typedef struct ClockMaker {
    Pool pool;
    size_t made;      /* bytes since the last reset or move */
    ClockTree *spare; /* a leaf that was not used */
    ClockMemo memo[CLOCK_MEMO];
    bool full; /* out of room: what was made since may lack warps */
} ClockMaker;

void clock_maker_reset(ClockMaker *m);
/* `size` bytes, not zeroed, for what lives as long as the clocks do; NULL: full. */
void *clock_maker_take(ClockMaker *m, size_t size);

/* A move keeps the clocks that are still in use and drops the others. Between begin and end each pointer into the maker's memory is
 * replaced by what clock_moved or clock_moved_bytes gives for it: one copy, however often it is asked for. Nobody else reads clocks
 * meanwhile. Without memory the maker is full, and all stays where it is. */
typedef struct ClockMove {
    ClockMaker *m;
    Pool from;
    struct ClockMoved {
        const void *old;
        void *now;
    } * map;
    size_t n, cap;
    bool failed;
} ClockMove;

void clock_move_begin(ClockMove *v, ClockMaker *m);
VectorClock clock_moved(ClockMove *v, VectorClock k);
/* A copy of `size` bytes of clock_maker_take's; *fresh: made just now, so that what it points to is to be moved, too. NULL gives NULL. */
void *clock_moved_bytes(ClockMove *v, const void *old, size_t size, bool *fresh);
void clock_move_end(ClockMove *v);

static inline bool clock_is_zero(VectorClock k)
{
    return !k.reads;
}

static inline bool clock_is_same(VectorClock a, VectorClock b)
{
    return a.reads == b.reads && a.writes == b.writes;
}

VectorClock clock_join(ClockMaker *m, VectorClock a, VectorClock b);
/* Joined with the clocks of these lanes of the warp. */
VectorClock clock_add_warp(ClockMaker *m, VectorClock k, const WarpClock *f, uint32_t lanes);
/* The same for their reads alone. */
VectorClock clock_add_warp_reads(ClockMaker *m, VectorClock k, const WarpClock *f, uint32_t lanes);
/* Covers all that the blocks from first to last did: they have ended. */
VectorClock clock_add_ended(ClockMaker *m, VectorClock k, uint32_t first, uint32_t last);

/* True when p happens before a thread with this clock. */
bool clock_covers(VectorClock k, const OrderPoint *p);

#endif
