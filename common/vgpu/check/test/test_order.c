/* Happens-before by publication: fence and atomic, locks, flags, grid barriers. Each with the fence, and
 * without it. */
#include "common/vgpu/check/test/rig.h"

typedef struct Grid {
    Rig *r;
    MemAlloc *data, *flags;
} Grid;

static Grid grid_new(uint32_t blocks)
{
    Grid g = {.r = rig_new(CHECK_RACE, 1)};
    g.data = mem_alloc(g.r->mem, 4096, MEM_DEVICE, 0, NULL);
    g.flags = mem_alloc(g.r->mem, 4096, MEM_DEVICE, 0, NULL);
    rig_begin(g.r, blocks, 64);
    return g;
}

static void grid_free(Grid *g)
{
    rig_free(g->r);
}

static size_t races(Grid *g)
{
    rig_end(g->r);
    return rig_count(g->r, FINDING_RACE);
}

/* One lane's accesses to word i of data or flags. */
static void store(Grid *g, uint32_t i, uint32_t value)
{
    rig_access(g->r, STORE(.space = SPACE_GLOBAL, .alloc = g->data, .inst = 1, .mask = 1,
                           .base = g->data->addr + i * 4, .value = value));
}

static void order_load(Grid *g, uint32_t i)
{
    rig_access(g->r, LOAD(.space = SPACE_GLOBAL, .alloc = g->data, .inst = 2, .mask = 1,
                          .base = g->data->addr + i * 4));
}

static void flag_atomic(Grid *g, uint32_t i)
{
    rig_access(g->r, ATOMIC(.space = SPACE_GLOBAL, .alloc = g->flags, .inst = 3, .mask = 1,
                            .base = g->flags->addr + i * 4));
}

static void flag_store(Grid *g, uint32_t i, uint8_t sem)
{
    rig_access(g->r, STORE(.space = SPACE_GLOBAL, .alloc = g->flags, .inst = 4, .mask = 1,
                           .base = g->flags->addr + i * 4, .sem = sem, .value = 1));
}

static void flag_load(Grid *g, uint32_t i, uint8_t sem)
{
    rig_access(g->r, LOAD(.space = SPACE_GLOBAL, .alloc = g->flags, .inst = 5, .mask = 1,
                          .base = g->flags->addr + i * 4, .sem = sem));
}

/* ---- the last block sums up ---- */

typedef enum FenceWhere { FENCE_NONE, FENCE_BEFORE, FENCE_AFTER, FENCE_OF_BLOCK } FenceWhere;

static size_t last_block(FenceWhere where)
{
    enum { BLOCKS = 5 };
    Grid g = grid_new(BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        rig_block(g.r, b, 0);
        store(&g, b, b + 1);
        if (where == FENCE_BEFORE || where == FENCE_OF_BLOCK)
            rig_fence(g.r, 0, 1, where == FENCE_BEFORE ? SCOPE_GPU : SCOPE_CTA);
        flag_atomic(&g, 0);
        if (where == FENCE_AFTER)
            rig_fence(g.r, 0, 1, SCOPE_GPU);
        rig_barrier(g.r);
        if (b == BLOCKS - 1) /* both warps read what all blocks wrote */
            for (uint32_t w = 0; w < 2; w++)
                rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 2, .warp = w,
                                     .mask = 0x1F, .base = g.data->addr, .stride = 4));
        rig_block_end(g.r);
    }
    size_t n = races(&g);
    grid_free(&g);
    return n;
}

static void last_block_reduction(void **state)
{
    (void)state;
    assert_int_equal(last_block(FENCE_BEFORE), 0);
    assert_int_equal(last_block(FENCE_NONE), 1);
    assert_int_equal(last_block(FENCE_AFTER), 1);
    assert_int_equal(last_block(FENCE_OF_BLOCK), 1);
}

