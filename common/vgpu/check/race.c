/* The race checker: two accesses to one byte by different threads, at least one of them a write, not both
 * atomic, and neither before the other. Shared memory, and global memory within a launch.
 *
 * Shadow memory has a line for each 128 bytes, and a line has a list of entries. An entry is what one warp
 * instruction did to the line, for all its lanes at once:
 *
 *      byte of the line    0 1 2 3 4 5 6 7 8 9 ...        thread(byte) = first + ((byte + off) >> shift)
 *      mask                1 1 1 1 1 1 1 1 1 1 ...
 *      thread              0 0 0 0 1 1 1 1 2 2 ...        first = 0, off = 0, shift = 2
 *
 * so an access side by side costs one entry a line, and a check is an AND of masks. Accesses at a constant
 * stride that is a power of two fit in one entry a line too; others take one entry a lane.
 *
 * What is kept. A write checks all entries on its bytes, then replaces them: they are before it, or have just
 * been reported. An atomic whose result is used replaces the atomics before it: it has seen what they made,
 * so they come before it. Reads pile up beside one another, as do reductions (atomics without a result), but
 * two of different threads say as much as twenty: a third of the same block between two barriers is dropped,
 * and in global memory so are all of what two different blocks have done. This loses no race unless
 * publications order some of them and not others.
 *
 * Clearing costs nothing: a line is empty when its generation is not the current one. Shared memory gets a
 * new generation at each block-wide barrier; global memory gets one at each launch.
 *
 * Two threads that write one same value are advice. The checker sees the value that is about to be written,
 * and memory still holds the one before.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    CHUNK_LINES = 64,
    ENTRIES_FIRST = 2,
    ENTRIES_MAX = 1024, /* of a line; reads beyond are not kept */
    ONE_LANE_SHIFT = 12,
};

enum { ENTRY_WRITES = 1, ENTRY_ATOMIC = 2 }; /* flags; atomic: may meet another atomic entry without a race */

typedef struct Mask {
    uint64_t low, high;
} Mask;

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
    Mask crowd[N_PILES]; /* bytes with entries of two blocks */
    uint16_t n, cap;
    uint16_t n_writers, n_plain; /* entries that write; that are not atomic */
} RaceLine;

/* Shadow of one allocation in one launch: MemAlloc.shadow. */
typedef struct Shadow {
    uint64_t base; /* address of line 0 */
    uint64_t n_chunks;
    RaceLine *chunks[]; /* NULL until touched */
} Shadow;

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

/* ---- masks ---- */

static Mask mask_range(unsigned from, unsigned n)
{
    unsigned to = from + n;
    Mask m = {0};
    if (from < 64)
        m.low = (to >= 64 ? UINT64_MAX : ((uint64_t)1 << to) - 1) & UINT64_MAX << from;
    if (to > 64)
        m.high = (to >= 128 ? UINT64_MAX : ((uint64_t)1 << (to - 64)) - 1) &
                 UINT64_MAX << (from > 64 ? from - 64 : 0);
    return m;
}

static Mask mask_and(Mask a, Mask b)
{
    return (Mask){a.low & b.low, a.high & b.high};
}

static Mask mask_or(Mask a, Mask b)
{
    return (Mask){a.low | b.low, a.high | b.high};
}

static Mask mask_without(Mask a, Mask b)
{
    return (Mask){a.low & ~b.low, a.high & ~b.high};
}

static bool mask_empty(Mask m)
{
    return !(m.low | m.high);
}

static unsigned mask_first(Mask m)
{
    return m.low ? (unsigned)__builtin_ctzll(m.low) : 64 + (unsigned)__builtin_ctzll(m.high);
}

static uint32_t thread_of(const Entry *e, unsigned byte)
{
    return e->first + ((uint32_t)((int)byte + e->off) >> e->shift);
}

static bool same_threads(const Entry *a, const Entry *b)
{
    return a->block == b->block && a->first == b->first && a->off == b->off && a->shift == b->shift;
}

/* ---- reports ---- */

