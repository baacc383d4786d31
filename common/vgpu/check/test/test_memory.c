/* Faults, hints, frees, leaks, tools, and the list of findings. */
#include "common/vgpu/check/test/rig.h"

/* ---- faults ---- */

static const struct {
    uint8_t fault;
    FindingKind finding;
    const char *verdict;
} fault_cases[] = {
    {FAULT_OUT_OF_BOUNDS, FINDING_OUT_OF_BOUNDS, "out-of-bounds"},
    {FAULT_FREED, FINDING_USE_AFTER_FREE, "out-of-bounds"},
    {FAULT_NULL, FINDING_NULL_POINTER, "out-of-bounds"},
    {FAULT_HOST_POINTER, FINDING_HOST_POINTER, "out-of-bounds"},
    {FAULT_WRONG_SPACE, FINDING_WRONG_SPACE, "out-of-bounds"},
    {FAULT_MISALIGNED, FINDING_MISALIGNED, "misaligned"},
    {FAULT_READ_ONLY, FINDING_READ_ONLY, "out-of-bounds"},
    {FAULT_OTHER_DEVICE, FINDING_OTHER_DEVICE, "out-of-bounds"},
    {FAULT_BAD_CALL, FINDING_BAD_CALL, "crash"},
    {FAULT_STACK, FINDING_STACK_OVERFLOW, "crash"},
    {FAULT_ASSERT, FINDING_ASSERT, "crash"},
    {FAULT_TRAP, FINDING_TRAP, "crash"},
    {FAULT_TIMEOUT, FINDING_TIMEOUT, "timeout"},
    {FAULT_DEADLOCK, FINDING_DEADLOCK, "timeout"},
    {FAULT_INTERRUPTED, FINDING_INTERRUPTED, ""},
    {FAULT_UNSUPPORTED, FINDING_UNSUPPORTED, "crash"},
    {FAULT_BARRIER_EXITED, FINDING_BARRIER_EXITED, ""},
    {FAULT_BARRIER_DIVERGENT, FINDING_BARRIER_DIVERGENT, "barrier"},
    {FAULT_SYNC_MASK, FINDING_SYNC_MASK, "barrier"},
    {FAULT_MATRIX_ALIGNMENT, FINDING_MATRIX_ALIGNMENT, "misaligned"},
    {FAULT_SHUFFLE_SOURCE, FINDING_SHUFFLE_SOURCE, "barrier"},
    {FAULT_SHUFFLE_UNNAMED, FINDING_SHUFFLE_UNNAMED, ""},
};

/* Sends a fault in its own launch; x: place and lane. */
static void send(Rig *r, ExecFault f)
{
    rig_begin(r, 4, 256);
    rig_block(r, 3, 0);
    rig_fault(r, 7, 7, f);
    rig_block_end(r);
    rig_end(r);
}

static void every_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fault_cases / sizeof *fault_cases; i++) {
        Rig *r = rig_new(CHECK_ALL, 1);
        MemAlloc *a = mem_alloc(r->mem, 1000, MEM_DEVICE, 0, NULL);
        send(r, (ExecFault){.kind = fault_cases[i].fault,
                            .access = ACCESS_STORE,
                            .space = SPACE_GLOBAL,
                            .bytes = 4,
                            .lane = 8,
                            .mask = 0xFFFFFF00u,
                            .thread = {232, 0, 0},
                            .address = a->addr + 1000,
                            .detail = "x > 0"});
        const Finding *f = rig_only(r, fault_cases[i].finding);
        assert_string_equal(f->verdict, fault_cases[i].verdict);
        assert_int_equal(f->count, 24);
        assert_int_equal(f->block[0], 3);
        assert_int_equal(f->thread[0], 232);
        assert_int_equal(f->place.line, 107);
        assert_non_null(strstr(f->message, "x > 0"));
        rig_free(r);
    }
}

