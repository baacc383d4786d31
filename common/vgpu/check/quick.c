/* The common accesses to shared memory, and reductions, told by a few bits a line instead of by cells.
 *
 * Between two barriers most words are stored once and then only read, or read by all warps. For each line two
 * masks say which of its words may have been read and written since the last barrier, and a third which of
 * them two warps have read (RaceLine). They decide, for a plain access of whole words:
 *
 *      load    nobody wrote the words, two warps read them      nothing new, nothing to race with
 *      load    nobody wrote or read the words                   the first reader: kept, nothing to check
 *      store   nobody wrote or read the words                   the first writer: kept, nothing to check
 *
 * and a bitmap that all bytes of a load are initialised. What is left goes the general way (init.c, race.c),
 * which keeps the masks true; so do accesses once a warp sync or a fence has brought an order of its own.
 *
 * Reductions (histograms) go all over the memory, one word a lane. Another mask says which words two warps
 * (in global memory: two blocks) have changed by reductions while nobody uses them otherwise: one more says
 * nothing new.
 */
#include "common/vgpu/check/race_internal.h"

#define HOT static inline __attribute__((always_inline))

typedef struct Quick {
    RaceAccess r;
    bool loads, checks_init;
    uint32_t floor; /* first record since the last barrier */
} Quick;

/* Is this a kind of access that the masks can decide? */
static bool is_plain(const CheckEvent *e, const ExecAccess *a)
{
    return (a->kind == ACCESS_LOAD || a->kind == ACCESS_STORE) && a->sem == SEM_WEAK && a->async == 0 &&
           a->bytes % (1 << WORD_SHIFT) == 0 && (a->bytes & (a->bytes - 1)) == 0 && !e->block->order &&
           check_has(e->set, CHECK_RACE);
}

static void quick_fill(Cell *cells, uint32_t n, uint32_t shift, Cell first)
{
    for (uint32_t i = 0; i < n; i++)
        cells[i] = first + (i >> shift);
}

/* Keeps the segment's first and only access to words of r->line. False: no record, or no memory. */
HOT bool keep(Quick *q, const Segment *s, unsigned from, unsigned n)
{
    RaceAccess *r = &q->r;
    if (!r->record && !race_begin_access(r))
        return false;
    Cell **slot = &r->line->slots[q->loads ? SLOT_READ : SLOT_WRITE];
    if (n == LINE_BYTES && !s->same && !r->e->set->options.spread_lines && (!*slot || slot_is_whole(*slot))) {
        *slot = slot_of_run(&(Run){.shift = (uint32_t)__builtin_ctz(r->a->bytes) - WORD_SHIFT,
                                   .cell = cell_of(r->record, s->lane)});
        return true;
    }
    Cell *cells = race_slot_cells(r, q->loads ? SLOT_READ : SLOT_WRITE);
    bool two = s->same && s->n > 1; /* readers of one place: the first and the last */
    Cell *last = two ? race_slot_cells(r, SLOT_READ2) : NULL;
    if (!cells || (two && !last))
        return false;
    uint32_t first_word = from >> WORD_SHIFT, words = n >> WORD_SHIFT;
    uint32_t shift = s->same ? ONE_LANE_SHIFT : (uint32_t)__builtin_ctz(r->a->bytes) - WORD_SHIFT;
    quick_fill(cells + first_word, words, shift, cell_of(r->record, s->lane));
    if (two)
        quick_fill(last + first_word, words, ONE_LANE_SHIFT, cell_of(r->record, s->lane + s->n - 1u));
    return true;
}

/* True when all that is to be said about a segment in one line has been. */
HOT bool line_is_done(Quick *q, const Segment *s)
{
    RaceAccess *r = &q->r;
    CheckBlock *b = r->e->block;
    unsigned n = (unsigned)segment_bytes(s, r->a->bytes), from = (unsigned)(s->addr % LINE_BYTES);
    RaceLine *line = &b->lines[s->addr >> LINE_SHIFT];
    if (line->fine || from % (1 << WORD_SHIFT) || (s->same && s->n > 1 && !q->loads))
        return false;
    if (q->loads && q->checks_init && !init_is_set(b->shared_init, s->addr, n))
        return false;
    uint32_t bits = word_bits(from, n);
    bool known = line->since == q->floor;
    if (known && q->loads && !(bits & (line->written | ~line->crowd)))
        return true;
    if (known && bits & (line->read | line->written))
        return false;
    r->line = line;
    if (!keep(q, s, from, n))
        return false;
    race_renew_line(line, q->floor);
    *(q->loads ? &line->read : &line->written) |= bits;
    if (!q->loads && q->checks_init)
        init_mark(b->shared_init, s->addr, n, false);
    return true;
}

