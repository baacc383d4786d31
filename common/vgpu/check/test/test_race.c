/* The race checker: each pattern once with the race and once without it. Global memory is in
 * test_race_global.c. */
#include "common/vgpu/check/test/rig.h"

#include "common/vgpu/check/check_internal.h"

/* ---- shared memory ---- */

static Rig *shared_rig(void)
{
    Rig *r = rig_new(CHECK_RACE, 1);
    rig_begin(r, 2, 128);
    rig_block(r, 0, 0);
    return r;
}

/* Tile load, then each thread reads its neighbour's element. */
static void neighbour(Rig *r, bool barrier)
{
    for (uint32_t w = 0; w < 4; w++)
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = w, .base = w * 128, .stride = 4));
    if (barrier)
        rig_barrier(r);
    for (uint32_t w = 0; w < 4; w++)
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = w, .base = w * 128 + 4, .stride = 4));
    rig_block_end(r);
    rig_end(r);
}

static void no_barrier_after_load(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    neighbour(r, false);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_int_equal(f->place.line, 101);
    assert_int_equal(f->other.line, 102);
    assert_string_equal(f->access, "write");
    assert_string_equal(f->other_access, "read");
    assert_string_equal(f->space, "shared");
    assert_int_equal(f->thread[0], 1);
    assert_int_equal(f->other_thread[0], 0);
    assert_int_equal(f->address, 4);
    assert_int_equal(f->count, 127); /* the last thread reads behind the tile */
    assert_string_equal(f->verdict, "race");
    rig_free(r);
}

static void barrier_after_load(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    neighbour(r, true);
    rig_none(r);
    rig_free(r);
}

/* The tile is written again while others may still read it. */
static void reuse(Rig *r, bool barrier)
{
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .base = 0, .stride = 4));
    rig_barrier(r);
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .base = 0, .stride = 4));
    if (barrier)
        rig_barrier(r);
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 3, .warp = 0, .base = 0, .stride = 4, .value = 7));
    rig_block_end(r);
    rig_end(r);
}

static void no_barrier_before_reuse(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    reuse(r, false);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_string_equal(f->access, "write");
    assert_string_equal(f->other_access, "read");
    assert_int_equal(f->other.line, 102);
    rig_free(r);
}

static void barrier_before_reuse(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    reuse(r, true);
    rig_none(r);
    rig_free(r);
}

/* Two blocks use the same offsets of shared memory: it is not the same memory. */
static void blocks_do_not_share(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    rig_block(r, 1, 0);
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 1, .stride = 4));
    rig_at(r, 0, 0);
    rig_block_end(r);
    rig_at(r, 1, 0);
    rig_block_end(r);
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* A warp's reduction: lanes 0..15 read what lanes 16..31 wrote. */
static void warp_tail(Rig *r, bool sync)
{
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    if (sync)
        rig_syncwarp(r, 0, 0xFFFFFFFFu);
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 64, .stride = 4, .mask = 0xFFFF));
    if (sync)
        rig_syncwarp(r, 0, 0xFFFFFFFFu);
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 3, .warp = 0, .stride = 4, .mask = 0xFFFF));
    rig_block_end(r);
    rig_end(r);
}

static void no_syncwarp(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    warp_tail(r, false);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_int_equal(f->count, 16);
    assert_non_null(strstr(f->hint, "__syncwarp"));
    rig_free(r);
}

/* x[t] += x[t + 16]: one line reads what another thread writes, in one warp and in two. */
static void step_of_tree(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        Rig *r = shared_rig();
        rig_access(
            r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 64, .stride = 4, .mask = 0xFFFF));
        rig_access(r,
                   STORE(.space = SPACE_SHARED, .inst = 2, .warp = other, .stride = 4, .mask = 0xFFFF0000));
        rig_block_end(r);
        rig_end(r);
        assert_true(rig_count(r, FINDING_RACE) >= 1);
        const char *hint = check_finding(r->set, 0)->hint;
        assert_non_null(strstr(hint, "__syncthreads"));
        assert_non_null(strstr(hint, "atomicAdd"));
        assert_int_equal(strstr(hint, "__syncwarp") != NULL, other == 0);
        rig_free(r);
    }
}

static void syncwarp(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    warp_tail(r, true);
    rig_none(r);
    rig_free(r);
}