/* True when the lane writes what its bytes hold already. */
static bool writes_same(const ExecAccess *a, unsigned lane)
{
    if (a->kind != ACCESS_STORE || !a->n_values)
        return false;
    const uint8_t *at =
        a->host ? a->host[lane] : a->host0 + (a->addr[lane] - a->addr[__builtin_ctz(a->mask)]);
    size_t bytes = a->bytes / a->n_values;
    for (size_t k = 0; k < a->n_values; k++)
        if (memcmp(at + k * bytes, a->value[k] + lane * a->value_stride, bytes) != 0)
            return false;
    return true;
}

/* Which of the two is named first: the one that writes, the one that is not atomic, the one whose place comes
 * first. So that a pair of places is one finding, whoever came first. */
static bool is_named_first(const Entry *a, const Entry *b)
{
    if ((a->access == ACCESS_LOAD) != (b->access == ACCESS_LOAD))
        return b->access == ACCESS_LOAD;
    if ((a->access == ACCESS_STORE) != (b->access == ACCESS_STORE))
        return a->access == ACCESS_STORE;
    return a->place <= b->place;
}

static void note_race(RaceAccess *r, FindingKind kind, const Entry *old, unsigned byte, uint64_t count)
{
    bool now_first = is_named_first(&r->entry, old);
    const Entry *first = now_first ? &r->entry : old, *second = now_first ? old : &r->entry;
    NoteKey key = {.kind = (uint8_t)kind,
                   .space = r->a->space,
                   .access = first->access,
                   .other_access = second->access,
                   .place = first->place,
                   .other = second->place};
    Note *n = check_note(r->e, &key, thread_of(first, byte), count);
    if (!n)
        return;
    n->block = first->block;
    n->address = r->line_addr + byte;
    n->bytes = first->bytes;
    n->other_block = second->block;
    n->other_thread = thread_of(second, byte);
    n->has_alloc = r->alloc != NULL;
    if (r->alloc)
        n->alloc = *r->alloc;
}

/* The two entries meet on the bytes of `both`, and one of them writes. */
static void check_pair(RaceAccess *r, const Entry *old, Mask both)
{
    const Entry *now = &r->entry;
    if (old->block == now->block && old->interval < now->interval)
        return; /* a barrier lies between */
    uint64_t races = 0, same = 0;
    unsigned race_at = 0, same_at = 0;
    uint32_t last_old = UINT32_MAX, last_now = UINT32_MAX;
    for (; !mask_empty(both);) {
        unsigned byte = mask_first(both);
        both = mask_without(both, mask_range(byte, 1));
        uint32_t told = thread_of(old, byte), tnow = thread_of(now, byte);
        if ((told == last_old && tnow == last_now) || (told == tnow && old->block == now->block))
            continue;
        last_old = told;
        last_now = tnow;
        OrderPoint p = {old->block, told, old->interval, old->tick};
        if (order_is_after(r->e, tnow, &p))
            continue;
        if ((old->flags & ENTRY_WRITES) && writes_same(r->a, tnow - r->e->who->first_thread)) {
            same_at = same++ ? same_at : byte;
        } else {
            race_at = races++ ? race_at : byte;
        }
    }
    if (races)
        note_race(r, FINDING_RACE, old, race_at, races);
    if (same)
        note_race(r, FINDING_SAME_VALUE, old, same_at, same);
}

/* ---- lines ---- */

static bool push_entry(RaceAccess *r, RaceLine *line, const Entry *entry)
{
    if (line->n == line->cap) {
        unsigned cap = line->cap ? line->cap * 3u : ENTRIES_FIRST;
        Entry *bigger = cap <= ENTRIES_MAX ? pool_alloc(r->pool, cap * sizeof *bigger) : NULL;
        if (!bigger) {
            r->e->worker->limited = true;
            return false;
        }
        if (line->n)
            memcpy(bigger, line->entries, line->n * sizeof *bigger);
        line->entries = bigger;
        line->cap = (uint16_t)cap;
    }
    line->entries[line->n++] = *entry;
    line->n_writers += (entry->flags & ENTRY_WRITES) != 0;
    line->n_plain += (entry->flags & ENTRY_ATOMIC) == 0;
    return true;
}

