/* Barriers in shared memory: mbarrier (PTX ISA 9.7.13.15). A barrier is a word, opaque to programs; here:
 *
 *      63     62 .. 42            41 .. 21                 20 .. 0
 *      phase  arrivals expected   bytes that are to come   arrivals that are missing
 *             in each phase       in this phase, signed    in this phase
 *
 * A phase is complete when no arrival and no byte is missing; then the phase bit turns and the next one
 * begins. A state (the result of an arrival) is the word before it. Copies that a barrier waits for land when
 * somebody asks whether its phase is complete: the latest moment that is allowed.
 *
 * A block is a cluster of its own: mapa gives back its address, a cluster barrier is one of the block.
 */
#include "common/vgpu/exec/async.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

enum { COUNT_BITS = 21, BYTES_SHIFT = 21, EXPECTED_SHIFT = 42, PHASE_SHIFT = 63, STATE_BYTES = 8 };
#define COUNT_MAX ((1u << 20) - 1)

typedef struct State {
    uint32_t phase, expected, missing;
    int32_t bytes;
} State;

static State unpack(uint64_t word)
{
    uint64_t field = ((uint64_t)1 << COUNT_BITS) - 1;
    int32_t bytes = (int32_t)(word >> BYTES_SHIFT & field);
    return (State){.phase = (uint32_t)(word >> PHASE_SHIFT),
                   .expected = (uint32_t)(word >> EXPECTED_SHIFT & field),
                   .missing = (uint32_t)(word & field),
                   .bytes = bytes >= 1 << (COUNT_BITS - 1) ? bytes - (1 << COUNT_BITS) : bytes};
}

static uint64_t pack(State s)
{
    uint64_t field = ((uint64_t)1 << COUNT_BITS) - 1;
    return (uint64_t)s.phase << PHASE_SHIFT | (uint64_t)s.expected << EXPECTED_SHIFT |
           ((uint64_t)(uint32_t)s.bytes & field) << BYTES_SHIFT | s.missing;
}

static State turned(State s)
{
    if (s.missing == 0 && s.bytes == 0) {
        s.phase ^= 1;
        s.missing = s.expected;
    }
    return s;
}

uint64_t async_shared_offset(const IrInst *inst, uint64_t addr)
{
    uint64_t offset;
    if (inst->space == SPACE_SHARED)
        return addr - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES ? addr - MEM_SHARED_WINDOW : addr;
    return request_window(addr, &offset) == SPACE_SHARED ? offset : addr;
}

/* ---- arrivals ---- */

/* The word of a barrier in shared memory; NULL: a fault was raised. */
static uint8_t *reach_word(const Arrival *a, uint8_t kind, uint8_t sem, bool silent, int lane)
{
    uint64_t addr[WARP_LANES] = {0};
    uint8_t *host[WARP_LANES];
    Transfer t = {.w = a->w,
                  .function = a->function,
                  .inst = a->inst,
                  .kind = kind,
                  .space = SPACE_SHARED,
                  .sem = sem,
                  .scope = sem == SEM_WEAK ? SCOPE_NONE : a->inst->scope,
                  .silent = silent,
                  .bytes = STATE_BYTES,
                  .align = STATE_BYTES};
    addr[lane] = a->barrier;
    return transfer_reach(&t, 1u << lane, addr, host) ? host[lane] : NULL;
}

/* Of an instruction that may be an earlier one, of another warp. */
static void trap(const Arrival *a, int lane, const char *why)
{
    ExecFault fault = {.kind = FAULT_TRAP, .mask = 1u << lane, .detail = why};
    if (a->w->frame->function == a->function) {
        exec_fault(a->w, a->inst, fault);
        return;
    }
    exec_note(a->w, a->function, a->inst, fault);
    exec_fail(a->w->block->run, EXEC_TRAP, why);
}

