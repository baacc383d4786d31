/* lanes: instructions that look across the lanes of a warp: shfl vote match redux activemask elect (PTX
 * ISA 9.7.9.6, 9.7.13.9 to 9.7.13.14).
 *
 * By the time a handler runs, exec has gathered the lanes that each member mask names; the handler gets all
 * that execute. Different lanes may name different masks (two halves of a warp, each its own), so a lane's
 * group is its member mask among the executing lanes. A shuffle from a lane that does not take part, which
 * PTX leaves undefined, gives 0 as hardware does, and is reported.
 */
#include "common/vgpu/exec/alu/alu_lane.h"
#include "common/vgpu/exec/split.h"

static uint32_t group_of(const LaneU32 *members, int lane, uint32_t mask)
{
    return members[lane] & mask;
}

/* ---- shfl ---- */

/* The lane that `lane` reads; *inside says whether it lies in the segment that c describes: c's low five bits
 * are a clamp, the five from bit 8 on the bits of the lane number that all lanes of a segment share. */
static uint32_t shuffle_source(IrShfl mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside)
{
    const uint32_t clamp = c & 31, segment = c >> 8 & 31, by = b & 31;
    const uint32_t first = lane & segment, last = first | (clamp & ~segment);
    uint32_t from;
    switch (mode) {
    case SHFL_UP:
        from = lane - by;
        *inside = (int32_t)from >= (int32_t)last; /* up: the clamp is the lowest lane, normally 0 */
        break;
    case SHFL_DOWN:
        from = lane + by;
        *inside = from <= last;
        break;
    case SHFL_BFLY:
        from = lane ^ by;
        *inside = from <= last;
        break;
    default:
        from = first | (by & ~segment);
        *inside = from <= last;
        break;
    }
    return *inside ? from : lane;
}

void lanes_shuffle_sources(const ExecWarp *w, const IrInst *inst, uint8_t from[WARP_LANES])
{
    const LaneU32 *b = warp_src(w, &inst->src[1]), *c = warp_src(w, &inst->src[2]);
    bool inside;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        from[lane] = (uint8_t)shuffle_source(inst->mode, lane, b[lane], c[lane], &inside);
}

static void shuffle(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *a = warp_src(warp, &inst->src[0]), *b = warp_src(warp, &inst->src[1]);
    const LaneU32 *c = warp_src(warp, &inst->src[2]);
    const LaneU32 *members = warp_src(warp, &inst->src[3]);
    uint32_t result[WARP_LANES], predicate = 0, gone = 0, unnamed = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        bool inside;
        const uint32_t from = shuffle_source(inst->mode, lane, b[lane], c[lane], &inside);
        result[lane] = mask >> from & 1 ? a[from] : 0;
        /* live lanes that the mask names and that never came have been reported */
        gone |= (~mask & members[lane] & ~warp->live) >> from << 31 >> (31 - lane);
        unnamed |= (~mask & ~members[lane]) >> from << 31 >> (31 - lane);
        predicate |= (uint32_t)inside << lane;
    }
    if (gone & mask)
        exec_note(warp, warp->frame->function, inst,
                  (ExecFault){.kind = FAULT_SHUFFLE_SOURCE, .mask = gone & mask});
    if (unnamed & mask)
        exec_note(warp, warp->frame->function, inst,
                  (ExecFault){.kind = FAULT_SHUFFLE_UNNAMED, .mask = unnamed & mask});
    if (warp->follow)
        exec_look_followed(warp);
    if (inst->dst.kind == IR_REG)
        lane_store(warp, inst, result, mask, 4);
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(warp, &inst->dst2, predicate, mask);
}

/* ---- vote ---- */

static uint32_t vote_outcome(IrVote mode, uint32_t votes, uint32_t group)
{
    votes &= group;
    switch (mode) {
    case VOTE_ALL:
        return votes == group;
    case VOTE_ANY:
        return votes != 0;
    case VOTE_UNI:
        return votes == group || votes == 0;
    default:
        return votes;
    }
}

