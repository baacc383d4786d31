/* Occupancy: how many blocks an SM holds at once (CUDA C++ Best Practices Guide 11.1; the rules of the
 * occupancy calculator).
 *
 *   warps       threads of a block in whole warps
 *   registers   a warp gets 32 * registers rounded up to reg_unit; warps are dealt to four
 *               schedulers, so that an SM holds a multiple of four
 *   shared      a block's bytes and the system's reserve, rounded up to shared_unit
 */
#include "common/vgpu/perf/perf.h"

enum { SCHEDULERS = 4 };

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t blocks_by_regs(const PerfModel *m, const PerfBlockNeeds *n, uint32_t warps)
{
    if (n->regs_per_thread == 0)
        return m->blocks_per_sm;
    if (n->regs_per_thread > m->regs_per_thread_max)
        return 0;
    uint32_t per_warp = round_up(n->regs_per_thread * WARP_LANES, m->reg_unit);
    if (per_warp * round_up(warps, SCHEDULERS) > m->regs_per_block)
        return 0;
    return m->regs_per_sm / per_warp / SCHEDULERS * SCHEDULERS / warps;
}

static uint32_t blocks_by_shared(const PerfModel *m, const PerfBlockNeeds *n)
{
    if (n->shared_bytes > m->shared_per_block_optin)
        return 0;
    uint32_t bytes = round_up(n->shared_bytes + m->shared_reserved, m->shared_unit);
    return bytes ? m->shared_per_sm / bytes : m->blocks_per_sm;
}

void perf_occupancy(const PerfModel *m, const PerfBlockNeeds *n, PerfOccupancy *out)
{
    *out = (PerfOccupancy){.warps_per_sm_max = m->threads_per_sm / WARP_LANES};
    if (n->threads == 0 || n->threads > m->threads_per_block)
        return;
    uint32_t warps = (n->threads + WARP_LANES - 1) / WARP_LANES;
    out->by_warps = out->warps_per_sm_max / warps;
    out->by_blocks = m->blocks_per_sm;
    out->by_regs = blocks_by_regs(m, n, warps);
    out->by_shared = blocks_by_shared(m, n);
    const uint32_t by[] = {out->by_warps, out->by_blocks, out->by_regs, out->by_shared};
    for (int i = 1; i < 4; i++)
        if (by[i] < by[out->limit])
            out->limit = (PerfLimit)i;
    out->blocks_per_sm = by[out->limit];
    out->warps_per_sm = out->blocks_per_sm * warps;
}

const char *perf_limit_text(PerfLimit l)
{
    static const char *const texts[] = {
        [PERF_LIMIT_WARPS] = "threads of an SM",
        [PERF_LIMIT_BLOCKS] = "blocks of an SM",
        [PERF_LIMIT_REGS] = "registers",
        [PERF_LIMIT_SHARED] = "shared memory",
    };
    return l <= PERF_LIMIT_SHARED ? texts[l] : "";
}
