/* Atomics that meet at one place. The second-level cache does one operation after the other on a place; it
 * does the lanes of a request that want the same address one by one, and those that share a sector in one go.
 * A place is a stretch of 512 bytes: measured on an H100, a histogram of 1 KB is twice as fast as one
 * counter, and single addresses take 0.73 ns for each addition of integers, 1.76 ns for one of floats
 * (common/ladder/measured). */
#include "common/vgpu/perf/perf_internal.h"

#include <string.h>

/* Sectors with an address that several lanes want: the most lanes of one address, less the one that the
 * sector counts anyway. */
typedef struct Repeats {
    uint64_t sector[WARP_LANES];
    uint8_t most[WARP_LANES];
    unsigned n, sum; /* sum: of all of them */
} Repeats;

static void add_at(Turns *t, uint64_t addr, uint64_t n)
{
    uint64_t place = addr / TURN_PLACE_BYTES;
    t->of[place * 0x9E3779B97F4A7C15u >> 52] += n;
}

/* Lane number `nth` (1, 2...) beyond the first one that wants this address. True: no other address of the
 * sector has as many. */
static bool repeat(Repeats *r, uint64_t addr, uint8_t nth)
{
    uint64_t sector = addr / SECTOR_BYTES;
    unsigned at = 0;
    while (at < r->n && r->sector[at] != sector)
        at++;
    if (at == r->n) {
        r->sector[r->n++] = sector;
        r->most[at] = 0;
    }
    if (nth <= r->most[at])
        return false;
    r->most[at] = nth;
    r->sum++;
    return true;
}

/* Lanes of the access with this address. */
static inline uint32_t lanes_at(const ExecAccess *a, uint64_t addr)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes |= (uint32_t)(a->addr[i] == addr) << i;
    return lanes & a->mask;
}

/* Lanes that want what another one wants too: they are among those of `again`. */
PERF_CLONES static unsigned add_repeats(Turns *t, Repeats *r, const ExecAccess *a, uint32_t again, uint64_t fifths)
{
    unsigned conflicts = 0;
    for (uint32_t rest = again; rest; rest &= rest - 1) {
        uint64_t addr = a->addr[__builtin_ctz(rest)];
        unsigned nth = bits_count(lanes_at(a, addr) & ((rest & -rest) - 1));
        if (nth == 0)
            continue;
        conflicts += nth == 1 ? 2 : 1;
        if (repeat(r, addr, (uint8_t)nth))
            add_at(t, addr, fifths);
    }
    return conflicts;
}

/* The same for lanes near one another, with a count for each address and sector: also what the sectors count
 * anyway. */
static unsigned add_near(Turns *t, const ExecAccess *a, const SectorList *s, uint64_t fifths,
                         unsigned *conflicts)
{
    uint8_t count[NEAR_BYTES], most[NEAR_SECTORS] = {0}; /* lanes; the most beyond the first */
    unsigned shift = (unsigned)__builtin_ctz(a->bytes), n_conflicts = 0, sum = 0;
    memset(count, 0, NEAR_BYTES >> shift);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->addr[__builtin_ctz(rest)] - s->near_base;
        uint8_t nth = count[at >> shift]++, *sector = &most[at / SECTOR_BYTES];
        n_conflicts += (nth > 0) + (nth == 1);
        *sector = nth > *sector ? nth : *sector;
    }
    for (unsigned i = 0; i < s->n; i++) {
        const uint8_t *m = &most[s->line[i] * LINE_SECTORS - s->near_base / SECTOR_BYTES];
        unsigned repeats = m[0] + m[1] + m[2] + m[3];
        add_at(t, s->line[i] * LINE_BYTES, fifths * (bits_count(s->sectors[i]) + repeats));
        sum += repeats;
    }
    *conflicts = n_conflicts;
    return s->n_sectors + sum;
}

unsigned turns_add(Turns *t, const ExecAccess *a, const SectorList *s, bool is_float, unsigned *conflicts)
{
    uint64_t fifths = is_float ? TURN_FLOAT : TURN_INT;
    t->any = true;
    if (s->near_base)
        return add_near(t, a, s, fifths, conflicts);
    Repeats r;
    r.n = r.sum = 0;
    for (unsigned i = 0; i < s->n; i++)
        add_at(t, s->line[i] * LINE_BYTES, fifths * bits_count(s->sectors[i]));
    *conflicts = a->pattern == PATTERN_UNIT_STRIDE ? 0 : add_repeats(t, &r, a, s->again, fifths);
    return s->n_sectors + r.sum;
}

void turns_merge(Turns *to, const Turns *from)
{
    for (int i = 0; from->any && i < TURN_PLACES; i++)
        to->of[i] += from->of[i];
    to->any |= from->any;
}

uint64_t turns_most(const Turns *t)
{
    uint64_t most = 0;
    for (int i = 0; t->any && i < TURN_PLACES; i++)
        most = t->of[i] > most ? t->of[i] : most;
    return (most + TURN_INT - 1) / TURN_INT;
}