/* A sync of half the warp orders that half only. */
static void half_a_syncwarp(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        Rig *r = shared_rig();
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
        rig_syncwarp(r, 0, 0xFFFF);
        if (whole)
            rig_access(
                r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 64, .stride = 4, .mask = 0xFF));
        else
            rig_access(
                r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 32, .stride = 4, .mask = 0xFF));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), (size_t)whole);
        rig_free(r);
    }
}

/* Volatile does not order: the warp reduction of old books. */
static void volatile_reduction(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4, .sem = SEM_VOLATILE));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 64, .stride = 4, .mask = 0xFFFF,
                       .sem = SEM_VOLATILE));
    rig_block_end(r);
    rig_end(r);
    rig_only(r, FINDING_RACE);
    rig_free(r);
}

/* Bytes side by side are different bytes, whoever shares their word. */
static void bytes_are_apart(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .bytes = 1, .stride = 1));
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 1, .bytes = 1, .base = 32, .stride = 1));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .bytes = 1, .base = 32, .stride = 1));
    rig_block_end(r);
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* One thread may read with a wide access what it wrote piece by piece; another may not. */
static void widths_meet(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        Rig *r = shared_rig();
        for (uint32_t k = 0; k < 4; k++)
            rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .base = 4 * k, .stride = 16));
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = other, .bytes = 16, .stride = 16));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), other);
        rig_free(r);
    }
}

/* Strides that no entry can hold, and a scatter, fall back to single lanes. */
static void odd_strides(void **state)
{
    (void)state;
    for (int race = 0; race < 2; race++) {
        Rig *r = shared_rig();
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 132));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .warp = 0, .base = 4, .stride = 12));
        if (!race)
            rig_barrier(r);
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 3, .warp = 1, .base = 31 * 132, .stride = -132));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), (size_t)race); /* the two stores touch different words */
        rig_free(r);
    }
}

/* Each of two loads by many threads is remembered: a write afterwards races whoever it is. */
static void broadcast_then_write(void **state)
{
    (void)state;
    for (uint32_t lane = 0; lane < 32; lane += 31) {
        Rig *r = shared_rig();
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1, .warp = 0));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .warp = 0, .mask = 1u << lane));
        rig_block_end(r);
        rig_end(r);
        rig_only(r, FINDING_RACE);
        rig_free(r);
    }
}

/* Reads before a warp sync do not stand for reads after it. */
static void broadcast_sync_broadcast(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        Rig *r = shared_rig();
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1, .warp = 0));
        rig_syncwarp(r, 0, 0xFFFFFFFFu);
        if (again)
            rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 0));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 3, .warp = 0, .mask = 1));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), (size_t)again);
        rig_free(r);
    }
}

/* Many warps add to few bins, then one thread reads a bin: none of the entries left out hides it. */
static void crowded_bins(void **state)
{
    (void)state;
    for (uint32_t reader = 0; reader < 128; reader += 17) {
        Rig *r = shared_rig();
        for (int round = 0; round < 3; round++)
            for (uint32_t w = 0; w < 4; w++) {
                uint64_t addr[32];
                for (uint32_t lane = 0; lane < 32; lane++)
                    addr[lane] = (lane * 7 + w * 3) % 16 * 4;
                RigAccess x = {.kind = ACCESS_REDUCTION,
                               .sem = SEM_RELAXED,
                               .space = SPACE_SHARED,
                               .inst = 1,
                               .warp = w,
                               .mask = 0xFFFFFFFFu,
                               .bytes = 4};
                rig_access_at(r, &x, addr, PATTERN_OTHER);
            }
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = reader / 32, .mask = 1u << reader % 32,
                           .base = 20));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), 1);
        rig_free(r);
    }
}

/* Each round of reads and a warp sync makes a record; one more than there may be is told to be too much. */
static void records_limit(void **state)
{
    (void)state;
    enum { LIMIT = 8 };
    for (uint32_t rounds = LIMIT; rounds <= LIMIT + 1; rounds++) {
        Rig *r = shared_rig();
        rig_barrier(r); /* a new interval: all records are free */
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1));
        CheckBlock *block = r->set->blocks[0][0];
        assert_non_null(block);
        block->records.limit = LIMIT;
        for (uint32_t i = 1; i < rounds; i++) {
            rig_syncwarp(r, 0, 0xFFFFFFFFu);
            rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1));
        }
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_LIMIT), rounds - LIMIT);
        rig_free(r);
    }
}

