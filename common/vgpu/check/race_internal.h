/* The race checker's shadow memory: what race.c and cell.c share. race.c says what it is for. */
#ifndef COMMON_VGPU_CHECK_RACE_INTERNAL_H
#define COMMON_VGPU_CHECK_RACE_INTERNAL_H

#include "common/vgpu/check/check_internal.h"

enum {
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    WORD_SHIFT = 2,
    ONE_LANE_SHIFT = 31, /* Run.shift: all cells are the first lane's */
};

/* What a line remembers of each place: the last write, two reads, two atomic writes. */
typedef enum Slot { SLOT_WRITE, SLOT_READ, SLOT_READ2, SLOT_ATOMIC, SLOT_ATOMIC2, N_SLOTS } Slot;

typedef struct RaceLine {
    Cell *slots[N_SLOTS]; /* a cell for each word, or for each byte of a fine line; NULL until used; or a
                             whole line, see below */
    uint32_t crowd;       /* bit i: two blocks (in shared memory: two warps) have read word i; 0 when fine */
    uint32_t atoms;       /* the same of reductions, and nobody uses the word otherwise */
    /* Shared memory: what is known of words without a look at their cells. */
    uint32_t since; /* first record of the time that crowd, read and written are about; another: of none */
    uint32_t read, written; /* bit i: some cell of word i may be in use */
    bool fine;
    bool touched; /* global memory: somebody was here */
    bool narrow;  /* the same: atomically, with a scope that takes in one block only */
} RaceLine;

enum { CHUNK_LINES = 64 };

typedef struct WideLog WideLog;

/* Shadow of one allocation in one launch: MemAlloc.shadow. */
typedef struct Shadow {
    uint64_t base;      /* address of line 0 */
    WideLog *wide;      /* accesses of whole blocks; NULL: none yet */
    bool written;       /* some line was */
    RaceLine *chunks[]; /* NULL until touched */
} Shadow;

/* One access, and where its lines are. */
typedef struct RaceAccess {
    const CheckEvent *e;
    const ExecAccess *a;
    Record now;
    uint32_t record; /* its number */
    Cell floor;      /* lower cells are empty */
    RecordStore *records;
    RaceLine *line;
    uint64_t line_addr; /* address of the line's byte 0 */
    MemAlloc *alloc;    /* global */
    Shadow *shadow;
    Pool *pool; /* for cells */
} RaceAccess;

/* Neighbouring cells of a line: cell first + i is used by `cell`, i >> shift lanes on. */
typedef struct Run {
    unsigned first, n, shift;
    Cell cell;
} Run;

/* A warp that uses all of a line side by side (most do) leaves one run of cells. It stands in the pointer's
 * place as it is:
 *
 *      bits 63..32 the first cell      bits 15..8 Run.shift      bit 0 set
 */
static inline bool slot_is_whole(const Cell *slot)
{
    return (uintptr_t)slot & 1;
}

static inline Cell *slot_of_run(const Run *run)
{
    return (Cell *)((uintptr_t)run->cell << 32 | (uintptr_t)run->shift << 8 | 1);
}

/* The run that a whole slot stands for. */
static inline Run slot_run(const Cell *slot)
{
    return (Run){0, LINE_BYTES >> WORD_SHIFT, (uint32_t)((uintptr_t)slot >> 8 & 0xFF),
                 (Cell)((uintptr_t)slot >> 32)};
}

static inline bool run_is_whole(const RaceLine *line, const Run *run)
{
    return !line->fine && run->n == LINE_BYTES >> WORD_SHIFT && run->first == 0;
}

/* Bits of the words that bytes [from, from + n) of a line touch; n > 0. */
static inline uint32_t word_bits(unsigned from, unsigned n)
{
    unsigned first = from >> WORD_SHIFT, last = (from + n - 1) >> WORD_SHIFT;
    return UINT32_MAX << first & UINT32_MAX >> (31 - last);
}

/* True when a plain read of these bytes says nothing new, and there is nothing that it could race with. */
static inline bool race_is_old_news(const RaceLine *line, unsigned from, unsigned n)
{
    return !line->slots[SLOT_WRITE] && !line->slots[SLOT_ATOMIC] && (word_bits(from, n) & ~line->crowd) == 0;
}

/* A reduction, or an atomic operation whose result nobody uses. */
static inline bool race_only_adds(const CheckEvent *e, const ExecAccess *a)
{
    return a->kind == ACCESS_REDUCTION || (a->kind == ACCESS_ATOMIC && e->who->inst->result_unused);
}

/* A line of shared memory that is looked at for the first time since the last barrier has nothing in use. */
static inline void race_renew_line(RaceLine *line, uint32_t base)
{
    if (line->since == base)
        return;
    line->since = base;
    line->crowd = line->atoms = line->read = line->written = 0;
}

/* The run may stand for its line's cells. */
static inline bool may_be_whole(const RaceAccess *r, const Run *run)
{
    return run_is_whole(r->line, run) && !r->e->set->options.spread_lines;
}

/* The cells of a slot of r->line one by one, made if need be; NULL: no memory. */
Cell *race_slot_cells(RaceAccess *r, Slot slot);
/* The shadow of an allocation in this launch; NULL: no memory. */
Shadow *race_shadow(const CheckEvent *e, MemAlloc *a);
/* Keeps an access of one warp all over an allocation as it is. False: it goes the general way. */
bool wide_keep_scatter(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments);
/* An access to global memory goes the general way: bytes [from, from + n) of r->line. */
void wide_settle_global(RaceAccess *r, unsigned from, unsigned n);
/* Makes the record of the access; false: too many, or no memory. */
bool race_begin_access(RaceAccess *r);

/* Checks the bytes [from, from + n) of r->line, used by lane and those after it (by it alone when `same`),
 * and remembers them. */
void race_line_access(RaceAccess *r, unsigned from, unsigned n, unsigned lane, bool same);
/* Notes that the access and an older one, which meet at this byte of the line, race (or write the same
 * value).
 */
void race_note(RaceAccess *r, FindingKind kind, Cell now, Cell old, unsigned byte, uint64_t count);

#endif
