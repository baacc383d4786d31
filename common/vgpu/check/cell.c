/* A line of shadow memory: checking an access against what the line remembers, and what is remembered.
 *
 * What is kept. A write is checked against all slots of its bytes, then stands for them: they are before it,
 * or have just been reported. An atomic whose result is used stands for the atomics before it: it has seen
 * what they made. Of reads, and of reductions (atomics without a result), two of different threads are kept,
 * in different warps or blocks if there are such: whoever writes later races with one of them at least. That
 * loses no race unless publications order some readers before the writer and not others; a reader that comes
 * after one of the two takes its place.
 *
 * Cells side by side that one warp instruction used come as runs, and are compared with runs: the loops over
 * a run have no branch, so that the compiler makes vector code of them.
 *
 * A line that one warp used from end to end has no cells of its own (slot_is_whole), and is compared with
 * such accesses as a whole; what does not fit spreads it out into cells first.
 *
 * Two threads that write one same value are advice. The checker sees the value that is about to be written,
 * and memory still holds the one before.
 */
#include "common/vgpu/check/race_internal.h"

#include <string.h>

/* One body for each kind of vector unit, as in exec. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif
#define HOT static inline __attribute__((always_inline))

/* ---- reports ---- */

static const Record *record_at(const RaceAccess *r, Cell cell)
{
    return record_of(r->records, cell);
}

/* True when the two lanes store the same value. */
static bool stores_same(const ExecAccess *a, unsigned lane, unsigned other)
{
    size_t bytes = a->n_values ? a->bytes / a->n_values : 0;
    for (unsigned k = 0; k < a->n_values; k++)
        if (memcmp(a->value[k] + lane * a->value_stride, a->value[k] + other * a->value_stride, bytes) != 0)
            return false;
    return bytes != 0;
}

/* True when the lane writes what its bytes hold already. */
static bool writes_same(const ExecAccess *a, unsigned lane)
{
    if (a->kind != ACCESS_STORE || !a->n_values)
        return false;
    const uint8_t *at = exec_access_host(a, lane);
    size_t bytes = a->bytes / a->n_values;
    for (size_t k = 0; k < a->n_values; k++)
        if (memcmp(at + k * bytes, a->value[k] + lane * a->value_stride, bytes) != 0)
            return false;
    return true;
}

/* Is the older access by another lane of this very instruction, to the same address? */
static bool is_twin(const RaceAccess *r, Cell now, Cell old)
{
    unsigned lane = now % WARP_LANES, other = old % WARP_LANES;
    return old >> LANE_BITS == r->record && (r->a->mask >> other & 1) && other < lane &&
           r->a->addr[other] == r->a->addr[lane];
}

/* Which of the two is named first: the one that writes, the one that is not atomic, the one whose place comes
 * first. So that a pair of places is one finding, whoever came first. */
static bool is_named_first(const Record *a, const Record *b)
{
    if ((a->access == ACCESS_LOAD) != (b->access == ACCESS_LOAD))
        return b->access == ACCESS_LOAD;
    if ((a->access == ACCESS_STORE) != (b->access == ACCESS_STORE))
        return a->access == ACCESS_STORE;
    return a->place <= b->place;
}

/* A plain read and an atomic: the read's value only goes into a compare-and-swap that checks it. */
static bool is_guess(const RaceAccess *r, const Record *read, const Record *other)
{
    if (read->access != ACCESS_LOAD || (read->flags & RECORD_ATOMIC) || !(other->flags & RECORD_ATOMIC) ||
        read->place == NO_PLACE || other->place == NO_PLACE)
        return false;
    GuessMemo *memo = &r->e->worker->guesses[(read->place * 7 + other->place) % GUESS_MEMO];
    if (memo->read != read->place + 1 || memo->other != other->place + 1) {
        uint32_t pc, swap;
        const IrFunction *f = check_function(r->e->set, read->place, &pc);
        const IrFunction *of = check_function(r->e->set, other->place, &swap);
        bool in_swap = of == f && f->insts[swap].opcode == PTX_ATOM && f->insts[swap].mode == ATOM_CAS;
        *memo = (GuessMemo){read->place + 1, other->place + 1,
                            guess_is_checked(f, pc, in_swap ? swap : IR_NO_PC)};
    }
    return memo->checked;
}

