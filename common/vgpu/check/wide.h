/* Wide: accesses of a whole block at once, kept as they are.
 *
 * Most accesses of most kernels are an affine function of the thread's index, and no two of them meet. One
 * entry in a log stands for such an access of a block, instead of cells for each of its words, as long as a
 * cheap look can prove that it races with nothing:
 *
 *      shared memory   a log for each block, empty after each block-wide barrier. Loads are no danger to each
 *                      other; a load and a store, or two stores, are none when their ranges do not meet, or
 *                      when each thread has the same bytes in both.
 *      global memory   a log for each allocation in a launch: wide_global.c.
 *
 * When the look fails the log is told to the race checker, warp by warp, as if that had been done at once
 * (wide_replay), and so is the new access. What the general way has in its lines by then does not race with
 * what the log holds, so that the order of telling makes no difference to what is found.
 *
 * An access of a row of blocks (exec/plan.h) is one entry too. That no two threads have a word in common is
 * looked at for all of them together.
 *
 * Accesses of blocks that have an order of their own (warp syncs, fences) are not kept here.
 */
#ifndef COMMON_VGPU_CHECK_WIDE_H
#define COMMON_VGPU_CHECK_WIDE_H

#include "common/vgpu/exec/exec.h"

enum {
    WIDE_DIMS = 3,
    WIDE_SHAPE_DIMS = WIDE_DIMS + 1, /* and from block to block */
    WIDE_SHARED_MAX = 64,            /* entries between two barriers */
    WIDE_RECENT = 64,                /* by instruction */
    WIDE_LAST = 4,
};

/* One of a list, in the order in which they came. */
typedef struct WideItem {
    struct WideItem *next;
    bool scattered; /* WideScatter, not WideEntry */
} WideItem;

typedef struct WideEntry {
    WideItem item;
    const IrFunction *function;
    const IrInst *inst;
    struct Shadow *shadow; /* global */
    MemAlloc *alloc;       /* global */
    uint64_t base, low, end;
    int64_t step[WIDE_DIMS];
    int64_t again;  /* the same `count` times, each so many bytes on */
    uint32_t count; /* at least 1 */
    uint32_t block, interval, n_threads, bytes;
    uint32_t n_blocks; /* from `block` on, each block_step bytes further */
    int64_t block_step;
    uint16_t dims[WIDE_DIMS]; /* of the block */
    uint8_t kind, space, sem;
} WideEntry;

/* An access of one warp to places all over an allocation of global memory. */
typedef struct WideScatter {
    WideItem item;
    const IrFunction *function;
    const IrInst *inst;
    uint32_t block, interval, mask;
    uint16_t first_thread;
    uint8_t kind, sem, bytes;
    uint32_t word[WARP_LANES]; /* of active lanes: from the beginning of the allocation */
} WideScatter;

/* Shared memory of a block. */
typedef struct WideBlock {
    uint64_t known_from, known_to; /* this range is initialised, for the block's life */
    uint32_t n;                    /* entries since the last barrier */
    bool stores;                   /* some of them */
    uint64_t low, end;             /* of all entries; of none: empty */
    WideEntry *at;                 /* [WIDE_SHARED_MAX], made for the first entry, kept for the next block */
} WideBlock;

/* What a worker did last. */
typedef struct WideWorker {
    WideEntry *recent[WIDE_RECENT]; /* by instruction */
    WideEntry *last[WIDE_LAST];
    uint32_t turn;
} WideWorker;

/* The bytes of an access: rows at low + i * step[0] + j * step[1] + k * step[2]. */
typedef struct WideShape {
    uint64_t low, row_bytes;
    uint64_t step[WIDE_SHAPE_DIMS];
    uint32_t extent[WIDE_SHAPE_DIMS]; /* 1: no such dimension */
    bool overlaps;                    /* two threads may have bytes in common */
} WideShape;

WideShape wide_shape_of(const ExecWideAccess *w, const uint32_t dims[3]);

/* The rows one after the other: at is the first byte. */
typedef struct WideWalk {
    uint64_t at;
    uint32_t i[WIDE_SHAPE_DIMS];
} WideWalk;

static inline WideWalk wide_walk(const WideShape *s)
{
    return (WideWalk){.at = s->low};
}

static inline bool wide_next_row(const WideShape *s, WideWalk *walk)
{
    for (int d = 0; d < WIDE_SHAPE_DIMS; d++) {
        walk->at += s->step[d];
        if (++walk->i[d] < s->extent[d])
            return true;
        walk->at -= s->step[d] * s->extent[d];
        walk->i[d] = 0;
    }
    return false;
}

#endif
