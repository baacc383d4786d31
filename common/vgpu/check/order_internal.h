/* What the sources of the order share: what is kept of a launch, of its blocks, warps and locations (order.c says what for). */
#ifndef COMMON_VGPU_CHECK_ORDER_INTERNAL_H
#define COMMON_VGPU_CHECK_ORDER_INTERNAL_H

#include "common/vgpu/check/check_internal.h"

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

/* Callers of what follows hold the lock. */

static inline void clock_join_into(OrderLaunch *o, VectorClock *k, VectorClock more)
{
    *k = clock_join(&o->maker, *k, more);
}

static inline bool is_acquire(IrSem sem)
{
    return sem == SEM_ACQUIRE || sem == SEM_ACQ_REL || sem == SEM_SC;
}

static inline bool is_release(IrSem sem)
{
    return sem == SEM_RELEASE || sem == SEM_ACQ_REL || sem == SEM_SC;
}

/* Of a warp; made when there is none yet. NULL: no memory, or more warps than a block can have. */
OrderWarp *order_of_warp(OrderLaunch *o, CheckBlock *b, uint32_t warp);
/* The clocks of a warp's lanes as they are here, whose epoch ends. NULL: no memory. */
WarpClock *order_warp_clock_now(OrderLaunch *o, CheckBlock *b, uint32_t warp);
/* The lanes' last fences were all wide. */
bool order_fences_alike(const OrderWarp *w, uint32_t lanes);
/* A look-back makes new clocks with each step, and needs the last of each place. With several workers nothing is dropped: they read
 * clocks without the lock. Called where no clock is in a variable. */
void order_drop_old_clocks(CheckSet *set);

#endif
