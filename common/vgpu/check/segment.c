/* Segments: see segment.h. exec tells groups of lanes that go together; where it saw none, neighbours are
 * compared: bit i of `same` says that lane i + 1 has the address of lane i, bit i of `next` that it goes on
 * where lane i ends. */
#include "common/vgpu/check/segment.h"

#include <string.h>

static void segment_add(SegmentList *out, const ExecAccess *a, unsigned lane, unsigned n, bool same)
{
    out->at[out->n++] =
        (Segment){.addr = a->addr[lane], .lane = (uint8_t)lane, .n = (uint8_t)n, .same = same};
}

static void compare_neighbours(const ExecAccess *a, uint32_t *same, uint32_t *next)
{
    uint64_t at[WARP_LANES + 1], s = 0, t = 0, bytes = a->bytes;
    memcpy(at, a->addr, sizeof at - sizeof *at);
    at[WARP_LANES] = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t d = at[i + 1] - at[i];
        s |= d == 0 ? (uint64_t)1 << i : 0;
        t |= d == bytes ? (uint64_t)1 << i : 0;
    }
    uint32_t both = a->mask & a->mask >> 1; /* lane i and lane i + 1 are active */
    *same = (uint32_t)s & both;
    *next = (uint32_t)t & both;
}

static unsigned run_of(uint32_t bits, unsigned lane)
{
    return (unsigned)__builtin_ctz(~(bits >> lane)) + 1; /* bit 31 is never set */
}

static void list_runs(const ExecAccess *a, SegmentList *out)
{
    uint32_t same = 0, next = 0;
    if (a->alloc || a->space != SPACE_GLOBAL)
        compare_neighbours(a, &same, &next);
    for (uint32_t rest = a->mask; rest;) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (!((same | next) >> lane & 1)) { /* as most are that go all over the memory */
            segment_add(out, a, lane, 1, false);
            rest &= rest - 1;
            continue;
        }
        bool alike = same >> lane & 1;
        unsigned n = alike ? run_of(same, lane) : run_of(next, lane);
        segment_add(out, a, lane, n, alike);
        rest &= lane + n == WARP_LANES ? 0 : UINT32_MAX << (lane + n);
    }
}

void segment_list(const ExecAccess *a, SegmentList *out)
{
    out->n = 0;
    bool whole = a->mask == UINT32_MAX && a->group_lanes && (a->alloc || a->space != SPACE_GLOBAL);
    if (!whole) {
        list_runs(a, out);
        return;
    }
    for (unsigned lane = 0; lane < WARP_LANES; lane += a->group_lanes)
        segment_add(out, a, lane, a->group_lanes, a->group_pattern == PATTERN_UNIFORM);
}