static OrderPoint point_of(const Record *record, Cell cell)
{
    return (OrderPoint){record->block, thread_of(record, cell), record->interval, record->epoch, !(record->flags & RECORD_WRITES)};
}

static bool is_before(const RaceAccess *r, const Record *old, Cell cell, Cell mine)
{
    if (old->block == r->now.block && old->interval < r->now.interval)
        return true; /* a barrier lies between */
    OrderPoint p = point_of(old, cell);
    return order_is_after(r->e, thread_of(&r->now, mine), &p);
}

/* Another lane of this warp comes behind the old access, a write in another warp. */
static bool has_warp_waited(const RaceAccess *r, const Record *old, Cell cell)
{
    OrderPoint p = point_of(old, cell);
    bool waited = false;
    if (!(old->flags & RECORD_WRITES) || (old->block == r->now.block && old->first_thread == r->now.first_thread))
        return false;
    for (uint32_t left = r->e->who->live; left && !waited; left &= left - 1)
        waited = order_is_after(r->e, r->e->who->first_thread + (uint32_t)__builtin_ctz(left), &p);
    return waited;
}

void race_note(RaceAccess *r, FindingKind kind, Cell now, Cell old, unsigned byte, uint64_t count)
{
    const Record *mine = &r->now, *theirs = record_at(r, old);
    if (kind == FINDING_RACE && (is_guess(r, mine, theirs) || is_guess(r, theirs, mine)))
        kind = FINDING_GUESS;
    bool now_first = is_named_first(mine, theirs);
    const Record *first = now_first ? mine : theirs, *second = now_first ? theirs : mine;
    NoteKey key = {.kind = (uint8_t)kind,
                   .space = r->a->space,
                   .access = first->access,
                   .other_access = second->access,
                   .place = first->place,
                   .other = second->place};
    Note *n = check_note(r->e, &key, thread_of(first, now_first ? now : old), count);
    if (!n)
        return;
    n->block = first->block;
    n->address = r->line_addr + byte;
    n->bytes = first->bytes;
    n->other_block = second->block;
    n->other_thread = thread_of(second, now_first ? old : now);
    n->warp_waited |= n->count == count && kind == FINDING_RACE && has_warp_waited(r, theirs, old);
    n->has_alloc = r->alloc != NULL;
    if (r->alloc)
        n->alloc = *r->alloc;
    n->unwritten = r->a->space == SPACE_SHARED && mine->access == ACCESS_STORE && theirs->access == ACCESS_LOAD && check_has(r->e->set, CHECK_INIT) &&
                   init_first_clear(r->e->block->shared_init, n->address, 1) == 0;
}

/* ---- order ---- */

/* They may be strong to one another: each with a scope that takes in the other's thread. */
static bool conflict(const Record *old, const Record *now)
{
    unsigned both = old->flags & now->flags, any = old->flags | now->flags;
    if (!(any & RECORD_WRITES))
        return false;
    bool one_tells = !(both & RECORD_WRITES) && (any & RECORD_TOLD) && (any & RECORD_ATOMIC);
    bool apart = (any & RECORD_NARROW) && old->block != now->block;
    return apart || !((both & RECORD_ATOMIC) || one_tells);
}

/* Strong, and the one is taken as data that the other stores: who comes first decides. */
static bool is_volatile_data(const Record *old, const Record *now)
{
    unsigned both = old->flags & now->flags, any = old->flags | now->flags;
    return (both & RECORD_DATA) && (any & RECORD_WRITES) && !(both & RECORD_WRITES);
}

/* Something is to be said of the two, unless one comes before the other. */
static bool records_meet(const Record *old, const Record *now)
{
    return conflict(old, now) || is_volatile_data(old, now);
}

static bool is_same_thread(const Record *old, Cell cell, const Record *now, Cell mine)
{
    return old->block == now->block && old->first_thread == now->first_thread &&
           (cell ^ mine) % WARP_LANES == 0;
}

/* ---- runs ---- */

