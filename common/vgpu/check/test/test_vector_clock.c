/* Vector clocks against a plain model of them: a table with an entry for each thread, joined entry by entry. */
#include "common/vgpu/check/vector_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 6, WARPS = 2, CLOCKS = 12, STEPS = 3000, INTERVALS = 3, EPOCHS = 6 };

/* Blocks of the model stand for these, so that keys fork at many bits. */
static const uint32_t numbers[BLOCKS] = {0, 1, 2, 1000, 1001, UINT32_MAX - 1};

typedef struct Entry {
    uint32_t interval; /* one more than a warp's; 0: it is not in the clock */
    uint32_t epoch[WARPS * WARP_LANES];
} Entry;

typedef struct Model {
    Entry of[2][BLOCKS]; /* [about writes?][block] */
    bool ended[BLOCKS];
} Model;

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static void entry_join(Entry *into, const Entry *from)
{
    if (from->interval > into->interval)
        *into = *from;
    else if (from->interval == into->interval)
        for (int i = 0; i < WARPS * WARP_LANES; i++)
            if (from->epoch[i] > into->epoch[i])
                into->epoch[i] = from->epoch[i];
}

static void model_join(Model *into, const Model *from)
{
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < 2; i++)
            entry_join(&into->of[i][b], &from->of[i][b]);
        into->ended[b] |= from->ended[b];
    }
}

static void model_add(Model *into, const WarpClock *f, int block, uint32_t lanes, bool reads_only)
{
    Entry e = {.interval = f->interval + 1};
    for (unsigned u = 0; u < WARP_LANES; u++)
        e.epoch[f->warp * WARP_LANES + u] = lanes >> u & 1 ? f->epoch : f->base;
    entry_join(&into->of[0][block], &e);
    if (!reads_only)
        entry_join(&into->of[1][block], &e);
}

static bool entry_covers(const Entry *e, const OrderPoint *p)
{
    return p->interval + 1 < e->interval ||
           (p->interval + 1 == e->interval && p->epoch < e->epoch[p->thread]);
}

static bool model_covers(const Model *m, const OrderPoint *p, int block)
{
    return m->ended[block] || entry_covers(&m->of[!p->reads][block], p);
}

typedef struct Pair {
    VectorClock clock;
    Model model;
} Pair;

static void grow_pair(ClockMaker *m, Pair *p, const Pair *other, uint64_t *seed)
{
    int block = (int)next_random(seed, BLOCKS);
    WarpClock f = {.block = numbers[block],
                   .interval = next_random(seed, INTERVALS),
                   .warp = next_random(seed, WARPS),
                   .epoch = 1 + next_random(seed, EPOCHS)};
    f.base = next_random(seed, f.epoch);
    uint32_t lanes = 1u << next_random(seed, 32), what = next_random(seed, 100);
    if (what < 40) {
        p->clock = clock_join(m, p->clock, other->clock);
        model_join(&p->model, &other->model);
    } else if (what < 90) {
        p->clock =
            what < 75 ? clock_add_warp(m, p->clock, &f, lanes) : clock_add_warp_reads(m, p->clock, &f, lanes);
        model_add(&p->model, &f, block, lanes, what >= 75);
    } else if (what < 92) {
        int last = block + (int)next_random(seed, 2);
        last = last < BLOCKS ? last : block;
        p->clock = clock_add_ended(m, p->clock, numbers[block], numbers[last]);
        for (int b = block; b <= last; b++)
            p->model.ended[b] = true;
    } else {
        *p = (Pair){0};
    }
}

static void expect_same(const Pair *p, uint64_t *seed)
{
    int block = (int)next_random(seed, BLOCKS);
    OrderPoint at = {.block = numbers[block],
                     .thread = next_random(seed, WARPS * WARP_LANES),
                     .interval = next_random(seed, INTERVALS),
                     .epoch = next_random(seed, EPOCHS),
                     .reads = next_random(seed, 2)};
    assert_int_equal(model_covers(&p->model, &at, block), clock_covers(p->clock, &at));
}

static void move_pairs(ClockMaker *m, Pair *pairs)
{
    ClockMove v;
    clock_move_begin(&v, m);
    for (int i = 0; i < CLOCKS; i++)
        pairs[i].clock = clock_moved(&v, pairs[i].clock);
    clock_move_end(&v);
}