/* A warp that orders its own reads by __syncwarp has not ordered those of another warp. */
static void readers_of_two_warps(void **state)
{
    (void)state;
    for (uint32_t readers = 1; readers <= 2; readers++) {
        Rig *r = shared_rig();
        for (uint32_t w = 0; w < readers; w++)
            rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1, .warp = w));
        rig_syncwarp(r, 0, 0xFFFFFFFFu);
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .mask = 1));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), readers - 1);
        rig_free(r);
    }
}

/* A line that all warps have read, so that later reads are told by its masks alone: a write into it races
 * with the readers, and a read after the write does. Nothing stays of it after a barrier. */
static void crowd_of_warps(void **state)
{
    (void)state;
    for (int barriers = 0; barriers < 2; barriers++)
        for (uint32_t writer = 0; writer < 4; writer++) {
            Rig *r = shared_rig();
            for (uint32_t w = 0; w < 12; w++)
                rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1, .warp = w % 4, .stride = 4));
            if (barriers)
                rig_barrier(r);
            rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .warp = writer, .base = 64, .mask = 2));
            if (barriers)
                rig_barrier(r);
            for (uint32_t w = 0; w < 4; w++)
                rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 3, .warp = w, .stride = 4));
            rig_block_end(r);
            rig_end(r);
            assert_int_equal(rig_count(r, FINDING_RACE), barriers ? 0 : 2);
            rig_free(r);
        }
}

/* Warp 0 writes, some warps meet, another warp reads: ordered only if it has waited, and warp 0 has arrived.
 */
static void barrier_of_some_warps(void **state)
{
    (void)state;
    static const struct {
        uint32_t arrived, waited, reader;
        bool races;
    } rows[] = {
        {0x3, 0x3, 1, false}, /* both wait */
        {0x3, 0x2, 1, false}, /* the writer only arrives */
        {0x3, 0x3, 2, true},  /* the reader was not there */
        {0x6, 0x6, 1, true},  /* the writer was not there */
        {0x7, 0x5, 1, true},  /* the reader arrived, and did not wait */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Rig *r = shared_rig();
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .stride = 4));
        rig_barrier_part(r, rows[i].arrived, rows[i].waited);
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = rows[i].reader, .stride = 4));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), rows[i].races);
        rig_free(r);
    }
}

/* What a warp does after the barrier is not covered by it; what it had learnt before is passed on. */
static void barriers_of_some_in_a_row(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        Rig *r = shared_rig();
        if (!late)
            rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .stride = 4));
        rig_barrier_part(r, 0x3, 0x3);
        if (late)
            rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .stride = 4));
        rig_barrier_part(r, 0x6, 0x6);
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 2, .stride = 4));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), late);
        rig_free(r);
    }
}

/* Words first, then a byte of one by another thread: the line is told apart more finely from then on. */
static void words_then_bytes(void **state)
{
    (void)state;
    for (uint32_t byte = 0; byte < 2; byte++) {
        Rig *r = shared_rig();
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .mask = 1, .bytes = 4, .base = 8));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .warp = 1, .mask = 1, .bytes = 1, .base = 12));
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 3, .warp = 1, .mask = 1, .bytes = 1,
                           .base = byte ? 11 : 12));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), byte);
        rig_free(r);
    }
}

/* Each thread reads one byte of its eight, then all of them, and writes two of them: its own, or its
 * neighbour's. */
static void a_byte_then_all_of_them(void **state)
{
    (void)state;
    for (uint32_t theirs = 0; theirs < 2; theirs++) {
        Rig *r = shared_rig();
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 1, .bytes = 1, .base = 3, .stride = 8));
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .bytes = 8, .stride = 8));
        rig_access(r,
                   STORE(.space = SPACE_SHARED, .inst = 3, .bytes = 2, .base = 2 + 8 * theirs, .stride = 8));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), theirs);
        rig_free(r);
    }
}

/* ---- one instruction ---- */

static void lanes_of_one_store(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 0));
    rig_block_end(r);
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_int_equal(f->count, 31);
    assert_int_equal(f->place.line, f->other.line);
    rig_free(r);
}

