/* What the files of wide share. */
#ifndef COMMON_VGPU_CHECK_WIDE_INTERNAL_H
#define COMMON_VGPU_CHECK_WIDE_INTERNAL_H

#include "common/vgpu/check/race_internal.h"

enum { CLAIM_BYTES = 8192 };

typedef enum WideState { WIDE_KEPT, WIDE_TELLING, WIDE_TOLD } WideState;

typedef struct WideList {
    WideItem *first, *last;
} WideList;

struct WideLog {
    uint8_t state; /* WideState */
    bool shared, stores;
    bool initialised;   /* all of the allocation */
    bool searched;      /* whether it is, at least once */
    uint64_t loaded;    /* bytes that were looked up since the last time that all were */
    uint64_t **owned;   /* for each CLAIM_BYTES a bit a word; NULL: none is owned */
    uint64_t scattered; /* bytes of WideScatter, at most */
    MemAlloc *alloc;
    WideList lists[]; /* one a worker */
};

/* Marks are left before others are looked for. */
static inline void fence_workers(const CheckEvent *e)
{
    if (e->set->n_workers > 1)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline bool flag(const bool *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* A flag that another worker has raised is read before what its reader looks for next: arm64 may swap two loads. */
static inline void raise_flag(const CheckEvent *e, bool *at)
{
    if (__atomic_load_n(at, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(at, true, __ATOMIC_RELAXED);
    fence_workers(e);
}

static inline WideState state_of(const WideLog *log)
{
    return (WideState)__atomic_load_n(&log->state, __ATOMIC_ACQUIRE);
}

/* A word of these bytes of the shadow has an owner. */
bool wide_has_owner(const WideLog *log, uint64_t at, uint64_t bytes);
bool wide_observe_shared(const CheckEvent *e, const ExecWideAccess *w);
bool wide_observe_global(const CheckEvent *e, const ExecWideAccess *w);

/* An entry of its own; its shadow is the caller's to set. */
void wide_fill_entry(WideEntry *x, const CheckEvent *e, const ExecWideAccess *w);

/* Each thread has the same place in both, but for where the whole begins. */
static inline bool wide_is_alike(const WideEntry *x, const ExecWideAccess *w)
{
    return x->bytes == w->bytes && x->n_threads == w->n_threads && x->n_blocks == w->n_blocks &&
           (x->n_blocks == 1 || x->block_step == w->block_step) && x->step[0] == w->step[0] &&
           x->step[1] == w->step[1] && x->step[2] == w->step[2];
}

/* Each thread has the very same bytes in both, always. */
static inline bool wide_is_same(const WideEntry *x, const ExecWideAccess *w)
{
    return x->count == 1 && x->base == w->base && wide_is_alike(x, w);
}

/* The entry takes in the same access at `base`, which is where its last one was or as far on as ever. */
static inline bool wide_goes_on(WideEntry *x, uint64_t base)
{
    uint64_t last = x->base + (uint64_t)x->again * (x->count - 1);
    if (base == last)
        return true;
    if (x->count == 1)
        x->again = (int64_t)(base - last);
    else if (base != last + (uint64_t)x->again)
        return false;
    __atomic_store_n(&x->count, x->count + 1, __ATOMIC_RELEASE);
    return true;
}

/* Tells the race checker of an entry's block number `block`, warp by warp. e->block is as it was then. */
void wide_replay(const CheckEvent *e, const WideEntry *x, uint32_t block);
void wide_replay_scatter(const CheckEvent *e, const WideScatter *x, MemAlloc *alloc);

/* All rows are initialised; bit 0 of bits stands for the byte at `base`. */
bool wide_is_set(const uint8_t *bits, uint64_t base, const WideShape *s);
void wide_mark(uint8_t *bits, uint64_t base, const WideShape *s, bool shared_by_workers);

#endif