static Cell cell_at(const Run *run, unsigned i)
{
    return run->cell + (i >> run->shift);
}

typedef struct RunLook {
    Cell most, differ, other; /* highest cell; 0: they are one run; 0: they are this very run */
} RunLook;

HOT RunLook look(const Cell *cells, const Run *run)
{
    RunLook l = {0};
    Cell first = cells[run->first];
    for (unsigned i = 0; i < run->n; i++) {
        Cell c = cells[run->first + i], step = i >> run->shift;
        l.most = c > l.most ? c : l.most;
        l.differ |= c ^ (first + step);
        l.other |= c ^ (run->cell + step);
    }
    return l;
}

HOT void fill(Cell *cells, const Run *run)
{
    for (unsigned i = 0; i < run->n; i++)
        cells[run->first + i] = run->cell + (i >> run->shift);
}

static void __attribute__((noinline)) make_cells(RaceAccess *r, Cell **slot)
{
    const Run whole = slot_run(*slot);
    Cell *cells =
        pool_zalloc(r->pool, (r->line->fine ? LINE_BYTES : LINE_BYTES >> WORD_SHIFT) * sizeof *cells);
    if (cells && *slot)
        fill(cells, &whole);
    if (!cells)
        r->e->worker->limited = true;
    *slot = cells;
}

Cell *race_slot_cells(RaceAccess *r, Slot slot)
{
    Cell **cells = &r->line->slots[slot];
    if (!*cells || slot_is_whole(*cells))
        make_cells(r, cells);
    return *cells;
}

/* Nothing is known of the run's cells any more. */
HOT void clear(RaceAccess *r, const Run *run, unsigned slot)
{
    Cell **cells = &r->line->slots[slot];
    if (!*cells)
        return;
    if (slot_is_whole(*cells)) {
        if (run_is_whole(r->line, run)) {
            *cells = NULL;
            return;
        }
        make_cells(r, cells);
    }
    if (*cells)
        memset(*cells + run->first, 0, run->n * sizeof **cells);
}

/* The run's cells are this run. */
HOT void set(RaceAccess *r, const Run *run, Slot slot)
{
    Cell **at = &r->line->slots[slot];
    if (may_be_whole(r, run) && (!*at || slot_is_whole(*at))) {
        *at = slot_of_run(run);
        return;
    }
    Cell *cells = race_slot_cells(r, slot);
    if (cells)
        fill(cells, run);
}

/* ---- checking ---- */

/* A whole run that one instruction left: true when none of its lanes can race with this one. */
static bool is_harmless_run(const RaceAccess *r, const Run *run, Cell first)
{
    const Record *old = record_at(r, first);
    if (first % WARP_LANES + ((run->n - 1) >> run->shift) >= WARP_LANES)
        return false; /* it only looks like one run */
    return !records_meet(old, &r->now) || is_same_thread(old, first, &r->now, run->cell) ||
           (old->block == r->now.block && old->interval < r->now.interval);
}

static void __attribute__((noinline)) check_cells(RaceAccess *r, const Run *run, const Cell *cells)
{
    Cell last_old = 0, last_now = 0;
    for (unsigned i = 0; i < run->n; i++) {
        Cell old = cells[run->first + i], now = cell_at(run, i);
        if (old < r->floor || (old == last_old && now == last_now))
            continue;
        last_old = old;
        last_now = now;
        const Record *theirs = record_at(r, old);
        if (!records_meet(theirs, &r->now) || is_same_thread(theirs, old, &r->now, now) ||
            is_before(r, theirs, old, now))
            continue;
        bool same = is_twin(r, now, old)
                        ? stores_same(r->a, now % WARP_LANES, old % WARP_LANES)
                        : (theirs->flags & RECORD_WRITES) && writes_same(r->a, now % WARP_LANES);
        FindingKind kind = !conflict(theirs, &r->now) ? FINDING_VOLATILE : same ? FINDING_SAME_VALUE : FINDING_RACE;
        race_note(r, kind, now, old,
                  (run->first + i) << (r->line->fine ? 0 : WORD_SHIFT), 1);
    }
}