/* Takes bytes from the entries that `which` accepts (NULL: all), and forgets empty ones. */
static void take_bytes(RaceLine *line, Mask mask, const Entry *now,
                       bool (*which)(const Entry *old, const Entry *now))
{
    unsigned kept = 0;
    for (unsigned i = 0; i < line->n; i++) {
        Entry *e = &line->entries[i];
        if (!which || which(e, now))
            e->mask = mask_without(e->mask, mask);
        if (!mask_empty(e->mask)) {
            line->entries[kept++] = *e;
            continue;
        }
        line->n_writers -= (e->flags & ENTRY_WRITES) != 0;
        line->n_plain -= (e->flags & ENTRY_ATOMIC) == 0;
    }
    line->n = (uint16_t)kept;
}

static bool conflict(const Entry *old, const Entry *now)
{
    return ((old->flags | now->flags) & ENTRY_WRITES) && !(old->flags & now->flags & ENTRY_ATOMIC);
}

static int pile_of(const Entry *e)
{
    return e->flags == 0 ? 0 : e->flags == ENTRY_ATOMIC ? 1 : 2;
}

/* Bytes that need no more entries of this kind. In shared memory only while no warp syncs or fences: those
 * order some threads of a block and not others. */
static Mask crowd_of(const RaceAccess *r, const RaceLine *line)
{
    return r->a->space == SPACE_SHARED && r->e->block->order ? (Mask){0} : line->crowd[pile_of(&r->entry)];
}

/* An earlier entry of the same kind that comes before this one: whatever races with it races with this one.
 */
static bool is_superseded(const Entry *old, const Entry *now)
{
    return old->flags == now->flags && old->block == now->block &&
           (old->interval < now->interval || same_threads(old, now));
}

/* Adds an entry of a kind that piles up beside others of its kind, as far as it says something new. */
static void pile_up(RaceAccess *r, RaceLine *line)
{
    Entry *now = &r->entry;
    Mask once = {0}, known = crowd_of(r, line), others = {0};
    bool supersedes = false;
    for (unsigned i = 0; i < line->n; i++) {
        Entry *old = &line->entries[i];
        Mask both = mask_and(old->mask, now->mask);
        if (old->flags != now->flags || mask_empty(both))
            continue;
        if (old->block != now->block) {
            others = mask_or(others, both);
        } else if (old->interval != now->interval || (same_threads(old, now) && old->tick != now->tick)) {
            supersedes = true;
        } else if (same_threads(old, now)) {
            known = mask_or(known, both);
        } else if (old->tick == now->tick &&
                   thread_of(old, mask_first(both)) != thread_of(now, mask_first(both))) {
            known = mask_or(known, mask_and(once, both));
            once = mask_or(once, both);
        }
    }
    Entry entry = *now;
    entry.mask = mask_without(now->mask, known);
    if (mask_empty(entry.mask))
        return;
    Mask *crowd = &line->crowd[pile_of(now)];
    *crowd = mask_or(*crowd, r->a->space == SPACE_SHARED ? once : others);
    if (supersedes)
        take_bytes(line, entry.mask, now, is_superseded);
    for (unsigned i = 0; i < line->n; i++) {
        Entry *old = &line->entries[i];
        if (old->flags == now->flags && same_threads(old, now) && old->interval == now->interval &&
            old->tick == now->tick) {
            old->mask = mask_or(old->mask, entry.mask);
            return;
        }
    }
    push_entry(r, line, &entry);
}

/* True when nothing on the line can race with this access, and the line knows enough of its kind. */
static bool is_old_news(const RaceAccess *r, const RaceLine *line)
{
    const Entry *now = &r->entry;
    if (now->flags == ENTRY_WRITES || (now->flags == 0 ? line->n_writers : line->n_plain))
        return false;
    return mask_empty(mask_without(now->mask, crowd_of(r, line)));
}

static bool is_atomic_write(const Entry *old, const Entry *now)
{
    (void)now;
    return old->flags == (ENTRY_WRITES | ENTRY_ATOMIC);
}

