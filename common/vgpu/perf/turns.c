/* Atomics that meet at one place. The second-level cache does one operation after the other on a place; it
 * does the lanes of a request that want the same address one by one, and those that share a sector in one go.
 * A place is a stretch of 512 bytes: measured on an H100, a histogram of 1 KB is twice as fast as one
 * counter, and single addresses take 0.73 ns for each addition of integers, 1.76 ns for one of floats
 * (common/ladder/measured). */
#include "common/vgpu/perf/perf_internal.h"

#include <string.h>

enum { SLOTS = 64 };

/* Lanes of each address, then for each sector the most that one of its addresses has, beyond the one that the
 * sector counts anyway. */
static unsigned repeats_of(const ExecAccess *a, uint64_t *sector, uint8_t *repeats)
{
    uint8_t first[SLOTS] = {0}, count[WARP_LANES] = {0};
    unsigned n = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        unsigned at = (unsigned)(a->addr[lane] * 0x9E3779B97F4A7C15u >> 58);
        while (first[at] && a->addr[first[at] - 1] != a->addr[lane])
            at = (at + 1) % SLOTS;
        if (!first[at])
            first[at] = (uint8_t)(lane + 1);
        else
            count[first[at] - 1]++;
    }
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        uint64_t s = a->addr[lane] / SECTOR_BYTES;
        unsigned at = 0;
        if (!count[lane])
            continue;
        while (at < n && sector[at] != s)
            at++;
        if (at == n) {
            sector[n] = s;
            repeats[n++] = 0;
        }
        repeats[at] = count[lane] > repeats[at] ? count[lane] : repeats[at];
    }
    return n;
}

static void add_at(Turns *t, uint64_t addr, uint64_t n)
{
    uint64_t place = addr / TURN_PLACE_BYTES;
    t->of[place * 0x9E3779B97F4A7C15u >> 52] += n;
}

unsigned turns_add(Turns *t, const ExecAccess *a, const SectorList *s, bool is_float)
{
    uint64_t sector[WARP_LANES], fifths = is_float ? TURN_FLOAT : TURN_INT;
    uint8_t repeats[WARP_LANES];
    unsigned n = s->twins ? repeats_of(a, sector, repeats) : 0, more = 0;
    for (unsigned i = 0; i < s->n; i++)
        add_at(t, s->line[i] * LINE_BYTES, fifths * perf_bits(s->sectors[i]));
    for (unsigned i = 0; i < n; i++) {
        add_at(t, sector[i] * SECTOR_BYTES, fifths * repeats[i]);
        more += repeats[i];
    }
    t->any = true;
    return s->n_sectors + more;
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
