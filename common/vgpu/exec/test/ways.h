/* ways: what observers are told of a launch, as one number that does not depend on the order in which warps
 * came. For tests that run a kernel with all warps of a block at once, and warp by warp: both must tell the
 * same. */
#ifndef COMMON_VGPU_EXEC_TEST_WAYS_H
#define COMMON_VGPU_EXEC_TEST_WAYS_H

#include "common/base/rng.h"
#include "common/vgpu/exec/exec.h"

#include <string.h>

/* One launch with one worker. */
typedef struct Ways {
    uint64_t accesses, barriers; /* sums of hashes */
    uint64_t code;               /* counts of each instruction, hashed in order */
    uint64_t wide;               /* accesses told for a block at once */
    bool takes_wide;             /* to be told so */
    ExecCounts counts;
} Ways;

static inline uint64_t ways_mix(uint64_t hash, uint64_t value)
{
    return rng_mix(hash ^ value) + 1;
}

static inline uint64_t ways_mix_bytes(uint64_t hash, const uint8_t *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t value = 0;
        memcpy(&value, from + at, bytes - at < 8 ? bytes - at : 8);
        hash = ways_mix(hash, value);
    }
    return hash;
}

/* Not who->live: lanes that have parted for good exit in any order. */
static inline uint64_t ways_hash_who(const ExecWho *who)
{
    uint64_t hash = ways_mix(who->block_linear, who->warp);
    return ways_mix(hash, (uint64_t)(who->inst - who->function->insts));
}

static inline void ways_see_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    uint64_t hash = ways_hash_who(who);
    hash =
        ways_mix(hash, (uint64_t)a->kind << 32 | a->space << 24 | a->pattern << 16 | a->sem << 8 | a->async);
    hash = ways_mix(hash, (uint64_t)a->bytes << 32 | a->mask);
    hash = ways_mix(hash, (uint64_t)a->group_lanes << 8 | (a->group_lanes ? a->group_pattern : 0));
    hash = ways_mix(hash, a->alloc ? a->alloc->serial : 0);
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (a->mask >> lane & 1)
            hash = ways_mix(hash, a->addr[lane]);
    for (int k = 0; k < a->n_values; k++)
        for (int lane = 0; lane < WARP_LANES; lane++)
            hash = ways_mix_bytes(hash, a->value[k] + (size_t)lane * a->value_stride,
                                  a->mask >> lane & 1 ? a->bytes / a->n_values : 0);
    ((Ways *)self)->accesses += hash;
}

static inline bool ways_see_wide(void *self, const ExecWho *who, const ExecWideAccess *a)
{
    (void)who, (void)a;
    ((Ways *)self)->wide++;
    return ((Ways *)self)->takes_wide;
}

static inline void ways_see_barrier(void *self, const ExecWho *who, uint32_t id)
{
    ((Ways *)self)->barriers +=
        ways_mix(ways_mix(who->block_linear, id), (uint64_t)(who->inst - who->function->insts));
}

static inline void ways_see_retired(void *self, const ExecWho *who, const ExecCounts *counts)
{
    (void)who;
    ((Ways *)self)->counts = *counts;
}

static inline void ways_see_code(void *self, const ExecWho *who, const IrFunction *f,
                                 const ExecInstCount *counts)
{
    Ways *w = self;
    (void)who;
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        w->code = ways_mix(ways_mix(ways_mix(w->code, counts[pc].warp_insts), counts[pc].thread_insts),
                           counts[pc].divergent);
}

static inline ExecObserver ways_observer(Ways *w)
{
    return (ExecObserver){.self = w,
                          .access = ways_see_access,
                          .access_wide = ways_see_wide,
                          .barrier = ways_see_barrier,
                          .retired = ways_see_retired,
                          .retired_code = ways_see_code};
}

/* NULL: both ways told the same. Else what differs. */
static inline const char *ways_differ(const Ways *a, const Ways *b)
{
    if (memcmp(&a->counts, &b->counts, sizeof a->counts) != 0)
        return "counts";
    if (a->code != b->code)
        return "counts of instructions";
    if (a->barriers != b->barriers)
        return "barriers";
    return a->accesses != b->accesses ? "accesses" : NULL;
}

#endif
