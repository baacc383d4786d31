/* Accesses of whole blocks: one set is told of them at once, another warp by warp as exec would, and both
 * must count the same: every counter, each line of the source, each touched byte. The accesses come from a
 * seeded generator. */
#include "common/vgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_INSTS = 8, N_LOCS = 3, SLOTS = 3, BYTES = 1 << 20, SHARED = 32 << 10, ALL_LANES = 32 };

typedef struct Piece {
    uint64_t from, to;
    PerfTouch how;
} Piece;

typedef struct Side {
    PerfSet *set;
    const ExecObserver *o;
    Piece *pieces;
    size_t n_pieces, cap;
} Side;

typedef struct Rig {
    Side wide, narrow;
    Mem *mem;
    MemAlloc *alloc[2];
    IrInst insts[N_INSTS];
    IrLoc locs[N_LOCS];
    IrFunction function;
    IrModule module;
    IrInstance instance;
    ExecLaunch launch;
    ExecWho who;
    uint64_t random;
    unsigned taken, told; /* accesses that the wide side counted at once, of so many */
} Rig;

/* ---- the generator ---- */

static uint64_t draw_for_rig(Rig *r, uint64_t n)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (r->random >> 33) % n;
}

static uint64_t threads_of(const Rig *r)
{
    return (uint64_t)r->who.block_dim[0] * r->who.block_dim[1] * r->who.block_dim[2];
}

/* Contiguous, rows of a matrix, uniform, one place for each row, columns, backwards, anything. */
static void draw_steps(Rig *r, ExecWideAccess *a)
{
    const uint32_t *dim = r->who.block_dim;
    int64_t b = a->bytes, pitch = b * (int64_t)(dim[0] + draw_for_rig(r, 3) * 16);
    int64_t shapes[][3] = {
        {b, b * dim[0], b * dim[0] * dim[1]},
        {b, pitch, pitch * dim[1]},
        {0, 0, 0},
        {0, b * (1 + (int64_t)draw_for_rig(r, 40)), b},
        {b, 0, 0},
        {b * (1 + (int64_t)draw_for_rig(r, 40)), b, 0},
        {-b, -b * dim[0], -b * dim[0] * dim[1]},
        {b * ((int64_t)draw_for_rig(r, 9) - 4), b * ((int64_t)draw_for_rig(r, 9) - 4), b * 2}};
    memcpy(a->step, shapes[draw_for_rig(r, sizeof shapes / sizeof *shapes)], sizeof a->step);
}

/* The lowest byte, less base, and the end. */
static void bounds(const Rig *r, const ExecWideAccess *a, int64_t *low, int64_t *end)
{
    *low = 0;
    *end = a->bytes;
    for (int i = 0; i < 3; i++) {
        uint32_t n = a->n_threads < threads_of(r) ? (i ? 1 : a->n_threads) : r->who.block_dim[i];
        int64_t reach = (int64_t)(n - 1) * a->step[i];
        *(reach < 0 ? low : end) += reach;
    }
}

static ExecWideAccess draw_access(Rig *r)
{
    bool shared = draw_for_rig(r, 3) == 0;
    ExecWideAccess a = {.n_blocks = 1,
                        .kind = draw_for_rig(r, 3) ? ACCESS_LOAD : ACCESS_STORE,
                        .space = shared ? SPACE_SHARED : SPACE_GLOBAL,
                        .sem = draw_for_rig(r, 4) ? SEM_WEAK : SEM_NC,
                        .bytes = 1u << draw_for_rig(r, 5),
                        .n_threads = (uint32_t)threads_of(r)};
    if (r->who.block_dim[0] == threads_of(r) && draw_for_rig(r, 4) == 0)
        a.n_threads = 1 + (uint32_t)draw_for_rig(r, a.n_threads);
    draw_steps(r, &a);
    a.alloc = shared ? NULL : r->alloc[draw_for_rig(r, 2)];
    uint64_t room = shared               ? SHARED
                    : draw_for_rig(r, 4) ? 16 << 10
                                         : BYTES; /* most of them near one another */
    int64_t low, end;
    bounds(r, &a, &low, &end);
    if ((uint64_t)(end - low) >= room)
        a.step[0] = a.step[1] = a.step[2] = low = 0, end = a.bytes;
    uint64_t slack = (room - (uint64_t)(end - low)) / a.bytes + 1;
    a.base = (shared ? 0 : a.alloc->addr) + (uint64_t)(-low) + draw_for_rig(r, slack) * a.bytes;
    a.low = a.base + (uint64_t)low;
    a.end = a.base + (uint64_t)end;
    r->who.inst = &r->insts[draw_for_rig(r, N_INSTS)];
    return a;
}