/* A slot that is one run: true when it says nothing against the run that meets it. */
HOT bool whole_is_harmless(const RaceAccess *r, const Run *run, const Cell *slot)
{
    Run whole = slot_run(slot);
    if (whole.cell < r->floor)
        return true;
    if (whole.shift == run->shift && (run->first & ((1u << run->shift) - 1)) == 0)
        return is_harmless_run(r, run, whole.cell + (run->first >> run->shift));
    const Record *old = record_at(r, whole.cell);
    return !records_meet(old, &r->now) || (old->block == r->now.block && old->interval < r->now.interval);
}

HOT void check_slot(RaceAccess *r, const Run *run, Slot slot)
{
    const Cell *cells = r->line->slots[slot];
    if (!cells)
        return;
    if (slot_is_whole(cells)) {
        if (whole_is_harmless(r, run, cells) || !(cells = race_slot_cells(r, slot)))
            return;
        check_cells(r, run, cells);
        return;
    }
    RunLook l = look(cells, run);
    if (l.most < r->floor || (!l.differ && is_harmless_run(r, run, cells[run->first])))
        return;
    check_cells(r, run, cells);
}

/* ---- remembering ---- */

/* This access is told late, and what the line remembers came after it. */
static bool is_later(const RaceAccess *r, const Record *theirs, Cell old, Cell now)
{
    return r->e->replays && theirs->block == r->now.block &&
           (theirs->interval > r->now.interval ||
            (theirs->interval == r->now.interval && is_same_thread(theirs, old, &r->now, now)));
}

/* What a record says to those that come after: a plain access races with more of them than an atomic one. */
static unsigned weakness(const Record *r)
{
    return !(r->flags & RECORD_ATOMIC) ? 2 : r->flags & RECORD_NARROW ? 1 : 0;
}

/* The older access says less than this one: it is the same thread's, or comes before it. */
static bool may_replace(const RaceAccess *r, Cell old, Cell now)
{
    const Record *theirs = record_at(r, old);
    if (is_later(r, theirs, old, now))
        return false;
    if (weakness(theirs) > weakness(&r->now))
        return false; /* it says more */
    if (is_same_thread(theirs, old, &r->now, now))
        return true;
    if (theirs->block != r->now.block && old >= r->e->block->learnt_mark)
        return false; /* nothing that old has been learnt of */
    return is_before(r, theirs, old, now);
}

static bool same_warp(const Record *a, const Record *b)
{
    return a->block == b->block && a->first_thread == b->first_thread;
}

/* Adds an access to a pair of cells that keeps two of different threads. */
static void remember(const RaceAccess *r, Cell *one, Cell *two, Cell now)
{
    if (*one < r->floor || may_replace(r, *one, now)) {
        *one = now;
        return;
    }
    const Record *first = record_at(r, *one);
    if (is_same_thread(first, *one, &r->now, now) && weakness(first) >= weakness(&r->now))
        return;
    if (*two < r->floor || may_replace(r, *two, now)) {
        *two = now;
        return;
    }
    const Record *second = record_at(r, *two), *mine = &r->now;
    if (is_same_thread(second, *two, mine, now))
        return;
    if (weakness(mine) > weakness(first))
        *one = now;
    else if (weakness(mine) > weakness(second))
        *two = now;
    else if (first->block == second->block &&
             (mine->block != first->block || (same_warp(first, second) && !same_warp(first, mine))))
        *two = now;
}

/* Words that two blocks, or two warps of one, have read, both plainly. */
static void note_crowd(RaceAccess *r, const Run *run, Cell one, Cell two)
{
    if (r->line->fine || one < r->floor || two < r->floor)
        return;
    const Record *a = record_at(r, one), *b = record_at(r, two);
    bool apart = r->a->space == SPACE_SHARED ? !same_warp(a, b) : a->block != b->block;
    if (apart && !((a->flags | b->flags) & RECORD_ATOMIC))
        r->line->crowd |= word_bits(run->first << WORD_SHIFT, run->n << WORD_SHIFT);
}

