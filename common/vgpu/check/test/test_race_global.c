/* The race checker in global memory, and reductions: each pattern once with the race and once without it. The
 * rest of shared memory is in test_race.c. */
#include "common/vgpu/check/test/rig.h"

static Rig *global_rig(MemAlloc **a)
{
    Rig *r = rig_new(CHECK_RACE, 1);
    *a = mem_alloc(r->mem, 1 << 16, MEM_DEVICE, 0, NULL);
    assert_non_null(*a);
    rig_begin(r, 8, 64);
    return r;
}

static void blocks_own_their_elements(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = global_rig(&a);
    for (uint32_t b = 0; b < 8; b++) {
        rig_block(r, b, 0);
        for (uint32_t w = 0; w < 2; w++) {
            uint64_t at = a->addr + (b * 2 + w) * 128;
            rig_access(
                r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .warp = w, .base = at, .stride = 4));
            rig_access(
                r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 2, .warp = w, .base = at, .stride = 4));
        }
        rig_block_end(r);
    }
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* In-place stencil: a block reads an element that its neighbour has written. */
static void blocks_meet_at_the_edge(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = global_rig(&a);
    for (uint32_t b = 0; b < 2; b++) {
        rig_block(r, b, 0);
        uint64_t at = a->addr + 256 + b * 128;
        rig_access(
            r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .warp = 0, .base = at - 4, .stride = 4));
        rig_barrier(r);
        rig_access(r,
                   STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 2, .warp = 0, .base = at, .stride = 4));
        rig_block_end(r);
    }
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->block[0], 0);
    assert_int_equal(f->thread[0], 31);
    assert_int_equal(f->other_block[0], 1);
    assert_int_equal(f->other_thread[0], 0);
    assert_int_equal(f->address, a->addr + 256 + 124);
    rig_free(r);
}

/* A block-wide barrier orders the block's own global accesses. */
static void barrier_orders_global(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        MemAlloc *a;
        Rig *r = global_rig(&a);
        rig_block(r, 0, 0);
        rig_access(
            r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .warp = 0, .base = a->addr, .stride = 4));
        if (barrier)
            rig_barrier(r);
        rig_access(
            r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 2, .warp = 1, .base = a->addr, .stride = 4));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), (size_t)!barrier);
        rig_free(r);
    }
}

/* The end of a launch orders everything. */
static void launches_are_ordered(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = global_rig(&a);
    for (uint32_t launch = 0; launch < 2; launch++) {
        if (launch)
            rig_begin(r, 8, 64);
        rig_block(r, launch, 0);
        rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .warp = launch, .base = a->addr,
                            .stride = 4, .value = launch));
        rig_block_end(r);
        rig_end(r);
    }
    rig_none(r);
    rig_free(r);
}

/* counter++ by every block: a read and a write at one line. */
static void plain_increment(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = global_rig(&a);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(r, b, 0);
        rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 4, .base = a->addr, .mask = 1));
        rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 4, .base = a->addr, .mask = 1,
                            .value = b + 1));
        rig_block_end(r);
    }
    rig_end(r);
    assert_int_equal(rig_count(r, FINDING_RACE), check_n_findings(r->set));
    assert_true(rig_count(r, FINDING_RACE) >= 1);
    assert_non_null(strstr(check_finding(r->set, 0)->hint, "atomicAdd"));
    rig_free(r);
}

/* Many blocks read, so that the line keeps only some of them; the one that writes is found, and so is its
 * line. */
static void crowd_then_write(void **state)
{
    (void)state;
    for (uint32_t writer = 0; writer < 8; writer++) {
        MemAlloc *a;
        Rig *r = global_rig(&a);
        for (uint32_t b = 0; b < 8; b++) {
            rig_block(r, b, 0);
            for (uint32_t k = 0; k < 3; k++)
                rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .base = a->addr + k * 4,
                                   .stride = 4));
        }
        rig_at(r, writer, 0);
        rig_barrier(r);
        rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 2, .base = a->addr + 64, .mask = 1));
        rig_end(r);
        rig_only(r, FINDING_RACE);
        rig_free(r);
    }
}

static RigAccess reduction(uint8_t space, MemAlloc *a, uint32_t warp)
{
    return (RigAccess){.kind = ACCESS_REDUCTION,
                       .space = space,
                       .sem = SEM_RELAXED,
                       .inst = 1,
                       .warp = warp,
                       .alloc = a,
                       .base = a ? a->addr : 0,
                       .stride = 8}; /* words apart: no run, each has cells of its own */
}

/* Reductions of so many that they say nothing new, and then another use of a word: a race, whoever it is, and
 * told for each word. Behind it, reductions are compared with that use again. */
static void reductions_then_another_use(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 8; round++) {
        bool stores = round & 1, shared = round & 2;
        MemAlloc *a;
        Rig *r = global_rig(&a);
        MemAlloc *of = shared ? NULL : a;
        for (uint32_t b = 0; b < 4; b++) {
            rig_block(r, b, 0);
            for (uint32_t warp = 0; warp < 2; warp++)
                for (uint32_t k = 0; k < 3; k++)
                    rig_access(r, reduction(shared ? SPACE_SHARED : SPACE_GLOBAL, of, warp));
        }
        RigAccess use = reduction(shared ? SPACE_SHARED : SPACE_GLOBAL, of, 1);
        use.kind = stores ? ACCESS_STORE : ACCESS_LOAD;
        use.sem = SEM_WEAK;
        use.inst = 2;
        use.value = 7;
        use.mask = 0xFF;
        use.base += 8 * 8;
        if (round & 4)
            rig_at(r, 0, 0);
        rig_access(r, use);
        RigAccess after = reduction(shared ? SPACE_SHARED : SPACE_GLOBAL, of, 0);
        after.inst = 3;
        rig_access(r, after);
        rig_end(r);
        assert_int_equal(2, rig_count(r, FINDING_RACE)); /* of the use with what came before, and after */
        rig_free(r);
    }
}