static void lanes_of_one_store_same_value(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, (RigAccess){.kind = ACCESS_STORE, .space = SPACE_SHARED, .inst = 1, .value = 1});
    rig_block_end(r);
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_SAME_VALUE);
    assert_true(f->advice);
    assert_string_equal(f->verdict, "");
    rig_free(r);
}

/* Two warps set one flag: advice when they write one value, a race when not. */
static void flag(void **state)
{
    (void)state;
    for (uint32_t different = 0; different < 2; different++) {
        Rig *r = shared_rig();
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .mask = 1, .value = 5));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 1, .mask = 1, .value = 5 + different));
        rig_block_end(r);
        rig_end(r);
        rig_only(r, different ? FINDING_RACE : FINDING_SAME_VALUE);
        rig_free(r);
    }
}

static void some_lanes_meet(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    uint64_t addr[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        addr[lane] = lane % 8 * 4; /* four lanes an address */
    RigAccess x = STORE(.space = SPACE_SHARED, .inst = 1, .mask = 0xFFFFFFFFu, .bytes = 4);
    rig_access_at(r, &x, addr, PATTERN_OTHER);
    rig_block_end(r);
    rig_end(r);
    assert_int_equal(rig_only(r, FINDING_RACE)->count, 24);
    rig_free(r);
}

/* ---- atomics ---- */

static void atomics_do_not_race(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    for (uint32_t w = 0; w < 4; w++)
        rig_access(r, ATOMIC(.space = SPACE_SHARED, .inst = 1, .warp = w));
    rig_block_end(r);
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* A ticket counter: the thread that drew the last ticket has seen the others, and may reset it; the first one
 * may not. */
static void ticket(void **state)
{
    (void)state;
    for (uint32_t last = 0; last < 2; last++) {
        Rig *r = shared_rig();
        for (uint32_t w = 0; w < 4; w++)
            rig_access(r, ATOMIC(.space = SPACE_SHARED, .inst = 1, .warp = w, .mask = 1));
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 2, .warp = last ? 3 : 0, .mask = 1, .value = 9));
        rig_block_end(r);
        rig_end(r);
        assert_int_equal(rig_count(r, FINDING_RACE), !last);
        rig_free(r);
    }
}

/* Without results nobody has seen anybody. */
static void reductions_are_not_seen(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    for (uint32_t w = 0; w < 4; w++)
        rig_access(r, (RigAccess){.kind = ACCESS_REDUCTION,
                                  .sem = SEM_RELAXED,
                                  .space = SPACE_SHARED,
                                  .inst = 1,
                                  .warp = w,
                                  .mask = 1});
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 3, .mask = 1));
    rig_block_end(r);
    rig_end(r);
    rig_only(r, FINDING_RACE);
    rig_free(r);
}

/* Bins flushed without a barrier after the atomics. */
static void atomic_and_plain(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, ATOMIC(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 4));
    rig_block_end(r);
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_RACE);
    assert_string_equal(f->access, "atomic");
    assert_string_equal(f->other_access, "read");
    rig_free(r);
}

/* Bins set to 0 without a barrier before the atomics. */
static void plain_and_atomic(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    rig_access(r, ATOMIC(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 4));
    rig_block_end(r);
    rig_end(r);
    const char *hint = rig_only(r, FINDING_RACE)->hint;
    assert_non_null(strstr(hint, "__syncthreads()"));
    assert_non_null(strstr(hint, "make both atomic"));
    rig_free(r);
}

/* A sum that block 0 sets to 0 while block 1 adds to it: "make both atomic" alone would be no cure, and a barrier neither. */
static void set_by_one_block(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_RACE, 1);
    MemAlloc *a = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
    rig_begin(r, 2, 32);
    rig_block(r, 0, 0);
    rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a, .base = a->addr, .inst = 1, .warp = 0, .stride = 4));
    rig_block_end(r);
    rig_block(r, 1, 0);
    rig_access(r, ATOMIC(.space = SPACE_GLOBAL, .alloc = a, .base = a->addr, .inst = 2, .warp = 0, .stride = 4));
    rig_block_end(r);
    rig_end(r);
    const char *hint = rig_only(r, FINDING_RACE)->hint;
    assert_non_null(strstr(hint, "before the launch"));
    assert_null(strstr(hint, "__syncthreads"));
    rig_free(r);
}