uint64_t mbarrier_arrive(const Arrival *a, int lane, bool *ok)
{
    uint64_t word;
    uint8_t *at = reach_word(a, ACCESS_REDUCTION, a->inst->sem, false, lane);
    *ok = at != NULL;
    if (!at)
        return 0;
    memcpy(&word, at, sizeof word);
    State s = unpack(word);
    s.bytes += (int32_t)a->bytes;
    if (a->arrivals > s.missing || (a->drop && a->arrivals > s.expected)) {
        *ok = false;
        trap(a, lane, "more arrivals at an mbarrier than it expects in a phase");
        return 0;
    }
    s.missing -= a->arrivals;
    s.expected -= a->drop ? a->arrivals : 0;
    uint64_t now = pack(turned(s));
    memcpy(at, &now, sizeof now);
    a->w->polls = 0;
    return word;
}

bool mbarrier_await_more(const Arrival *a, int lane)
{
    uint64_t word;
    uint8_t *at = reach_word(a, ACCESS_REDUCTION, SEM_RELAXED, false, lane);
    if (!at)
        return false;
    memcpy(&word, at, sizeof word);
    State s = unpack(word);
    s.missing++;
    word = pack(s);
    memcpy(at, &word, sizeof word);
    return true;
}

static Arrival arrival_of(ExecWarp *w, const IrInst *inst, int lane)
{
    return (Arrival){.w = w,
                     .function = w->frame->function,
                     .inst = inst,
                     .barrier = async_shared_offset(inst, operand_value(w, &inst->src[0], lane))};
}

/* What the lane's arrival means, by the instruction. */
static void set_amounts(ExecWarp *w, Arrival *a, int lane)
{
    const IrInst *inst = a->inst;
    bool counts = inst->src[1].kind != IR_NONE;
    uint32_t value = counts ? (uint32_t)operand_value(w, &inst->src[1], lane) : 1;
    switch ((IrAsync)inst->async) {
    case ASYNC_MBAR_ARRIVE_TX:
    case ASYNC_MBAR_DROP_TX:
        a->bytes = value;
        a->arrivals = 1;
        break;
    case ASYNC_MBAR_EXPECT_TX:
        a->bytes = value;
        break;
    case ASYNC_MBAR_COMPLETE_TX:
        a->bytes = -(int64_t)value;
        break;
    default:
        a->arrivals = value;
        break;
    }
    a->drop = inst->async == ASYNC_MBAR_DROP || inst->async == ASYNC_MBAR_DROP_TX;
}

static void arrive(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint64_t states[WARP_LANES];
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        bool ok;
        Arrival a = arrival_of(w, inst, lane);
        set_amounts(w, &a, lane);
        states[lane] = mbarrier_arrive(&a, lane, &ok);
        if (!ok)
            return;
    }
    U64 *to = inst->dst.kind == IR_REG ? warp_dst(w, &inst->dst) : NULL;
    for (uint32_t left = to ? mask : 0; left; left &= left - 1)
        to[first_lane(left)] = states[first_lane(left)];
}

/* ---- the other operations ---- */

static void init(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        Arrival a = arrival_of(w, inst, lane);
        uint32_t count = (uint32_t)operand_value(w, &inst->src[1], lane);
        if (count == 0 || count > COUNT_MAX) {
            trap(&a, lane, "the count of an mbarrier must be 1 to 1048575");
            return;
        }
        uint8_t *at = reach_word(&a, ACCESS_STORE, SEM_WEAK, false, lane);
        uint64_t word = pack((State){.expected = count, .missing = count});
        if (!at)
            return;
        memcpy(at, &word, sizeof word);
    }
    w->polls = 0;
}

/* Not told to observers: libcu++ ends a pipeline by one lane for its warp, after a vote, which orders nothing
 * by the letter. */
static void invalidate(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    static const uint64_t nothing = 0; /* a phase that expects nobody: any arrival is one too many */
    for (uint32_t left = mask; left; left &= left - 1) {
        Arrival a = arrival_of(w, inst, first_lane(left));
        uint8_t *at = reach_word(&a, ACCESS_STORE, SEM_WEAK, true, first_lane(left));
        if (!at)
            return;
        memcpy(at, &nothing, sizeof nothing);
    }
}

/* The phase that the state or the parity names is over. An unsuccessful test orders nothing, and is not told.
 */
