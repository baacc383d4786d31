/* Accesses of a whole block at once, and scattered ones of a warp, which are kept aside, against the same
 * accesses told warp by warp and line by line: the same is found.
 *
 * Two launches see the same events but for that. What is compared: which instructions that write took part in
 * a race, and which that read found bytes that nobody wrote. (Of three readers that race with one writer the
 * checker keeps two, and which two is not fixed.) */
#include "common/vgpu/check/test/rig.h"

#include <pthread.h>

enum { REGION = 32768, HALF = REGION / 2, ROUNDS = 1500, EVENTS = 24 };

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

typedef struct Wide {
    uint8_t kind, space;
    uint32_t inst, bytes, n_threads;
    uint64_t base; /* from the beginning of the region */
    int64_t step[3];
    uint32_t n_blocks; /* 0: the block that is there; else the first so many, each block_step bytes on */
    int64_t block_step;
} Wide;

typedef struct Side {
    Rig *rig;
    MemAlloc *alloc;
    bool wide; /* tells whole blocks */
    uint32_t told, kept, kept_rows;
} Side;

static void side_begin(Side *s, bool wide, unsigned jobs, const uint32_t dims[3])
{
    *s = (Side){
        .rig = rig_new_with((CheckOptions){
            .tools = CHECK_RACE | CHECK_INIT, .jobs = jobs, .spread_lines = !wide, .spread_warps = !wide, .every_race = true}),
        .wide = wide};
    s->alloc = mem_alloc(s->rig->mem, REGION, MEM_DEVICE, 0, NULL);
    assert_non_null(s->alloc);
    rig_begin(s->rig, 8, dims[0] * dims[1] * dims[2]);
    memcpy(s->rig->launch.block, dims, sizeof s->rig->launch.block);
    memcpy(s->rig->who.block_dim, dims, sizeof s->rig->who.block_dim);
}

static uint64_t address(const Side *s, const Wide *x, uint32_t thread)
{
    const uint32_t *dims = s->rig->who.block_dim;
    int64_t at[3] = {thread % dims[0], thread / dims[0] % dims[1], thread / dims[0] / dims[1]};
    return (x->space == SPACE_GLOBAL ? s->alloc->addr : 0) + x->base +
           (uint64_t)(at[0] * x->step[0] + at[1] * x->step[1] + at[2] * x->step[2]);
}

static void tell_warps(Side *s, const Wide *x, uint32_t from, uint32_t to)
{
    for (uint32_t first = from; first < to; first += 32) {
        uint64_t addr[32];
        uint32_t n = to - first < 32 ? to - first : 32;
        for (uint32_t lane = 0; lane < 32; lane++)
            addr[lane] = address(s, x, lane < n ? first + lane : first);
        RigAccess a = {.kind = x->kind,
                       .space = x->space,
                       .sem = x->kind == ACCESS_REDUCTION ? SEM_RELAXED : SEM_WEAK,
                       .inst = x->inst,
                       .warp = first / 32,
                       .mask = 0xFFFFFFFFu >> (32 - n),
                       .bytes = x->bytes,
                       .alloc = x->space == SPACE_GLOBAL ? s->alloc : NULL,
                       .value = 0x01010101u * (x->inst + 1) + first * 0x10001u,
                       .step = 0x10001u};
        rig_access_at(s->rig, &a, addr, PATTERN_OTHER);
    }
}

static ExecWideAccess access_of(const Side *s, const Wide *x)
{
    ExecWideAccess w = {.kind = x->kind,
                        .space = x->space,
                        .bytes = x->bytes,
                        .n_threads = x->n_threads,
                        .base = address(s, x, 0),
                        .step = {x->step[0], x->step[1], x->step[2]},
                        .low = UINT64_MAX,
                        .alloc = x->space == SPACE_GLOBAL ? s->alloc : NULL,
                        .n_blocks = x->n_blocks ? x->n_blocks : 1,
                        .block_step = x->block_step};
    for (uint32_t t = 0; t < x->n_threads; t++) {
        uint64_t at = address(s, x, t);
        w.low = at < w.low ? at : w.low;
        w.end = at + x->bytes > w.end ? at + x->bytes : w.end;
    }
    w.end += (uint64_t)x->block_step * (w.n_blocks - 1);
    return w;
}

