/* From addresses to sectors: what one request of a warp touches. */
#include "common/vgpu/perf/perf_internal.h"

/* Slots of a hash of lines: so many that two of a warp's seldom meet. */
enum { LINE_SLOTS = 256 };

static inline void add_line(SectorList *out, uint64_t line, uint8_t sectors)
{
    out->line[out->n] = line;
    out->sectors[out->n++] = sectors;
    out->n_sectors += sectors_count(sectors);
}

/* All bytes from `addr` on, side by side. */
static void add_range(SectorList *out, uint64_t addr, uint64_t bytes)
{
    uint64_t first = addr / SECTOR_BYTES, last = (addr + bytes - 1) / SECTOR_BYTES;
    for (uint64_t line = first / LINE_SECTORS; line <= last / LINE_SECTORS; line++) {
        unsigned from = line == first / LINE_SECTORS ? (unsigned)(first % LINE_SECTORS) : 0;
        unsigned to = line == last / LINE_SECTORS ? (unsigned)(last % LINE_SECTORS) : LINE_SECTORS - 1;
        add_line(out, line, (uint8_t)((2u << to) - (1u << from)));
    }
}

/* Groups of lanes, each side by side or at one place; they may share lines. */
static void add_groups(SectorList *out, const ExecAccess *a)
{
    uint64_t length = a->group_pattern == PATTERN_UNIFORM ? a->bytes : (uint64_t)a->bytes * a->group_lanes;
    for (unsigned lane = 0; lane < WARP_LANES; lane += a->group_lanes) {
        uint64_t first = a->addr[lane] / SECTOR_BYTES, last = (a->addr[lane] + length - 1) / SECTOR_BYTES;
        for (uint64_t line = first / LINE_SECTORS; line <= last / LINE_SECTORS; line++) {
            unsigned from = line == first / LINE_SECTORS ? (unsigned)(first % LINE_SECTORS) : 0;
            unsigned to = line == last / LINE_SECTORS ? (unsigned)(last % LINE_SECTORS) : LINE_SECTORS - 1;
            uint8_t sectors = (uint8_t)((2u << to) - (1u << from));
            unsigned at = 0;
            while (at < out->n && out->line[at] != line)
                at++;
            if (at == out->n) {
                add_line(out, line, sectors);
            } else {
                out->n_sectors += sectors_count(sectors & (uint8_t)~out->sectors[at]);
                out->sectors[at] |= sectors;
            }
        }
    }
}

/* Lanes anywhere. An access is aligned to its size, which is 32 bytes at most: it lies in one sector. */
static void add_lanes(SectorList *out, const ExecAccess *a)
{
    uint8_t slots[LINE_SLOTS] = {0}; /* index + 1 */
    uint32_t again = 0;
    unsigned n = out->n;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t addr = a->addr[__builtin_ctz(rest)], line = addr / LINE_BYTES;
        uint8_t bit = (uint8_t)(1u << addr / SECTOR_BYTES % LINE_SECTORS);
        unsigned at = (unsigned)(line * 0x9E3779B97F4A7C15u >> 56);
        while (slots[at] && out->line[slots[at] - 1] != line)
            at = (at + 1) % LINE_SLOTS;
        if (!slots[at]) {
            out->line[n] = line;
            out->sectors[n++] = bit;
            slots[at] = (uint8_t)n;
        } else {
            again |= out->sectors[slots[at] - 1] & bit ? rest & -rest : 0;
            out->sectors[slots[at] - 1] |= bit;
        }
    }
    out->n = n;
    out->n_sectors += bits_count(a->mask & ~again);
    out->again = again;
}

/* Lanes near one another, in any order: a bit a sector. False: they are not that near. */
static bool add_near(SectorList *out, const ExecAccess *a)
{
    enum { REACH = 1024 }; /* before the first lane and behind it: 64 sectors in all */
    uint64_t base = (a->addr[__builtin_ctz(a->mask)] - REACH) & ~(uint64_t)(LINE_BYTES - 1), sectors = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t sector = (a->addr[__builtin_ctz(rest)] - base) / SECTOR_BYTES;
        if (sector >= NEAR_SECTORS)
            return false;
        sectors |= (uint64_t)1 << sector;
    }
    for (uint64_t line = base / LINE_BYTES; sectors; sectors >>= LINE_SECTORS, line++)
        if (sectors & 0xF)
            add_line(out, line, sectors & 0xF);
    out->near_base = base;
    return true;
}

void sector_list(const ExecAccess *a, SectorList *out)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask), last = 31 - (unsigned)__builtin_clz(a->mask);
    bool full = a->mask == (uint32_t)(((uint64_t)2 << last) - ((uint64_t)1 << first));
    out->n = out->n_sectors = 0;
    out->near_base = 0;
    out->again = a->mask;
    if (a->pattern == PATTERN_UNIFORM)
        add_range(out, a->addr[first], a->bytes);
    else if (a->pattern == PATTERN_UNIT_STRIDE && full)
        add_range(out, a->addr[first], (uint64_t)a->bytes * (last - first + 1));
    else if (a->group_lanes)
        add_groups(out, a);
    else if (a->kind == ACCESS_LOAD || !add_near(out, a))
        add_lanes(out, a);
}

unsigned perf_sectors(const ExecAccess *a, unsigned *lines)
{
    SectorList s;
    sector_list(a, &s);
    *lines = s.n;
    return s.n_sectors;
}