static bool is_over(ExecWarp *w, const IrInst *inst, int lane, bool *ok)
{
    Arrival a = arrival_of(w, inst, lane);
    uint64_t named = operand_value(w, &inst->src[1], lane), word;
    uint32_t phase = inst->async == ASYNC_MBAR_TEST ? unpack(named).phase : named & 1;
    async_land_for(w->block, a.barrier);
    const uint8_t *at = reach_word(&a, ACCESS_LOAD, inst->sem, true, lane);
    *ok = at != NULL;
    if (!at)
        return false;
    memcpy(&word, at, sizeof word);
    bool over = unpack(word).phase != phase;
    if (over)
        reach_word(&a, ACCESS_LOAD, inst->sem, false, lane);
    return over;
}

static void test(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t over = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        bool ok;
        over |= is_over(w, inst, first_lane(left), &ok) ? 1u << first_lane(left) : 0;
        if (!ok)
            return;
    }
    if (over != mask)
        w->polls++;
    if (inst->dst.kind == IR_REG)
        warp_set_pred(w, &inst->dst, over, mask);
}

static void pending(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    U32 *to = inst->dst.kind == IR_REG ? warp_dst(w, &inst->dst) : NULL;
    for (uint32_t left = to ? mask : 0; left; left &= left - 1)
        to[first_lane(left)] = unpack(operand_value(w, &inst->src[0], first_lane(left))).missing;
}

static void do_nothing(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)w, (void)inst, (void)mask;
}

/* dst = src[0], or 0: addresses and ranks in a cluster of one block, cache policies. */
static void give(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint8_t *to = inst->dst.kind == IR_REG ? warp_dst(w, &inst->dst) : NULL;
    for (uint32_t left = to ? mask : 0; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t value = inst->async == ASYNC_MAPA ? operand_value(w, &inst->src[0], lane) : 0;
        memcpy(to + inst->dst.bytes * (size_t)lane, &value, inst->dst.bytes); /* low bytes first */
    }
}

IrHandler exec_async_handler(const IrInst *inst)
{
    static const IrHandler handlers[] = {
        [ASYNC_NOP] = do_nothing,
        [ASYNC_ZERO] = give,
        [ASYNC_MAPA] = give,
        [ASYNC_COPY] = async_copy,
        [ASYNC_COMMIT] = async_commit,
        [ASYNC_WAIT_GROUP] = async_wait_group,
        [ASYNC_WAIT_ALL] = async_wait_all,
        [ASYNC_ARRIVE_AFTER] = async_arrive_after,
        [ASYNC_ARRIVE_AFTER_NOINC] = async_arrive_after,
        [ASYNC_BULK_LOAD] = async_bulk_load,
        [ASYNC_BULK_LOAD_SHARED] = async_bulk_load,
        [ASYNC_BULK_STORE] = async_bulk_store,
        [ASYNC_BULK_COMMIT] = do_nothing,
        [ASYNC_BULK_WAIT] = do_nothing,
        [ASYNC_MBAR_INIT] = init,
        [ASYNC_MBAR_INVAL] = invalidate,
        [ASYNC_MBAR_ARRIVE] = arrive,
        [ASYNC_MBAR_ARRIVE_TX] = arrive,
        [ASYNC_MBAR_DROP] = arrive,
        [ASYNC_MBAR_DROP_TX] = arrive,
        [ASYNC_MBAR_EXPECT_TX] = arrive,
        [ASYNC_MBAR_COMPLETE_TX] = arrive,
        [ASYNC_MBAR_TEST] = test,
        [ASYNC_MBAR_TEST_PARITY] = test,
        [ASYNC_MBAR_PENDING] = pending,
        [ASYNC_CLUSTER_ARRIVE] = exec_cluster_arrive,
        [ASYNC_CLUSTER_WAIT] = exec_cluster_wait,
    };
    if (inst->async == ASYNC_COPY && inst->offset != 4 && inst->offset != 8 && inst->offset != 16)
        return NULL;
    return inst->async < sizeof handlers / sizeof handlers[0] ? handlers[inst->async] : NULL;
}