static void tell(Side *s, const Wide *x)
{
    const ExecWideAccess w = access_of(s, x);
    rig_who(s->rig, x->inst, 0);
    bool kept = s->wide && s->rig->o->access_wide(s->rig->o->self, &s->rig->who, &w);
    s->kept += kept;
    s->told++;
    if (!kept)
        tell_warps(s, x, 0, x->n_threads);
}

/* A row of blocks, of which `block` is there before and afterwards. */
static void tell_row(Side *s, const Wide *x, uint32_t block)
{
    const ExecWideAccess w = access_of(s, x);
    rig_at(s->rig, 0, 0);
    rig_who(s->rig, x->inst, 0);
    bool kept = s->wide && s->rig->o->access_wide(s->rig->o->self, &s->rig->who, &w);
    s->kept_rows += kept;
    for (uint32_t b = 0; !kept && b < x->n_blocks; b++) {
        Wide one = *x;
        one.base += b * (uint64_t)x->block_step;
        one.n_blocks = 0;
        one.block_step = 0;
        rig_at(s->rig, b, b % s->rig->launch.jobs);
        tell(s, &one);
    }
    rig_at(s->rig, block, block % s->rig->launch.jobs);
}

/* ---- random accesses ---- */

static const uint32_t shapes[][3] = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {64, 2, 2},
                                     {96, 1, 1},  {8, 8, 4},  {48, 3, 1},  {1, 64, 1}};

static void random_steps(Wide *x, const uint32_t dims[3], uint64_t *seed)
{
    int64_t bytes = x->bytes, row = bytes * dims[0];
    int64_t pitch = row + bytes * next_random(seed, 3) * 4;
    int64_t choices[][3] = {{bytes, row, row * dims[1]},
                            {bytes, row, row * dims[1]},
                            {bytes, pitch, pitch * dims[1]},
                            {0, 0, 0},
                            {0, bytes, bytes * dims[1]},
                            {0, pitch, pitch * dims[1]},
                            {bytes, 0, 0},
                            {bytes * dims[1], bytes, row * dims[1]},
                            {-bytes, -row, -row * dims[1]},
                            {2 * bytes, 2 * row, 2 * row * dims[1]}};
    memcpy(x->step, choices[next_random(seed, 10)], sizeof x->step);
}

/* Each thread stores its own element of the upper half; whoever keeps to that, and loads from the lower half
 * or its own, has no race. */
static void make_tame(Wide *x, const Side *s, uint32_t block)
{
    const uint32_t *dims = s->rig->who.block_dim;
    uint32_t n = dims[0] * dims[1] * dims[2];
    x->base = HALF + (x->space == SPACE_GLOBAL ? block * n * x->bytes : 0);
    x->step[0] = x->bytes;
    x->step[1] = x->step[0] * dims[0];
    x->step[2] = x->step[1] * dims[1];
}

/* False: it does not fit into the region. */
static bool random_access(Wide *x, const Side *s, uint32_t i, uint32_t block, bool tame, uint64_t *seed)
{
    const uint32_t *dims = s->rig->who.block_dim;
    *x = (Wide){.kind = next_random(seed, 3) ? ACCESS_LOAD : ACCESS_STORE,
                .space = next_random(seed, 2) ? SPACE_GLOBAL : SPACE_SHARED,
                .inst = i,
                .bytes = tame || next_random(seed, 8) ? 4 : 1u << next_random(seed, 5),
                .n_threads = dims[0] * dims[1] * dims[2]};
    random_steps(x, dims, seed);
    if (dims[1] * dims[2] == 1 && next_random(seed, 3) == 0)
        x->n_threads = 1 + next_random(seed, x->n_threads);
    uint32_t span = x->n_threads * x->bytes;
    x->base = (uint64_t)x->bytes * next_random(seed, 4) * (next_random(seed, 2) ? 8 : 1);
    if (next_random(seed, 4))
        x->base = (x->space == SPACE_GLOBAL ? block : next_random(seed, 3)) * (uint64_t)span;
    if (tame && (x->kind == ACCESS_STORE || next_random(seed, 3) == 0))
        make_tame(x, s, block);
    int64_t low = (int64_t)x->base, high = low;
    const uint32_t extent[3] = {x->n_threads < dims[0] ? x->n_threads : dims[0], dims[1], dims[2]};
    for (int d = 0; d < 3; d++) {
        int64_t last = x->step[d] * ((int64_t)extent[d] - 1);
        low += last < 0 ? last : 0;
        high += last > 0 ? last : 0;
    }
    x->base -= low < 0 ? (uint64_t)low : 0;
    high -= low < 0 ? low : 0;
    return high + x->bytes <= (tame && x->base < HALF ? HALF : REGION);
}

