/* Counters of real kernels, through nvcc, the parser, the decoder and exec, against figures worked out by
 * hand. The same with several workers and with another order of blocks. */
#include "common/vgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the module, compiled once ---- */

typedef struct Kernels {
    PtxModule *ptx;
    IrModule *ir;
} Kernels;

static char *read_counted_file(const char *path)
{
    enum { CAP = 1 << 20 };
    FILE *f = fopen(path, "rb");
    char *text = calloc(CAP, 1);
    if (!f || !text) {
        free(text);
        return NULL;
    }
    text[fread(text, 1, CAP - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int compile(void **state)
{
    static Kernels k;
    const char *kit = getenv("KIT") ? getenv("KIT") : ".",
               *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char command[2048], path[600];
    snprintf(path, sizeof path, "%s/perf-kernels-%ld.ptx", build, (long)getpid());
    snprintf(command, sizeof command,
             "nvcc -ptx -arch=compute_75 -o '%s' '%s/common/vgpu/perf/test/kernels/kernels.cu'", path, kit);
    if (system(command) != 0)
        return -1;
    char *text = read_counted_file(path);
    unlink(path);
    Diag d = {0};
    if (!text || ptx_parse(text, strlen(text), "kernels.ptx", &k.ptx, &d) ||
        ir_decode(&k.ptx, 1, &k.ir, &d) || exec_bind(k.ir, &d)) {
        print_message("%d: %s\n", d.line, d.message);
        return -1;
    }
    free(text);
    *state = &k;
    return 0;
}

static int drop_counted(void **state)
{
    Kernels *k = *state;
    if (!k) /* compile failed */
        return 0;
    ir_module_free(k->ir);
    ptx_module_free(k->ptx);
    return 0;
}

/* ---- one launch ---- */

static PerfCounters count(const Kernels *k, const char *name, uint32_t blocks, uint32_t threads, uint32_t n,
                          unsigned jobs, uint64_t seed)
{
    PerfSet *set;
    Mem *mem;
    IrInstance *instance;
    assert_int_equal(perf_create(perf_model(0), jobs, &set), STATUS_OK);
    assert_int_equal(mem_create(0, 64 << 20, 1, &mem), STATUS_OK);
    assert_int_equal(ir_instantiate(k->ir, (uint64_t[64]){0}, &instance), STATUS_OK);
    int32_t index = ir_find_function(k->ir, name);
    assert_true(index >= 0);
    const IrFunction *f = &k->ir->functions[index];
    uint8_t params[64] = {0};
    for (int i = 0; i < 3; i++) {
        MemAlloc *a = mem_alloc(mem, 1 << 20, MEM_DEVICE, 0, NULL);
        memset(a->host, 0, a->bytes);
        memcpy(params + f->params[i].offset, &a->addr, 8);
    }
    memcpy(params + f->params[3].offset, &n, 4);
    static const ExecHost host;
    ExecLaunch l = {.instance = instance,
                    .function = (uint32_t)index,
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .mem = mem,
                    .seed = seed,
                    .n_sms = 40,
                    .jobs = jobs,
                    .host = &host,
                    .observers = perf_observer(set),
                    .n_observers = 1};
    ExecResult result;
    exec_launch(&l, &result);
    assert_int_equal(result.error, EXEC_OK);
    PerfCounters c = *perf_last(set);
    assert_int_equal(c.v[PERF_WARP_INSTRUCTIONS], result.instructions);
    perf_destroy(set);
    ir_instance_free(instance);
    mem_destroy(mem);
    return c;
}

/* How often a warp asks in vain is nothing that it does. */
static void waits_in_a_loop(void **state)
{
    for (uint32_t n = 1; n <= 1000; n *= 10)
        for (uint64_t seed = 0; seed < 5; seed++)
            assert_int_equal(count(*state, "wait_for_last", 4, 64, n, 1, seed).v[PERF_GLOBAL_LOAD_REQUESTS], 8);
}

static void vector_add(void **state)
{
    PerfCounters c = count(*state, "add", 4, 256, 1000, 1, 0);
    assert_int_equal(c.v[PERF_THREADS], 1024);
    assert_int_equal(c.v[PERF_FLOPS32], 1000);
    assert_int_equal(c.v[PERF_GLOBAL_LOAD_REQUESTS], 64); /* the last warp has 8 lanes: 1 sector */
    assert_int_equal(c.v[PERF_GLOBAL_LOAD_SECTORS], 2 * (31 * 4 + 1));
    assert_int_equal(c.v[PERF_GLOBAL_STORE_SECTORS], 31 * 4 + 1);
    assert_int_equal(c.v[PERF_GLOBAL_LOAD_BYTES], 8000);
    assert_int_equal(c.v[PERF_UNIQUE_LOAD_BYTES], 8000);
    assert_int_equal(c.v[PERF_DRAM_WRITE_BYTES], 4000);
    assert_int_equal(c.v[PERF_DIVERGENT_BRANCHES], 1); /* the warp of thread 1,000 */
    assert_true(perf_metric(&c, PERF_METRIC_DRAM_RATIO) == 1.0);
    assert_true(perf_metric(&c, PERF_METRIC_SECTOR_EFFICIENCY) == 1.0);
}

static void strides(void **state)
{
    PerfCounters c = count(*state, "strided", 4, 256, 8192, 1, 0);
    assert_true(perf_metric(&c, PERF_METRIC_SECTORS_PER_LOAD) == 32);
    assert_true(perf_metric(&c, PERF_METRIC_SECTORS_PER_STORE) == 4);
    assert_true(perf_metric(&c, PERF_METRIC_DRAM_RATIO) == 4.5); /* (8 + 1) / 2 */
}

static void transposes(void **state)
{
    PerfCounters plain = count(*state, "transpose", 4, 256, 128, 1, 0),
                 tile = count(*state, "transpose_tile", 4, 256, 128, 1, 0),
                 padded = count(*state, "transpose_padded", 4, 256, 128, 1, 0);
    assert_true(perf_metric(&plain, PERF_METRIC_SECTORS_PER_STORE) == 32);
    assert_true(perf_metric(&tile, PERF_METRIC_SECTORS_PER_STORE) == 4);
    assert_int_equal(tile.v[PERF_SHARED_LOAD_REQUESTS], 4 * 32);
    assert_int_equal(tile.v[PERF_SHARED_BANK_CONFLICTS], 4 * 32 * 31); /* every load of a column, no store */
    assert_int_equal(padded.v[PERF_SHARED_BANK_CONFLICTS], 0);
    assert_int_equal(padded.v[PERF_BARRIERS], 4);
}

static void divergence(void **state)
{
    PerfCounters c = count(*state, "divergent", 4, 256, 0, 1, 0);
    assert_true(c.v[PERF_DIVERGENT_BRANCHES] >= 4 * 8);
    double lanes = perf_metric(&c, PERF_METRIC_ACTIVE_LANES);
    assert_true(lanes > 16 && lanes < 32);
    PerfCounters add = count(*state, "add", 4, 256, 1024, 1, 0);
    assert_int_equal(add.v[PERF_DIVERGENT_BRANCHES], 0);
    assert_true(perf_metric(&add, PERF_METRIC_ACTIVE_LANES) == 32);
}

static void contended_atomics(void **state)
{
    PerfCounters c = count(*state, "one_counter", 4, 256, 1, 1, 0);
    assert_int_equal(c.v[PERF_GLOBAL_ATOMIC_REQUESTS], 32);
    assert_int_equal(c.v[PERF_GLOBAL_ATOMIC_THREADS], 1024);
    assert_int_equal(c.v[PERF_GLOBAL_ATOMIC_CONFLICTS], 1024);
    assert_int_equal(c.v[PERF_GLOBAL_ATOMIC_SECTORS], 1024); /* each lane's turn comes after the one before */
    assert_int_equal(c.v[PERF_ATOMIC_TURNS], 1024);
    c = count(*state, "one_sum", 4, 256, 1, 1, 0);
    assert_int_equal(c.v[PERF_ATOMIC_TURNS], 2458); /* 1024 * 2.4, rounded up */
}

static void waits(void **state)
{
    enum { WARPS = 32 };
    PerfCounters c = count(*state, "add", 4, 256, 1024, 1, 0);
    assert_int_equal(c.v[PERF_LOAD_WAITS], WARPS); /* both loads together */
    assert_int_equal(c.v[PERF_LOAD_WAITS_MISSED], WARPS);
    c = count(*state, "follow", 4, 256, 0, 1, 0);
    assert_int_equal(c.v[PERF_LOAD_WAITS], 3 * WARPS);
    assert_true(c.v[PERF_LOAD_WAITS_MISSED] < 3 * WARPS); /* all is 0: the last loads hit one place again */
    c = count(*state, "behind_a_store", 4, 256, 1024, 1, 0);
    assert_int_equal(c.v[PERF_LOAD_WAITS], 2 * WARPS);
    c = count(*state, "transpose_padded", 4, 256, 128, 1, 0); /* four turns of each loop, unrolled or not */
    assert_in_range(c.v[PERF_SHARED_WAITS], WARPS, 4 * WARPS);
}

static void matrix_products(void **state)
{
    PerfCounters c = count(*state, "products", 4, 256, 16, 1, 0);
    enum { WARPS = 32, PRODUCTS = 2, OPS = 2 * 16 * 16 * 16 };
    assert_int_equal(c.v[PERF_TENSOR_OPS], WARPS * PRODUCTS * OPS);
    assert_int_equal(c.v[PERF_FLOPS16], 0);
    assert_true(c.v[PERF_KERNEL_OPS] >= c.v[PERF_TENSOR_OPS]);
    c = count(*state, "add", 4, 256, 1024, 1, 0);
    assert_int_equal(c.v[PERF_TENSOR_OPS], 0);
}

static void workers_and_orders_agree(void **state)
{
    static const char *const names[] = {"add",       "strided",     "transpose", "transpose_tile",
                                        "divergent", "one_counter", "products"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PerfCounters one = count(*state, names[i], 4, 256, 128, 1, 0);
        PerfCounters three = count(*state, names[i], 4, 256, 128, 3, 0),
                     shuffled = count(*state, names[i], 4, 256, 128, 1, 99);
        assert_memory_equal(&one, &three, sizeof one);
        assert_memory_equal(&one, &shuffled, sizeof one);
    }
}

int main(void)
{
    if (system("nvcc --version >/dev/null 2>&1") != 0) {
        puts("1..0 # SKIP nvcc is not here");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_in_a_loop),
        cmocka_unit_test(vector_add),        cmocka_unit_test(strides),
        cmocka_unit_test(transposes),        cmocka_unit_test(divergence),
        cmocka_unit_test(contended_atomics), cmocka_unit_test(waits),
        cmocka_unit_test(matrix_products),   cmocka_unit_test(workers_and_orders_agree),
    };
    return cmocka_run_group_tests(tests, compile, drop_counted);
}
