/* The init checker: a read of bytes that nobody wrote, in global memory (the bitmap of the allocation) and in
 * shared memory (a bitmap of the block's own). Local memory has a file of its own, local.c.
 *
 * A read that can be followed is reported where its value is used (undefined.c), any other one at once: atomics that do more than
 * exchange, textures, matrices, asynchronous copies. Reads come before writes of the same instruction.
 */
#include "common/base/page.h"
#include "common/vgpu/check/check_internal.h"

#include <string.h>

/* ---- bitmaps ---- */

static void or_byte(uint8_t *byte, uint8_t bits, bool atomic)
{
    if ((*byte & bits) == bits)
        return;
    if (atomic)
        __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    else
        *byte |= bits;
}

void init_mark(uint8_t *bits, uint64_t from, uint64_t n, bool shared_by_workers)
{
    uint64_t first = from / 8, last = (from + n - 1) / 8;
    uint8_t head = (uint8_t)(0xFFu << from % 8), tail = (uint8_t)(0xFFu >> (7 - (from + n - 1) % 8));
    if (first == last) {
        or_byte(&bits[first], head & tail, shared_by_workers);
        return;
    }
    or_byte(&bits[first], head, shared_by_workers);
    memset(bits + first + 1, 0xFF, last - first - 1);
    or_byte(&bits[last], tail, shared_by_workers);
}

uint64_t init_first_clear(const uint8_t *bits, uint64_t from, uint64_t n)
{
    uint64_t end = from + n;
    for (uint64_t i = from; i < end;) {
        uint8_t missing = (uint8_t)(~bits[i / 8] & (0xFFu << i % 8));
        if (missing) {
            uint64_t at = i / 8 * 8 + (uint64_t)__builtin_ctz(missing);
            return at < end ? at - from : n;
        }
        i = i / 8 * 8 + 8;
        for (uint64_t word; i + 64 <= end; i += 64) {
            memcpy(&word, bits + i / 8, 8);
            if (word != UINT64_MAX)
                break;
        }
    }
    return n;
}

/* ---- accesses ---- */

typedef struct Bits {
    uint8_t *bits; /* NULL: all initialised, or not followed */
    uint64_t base; /* address of bit 0 */
    const MemAlloc *alloc;
} Bits;

static Bits bits_of_lane(const CheckEvent *e, const ExecAccess *a, uint64_t addr)
{
    if (a->space == SPACE_SHARED)
        return (Bits){.bits = e->block->shared_init};
    const MemAlloc *alloc = a->alloc ? a->alloc : mem_find(e->set->launch->mem, addr);
    return alloc ? (Bits){alloc->init, alloc->addr, alloc} : (Bits){0};
}

/* `at`: address of the first byte that nobody wrote. */
static void note_uninit(const CheckEvent *e, const ExecAccess *a, unsigned lane, uint64_t at,
                        const MemAlloc *alloc)
{
    NoteKey key = {.kind = FINDING_UNINITIALIZED,
                   .space = a->space,
                   .access = a->kind,
                   .place = check_place(e->set, e->who),
                   .other = NO_PLACE};
    Note *n = check_note(e, &key, e->who->first_thread + lane, 1);
    if (!n)
        return;
    n->address = at;
    n->bytes = a->bytes;
    n->has_alloc = alloc != NULL;
    if (alloc)
        n->alloc = *alloc;
}