/* All threads write and fence, a barrier, then thread 0's atomic speaks for all of them. */
static void one_thread_speaks_for_its_block(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        Grid g = grid_new(2);
        rig_block(g.r, 0, 0);
        for (uint32_t w = 0; w < 2; w++) {
            rig_access(g.r, STORE(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 1, .warp = w,
                                  .base = g.data->addr + w * 128, .stride = 4));
            rig_fence(g.r, w, 0xFFFFFFFFu, SCOPE_GPU);
        }
        if (barrier)
            rig_barrier(g.r);
        flag_atomic(&g, 0);
        rig_block(g.r, 1, 0);
        flag_atomic(&g, 0);
        rig_barrier(g.r);
        rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 2, .warp = 1,
                             .base = g.data->addr + 128, .stride = 4));
        assert_int_equal(races(&g), (size_t)!barrier);
        grid_free(&g);
    }
}

/* A warp that neither fences nor syncs until its block has passed a barrier knows what the block knows by then, and
 * speaks for its fences. */
static void warp_that_comes_later(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        Grid g = grid_new(2);
        rig_block(g.r, 0, 0);
        store(&g, 0, 1);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        if (barrier)
            rig_barrier(g.r);
        rig_access(g.r, ATOMIC(.space = SPACE_GLOBAL, .alloc = g.flags, .inst = 3, .warp = 1, .mask = 1,
                               .base = g.flags->addr));
        rig_block(g.r, 1, 0);
        flag_atomic(&g, 0);
        if (barrier)
            rig_barrier(g.r);
        rig_fence(g.r, 1, 1, SCOPE_GPU);
        rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 2, .warp = 1, .mask = 1,
                             .base = g.data->addr));
        assert_int_equal(races(&g), (size_t)!barrier);
        grid_free(&g);
    }
}

/* ---- locks ---- */

static size_t lock(bool fences, uint32_t blocks)
{
    Grid g = grid_new(blocks);
    for (uint32_t b = 0; b < blocks; b++)
        rig_block(g.r, b, 0);
    for (uint32_t turn = 0; turn < 3 * blocks; turn++) {
        rig_at(g.r, turn % blocks, 0);
        flag_atomic(&g, 0); /* compare and swap */
        if (fences)
            rig_fence(g.r, 0, 1, SCOPE_GPU);
        order_load(&g, 0);
        store(&g, 0, turn + 1);
        if (fences)
            rig_fence(g.r, 0, 1, SCOPE_GPU);
        flag_atomic(&g, 0); /* exchange */
    }
    size_t n = races(&g);
    grid_free(&g);
    return n;
}

static void locks(void **state)
{
    (void)state;
    assert_int_equal(lock(true, 4), 0);
    assert_true(lock(false, 4) > 0);
}

/* A lock orders those who hold it; one who does not take it races. */
static void lock_forgotten_by_one(void **state)
{
    (void)state;
    Grid g = grid_new(3);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(g.r, b, 0);
        if (b < 2)
            flag_atomic(&g, 0);
        store(&g, 0, b + 1);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        if (b < 2)
            flag_atomic(&g, 0);
    }
    assert_int_equal(races(&g), 1);
    grid_free(&g);
}

/* ---- flags ---- */

static size_t flag(uint8_t store_sem, uint8_t load_sem, bool fence, bool reader_fence)
{
    Grid g = grid_new(2);
    rig_block(g.r, 0, 0);
    store(&g, 0, 7);
    if (fence)
        rig_fence(g.r, 0, 1, SCOPE_GPU);
    flag_store(&g, 0, store_sem);
    rig_block(g.r, 1, 0);
    flag_load(&g, 0, load_sem);
    if (reader_fence)
        rig_fence(g.r, 0, 1, SCOPE_GPU);
    order_load(&g, 0);
    size_t n = races(&g);
    grid_free(&g);
    return n;
}

static void flags(void **state)
{
    (void)state;
    assert_int_equal(flag(SEM_VOLATILE, SEM_VOLATILE, true, true), 0);
    assert_int_equal(flag(SEM_VOLATILE, SEM_VOLATILE, false, true),
                     1); /* not the flag itself, but what it guards */
    assert_int_equal(flag(SEM_VOLATILE, SEM_VOLATILE, true, false), 1);
    assert_int_equal(flag(SEM_RELEASE, SEM_ACQUIRE, false, false), 0);
    assert_int_equal(flag(SEM_RELEASE, SEM_RELAXED, false, false), 1);
    assert_int_equal(flag(SEM_RELAXED, SEM_RELAXED, false, true), 1);
    assert_int_equal(flag(SEM_RELAXED, SEM_RELAXED, true, true), 0);
    assert_int_equal(flag(SEM_WEAK, SEM_WEAK, true, true), 2);
    assert_int_equal(flag(SEM_WEAK, SEM_VOLATILE, true, true), 2);
}