/* The same of two or three blocks. False: it does not fit into the region. */
static bool random_row(Wide *x, const Side *s, bool tame, uint64_t *seed)
{
    const uint32_t *dims = s->rig->who.block_dim;
    uint32_t span = x->n_threads * x->bytes;
    const int64_t steps[] = {span, span, span, x->bytes * dims[0], x->bytes, 0, 2 * span};
    x->n_blocks = 2 + next_random(seed, 2);
    x->block_step = steps[next_random(seed, 7)];
    if (tame && x->base >= HALF) { /* each block's own part */
        x->base = HALF;
        x->block_step = span;
    }
    const ExecWideAccess w = access_of(s, x);
    return x->space == SPACE_GLOBAL && w.end <= s->alloc->addr + REGION;
}

/* ---- comparing ---- */

typedef struct Found {
    uint64_t writes,
        reads; /* bit i: instruction i raced, or read what nobody wrote; bit 63: or what atomics change */
} Found;

static uint64_t bit_of(const FindingPlace *p)
{
    return UINT64_C(1) << (p->line - 100);
}

static void side_end(Side *s, Found *f)
{
    *f = (Found){0};
    rig_end(s->rig);
    for (size_t i = 0; check_finding(s->rig->set, i); i++) {
        const Finding *x = check_finding(s->rig->set, i);
        if (strcmp(x->kind, "uninitialized") == 0)
            f->reads |= bit_of(&x->place);
        else if (strcmp(x->kind, "race") == 0 && strcmp(x->access, "write") == 0)
            f->writes |= bit_of(&x->place);
        if (strcmp(x->kind, "race") == 0 && strcmp(x->other_access, "write") == 0)
            f->writes |= bit_of(&x->other);
        else if (strcmp(x->kind, "race") == 0 && strcmp(x->access, "atomic") == 0)
            f->reads |= UINT64_C(1) << 63;
    }
    rig_free(s->rig);
}

typedef struct Totals {
    uint32_t told, kept, kept_rows, racing, silent;
} Totals;

static void one_event(Side sides[2], uint32_t i, uint32_t *block, bool tame, bool rows, uint64_t *seed)
{
    uint32_t what = next_random(seed, 16);
    Wide x;
    bool fits = random_access(&x, &sides[0], i, *block, tame && next_random(seed, 50), seed);
    uint32_t next = next_random(seed, 3), warp = next_random(seed, 2);
    Wide row = x;
    bool row_fits = rows && fits && random_row(&row, &sides[0], tame, seed);
    for (int k = 0; k < 2; k++) {
        Side *s = &sides[k];
        if (rows && (what == 0 || what > 6)) { /* blocks in rows have no barriers */
            if (row_fits)
                tell_row(s, &row, *block);
        } else if (what == 0) {
            rig_barrier(s->rig);
        } else if (what == 1) {
            rig_at(s->rig, next, next % s->rig->launch.jobs);
        } else if (what == 2 && fits && warp * 32 < x.n_threads) {
            tell_warps(s, &x, warp * 32, x.n_threads - warp * 32 < 32 ? x.n_threads : warp * 32 + 32);
        } else if ((what == 4 || what == 5) && fits && x.bytes == 4) {
            x.kind = ACCESS_REDUCTION;
            tell_warps(s, &x, 0, x.n_threads);
        } else if (what == 3 && !rows && i > EVENTS / 2 && next == 0) {
            rig_fence(s->rig, 0, 0xFFFFFFFFu, SCOPE_GPU);
        } else if (fits) {
            tell(s, &x);
        }
    }
    *block = what == 1 ? next : *block;
}

