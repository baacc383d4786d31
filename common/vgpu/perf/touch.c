/* Touched bytes: for each allocation of a launch a bit for each byte that was loaded, and one for each that
 * was stored. Byte i has bit i % 64 of word i / 64. */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 64, PIECE_WORDS = 8, PIECE_BYTES = PIECE_WORDS * WORD_BYTES };

Touched *touch_new(const MemAlloc *a, bool with_atomics)
{
    Touched *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->alloc = a;
    t->addr = a->addr;
    t->size = a->bytes;
    t->serial = a->serial;
    t->constant = a->kind == MEM_CONST_VAR;
    t->base = a->addr & ~(uint64_t)(SECTOR_BYTES - 1);
    t->bytes = a->addr + a->bytes - t->base;
    size_t n = (t->bytes + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_WORDS;
    t->loads = calloc(n, sizeof *t->loads);
    t->stores = calloc(n, sizeof *t->stores);
    t->atomics = with_atomics ? calloc(n, sizeof *t->atomics) : NULL;
    t->low = UINT64_MAX;
    if (!t->loads || !t->stores || (with_atomics && !t->atomics)) {
        touch_free(t);
        return NULL;
    }
    return t;
}

void touch_free(Touched *t)
{
    if (!t)
        return;
    free(t->loads);
    free(t->stores);
    free(t->atomics);
    free(t);
}

static inline void or_word(uint64_t *word, uint64_t bits, bool atomic)
{
    if ((*word & bits) == bits)
        return;
    if (atomic)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
    else
        *word |= bits;
}

/* low and high only ever move outwards; two workers may both try. */
static void widen(Touched *t, uint64_t from, uint64_t to, bool atomic)
{
    if (!atomic) {
        t->low = from < t->low ? from : t->low;
        t->high = to > t->high ? to : t->high;
        return;
    }
    uint64_t low = __atomic_load_n(&t->low, __ATOMIC_RELAXED),
             high = __atomic_load_n(&t->high, __ATOMIC_RELAXED);
    while (from < low &&
           !__atomic_compare_exchange_n(&t->low, &low, from, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    while (to > high &&
           !__atomic_compare_exchange_n(&t->high, &high, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

bool touch_is_of(const Touched *t, const MemAlloc *a)
{
    return t->alloc == a && t->serial == a->serial && t->addr == a->addr && t->size == a->bytes;
}

/* Sets the bits of bytes [from, last]. */
static inline void mark(uint64_t *bits, uint64_t from, uint64_t last, bool atomic)
{
    uint64_t head = UINT64_MAX << from % WORD_BYTES,
             tail = UINT64_MAX >> (WORD_BYTES - 1 - last % WORD_BYTES);
    uint64_t *word = bits + from / WORD_BYTES, *end = bits + last / WORD_BYTES;
    if (word == end) {
        or_word(word, head & tail, atomic);
        return;
    }
    or_word(word, head, atomic);
    while (++word < end)
        *word = UINT64_MAX;
    or_word(end, tail, atomic);
}

void touch_mark(Touched *t, uint64_t *bits, uint64_t addr, uint64_t bytes, bool atomic)
{
    uint64_t from = addr - t->base, last = from + bytes - 1;
    widen(t, from, last + 1, atomic);
    if (from % WORD_BYTES == 0 && bytes == 2 * WORD_BYTES) /* a warp's words */
        bits[from / WORD_BYTES] = bits[from / WORD_BYTES + 1] = UINT64_MAX;
    else
        mark(bits, from, last, atomic);
}

/* Aligned lanes of a power of two: each has its bits in one word of a map. One worker sets them without a look: whether they are
 * set already is what no branch predictor can tell. */
static inline void mark_words(uint64_t *map, uint64_t base, const ExecAccess *a, bool atomic)
{
    const uint64_t bytes = UINT64_MAX >> (WORD_BYTES - a->bytes);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->addr[__builtin_ctz(rest)] - base;
        if (atomic)
            or_word(&map[at / WORD_BYTES], bytes << at % WORD_BYTES, true);
        else
            map[at / WORD_BYTES] |= bytes << at % WORD_BYTES;
    }
}

static void mark_lanes(uint64_t *map, uint64_t base, const ExecAccess *a, bool atomic)
{
    if (!(a->bytes & (a->bytes - 1)) && a->bytes <= SECTOR_BYTES) {
        if (atomic)
            mark_words(map, base, a, true);
        else
            mark_words(map, base, a, false);
        return;
    }
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->addr[__builtin_ctz(rest)] - base;
        mark(map, at, at + a->bytes - 1, atomic);
    }
}

/* From the lowest to the highest address of the lanes. */
PERF_CLONES static void lanes_range(const ExecAccess *a, uint64_t *low, uint64_t *high)
{
    const uint64_t first = a->addr[__builtin_ctz(a->mask)];
    uint64_t least = first, most = first;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t at = a->mask >> i & 1 ? a->addr[i] : first;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    *low = least;
    *high = most;
}

void touch_mark_lanes(Touched *t, const ExecAccess *a, bool atomic)
{
    uint64_t low, high;
    bool loads = a->kind != ACCESS_STORE, stores = a->kind != ACCESS_LOAD;
    lanes_range(a, &low, &high);
    widen(t, low - t->base, high - t->base + a->bytes, atomic);
    if (loads)
        mark_lanes(t->loads, t->base, a, atomic);
    if (stores)
        mark_lanes(t->stores, t->base, a, atomic);
    if (t->atomics && loads && stores)
        mark_lanes(t->atomics, t->base, a, atomic);
}

/* ---- accesses of blocks ---- */

static void mark_run(const TouchRun *r, bool atomic)
{
    Touched *t = r->touched;
    uint64_t *bits = r->store ? t->stores : t->loads;
    uint64_t run = r->bytes, base = r->base - t->base, n[3] = {r->dim[0], r->dim[1], r->dim[2]};
    uint64_t blocks = r->count;
    unsigned done = 0; /* dimensions that are one piece, `run` bytes */
    if (r->n_threads < n[0] * n[1] * n[2])
        n[0] = r->n_threads, n[1] = n[2] = 1;
    for (; done < 3 && (n[done] == 1 || r->step[done] == 0 || r->step[done] == (int64_t)run); done++)
        run *= r->step[done] && n[done] > 1 ? n[done] : 1;
    for (unsigned i = 0; i < 3; i++)
        n[i] = i < done || r->step[i] == 0 ? 1 : n[i];
    if (r->again >= 0 &&
        (uint64_t)r->again <= run) { /* where one block's piece ends the next one's goes on */
        run += (uint64_t)r->again * (blocks - 1);
        blocks = 1;
    }
    widen(t, r->low - t->base, r->end - t->base, atomic);
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t z = 0; z < n[2]; z++)
            for (uint64_t y = 0; y < n[1]; y++) {
                uint64_t at =
                    base + b * (uint64_t)r->again + z * (uint64_t)r->step[2] + y * (uint64_t)r->step[1];
                for (uint64_t x = 0; x < n[0]; x++, at += (uint64_t)r->step[0])
                    mark(bits, at, at + run - 1, atomic);
            }
}

/* The run goes on with this access. */
static bool goes_on(TouchRun *r, const ExecWho *who, const Touched *t, const ExecWideAccess *a)
{
    if (!r->count || r->inst != who->inst || r->touched != t || r->n_threads != a->n_threads ||
        r->bytes != a->bytes || r->store != (a->kind == ACCESS_STORE) ||
        memcmp(r->step, a->step, sizeof r->step) != 0 || memcmp(r->dim, who->block_dim, sizeof r->dim) != 0)
        return false;
    if (r->count == 1)
        r->again = (int64_t)(a->base - r->base);
    if (a->base != r->base + (uint64_t)r->again * r->count)
        return false;
    r->count++;
    r->low = a->low < r->low ? a->low : r->low;
    r->end = a->end > r->end ? a->end : r->end;
    return true;
}

void touch_flush(TouchRun runs[TOUCH_RUNS], bool atomic)
{
    for (int i = 0; i < TOUCH_RUNS; i++) {
        if (runs[i].count)
            mark_run(&runs[i], atomic);
        runs[i].count = 0;
    }
}

void touch_wide(TouchRun runs[TOUCH_RUNS], const ExecWho *who, Touched *t, const ExecWideAccess *a,
                bool atomic)
{
    TouchRun *r = &runs[(uintptr_t)who->inst / sizeof(IrInst) % TOUCH_RUNS];
    if (goes_on(r, who, t, a))
        return;
    if (r->count)
        mark_run(r, atomic);
    *r = (TouchRun){.inst = who->inst,
                    .touched = t,
                    .base = a->base,
                    .low = a->low,
                    .end = a->end,
                    .step = {a->step[0], a->step[1], a->step[2]},
                    .dim = {who->block_dim[0], who->block_dim[1], who->block_dim[2]},
                    .count = 1,
                    .n_threads = a->n_threads,
                    .bytes = a->bytes,
                    .store = a->kind == ACCESS_STORE};
}

/* Bits of a piece, and its parts of 32 bits (a sector) that have any. A loop that becomes vector code. */
static inline void sum_piece(const uint32_t *part, uint64_t *bytes, uint64_t *sectors)
{
    uint32_t bits = 0, any = 0;
    for (int i = 0; i < 2 * PIECE_WORDS; i++) {
        uint32_t x = part[i];
        any += x != 0;
        x -= x >> 1 & 0x55555555u;
        x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
        x = (x + (x >> 4)) & 0x0F0F0F0Fu;
        x += x >> 8;
        bits += (x + (x >> 16)) & 0x3Fu;
    }
    *bytes += bits;
    *sectors += any;
}

/* Adds up n pieces and clears them. Most have no bit set, or all. */
PERF_CLONES static void sum_pieces(uint64_t *words, uint64_t n, uint64_t *bytes, uint64_t *sectors)
{
    for (uint64_t *end = words + n * PIECE_WORDS; words < end; words += PIECE_WORDS) {
        uint64_t all = UINT64_MAX, any = 0;
        for (int i = 0; i < PIECE_WORDS; i++) {
            all &= words[i];
            any |= words[i];
        }
        if (!any)
            continue;
        if (all == UINT64_MAX) {
            *bytes += PIECE_BYTES;
            *sectors += PIECE_BYTES / SECTOR_BYTES;
        } else {
            uint32_t part[2 * PIECE_WORDS];
            memcpy(part, words, sizeof part);
            sum_piece(part, bytes, sectors);
        }
        memset(words, 0, PIECE_WORDS * sizeof *words);
    }
}

void touch_sum(Touched *t, TouchSums *sums)
{
    if (t->low >= t->high)
        return;
    uint64_t first = t->low / PIECE_BYTES, n = (t->high + PIECE_BYTES - 1) / PIECE_BYTES - first,
             at = first * PIECE_WORDS;
    sum_pieces(t->loads + at, n, &sums->load_bytes, &sums->load_sectors);
    sum_pieces(t->stores + at, n, &sums->store_bytes, &sums->store_sectors);
    if (t->atomics)
        memset(t->atomics + at, 0, n * PIECE_WORDS * sizeof *t->atomics);
    t->low = UINT64_MAX;
    t->high = 0;
}

/* ---- pieces ---- */

enum { TOUCH_NONE = -1 };

/* How the bytes of a word were used, when all in one way; else -2. */
static int use_of_word(const Touched *t, uint64_t i)
{
    uint64_t atomics = t->atomics ? t->atomics[i] : 0, stores = t->stores[i], loads = t->loads[i];
    if (!(atomics | stores | loads))
        return TOUCH_NONE;
    if (atomics == UINT64_MAX)
        return PERF_TOUCH_ATOMIC;
    if (!atomics && stores == UINT64_MAX)
        return PERF_TOUCH_STORE;
    return !atomics && !stores && loads == UINT64_MAX ? PERF_TOUCH_LOAD : -2;
}

static int use_of_byte(const Touched *t, uint64_t byte)
{
    uint64_t i = byte / WORD_BYTES, bit = (uint64_t)1 << byte % WORD_BYTES;
    if (t->atomics && t->atomics[i] & bit)
        return PERF_TOUCH_ATOMIC;
    if (t->stores[i] & bit)
        return PERF_TOUCH_STORE;
    return t->loads[i] & bit ? PERF_TOUCH_LOAD : TOUCH_NONE;
}

void touch_tell(const Touched *t, PerfTouchFn *fn, void *self)
{
    int now = TOUCH_NONE;
    uint64_t start = 0, at = t->low;
    while (at < t->high) {
        int use = at % WORD_BYTES == 0 ? use_of_word(t, at / WORD_BYTES) : -2;
        uint64_t step = use == -2 ? 1 : WORD_BYTES;
        if (use == -2)
            use = use_of_byte(t, at);
        if (use != now) {
            if (now != TOUCH_NONE)
                fn(self, t->alloc, t->base + start, t->base + at, (PerfTouch)now);
            now = use;
            start = at;
        }
        at += step;
    }
    if (now != TOUCH_NONE)
        fn(self, t->alloc, t->base + start, t->base + (at < t->high ? at : t->high), (PerfTouch)now);
}