/* One line stores to an element for two threads of a block: no barrier makes that right. */
static void one_element_for_two(void **state)
{
    (void)state;
    Rig *r = shared_rig();
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 1, .stride = 4, .value = 7));
    rig_block_end(r);
    rig_end(r);
    const char *hint = rig_only(r, FINDING_RACE)->hint;
    assert_non_null(strstr(hint, "&& for ||"));
    assert_null(strstr(hint, "__syncthreads"));
    rig_free(r);
}

/* ---- findings ---- */

/* Two instructions of one line, as unrolling makes them, are one finding; so are later launches. */
static void one_line_is_one_finding(void **state)
{
    (void)state;
    Rig *r = rig_new(CHECK_RACE, 1);
    r->locs[3] = r->locs[2];
    for (int launch = 0; launch < 2; launch++) {
        rig_begin(r, 1, 64);
        rig_block(r, 0, 0);
        rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 4));
        rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 3, .warp = 1, .stride = 4));
        rig_block_end(r);
        rig_end(r);
    }
    assert_int_equal(rig_only(r, FINDING_RACE)->count, 128);
    assert_int_equal(check_finding(r->set, 0)->launch, 1);
    rig_free(r);
}

/* The same events on one worker and spread over three, in another order of blocks, give the same findings. */
static void workers_agree(void **state)
{
    (void)state;
    StrBuf text[2] = {{0}, {0}};
    for (uint32_t many = 0; many < 2; many++) {
        Rig *r = rig_new(CHECK_ALL, many ? 3 : 1);
        MemAlloc *a = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
        rig_begin(r, 6, 64);
        for (uint32_t i = 0; i < 6; i++) {
            uint32_t b = many ? (i * 5 + 3) % 6 : i;
            rig_block(r, b, many ? i % 3 : 0);
            rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 5, .base = a->addr + b * 128,
                               .stride = 4));
            rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
            rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 4));
            rig_block_end(r);
        }
        rig_end(r);
        for (size_t i = 0; check_finding(r->set, i); i++)
            finding_write(check_finding(r->set, i), FINDING_REPORT, &text[many]);
        rig_free(r);
    }
    assert_non_null(strstr(text[0].text, "\"race\""));
    assert_non_null(strstr(text[0].text, "\"uninitialized\""));
    assert_string_equal(text[0].text, text[1].text);
    strbuf_free(&text[0]);
    strbuf_free(&text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_barrier_after_load),
        cmocka_unit_test(barrier_after_load),
        cmocka_unit_test(no_barrier_before_reuse),
        cmocka_unit_test(barrier_before_reuse),
        cmocka_unit_test(blocks_do_not_share),
        cmocka_unit_test(no_syncwarp),
        cmocka_unit_test(step_of_tree),
        cmocka_unit_test(syncwarp),
        cmocka_unit_test(half_a_syncwarp),
        cmocka_unit_test(volatile_reduction),
        cmocka_unit_test(bytes_are_apart),
        cmocka_unit_test(widths_meet),
        cmocka_unit_test(odd_strides),
        cmocka_unit_test(broadcast_then_write),
        cmocka_unit_test(broadcast_sync_broadcast),
        cmocka_unit_test(crowded_bins),
        cmocka_unit_test(records_limit),
        cmocka_unit_test(readers_of_two_warps),
        cmocka_unit_test(crowd_of_warps),
        cmocka_unit_test(words_then_bytes),
        cmocka_unit_test(a_byte_then_all_of_them),
        cmocka_unit_test(barrier_of_some_warps),
        cmocka_unit_test(barriers_of_some_in_a_row),
        cmocka_unit_test(lanes_of_one_store),
        cmocka_unit_test(lanes_of_one_store_same_value),
        cmocka_unit_test(flag),
        cmocka_unit_test(some_lanes_meet),
        cmocka_unit_test(atomics_do_not_race),
        cmocka_unit_test(atomic_and_plain),
        cmocka_unit_test(plain_and_atomic),
        cmocka_unit_test(set_by_one_block),
        cmocka_unit_test(one_element_for_two),
        cmocka_unit_test(ticket),
        cmocka_unit_test(reductions_are_not_seen),
        cmocka_unit_test(one_line_is_one_finding),
        cmocka_unit_test(workers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