/* ---- the same warp by warp ---- */

static bool in_groups(const uint64_t *addr, unsigned lanes, uint64_t step)
{
    for (unsigned i = 0; i < ALL_LANES; i++)
        if (addr[i] != addr[i / lanes * lanes] + i % lanes * step)
            return false;
    return true;
}

static void classify(ExecAccess *a, unsigned n)
{
    bool alike = true, stride = true;
    for (unsigned i = 0; i < n; i++) {
        alike &= a->addr[i] == a->addr[0];
        stride &= a->addr[i] == a->addr[0] + i * a->bytes;
    }
    a->pattern = alike ? PATTERN_UNIFORM : stride ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;
    for (unsigned lanes = ALL_LANES; n == ALL_LANES && lanes >= 8 && !a->group_lanes; lanes /= 2) {
        bool one = in_groups(a->addr, lanes, 0);
        if (!one && !in_groups(a->addr, lanes, a->bytes))
            continue;
        a->group_lanes = (uint8_t)lanes;
        a->group_pattern = one ? PATTERN_UNIFORM : PATTERN_UNIT_STRIDE;
    }
}

static void tell_warp(Rig *r, const Side *s, const ExecWideAccess *wide, uint32_t warp)
{
    const uint32_t *dim = r->who.block_dim;
    uint32_t first = warp * ALL_LANES, left = wide->n_threads - first,
             n = left < ALL_LANES ? left : ALL_LANES;
    uint64_t addr[ALL_LANES] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t t = first + i, x = t % dim[0], y = t / dim[0] % dim[1], z = t / dim[0] / dim[1];
        addr[i] = wide->base + x * (uint64_t)wide->step[0] + y * (uint64_t)wide->step[1] +
                  z * (uint64_t)wide->step[2];
    }
    ExecAccess a = {.kind = wide->kind,
                    .space = wide->space,
                    .sem = wide->sem,
                    .bytes = wide->bytes,
                    .mask = n == ALL_LANES ? 0xFFFFFFFFu : (1u << n) - 1,
                    .addr = addr,
                    .alloc = wide->alloc};
    classify(&a, n);
    ExecWho who = r->who;
    who.warp = warp;
    who.first_thread = first;
    s->o->access(s->o->self, &who, &a);
}

static void tell_warps(Rig *r, const Side *s, const ExecWideAccess *a)
{
    for (uint32_t warp = 0; warp * ALL_LANES < a->n_threads; warp++)
        tell_warp(r, s, a, warp);
}

static void tell(Rig *r, const ExecWideAccess *a)
{
    if (draw_for_rig(r, 8) == 0) { /* one warp alone: the waits of the warps drift apart */
        uint32_t warp = (uint32_t)draw_for_rig(r, (a->n_threads + ALL_LANES - 1) / ALL_LANES);
        tell_warp(r, &r->wide, a, warp);
        tell_warp(r, &r->narrow, a, warp);
        return;
    }
    bool taken = r->wide.o->access_wide(r->wide.o->self, &r->who, a);
    r->told++;
    r->taken += taken;
    if (!taken)
        tell_warps(r, &r->wide, a);
    tell_warps(r, &r->narrow, a);
}

/* ---- sides ---- */

static void touched(void *self, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch how)
{
    (void)a;
    Side *s = self;
    if (s->n_pieces == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->pieces = realloc(s->pieces, s->cap * sizeof *s->pieces);
        assert_non_null(s->pieces);
    }
    s->pieces[s->n_pieces++] = (Piece){from, to, how};
}

static void both(Rig *r, void (*call)(Rig *r, Side *s))
{
    call(r, &r->wide);
    call(r, &r->narrow);
}

