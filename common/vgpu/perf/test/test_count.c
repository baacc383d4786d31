/* Counting: synthetic events through the observer. */
#include "common/vgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Rig {
    PerfSet *set;
    Mem *mem;
    MemAlloc *a;
    const ExecObserver *o;
    IrFunction function;
    IrModule module;
    IrInstance instance;
    ExecLaunch launch;
    ExecWho who;
} Rig;

static void begin_count(Rig *r)
{
    r->o->launch_begin(r->o->self, &r->launch);
}

static void at(Rig *r, uint32_t block, uint32_t worker)
{
    r->who.block_linear = r->who.slot = block;
    r->who.worker = worker;
}

static void open(Rig *r, uint32_t block, uint32_t worker)
{
    at(r, block, worker);
    r->o->block_begin(r->o->self, &r->who, 0);
}

static void close_block(Rig *r)
{
    if (r->o->block_end)
        r->o->block_end(r->o->self, &r->who);
}

static uint64_t end_count(Rig *r, PerfCounter c)
{
    r->o->launch_end(r->o->self, &r->launch);
    return perf_last(r->set)->v[c];
}

static Rig *rig_new(unsigned jobs, uint64_t bytes)
{
    Rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(perf_create(perf_model(0), jobs, &r->set), STATUS_OK);
    assert_int_equal(mem_create(0, 256 << 20, 1, &r->mem), STATUS_OK);
    r->a = mem_alloc(r->mem, bytes, MEM_DEVICE, 0, NULL);
    assert_non_null(r->a);
    r->o = perf_observer(r->set);
    r->module = (IrModule){.functions = &r->function, .n_functions = 1};
    r->instance.module = &r->module;
    r->launch = (ExecLaunch){.instance = &r->instance, .grid = {8, 1, 1}, .block = {48, 1, 1}, .mem = r->mem};
    r->who = (ExecWho){.block_dim = {48, 1, 1}, .function = &r->function};
    begin_count(r);
    open(r, 0, 0);
    return r;
}

static void rig_free(Rig *r)
{
    perf_destroy(r->set);
    mem_destroy(r->mem);
    free(r);
}

/* Lane i accesses base + i * stride. */
static void warp_access(Rig *r, uint8_t kind, uint8_t space, uint64_t base, int64_t stride, uint32_t bytes,
                        uint32_t mask)
{
    uint64_t addr[32];
    for (int64_t lane = 0; lane < 32; lane++)
        addr[lane] = base + (uint64_t)(lane * stride);
    ExecAccess a = {
        .kind = kind,
        .space = space,
        .pattern = stride == (int64_t)bytes ? PATTERN_UNIT_STRIDE
                   : stride == 0            ? PATTERN_UNIFORM
                                            : PATTERN_OTHER,
        .bytes = bytes,
        .mask = mask,
        .addr = addr,
        .alloc = space == SPACE_GLOBAL ? r->a : NULL,
    };
    r->o->access(r->o->self, &r->who, &a);
}

/* ---- sectors ---- */

static const struct {
    int64_t stride;
    uint32_t bytes, offset, mask, sectors;
} sector_cases[] = {
    {4, 4, 0, 0xFFFFFFFFu, 4}, {4, 4, 4, 0xFFFFFFFFu, 5},
    {8, 8, 0, 0xFFFFFFFFu, 8}, {16, 16, 0, 0xFFFFFFFFu, 16},
    {0, 4, 0, 0xFFFFFFFFu, 1}, {32, 4, 0, 0xFFFFFFFFu, 32},
    {8, 4, 0, 0xFFFFFFFFu, 8}, {1024, 4, 0, 0xFFFFFFFFu, 32},
    {1, 1, 0, 0xFFFFFFFFu, 1}, {4, 4, 0, 1, 1},
    {4, 4, 0, 0x80000001u, 2}, {-4, 4, 1024, 0xFFFFFFFFu, 5},
    {4, 4, 0, 0x0000FF00u, 1}, {12, 4, 0, 0xFFFFFFFFu, 12},
};

static void sectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sector_cases / sizeof *sector_cases; i++) {
        for (int store = 0; store < 2; store++) {
            Rig *r = rig_new(1, 1 << 16);
            warp_access(r, store ? ACCESS_STORE : ACCESS_LOAD, SPACE_GLOBAL,
                        r->a->addr + sector_cases[i].offset, sector_cases[i].stride, sector_cases[i].bytes,
                        sector_cases[i].mask);
            end_count(r, PERF_LAUNCHES);
            const uint64_t *v = perf_last(r->set)->v;
            assert_int_equal(v[store ? PERF_GLOBAL_STORE_SECTORS : PERF_GLOBAL_LOAD_SECTORS],
                             sector_cases[i].sectors);
            assert_int_equal(v[store ? PERF_GLOBAL_LOAD_SECTORS : PERF_GLOBAL_STORE_SECTORS], 0);
            assert_int_equal(v[store ? PERF_DRAM_WRITE_BYTES : PERF_DRAM_READ_BYTES],
                             32 * sector_cases[i].sectors);
            uint64_t lanes = (uint64_t)__builtin_popcount(sector_cases[i].mask) * sector_cases[i].bytes;
            assert_int_equal(v[store ? PERF_GLOBAL_STORE_BYTES : PERF_GLOBAL_LOAD_BYTES], lanes);
            rig_free(r);
        }
    }
}

