/* Tables, occupancy and the time model. */
#include "common/vgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name, *unit, *meaning, *ncu;
} counters[PERF_N_COUNTERS] = {
#define X(NAME, ...) [PERF_##NAME] = {__VA_ARGS__},
#include "common/vgpu/perf/counters.def"
#undef X
};

static const char *const metric_names[PERF_N_METRICS] = {
#define X(NAME, name, ...) [PERF_METRIC_##NAME] = name,
#include "common/vgpu/perf/metrics.def"
#undef X
};

static void names_differ(void **state)
{
    (void)state;
    for (int i = 0; i < PERF_N_COUNTERS; i++) {
        assert_true(*counters[i].name && *counters[i].meaning);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(counters[i].name,
                                    counters[k].name);
        for (int k = 0; k < PERF_N_METRICS; k++)
            assert_string_not_equal(counters[i].name, metric_names[k]);
    }
}

/* The names that docs/contracts.md promises. */
static void contract_names(void **state)
{
    (void)state;
    static const char *const names[] = {"launches", "kernel_instructions", "kernel_ops",
                                        "flops32",  "global_load_bytes",   "global_store_bytes"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        int found = 0;
        for (int i = 0; i < PERF_N_COUNTERS; i++)
            found += strcmp(counters[i].name, names[n]) == 0;
        assert_int_equal(found, 1);
    }
    int found = 0;
    for (int i = 0; i < PERF_N_METRICS; i++)
        found += strcmp(metric_names[i], "dram_ratio") == 0;
    assert_int_equal(found, 1);
}

static void json(void **state)
{
    (void)state;
    PerfCounters c = {
        .v = {[PERF_LAUNCHES] = 2, [PERF_GLOBAL_LOAD_REQUESTS] = 4, [PERF_GLOBAL_LOAD_SECTORS] = 18}};
    StrBuf b = {0};
    perf_counters_json(&c, false, &b);
    assert_int_equal(strncmp(b.text, "{\"launches\":2,\"blocks\":0,", 25), 0);
    assert_int_equal(b.text[b.length - 1], '}');
    strbuf_free(&b);
    perf_metrics_json(&c, true, &b);
    assert_int_equal(strncmp(b.text, "\"sectors_per_load\":4.5,", 23), 0);
    strbuf_free(&b);
}

static void metrics(void **state)
{
    (void)state;
    PerfCounters none = {0};
    assert_true(perf_metric(&none, PERF_METRIC_DRAM_RATIO) == 1.0);
    assert_true(perf_metric(&none, PERF_METRIC_SECTORS_PER_REQUEST) == 0.0);
    PerfCounters c = {
        .v = {[PERF_UNIQUE_LOAD_BYTES] = 100, [PERF_UNIQUE_STORE_BYTES] = 100, [PERF_DRAM_READ_BYTES] = 300}};
    assert_true(perf_metric(&c, PERF_METRIC_DRAM_RATIO) == 1.5);
}

static void models(void **state)
{
    (void)state;
    assert_string_equal(perf_model(0)->name, "t4");
    assert_int_equal(perf_model(0)->major * 10 + perf_model(0)->minor, 75);
    assert_ptr_equal(perf_model_find("H100"), perf_model_find("h100"));
    assert_null(perf_model_find("h101"));
    static const char *const promised[] = {"xavier", "rtx3060",     "t4",   "v100",
                                           "a100",   "a100-1g.5gb", "h100", "h200"};
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
        assert_non_null(perf_model_find(promised[i]));
    const PerfModel *m;
    for (size_t i = 0; (m = perf_model(i)); i++) {
        uint64_t peak = 2ull * m->memory_clock_khz * 1000 * (m->memory_bus_bits / 8);
        assert_int_equal(m->memory_bytes_per_s, peak);
        assert_ptr_equal(perf_model_find(m->name), m);
        assert_true(m->major * 10 + m->minor >= 70);
        assert_true(m->shared_per_block <= m->shared_per_block_optin &&
                    m->shared_per_block_optin <= m->shared_per_sm);
    }
}

static PerfOccupancy occupancy(const char *model, uint32_t threads, uint32_t regs, uint32_t shared)
{
    PerfBlockNeeds n = {threads, regs, shared};
    PerfOccupancy o;
    perf_occupancy(perf_model_find(model), &n, &o);
    return o;
}

/* Figures of the vendor's occupancy calculator. */
static void occupancies(void **state)
{
    (void)state;
    PerfOccupancy o = occupancy("t4", 256, 32, 0);
    assert_int_equal(o.blocks_per_sm, 4);
    assert_int_equal(o.warps_per_sm, 32);
    assert_int_equal(o.limit, PERF_LIMIT_WARPS);
    o = occupancy("t4", 32, 16, 0);
    assert_int_equal(o.blocks_per_sm, 16);
    assert_int_equal(o.limit, PERF_LIMIT_BLOCKS);
    o = occupancy("t4", 256, 128, 0); /* 65536 / (128 * 256) */
    assert_int_equal(o.blocks_per_sm, 2);
    assert_int_equal(o.limit, PERF_LIMIT_REGS);
    o = occupancy("t4", 128, 32, 20 << 10);
    assert_int_equal(o.blocks_per_sm, 3);
    assert_int_equal(o.limit, PERF_LIMIT_SHARED);
    o = occupancy("a100", 256, 32, 48 << 10); /* 164 / (48 + 1) */
    assert_int_equal(o.blocks_per_sm, 3);
    o = occupancy("rtx4090", 1024, 32, 0);
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(occupancy("t4", 1025, 32, 0).blocks_per_sm, 0);
    assert_int_equal(occupancy("t4", 1024, 65, 0).blocks_per_sm, 0); /* 72 * 1024 registers */
    assert_int_equal(occupancy("t4", 1024, 64, 0).blocks_per_sm, 1);
    assert_int_equal(occupancy("t4", 32, 32, (64 << 10) + 1).blocks_per_sm, 0);
    assert_int_equal(occupancy("t4", 32, 32, 64 << 10).blocks_per_sm, 1);
}