/* Two warps of one block are no crowd where blocks meet. */
static void reductions_of_two_blocks(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = global_rig(&a);
    rig_block(r, 1, 0);
    rig_block(r, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        rig_access(r, reduction(SPACE_GLOBAL, a, i % 2));
    rig_at(r, 1, 0);
    rig_access(r, reduction(SPACE_GLOBAL, a, 0));
    rig_at(r, 0, 0);
    rig_barrier(r);
    rig_access(r, LOAD(.space = SPACE_GLOBAL, .inst = 2, .alloc = a, .base = a->addr, .stride = 8));
    rig_end(r);
    rig_only(r, FINDING_RACE);
    rig_free(r);
}

/* Behind a barrier all is new: reductions are told again. */
static void reductions_of_two_intervals(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_RACE, 1);
    rig_begin(r, 1, 128);
    rig_block(r, 0, 0);
    for (uint32_t i = 0; i < 12; i++)
        rig_access(r, reduction(SPACE_SHARED, NULL, i % 4));
    rig_barrier(r);
    rig_access(r, reduction(SPACE_SHARED, NULL, 0));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 8));
    rig_end(r);
    rig_only(r, FINDING_RACE);
    rig_free(r);
}

/* Set to zero before a barrier is no use of the time behind it; without the barrier all reductions race. */
static void zeroed_then_reductions(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        Rig *r = rig_new(CHECK_RACE | CHECK_INIT, 1);
        rig_begin(r, 1, 128);
        rig_block(r, 0, 0);
        for (uint32_t warp = 0; warp < 2; warp++)
            rig_access(
                r, STORE(.space = SPACE_SHARED, .inst = 0, .warp = warp, .base = warp * 128, .stride = 4));
        if (barrier)
            rig_barrier(r);
        for (uint32_t i = 0; i < 12; i++) {
            RigAccess x = reduction(SPACE_SHARED, NULL, i % 4);
            x.inst += i / 8;
            rig_access(r, x);
        }
        rig_end(r);
        assert_int_equal(barrier ? 0 : 2, rig_count(r, FINDING_RACE));
        rig_free(r);
    }
}

/* Two blocks store to one word of each variable in turn, n times, each time on another line. */
static Rig *races_of(uint32_t n, uint32_t variables, bool every_race)
{
    Rig *r = rig_new_with((CheckOptions){.tools = CHECK_RACE, .jobs = 1, .every_race = every_race});
    MemAlloc *a[2];
    for (uint32_t v = 0; v < variables; v++)
        a[v] = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
    rig_begin(r, 2, 32);
    for (uint32_t b = 0; b < 2; b++)
        rig_block(r, b, 0);
    for (uint32_t i = 0; i < n * variables; i++) {
        rig_at(r, i % 2, 0);
        rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a[i / n], .inst = i, .mask = 1, .base = a[i / n]->addr, .value = 1 + i));
    }
    rig_end(r);
    return r;
}

static uint64_t times(const Rig *r)
{
    uint64_t n = 0;
    for (size_t i = 0; check_finding(r->set, i); i++)
        n += check_finding(r->set, i)->count;
    return n;
}

/* One variable, many lines: some pairs are told, all are counted. */
static void one_cause_is_one_finding(void **state)
{
    (void)state;
    for (uint32_t variables = 1; variables <= 2; variables++) {
        Rig *all = races_of(12, variables, true), *some = races_of(12, variables, false);
        assert_true(check_n_findings(all->set) > 5 * variables);
        assert_int_equal(check_n_findings(some->set), 4 * variables);
        assert_int_equal(times(all), times(some));
        rig_free(all);
        rig_free(some);
    }
}

/* Line 101 reads and writes, in two columns; line 103 writes. */
static void a_pair_of_lines_is_one_finding(void **state)
{
    (void)state;
    for (int every = 0; every < 2; every++) {
        Rig *r = rig_new_with((CheckOptions){.tools = CHECK_RACE, .jobs = 1, .every_race = every});
        MemAlloc *a = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
        static const struct {
            uint8_t block, kind, inst;
        } steps[] = {{0, ACCESS_LOAD, 1}, {1, ACCESS_STORE, 2}, {0, ACCESS_STORE, 2}, {1, ACCESS_STORE, 3}, {0, ACCESS_LOAD, 1}};
        r->locs[2].line = r->locs[1].line;
        r->locs[2].column = 9;
        rig_begin(r, 2, 32);
        for (uint32_t b = 0; b < 2; b++)
            rig_block(r, b, 0);
        for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            rig_at(r, steps[i].block, 0);
            rig_access(r, (RigAccess){.kind = steps[i].kind, .space = SPACE_GLOBAL, .inst = steps[i].inst, .mask = 1, .base = a->addr,
                                      .alloc = a, .value = i + 1});
        }
        rig_end(r);
        assert_int_equal(check_n_findings(r->set), every ? 4 : 2);
        assert_int_equal(times(r), 4);
        rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_own_their_elements),
        cmocka_unit_test(one_cause_is_one_finding),
        cmocka_unit_test(a_pair_of_lines_is_one_finding),
        cmocka_unit_test(blocks_meet_at_the_edge),
        cmocka_unit_test(barrier_orders_global),
        cmocka_unit_test(launches_are_ordered),
        cmocka_unit_test(plain_increment),
        cmocka_unit_test(crowd_then_write),
        cmocka_unit_test(reductions_then_another_use),
        cmocka_unit_test(zeroed_then_reductions),
        cmocka_unit_test(reductions_of_two_blocks),
        cmocka_unit_test(reductions_of_two_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
