/* alu_set: set, which writes a comparison's outcome as a number: all ones, or 1.0 (PTX ISA 9.7.6.1). Included
 * after the rows of alu_compare.def have become functions. */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_SET_H
#define COMMON_VGPU_EXEC_ALU_ALU_SET_H

typedef uint32_t (*CompareCore)(const void *a, const void *b);

enum { ALU_N_CMP = CMP_NAN + 1 };

/* [type of a and b][.ftz][comparison]; NULL for those that PTX does not have. */
static const CompareCore compare_cores[PTX_N_TYPES][2][ALU_N_CMP] = {
#undef ALU_COMPARE_ROW
#undef ALU_HANDLER
#define COMPARE_IS_FTZ_NONE 0
#define COMPARE_IS_FTZ_FTZ  1
#define ALU_COMPARE_ROW(TYPE, SEL, CMP, BITS, CTYPE, VIEW, EXPR)                                             \
    [PTX_TYPE_##TYPE][COMPARE_IS_FTZ_##SEL][CMP_##CMP] = compare_##TYPE##_##SEL##_##CMP,
#define ALU_HANDLER(OP, TYPE, TYPE2, SEL, OPTIONAL, SHAPE, FUNCTION)
#include "common/vgpu/exec/alu/alu_compare.def"
};

/* What `true` is in each type of a result. */
static inline uint32_t set_true_value(PtxType type)
{
    switch (type) {
    case PTX_TYPE_F32:
        return 0x3F800000u;
    case PTX_TYPE_F16:
    case PTX_TYPE_F16X2:
        return 0x3C00;
    case PTX_TYPE_BF16:
    case PTX_TYPE_BF16X2:
        return 0x3F80;
    case PTX_TYPE_U16:
    case PTX_TYPE_S16:
        return 0xFFFF;
    default:
        return UINT32_MAX;
    }
}

/* Lanes of d from a mask for the low half and one for the high half of each lane. */
static inline void set_lanes(const ExecWarp *warp, const IrInst *inst, uint32_t low, uint32_t high,
                             uint32_t yes, uint32_t mask)
{
    uint64_t result[WARP_LANES];
    LANES(lane)
    result[lane] = (low >> lane & 1 ? yes : 0) | (uint64_t)(high >> lane & 1 ? yes : 0) << 16;
    lane_narrow(warp_dst(warp, &inst->dst), inst->dst.bytes, result, mask);
}

static void set_number(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const CompareCore core = compare_cores[inst->type2][inst->ftz][inst->cmp];
    const uint32_t bits = core(warp_src(warp, &inst->src[0]), warp_src(warp, &inst->src[1]));
    set_lanes(warp, inst, compare_combine(warp, inst, bits), 0, set_true_value(inst->type), mask);
}

static inline void set_half(const ExecWarp *warp, const IrInst *inst, HalfFormat f, uint32_t mask)
{
    set_lanes(warp, inst, compare_combine(warp, inst, compare_halves(warp, inst, f, 1, 0)), 0,
              set_true_value(inst->type), mask);
}

/* A half of d for each pair of halves; as integers all its ones. */
static inline void set_packed(const ExecWarp *warp, const IrInst *inst, HalfFormat f, uint32_t mask)
{
    const uint32_t low = compare_combine(warp, inst, compare_halves(warp, inst, f, 2, 0));
    const uint32_t high = compare_combine(warp, inst, compare_halves(warp, inst, f, 2, 1));
    set_lanes(warp, inst, low, high, set_true_value(inst->type) & 0xFFFF, mask);
}

static void set_f16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    set_half(warp, inst, HALF_F16, mask);
}

static void set_bf16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    set_half(warp, inst, HALF_BF16, mask);
}

static void set_f16x2(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    set_packed(warp, inst, HALF_F16, mask);
}

static void set_bf16x2(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    set_packed(warp, inst, HALF_BF16, mask);
}

static const AluShape shape_set_from2 = {.n_src = 2, .dst = 4, .src = {2, 2}};
static const AluShape shape_set_from4 = {.n_src = 2, .dst = 4, .src = {4, 4}};
static const AluShape shape_set_from8 = {.n_src = 2, .dst = 4, .src = {8, 8}};
static const AluShape shape_set_half = {.n_src = 2, .dst = 2, .src = {2, 2}};
static const AluShape shape_set_half_from4 = {.n_src = 2, .dst = 2, .src = {4, 4}};
static const AluShape shape_set_half_from8 = {.n_src = 2, .dst = 2, .src = {8, 8}};

#endif