/* Puts the entry in place of all others on its bytes that `which` accepts (NULL: all). */
static void replace(RaceAccess *r, RaceLine *line, bool (*which)(const Entry *old, const Entry *now))
{
    take_bytes(line, r->entry.mask, &r->entry, which);
    for (int i = 0; i < N_PILES; i++)
        if (!which || i == N_PILES - 1) /* after an atomic the reads stay */
            line->crowd[i] = mask_without(line->crowd[i], r->entry.mask);
    push_entry(r, line, &r->entry);
}

/* One entry of the access on one line: checks it against what the line has, and adds it. */
static void line_access(RaceAccess *r)
{
    RaceLine *line = r->line;
    Entry *now = &r->entry;
    if (line->generation != r->generation) {
        line->generation = r->generation;
        line->n = line->n_writers = line->n_plain = 0;
        memset(line->crowd, 0, sizeof line->crowd);
    }
    if (is_old_news(r, line))
        return;
    for (unsigned i = 0; i < line->n; i++) {
        const Entry *old = &line->entries[i];
        Mask both = mask_and(old->mask, now->mask);
        if (!mask_empty(both) && conflict(old, now) && !same_threads(old, now))
            check_pair(r, old, both);
    }
    if (now->flags == ENTRY_WRITES)
        replace(r, line, NULL);
    else if (r->a->kind == ACCESS_ATOMIC && !r->e->who->inst->result_unused)
        replace(r, line, is_atomic_write);
    else
        pile_up(r, line);
}

/* ---- finding the lines ---- */

