/* perf: counters of launches, occupancy, and the modelled time.
 *
 * Counters are counted on PTX, not on machine code. Time is modelled, never measured (time.c says how): the
 * same program gives the same numbers on any machine, and with any number of workers.
 *
 * A PerfSet belongs to one device and owns what it returns. Device models are constants (models.def).
 */
#ifndef COMMON_VGPU_PERF_PERF_H
#define COMMON_VGPU_PERF_PERF_H

#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "common/vgpu/exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- counters (counters.def) ---- */

typedef enum PerfCounter {
#define X(NAME, ...) PERF_##NAME,
#include "common/vgpu/perf/counters.def"
#undef X
    PERF_N_COUNTERS
} PerfCounter;

typedef struct PerfCounters {
    uint64_t v[PERF_N_COUNTERS];
} PerfCounters;

void perf_counters_add(PerfCounters *to, const PerfCounters *from);
/* Appends {"launches":1,...}: every counter, in the order of the table; without the braces when bare. */
void perf_counters_json(const PerfCounters *c, bool bare, StrBuf *out);

/* ---- counters of a line of the source (lines.def) ---- */

typedef enum PerfLineCounter {
#define X(NAME, ...) PERF_LINE_##NAME,
#include "common/vgpu/perf/lines.def"
#undef X
    PERF_N_LINE_COUNTERS
} PerfLineCounter;

typedef struct PerfLine {
    const char *file;
    uint32_t line;
    uint64_t v[PERF_N_LINE_COUNTERS];
} PerfLine;

const char *perf_line_name(PerfLineCounter c);

/* ---- metrics (metrics.def) ---- */

typedef enum PerfMetric {
#define X(NAME, ...) PERF_METRIC_##NAME,
#include "common/vgpu/perf/metrics.def"
#undef X
    PERF_N_METRICS
} PerfMetric;

double perf_metric(const PerfCounters *c, PerfMetric m);
/* Appends {"sectors_per_load":4,...}: every metric, in the order of the table; without the braces when bare.
 */
void perf_metrics_json(const PerfCounters *c, bool bare, StrBuf *out);

/* ---- device models (models.def) ---- */

typedef struct PerfModel {
    const char *name;  /* what --device takes: "t4" */
    const char *title; /* what cudaDeviceProp.name says: "Virtual T4" */
    uint32_t major, minor;
    uint32_t n_sms;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t memory_bytes;
    uint64_t memory_bytes_per_s; /* peak of the card's memory */
    uint32_t l2_bytes;
    uint32_t shared_per_block, shared_per_block_optin, shared_per_sm,
        shared_reserved; /* bytes; reserved: the system's, a block */
    uint32_t regs_per_block, regs_per_sm, regs_per_thread_max;
    uint32_t threads_per_block, threads_per_sm, blocks_per_sm;
    uint32_t reg_unit, shared_unit; /* allocation granularity: registers a warp, bytes a block */
    uint32_t fp32_lanes, fp64_lanes, int_lanes, special_lanes,
        fp16_lanes;               /* thread instructions a cycle an SM */
    uint32_t tensor_fmas;         /* multiply-adds of half precision matrices a cycle an SM, sums in float */
    uint32_t l1_bytes;            /* modelled first-level data cache of an SM, beside shared memory */
    uint32_t dram_latency_cycles; /* of a load that misses both caches */
    uint64_t link_bytes_per_s;    /* host link, pinned memory, one direction */
    uint32_t copy_engines;
} PerfModel;

/* Models in order, the default first; NULL at the end. */
const PerfModel *perf_model(size_t i);
/* By name, case ignored; NULL when there is none. */
const PerfModel *perf_model_find(const char *name);

/* ---- occupancy ---- */

typedef struct PerfBlockNeeds {
    uint32_t threads; /* of a block */
    uint32_t regs_per_thread;
    uint32_t shared_bytes; /* static and dynamic */
} PerfBlockNeeds;

typedef enum PerfLimit { PERF_LIMIT_WARPS, PERF_LIMIT_BLOCKS, PERF_LIMIT_REGS, PERF_LIMIT_SHARED } PerfLimit;

typedef struct PerfOccupancy {
    uint32_t blocks_per_sm; /* 0: a block does not fit */
    uint32_t warps_per_sm, warps_per_sm_max;
    PerfLimit limit;                                  /* what stops one block more */
    uint32_t by_warps, by_blocks, by_regs, by_shared; /* blocks that each limit alone allows */
} PerfOccupancy;

void perf_occupancy(const PerfModel *m, const PerfBlockNeeds *needs, PerfOccupancy *out);
const char *perf_limit_text(PerfLimit l);

/* ---- modelled time ---- */

typedef struct PerfLaunchTime {
    uint64_t total_ns, overhead_ns;
    uint64_t compute_ns, memory_ns,
        latency_ns;    /* the busiest units, and the waits of warps that follow one another */
    const char *bound; /* "compute", "memory", "latency", "overhead" */
    const char *unit;  /* the busiest one (units.def) */
} PerfLaunchTime;

/* How long a launch of n_blocks blocks with these counters and needs takes on m. */
void perf_launch_time(const PerfModel *m, const PerfCounters *c, const PerfBlockNeeds *needs,
                      uint64_t n_blocks, PerfLaunchTime *out);

typedef enum PerfCopy {
    PERF_COPY_PINNED,
    PERF_COPY_PAGEABLE,
    PERF_COPY_DEVICE,
    PERF_COPY_PEER,
    PERF_MEMSET
} PerfCopy;
/* How long a copy or fill of `bytes` takes, start included. */
uint64_t perf_copy_ns(const PerfModel *m, PerfCopy kind, uint64_t bytes);
/* What the host spends in an asynchronous call that only enqueues (a launch, a copy). */
uint64_t perf_enqueue_ns(const PerfModel *m);

/* ---- what an access costs ---- */

/* Sectors of 32 bytes that an access to global memory touches, and the lines of 128 bytes that they lie in. */
unsigned perf_sectors(const ExecAccess *a, unsigned *lines);
/* Passes that an access to shared memory needs, and the fewest that one of its width and lanes can need. */
void perf_wavefronts(const ExecAccess *a, unsigned *wavefronts, unsigned *least);

/* ---- touched bytes ---- */

typedef enum PerfTouch { PERF_TOUCH_LOAD, PERF_TOUCH_STORE, PERF_TOUCH_ATOMIC } PerfTouch;

/* Bytes [from, to) of an allocation: all of them were used in this way. A byte that was both loaded and
 * stored counts as stored; one that an atomic used counts as that. */
typedef void PerfTouchFn(void *self, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch how);

/* ---- counting ---- */

typedef struct PerfSet PerfSet;

/* model stays the caller's and must outlive the set. jobs: the most workers of a launch, 0 counts as 1. */
Status perf_create(const PerfModel *model, unsigned jobs, PerfSet **out);
void perf_destroy(PerfSet *set);
const ExecObserver *perf_observer(const PerfSet *set);
/* The bytes of global memory that launches touch go to fn when each ends, in pieces; NULL: no more. */
void perf_watch(PerfSet *set, PerfTouchFn *fn, void *self);
/* Counters of the launch that ended last, valid until the next one begins. */
const PerfCounters *perf_last(const PerfSet *set);
/* Sum over all launches. */
const PerfCounters *perf_totals(const PerfSet *set);
/* From now on counters are kept for each line of the source too (they cost time). False: no memory. */
bool perf_keep_lines(PerfSet *set);
/* Those of the launch that ended last, by file and line; valid until the next one begins, or its module goes. */
const PerfLine *perf_lines(const PerfSet *set, size_t *n);

#endif