static void one_round(uint64_t *seed, Totals *t)
{
    Side sides[2];
    Found found[2];
    const uint32_t *dims = shapes[next_random(seed, sizeof shapes / sizeof *shapes)];
    bool initialised = next_random(seed, 4);
    unsigned jobs = 1 + next_random(seed, 2);
    for (int k = 0; k < 2; k++) {
        side_begin(&sides[k], k == 1, jobs, dims);
        sides[k].rig->launch.jobs = jobs;
        mem_mark_init(sides[k].alloc, sides[k].alloc->addr, REGION, initialised);
        for (uint32_t b = 3; b-- > 0;)
            rig_block(sides[k].rig, b, b % jobs);
    }
    uint32_t block = 0;
    bool tame = next_random(seed, 4), rows = next_random(seed, 2);
    for (uint32_t i = 0; i < EVENTS; i++)
        one_event(sides, i, &block, tame, rows, seed);
    t->told += sides[1].told;
    t->kept += sides[1].kept;
    t->kept_rows += sides[1].kept_rows;
    for (int k = 0; k < 2; k++)
        side_end(&sides[k], &found[k]);
    assert_int_equal(found[0].writes, found[1].writes);
    assert_int_equal(found[0].reads, found[1].reads);
    t->racing += found[0].writes != 0;
    t->silent += found[0].writes == 0;
}

static void finds_what_warps_find(void **state)
{
    (void)state;
    Totals t = {0};
    uint64_t seed = 1;
    for (int i = 0; i < ROUNDS; i++)
        one_round(&seed, &t);
    print_message("%u told, %u kept, and %u rows; %u racing, %u silent\n", t.told, t.kept, t.kept_rows,
                  t.racing, t.silent);
    assert_true(t.kept_rows > ROUNDS / 4);
    assert_true(t.kept > t.told / 10);
    assert_true(t.racing > ROUNDS / 10);
    assert_true(t.silent > ROUNDS / 10);
}

/* ---- what is kept, and what is not ---- */

static const uint32_t line_dims[3] = {64, 1, 1};

static Wide global_row(uint8_t kind, uint32_t inst, uint64_t base)
{
    return (Wide){.kind = kind,
                  .space = SPACE_GLOBAL,
                  .inst = inst,
                  .bytes = 4,
                  .n_threads = 64,
                  .base = base,
                  .step = {4, 0, 0}};
}

static void begin_blocks(Side *s, unsigned jobs)
{
    side_begin(s, true, jobs, line_dims);
    for (uint32_t b = 3; b-- > 0;)
        rig_block(s->rig, b, b % jobs);
}

static bool is_kept(Side *s, Wide x)
{
    uint32_t before = s->kept;
    tell(s, &x);
    return s->kept > before;
}

/* y[i] = a * x[i] + y[i], and a stencil from one array into the other. */
static void keeps_elementwise_kernels(void **state)
{
    (void)state;
    Side s;
    begin_blocks(&s, 1);
    mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
    for (uint32_t block = 0; block < 3; block++) {
        rig_at(s.rig, block, 0);
        assert_true(is_kept(&s, global_row(ACCESS_LOAD, 1, block * 256)));
        assert_true(is_kept(&s, global_row(ACCESS_STORE, 2, block * 256)));
        assert_true(is_kept(&s, global_row(ACCESS_LOAD, 3, block * 256)));
    }
    rig_end(s.rig);
    rig_none(s.rig);
    rig_begin(s.rig, 8, 64);
    for (uint32_t block = 0; block < 3; block++) {
        rig_block(s.rig, block, 0);
        for (uint32_t i = 0; i < 3; i++)
            assert_true(is_kept(&s, global_row(ACCESS_LOAD, i, block * 256 + 4 * i)));
    }
    rig_end(s.rig);
    rig_none(s.rig);
    rig_free(s.rig);
}

