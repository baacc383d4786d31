/* Shuffles, votes, matches and reductions across lanes; alu_cases.def has them on a full warp against
 * hardware, here are partial masks, several groups in one warp, and lanes that are off. */
#include "common/vgpu/exec/exec_internal.h"
#include "common/vgpu/exec/test/alu_harness.h"

#include "common/base/rng.h"

typedef struct Lanes {
    Harness h;
    IrHandler handler;
} Lanes;

static Lanes open_lanes(const char *body)
{
    Lanes l;
    assert_true(harness_decode(&l.h, body));
    l.handler = exec_lanes_handler(l.h.inst);
    assert_non_null(l.handler);
    assert_null(exec_alu_handler(l.h.inst));
    harness_poison_results(&l.h);
    return l;
}

static void set_all(Lanes *l, int source, uint64_t value)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        harness_set(&l->h, &l->h.inst->src[source], lane, value);
}

static void set_lane_numbers(Lanes *l, int source, uint64_t base)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        harness_set(&l->h, &l->h.inst->src[source], lane, base + (uint64_t)lane);
}

static void run(Lanes *l, uint32_t mask)
{
    l->handler(&l->h.warp, l->h.inst, mask);
}

static uint64_t result(const Lanes *l, int lane)
{
    return harness_get(&l->h, &l->h.inst->dst, lane);
}

static uint64_t predicate(const Lanes *l, int lane)
{
    return harness_get(&l->h, &l->h.inst->dst2, lane);
}

static void shuffle_down_keeps_the_last_lanes(void **state)
{
    (void)state;
    Lanes l = open_lanes("shfl.sync.down.b32 %r5|%p6, %r0, %r1, %r2, %r3");
    set_lane_numbers(&l, 0, 100);
    set_all(&l, 1, 4);
    set_all(&l, 2, 31);
    set_all(&l, 3, FULL_MASK);
    run(&l, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        assert_int_equal(result(&l, lane), lane < 28 ? 104 + lane : 100 + lane);
        assert_int_equal(predicate(&l, lane), lane < 28);
    }
    harness_free(&l.h);
}

/* width 8: __shfl_up_sync(mask, x, 3, 8) has c = (32 - 8) << 8. */
static void shuffle_up_stays_in_its_segment(void **state)
{
    (void)state;
    Lanes l = open_lanes("shfl.sync.up.b32 %r5|%p6, %r0, %r1, %r2, %r3");
    set_lane_numbers(&l, 0, 0);
    set_all(&l, 1, 3);
    set_all(&l, 2, 24 << 8);
    set_all(&l, 3, FULL_MASK);
    run(&l, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        assert_int_equal(result(&l, lane), lane % 8 < 3 ? lane : lane - 3);
        assert_int_equal(predicate(&l, lane), lane % 8 >= 3);
    }
    harness_free(&l.h);
}

static void butterfly_and_index_pick_lanes(void **state)
{
    (void)state;
    Lanes bfly = open_lanes("shfl.sync.bfly.b32 %r5, %r0, 16, 31, -1");
    set_lane_numbers(&bfly, 0, 0);
    run(&bfly, FULL_MASK);
    Lanes idx =
        open_lanes("shfl.sync.idx.b32 %r5|%p6, %r0, %r1, 6175, -1"); /* c = 24 << 8 | 31: segments of 8 */
    set_lane_numbers(&idx, 0, 0);
    set_all(&idx, 1, 11);
    run(&idx, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        assert_int_equal(result(&bfly, lane), lane ^ 16);
        assert_int_equal(result(&idx, lane), lane / 8 * 8 + 3);
        assert_int_equal(predicate(&idx, lane), 1);
    }
    harness_free(&bfly.h);
    harness_free(&idx.h);
}

static void see_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    (void)who;
    assert_true(fault->kind == FAULT_SHUFFLE_SOURCE || fault->kind == FAULT_SHUFFLE_UNNAMED);
    *(uint32_t *)self |= fault->mask;
}

/* The handler on a warp of a block whose faults are gathered: their lanes. */
static uint32_t run_in_block(Lanes *l, uint32_t mask)
{
    uint32_t seen = 0;
    const ExecObserver observer = {.self = &seen, .fault = see_fault};
    const ExecLaunch launch = {.observers = &observer, .n_observers = 1};
    ExecRun exec_run = {.launch = &launch};
    ExecWorker worker = {.run = &exec_run};
    ExecBlock block = {.run = &exec_run, .worker = &worker};
    ExecFrame frame = {.function = &l->h.module->functions[0]};
    l->h.warp.block = &block;
    l->h.warp.frame = &frame;
    run(l, mask);
    return seen;
}

