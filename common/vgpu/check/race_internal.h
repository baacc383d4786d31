/* The race checker's shadow memory: what race.c and line.c share. race.c says what it is for. */
#ifndef COMMON_VGPU_CHECK_RACE_INTERNAL_H
#define COMMON_VGPU_CHECK_RACE_INTERNAL_H

#include "common/vgpu/check/check_internal.h"
#include "common/vgpu/check/mask.h"

enum {
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    ONE_LANE_SHIFT = 12, /* Entry.shift of an entry of one lane: all bytes are thread `first` */
};

enum { ENTRY_WRITES = 1, ENTRY_ATOMIC = 2 }; /* flags; atomic: may meet another atomic entry without a race */

/* What one warp instruction did to a line: thread(byte) = first + ((byte + off) >> shift). */
typedef struct Entry {
    Mask mask;
    uint32_t block, interval, tick;
    Place place;
    int16_t off;
    uint16_t first;
    uint8_t shift, flags, access, bytes;
} Entry;

/* Classes of entries that pile up, by their flags: reads, atomic reads, atomic writes. */
enum { N_PILES = 3 };

typedef struct RaceLine {
    uint64_t generation;
    Entry *entries;
    Mask crowd[N_PILES]; /* bytes with entries of two blocks; in shared memory, of two threads */
    uint16_t n, cap;
    uint16_t n_writers, n_plain; /* entries that write; that are not atomic */
} RaceLine;

/* One access, and where its lines are. */
typedef struct RaceAccess {
    const CheckEvent *e;
    const ExecAccess *a;
    uint32_t lanes; /* to be recorded */
    Entry entry;    /* mask, off, first and shift are set for each line */
    uint64_t generation;
    RaceLine *line;
    uint64_t line_addr; /* address of the line's byte 0 */
    MemAlloc *alloc;    /* global */
    Pool *pool;         /* for entries */
} RaceAccess;

static inline uint32_t thread_of(const Entry *e, unsigned byte)
{
    return e->first + ((uint32_t)((int)byte + e->off) >> e->shift);
}

static inline bool same_threads(const Entry *a, const Entry *b)
{
    return a->block == b->block && a->first == b->first && a->off == b->off && a->shift == b->shift;
}

/* Checks r->entry, whose mask and threads are set, against what r->line has, and adds it to the line. */
void race_line_access(RaceAccess *r);
/* Notes that r->entry and old, which meet at this byte of the line, race (or write the same value). */
void race_note(RaceAccess *r, FindingKind kind, const Entry *old, unsigned byte, uint64_t count);

#endif