/* A budget that is used up by a grid of one block is a loop's; one of many millions of threads may be the grid's. */
static void a_timeout_names_a_large_grid(void **state)
{
    (void)state;
    static const struct {
        uint32_t blocks;
        const char *hint;
    } cases[] = {{600496, "the launch has 600,496 blocks of 256 threads: do the elements"},
                 {1000, "is there a loop that cannot end?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rig *r = rig_new(CHECK_NONE, 1);
        rig_begin(r, cases[i].blocks, 256);
        rig_block(r, 3, 0);
        rig_fault(r, 7, 7, (ExecFault){.kind = FAULT_TIMEOUT, .mask = 1});
        rig_block_end(r);
        rig_end(r);
        const Finding *f = rig_only(r, FINDING_TIMEOUT);
        assert_ptr_equal(strstr(f->hint, cases[i].hint), f->hint);
        rig_free(r);
    }
}

/* What ends a launch is told without any tool; what a tool finds is not. */
static void tools_select(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fault_cases / sizeof *fault_cases; i++) {
        Rig *r = rig_new(CHECK_NONE, 1);
        send(r,
             (ExecFault){
                 .kind = fault_cases[i].fault, .space = SPACE_GLOBAL, .bytes = 4, .mask = 1, .address = 64});
        bool always = strcmp(fault_cases[i].verdict, "crash") == 0 ||
                      strcmp(fault_cases[i].verdict, "timeout") == 0 ||
                      fault_cases[i].fault == FAULT_INTERRUPTED;
        assert_int_equal(check_n_findings(r->set), always);
        rig_free(r);
    }
}

static void parse_tools(void **state)
{
    (void)state;
    unsigned tools;
    Diag d;
    assert_int_equal(check_parse_tools("all", &tools, &d), STATUS_OK);
    assert_int_equal(tools, CHECK_ALL);
    assert_int_equal(check_parse_tools("none", &tools, &d), STATUS_OK);
    assert_int_equal(tools, 0);
    assert_int_equal(check_parse_tools("race,leak", &tools, &d), STATUS_OK);
    assert_int_equal(tools, CHECK_RACE | CHECK_LEAK);
    static const char *const wrong[] = {"", "races", "race,", ",race", "race;leak", "rac"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(check_parse_tools(wrong[i], &tools, &d), STATUS_INVALID);
    assert_int_equal(check_parse_tools("race,luck", &tools, &d), STATUS_INVALID);
    assert_non_null(strstr(d.message, "'luck'"));
}

/* ---- distances and hints ---- */

typedef struct HintCase {
    uint64_t bytes;         /* of the allocation */
    int64_t offset;         /* of the access */
    uint32_t block, thread; /* in blocks of 256, or of 1 where the row has a thousand blocks */
    uint32_t blocks;
    int64_t distance;
    const char *hint;
    uint32_t rows; /* of blocks */
} HintCase;

static const HintCase hint_cases[] = {
    {1000 * 4, 1000 * 4, 3, 232, 4, 1, "thread 1,000 of the launch is beyond the 1,000 elements", 1},
    {1000 * 4, 1003 * 4, 3, 235, 4, 13, "thread 1,003 of the launch is beyond the 1,000 elements", 1},
    {1000, 1000, 0, 250, 4, 1, "n * sizeof(element)", 1}, /* 1,000 bytes for 1,000 floats */
    {1000 * 4, 1000 * 4, 3, 231, 4, 1, "index 1,000 is one past the last element, 999: is there a <= that should be a <, an i + 1", 1},
    {1000 * 4, 1000 * 4, 3, 231, 4, 1, "a direction that the guard does not test (&& around the work, || in an early return), or an argument of the launch", 2},
    {256, 100 * 4, 0, 100, 1, 145, "does the kernel test i < n? If it does, was the allocation given n instead", 1}, /* 256 bytes, 256 threads */
    {1000 * 4, 2000 * 4, 3, 231, 4, 4001, "compare the index", 1},
    {1000 * 4, 2000 * 4, 3, 231, 4, 4001, "this thread has x = 999, y = 0: which of these is not below its own length?", 2},
    {1000 * 4, 1020 * 4, 1020, 0, 1100, 81, "1,100 blocks of one thread, more than the 1,000 elements: does the kernel test i < n? Where each block has", 1},
    {8, 700 * 4, 0, 4, 4, 2793, "8 bytes, as many as a pointer", 1},
    {8, 2 * 4, 0, 255, 4, 1,
     "index 2 is one past the last element, 1: is there a <= that should be a <, an i + 1 at the edge, no test of i < n, or are too few elements "
     "allocated",
     1},
    {256 * 4, 256 * 4, 0, 0, 1, 1, "threadIdx.x instead of blockDim.x", 1},
    {1000 * 4, -4, 0, 0, 4, -4, "index is negative", 1},
    {1000 * 4, 1002 * 4 + 2, 3, 231, 4, 11, "compare the index", 1},
};

/* Thread 224 of a kernel without a guard reads far behind its one element, where another array lies nearer. */
static void index_of_thread_names_the_array(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    MemAlloc *meant = mem_alloc(r->mem, 4, MEM_DEVICE, 0, NULL);
    mem_alloc(r->mem, 4, MEM_DEVICE, 0, NULL);
    MemAlloc *nearer = mem_alloc(r->mem, 4, MEM_DEVICE, 0, NULL);
    uint64_t address = meant->addr + 224 * 4;
    assert_ptr_equal(mem_find_nearest(r->mem, address), nearer);
    IrParam params[] = {{.offset = 0, .bytes = 8}, {.offset = 8, .bytes = 4}};
    uint64_t values[] = {meant->addr, 1};
    r->function.params = params;
    r->function.n_params = 2;
    rig_begin(r, 1, 256);
    r->launch.params = (const uint8_t *)values;
    rig_block(r, 0, 0);
    rig_fault(r, 1, 7,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .space = SPACE_GLOBAL,
                          .bytes = 4,
                          .mask = 1,
                          .thread = {224, 0, 0},
                          .address = address});
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(f->alloc_serial, meant->serial);
    assert_non_null(strstr(f->hint, "thread 224 of the launch is beyond the 1 element"));
    rig_free(r);
}