static void vote_predicate(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const uint32_t votes = warp_pred(warp, &inst->src[0]);
    const LaneU32 *members = warp_src(warp, &inst->src[1]);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        bits |= vote_outcome(inst->mode, votes, group_of(members, lane, mask)) << lane;
    warp_set_pred(warp, &inst->dst, bits, mask);
}

static void vote_ballot(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const uint32_t votes = warp_pred(warp, &inst->src[0]);
    const LaneU32 *members = warp_src(warp, &inst->src[1]);
    uint32_t result[WARP_LANES];
    LANES(lane) result[lane] = votes & members[lane] & mask;
    lane_store(warp, inst, result, mask, 4);
}

/* ---- match ---- */

static uint64_t value_at(const ExecWarp *warp, const IrOperand *o, int lane)
{
    const void *values = warp_src(warp, o);
    return o->bytes == 8 ? ((const LaneU64 *)values)[lane] : ((const LaneU32 *)values)[lane];
}

/* The lanes of `group` whose value is that of `lane`. */
static uint32_t equal_lanes(const ExecWarp *warp, const IrOperand *o, int lane, uint32_t group)
{
    const uint64_t wanted = value_at(warp, o, lane);
    uint32_t equal = 0;
    for (int other = 0; other < WARP_LANES; other++)
        equal |= (uint32_t)(value_at(warp, o, other) == wanted) << other;
    return equal & group;
}

/* match.any: who has my value. match.all: the group if all have it, else 0, and a predicate that says so. */
static void match(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *members = warp_src(warp, &inst->src[1]);
    uint32_t result[WARP_LANES] = {0}, predicate = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!(mask >> lane & 1))
            continue;
        const uint32_t group = group_of(members, lane, mask);
        const uint32_t equal = equal_lanes(warp, &inst->src[0], lane, group);
        const bool all = equal == group;
        result[lane] = inst->mode == VOTE_ANY ? equal : all ? group : 0;
        predicate |= (uint32_t)all << lane;
    }
    if (inst->dst.kind == IR_REG)
        lane_store(warp, inst, result, mask, 4);
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(warp, &inst->dst2, predicate, mask);
}

/* ---- redux ---- */

