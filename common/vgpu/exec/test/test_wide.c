/* Random kernels with values that are formulas in the thread's index, run with all warps of a block at once
 * and warp by warp: the same bytes, the same counts, the same accesses told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/exec/test/ways.h"
#include "common/vgpu/fuzz/kernels/kernels.h"

enum { KERNELS = 300, BLOCKS = 5 };

static const uint32_t shapes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 4, 1}, {8, 8, 2},   {5, 7, 3},
                                     {32, 3, 1}, {16, 16, 1}, {1, 40, 1}, {256, 1, 1}, {20, 1, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

typedef struct Result {
    uint32_t out[BLOCKS * KERNEL_THREADS_MAX * KERNEL_OUT_BYTES / 4];
    uint64_t sum[KERNEL_SUM_BYTES / 8];
    uint64_t instructions, planned;
    Ways ways;
} Result;

typedef struct Loaded {
    PtxModule *ptx;
    IrModule *module;
} Loaded;

static Loaded load(const StrBuf *text)
{
    Loaded l = {0};
    Diag diag = {0};
    if (ptx_parse(text->text, text->length, "random.ptx", &l.ptx, &diag) ||
        ir_decode(&l.ptx, 1, &l.module, &diag) || exec_bind(l.module, &diag))
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text->text);
    return l;
}

static void unload(Loaded *l)
{
    ir_module_free(l->module);
    ptx_module_free(l->ptx);
}

/* The module's constants, in memory. */
static IrInstance *instantiate(const IrModule *m, Mem *mem)
{
    uint64_t places[8] = {0};
    MemAlloc *allocs[8] = {NULL};
    IrInstance *instance;
    assert_in_range(m->n_globals, 0, 8);
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].space == SPACE_CONST) {
            allocs[i] = mem_alloc(mem, m->globals[i].bytes, MEM_CONST_VAR, 0, m->globals[i].name);
            memset(allocs[i]->host, 0, allocs[i]->bytes);
            places[i] = allocs[i]->addr;
        }
    assert_int_equal(STATUS_OK, ir_instantiate(m, places, &instance));
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (allocs[i])
            ir_global_init(instance, i, allocs[i]->host);
    return instance;
}

static void run(const Loaded *l, const uint32_t shape[3], unsigned jobs, bool narrow, bool takes_wide,
                Result *r)
{
    Mem *mem = NULL;
    memset(r, 0, sizeof *r);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &mem));
    MemAlloc *in = mem_alloc(mem, KERNEL_IN_BYTES, MEM_DEVICE, 0, NULL),
             *out = mem_alloc(mem, sizeof r->out, MEM_DEVICE, 0, NULL),
             *sum = mem_alloc(mem, sizeof r->sum, MEM_DEVICE, 0, NULL);
    IrInstance *instance = instantiate(l->module, mem);
    for (uint32_t i = 0; i < KERNEL_IN_BYTES / 4; i++)
        ((uint32_t *)in->host)[i] = i % 7 ? (uint32_t)rng_mix(i) : i;
    memset(out->host, 0, sizeof r->out);
    memset(sum->host, 0, sizeof r->sum);
    struct {
        uint64_t in, out, sum;
        uint32_t n;
    } params = {in->addr, out->addr, sum->addr, 50};
    r->ways.takes_wide = takes_wide;
    ExecObserver observer = ways_observer(&r->ways);
    ExecLaunch launch = {.instance = instance,
                         .function = (uint32_t)ir_find_function(l->module, "k"),
                         .grid = {BLOCKS, 1, 1},
                         .block = {shape[0], shape[1], shape[2]},
                         .params = (const uint8_t *)&params,
                         .mem = mem,
                         .narrow = narrow,
                         .jobs = jobs,
                         .observers = &observer,
                         .n_observers = jobs == 1};
    ExecResult result;
    exec_launch(&launch, &result);
    assert_int_equal(EXEC_OK, result.error);
    memcpy(r->out, out->host, sizeof r->out);
    memcpy(r->sum, sum->host, sizeof r->sum);
    r->instructions = result.instructions;
    r->planned = result.planned;
    ir_instance_free(instance);
    mem_destroy(mem);
}

static void compare(const Result *wanted, const Result *got, bool told, const char *how, const StrBuf *text)
{
    const char *differs = told ? ways_differ(&wanted->ways, &got->ways) : NULL;
    for (size_t i = 0; i < sizeof wanted->out / 4; i++)
        if (wanted->out[i] != got->out[i])
            fail_msg("%s: word %zu: expected %u, got %u\n%s", how, i, wanted->out[i], got->out[i],
                     text->text);
    if (memcmp(wanted->sum, got->sum, sizeof got->sum) != 0 || wanted->instructions != got->instructions ||
        differs)
        fail_msg("%s: %s\n%s", how, differs ? differs : "sums or number of instructions", text->text);
}

static void test_both_ways_do_the_same(void **state)
{
    static Result narrow, wide;
    uint64_t n_wide = 0, n_planned = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t *shape = shapes[k % N_SHAPES];
        StrBuf text = {0};
        kernel_write(&text, (KernelChoices){.rng = {k * 7919 + 5}},
                     shape[0] * shape[1] * shape[2] % WARP_LANES == 0);
        Loaded l = load(&text);
        run(&l, shape, 1, true, false, &narrow);
        assert_int_equal(0, narrow.ways.wide);
        run(&l, shape, 1, false, false, &wide);
        n_wide += wide.ways.wide;
        n_planned += wide.planned;
        compare(&narrow, &wide, true, "told by warp", &text);
        run(&l, shape, 1, false, true, &wide);
        compare(&narrow, &wide, false, "told by block", &text);
        run(&l, shape, 2, false, false, &wide);
        compare(&narrow, &wide, false, "two workers", &text);
        unload(&l);
        strbuf_free(&text);
    }
    assert_in_range(n_wide, 5 * KERNELS, UINT64_MAX); /* it does happen */
    assert_in_range(n_planned, KERNELS / 6, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways_do_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