/* The second of two parts begins at the end of an allocation that has room for the first alone. */
static void part_without_room_is_named(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    MemAlloc *parts = mem_alloc(r->mem, 513 * 4, MEM_DEVICE, 0, NULL);
    uint64_t values[] = {parts->addr, parts->addr + 513 * 4};
    IrParam params[] = {{.offset = 0, .bytes = 8}, {.offset = 8, .bytes = 8}};
    r->function.params = params;
    r->function.n_params = 2;
    r->function.param_bytes = sizeof values;
    rig_begin(r, 3, 256);
    r->launch.params = (const uint8_t *)values;
    rig_block(r, 2, 0);
    rig_fault(r, 1, 7,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .space = SPACE_GLOBAL,
                          .bytes = 4,
                          .mask = 1,
                          .thread = {255, 0, 0},
                          .address = parts->addr + 515 * 4});
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_OUT_OF_BOUNDS);
    assert_non_null(strstr(f->hint, "a parameter leads to element 513 of an allocation of 513 elements, its end: does the launch add"));
    rig_free(r);
}

static void hints_follow_the_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hint_cases / sizeof *hint_cases; i++) {
        const HintCase *c = &hint_cases[i];
        Rig *r = rig_new(CHECK_ALL, 1);
        MemAlloc *a = mem_alloc(r->mem, c->bytes, MEM_DEVICE, 0, NULL);
        rig_begin(r, c->blocks, c->blocks > 1000 ? 1 : 256);
        r->launch.grid[1] = c->rows;
        rig_block(r, c->block, 0);
        rig_fault(r, 1, c->thread / 32,
                  (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                              .space = SPACE_GLOBAL,
                              .bytes = 4,
                              .mask = 1,
                              .thread = {c->thread, 0, 0},
                              .address = a->addr + (uint64_t)c->offset});
        rig_end(r);
        const Finding *f = rig_only(r, FINDING_OUT_OF_BOUNDS);
        assert_int_equal(f->distance, c->distance);
        assert_int_equal(f->alloc_bytes, c->bytes);
        if (!strstr(f->hint, c->hint))
            fail_msg("case %zu: %s", i, f->hint);
        rig_free(r);
    }
}

static void shared_hints(void **state)
{
    (void)state;
    static const struct {
        uint32_t dynamic;
        bool uses;
        const char *hint;
        uint32_t fixed;
    } cases[] = {
        {0, true, "third argument", 0},
        {264, true, "mind the parentheses", 0},
        {1020, true, "mind the parentheses", 0},
        {1024, true, "a halo on both sides", 0}, /* 256 threads have their ints, and no more */
        {256, true, "threadIdx", 0},             /* element 256 is not one of 256 either */
        {0, false, "threadIdx", 0},
        {0, false, "one past the last place", 1024},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rig *r = rig_new(CHECK_ALL, 1);
        r->function.uses_dynamic_shared = cases[i].uses;
        r->function.static_shared_bytes = cases[i].fixed;
        rig_begin(r, 1, 256);
        r->launch.dynamic_shared = cases[i].dynamic;
        r->o->block_begin(r->o->self, &r->who, cases[i].dynamic);
        rig_fault(
            r, 1, 0,
            (ExecFault){
                .kind = FAULT_OUT_OF_BOUNDS, .space = SPACE_SHARED, .bytes = 4, .mask = 1, .address = 1024});
        rig_end(r);
        const Finding *f = rig_only(r, FINDING_OUT_OF_BOUNDS);
        assert_string_equal(f->space, "shared");
        assert_int_equal(f->distance, 1024 - (int64_t)cases[i].dynamic + 1);
        if (!strstr(f->hint, cases[i].hint))
            fail_msg("case %zu: %s", i, f->hint);
        rig_free(r);
    }
}