/* A source lane that does not execute gives 0; lanes that are off keep their registers. */
static void shuffle_from_an_absent_lane_gives_zero(void **state)
{
    (void)state;
    const uint32_t mask = 0x0000FFFF;
    Lanes l = open_lanes("shfl.sync.bfly.b32 %r5, %r0, 16, 31, 65535");
    set_lane_numbers(&l, 0, 50);
    const uint64_t poison = result(&l, 31);
    assert_int_equal(run_in_block(&l, mask), mask);
    for (int lane = 0; lane < WARP_LANES; lane++)
        assert_int_equal(result(&l, lane), lane < 16 ? 0 : poison);
    harness_free(&l.h);
}

static uint32_t vote(const char *body, uint32_t votes, uint32_t members, uint32_t mask)
{
    Lanes l = open_lanes(body);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(&l.h, &l.h.inst->src[0], lane, votes >> lane & 1);
        harness_set(&l.h, &l.h.inst->dst, lane, 0);
    }
    set_all(&l, 1, members);
    run(&l, mask);
    for (int lane = 0; lane < WARP_LANES; lane++)
        bits |= (uint32_t)(result(&l, lane) & 1) << lane;
    harness_free(&l.h);
    return bits;
}

static void votes_count_members_only(void **state)
{
    (void)state;
    const uint32_t m = 0x00FF00FF;
    assert_int_equal(vote("vote.sync.all.pred %p5, %p0, %r1", m, m, m), m);
    assert_int_equal(vote("vote.sync.all.pred %p5, %p0, %r1", m & ~1u, m, m), 0);
    assert_int_equal(vote("vote.sync.all.pred %p5, !%p0, %r1", ~m, m, m), m);
    assert_int_equal(vote("vote.sync.any.pred %p5, %p0, %r1", ~m, m, m), 0);
    assert_int_equal(vote("vote.sync.any.pred %p5, %p0, %r1", 1, m, m), m);
    assert_int_equal(vote("vote.sync.uni.pred %p5, %p0, %r1", 0, m, m), m);
    assert_int_equal(vote("vote.sync.uni.pred %p5, %p0, %r1", m, m, m), m);
    assert_int_equal(vote("vote.sync.uni.pred %p5, %p0, %r1", 2, m, m), 0);
}

/* Two halves of a warp may vote at one instruction, each under its own mask. */
static void ballot_knows_groups(void **state)
{
    (void)state;
    Lanes l = open_lanes("vote.sync.ballot.b32 %r5, %p0, %r1");
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(&l.h, &l.h.inst->src[0], lane, lane % 3 == 0);
        harness_set(&l.h, &l.h.inst->src[1], lane, lane < 16 ? 0x0000FFFF : 0xFFFF0000);
    }
    run(&l, FULL_MASK);
    const uint32_t thirds = 0x49249249;
    for (int lane = 0; lane < WARP_LANES; lane++)
        assert_int_equal(result(&l, lane), lane < 16 ? thirds & 0xFFFF : thirds & 0xFFFF0000);
    harness_free(&l.h);
}

static void match_finds_equal_values(void **state)
{
    (void)state;
    Lanes any = open_lanes("match.any.sync.b64 %r5, %d0, %r1");
    Lanes all = open_lanes("match.all.sync.b32 %r5|%p6, %r0, %r1");
    const uint32_t mask = 0x0FFFFFFF;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(&any.h, &any.h.inst->src[0], lane, (uint64_t)(lane % 2) << 40);
        harness_set(&all.h, &all.h.inst->src[0], lane, lane < 28 ? 9 : 1);
    }
    set_all(&any, 1, mask);
    set_all(&all, 1, mask);
    run(&any, mask);
    run(&all, mask);
    for (int lane = 0; lane < 28; lane++) {
        assert_int_equal(result(&any, lane), (lane % 2 ? 0xAAAAAAAAu : 0x55555555u) & mask);
        assert_int_equal(result(&all, lane), mask);
        assert_int_equal(predicate(&all, lane), 1);
    }
    harness_set(&all.h, &all.h.inst->src[0], 5, 10);
    run(&all, mask);
    assert_int_equal(result(&all, 0), 0);
    assert_int_equal(predicate(&all, 5), 0);
    harness_free(&any.h);
    harness_free(&all.h);
}

static uint64_t reduce(const char *op, const uint32_t *values, uint32_t members, uint32_t mask, int of_lane)
{
    char body[80];
    snprintf(body, sizeof body, "redux.sync.%s %%r5, %%r0, %%r1", op);
    Lanes l = open_lanes(body);
    for (int lane = 0; lane < WARP_LANES; lane++)
        harness_set(&l.h, &l.h.inst->src[0], lane, values[lane]);
    set_all(&l, 1, members);
    run(&l, mask);
    const uint64_t r = result(&l, of_lane);
    harness_free(&l.h);
    return r;
}