/* True when all that is to be said about the segment has been; else it is cut off up to what has not. An access is aligned to its
 * size: no lane's bytes lie in two lines. */
HOT bool segment_is_done(Quick *q, Segment *s)
{
    const uint32_t bytes = q->r.a->bytes;
    for (;;) {
        Segment now = *s;
        unsigned room = LINE_BYTES - (unsigned)(s->addr % LINE_BYTES);
        if (s->same ? bytes > room : room % bytes)
            return false;
        bool last = segment_bytes(s, bytes) <= room;
        now.n = last ? s->n : (uint8_t)(room / bytes);
        if (!line_is_done(q, &now))
            return false;
        if (last)
            return true;
        *s = (Segment){.addr = s->addr + room, .lane = (uint8_t)(s->lane + now.n), .n = (uint8_t)(s->n - now.n)};
    }
}

void quick_observe(const CheckEvent *e, const ExecAccess *a, SegmentList *segments)
{
    if (!is_plain(e, a))
        return;
    Quick q = {.r.e = e,
               .r.a = a,
               .loads = a->kind == ACCESS_LOAD,
               .checks_init = check_has(e->set, CHECK_INIT),
               .floor = e->block->records.base};
    unsigned left = 0;
    for (unsigned i = 0; i < segments->n; i++)
        if (!segment_is_done(&q, &segments->at[i]))
            segments->at[left++] = segments->at[i];
    segments->n = left;
}

/* ---- reductions ---- */

/* Where a lane's word is in shadow memory. */
typedef struct AddsAt {
    const RaceLine *line;
    const uint8_t *init; /* NULL: all is initialised */
    uint64_t bit;        /* of init */
    unsigned from;       /* byte of the line */
} AddsAt;

/* An aligned access: its words are in one line, its bits of init in one byte. */
HOT bool adds_nothing_new(const AddsAt *at, uint32_t bytes)
{
    const uint32_t wanted = (1u << bytes) - 1, words = (1u << bytes / 4) - 1;
    return (at->line->atoms >> at->from / 4 & words) == words &&
           (!at->init || (at->init[at->bit / 8] >> at->bit % 8 & wanted) == wanted);
}

HOT uint32_t adds_shared(const CheckEvent *e, const ExecAccess *a, uint32_t bytes)
{
    const CheckBlock *b = e->block;
    const uint8_t *init = check_has(e->set, CHECK_INIT) ? b->shared_init : NULL;
    uint32_t left = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t addr = a->addr[__builtin_ctz(rest)];
        const AddsAt at = {&b->lines[addr >> LINE_SHIFT], init, addr, (unsigned)(addr % LINE_BYTES)};
        if (at.line->since != b->records.base || !adds_nothing_new(&at, bytes))
            left |= rest & -rest;
    }
    return left;
}

HOT uint32_t adds_global(const CheckEvent *e, const ExecAccess *a, uint32_t bytes)
{
    const Shadow *shadow = a->alloc && a->alloc->kind != MEM_INTERNAL ? race_shadow(e, a->alloc) : NULL;
    const uint8_t *init = shadow && check_has(e->set, CHECK_INIT) ? a->alloc->init : NULL;
    uint32_t left = shadow ? 0 : a->mask;
    for (uint32_t rest = a->mask & ~left; rest; rest &= rest - 1) {
        uint64_t addr = a->addr[__builtin_ctz(rest)], line = (addr - shadow->base) >> LINE_SHIFT;
        const RaceLine *chunk = __atomic_load_n(&shadow->chunks[line / CHUNK_LINES], __ATOMIC_ACQUIRE);
        const AddsAt at = {chunk ? chunk + line % CHUNK_LINES : NULL, init, addr - a->alloc->addr,
                           (unsigned)(addr % LINE_BYTES)};
        if (!chunk || !adds_nothing_new(&at, bytes))
            left |= rest & -rest;
    }
    return left;
}

/* A word that is the reductions' has no owner (wide_global.c), and no whole block's access beside them. */
uint32_t quick_adds(const CheckEvent *e, const ExecAccess *a)
{
    bool narrow = a->space == SPACE_GLOBAL && order_is_narrow((IrScope)a->scope);
    if (narrow || !race_only_adds(e, a) || a->sem != SEM_RELAXED || (a->bytes != 4 && a->bytes != 8) ||
        e->block->order || !check_has(e->set, CHECK_RACE) || e->set->options.spread_warps)
        return a->mask;
    if (a->space == SPACE_SHARED)
        return a->bytes == 4 ? adds_shared(e, a, 4) : adds_shared(e, a, 8);
    return a->bytes == 4 ? adds_global(e, a, 4) : adds_global(e, a, 8);
}