/* The allocation is told as it was when the fault came, though it is freed later. */
static void allocation_at_the_time(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    MemAlloc *a = mem_alloc(r->mem, 1000, MEM_DEVICE, 77, NULL);
    uint64_t addr = a->addr;
    send(r, (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                        .space = SPACE_GLOBAL,
                        .bytes = 4,
                        .mask = 1,
                        .address = addr + 1000});
    assert_int_equal(mem_free(r->mem, addr, 78), STATUS_OK);
    send(r,
         (ExecFault){.kind = FAULT_FREED, .space = SPACE_GLOBAL, .bytes = 4, .mask = 1, .address = addr + 8});
    assert_int_equal(check_n_findings(r->set), 2);
    assert_false(check_finding(r->set, 0)->alloc_freed);
    assert_true(check_finding(r->set, 1)->alloc_freed);
    assert_int_equal(check_finding(r->set, 1)->alloc_site.token, 77);
    assert_int_equal(check_finding(r->set, 1)->free_site.token, 78);
    assert_int_equal(check_finding(r->set, 1)->distance, 0);
    rig_free(r);
}

/* ---- frees and leaks ---- */

static void bad_frees(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    MemAlloc *a = mem_alloc(r->mem, 1000, MEM_DEVICE, 5, NULL);
    uint64_t addr = a->addr;
    check_bad_free(r->set, addr + 4, mem_find_nearest(r->mem, addr + 4), 6);
    assert_int_equal(mem_free(r->mem, addr, 7), STATUS_OK);
    check_bad_free(r->set, addr, mem_find_nearest(r->mem, addr), 8);
    check_bad_free(r->set, 0x7fff00000000, mem_find_nearest(r->mem, 0x7fff00000000), 9);
    assert_int_equal(check_n_findings(r->set), 3);
    assert_int_equal(finding_kind(check_finding(r->set, 0)), FINDING_INVALID_FREE);
    assert_true(check_finding(r->set, 0)->has_alloc);
    assert_int_equal(finding_kind(check_finding(r->set, 1)), FINDING_DOUBLE_FREE);
    assert_int_equal(check_finding(r->set, 1)->free_site.token, 7);
    assert_int_equal(finding_kind(check_finding(r->set, 2)), FINDING_INVALID_FREE);
    assert_false(check_finding(r->set, 2)->has_alloc);
    assert_string_equal(check_finding(r->set, 2)->verdict, "invalid-free");
    rig_free(r);
}

static void leaks(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    uint64_t freed = mem_alloc(r->mem, 100, MEM_DEVICE, 1, NULL)->addr;
    mem_alloc(r->mem, 100, MEM_DEVICE, 2, NULL); /* a loop: one place, three times */
    mem_alloc(r->mem, 100, MEM_DEVICE, 2, NULL);
    mem_alloc(r->mem, 100, MEM_DEVICE, 2, NULL);
    mem_alloc(r->mem, 200, MEM_POOL, 3, NULL);
    mem_alloc(r->mem, 64, MEM_GLOBAL_VAR, 0, "table");
    mem_alloc(r->mem, 64, MEM_CONST_VAR, 0, "filter");
    mem_alloc(r->mem, 64, MEM_INTERNAL, 0, NULL);
    assert_int_equal(mem_free(r->mem, freed, 4), STATUS_OK);
    check_leaks(r->set, r->mem);
    assert_int_equal(check_n_findings(r->set), 2);
    assert_int_equal(check_finding(r->set, 0)->count, 3);
    assert_int_equal(check_finding(r->set, 0)->site.token, 2);
    assert_string_equal(check_finding(r->set, 0)->message, "100 bytes never freed");
    assert_string_equal(check_finding(r->set, 1)->message, "200 bytes never freed");
    rig_free(r);
}