/* True when nobody is known to have used the words otherwise than by atomics. */
static bool is_atoms_only(const RaceAccess *r, const Run *run)
{
    for (Slot s = SLOT_WRITE; s <= SLOT_READ2; s++) {
        const Cell *cells = r->line->slots[s];
        if (cells && slot_is_whole(cells)) {
            if (slot_run(cells).cell >= r->floor)
                return false;
            continue;
        }
        for (unsigned i = 0; cells && i < run->n; i++)
            if (cells[run->first + i] >= r->floor)
                return false;
    }
    return true;
}

/* Words that two blocks, or two warps of one, have changed by reductions. */
static void note_atoms(RaceAccess *r, const Run *run, Cell one, Cell two)
{
    if (r->line->fine || r->line->narrow || one < r->floor || two < r->floor || !is_atoms_only(r, run))
        return;
    const Record *a = record_at(r, one), *b = record_at(r, two);
    if (r->a->space == SPACE_SHARED ? !same_warp(a, b) : a->block != b->block)
        r->line->atoms |= word_bits(run->first << WORD_SHIFT, run->n << WORD_SHIFT);
}

/* Reads of shared memory that no warp sync or fence has ordered: any two say enough, if they are in two
 * warps.
 */
HOT bool says_enough(RaceAccess *r, const Run *run)
{
    if (r->a->space != SPACE_SHARED || r->line->fine || r->e->block->order)
        return false;
    return (word_bits(run->first << WORD_SHIFT, run->n << WORD_SHIFT) & ~r->line->crowd) == 0;
}

/* The most cells from `at` on that are a run by themselves: a run begins with the first of a lane's cells. */
HOT unsigned piece_most(const Run *run, unsigned at)
{
    const unsigned lane = 1u << run->shift, left = run->n - at, begun = at & (lane - 1);
    return begun && lane - begun < left ? lane - begun : left;
}

/* Cells that go on as this access's lanes do are decided by the first of them. */
static void __attribute__((noinline))
remember_pieces(RaceAccess *r, const Run *run, Cell *one, Cell *two, Slot slot)
{
    for (unsigned at = 0, n; at < run->n; at += n) {
        Cell *p = one + run->first + at, *q = two + run->first + at, p0 = *p, q0 = *q;
        const unsigned most = piece_most(run, at);
        Cell step = at >> run->shift, p_step = p0 < r->floor ? 0 : 1, q_step = q0 < r->floor ? 0 : 1;
        for (n = 1; n < most; n++) {
            Cell more = ((at + n) >> run->shift) - step;
            Cell p_next = p_step ? p[n] ^ (p0 + more) : (Cell)(p[n] >= r->floor);
            Cell q_next = q_step ? q[n] ^ (q0 + more) : (Cell)(q[n] >= r->floor);
            if (p_next | q_next)
                break;
        }
        Run piece = {run->first + at, n, run->shift, run->cell + step};
        remember(r, &p0, &q0, piece.cell);
        if (p0 != *p)
            fill(one, &piece);
        if (q0 != *q)
            fill(two, &piece);
        (slot == SLOT_READ ? note_crowd : note_atoms)(r, &piece, p0, q0);
    }
}

/* The whole line, and what is known of it is whole, too. False: not so. */
HOT bool remember_whole(RaceAccess *r, const Run *run, Slot slot)
{
    Cell **one = &r->line->slots[slot], **two = one + 1;
    if (!may_be_whole(r, run) || (*one && !slot_is_whole(*one)) || (*two && !slot_is_whole(*two)))
        return false;
    Run first = slot_run(*one), second = slot_run(*two);
    if (!*one || first.cell < r->floor) {
        *one = slot_of_run(run);
        *two = NULL;
        return true;
    }
    bool empty = !*two || second.cell < r->floor;
    if (first.shift != run->shift || (!empty && second.shift != run->shift))
        return false;
    if (first.cell == run->cell || (slot == SLOT_READ && says_enough(r, run)))
        return true;
    Cell p = first.cell, q = empty ? 0 : second.cell;
    remember(r, &p, &q, run->cell);
    *one = slot_of_run(&(Run){0, run->n, run->shift, p});
    *two = q ? slot_of_run(&(Run){0, run->n, run->shift, q}) : NULL;
    if (slot == SLOT_READ)
        note_crowd(r, run, p, q);
    return true;
}