static PerfLaunchTime launch_time(const PerfCounters *c, uint64_t blocks)
{
    PerfBlockNeeds n = {256, 32, 0};
    PerfLaunchTime t;
    perf_launch_time(perf_model(0), c, &n, blocks, &t);
    return t;
}

static void times(void **state)
{
    (void)state;
    PerfCounters none = {0};
    PerfLaunchTime t = launch_time(&none, 1);
    assert_int_equal(t.total_ns, t.overhead_ns);
    assert_string_equal(t.bound, "overhead");

    /* 1 GiB through the card's memory: 2^30 / (0.85 * 320.064 GB/s) = 3.947 ms */
    PerfCounters mem = {.v = {[PERF_DRAM_READ_BYTES] = 1 << 30, [PERF_L2_READ_SECTORS] = 1 << 25}};
    t = launch_time(&mem, 1 << 20);
    assert_string_equal(t.bound, "memory");
    assert_in_range(t.memory_ns, 3946000, 3948000);

    /* peak arithmetic: 40 SMs * 64 lanes * 2 * 1.59 GHz = 8.14 Tflop/s */
    PerfCounters fma = {.v = {[PERF_FLOPS32] = 8140800000ull}};
    t = launch_time(&fma, 40 * 1000);
    assert_string_equal(t.bound, "compute");
    assert_in_range(t.compute_ns, 999000, 1001000);

    /* the same work in one block keeps 39 SMs idle */
    assert_in_range(launch_time(&fma, 1).compute_ns, 39990000, 40010000);
    assert_string_equal(launch_time(&fma, 1).unit, "single precision");
}

/* The same waits take longer when warps cannot wait side by side, and hide behind work when they can. */
static void waiting(void **state)
{
    (void)state;
    PerfCounters few = {.v = {[PERF_BLOCKS] = 1,
                              [PERF_WARPS] = 8,
                              [PERF_LOAD_WAITS] = 8000,
                              [PERF_LOAD_WAITS_MISSED] = 8000,
                              [PERF_L2_READ_SECTORS] = 1,
                              [PERF_DRAM_READ_BYTES] = 32}};
    PerfLaunchTime t = launch_time(&few, 1);
    assert_string_equal(t.bound, "latency");
    assert_in_range(t.latency_ns, 301000, 303000); /* 1,000 waits of 480 cycles at 1.59 GHz */
    PerfCounters hits = few;
    hits.v[PERF_LOAD_WAITS_MISSED] = 0;
    assert_in_range(launch_time(&hits, 1).latency_ns, 25000, 25300); /* 40 cycles each */

    /* The same chain for 4 and for 5 blocks a multiprocessor, of which 4 fit: one wave and two. */
    PerfCounters c = few;
    c.v[PERF_BLOCKS] = 160, c.v[PERF_WARPS] = 1280,
    c.v[PERF_LOAD_WAITS] = c.v[PERF_LOAD_WAITS_MISSED] = 1280000;
    uint64_t one_wave = launch_time(&c, 160).latency_ns;
    assert_in_range(launch_time(&c, 200).latency_ns, 2 * one_wave - 2, 2 * one_wave + 2);

    /* A million additions to one place, one after the other. */
    PerfCounters atomics = {.v = {[PERF_ATOMIC_TURNS] = 1000000}};
    t = launch_time(&atomics, 1000);
    assert_string_equal(t.unit, "atomics at one place");
    assert_in_range(t.memory_ns, 911000, 913000); /* 1.45 cycles each */
}

static void copies(void **state)
{
    (void)state;
    const PerfModel *m = perf_model(0);
    assert_true(perf_copy_ns(m, PERF_COPY_PINNED, 1 << 20) < perf_copy_ns(m, PERF_COPY_PAGEABLE, 1 << 20));
    assert_true(perf_copy_ns(m, PERF_COPY_DEVICE, 1 << 20) < perf_copy_ns(m, PERF_COPY_PINNED, 1 << 20));
    assert_true(perf_copy_ns(m, PERF_COPY_PINNED, 0) > 0);
    assert_true(perf_enqueue_ns(m) > 0);
    /* 100 MB at 0.8 * 15.754 GB/s, after 1.5 us */
    assert_in_range(perf_copy_ns(m, PERF_COPY_PINNED, 100000000), 7935000, 7937000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_differ), cmocka_unit_test(contract_names), cmocka_unit_test(json),
        cmocka_unit_test(metrics),      cmocka_unit_test(models),         cmocka_unit_test(occupancies),
        cmocka_unit_test(times),        cmocka_unit_test(waiting),        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