/* Two blocks store to one volatile word: one of the two is lost, whoever reads it. */
static void volatile_stores_meet(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        Grid g = grid_new(2);
        for (uint32_t b = 0; b < 2; b++) {
            rig_block(g.r, b, 0);
            rig_access(g.r, STORE(.space = SPACE_GLOBAL, .alloc = g.flags, .inst = 4, .mask = 1, .value = b,
                                  .base = g.flags->addr + b * other * 4, .sem = SEM_VOLATILE));
        }
        assert_int_equal(races(&g), 1 - other);
        grid_free(&g);
    }
}

/* A block reads its part, then tells so by a strong store without a fence; the next one, which has seen that,
 * may overwrite that part. It may not read what the first one wrote. */
static void told_reads(void **state)
{
    (void)state;
    enum { READ_THEN_WRITE, WRITE_THEN_READ, NOT_SEEN, N };
    for (int how = 0; how < N; how++) {
        for (int volatile_flag = 0; volatile_flag < 2; volatile_flag++) {
            uint8_t sem = volatile_flag ? SEM_VOLATILE : SEM_RELAXED;
            Grid g = grid_new(2);
            rig_block(g.r, 0, 0);
            if (how == WRITE_THEN_READ)
                store(&g, 3, 1);
            else
                order_load(&g, 3);
            flag_store(&g, 0, sem);
            rig_block(g.r, 1, 0);
            flag_load(&g, how == NOT_SEEN, sem);
            if (how == WRITE_THEN_READ)
                order_load(&g, 3);
            else
                store(&g, 3, 5);
            assert_int_equal(races(&g), how != READ_THEN_WRITE);
            grid_free(&g);
        }
    }
}

/* Each block passes on what the one before it published: knowledge is passed on along the chain. */
static void chain_of_flags(void **state)
{
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        enum { BLOCKS = 200 };
        Grid g = grid_new(BLOCKS);
        for (uint32_t b = 0; b < BLOCKS; b++) {
            rig_block(g.r, b, 0);
            if (b && !(broken && b == 100)) /* one block does not wait for its neighbour */
                flag_load(&g, b - 1, SEM_VOLATILE);
            if (b == 0)
                store(&g, 0, 1);
            rig_fence(g.r, 0, 1, SCOPE_GPU);
            flag_store(&g, b, SEM_VOLATILE);
            if (b == BLOCKS - 1)
                order_load(&g, 0);
            rig_block_end(g.r);
        }
        assert_int_equal(races(&g), (size_t)broken);
        grid_free(&g);
    }
}

/* What is written after the fence is not published by it. */
static void written_after_the_fence(void **state)
{
    (void)state;
    Grid g = grid_new(2);
    rig_block(g.r, 0, 0);
    rig_fence(g.r, 0, 1, SCOPE_GPU);
    store(&g, 0, 7);
    flag_atomic(&g, 0);
    rig_block(g.r, 1, 0);
    flag_atomic(&g, 0);
    rig_fence(g.r, 0, 1, SCOPE_GPU);
    order_load(&g, 0);
    assert_int_equal(races(&g), 1);
    grid_free(&g);
}

/* Published on one location, looked for on another. */
static void another_flag(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        Grid g = grid_new(2);
        rig_block(g.r, 0, 0);
        store(&g, 0, 7);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        flag_atomic(&g, 0);
        rig_block(g.r, 1, 0);
        flag_atomic(&g, other);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        order_load(&g, 0);
        assert_int_equal(races(&g), other);
        grid_free(&g);
    }
}

/* ---- within a block ---- */

/* Warp 0 hands a shared word to warp 1 through a shared flag; fences of block scope are enough, one on each side. */
static void flag_between_warps(void **state)
{
    (void)state;
    for (int fences = 0; fences < 4; fences++) {
        Grid g = grid_new(1);
        rig_block(g.r, 0, 0);
        rig_access(g.r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .mask = 1, .base = 0));
        if (fences & 1)
            rig_fence(g.r, 0, 1, SCOPE_CTA);
        rig_access(g.r, ATOMIC(.space = SPACE_SHARED, .inst = 3, .warp = 0, .mask = 1, .base = 512));
        rig_access(g.r, ATOMIC(.space = SPACE_SHARED, .inst = 3, .warp = 1, .mask = 1, .base = 512));
        if (fences & 2)
            rig_fence(g.r, 1, 1, SCOPE_CTA);
        rig_access(g.r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .mask = 1, .base = 0));
        assert_int_equal(races(&g), fences != 3);
        grid_free(&g);
    }
}

