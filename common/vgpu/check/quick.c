/* The common accesses to shared memory, told by a few bits a line instead of by cells.
 *
 * Between two barriers most words are stored once and then only read, or read by all warps. For each line two
 * masks say which of its words may have been read and written since the last barrier, and a third which of
 * them two warps have read (RaceLine). They decide, for a plain access of whole words:
 *
 *      load    nobody wrote the words, two warps read them      nothing new, nothing to race with
 *      load    nobody wrote or read the words                   the first reader: kept, nothing to check
 *      store   nobody wrote or read the words                   the first writer: kept, nothing to check
 *      reduction   nothing but reductions, of two warps         nothing new, nothing to race with
 *
 * and a bitmap that all bytes of a load are initialised. What is left goes the general way (init.c, race.c),
 * which keeps the masks true; so do accesses once a warp sync or a fence has brought an order of its own.
 */
#include "common/vgpu/check/race_internal.h"

#define HOT static inline __attribute__((always_inline))

typedef struct Quick {
    RaceAccess r;
    bool loads, adds, checks_init;
    uint32_t floor; /* first record since the last barrier */
} Quick;

/* Is this a kind of access that the masks can decide? */
static bool is_plain(const CheckEvent *e, const ExecAccess *a)
{
    bool plain = (a->kind == ACCESS_LOAD || a->kind == ACCESS_STORE) && a->sem == SEM_WEAK && a->async == 0;
    return (plain || (race_only_adds(e, a) && a->sem == SEM_RELAXED)) && a->bytes % (1 << WORD_SHIFT) == 0 &&
           (a->bytes & (a->bytes - 1)) == 0 && !e->block->order && check_has(e->set, CHECK_RACE);
}

static void fill(Cell *cells, uint32_t n, uint32_t shift, Cell first)
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
    fill(cells + first_word, words, shift, cell_of(r->record, s->lane));
    if (two)
        fill(last + first_word, words, ONE_LANE_SHIFT, cell_of(r->record, s->lane + s->n - 1u));
    return true;
}

/* True when all that is to be said about the segment has been. */
HOT bool segment_is_done(Quick *q, const Segment *s)
{
    RaceAccess *r = &q->r;
    CheckBlock *b = r->e->block;
    unsigned n = (unsigned)segment_bytes(s, r->a->bytes), from = (unsigned)(s->addr % LINE_BYTES);
    RaceLine *line = &b->lines[s->addr >> LINE_SHIFT];
    if (line->fine || from + n > LINE_BYTES || from % (1 << WORD_SHIFT) ||
        (s->same && s->n > 1 && !q->loads && !q->adds))
        return false;
    if ((q->loads || q->adds) && q->checks_init && !init_is_set(b->shared_init, s->addr, n))
        return false;
    uint32_t bits = word_bits(from, n);
    bool known = line->since == q->floor;
    if (q->adds)
        return known && !(bits & ~line->atoms);
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

void quick_observe(const CheckEvent *e, const ExecAccess *a, SegmentList *segments)
{
    if (!is_plain(e, a))
        return;
    Quick q = {.r.e = e,
               .r.a = a,
               .loads = a->kind == ACCESS_LOAD,
               .adds = race_only_adds(e, a),
               .checks_init = check_has(e->set, CHECK_INIT),
               .floor = e->block->records.base};
    unsigned left = 0;
    for (unsigned i = 0; i < segments->n; i++)
        if (!segment_is_done(&q, &segments->at[i]))
            segments->at[left++] = segments->at[i];
    segments->n = left;
}