static void no_leak_tool(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL & ~(unsigned)CHECK_LEAK, 1);
    mem_alloc(r->mem, 100, MEM_DEVICE, 2, NULL);
    check_leaks(r->set, r->mem);
    rig_none(r);
    rig_free(r);
}

/* ---- the list ---- */

typedef struct Log {
    uint32_t n;
    uint64_t last_count;
} Log;

static void on_report(void *self, const Finding *f)
{
    Log *log = self;
    log->n++;
    log->last_count = f->count;
}

/* A finding is reported when it is new, and once more at the end when it has come again. */
static void reports(void **state)
{
    (void)state;
    Log log = {0};
    CheckSet *set;
    CheckOptions options = {.tools = CHECK_ALL, .self = &log, .report = on_report};
    assert_int_equal(check_create(&options, &set), STATUS_OK);
    for (int i = 0; i < 5; i++)
        check_advise(set, NULL, 0, 3, "a", "b");
    check_advise(set, NULL, 0, 4, "a", "b");
    assert_int_equal(log.n, 2);
    check_finish(set);
    assert_int_equal(log.n, 3);
    assert_int_equal(log.last_count, 5);
    check_finish(set);
    assert_int_equal(log.n, 3);
    check_destroy(set);
}

/* At the limit everything is kept; one past it is counted. */
static void findings_limit(void **state)
{
    (void)state;
    CheckSet *set;
    CheckOptions options = {.tools = CHECK_ALL};
    assert_int_equal(check_create(&options, &set), STATUS_OK);
    for (uint64_t i = 1; i <= CHECK_FINDINGS_MAX; i++)
        check_advise(set, NULL, 0, i, "a", "b");
    assert_int_equal(check_n_findings(set), CHECK_FINDINGS_MAX);
    assert_int_equal(check_dropped(set), 0);
    check_advise(set, NULL, 0, CHECK_FINDINGS_MAX + 1, "a", "b");
    assert_int_equal(check_n_findings(set), CHECK_FINDINGS_MAX);
    assert_int_equal(check_dropped(set), 1);
    check_destroy(set);
}

/* The line of the student's own code is shown, not that of a system header inlined into it. */
static void inlined_places(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    const char *files[] = {"", "k.cu",
                           "/usr/local/cuda/targets/x86_64-linux/include/sm_20_atomic_functions.hpp"};
    r->module.files = files;
    r->module.n_files = 3;
    r->locs[7] = (IrLoc){.file = 2, .line = 88, .column = 3, .parent = 8, .function = "atomicAdd"};
    r->locs[8] = (IrLoc){.file = 1, .line = 42, .column = 9, .parent = 9, .function = "helper"};
    r->locs[9] = (IrLoc){.file = 1, .line = 60, .column = 1, .parent = -1};
    send(r, (ExecFault){.kind = FAULT_NULL, .space = SPACE_GLOBAL, .bytes = 4, .mask = 1});
    const Finding *f = rig_only(r, FINDING_NULL_POINTER);
    assert_string_equal(f->place.file, "k.cu");
    assert_int_equal(f->place.line, 42);
    assert_string_equal(f->place.inlined_into_file, "k.cu");
    assert_int_equal(f->place.inlined_into_line, 60);
    rig_free(r);
}

static const char *shout(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "k") == 0 ? "k(float*, int)" : NULL;
}

static void demangled(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_ALL, 1);
    check_destroy(r->set);
    CheckOptions options = {.tools = CHECK_ALL, .demangle = shout};
    assert_int_equal(check_create(&options, &r->set), STATUS_OK);
    r->o = check_observer(r->set);
    send(r, (ExecFault){.kind = FAULT_TRAP, .mask = 1});
    assert_string_equal(rig_only(r, FINDING_TRAP)->kernel, "k(float*, int)");
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault),
        cmocka_unit_test(a_timeout_names_a_large_grid),
        cmocka_unit_test(tools_select),
        cmocka_unit_test(parse_tools),
        cmocka_unit_test(part_without_room_is_named),
        cmocka_unit_test(hints_follow_the_facts),
        cmocka_unit_test(index_of_thread_names_the_array),
        cmocka_unit_test(shared_hints),
        cmocka_unit_test(allocation_at_the_time),
        cmocka_unit_test(bad_frees),
        cmocka_unit_test(leaks),
        cmocka_unit_test(no_leak_tool),
        cmocka_unit_test(reports),
        cmocka_unit_test(findings_limit),
        cmocka_unit_test(inlined_places),
        cmocka_unit_test(demangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