/* Lane 0 learns; the rest of its warp knows after a warp sync, and not before. */
static void warp_sync_passes_on(void **state)
{
    (void)state;
    for (int sync = 0; sync < 2; sync++) {
        Grid g = grid_new(2);
        rig_block(g.r, 0, 0);
        store(&g, 9, 7);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        flag_atomic(&g, 0);
        rig_block(g.r, 1, 0);
        flag_atomic(&g, 0);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        if (sync)
            rig_syncwarp(g.r, 0, 0xFFFFFFFFu);
        rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 2, .mask = 1u << 9,
                             .base = g.data->addr, .stride = 4));
        assert_int_equal(races(&g), (size_t)!sync);
        grid_free(&g);
    }
}

/* ---- the whole grid ---- */

/* A grid barrier: block barrier, thread 0 arrives at the runtime's own word and spins on it, block barrier.
 */
static void grid_barrier(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        enum { BLOCKS = 4 };
        Grid g = grid_new(BLOCKS);
        MemAlloc *word = mem_alloc(g.r->mem, 256, MEM_INTERNAL, 0, NULL);
        for (uint32_t b = 0; b < BLOCKS; b++) {
            rig_block(g.r, b, 0);
            rig_access(g.r, STORE(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 1, .warp = 1,
                                  .base = g.data->addr + b * 128, .stride = 4));
            rig_barrier(g.r);
            rig_fence(g.r, 0, 1, SCOPE_GPU);
            if (barrier)
                rig_access(g.r, ATOMIC(.space = SPACE_GLOBAL, .alloc = word, .inst = 3, .mask = 1,
                                       .base = word->addr));
        }
        for (uint32_t b = 0; b < BLOCKS; b++) {
            rig_at(g.r, b, 0);
            rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = word, .inst = 5, .mask = 1,
                                 .base = word->addr, .sem = SEM_VOLATILE));
            rig_barrier(g.r);
            uint64_t next = g.data->addr + (b + 1) % BLOCKS * 128;
            rig_access(g.r, LOAD(.space = SPACE_GLOBAL, .alloc = g.data, .inst = 2, .warp = 0, .base = next,
                                 .stride = 4));
        }
        assert_int_equal(races(&g), (size_t)!barrier);
        grid_free(&g);
    }
}

/* A launch's publications end with it, and the set can be used again. */
static void launches_start_afresh(void **state)
{
    (void)state;
    Grid g = grid_new(2);
    for (int launch = 0; launch < 3; launch++) {
        if (launch)
            rig_begin(g.r, 2, 64);
        rig_block(g.r, 0, 0);
        store(&g, 0, 7 + (uint32_t)launch);
        if (launch != 2)
            rig_fence(g.r, 0, 1, SCOPE_GPU);
        flag_atomic(&g, 0);
        rig_block(g.r, 1, 0);
        flag_atomic(&g, 0);
        rig_fence(g.r, 0, 1, SCOPE_GPU);
        order_load(&g, 0);
        assert_int_equal(races(&g), (size_t)(launch == 2));
    }
    grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_block_reduction),
        cmocka_unit_test(one_thread_speaks_for_its_block),
        cmocka_unit_test(warp_that_comes_later),
        cmocka_unit_test(locks),
        cmocka_unit_test(lock_forgotten_by_one),
        cmocka_unit_test(flags),
        cmocka_unit_test(volatile_stores_meet),
        cmocka_unit_test(told_reads),
        cmocka_unit_test(chain_of_flags),
        cmocka_unit_test(written_after_the_fence),
        cmocka_unit_test(another_flag),
        cmocka_unit_test(flag_between_warps),
        cmocka_unit_test(warp_sync_passes_on),
        cmocka_unit_test(grid_barrier),
        cmocka_unit_test(launches_start_afresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