/* ---- bank conflicts ---- */

static const struct {
    int64_t stride;
    uint32_t bytes, mask, wavefronts, conflicts;
} bank_cases[] = {
    {4, 4, 0xFFFFFFFFu, 1, 0},
    {0, 4, 0xFFFFFFFFu, 1, 0},
    {8, 4, 0xFFFFFFFFu, 2, 1},
    {128, 4, 0xFFFFFFFFu, 32, 31},
    {132, 4, 0xFFFFFFFFu, 1, 0},
    {64, 4, 0xFFFFFFFFu, 16, 15},
    {128, 4, 0x0000FFFFu, 16, 15},
    {8, 8, 0xFFFFFFFFu, 2, 0},
    {16, 16, 0xFFFFFFFFu, 4, 0},
    {16, 8, 0xFFFFFFFFu, 4, 2},
    {1, 1, 0xFFFFFFFFu, 1, 0},
    {2, 1, 0xFFFFFFFFu, 1, 0},
    {128, 4, 1, 1, 0},
    {-4, 4, 0xFFFFFFFFu, 1, 0},
    {8, 8, 0x0000FFFFu, 1, 0},
};

static void banks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bank_cases / sizeof *bank_cases; i++) {
        Rig *r = rig_new(1, 256);
        warp_access(r, ACCESS_LOAD, SPACE_SHARED, 4096, bank_cases[i].stride, bank_cases[i].bytes,
                    bank_cases[i].mask);
        end_count(r, PERF_LAUNCHES);
        assert_int_equal(perf_last(r->set)->v[PERF_SHARED_WAVEFRONTS], bank_cases[i].wavefronts);
        assert_int_equal(perf_last(r->set)->v[PERF_SHARED_BANK_CONFLICTS], bank_cases[i].conflicts);
        rig_free(r);
    }
}

/* ---- atomics, constants, local ---- */

static void atomics(void **state)
{
    (void)state;
    Rig *r = rig_new(1, 4096);
    warp_access(r, ACCESS_REDUCTION, SPACE_GLOBAL, r->a->addr, 0, 4, 0xFFFFFFFFu);
    warp_access(r, ACCESS_ATOMIC, SPACE_GLOBAL, r->a->addr, 4, 4, 0xFFFFFFFFu);
    end_count(r, PERF_LAUNCHES);
    const uint64_t *v = perf_last(r->set)->v;
    assert_int_equal(v[PERF_GLOBAL_ATOMIC_REQUESTS], 2);
    assert_int_equal(v[PERF_GLOBAL_ATOMIC_THREADS], 64);
    assert_int_equal(v[PERF_GLOBAL_ATOMIC_CONFLICTS], 32);
    assert_int_equal(v[PERF_GLOBAL_ATOMIC_SECTORS], 36);
    rig_free(r);
}

static void constants(void **state)
{
    (void)state;
    Rig *r = rig_new(1, 4096);
    warp_access(r, ACCESS_LOAD, SPACE_CONST, 64, 0, 4, 0xFFFFFFFFu);
    warp_access(r, ACCESS_LOAD, SPACE_CONST, 64, 4, 4, 0x0000FFFFu);
    assert_int_equal(end_count(r, PERF_CONST_REQUESTS), 2);
    assert_int_equal(perf_last(r->set)->v[PERF_CONST_SERIAL], 17);
    rig_free(r);
}

/* ---- caches ---- */

/* A block that reads a tile seven times reads it from the second level once; seven blocks read it seven
 * times. */
static void first_level(void **state)
{
    (void)state;
    for (uint32_t blocks = 1; blocks <= 7; blocks += 6) {
        Rig *r = rig_new(1, 4096);
        close_block(r);
        for (uint32_t i = 0; i < 7; i++) {
            if (i < blocks)
                open(r, i, 0);
            for (uint64_t at_byte = 0; at_byte < 4096; at_byte += 128)
                warp_access(r, ACCESS_LOAD, SPACE_GLOBAL, r->a->addr + at_byte, 4, 4, 0xFFFFFFFFu);
            if (i + 1 >= blocks && i < 6)
                continue;
            close_block(r);
        }
        end_count(r, PERF_LAUNCHES);
        const uint64_t *v = perf_last(r->set)->v;
        assert_int_equal(v[PERF_GLOBAL_LOAD_SECTORS], 7 * 128);
        assert_int_equal(v[PERF_L2_READ_SECTORS], blocks * 128);
        assert_int_equal(v[PERF_DRAM_READ_BYTES], 4096);
        assert_int_equal(v[PERF_UNIQUE_LOAD_BYTES], 4096);
        rig_free(r);
    }
}

