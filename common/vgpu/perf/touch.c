/* Touched bytes: for each allocation of a launch a bit for each byte that was loaded, and one for each that
 * was stored. */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define PERF_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PERF_CLONES
#endif

Touched *touch_new(const MemAlloc *a, bool with_atomics)
{
    Touched *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->alloc = a;
    t->addr = a->addr;
    t->size = a->bytes;
    t->serial = a->serial;
    t->base = a->addr & ~(uint64_t)(SECTOR_BYTES - 1);
    t->bytes = a->addr + a->bytes - t->base;
    size_t size = (t->bytes / SECTOR_BYTES + 1) * (SECTOR_BYTES / 8); /* whole sectors */
    t->loads = calloc(size, 1);
    t->stores = calloc(size, 1);
    t->atomics = with_atomics ? calloc(size, 1) : NULL;
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

static void or_byte(uint8_t *byte, uint8_t bits, bool atomic)
{
    if ((*byte & bits) == bits)
        return;
    if (atomic)
        __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    else
        *byte |= bits;
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

void touch_mark(Touched *t, uint8_t *bits, uint64_t addr, uint64_t bytes, bool atomic)
{
    uint64_t from = addr - t->base, last = from + bytes - 1;
    uint8_t head = (uint8_t)(0xFFu << from % 8), tail = (uint8_t)(0xFFu >> (7 - last % 8));
    widen(t, from, last + 1, atomic);
    if (from % 8 == 0 && bytes == LINE_BYTES) { /* all lanes, 4 bytes each */
        memset(bits + from / 8, 0xFF, LINE_BYTES / 8);
        return;
    }
    if (from / 8 == last / 8) {
        or_byte(&bits[from / 8], head & tail, atomic);
        return;
    }
    or_byte(&bits[from / 8], head, atomic);
    memset(bits + from / 8 + 1, 0xFF, last / 8 - from / 8 - 1);
    or_byte(&bits[last / 8], tail, atomic);
}

void touch_mark_lanes(Touched *t, uint8_t *bits, const ExecAccess *a, bool atomic)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t from = a->addr[__builtin_ctz(rest)] - t->base;
        low = from < low ? from : low;
        high = from > high ? from : high;
        if (from % 8 + a->bytes <= 8) /* within one byte of the map */
            or_byte(&bits[from / 8], (uint8_t)(((1u << a->bytes) - 1) << from % 8), atomic);
        else
            touch_mark(t, bits, t->base + from, a->bytes, atomic);
    }
    widen(t, low, high + a->bytes, atomic);
}

void touch_mark_wide(Touched *t, uint8_t *bits, const ExecWideAccess *a, const uint32_t dim[3], bool atomic)
{
    uint64_t run = a->bytes, n[3] = {dim[0], dim[1], dim[2]};
    unsigned done = 0; /* dimensions that are one piece, `run` bytes */
    if (a->n_threads < n[0] * n[1] * n[2])
        n[0] = a->n_threads, n[1] = n[2] = 1;
    for (; done < 3 && (n[done] == 1 || a->step[done] == 0 || a->step[done] == (int64_t)run); done++)
        run *= a->step[done] && n[done] > 1 ? n[done] : 1;
    for (unsigned i = 0; i < 3; i++)
        n[i] = i < done || a->step[i] == 0 ? 1 : n[i];
    for (uint64_t z = 0; z < n[2]; z++)
        for (uint64_t y = 0; y < n[1]; y++) {
            uint64_t row = a->base + z * (uint64_t)a->step[2] + y * (uint64_t)a->step[1];
            for (uint64_t x = 0; x < n[0]; x++)
                touch_mark(t, bits, row + x * (uint64_t)a->step[0], run, atomic);
        }
}

/* Counts bits, and words of 32 bits (a sector) that have any; clears them. A loop that becomes vector code.
 */
PERF_CLONES static void sum_words(uint32_t *words, uint32_t n, uint64_t *bytes, uint64_t *sectors)
{
    uint32_t bits = 0, any = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = words[i];
        any += x != 0;
        x -= x >> 1 & 0x55555555u;
        x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
        x = (x + (x >> 4)) & 0x0F0F0F0Fu;
        x += x >> 8;
        bits += (x + (x >> 16)) & 0x3Fu;
        words[i] = 0;
    }
    *bytes += bits;
    *sectors += any;
}

static void sum_bits(uint8_t *bits, uint64_t from, uint64_t to, uint64_t *bytes, uint64_t *sectors)
{
    enum { WORDS_AT_ONCE = 1 << 24 }; /* their sums fit in 32 bits */
    uint32_t *words = (uint32_t *)(void *)bits;
    for (uint64_t i = from / SECTOR_BYTES, end = (to + SECTOR_BYTES - 1) / SECTOR_BYTES; i < end;) {
        uint32_t n = end - i < WORDS_AT_ONCE ? (uint32_t)(end - i) : WORDS_AT_ONCE;
        sum_words(words + i, n, bytes, sectors);
        i += n;
    }
}

void touch_sum(Touched *t, TouchSums *sums)
{
    if (t->low >= t->high)
        return;
    sum_bits(t->loads, t->low, t->high, &sums->load_bytes, &sums->load_sectors);
    sum_bits(t->stores, t->low, t->high, &sums->store_bytes, &sums->store_sectors);
    if (t->atomics)
        memset(t->atomics + t->low / 8, 0, (t->high + 7) / 8 - t->low / 8);
    t->low = UINT64_MAX;
    t->high = 0;
}

/* ---- pieces ---- */

enum { TOUCH_NONE = -1 };

/* How 8 bytes were used, when all in one way; else -2. */
static int use_of_eight(const Touched *t, uint64_t i)
{
    uint8_t atomics = t->atomics ? t->atomics[i] : 0, stores = t->stores[i], loads = t->loads[i];
    if (!(atomics | stores | loads))
        return TOUCH_NONE;
    if (atomics == 0xFF)
        return PERF_TOUCH_ATOMIC;
    if (!atomics && stores == 0xFF)
        return PERF_TOUCH_STORE;
    return !atomics && !stores && loads == 0xFF ? PERF_TOUCH_LOAD : -2;
}

static int use_of_byte(const Touched *t, uint64_t byte)
{
    uint64_t i = byte / 8;
    unsigned bit = 1u << byte % 8;
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
        int use = at % 8 == 0 ? use_of_eight(t, at / 8) : -2;
        uint64_t step = use == -2 ? 1 : 8;
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
