/* The race checker in global memory: each pattern once with the race and once without it. Shared memory is in
 * test_race.c. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_own_their_elements), cmocka_unit_test(blocks_meet_at_the_edge),
        cmocka_unit_test(barrier_orders_global),     cmocka_unit_test(launches_are_ordered),
        cmocka_unit_test(plain_increment),           cmocka_unit_test(crowd_then_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