/* A footprint beyond the second level moves more than once what is read more than once. */
static void second_level(void **state)
{
    (void)state;
    uint64_t bytes = 8 << 20; /* twice the T4's cache */
    Rig *r = rig_new(1, bytes);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t at_byte = 0; at_byte < bytes; at_byte += 512)
            warp_access(r, ACCESS_LOAD, SPACE_GLOBAL, r->a->addr + at_byte, 16, 16, 0xFFFFFFFFu);
    assert_int_equal(end_count(r, PERF_UNIQUE_LOAD_BYTES), bytes);
    assert_int_equal(perf_last(r->set)->v[PERF_DRAM_READ_BYTES], bytes + bytes / 2);
    assert_true(perf_metric(perf_last(r->set), PERF_METRIC_DRAM_RATIO) == 1.5);
    assert_true(perf_metric(perf_last(r->set), PERF_METRIC_TRAFFIC_RATIO) == 2.0);
    rig_free(r);
}

/* One float of each sector: eight times the bytes. */
static void strided_ratio(void **state)
{
    (void)state;
    Rig *r = rig_new(1, 1 << 16);
    for (uint64_t i = 0; i < 8; i++)
        warp_access(r, ACCESS_LOAD, SPACE_GLOBAL, r->a->addr + i * 1024, 32, 4, 0xFFFFFFFFu);
    end_count(r, PERF_LAUNCHES);
    assert_true(perf_metric(perf_last(r->set), PERF_METRIC_DRAM_RATIO) == 8.0);
    assert_true(perf_metric(perf_last(r->set), PERF_METRIC_SECTOR_EFFICIENCY) == 0.125);
    rig_free(r);
}

/* ---- the set ---- */

static void totals(void **state)
{
    (void)state;
    Rig *r = rig_new(1, 4096);
    warp_access(r, ACCESS_STORE, SPACE_GLOBAL, r->a->addr, 4, 4, 0xFFFFFFFFu);
    ExecCounts n = {.warp_insts = {[PTX_CLASS_FLOAT] = 3, [PTX_CLASS_SYNC] = 1},
                    .thread_insts = {[PTX_CLASS_FLOAT] = 96, [PTX_CLASS_SYNC] = 32},
                    .flops32 = 192,
                    .int_ops = 5,
                    .branches = 4,
                    .divergent_branches = 1};
    r->o->retired(r->o->self, &r->who, &n);
    r->o->barrier(r->o->self, &r->who, 0);
    close_block(r);
    end_count(r, PERF_LAUNCHES);
    const uint64_t *v = perf_last(r->set)->v;
    assert_int_equal(v[PERF_BLOCKS], 1);
    assert_int_equal(v[PERF_WARPS], 2);
    assert_int_equal(v[PERF_THREADS], 48);
    assert_int_equal(v[PERF_WARP_INSTRUCTIONS], 4);
    assert_int_equal(v[PERF_KERNEL_INSTRUCTIONS], 128);
    assert_int_equal(v[PERF_FLOAT_INSTRUCTIONS], 3);
    assert_int_equal(v[PERF_KERNEL_OPS], 197);
    assert_int_equal(v[PERF_BARRIERS], 1);
    assert_int_equal(v[PERF_DIVERGENT_BRANCHES], 1);
    begin_count(r); /* an empty launch: last starts again, totals stay */
    assert_int_equal(end_count(r, PERF_BLOCKS), 0);
    assert_int_equal(perf_totals(r->set)->v[PERF_LAUNCHES], 2);
    assert_int_equal(perf_totals(r->set)->v[PERF_GLOBAL_STORE_BYTES], 128);
    rig_free(r);
}

/* Blocks spread over workers, one of them moved from one worker to another, count the same. */
static void workers_agree(void **state)
{
    (void)state;
    PerfCounters seen[2];
    for (uint32_t many = 0; many < 2; many++) {
        Rig *r = rig_new(many ? 3 : 1, 1 << 16);
        close_block(r);
        for (uint32_t half = 0; half < 2; half++) {
            for (uint32_t b = 1; b < 7; b++) {
                if (half)
                    at(r, b, many ? (b + 1) % 3 : 0);
                else
                    open(r, b, many ? b % 3 : 0);
                warp_access(r, ACCESS_LOAD, SPACE_GLOBAL, r->a->addr + b * 100, 4, 4, 0x7FFFFFFFu);
                warp_access(r, ACCESS_LOAD, SPACE_GLOBAL, r->a->addr + b * 64, 68, 4, 0xFFFFFFFFu);
                if (half)
                    close_block(r);
            }
        }
        end_count(r, PERF_LAUNCHES);
        seen[many] = *perf_last(r->set);
        rig_free(r);
    }
    assert_true(seen[0].v[PERF_L1_HIT_SECTORS] > 0);
    assert_memory_equal(&seen[0], &seen[1], sizeof seen[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors),       cmocka_unit_test(banks),       cmocka_unit_test(atomics),
        cmocka_unit_test(constants),     cmocka_unit_test(first_level), cmocka_unit_test(second_level),
        cmocka_unit_test(strided_ratio), cmocka_unit_test(totals),      cmocka_unit_test(workers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