HOT void remember_run(RaceAccess *r, const Run *run, Slot slot)
{
    if (remember_whole(r, run, slot))
        return;
    Cell *one = race_slot_cells(r, slot), *two;
    if (!one)
        return;
    RunLook l = look(one, run);
    if (!l.other)
        return;
    if (l.most < r->floor) {
        fill(one, run);
        clear(r, run, slot + 1);
        return;
    }
    if (slot == SLOT_READ && says_enough(r, run))
        return;
    two = race_slot_cells(r, slot + 1);
    if (!two)
        return;
    remember_pieces(r, run, one, two, slot);
}

/* The access stands for all that slots from `from` on knew of its cells. */
HOT void replace(RaceAccess *r, const Run *run, Slot from, Slot slot)
{
    for (unsigned s = from; s < N_SLOTS; s++)
        if (s != slot)
            clear(r, run, s);
    set(r, run, slot);
}

/* ---- one run ---- */

HOT void access_run(RaceAccess *r, const Run *run)
{
    bool writes = r->now.flags & RECORD_WRITES, atomic = r->now.flags & RECORD_ATOMIC;
    bool narrow = r->now.flags & RECORD_NARROW;
    r->line->narrow |= narrow;
    if ((narrow || !race_only_adds(r->e, r->a)) && !r->line->fine)
        r->line->atoms &= ~word_bits(run->first << WORD_SHIFT, run->n << WORD_SHIFT);
    check_slot(r, run, SLOT_WRITE);
    if (!atomic || r->line->narrow) {
        check_slot(r, run, SLOT_ATOMIC);
        check_slot(r, run, SLOT_ATOMIC2);
    }
    if (!writes) {
        remember_run(r, run, SLOT_READ);
        return;
    }
    check_slot(r, run, SLOT_READ);
    check_slot(r, run, SLOT_READ2);
    if (!atomic) {
        if (!r->line->fine)
            r->line->crowd &= ~word_bits(run->first << WORD_SHIFT, run->n << WORD_SHIFT);
        replace(r, run, SLOT_WRITE, SLOT_WRITE);
    } else if (!race_only_adds(r->e, r->a)) {
        replace(r, run, SLOT_ATOMIC, SLOT_ATOMIC);
    } else {
        remember_run(r, run, SLOT_ATOMIC);
    }
}

/* From a cell for each word to a cell for each byte. */
static bool make_fine(RaceAccess *r)
{
    Cell *fine[N_SLOTS] = {NULL};
    for (int s = 0; s < N_SLOTS; s++) {
        if (!r->line->slots[s])
            continue;
        const Cell *coarse = race_slot_cells(r, (Slot)s);
        if (!coarse)
            return false;
        fine[s] = pool_alloc(r->pool, LINE_BYTES * sizeof *fine[s]);
        if (!fine[s]) {
            r->e->worker->limited = true;
            return false;
        }
        for (unsigned i = 0; i < LINE_BYTES; i++)
            fine[s][i] = coarse[i >> WORD_SHIFT];
    }
    memcpy(r->line->slots, fine, sizeof fine);
    r->line->crowd = r->line->atoms = 0;
    r->line->fine = true;
    return true;
}

static unsigned log2_of(unsigned n)
{
    return (unsigned)__builtin_ctz(n);
}

CLONES void race_line_access(RaceAccess *r, unsigned from, unsigned n, unsigned lane, bool same)
{
    if (!r->line->fine && ((from | n | r->a->bytes) & 3) && !make_fine(r))
        return;
    if (r->a->space == SPACE_SHARED) {
        race_renew_line(r->line, r->records->base);
        *(r->now.flags & RECORD_WRITES ? &r->line->written : &r->line->read) |= word_bits(from, n);
    }
    unsigned grain = r->line->fine ? 0 : WORD_SHIFT;
    Run run = {.first = from >> grain,
               .n = n >> grain,
               .shift = same ? ONE_LANE_SHIFT : log2_of(r->a->bytes) - grain,
               .cell = cell_of(r->record, lane)};
    access_run(r, &run);
}
