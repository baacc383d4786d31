/* Knowledge against a plain model of it: a table of what is known of each thread, merged entry by entry. */
#include "common/vgpu/check/know.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 6, WARPS = 2, KNOWS = 12, STEPS = 3000, INTERVALS = 3, TICKS = 6 };

/* Blocks of the model stand for these, so that keys fork at many bits. */
static const uint32_t numbers[BLOCKS] = {0, 1, 2, 1000, 1001, UINT32_MAX - 1};

typedef struct Entry {
    uint32_t interval; /* one more than a fact's; 0: nothing is known */
    uint32_t tick[WARPS * WARP_LANES];
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

static void entry_merge(Entry *into, const Entry *from)
{
    if (from->interval > into->interval)
        *into = *from;
    else if (from->interval == into->interval)
        for (int i = 0; i < WARPS * WARP_LANES; i++)
            if (from->tick[i] > into->tick[i])
                into->tick[i] = from->tick[i];
}

static void model_merge(Model *into, const Model *from)
{
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < 2; i++)
            entry_merge(&into->of[i][b], &from->of[i][b]);
        into->ended[b] |= from->ended[b];
    }
}

static void model_add(Model *into, const Fact *f, int block, uint32_t lanes, bool reads_only)
{
    Entry e = {.interval = f->interval + 1};
    for (unsigned u = 0; u < WARP_LANES; u++)
        e.tick[f->warp * WARP_LANES + u] = lanes >> u & 1 ? f->tick : f->base;
    entry_merge(&into->of[0][block], &e);
    if (!reads_only)
        entry_merge(&into->of[1][block], &e);
}

static bool entry_covers(const Entry *e, const OrderPoint *p)
{
    return p->interval + 1 < e->interval || (p->interval + 1 == e->interval && p->tick < e->tick[p->thread]);
}

static bool model_covers(const Model *m, const OrderPoint *p, int block)
{
    return m->ended[block] || entry_covers(&m->of[!p->reads][block], p);
}

typedef struct Pair {
    Know know;
    Model model;
} Pair;

static void grow(KnowMaker *m, Pair *p, const Pair *other, uint64_t *seed)
{
    int block = (int)next_random(seed, BLOCKS);
    Fact f = {.block = numbers[block],
              .interval = next_random(seed, INTERVALS),
              .warp = next_random(seed, WARPS),
              .tick = 1 + next_random(seed, TICKS)};
    f.base = next_random(seed, f.tick);
    uint32_t lanes = 1u << next_random(seed, 32), what = next_random(seed, 100);
    if (what < 40) {
        p->know = know_merge(m, p->know, other->know);
        model_merge(&p->model, &other->model);
    } else if (what < 90) {
        p->know = what < 75 ? know_add(m, p->know, &f, lanes) : know_add_reads(m, p->know, &f, lanes);
        model_add(&p->model, &f, block, lanes, what >= 75);
    } else if (what < 92) {
        int last = block + (int)next_random(seed, 2);
        last = last < BLOCKS ? last : block;
        p->know = know_add_ended(m, p->know, numbers[block], numbers[last]);
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
                     .tick = next_random(seed, TICKS),
                     .reads = next_random(seed, 2)};
    assert_int_equal(model_covers(&p->model, &at, block), know_covers(p->know, &at));
}

static void says_what_the_model_says(void **state)
{
    (void)state;
    static KnowMaker m;
    static Pair pairs[KNOWS];
    uint64_t seed = 1;
    for (int i = 0; i < STEPS; i++) {
        Pair before = pairs[next_random(&seed, KNOWS)];
        Pair *p = &pairs[next_random(&seed, KNOWS)];
        grow(&m, p, &before, &seed);
        for (int k = 0; k < 20; k++) {
            expect_same(p, &seed);
            expect_same(&before, &seed); /* what others know has not changed */
        }
    }
    pool_free(&m.pool);
}

/* The lanes of a fact that know of each other know as much together as the one that knows most. */
static void partial_syncs_count(void **state)
{
    (void)state;
    static KnowMaker m;
    uint32_t known[WARP_LANES][WARP_LANES] = {{0}};
    known[1][2] = 3;
    Fact f = {.block = 7, .interval = 0, .tick = 5, .base = 1, .known = known};
    Know k = know_add(&m, (Know){0}, &f, 3);
    const uint32_t expected[3] = {5, 5, 3};
    for (uint32_t thread = 0; thread < 3; thread++)
        for (uint32_t tick = 0; tick < 7; tick++)
            assert_int_equal(tick < expected[thread],
                             know_covers(k, &(OrderPoint){.block = 7, .thread = thread, .tick = tick}));
    pool_free(&m.pool);
}

/* Going round a chain of threads costs memory for what is new, not for all that is known. */
static void what_is_known_is_shared(void **state)
{
    (void)state;
    static KnowMaker m;
    Know chain = {0};
    for (uint32_t i = 0; i < 4096; i++)
        chain = know_add(&m, chain, &(Fact){.block = i, .tick = 1}, 1);
    size_t before = m.pool.taken;
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(know_is_same(know_merge(&m, chain, chain), chain));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(know_is_same(know_add(&m, chain, &(Fact){.block = i, .tick = 1}, 1), chain));
    assert_int_equal(before, m.pool.taken);
    Know more = know_add(&m, chain, &(Fact){.block = 5, .tick = 2}, 2);
    assert_false(know_is_same(more, chain));
    assert_true(know_is_same(know_merge(&m, chain, more), more));
    assert_true(know_is_same(know_merge(&m, more, chain), more));
    pool_free(&m.pool);
}

/* Out of room: said so, and nothing that was known is lost. */
static void says_when_it_is_full(void **state)
{
    (void)state;
    static KnowMaker m = {.pool.limit = 8192};
    Know chain = {0};
    for (uint32_t i = 0; i < 1000 && !m.full; i++)
        chain = know_add(&m, chain, &(Fact){.block = i, .tick = 1}, 1);
    assert_true(m.full);
    assert_true(know_covers(chain, &(OrderPoint){.block = 0}));
    pool_free(&m.pool);
    know_reset(&m);
    assert_false(m.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_model_says),
        cmocka_unit_test(partial_syncs_count),
        cmocka_unit_test(what_is_known_is_shared),
        cmocka_unit_test(says_when_it_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
