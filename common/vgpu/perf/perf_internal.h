/* What the files of perf share.
 *
 *   count.c    the observer and the set          bank.c     wavefronts of shared memory
 *   sector.c   an access -> lines and sectors    cache.c    the modelled first-level cache
 *   touch.c    different bytes of a launch           waits.c    loads that a warp waits for
 *   turns.c    atomics that meet at one place          lines.c     counters by line
 *   wide.c     accesses of whole blocks                set.c       launches, the set
 */
#ifndef COMMON_VGPU_PERF_INTERNAL_H
#define COMMON_VGPU_PERF_INTERNAL_H

#include "common/vgpu/perf/perf.h"

#include "common/base/bits.h"

#include <pthread.h>

/* Loops over lanes are built for AVX2, too. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define PERF_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PERF_CLONES
#endif

enum { SECTOR_BYTES = 32, LINE_SECTORS = 4, LINE_BYTES = SECTOR_BYTES * LINE_SECTORS, LINES_MAX = 64 };

/* ---- sectors ---- */

/* Sectors of one line, a bit each: how many. */
static inline unsigned sectors_count(unsigned sectors)
{
    return (unsigned)(0x4332322132212110u >> sectors * 4) & 7;
}

/* The lines of 128 bytes that an access touches, each with the sectors (bit 0: the first 32 bytes) it needs.
 */
typedef struct SectorList {
    uint64_t line[LINES_MAX]; /* address / 128 */
    uint8_t sectors[LINES_MAX];
    unsigned n, n_sectors;
    uint32_t again;     /* atomics: no lane but these wants the sector of one before it */
    uint64_t near_base; /* stores, atomics: all lanes lie in NEAR_BYTES from here on; 0: not known */
} SectorList;

enum { NEAR_SECTORS = 64, NEAR_BYTES = NEAR_SECTORS * SECTOR_BYTES };

/* Loads: in the order in which the lanes ask for them, which the cache goes by; else in any. */
void sector_list(const ExecAccess *a, SectorList *out);

/* ---- accesses of whole blocks ---- */

enum { WIDE_SHAPES = 1024, WIDE_PLACES = 4, WIDE_THREADS_MAX = 1024 };

/* What the shape of an access of a block depends on. */
typedef struct WideKey {
    int64_t step[3];
    uint32_t dim[2], n_threads;
    uint16_t bytes;
    uint8_t offset; /* base modulo LINE_BYTES */
    uint8_t space;
} WideKey;

/* A line that a warp touches; the first one that the access could touch has number 0. */
typedef struct WideLine {
    int32_t line;
    uint8_t sectors, warp;
} WideLine;

typedef struct WideCost {
    WideKey key;
    uint32_t credit;
    uint32_t n_warps;
    uint32_t n_sectors, n_lines; /* global: of all warps, each one's counted for itself */
    uint32_t wavefronts, least;  /* shared */
    WideLine line[];             /* global: n_lines, in the order of warps and of their requests */
} WideCost;

typedef struct WideTable {
    WideCost *shape[WIDE_SHAPES + WIDE_PLACES];
} WideTable;

void wide_free(WideTable *t);
/* The shape of an access; NULL: it is to be counted warp by warp. Valid until the next call. */
const WideCost *wide_cost(WideTable *t, const ExecWho *who, const ExecWideAccess *a);

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
static inline unsigned cache_load(Cache *c, uint64_t line, uint8_t sectors, uint32_t wait, bool *late)
{
    CacheSetOfLines *set = &c->sets[(line * 0x9E3779B97F4A7C15u >> 40) & (c->n_sets - 1)];
    if (set->generation != c->generation) {
        *set = (CacheSetOfLines){
            .tag = {line + 1}, .sectors = {sectors}, .wait = {wait}, .next = 1, .generation = c->generation};
        *late = true;
        return 0;
    }
    for (unsigned way = 0; way < CACHE_WAYS; way++) {
        if (set->tag[way] == line + 1) {
            unsigned hits = sectors_count(set->sectors[way] & sectors);
            if (sectors & (uint8_t)~set->sectors[way]) {
                set->wait[way] = wait > set->wait[way] ? wait : set->wait[way];
                *late = true;
            } else if (set->wait[way] >= wait) {
                *late = true;
            }
            set->sectors[way] |= sectors;
            return hits;
        }
    }
    unsigned way = set->next;
    set->next = (uint8_t)((way + 1) % CACHE_WAYS);
    set->tag[way] = line + 1;
    set->sectors[way] = sectors;
    set->wait[way] = wait;
    *late = true;
    return 0;
}
/* The same for all lines of a block's access whose line 0 is `line`: a warp's wait has the number wait +
 * more[warp]. Warps that were late go to *late, a bit each. */
