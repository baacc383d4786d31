/* The time model. Nothing here is measured: counters x figures of the card. It says which of three bounds a
 * launch meets, and orders versions of a kernel as a card would; it is no promise of microseconds.
 *
 *   total   = overhead + max(compute, memory, latency)
 *
 *   compute = the busiest unit of the busiest SM, in cycles. The work of a unit is spread evenly over
 *             the blocks, and the busiest SM has ceil(blocks / SMs) of them:
 *                 issue    warp instructions / 4       four schedulers, one instruction a cycle each
 *                 fp32     flops32 / (2 * fp32_lanes)  a fused multiply-add is 2; fp64, fp16 alike
 *                 int      int_ops / int_lanes
 *                 special  32 * special instructions / special_lanes
 *                 shared   wavefronts of shared memory, one a cycle
 *                 l1       sectors of global memory / 4: 128 bytes a cycle
 *                 atomic   lanes that meet another lane on their address, one a cycle
 *   memory  = the largest of
 *                 dram bytes / (0.85 * peak)           what a well-written copy reaches
 *                 second-level sectors * 32 / (3 * peak)
 *                 the busiest SM's second-level bytes, 64 a cycle
 *   latency = waves * one warp's chain, in cycles:
 *                 4 for each of its instructions
 *                 dram_latency / 4 for each of its global loads and atomics (four are in flight)
 *                 30 / 4 for each of its shared accesses, 20 for each barrier
 *             waves = ceil(blocks of the busiest SM / blocks that fit in one)
 *
 * Arithmetic is in doubles with + - * / only, which give the same bits everywhere.
 */
#include "common/vgpu/perf/perf.h"

static const double OVERHEAD_NS = 2500; /* of a launch, on the card */
static const double ENQUEUE_NS = 2000;  /* of an asynchronous call, on the host */
static const double COPY_NS = 1500;     /* start of a copy or fill */
static const double PAGEABLE_NS = 4000; /* the same through the driver's staging buffer */
static const double LINK_SHARE = 0.8;   /* of the link's peak that a pinned copy reaches */
static const double PAGEABLE_SHARE = 0.4;
static const double DRAM_SHARE = 0.85;
static const double L2_TIMES_DRAM = 3;
static const double SM_BYTES_PER_CYCLE = 64; /* between an SM and the second level */
static const double CYCLES_PER_INST = 4;     /* of one warp, from one instruction to a dependent one */
static const double SHARED_LATENCY = 30, BARRIER_LATENCY = 20, IN_FLIGHT = 4;

static double at(const PerfCounters *c, PerfCounter i)
{
    return (double)c->v[i];
}

static double max2(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t ceil_div(uint64_t n, uint64_t d)
{
    return d ? (n + d - 1) / d : 0;
}

static double compute_cycles(const PerfModel *m, const PerfCounters *c)
{
    double issue = at(c, PERF_WARP_INSTRUCTIONS) / 4;
    double fp32 = at(c, PERF_FLOPS32) / (2.0 * m->fp32_lanes);
    double fp64 = at(c, PERF_FLOPS64) / (2.0 * m->fp64_lanes);
    double fp16 = at(c, PERF_FLOPS16) / (2.0 * m->fp16_lanes);
    double integer = at(c, PERF_INT_OPS) / m->int_lanes;
    double special = at(c, PERF_SPECIAL_INSTRUCTIONS) * WARP_LANES / m->special_lanes;
    double shared = at(c, PERF_SHARED_WAVEFRONTS);
    double l1 = (at(c, PERF_GLOBAL_LOAD_SECTORS) + at(c, PERF_GLOBAL_STORE_SECTORS) +
                 at(c, PERF_GLOBAL_ATOMIC_SECTORS)) /
                4;
    double atomic = at(c, PERF_GLOBAL_ATOMIC_CONFLICTS);
    double most = max2(max2(issue, fp32), max2(fp64, fp16));
    return max2(max2(max2(most, integer), max2(special, shared)), max2(l1, atomic));
}

static double memory_ns(const PerfModel *m, const PerfCounters *c, double busiest_share)
{
    double l2_bytes = 32 * (at(c, PERF_L2_READ_SECTORS) + at(c, PERF_L2_WRITE_SECTORS));
    double dram = (at(c, PERF_DRAM_READ_BYTES) + at(c, PERF_DRAM_WRITE_BYTES)) /
                  (DRAM_SHARE * (double)m->memory_bytes_per_s);
    double l2 = l2_bytes / (L2_TIMES_DRAM * (double)m->memory_bytes_per_s);
    double sm = l2_bytes * busiest_share / SM_BYTES_PER_CYCLE / (1000.0 * m->clock_khz);
    return 1e9 * max2(max2(dram, l2), sm);
}

/* Cycles of one average warp that meets no other. */
static double chain_cycles(const PerfModel *m, const PerfCounters *c)
{
    double warps = at(c, PERF_WARPS), blocks = at(c, PERF_BLOCKS);
    if (warps <= 0 || blocks <= 0)
        return 0;
    double loads = at(c, PERF_GLOBAL_LOAD_REQUESTS) + at(c, PERF_GLOBAL_ATOMIC_REQUESTS);
    double shared = at(c, PERF_SHARED_LOAD_REQUESTS) + at(c, PERF_SHARED_STORE_REQUESTS) +
                    at(c, PERF_SHARED_ATOMIC_REQUESTS);
    double of_warps = CYCLES_PER_INST * at(c, PERF_WARP_INSTRUCTIONS) +
                      (m->dram_latency_cycles * loads + SHARED_LATENCY * shared) / IN_FLIGHT;
    return of_warps / warps + BARRIER_LATENCY * at(c, PERF_BARRIERS) / blocks;
}

void perf_launch_time(const PerfModel *m, const PerfCounters *c, const PerfBlockNeeds *needs,
                      uint64_t n_blocks, PerfLaunchTime *out)
{
    PerfOccupancy o;
    perf_occupancy(m, needs, &o);
    uint64_t busiest = ceil_div(n_blocks, m->n_sms);
    uint64_t waves = ceil_div(busiest, o.blocks_per_sm ? o.blocks_per_sm : 1);
    double share = n_blocks ? (double)busiest / (double)n_blocks : 0;
    double ns_per_cycle = 1e6 / m->clock_khz;
    double compute = compute_cycles(m, c) * share * ns_per_cycle;
    double memory = memory_ns(m, c, share);
    double latency = (double)waves * chain_cycles(m, c) * ns_per_cycle;
    double most = max2(max2(compute, memory), latency);
    *out = (PerfLaunchTime){
        .total_ns = (uint64_t)(OVERHEAD_NS + most),
        .overhead_ns = (uint64_t)OVERHEAD_NS,
        .compute_ns = (uint64_t)compute,
        .memory_ns = (uint64_t)memory,
        .latency_ns = (uint64_t)latency,
        .bound = most < OVERHEAD_NS ? "overhead"
                 : most == memory   ? "memory"
                 : most == compute  ? "compute"
                                    : "latency",
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