static void says_what_the_model_says(void **state)
{
    (void)state;
    static ClockMaker m;
    static Pair pairs[CLOCKS];
    uint64_t seed = 1;
    for (int i = 0; i < STEPS; i++) {
        if (i % 97 == 96)
            move_pairs(&m, pairs);
        Pair before = pairs[next_random(&seed, CLOCKS)];
        Pair *p = &pairs[next_random(&seed, CLOCKS)];
        grow_pair(&m, p, &before, &seed);
        for (int k = 0; k < 20; k++) {
            expect_same(p, &seed);
            expect_same(&before, &seed); /* other clocks have not changed */
        }
    }
    pool_free(&m.pool);
}

/* The joined clocks of lanes cover of another lane as much as the one that covers most. */
static void partial_syncs_count(void **state)
{
    (void)state;
    static ClockMaker m;
    uint32_t clocks[WARP_LANES][WARP_LANES] = {{0}};
    clocks[1][2] = 3;
    WarpClock f = {.block = 7, .interval = 0, .epoch = 5, .base = 1, .clocks = clocks};
    VectorClock k = clock_add_warp(&m, (VectorClock){0}, &f, 3);
    const uint32_t expected[3] = {5, 5, 3};
    for (uint32_t thread = 0; thread < 3; thread++)
        for (uint32_t epoch = 0; epoch < 7; epoch++)
            assert_int_equal(epoch < expected[thread],
                             clock_covers(k, &(OrderPoint){.block = 7, .thread = thread, .epoch = epoch}));
    pool_free(&m.pool);
}

/* Going round a chain of threads costs memory for what is new, not for the whole clock. */
static void what_is_equal_is_shared(void **state)
{
    (void)state;
    static ClockMaker m;
    VectorClock chain = {0};
    for (uint32_t i = 0; i < 4096; i++)
        chain = clock_add_warp(&m, chain, &(WarpClock){.block = i, .epoch = 1}, 1);
    size_t before = m.pool.taken;
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(clock_is_same(clock_join(&m, chain, chain), chain));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(clock_is_same(clock_add_warp(&m, chain, &(WarpClock){.block = i, .epoch = 1}, 1), chain));
    assert_int_equal(before, m.pool.taken);
    VectorClock more = clock_add_warp(&m, chain, &(WarpClock){.block = 5, .epoch = 2}, 2);
    assert_false(clock_is_same(more, chain));
    assert_true(clock_is_same(clock_join(&m, chain, more), more));
    assert_true(clock_is_same(clock_join(&m, more, chain), more));
    pool_free(&m.pool);
}

/* What nobody asks for goes, what is shared stays shared, and what does not fit stays where it is. */
static void moves_what_is_in_use(void **state)
{
    (void)state;
    enum { LEAVES = 200, LEAF_BYTES = 144, FORK_BYTES = 32 };
    static ClockMaker m;
    VectorClock last = {0}, copy;
    for (uint32_t round = 1; round <= 50; round++)
        for (uint32_t i = 0; i < LEAVES; i++)
            last = clock_add_warp(&m, last, &(WarpClock){.block = i, .epoch = round}, 1);
    ClockMove v;
    clock_move_begin(&v, &m);
    copy = clock_moved(&v, last);
    last = clock_moved(&v, last);
    clock_move_end(&v);
    assert_true(clock_is_same(copy, last) && last.reads == last.writes);
    assert_int_equal(LEAVES * LEAF_BYTES + (LEAVES - 1) * FORK_BYTES, m.made);
    for (uint32_t i = 0; i < LEAVES; i++) {
        assert_true(clock_covers(last, &(OrderPoint){.block = i, .epoch = 49}));
        assert_false(clock_covers(last, &(OrderPoint){.block = i, .epoch = 50}));
    }
    m.pool.limit = 8192;
    clock_move_begin(&v, &m);
    last = clock_moved(&v, last);
    clock_move_end(&v);
    assert_true(m.full);
    for (uint32_t i = 0; i < LEAVES; i++)
        assert_true(clock_covers(last, &(OrderPoint){.block = i, .epoch = 49}));
    pool_free(&m.pool);
    clock_maker_reset(&m);
}

/* Out of room: said so, and nothing that was in the clock is lost. */
static void says_when_it_is_full(void **state)
{
    (void)state;
    static ClockMaker m = {.pool.limit = 8192};
    VectorClock chain = {0};
    for (uint32_t i = 0; i < 1000 && !m.full; i++)
        chain = clock_add_warp(&m, chain, &(WarpClock){.block = i, .epoch = 1}, 1);
    assert_true(m.full);
    assert_true(clock_covers(chain, &(OrderPoint){.block = 0}));
    pool_free(&m.pool);
    clock_maker_reset(&m);
    assert_false(m.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_model_says), cmocka_unit_test(partial_syncs_count),
        cmocka_unit_test(what_is_equal_is_shared),  cmocka_unit_test(moves_what_is_in_use),
        cmocka_unit_test(says_when_it_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
