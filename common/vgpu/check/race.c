/* The race checker: two accesses to one byte by different threads, at least one of them a write, not both
 * atomic, and neither before the other. Shared memory, and global memory within a launch.
 *
 * Shadow memory has a line for each 128 bytes. A line has up to five slots (the last write, two reads, two
 * atomic writes), made when they are first needed, and a slot has a cell for each word, or for each byte
 * once narrower accesses came. A cell is the number of a record and a lane: record.h.
 *
 *      line ---> last write     [cell 0][cell 1] ... [cell 31]     cell = record << 5 | lane
 *           ---> a read         [cell 0] ...                       record: who, where, when
 *           ---> another read
 *
 * So a warp that reads or writes side by side makes one record, and 32 cells are compared and stored in a few
 * vector operations, and a scattered access costs one cell a lane. cell.c does that; order.c knows what comes
 * before what beyond block-wide barriers.
 *
 * Clearing costs nothing: at each block-wide barrier the numbers of the block's records so far become
 * invalid; of global memory, each launch begins with no lines at all.
 */
#include "common/vgpu/check/race_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_PIECE = 256 };

/* ---- shared memory of a block ---- */

bool race_prepare_block(CheckBlock *b, uint32_t bytes)
{
    if (!b->records.chunks && !record_store_init(&b->records))
        return false;
    if (bytes <= b->shared_cap)
        return true;
    size_t cap = ((size_t)bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    RaceLine *lines = calloc(cap / LINE_BYTES, sizeof *lines);
    uint8_t *init = calloc(cap / 8, 1);
    if (!lines || !init) {
        free(lines);
        free(init);
        return false;
    }
    free(b->lines);
    free(b->shared_init);
    b->lines = lines;
    b->shared_init = init;
    b->shared_cap = cap;
    pool_reset(&b->pool);
    return true;
}

void race_forget_block(CheckBlock *b)
{
    if (record_store_forget(&b->records))
        return;
    memset(b->lines, 0, b->shared_cap / LINE_BYTES * sizeof *b->lines);
    pool_reset(&b->pool);
    record_store_reset(&b->records);
    b->maker = (RecordMaker){0};
}

void race_free_block(CheckBlock *b)
{
    record_store_free(&b->records);
    pool_free(&b->pool);
    free(b->lines);
}

/* ---- finding the lines ---- */

static Shadow *make_shadow(const CheckEvent *e, MemAlloc *a, uint64_t generation)
{
    CheckSet *set = e->set;
    pthread_mutex_lock(&set->lock);
    Shadow *s = a->shadow;
    if (a->shadow_launch != generation) {
        uint64_t base = a->addr & ~(uint64_t)(LINE_BYTES - 1);
        uint64_t n_chunks = (a->addr + a->bytes - base) / (LINE_BYTES * CHUNK_LINES) + 1;
        s = pool_zalloc(&e->worker->pool, sizeof *s + n_chunks * sizeof *s->chunks);
        if (s) {
            s->base = base;
            a->shadow = s;
            __atomic_store_n(&a->shadow_launch, generation, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&set->lock);
    return s;
}

static uint64_t generation_of(const CheckSet *set)
{
    return set->launch_number | (uint64_t)set->options.device << 48;
}

Shadow *race_shadow(const CheckEvent *e, MemAlloc *a)
{
    uint64_t generation = generation_of(e->set);
    if (__atomic_load_n(&a->shadow_launch, __ATOMIC_ACQUIRE) == generation)
        return a->shadow;
    return make_shadow(e, a, generation);
}

static RaceLine *make_chunk(RaceAccess *r, RaceLine **slot)
{
    CheckSet *set = r->e->set;
    pthread_mutex_lock(&set->lock);
    RaceLine *chunk = *slot;
    if (!chunk) {
        chunk = pool_zalloc(&r->e->worker->pool, CHUNK_LINES * sizeof *chunk);
        __atomic_store_n(slot, chunk, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&set->lock);
    return chunk;
}

static RaceLine *global_line(RaceAccess *r, uint64_t addr)
{
    Shadow *s = r->shadow;
    uint64_t line = (addr - s->base) >> LINE_SHIFT;
    RaceLine **slot = &s->chunks[line / CHUNK_LINES];
    RaceLine *chunk = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!chunk)
        chunk = make_chunk(r, slot);
    return chunk ? &chunk[line % CHUNK_LINES] : NULL;
}

static void access_global(RaceAccess *r, unsigned from, unsigned n, unsigned lane, bool same)
{
    CheckSet *set = r->e->set;
    r->line = global_line(r, r->line_addr);
    if (!r->line) {
        r->e->worker->limited = true;
        return;
    }
    wide_settle_global(r, from, n);
    pthread_mutex_t *lock = &set->line_locks[(r->line_addr >> LINE_SHIFT) % CHECK_LINE_LOCKS];
    if (set->n_workers > 1)
        pthread_mutex_lock(lock);
    race_line_access(r, from, n, lane, same);
    if (set->n_workers > 1)
        pthread_mutex_unlock(lock);
}

/* ---- segments ---- */

/* Bytes [addr, addr + bytes), each lane `r->a->bytes` of them unless all are one lane's: line by line. */
static void access_bytes(RaceAccess *r, uint64_t addr, uint64_t bytes, unsigned lane, bool same)
{
    for (uint64_t done = 0; done < bytes;) {
        r->line_addr = (addr + done) & ~(uint64_t)(LINE_BYTES - 1);
        unsigned from = (unsigned)(addr + done - r->line_addr);
        unsigned n = bytes - done < LINE_BYTES - from ? (unsigned)(bytes - done) : LINE_BYTES - from;
        unsigned at = same ? lane : lane + (unsigned)(done / r->a->bytes);
        if (r->a->space == SPACE_SHARED) {
            r->line = &r->e->block->lines[r->line_addr >> LINE_SHIFT];
            race_line_access(r, from, n, at, same);
        } else {
            access_global(r, from, n, at, same);
        }
        done += n;
    }
}

/* The allocation of an address is followed: the runtime's own words order, they are not checked. */
static bool find_shadow(RaceAccess *r, uint64_t addr)
{
    if (r->a->space == SPACE_SHARED)
        return true;
    MemAlloc *alloc = r->a->alloc ? r->a->alloc : mem_find(r->e->set->launch->mem, addr);
    if (!alloc || alloc->kind == MEM_INTERNAL)
        return false;
    if (alloc != r->alloc || !r->shadow) {
        r->alloc = alloc;
        r->shadow = race_shadow(r->e, alloc);
        r->e->worker->limited |= !r->shadow;
    }
    return r->shadow != NULL;
}

/* Lanes at one address: of reads and atomics the first and the last say enough, of stores each is told. */
static void access_place(RaceAccess *r, const Segment *s)
{
    bool stores = r->a->kind == ACCESS_STORE;
    for (unsigned i = 0; i < s->n; i++)
        if (stores || i == 0 || i == s->n - 1u)
            access_bytes(r, s->addr, r->a->bytes, s->lane + i, true);
}

static void access_segment(RaceAccess *r, const Segment *s)
{
    uint32_t bytes = r->a->bytes;
    if (!find_shadow(r, s->addr))
        return;
    if (s->same || s->n == 1) {
        access_place(r, s);
    } else if ((bytes & (bytes - 1)) == 0 && bytes <= LINE_BYTES) {
        access_bytes(r, s->addr, segment_bytes(s, bytes), s->lane, false);
    } else {
        for (unsigned i = 0; i < s->n; i++)
            access_bytes(r, s->addr + (uint64_t)i * bytes, bytes, s->lane + i, true);
    }
}

/* ---- the access ---- */

static bool is_polled(const CheckEvent *e)
{
    Place place = check_place(e->set, e->who);
    if (place == NO_PLACE)
        return true;
    GuessMemo *memo = &e->worker->guesses[place % GUESS_MEMO];
    if (memo->read != place + 1 || memo->other != 0)
        *memo = (GuessMemo){place + 1, 0, polled_is(e->who->function, (uint32_t)(e->who->inst - e->who->function->insts))};
    return memo->checked;
}

static uint8_t record_flags(const CheckEvent *e, const ExecAccess *a)
{
    bool stores = a->kind != ACCESS_LOAD;
    bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION ||
                  (a->sem >= SEM_RELAXED && a->sem <= SEM_SC);
    /* Volatile accesses are strong (PTX ISA 8.4): a load of what another thread stores does not race. Two
     * volatile stores of different threads are told nevertheless, unless a fence came before: one of them is
     * lost. So are loads of shared memory: the sums of a warp that rely on volatile alone are wrong, as
     * nothing orders their steps. */
    bool told = false;
    if (a->sem == SEM_VOLATILE) {
        atomic =
            !stores || order_has_fenced(e->block, e->who->first_thread + (uint32_t)__builtin_ctz(a->mask));
        told = stores && !atomic && a->space == SPACE_GLOBAL;
    }
    bool data = a->sem == SEM_VOLATILE && a->space == SPACE_GLOBAL && (stores ? told : !is_polled(e));
    bool narrow = atomic && a->space == SPACE_GLOBAL && order_is_narrow((IrScope)a->scope);
    return (uint8_t)((stores ? RECORD_WRITES : 0) | (atomic ? RECORD_ATOMIC : 0) | (told ? RECORD_TOLD : 0) |
                     (narrow ? RECORD_NARROW : 0) | (data ? RECORD_DATA : 0));
}

bool race_begin_access(RaceAccess *r)
{
    const CheckEvent *e = r->e;
    const ExecAccess *a = r->a;
    bool shared = a->space == SPACE_SHARED;
    CheckSet *set = e->set;
    r->now = (Record){
        .block = e->block->linear,
        .interval = e->block->interval,
        .epoch = order_epoch(e->block, e->who->warp),
        .place = check_place(set, e->who),
        .first_thread = (uint16_t)e->who->first_thread,
        .flags = record_flags(e, a),
        .access = a->kind,
        .bytes = (uint8_t)a->bytes,
        .space = a->space,
    };
    r->pool = shared ? &e->block->pool : &e->worker->pool;
    r->records = shared ? &e->block->records : &set->records;
    r->record = shared ? record_make(r->records, &e->block->maker, &r->now, 1, NULL)
                       : record_make(r->records, &e->worker->maker, &r->now, RECORD_PIECE, &set->lock);
    r->floor = cell_of(r->records->base, 0);
    return r->record != 0;
}

/* A plain load of words that are only read in this launch, and by two blocks at least, or a reduction of
 * words that are used by reductions alone: common cases, told without a record. */
static bool is_old_news(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    uint64_t generation = generation_of(e->set);
    bool loads = a->kind == ACCESS_LOAD && (a->sem == SEM_WEAK || a->sem == SEM_NC);
    if (a->space != SPACE_GLOBAL || !loads || !a->alloc || e->block->learnt_mark ||
        __atomic_load_n(&a->alloc->shadow_launch, __ATOMIC_ACQUIRE) != generation)
        return false;
    const Shadow *shadow = a->alloc->shadow;
    for (unsigned i = 0; i < segments->n; i++) {
        uint64_t at = segments->at[i].addr - shadow->base;
        uint64_t end = at + segment_bytes(&segments->at[i], a->bytes);
        for (uint64_t next; at < end; at = next) {
            next = (at | (LINE_BYTES - 1)) + 1;
            next = next < end ? next : end;
            const RaceLine *chunk =
                __atomic_load_n(&shadow->chunks[at / (LINE_BYTES * CHUNK_LINES)], __ATOMIC_ACQUIRE);
            const RaceLine *line = chunk ? &chunk[(at >> LINE_SHIFT) % CHUNK_LINES] : NULL;
            unsigned from = (unsigned)(at % LINE_BYTES), n = (unsigned)(next - at);
            if (!line || !race_is_old_news(line, from, n))
                return false;
        }
    }
    return true;
}

/* A scattered access waits for memory at each lane: asks for all lines at once, then for all of their cells.
 */
static void fetch_ahead(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    uint64_t generation = generation_of(e->set);
    if (segments->n <= 8 || a->space != SPACE_GLOBAL || !a->alloc ||
        __atomic_load_n(&a->alloc->shadow_launch, __ATOMIC_ACQUIRE) != generation)
        return;
    const Shadow *shadow = a->alloc->shadow;
    const RaceLine *lines[WARP_LANES];
    for (unsigned i = 0; i < segments->n; i++) {
        uint64_t at = segments->at[i].addr - shadow->base;
        const RaceLine *chunk =
            __atomic_load_n(&shadow->chunks[at / (LINE_BYTES * CHUNK_LINES)], __ATOMIC_ACQUIRE);
        lines[i] = chunk ? &chunk[(at >> LINE_SHIFT) % CHUNK_LINES] : NULL;
        __builtin_prefetch(lines[i]);
    }
    for (unsigned i = 0; i < segments->n; i++) {
        uint64_t at = (segments->at[i].addr - shadow->base) % LINE_BYTES >> WORD_SHIFT;
        for (int s = 0; lines[i] && s < N_SLOTS; s++) {
            const Cell *cells = __atomic_load_n(&lines[i]->slots[s], __ATOMIC_RELAXED);
            if (cells && !slot_is_whole(cells))
                __builtin_prefetch(cells + at);
        }
    }
}

static void access_segments(RaceAccess *r, const SegmentList *segments)
{
    fetch_ahead(r->e, r->a, segments);
    if (!race_begin_access(r))
        r->e->worker->limited = true;
    for (unsigned i = 0; r->record && i < segments->n; i++)
        access_segment(r, &segments->at[i]);
}

void race_observe(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    RaceAccess r = {.e = e, .a = a};
    bool strong = a->sem != SEM_WEAK && a->sem != SEM_NC;
    if (strong)
        order_strong_read(e, a);
    if (!is_old_news(e, a, segments) && !wide_keep_scatter(e, a, segments))
        access_segments(&r, segments);
    if (strong)
        order_strong_write(e, a);
}
