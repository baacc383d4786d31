/* Lines that a warp uses from end to end are kept as one run (race_internal.h, slot_is_whole). The same
 * accesses with every cell kept for itself must find the same, whatever happens in whatever order. */
#include "common/vgpu/check/test/rig.h"

#include "common/base/rng.h"

enum { SEQUENCES = 3000, EVENTS = 14, BLOCKS = 3, WARPS = 2, AREA = 4096 };

typedef struct Said {
    uint32_t kind, line, other_line, block[2], thread[2];
    uint64_t address, count;
} Said;

static uint8_t some_kind(Rng *rng)
{
    static const uint8_t kinds[] = {ACCESS_LOAD,  ACCESS_LOAD,   ACCESS_LOAD,     ACCESS_STORE,
                                    ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCTION};
    return kinds[rng_below(rng, sizeof kinds)];
}

static void one_event(Rig *r, Rng *rng, MemAlloc *a, uint8_t space)
{
    uint32_t block = (uint32_t)rng_below(rng, BLOCKS), warp = (uint32_t)rng_below(rng, WARPS),
             what = (uint32_t)rng_below(rng, 12);
    uint32_t bytes = rng_below(rng, 3) ? 4 : 1u << rng_below(rng, 5), inst = 1 + (uint32_t)rng_below(rng, 20);
    uint64_t place = 128 * rng_below(rng, 3) + (rng_below(rng, 4) ? 0 : 16 * rng_below(rng, 8));
    uint8_t kind = some_kind(rng);
    uint32_t mask = rng_below(rng, 4) ? 0xFFFFFFFFu : (uint32_t)rng_next(rng) | 1;
    int64_t stride = rng_below(rng, 6) ? bytes : 0;
    if (space == SPACE_SHARED)
        block = 0;
    rig_at(r, block, 0);
    if (what == 0)
        rig_barrier(r);
    else if (what == 1)
        rig_syncwarp(r, warp, 0xFFFFFFFFu);
    else if (what == 2 && space == SPACE_GLOBAL)
        rig_fence(r, warp, 0xFFFFFFFFu, SCOPE_GPU);
    else
        rig_access(r, (RigAccess){.kind = kind,
                                  .space = space,
                                  .sem = kind == ACCESS_LOAD || kind == ACCESS_STORE ? SEM_WEAK : SEM_RELAXED,
                                  .inst = inst,
                                  .warp = warp,
                                  .mask = mask,
                                  .bytes = bytes,
                                  .base = (a ? a->addr : 0) + place,
                                  .stride = stride,
                                  .alloc = a,
                                  .value = inst,
                                  .step = 1});
}

static int by_all(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Said));
}

/* Runs a sequence; what was found, in an order of its own. */
static size_t run_seed(uint64_t seed, uint8_t space, bool spread, Said *said, size_t most)
{
    Rig *r = rig_new_with(
        (CheckOptions){.tools = CHECK_RACE, .jobs = 1, .spread_lines = spread, .spread_warps = true});
    Rng rng = {seed};
    MemAlloc *a = NULL;
    if (space == SPACE_GLOBAL)
        assert_non_null(a = mem_alloc(r->mem, AREA, MEM_DEVICE, 0, NULL));
    rig_begin(r, BLOCKS, WARPS * 32);
    for (uint32_t b = 0; b < BLOCKS; b++)
        rig_block(r, b, 0);
    for (int i = 0; i < EVENTS; i++)
        one_event(r, &rng, a, space);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        rig_at(r, b, 0);
        rig_block_end(r);
    }
    rig_end(r);
    size_t n = 0;
    for (const Finding *f; (f = check_finding(r->set, n)) && n < most; n++) {
        memset(&said[n], 0, sizeof said[n]);
        said[n] = (Said){.kind = finding_kind(f),
                         .line = f->place.line,
                         .other_line = f->other.line,
                         .block = {f->block[0], f->other_block[0]},
                         .thread = {f->thread[0], f->other_thread[0]},
                         .address = f->address,
                         .count = f->count};
    }
    rig_free(r);
    qsort(said, n, sizeof *said, by_all);
    return n;
}

static void compare_whole_and_split(uint8_t space)
{
    static Said here[512], there[512];
    size_t findings = 0, silent = 0;
    for (uint64_t seed = 1; seed <= SEQUENCES; seed++) {
        size_t n = run_seed(seed, space, false, here, 512), m = run_seed(seed, space, true, there, 512);
        if (n != m || memcmp(here, there, n * sizeof *here) != 0) {
            for (size_t i = 0; i < n || i < m; i++)
                print_message("seed %llu: lines %u, %u here; lines %u, %u with cells\n",
                              (unsigned long long)seed, i < n ? here[i].line : 0,
                              i < n ? here[i].other_line : 0, i < m ? there[i].line : 0,
                              i < m ? there[i].other_line : 0);
            fail();
        }
        findings += n;
        silent += n == 0;
    }
    assert_true(findings > SEQUENCES / 2); /* the sequences are about something */
    assert_true(silent > 0);
}

static void global_memory(void **state)
{
    (void)state;
    compare_whole_and_split(SPACE_GLOBAL);
}

static void shared_memory(void **state)
{
    (void)state;
    compare_whole_and_split(SPACE_SHARED);
}

/* 32 lanes of a byte each fill a quarter of a line: not the whole. */
static void bytes_side_by_side(void **state)
{
    (void)state;
    for (int meets = 0; meets < 2; meets++) {
        Rig *r = rig_new(CHECK_RACE, 1);
        MemAlloc *a = mem_alloc(r->mem, AREA, MEM_DEVICE, 0, NULL);
        assert_non_null(a);
        rig_begin(r, 2, 32);
        rig_block(r, 0, 0);
        rig_access(r, (RigAccess){.kind = ACCESS_STORE,
                                  .space = SPACE_GLOBAL,
                                  .inst = 1,
                                  .bytes = 1,
                                  .base = a->addr,
                                  .stride = 1,
                                  .alloc = a});
        rig_block_end(r);
        rig_block(r, 1, 0);
        rig_access(r, (RigAccess){.kind = ACCESS_LOAD,
                                  .space = SPACE_GLOBAL,
                                  .inst = 2,
                                  .mask = 0xFF,
                                  .bytes = 4,
                                  .base = a->addr + (meets ? 4 : 32),
                                  .stride = 4,
                                  .alloc = a});
        rig_block_end(r);
        rig_end(r);
        if (meets)
            rig_only(r, FINDING_RACE);
        else
            rig_none(r);
        rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(global_memory), cmocka_unit_test(shared_memory),
                                       cmocka_unit_test(bytes_side_by_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