static void side_new(Rig *r, Side *s)
{
    assert_int_equal(perf_create(perf_model(0), r->launch.jobs, &s->set), STATUS_OK);
    s->o = perf_observer(s->set);
    assert_true(perf_keep_lines(s->set));
    perf_watch(s->set, touched, s);
}

static void side_begin(Rig *r, Side *s)
{
    s->n_pieces = 0;
    s->o->launch_begin(s->o->self, &r->launch);
}

static void side_open(Rig *r, Side *s)
{
    s->o->block_begin(s->o->self, &r->who, SHARED);
}

static void side_end(Rig *r, Side *s)
{
    ExecInstCount counts[N_INSTS];
    for (int i = 0; i < N_INSTS; i++)
        counts[i] = (ExecInstCount){.warp_insts = 1, .thread_insts = 32};
    s->o->retired_code(s->o->self, &r->who, &r->function, counts);
    s->o->launch_end(s->o->self, &r->launch);
}

/* Straight code with waits for both memories, some of them begun by a load that could have gone along. */
static void fill_function(Rig *r)
{
    static const struct {
        PtxOpcode opcode;
        IrSpace space;
    } code[N_INSTS] = {{PTX_LD, SPACE_GLOBAL}, {PTX_LD, SPACE_GLOBAL},  {PTX_LD, SPACE_SHARED},
                       {PTX_ST, SPACE_GLOBAL}, {PTX_LD, SPACE_GLOBAL},  {PTX_ST, SPACE_SHARED},
                       {PTX_LD, SPACE_SHARED}, {PTX_RET, SPACE_GENERIC}};
    for (uint32_t i = 0; i < N_INSTS; i++)
        r->insts[i] = (IrInst){.opcode = code[i].opcode, .space = code[i].space, .loc = i % N_LOCS};
    for (uint32_t i = 0; i < N_LOCS; i++)
        r->locs[i] = (IrLoc){.file = 1, .line = 10 + i, .parent = -1};
    static const char *files[] = {"", "kernel.cu"};
    r->function = (IrFunction){
        .insts = r->insts, .n_insts = N_INSTS, .locs = r->locs, .n_locs = N_LOCS, .reg_bytes = 64};
    r->module = (IrModule){.functions = &r->function, .n_functions = 1, .files = files, .n_files = 2};
    r->instance.module = &r->module;
}

static Rig *rig_new(uint64_t seed, unsigned jobs)
{
    Rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->random = seed;
    assert_int_equal(mem_create(0, 64 << 20, 1, &r->mem), STATUS_OK);
    for (int i = 0; i < 2; i++)
        assert_non_null(r->alloc[i] = mem_alloc(r->mem, BYTES, MEM_DEVICE, 0, NULL));
    fill_function(r);
    r->launch = (ExecLaunch){.instance = &r->instance, .mem = r->mem, .jobs = jobs};
    r->who = (ExecWho){.function = &r->function};
    both(r, side_new);
    return r;
}

static void rig_free(Rig *r)
{
    perf_destroy(r->wide.set);
    perf_destroy(r->narrow.set);
    free(r->wide.pieces);
    free(r->narrow.pieces);
    mem_destroy(r->mem);
    free(r);
}

static void compare_wide_and_narrow(const Rig *r)
{
    const PerfCounters *w = perf_last(r->wide.set), *n = perf_last(r->narrow.set);
    for (int i = 0; i < PERF_N_COUNTERS; i++)
        if (w->v[i] != n->v[i])
            fail_msg("counter %d: %llu warp by warp, %llu at once", i, (unsigned long long)n->v[i],
                     (unsigned long long)w->v[i]);
    size_t n_wide, n_narrow;
    const PerfLine *lw = perf_lines(r->wide.set, &n_wide), *ln = perf_lines(r->narrow.set, &n_narrow);
    assert_int_equal(n_narrow, N_LOCS);
    assert_int_equal(n_wide, n_narrow);
    assert_memory_equal(lw, ln, n_wide * sizeof *lw);
    assert_int_equal(r->wide.n_pieces, r->narrow.n_pieces);
    for (size_t i = 0; i < r->wide.n_pieces; i++) {
        assert_int_equal(r->wide.pieces[i].from, r->narrow.pieces[i].from);
        assert_int_equal(r->wide.pieces[i].to, r->narrow.pieces[i].to);
        assert_int_equal(r->wide.pieces[i].how, r->narrow.pieces[i].how);
    }
}

