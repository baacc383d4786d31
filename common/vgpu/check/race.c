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
 * line.c checks an access against the entries of its line, and says which entries are kept. order.c knows
 * what comes before what beyond block-wide barriers.
 *
 * Clearing costs nothing: a line is empty when its generation is not the current one. Shared memory gets a
 * new generation at each block-wide barrier; global memory gets one at each launch.
 */
#include "common/vgpu/check/race_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_LINES = 64 };

/* Shadow of one allocation in one launch: MemAlloc.shadow. */
typedef struct Shadow {
    uint64_t base; /* address of line 0 */
    uint64_t n_chunks;
    RaceLine *chunks[]; /* NULL until touched */
} Shadow;

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
        race_line_access(r);
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
    race_line_access(r);
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
    race_note(r, same_value(r->a, lane, other) ? FINDING_SAME_VALUE : FINDING_RACE, &old,
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