bool race_prepare_block(CheckBlock *b, uint32_t bytes)
{
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

static Shadow *shadow_of(RaceAccess *r)
{
    CheckSet *set = r->e->set;
    MemAlloc *a = r->alloc;
    if (__atomic_load_n(&a->shadow_launch, __ATOMIC_ACQUIRE) == r->generation)
        return a->shadow;
    pthread_mutex_lock(&set->lock);
    Shadow *s = a->shadow;
    if (a->shadow_launch != r->generation) {
        uint64_t base = a->addr & ~(uint64_t)(LINE_BYTES - 1);
        uint64_t n_chunks = (a->addr + a->bytes - base) / (LINE_BYTES * CHUNK_LINES) + 1;
        s = pool_zalloc(&r->e->worker->pool, sizeof *s + n_chunks * sizeof *s->chunks);
        if (s) {
            s->base = base;
            s->n_chunks = n_chunks;
            a->shadow = s;
            __atomic_store_n(&a->shadow_launch, r->generation, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&set->lock);
    return s;
}

static RaceLine *global_line(RaceAccess *r, uint64_t addr)
{
    Shadow *s = shadow_of(r);
    if (!s)
        return NULL;
    uint64_t line = (addr - s->base) >> LINE_SHIFT;
    RaceLine **slot = &s->chunks[line / CHUNK_LINES];
    RaceLine *chunk = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!chunk) {
        CheckSet *set = r->e->set;
        pthread_mutex_lock(&set->lock);
        chunk = *slot;
        if (!chunk) {
            chunk = pool_zalloc(&r->e->worker->pool, CHUNK_LINES * sizeof *chunk);
            __atomic_store_n(slot, chunk, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&set->lock);
    }
    return chunk ? &chunk[line % CHUNK_LINES] : NULL;
}

/* Applies the entry, whose mask and threads are set, to the line of addr. */
static void apply(RaceAccess *r, uint64_t line_addr)
{
    CheckSet *set = r->e->set;
    r->line_addr = line_addr;
    if (r->a->space == SPACE_SHARED) {
        r->line = &r->e->block->lines[line_addr >> LINE_SHIFT];
        line_access(r);
        return;
    }
    r->line = global_line(r, line_addr);
    if (!r->line) {
        r->e->worker->limited = true;
        return;
    }
    pthread_mutex_t *lock = &set->line_locks[(line_addr >> LINE_SHIFT) % CHECK_LINE_LOCKS];
    if (set->n_workers > 1)
        pthread_mutex_lock(lock);
    line_access(r);
    if (set->n_workers > 1)
        pthread_mutex_unlock(lock);
}

/* ---- patterns ---- */

static uint64_t line_of(uint64_t addr)
{
    return addr & ~(uint64_t)(LINE_BYTES - 1);
}

static void apply_lane(RaceAccess *r, unsigned lane)
{
    uint64_t addr = r->a->addr[lane], line = line_of(addr);
    r->entry.first = (uint16_t)(r->e->who->first_thread + lane);
    r->entry.off = 0;
    r->entry.shift = ONE_LANE_SHIFT;
    r->entry.mask = mask_range((unsigned)(addr - line), r->a->bytes);
    apply(r, line);
}

/* Lanes first .. last at a constant stride of 1 << shift, from addr on; each line gets one entry. */
static void apply_stride(RaceAccess *r, unsigned first, unsigned last, unsigned shift)
{
    const ExecAccess *a = r->a;
    uint64_t start = a->addr[first];
    r->entry.first = (uint16_t)(r->e->who->first_thread);
    r->entry.shift = (uint8_t)shift;
    for (unsigned lane = first; lane <= last;) {
        uint64_t addr = start + ((uint64_t)(lane - first) << shift), line = line_of(addr);
        unsigned offset = (unsigned)(addr - line);
        unsigned n = ((LINE_BYTES - 1 - offset) >> shift) + 1; /* lanes that begin in this line */
        if (n > last - lane + 1)
            n = last - lane + 1;
        Mask m = {0};
        if (1u << shift == a->bytes)
            m = mask_range(offset, n << shift);
        else
            for (unsigned i = 0; i < n; i++)
                m = mask_or(m, mask_range(offset + (i << shift), a->bytes));
        r->entry.mask = m;
        r->entry.off = (int16_t)((int)(lane << shift) - (int)offset);
        apply(r, line);
        lane += n;
    }
}

static unsigned log2_of(unsigned n)
{
    return (unsigned)__builtin_ctz(n);
}

enum { NO_STRIDE = -1 };

/* log2 of the stride from this lane to the next one, when that is recorded too and the stride fits an entry.
 */
static int stride_at(const RaceAccess *r, unsigned lane)
{
    const ExecAccess *a = r->a;
    if (lane + 1 >= WARP_LANES || !(r->lanes >> (lane + 1) & 1) || a->addr[lane + 1] <= a->addr[lane])
        return NO_STRIDE;
    uint64_t d = a->addr[lane + 1] - a->addr[lane];
    if (d > LINE_BYTES / 2 || d < a->bytes || (d & (d - 1)))
        return NO_STRIDE;
    return (int)log2_of((unsigned)d);
}

/* The allocation of a lane's address is followed. */
static bool find_alloc(RaceAccess *r, uint64_t addr)
{
    if (r->a->space == SPACE_SHARED)
        return true;
    r->alloc = r->a->alloc ? r->a->alloc : mem_find(r->e->set->launch->mem, addr);
    return r->alloc &&
           r->alloc->kind != MEM_INTERNAL; /* the runtime's own words order, they are not checked */
}

/* Any pattern: runs of lanes at a constant stride, and single lanes. Of lanes that all hit one address, two
 * will do. */
static void apply_runs(RaceAccess *r)
{
    const ExecAccess *a = r->a;
    uint64_t before = UINT64_MAX, before2 = UINT64_MAX;
    bool one_alloc = a->alloc || a->space == SPACE_SHARED;
    for (uint32_t rest = r->lanes; rest;) {
        unsigned lane = (unsigned)__builtin_ctz(rest), last = lane;
        uint64_t addr = a->addr[lane];
        int shift = one_alloc ? stride_at(r, lane) : NO_STRIDE;
        while (shift != NO_STRIDE && stride_at(r, last) == shift)
            last++;
        bool known = find_alloc(r, addr);
        if (known && last > lane)
            apply_stride(r, lane, last, (unsigned)shift);
        else if (known && !(addr == before && addr == before2))
            apply_lane(r, lane);
        before2 = before;
        before = addr;
        rest &= last == WARP_LANES - 1 ? 0 : UINT32_MAX << (last + 1);
    }
}

/* ---- one instruction's own lanes ---- */

static bool same_value(const ExecAccess *a, unsigned lane, unsigned other)
{
    size_t bytes = a->n_values ? a->bytes / a->n_values : 0;
    for (unsigned k = 0; k < a->n_values; k++)
        if (memcmp(a->value[k] + lane * a->value_stride, a->value[k] + other * a->value_stride, bytes) != 0)
            return false;
    return bytes != 0;
}

static void note_twins(RaceAccess *r, unsigned lane, unsigned other)
{
    uint64_t addr = r->a->addr[lane];
    uint16_t warp = (uint16_t)r->e->who->first_thread;
    Entry old = r->entry;
    old.shift = r->entry.shift = ONE_LANE_SHIFT;
    old.off = r->entry.off = 0;
    old.first = (uint16_t)(warp + other);
    r->entry.first = (uint16_t)(warp + lane);
    if (!find_alloc(r, addr))
        return;
    r->line_addr = line_of(addr);
    note_race(r, same_value(r->a, lane, other) ? FINDING_SAME_VALUE : FINDING_RACE, &old,
              (unsigned)(addr - r->line_addr), 1);
}

/* Lanes of one store that write one place: a race, or advice when they write the same value. Each is told
 * against the last such lane before it, and only the last one of a place is recorded. */
static void check_twins(RaceAccess *r)
{
    const ExecAccess *a = r->a;
    uint8_t slots[2 * WARP_LANES] = {0}; /* hash of addresses: lane + 1 */
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        unsigned at = (unsigned)(a->addr[lane] * 0x9E3779B97F4A7C15u >> 58);
        while (slots[at] && a->addr[slots[at] - 1] != a->addr[lane])
            at = (at + 1) % (2 * WARP_LANES);
        if (slots[at]) {
            note_twins(r, lane, slots[at] - 1u);
            r->lanes &= ~(1u << (slots[at] - 1));
        }
        slots[at] = (uint8_t)(lane + 1);
    }
}

static bool is_side_by_side(const ExecAccess *a, unsigned first, unsigned last)
{
    uint32_t run = (uint32_t)(((uint64_t)2 << last) - ((uint64_t)1 << first));
    return a->pattern == PATTERN_UNIT_STRIDE && a->mask == run &&
           (a->space == SPACE_SHARED || (a->alloc && a->alloc->kind != MEM_INTERNAL));
}

static uint8_t entry_flags(const CheckEvent *e, const ExecAccess *a)
{
    bool stores = a->kind != ACCESS_LOAD;
    bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION ||
                  (a->sem >= SEM_RELAXED && a->sem <= SEM_SC);
    if (a->sem == SEM_VOLATILE) /* a volatile store is meant to publish when a fence came before it */
        atomic =
            !stores || order_has_fenced(e->block, e->who->first_thread + (uint32_t)__builtin_ctz(a->mask));
    return (uint8_t)((stores ? ENTRY_WRITES : 0) | (atomic ? ENTRY_ATOMIC : 0));
}

void race_observe(const CheckEvent *e, const ExecAccess *a)
{
    if (a->space != SPACE_GLOBAL && a->space != SPACE_SHARED)
        return;
    bool shared = a->space == SPACE_SHARED;
    RaceAccess r = {.e = e, .a = a, .lanes = a->mask, .alloc = a->alloc};
    r.pool = shared ? &e->block->pool : &e->worker->pool;
    r.generation =
        shared ? e->block->generation : e->set->launch_number | (uint64_t)e->set->options.device << 48;
    r.entry = (Entry){
        .block = e->block->linear,
        .interval = e->block->interval,
        .tick = order_tick(e->block, e->who->warp),
        .place = check_place(e->set, e->who),
        .flags = entry_flags(e, a),
        .access = a->kind,
        .bytes = (uint8_t)a->bytes,
    };
    if (r.entry.flags == ENTRY_WRITES && a->pattern != PATTERN_UNIT_STRIDE)
        check_twins(&r);
    unsigned first = (unsigned)__builtin_ctz(a->mask), last = 31 - (unsigned)__builtin_clz(a->mask);
    if (is_side_by_side(a, first, last))
        apply_stride(&r, first, last, log2_of(a->bytes));
    else
        apply_runs(&r);
    bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
    if (atomic || (a->sem != SEM_WEAK && a->sem != SEM_NC))
        order_strong_access(e, a);
}