static uint32_t reduce_two(const IrInst *inst, uint32_t a, uint32_t b)
{
    const bool is_signed = inst->type == PTX_TYPE_S32;
    const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (inst->mode) {
    case ATOM_ADD:
        return a + b;
    case ATOM_MIN:
        return less ? a : b;
    case ATOM_MAX:
        return less ? b : a;
    case ATOM_AND:
        return a & b;
    case ATOM_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *a = warp_src(warp, &inst->src[0]), *members = warp_src(warp, &inst->src[1]);
    uint32_t result[WARP_LANES];
    uint32_t left = mask;
    while (left) { /* one group after the other */
        const int leader = __builtin_ctz(left);
        const uint32_t group = group_of(members, leader, mask) | (uint32_t)1 << leader;
        uint32_t sum = a[leader];
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (lane != leader && group >> lane & 1)
                sum = reduce_two(inst, sum, a[lane]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (group >> lane & 1)
                result[lane] = sum;
        left &= ~group;
    }
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (!(mask >> lane & 1))
            result[lane] = 0;
    lane_store(warp, inst, result, mask, 4);
}

/* ---- activemask, elect ---- */

/* PTX does not say which lanes run an instruction together. A launch may ask for the lanes to have parted. */
static void active_mask(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    enum { EVEN = 0x55555555 };
    const ExecRun *run = warp->block->run;
    const bool parts = run->launch->part_lanes && mask & EVEN && mask & ~(uint32_t)EVEN;
    uint32_t result[WARP_LANES];
    LANES(lane) result[lane] = parts ? mask & ((uint32_t)EVEN << (lane & 1)) : mask;
    lane_store(warp, inst, result, mask, 4);
    if (parts)
        __atomic_store_n(&run->result->parted, true, __ATOMIC_RELAXED);
}

/* elect.sync d|p: the lowest lane of the group leads; d is its number, p is true there only. */
static void elect(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *members = warp_src(warp, &inst->src[0]);
    uint32_t result[WARP_LANES], leads = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t group = group_of(members, lane, mask);
        result[lane] = group ? (uint32_t)__builtin_ctz(group) : 0;
        leads |= (uint32_t)(group && result[lane] == (uint32_t)lane) << lane;
    }
    if (inst->dst.kind == IR_REG)
        lane_store(warp, inst, result, mask, 4);
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(warp, &inst->dst2, leads, mask);
}

/* ---- which handler ---- */

static bool is_value(const IrOperand *o, unsigned bytes)
{
    return (o->kind == IR_REG || o->kind == IR_CONST) && o->bytes == bytes;
}

static bool is_result(const IrOperand *o, unsigned bytes)
{
    return o->kind == IR_NONE || (o->kind == IR_REG && o->bytes == bytes);
}

static bool shuffle_fits(const IrInst *inst)
{
    return inst->mode <= SHFL_IDX && is_value(&inst->src[0], 4) && is_value(&inst->src[1], 4) &&
           is_value(&inst->src[2], 4);
}

static IrHandler vote_handler(const IrInst *inst)
{
    if (!is_value(&inst->src[0], 0) || !is_value(&inst->src[1], 4) || inst->dst.kind != IR_REG)
        return NULL;
    if (inst->mode == VOTE_BALLOT)
        return inst->type == PTX_TYPE_B32 && inst->dst.bytes == 4 ? vote_ballot : NULL;
    return inst->type == PTX_TYPE_PRED && inst->dst.bytes == 0 && inst->mode < VOTE_BALLOT ? vote_predicate
                                                                                           : NULL;
}

static IrHandler match_handler(const IrInst *inst)
{
    const unsigned bytes = inst->type == PTX_TYPE_B64 ? 8 : 4;
    const bool known = inst->mode == VOTE_ANY || inst->mode == VOTE_ALL;
    return known && is_value(&inst->src[0], bytes) && is_value(&inst->src[1], 4) ? match : NULL;
}

/* redux.sync: add min max on .u32 .s32, and or xor on .b32. */
static IrHandler reduce_handler(const IrInst *inst)
{
    const bool bitwise = inst->mode == ATOM_AND || inst->mode == ATOM_OR || inst->mode == ATOM_XOR;
    const bool arithmetic = inst->mode == ATOM_ADD || inst->mode == ATOM_MIN || inst->mode == ATOM_MAX;
    const bool integer = inst->type == PTX_TYPE_U32 || inst->type == PTX_TYPE_S32;
    const bool fits = is_value(&inst->src[0], 4) && is_value(&inst->src[1], 4) && inst->dst.kind == IR_REG;
    return fits && ((bitwise && inst->type == PTX_TYPE_B32) || (arithmetic && integer)) ? reduce : NULL;
}

IrHandler exec_lanes_handler(const IrInst *inst)
{
    const bool results_fit = inst->opcode == PTX_VOTE || is_result(&inst->dst, 4);
    if (!results_fit || !is_result(&inst->dst2, 0))
        return NULL;
    switch (inst->opcode) {
    case PTX_SHFL:
        return shuffle_fits(inst) ? shuffle : NULL;
    case PTX_VOTE:
        return vote_handler(inst);
    case PTX_MATCH:
        return match_handler(inst);
    case PTX_REDUX:
        return reduce_handler(inst);
    case PTX_ACTIVEMASK:
        return inst->dst.kind == IR_REG ? active_mask : NULL;
    case PTX_ELECT:
        return is_value(&inst->src[0], 4) ? elect : NULL;
    default:
        return NULL;
    }
}
