/* The time model. Nothing is measured when a program runs: a kernel's time is counters x figures of the card.
 * The constants were fitted to kernels on an H100 (common/ladder/measured); docs/vgpu.md explains the
 * formula.
 *
 *   time = start + max(waves * chain, busy) + min(chain, busy / waves)
 *
 *   start   what a launch costs however little it does
 *   chain   what one average warp waits for, one after the other: its loads (waits.c), shared memory,
 *           barriers, shuffles, and the gaps between its instructions
 *   waves   ceil(blocks of the busiest SM / blocks that fit in one): so many chains follow one another
 *   busy    the busiest unit (units.def): it works for all warps in turn
 *
 * With many warps either the unit or the chains decide; the other one adds what it takes until all is under
 * way. With one warp nothing hides the chain: both add up.
 *
 * Arithmetic is in doubles with + - * / only, which give the same bits everywhere.
 */
#include "common/vgpu/perf/perf.h"

static const double START_NS = 2250;    /* of a launch, on the card */
static const double ENQUEUE_NS = 2000;  /* of an asynchronous call, on the host */
static const double COPY_NS = 1500;     /* start of a copy or fill */
static const double PAGEABLE_NS = 4000; /* the same through the driver's staging buffer */
static const double LINK_SHARE = 0.8;   /* of the link's peak that a pinned copy reaches */
static const double PAGEABLE_SHARE = 0.4;
static const double DRAM_SHARE = 0.85;
static const double L2_BYTES_PER_CYCLE = 21; /* for each SM, when all of them ask */
static const double SM_BYTES_PER_CYCLE = 64; /* between one SM and the second level */
static const double BLOCK_CYCLES = 150;      /* from one block's start on an SM to the next one's */
static const double TURN_CYCLES = 1.45;      /* of one atomic after the other at one place */
static const double INT_SHARE = 0.6; /* of PTX's integer operations that are one in machine code, too */

/* Of a chain, in cycles. */
static const double INST_GAP = 1.5, L1_LATENCY = 40, SHARED_LATENCY = 30, WARP_LATENCY = 24,
                    BARRIER_LATENCY = 30;
static const double L2_LATENCY_SHARE = 0.43; /* of the latency of the card's memory */

static double at(const PerfCounters *c, PerfCounter i)
{
    return (double)c->v[i];
}

static double max2(double a, double b)
{
    return a > b ? a : b;
}

static double min2(double a, double b)
{
    return a < b ? a : b;
}

static uint64_t ceil_div(uint64_t n, uint64_t d)
{
    return d ? (n + d - 1) / d : 0;
}

static double l2_bytes(const PerfCounters *c)
{
    return 32 * (at(c, PERF_L2_READ_SECTORS) + at(c, PERF_L2_WRITE_SECTORS));
}

/* What is written last stays in the second level when the kernel ends: half of it may be full of that. */
static double dram_bytes(const PerfModel *m, const PerfCounters *c)
{
    return at(c, PERF_DRAM_READ_BYTES) + max2(0, at(c, PERF_DRAM_WRITE_BYTES) - m->l2_bytes / 2.0);
}

/* Cycles of an SM for a unit that the whole card shares. */
static double dram_cycles(const PerfModel *m, const PerfCounters *c)
{
    return dram_bytes(m, c) / (DRAM_SHARE * (double)m->memory_bytes_per_s) * 1000.0 * m->clock_khz;
}

/* The busiest unit. share: of the launch's blocks that the busiest SM has; blocks: how many those are. */
static void find_busiest(const PerfModel *m, const PerfCounters *c, double share, double blocks,
                         double *compute, double *memory, const char **unit)
{
    const struct {
        const char *name;
        bool memory;
        double cycles;
    } units[] = {
#define X(name, is_memory, cycles) {name, is_memory, cycles},
#define C(NAME)                    at(c, PERF_##NAME)
#include "common/vgpu/perf/units.def"
#undef C
#undef X
    };
    double most = 0;
    *compute = *memory = 0;
    *unit = "nothing";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double *sum = units[i].memory ? memory : compute;
        *sum = max2(*sum, units[i].cycles);
        if (units[i].cycles > most) {
            most = units[i].cycles;
            *unit = units[i].name;
        }
    }
}