/* A warp's store first, then loads of another block; and the other way round, once two blocks have loaded. */
static void strangers_are_found(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        Side s;
        begin_blocks(&s, 1);
        mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
        const Wide load = global_row(ACCESS_LOAD, 1, 0), store = global_row(ACCESS_STORE, 2, 0);
        for (int i = 0; i < 2; i++) {
            rig_at(s.rig, 2, 0);
            if (i == late)
                tell_warps(&s, &store, 0, 32);
            for (uint32_t block = 0; block < 2; block++) {
                rig_at(s.rig, block, 0);
                assert_int_equal(i < late, is_kept(&s, load));
            }
        }
        rig_end(s.rig);
        assert_int_equal(1, rig_count(s.rig, FINDING_RACE));
        rig_free(s.rig);
    }
}

static void an_order_of_its_own_goes_the_general_way(void **state)
{
    (void)state;
    Side s;
    begin_blocks(&s, 1);
    rig_fence(s.rig, 0, 0xFFFFFFFFu, SCOPE_GPU);
    assert_false(is_kept(&s, global_row(ACCESS_STORE, 1, 0)));
    rig_at(s.rig, 1, 0);
    assert_true(is_kept(&s, global_row(ACCESS_STORE, 1, 1024)));
    rig_free(s.rig);
}

/* The threads of a block were at a place before its fence: that is what is told, late. */
static void told_late_is_told_as_it_was(void **state)
{
    (void)state;
    Side s;
    begin_blocks(&s, 1);
    Wide load = global_row(ACCESS_LOAD, 1, 0), store = global_row(ACCESS_STORE, 2, 4);
    load.space = store.space = SPACE_SHARED;
    Wide fill = global_row(ACCESS_STORE, 0, 0);
    fill.space = SPACE_SHARED;
    fill.step[0] = fill.bytes = 8;
    assert_true(is_kept(&s, fill));
    rig_barrier(s.rig);
    assert_true(is_kept(&s, load));
    rig_syncwarp(s.rig, 0, 0xFFFFFFFFu);
    tell_warps(&s, &store, 0, 31); /* in its own warp: ordered */
    rig_end(s.rig);
    rig_none(s.rig);
    rig_free(s.rig);
}

/* A load that was kept is told after one of the same thread that came behind a barrier. */
static void what_came_later_stays(void **state)
{
    (void)state;
    Side s;
    begin_blocks(&s, 1);
    mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
    const Wide load = global_row(ACCESS_LOAD, 1, 0), store = global_row(ACCESS_STORE, 3, 64);
    Wide uniform = global_row(ACCESS_LOAD, 0, 1024);
    uniform.step[0] = 0; /* the allocation is shared from here on */
    assert_true(is_kept(&s, uniform));
    assert_true(is_kept(&s, load));
    rig_barrier(s.rig);
    tell_warps(&s, &load, 32, 64);
    assert_false(is_kept(&s, store));
    rig_end(s.rig);
    assert_int_equal(32, rig_only(s.rig, FINDING_RACE)->count);
    rig_free(s.rig);
}

/* ---- scattered accesses of a warp ---- */

/* Every other word from `base` on. */
static void tell_scattered(Side *s, uint8_t kind, uint32_t inst, uint32_t block, uint64_t base)
{
    Wide x = global_row(kind, inst, base);
    x.step[0] = 8;
    rig_at(s->rig, block, 0);
    tell_warps(s, &x, 0, 32);
}

/* Words that lie between each other, of two blocks and of a whole one: no race; then a stranger at one of
 * them: a race with each that was there. */
static void scattered_stores_have_owners(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 6; round++) {
        Side s;
        begin_blocks(&s, 1);
        mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
        tell_scattered(&s, ACCESS_STORE, 1, 0, 0);
        tell_scattered(&s, ACCESS_STORE, 2, 1, 4);
        assert_true(is_kept(&s, global_row(ACCESS_STORE, 3, 256)));
        rig_at(s.rig, 2, 0);
        uint8_t kind = round % 2 ? ACCESS_STORE : ACCESS_LOAD;
        if (round / 2 == 0)
            tell_scattered(&s, kind, 4, 2, 0);
        else if (round / 2 == 1)
            assert_false(is_kept(&s, global_row(kind, 4, 0)));
        rig_end(s.rig);
        assert_int_equal(round / 2 == 2 ? 0 : 1 + round / 2, rig_count(s.rig, FINDING_RACE));
        rig_free(s.rig);
    }
}