/* ---- tests ---- */

/* Blocks of every kind of shape, with several blocks there at once. */
static void random_accesses(void **state)
{
    (void)state;
    static const uint32_t dims[][3] = {{256, 1, 1}, {32, 1, 1}, {100, 1, 1}, {1024, 1, 1}, {16, 16, 1},
                                       {32, 8, 1},  {8, 8, 4},  {20, 5, 3},  {7, 3, 1},    {64, 4, 2}};
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        Rig *r = rig_new(jobs, jobs);
        for (size_t d = 0; d < 2 * sizeof dims / sizeof *dims; d++) {
            memcpy(r->who.block_dim, dims[d / 2], sizeof dims[0]);
            both(r, side_begin);
            for (int i = 0; i < 300; i++) {
                r->who.slot = r->who.block_linear = (uint32_t)draw_for_rig(r, SLOTS);
                r->who.worker = (uint32_t)draw_for_rig(r, jobs);
                if (i < SLOTS)
                    r->who.slot = r->who.block_linear = (uint32_t)i;
                if (i < SLOTS || draw_for_rig(r, 60) == 0)
                    both(r, side_open);
                const ExecWideAccess a = draw_access(r);
                tell(r, &a);
            }
            both(r, side_end);
            compare_wide_and_narrow(r);
        }
        print_message("# %u of %u at once\n", r->taken, r->told);
        assert_true(r->taken > r->told / 2); /* or little was compared */
        rig_free(r);
    }
}

/* A shape's place in the table goes to another one that keeps coming; both are counted meanwhile. */
static void many_shapes(void **state)
{
    (void)state;
    Rig *r = rig_new(7, 1);
    memcpy(r->who.block_dim, (uint32_t[3]){64, 1, 1}, sizeof r->who.block_dim);
    r->who.inst = &r->insts[0];
    both(r, side_begin);
    both(r, side_open);
    for (int i = 0; i < 5000; i++) {
        int64_t step = 4 * (int64_t)draw_for_rig(r, 2000);
        uint64_t base = r->alloc[0]->addr + 4 * draw_for_rig(r, 32);
        const ExecWideAccess a = {.kind = ACCESS_LOAD,
                                  .space = SPACE_GLOBAL,
                                  .bytes = 4,
                                  .n_threads = 64,
                                  .base = base,
                                  .step = {step},
                                  .low = base,
                                  .end = base + 63 * (uint64_t)step + 4,
                                  .alloc = r->alloc[0]};
        tell(r, &a);
    }
    both(r, side_end);
    compare_wide_and_narrow(r);
    assert_in_range(r->taken, r->told / 2, r->told - 1);
    rig_free(r);
}

/* What is neither global nor shared, or in no known allocation, goes warp by warp. */
static void declined(void **state)
{
    (void)state;
    Rig *r = rig_new(1, 1);
    memcpy(r->who.block_dim, (uint32_t[3]){64, 1, 1}, sizeof r->who.block_dim);
    r->who.inst = &r->insts[0];
    both(r, side_begin);
    both(r, side_open);
    ExecWideAccess a = {.kind = ACCESS_LOAD, .space = SPACE_GLOBAL, .bytes = 4, .n_threads = 64, .step = {4}};
    assert_false(r->wide.o->access_wide(r->wide.o->self, &r->who, &a));
    a.space = SPACE_LOCAL;
    assert_false(r->wide.o->access_wide(r->wide.o->self, &r->who, &a));
    a.space = SPACE_SHARED;
    assert_true(r->wide.o->access_wide(r->wide.o->self, &r->who, &a));
    both(r, side_end);
    assert_int_equal(perf_last(r->wide.set)->v[PERF_GLOBAL_LOAD_REQUESTS], 0);
    assert_int_equal(perf_last(r->wide.set)->v[PERF_SHARED_LOAD_REQUESTS], 2);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_accesses),
        cmocka_unit_test(many_shapes),
        cmocka_unit_test(declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