/* Cycles that one average warp waits. */
static double chain_cycles(const PerfModel *m, const PerfCounters *c)
{
    double warps = at(c, PERF_WARPS), blocks = at(c, PERF_BLOCKS), dram_latency = m->dram_latency_cycles;
    if (warps <= 0 || blocks <= 0)
        return 0;
    double read = 32 * at(c, PERF_L2_READ_SECTORS);
    double from_dram = read > 0 ? min2(1, at(c, PERF_DRAM_READ_BYTES) / read) : 0;
    double beyond_l1 = dram_latency * (L2_LATENCY_SHARE + (1 - L2_LATENCY_SHARE) * from_dram);
    double missed = at(c, PERF_LOAD_WAITS_MISSED), hit = max2(0, at(c, PERF_LOAD_WAITS) - missed);
    double of_warps = INST_GAP * at(c, PERF_WARP_INSTRUCTIONS) + L1_LATENCY * hit + beyond_l1 * missed +
                      SHARED_LATENCY * at(c, PERF_SHARED_WAITS) +
                      WARP_LATENCY * at(c, PERF_WARP_LEVEL_INSTRUCTIONS);
    return of_warps / warps + BARRIER_LATENCY * at(c, PERF_BARRIERS) / blocks;
}

void perf_launch_time(const PerfModel *m, const PerfCounters *c, const PerfBlockNeeds *needs,
                      uint64_t n_blocks, PerfLaunchTime *out)
{
    PerfOccupancy o;
    perf_occupancy(m, needs, &o);
    uint64_t busiest = ceil_div(n_blocks, m->n_sms);
    double waves = (double)ceil_div(busiest, o.blocks_per_sm ? o.blocks_per_sm : 1);
    double share = n_blocks ? (double)busiest / (double)n_blocks : 0;
    double ns = 1e6 / m->clock_khz, compute, memory, chain = chain_cycles(m, c);
    const char *unit;
    waves = max2(waves, 1);
    find_busiest(m, c, share, (double)busiest, &compute, &memory, &unit);
    double busy = max2(compute, memory), chains = waves * chain;
    double total = ns * (max2(chains, busy) + min2(chain, busy / waves));
    *out = (PerfLaunchTime){
        .total_ns = (uint64_t)(START_NS + total),
        .overhead_ns = (uint64_t)START_NS,
        .compute_ns = (uint64_t)(ns * compute),
        .memory_ns = (uint64_t)(ns * memory),
        .latency_ns = (uint64_t)(ns * chains),
        .bound = total < START_NS   ? "overhead"
                 : chains > busy    ? "latency"
                 : memory > compute ? "memory"
                                    : "compute",
        .unit = unit,
    };
}

uint64_t perf_copy_ns(const PerfModel *m, PerfCopy kind, uint64_t bytes)
{
    double n = (double)bytes, link = (double)m->link_bytes_per_s,
           dram = DRAM_SHARE * (double)m->memory_bytes_per_s;
    switch (kind) {
    case PERF_COPY_PINNED:
    case PERF_COPY_PEER:
        return (uint64_t)(COPY_NS + 1e9 * n / (LINK_SHARE * link));
    case PERF_COPY_PAGEABLE:
        return (uint64_t)(PAGEABLE_NS + 1e9 * n / (PAGEABLE_SHARE * link));
    case PERF_COPY_DEVICE:
        return (uint64_t)(COPY_NS + 2e9 * n / dram);
    case PERF_MEMSET:
        return (uint64_t)(COPY_NS + 1e9 * n / dram);
    }
    return 0;
}

uint64_t perf_enqueue_ns(const PerfModel *m)
{
    (void)m; /* the same host for every card */
    return (uint64_t)ENQUEUE_NS;
}