/* The bytes, 32 at most, that nobody wrote. */
static uint32_t missing_bytes(const uint8_t *bits, uint64_t from, uint32_t n)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n && i < 32; i++)
        missing |= (uint32_t)!(bits[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return missing;
}

/* A byte of a page [from, end) that is not what it was at first and counts as not written. */
static bool has_unseen(const MemAlloc *a, uint64_t from, uint64_t end)
{
    uint8_t fresh[256]; /* repeats */
    for (uint64_t k = 0; k < sizeof fresh; k++)
        fresh[k] = mem_host_fresh(from + k);
    for (uint64_t n, i = from; i < end; i += n) {
        n = end - i < sizeof fresh ? end - i : sizeof fresh;
        if (memcmp(a->host + i, fresh, n) == 0)
            continue;
        for (uint64_t k = i; k < i + n; k++)
            if (a->host[k] != fresh[k - i] && !(a->init[k / 8] >> k % 8 & 1))
                return true;
    }
    return false;
}

/* What managed memory holds where nobody wrote is known. A byte that is another one, and that no kernel wrote, the host has written while the
 * kernel runs: then all of its page counts as written, as always of the host. */
static void see_host_page(const CheckEvent *e, const MemAlloc *a, uint64_t from)
{
    const uint64_t page = page_bytes();
    uint64_t first = (a->addr + from) / page * page, end = first + page;
    first = first < a->addr ? 0 : first - a->addr;
    end = end - a->addr < a->bytes ? end - a->addr : a->bytes;
    if (has_unseen(a, first, end))
        init_mark(a->init, first, end - first, e->set->n_workers > 1);
}

static void lane_access(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    Bits b = bits_of_lane(e, a, a->addr[lane]);
    if (!b.bits)
        return;
    uint64_t from = a->addr[lane] - b.base;
    if (a->kind != ACCESS_STORE) {
        uint64_t at = init_first_clear(b.bits, from, a->bytes);
        if (at < a->bytes && b.alloc && b.alloc->kind == MEM_MANAGED) {
            see_host_page(e, b.alloc, from);
            at = init_first_clear(b.bits, from, a->bytes);
        }
        if (at < a->bytes && !undefined_load(e, a, lane, missing_bytes(b.bits, from, a->bytes), a->addr[lane] + at, b.alloc))
            note_uninit(e, a, lane, a->addr[lane] + at, b.alloc);
    }
    if (a->kind != ACCESS_LOAD)
        init_mark(b.bits, from, a->bytes, e->set->n_workers > 1 && a->space == SPACE_GLOBAL);
}

/* The usual lengths without a loop. */
bool init_is_set(const uint8_t *bits, uint64_t from, uint64_t n)
{
    if (from % 8 + n <= 8) {
        uint8_t wanted = (uint8_t)(((1u << n) - 1) << from % 8);
        return (bits[from / 8] & wanted) == wanted;
    }
    if (from % 8 == 0 && n == 64) {
        uint64_t word;
        memcpy(&word, bits + from / 8, sizeof word);
        return word == UINT64_MAX;
    }
    if (from % 8 == 0 && n == 128) {
        uint64_t words[2];
        memcpy(words, bits + from / 8, sizeof words);
        return (words[0] & words[1]) == UINT64_MAX;
    }
    if (from % 64 == 0 && n % 64 == 0) {
        uint64_t all = UINT64_MAX;
        for (uint64_t word; n > 0; from += 64, n -= 64) {
            memcpy(&word, bits + from / 8, sizeof word);
            all &= word;
        }
        return all == UINT64_MAX;
    }
    return init_first_clear(bits, from, n) == n;
}

/* True when there is nothing more to do: no byte is missing. */
static bool whole_segment(const CheckEvent *e, const ExecAccess *a, const Segment *s)
{
    Bits b = bits_of_lane(e, a, s->addr);
    if (!b.bits)
        return true;
    uint64_t from = s->addr - b.base, n = segment_bytes(s, a->bytes);
    if (a->kind != ACCESS_STORE)
        return init_is_set(b.bits, from, n);
    init_mark(b.bits, from, n, e->set->n_workers > 1 && a->space == SPACE_GLOBAL);
    return true;
}

void init_observe(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    if (a->async == ACCESS_BEGINS) /* nothing is written yet */
        return;
    if (a->space == SPACE_GLOBAL && a->alloc &&
        wide_is_all_written(e, a->alloc, (uint64_t)__builtin_popcount(a->mask) * a->bytes))
        return;
    /* Atomics of several lanes on one word: the first one initialises it for the others, and is the one to
     * report. */
    for (unsigned i = 0; i < segments->n; i++) {
        const Segment *s = &segments->at[i];
        if (!whole_segment(e, a, s))
            for (unsigned lane = s->lane; lane < s->lane + (unsigned)s->n; lane++)
                lane_access(e, a, lane);
    }
}