static void reductions_cover_their_members(void **state)
{
    (void)state;
    uint32_t values[WARP_LANES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        values[lane] = lane - 8; /* -8 ... 23 */
    const uint32_t m = 0x0000FFF0;
    assert_int_equal(reduce("add.s32", values, FULL_MASK, FULL_MASK, 31), 240);
    assert_int_equal(reduce("min.s32", values, FULL_MASK, FULL_MASK, 0), (uint32_t)-8);
    assert_int_equal(reduce("min.u32", values, FULL_MASK, FULL_MASK, 0), 0);
    assert_int_equal(reduce("max.s32", values, FULL_MASK, FULL_MASK, 7), 23);
    assert_int_equal(reduce("max.u32", values, FULL_MASK, FULL_MASK, 7), 0xFFFFFFFF);
    assert_int_equal(reduce("max.s32", values, m, m, 4), 7);
    assert_int_equal(reduce("and.b32", values, m, m, 4), 0);
    assert_int_equal(reduce("or.b32", values, 0xFF00, 0xFF00, 8), 7);
    assert_int_equal(reduce("xor.b32", values, 0x0300, 0x0300, 9), 1);
}

/* The handler on a warp of such a launch. */
static void run_for(Lanes *l, uint32_t mask, const ExecLaunch *launch, ExecResult *result)
{
    ExecRun exec_run = {.launch = launch, .result = result};
    ExecBlock block = {.run = &exec_run};
    l->h.warp.block = &block;
    run(l, mask);
    l->h.warp.block = NULL;
}

/* As if the lanes had parted: those of even and of odd numbers are told of each other; a lane alone has nobody to part from. */
static void activemask_names_half_where_lanes_part(void **state)
{
    (void)state;
    const uint32_t masks[] = {0xFFFFFFFF, 0x00F0F001, 0x00000010, 0xAAAAAAAA}, even = 0x55555555;
    const ExecLaunch launch = {.part_lanes = true};
    for (int i = 0; i < 4; i++) {
        ExecResult parted = {0};
        Lanes active = open_lanes("activemask.b32 %r5");
        run_for(&active, masks[i], &launch, &parted);
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (masks[i] >> lane & 1)
                assert_int_equal(result(&active, lane), masks[i] & (lane % 2 ? ~even : even));
        assert_int_equal(parted.parted, i < 2);
        harness_free(&active.h);
    }
}

static void activemask_and_elect_tell_the_group(void **state)
{
    (void)state;
    const uint32_t mask = 0x00F0F000;
    Lanes active = open_lanes("activemask.b32 %r5");
    Lanes elect = open_lanes("elect.sync %r5|%p6, %r0");
    const uint64_t poison = result(&active, 0);
    set_all(&elect, 0, mask);
    run_for(&active, mask, &(ExecLaunch){.n_observers = 0}, &(ExecResult){0});
    run(&elect, mask);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const bool on = mask >> lane & 1;
        assert_int_equal(result(&active, lane), on ? mask : poison);
        assert_int_equal(result(&elect, lane), on ? 12 : poison);
        if (on)
            assert_int_equal(predicate(&elect, lane), lane == 12);
    }
    harness_free(&active.h);
    harness_free(&elect.h);
}

static void wrong_forms_have_no_handler(void **state)
{
    (void)state;
    const IrOperand r4 = {.kind = IR_REG, .bytes = 4}, r8 = {.kind = IR_REG, .bytes = 8};
    IrInst shfl = {
        .opcode = PTX_SHFL, .type = PTX_TYPE_B32, .mode = SHFL_UP, .dst = r4, .src = {r4, r4, r4, r4}};
    assert_non_null(exec_lanes_handler(&shfl));
    shfl.src[0] = r8;
    assert_null(exec_lanes_handler(&shfl));
    IrInst redux = {.opcode = PTX_REDUX, .type = PTX_TYPE_F32, .mode = ATOM_MIN, .dst = r4, .src = {r4, r4}};
    assert_null(exec_lanes_handler(&redux));
    redux.type = PTX_TYPE_U32;
    assert_non_null(exec_lanes_handler(&redux));
    redux.mode = ATOM_XOR; /* on .b32 only */
    assert_null(exec_lanes_handler(&redux));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_down_keeps_the_last_lanes),
        cmocka_unit_test(shuffle_up_stays_in_its_segment),
        cmocka_unit_test(butterfly_and_index_pick_lanes),
        cmocka_unit_test(shuffle_from_an_absent_lane_gives_zero),
        cmocka_unit_test(votes_count_members_only),
        cmocka_unit_test(ballot_knows_groups),
        cmocka_unit_test(match_finds_equal_values),
        cmocka_unit_test(reductions_cover_their_members),
        cmocka_unit_test(activemask_and_elect_tell_the_group),
        cmocka_unit_test(activemask_names_half_where_lanes_part),
        cmocka_unit_test(wrong_forms_have_no_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
