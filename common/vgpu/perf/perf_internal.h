/* What the files of perf share.
 *
 *   count.c    the observer and the set          bank.c     wavefronts of shared memory
 *   sector.c   an access -> lines and sectors    cache.c    the modelled first-level cache
 *   touch.c    different bytes of a launch           waits.c    loads that a warp waits for
 *   turns.c    atomics that meet at one place          lines.c     counters by line
 */
#ifndef COMMON_VGPU_PERF_INTERNAL_H
#define COMMON_VGPU_PERF_INTERNAL_H

#include "common/vgpu/perf/perf.h"

/* popcount without the instruction, which the oldest x86-64 lacks. */
static inline unsigned perf_bits(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
}

enum { SECTOR_BYTES = 32, LINE_SECTORS = 4, LINE_BYTES = SECTOR_BYTES * LINE_SECTORS, LINES_MAX = 64 };

/* ---- sectors ---- */

/* The lines of 128 bytes that an access touches, each with the sectors (bit 0: the first 32 bytes) it needs.
 */
typedef struct SectorList {
    uint64_t line[LINES_MAX]; /* address / 128 */
    uint8_t sectors[LINES_MAX];
    unsigned n, n_sectors;
    uint32_t twins; /* lanes whose address another active lane has too; atomics only */
} SectorList;

void sector_list(const ExecAccess *a, SectorList *out);

/* ---- shared memory ---- */

/* Passes that the access needs, and the fewest that an access of its width and lanes can need. */
void bank_wavefronts(const ExecAccess *a, unsigned *wavefronts, unsigned *least);

/* ---- cache ---- */

enum { CACHE_WAYS = 4 };

typedef struct CacheSetOfLines {
    uint64_t tag[CACHE_WAYS]; /* line + 1; 0: empty */
    uint8_t sectors[CACHE_WAYS];
    uint32_t wait[CACHE_WAYS]; /* number of the warp's wait in which the line came */
    uint8_t next;              /* way to replace */
    uint32_t generation;       /* empty when it is not the cache's */
} CacheSetOfLines;

typedef struct Cache {
    CacheSetOfLines *sets;
    unsigned n_sets; /* a power of two */
    uint32_t generation;
} Cache;

bool cache_create(Cache *c, uint32_t bytes);
void cache_free(Cache *c);
void cache_clear(Cache *c);
/* Loads the sectors of a line in a warp's wait of this number: how many of them were there already. *late:
 * one was not there, or is only just on its way (another warp asked for it in its wait of the same number or
 * later). */
unsigned cache_load(Cache *c, uint64_t line, uint8_t sectors, uint32_t wait, bool *late);

/* ---- waits ---- */

enum { WAIT_GLOBAL = 1, WAIT_SHARED = 2, WAIT_PIECE = 4 /* straight code begins */ };

typedef struct Waits {
    const IrFunction *function;
    struct Waits *next;
    uint8_t flags[]; /* [pc] */
} Waits;

/* NULL when the host has no memory. */
Waits *waits_new(const IrFunction *f);
void waits_free(Waits *all);

/* ---- atomics that meet ---- */

enum { TURN_PLACES = 4096, TURN_PLACE_BYTES = 512, TURN_INT = 5, TURN_FLOAT = 12 };

/* Operations of the second-level cache on each stretch of 512 bytes, in fifths of an operation on integers.
 */
typedef struct Turns {
    uint64_t of[TURN_PLACES];
    bool any;
} Turns;

/* Counts the operations of a request at their places, and returns how many they are. */
unsigned turns_add(Turns *t, const ExecAccess *a, const SectorList *s, bool is_float);
void turns_merge(Turns *to, const Turns *from);
/* Operations at the busiest place. */
uint64_t turns_most(const Turns *t);

/* ---- counters by line ---- */

typedef struct Lines Lines;

/* NULL: no memory. */
Lines *lines_new(unsigned n_workers);
void lines_free(Lines *l);
void lines_begin(Lines *l);
/* What one access of who->inst has added to a worker's counters. */
void lines_add_access(Lines *l, const ExecWho *who, unsigned worker, const PerfCounters *before,
                      const PerfCounters *after);
void lines_add_code(Lines *l, unsigned worker, const IrFunction *f, const ExecInstCount *counts);
void lines_end(Lines *l, const IrModule *m);
const PerfLine *lines_of(const Lines *l, size_t *n);

/* ---- touched bytes ---- */

typedef struct Touched {
    const MemAlloc *alloc; /* never followed: what it says is compared with a copy */
    uint64_t addr, size;   /* the allocation's */
    uint32_t serial;
    uint32_t idle;           /* launches since the last that touched it */
    uint64_t base, bytes;    /* base: address of bit 0 */
    uint8_t *loads, *stores; /* a bit a byte */
    uint8_t *atomics;        /* the same; NULL unless somebody watches */
    uint64_t low, high;      /* bits that may be set: [low, high) */
    struct Touched *next;
} Touched;

typedef struct TouchSums {
    uint64_t load_bytes, store_bytes, load_sectors, store_sectors;
} TouchSums;

/* NULL when the host has no memory. */
Touched *touch_new(const MemAlloc *a, bool with_atomics);
void touch_free(Touched *t);
/* Marks bytes in one of t's maps; atomic: other workers may mark at the same time. */
void touch_mark(Touched *t, uint8_t *bits, uint64_t addr, uint64_t bytes, bool atomic);
/* The bytes of all lanes, wherever they lie in t's allocation. */
void touch_mark_lanes(Touched *t, uint8_t *bits, const ExecAccess *a, bool atomic);
/* Tells all pieces, by ascending address. */
void touch_tell(const Touched *t, PerfTouchFn *fn, void *self);
/* Whether t is for this allocation. */
bool touch_is_of(const Touched *t, const MemAlloc *a);
/* Adds up what was marked, and clears it. */
void touch_sum(Touched *t, TouchSums *sums);

#endif
