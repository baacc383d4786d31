/* alu_compare: setp, set and the predicates they write (PTX ISA 9.7.6, 9.7.7).
 *
 * A predicate is a mask, a bit a lane, so a comparison ends in 32 bits: each lane contributes its bit or 0,
 * and the compiler makes vector compares, ands and ors of it.
 */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_COMPARE_H
#define COMMON_VGPU_EXEC_ALU_ALU_COMPARE_H

#include "common/vgpu/exec/alu/alu_float.h"
#include "common/vgpu/exec/alu/half.h"

static const AluShape shape_setp2 = {2, 0, {2, 2}, false};
static const AluShape shape_setp4 = {2, 0, {4, 4}, false};

static inline uint32_t compare_combine(const ExecWarp *warp, const IrInst *inst, uint32_t bits)
{
    switch (inst->boolean) {
    case BOOL_AND:
        return bits & warp_pred(warp, &inst->src[2]);
    case BOOL_OR:
        return bits | warp_pred(warp, &inst->src[2]);
    case BOOL_XOR:
        return bits ^ warp_pred(warp, &inst->src[2]);
    default:
        return bits;
    }
}

/* setp p|q: p is the comparison combined with c, q its opposite combined with c. */
static inline void compare_store(const ExecWarp *warp, const IrInst *inst, uint32_t bits, uint32_t mask)
{
    const uint32_t p = compare_combine(warp, inst, bits), q = compare_combine(warp, inst, ~bits);
    if (inst->dst.kind == IR_REG)
        warp_set_pred(warp, &inst->dst, p, mask);
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(warp, &inst->dst2, q, mask);
}

/* The comparison of two halves by the float values, for any IrCmp. */
static inline bool compare_floats(float a, float b, IrCmp cmp)
{
    switch (cmp) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a < b || a > b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    case CMP_GE:
        return a >= b;
    case CMP_EQU:
        return !(a < b || a > b);
    case CMP_NEU:
        return a != b;
    case CMP_LTU:
        return !(a >= b);
    case CMP_LEU:
        return !(a > b);
    case CMP_GTU:
        return !(a <= b);
    case CMP_GEU:
        return !(a < b);
    case CMP_NUM:
        return a == a && b == b;
    default:
        return a != a || b != b;
    }
}

/* 16-bit types: `stride` halves a lane (2 when packed), starting at half `first`. */
static inline uint32_t compare_halves(const ExecWarp *warp, const IrInst *inst, HalfFormat f, int stride,
                                      int first)
{
    const LaneU16 *a = warp_src(warp, &inst->src[0]), *b = warp_src(warp, &inst->src[1]);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const int i = lane * stride + first;
        const uint16_t x = inst->ftz ? half_flush(f, a[i]) : a[i], y = inst->ftz ? half_flush(f, b[i]) : b[i];
        bits |= (uint32_t)compare_floats(half_to_f32(f, x), half_to_f32(f, y), inst->cmp) << lane;
    }
    return bits;
}

static void setp_f16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    compare_store(warp, inst, compare_halves(warp, inst, HALF_F16, 1, 0), mask);
}

static void setp_bf16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    compare_store(warp, inst, compare_halves(warp, inst, HALF_BF16, 1, 0), mask);
}

/* Packed: p is the comparison of the low halves, q that of the high ones. */
static inline void setp_packed(const ExecWarp *warp, const IrInst *inst, HalfFormat f, uint32_t mask)
{
    const uint32_t low = compare_combine(warp, inst, compare_halves(warp, inst, f, 2, 0));
    const uint32_t high = compare_combine(warp, inst, compare_halves(warp, inst, f, 2, 1));
    if (inst->dst.kind == IR_REG)
        warp_set_pred(warp, &inst->dst, low, mask);
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(warp, &inst->dst2, high, mask);
}

static void setp_f16x2(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    setp_packed(warp, inst, HALF_F16, mask);
}

static void setp_bf16x2(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    setp_packed(warp, inst, HALF_BF16, mask);
}

#endif