unsigned cache_load_wide(Cache *c, uint64_t line, const WideCost *s, uint32_t wait, const uint32_t *more,
                         uint32_t *late);

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

/* Counts the operations of a request at their places, and returns how many they are. *conflicts: lanes whose
 * address another one has too. */
unsigned turns_add(Turns *t, const ExecAccess *a, const SectorList *s, bool is_float, unsigned *conflicts);
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
    bool constant;            /* a variable in constant memory */
    uint32_t idle;            /* launches since the last that touched it */
    uint64_t base, bytes;     /* base: address of bit 0 */
    uint64_t *loads, *stores; /* a bit a byte */
    uint64_t *atomics;        /* the same; NULL unless somebody watches */
    uint64_t low, high;       /* bits that may be set: [low, high) */
    struct Touched *next;
} Touched;

typedef struct TouchSums {
    uint64_t load_bytes, store_bytes, load_sectors, store_sectors;
} TouchSums;

enum { TOUCH_RUNS = 32 };

/* The same load or store of `count` blocks, each `again` bytes on, that is not marked yet. */
typedef struct TouchRun {
    const IrInst *inst;
    Touched *touched;
    uint64_t base, low, end; /* of the first; of all */
    int64_t step[3], again;
    uint32_t dim[3], count, n_threads, bytes; /* count 0: none */
    bool store;
} TouchRun;

/* NULL when the host has no memory. */
Touched *touch_new(const MemAlloc *a, bool with_atomics);
void touch_free(Touched *t);
/* Marks bytes in one of t's maps; atomic: other workers may mark at the same time. */
void touch_mark(Touched *t, uint64_t *bits, uint64_t addr, uint64_t bytes, bool atomic);
/* The bytes of all lanes, wherever they lie in t's allocation, in the maps that the access's kind needs. */
void touch_mark_lanes(Touched *t, const ExecAccess *a, bool atomic);
/* Of a load or store of a whole block, sooner or later: one that goes on where the same instruction of the block before was is put
 * to that one. touch_flush marks what was put off. */
void touch_wide(TouchRun runs[TOUCH_RUNS], const ExecWho *who, Touched *t, const ExecWideAccess *a, bool atomic);
void touch_flush(TouchRun runs[TOUCH_RUNS], bool atomic);
/* Tells all pieces, by ascending address. */
void touch_tell(const Touched *t, PerfTouchFn *fn, void *self);
/* Whether t is for this allocation. */
bool touch_is_of(const Touched *t, const MemAlloc *a);
/* Adds up what was marked, and clears it. */
void touch_sum(Touched *t, TouchSums *sums);

/* ---- the set ---- */

enum {
    SLOT_CHUNK = 64,    /* blocks */
    SLOT_CHUNKS = 1024, /* of blocks that are there at once: more than exec ever has */
    TOUCH_BUCKETS = 64,
    TOUCH_RECENT = 8,
};

typedef struct PerfBlock {
    Cache cache;                    /* no sets: none could be had */
    uint32_t waits;                 /* waits that all warps have had, */
    uint32_t more[EXEC_WARPS_MAX]; /* and each one's beyond them */
    uint32_t late;                  /* warps whose last wait counts as missed already, or that had none */
    struct {
        const IrInst *inst;
        uint64_t low;
        uint32_t mask;
    } strong[EXEC_WARPS_MAX]; /* each warp's last strong load */
} PerfBlock;

typedef struct PerfWorker {
    PerfCounters c;
    TouchRun runs[TOUCH_RUNS];      /* by instruction */
    Touched *touched[TOUCH_RECENT]; /* used last, by serial */
    const Waits *waits;             /* of the function that ran last */
} PerfWorker;

struct PerfSet {
    const PerfModel *model;
    ExecObserver observer;
    PerfCounters last, totals;
    const ExecLaunch *launch;
    PerfWorker *workers;
    unsigned n_workers;
    Turns *turns;                  /* of each worker */
    WideTable *wide;               /* of each worker */
    Waits *waits;                  /* of the launch's functions */
    pthread_mutex_t lock;          /* chunks, touched and waits */
    PerfBlock *slots[SLOT_CHUNKS]; /* by ExecWho.slot, SLOT_CHUNK in one piece */
    Touched *touched[TOUCH_BUCKETS];
    Lines *lines; /* NULL: nobody asked for them */
    PerfTouchFn *watch;
    void *watch_self;
};

/* Sets the callbacks that count. */
void count_events(ExecObserver *o, bool by_line);
void count_free_blocks(PerfSet *set);

#endif