/* More loads than there is room for, then a store: found, whether there was room or not. */
static void scattered_loads_run_out_of_room(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 4096; n *= 64) {
        Side s;
        begin_blocks(&s, 1);
        mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
        for (uint32_t i = 0; i < n; i++)
            tell_scattered(&s, ACCESS_LOAD, 1, i % 2, i % 16 * 512);
        tell_scattered(&s, ACCESS_STORE, 2, 2, 0);
        rig_end(s.rig);
        assert_int_equal(2, rig_only(s.rig, FINDING_RACE)->place.line - 100);
        rig_free(s.rig);
    }
}

/* ---- two workers at once ---- */

typedef struct Worker {
    Side *side;
    uint32_t block;
    pthread_barrier_t *start;
    bool whole;
} Worker;

static void tell_warp_of_row(const ExecObserver *o, ExecWho *who, const ExecWideAccess *w, uint32_t warp)
{
    uint64_t addr[32];
    for (uint64_t lane = 0; lane < 32; lane++)
        addr[lane] = w->base + (warp * 32 + lane) * 4;
    who->warp = warp;
    who->first_thread = warp * 32;
    o->access(o->self, who,
              &(ExecAccess){.kind = w->kind,
                            .space = w->space,
                            .bytes = w->bytes,
                            .mask = 0xFFFFFFFFu,
                            .addr = addr,
                            .alloc = w->alloc,
                            .group_lanes = 32,
                            .group_pattern = PATTERN_UNIT_STRIDE});
}

/* Block 0 stores rows whole, block 1 loads them warp by warp. */
static void *use_all(void *arg)
{
    const Worker *me = arg;
    const Rig *rig = me->side->rig;
    const ExecObserver *o = rig->o;
    ExecWho who = rig->who;
    who.block_linear = who.slot = who.worker = me->block;
    who.inst = &rig->insts[1 + me->block];
    pthread_barrier_wait(me->start);
    for (uint32_t i = 0; i < 16; i++) {
        uint64_t base = me->side->alloc->addr + i * 1024;
        const ExecWideAccess w = {.n_blocks = 1,
                                  .kind = me->whole ? ACCESS_STORE : ACCESS_LOAD,
                                  .space = SPACE_GLOBAL,
                                  .bytes = 4,
                                  .n_threads = 64,
                                  .base = base,
                                  .step = {4, 0, 0},
                                  .low = base,
                                  .end = base + 256,
                                  .alloc = me->side->alloc};
        who.warp = who.first_thread = 0;
        if (!me->whole || !o->access_wide(o->self, &who, &w))
            for (uint32_t warp = 0; warp < 2; warp++)
                tell_warp_of_row(o, &who, &w, warp);
    }
    return NULL;
}

static void workers_meet(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        Side s;
        begin_blocks(&s, 2);
        mem_mark_init(s.alloc, s.alloc->addr, REGION, true);
        pthread_barrier_t start;
        pthread_t threads[2];
        pthread_barrier_init(&start, NULL, 2);
        Worker workers[2] = {{&s, 0, &start, true}, {&s, 1, &start, false}};
        for (int i = 0; i < 2; i++)
            assert_int_equal(0, pthread_create(&threads[i], NULL, use_all, &workers[i]));
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&start);
        rig_end(s.rig);
        const Finding *f = rig_only(s.rig, FINDING_RACE);
        assert_true(f->count >= 16 * 64);
        rig_free(s.rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_warps_find),
        cmocka_unit_test(keeps_elementwise_kernels),
        cmocka_unit_test(strangers_are_found),
        cmocka_unit_test(an_order_of_its_own_goes_the_general_way),
        cmocka_unit_test(told_late_is_told_as_it_was),
        cmocka_unit_test(what_came_later_stays),
        cmocka_unit_test(scattered_stores_have_owners),
        cmocka_unit_test(scattered_loads_run_out_of_room),
        cmocka_unit_test(workers_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
