/* alu_convert: cvt between any two types (PTX ISA 9.7.9.21), in three steps over arrays of 64-bit lanes:
 *
 *      source register --load--> value --convert--> value --store--> destination register
 *      (2, 4 or 8 bytes a lane)  integer: extended to 64 bits        (low bytes of the value, which is
 *                                float: the value as a double         extended by the type of d)
 *
 * The common pairs with registers as wide as their types have loops of their own in alu_convert.def.
 *
 * float -> integer: rounded, then clamped to d's range. NaN gives 0, or, when the source is .f64 or d has 64
 * bits, d's highest bit alone, as the ISA has it. integer -> integer: cut, or clamped with .sat. .ftz
 * concerns .f32 sources and results.
 */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_CONVERT_H
#define COMMON_VGPU_EXEC_ALU_ALU_CONVERT_H

#include "common/vgpu/exec/alu/alu_move.h"

#define CONVERT_STEP static LANES_APART void

static inline bool type_is_signed(PtxType t)
{
    return t == PTX_TYPE_S8 || t == PTX_TYPE_S16 || t == PTX_TYPE_S32 || t == PTX_TYPE_S64;
}

static inline bool type_is_float(PtxType t)
{
    return t == PTX_TYPE_F16 || t == PTX_TYPE_BF16 || t == PTX_TYPE_F32 || t == PTX_TYPE_F64 ||
           t == PTX_TYPE_TF32;
}

static inline int64_t type_lowest(PtxType t)
{
    return type_is_signed(t) ? INT64_MIN >> (64 - type_bits(t)) : 0;
}

static inline uint64_t type_highest(PtxType t)
{
    return UINT64_MAX >> (64 - type_bits(t) + (type_is_signed(t) ? 1 : 0));
}

/* Integer sources: the type's bits, extended. */
CONVERT_STEP convert_load_integer(const ExecWarp *warp, const IrOperand *o, PtxType type, uint64_t *x)
{
    lane_widen(warp_src(warp, o), o->bytes, x);
    LANES(lane) x[lane] = extend_to_type(x[lane], type);
}

/* Float sources: as doubles, which hold them all. */
CONVERT_STEP convert_load_float(const ExecWarp *warp, const IrOperand *o, PtxType type, bool ftz, double *x)
{
    uint64_t raw[WARP_LANES];
    lane_widen(warp_src(warp, o), o->bytes, raw);
    switch (type) {
    case PTX_TYPE_F16:
        LANES(lane) x[lane] = half_to_f64(HALF_F16, (uint16_t)raw[lane]);
        break;
    case PTX_TYPE_BF16:
        LANES(lane) x[lane] = half_to_f64(HALF_BF16, (uint16_t)raw[lane]);
        break;
    case PTX_TYPE_F64:
        LANES(lane) x[lane] = f64_of_bits(raw[lane]);
        break;
    default:     /* .f32, .tf32 */
        if (ftz) /* which also makes NaN canonical */
            LANES(lane) raw[lane] = bits_of_f32(f32_finish_ftz(f32_of_bits((uint32_t)raw[lane])));
        LANES(lane) x[lane] = (double)f32_of_bits((uint32_t)raw[lane]);
        break;
    }
}

/* .rni .rzi .rmi .rpi: to an integer, still as a double. Other modes leave x alone. */
CONVERT_STEP convert_round_integral(IrRound round, double *x)
{
    switch (round) {
    case ROUND_RNI:
        LANES(lane) x[lane] = __builtin_rint(x[lane]);
        break;
    case ROUND_RZI:
        LANES(lane) x[lane] = __builtin_trunc(x[lane]);
        break;
    case ROUND_RMI:
        LANES(lane) x[lane] = __builtin_floor(x[lane]);
        break;
    case ROUND_RPI:
        LANES(lane) x[lane] = __builtin_ceil(x[lane]);
        break;
    default:
        break;
    }
}

/* Integer to integer: .sat clamps to d's range; without it the value is cut to d's bits. */
CONVERT_STEP convert_clamp(PtxType from, PtxType to, uint64_t *x)
{
    const int64_t lowest = type_lowest(to);
    const uint64_t highest = type_highest(to);
    const bool is_signed = type_is_signed(from);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (is_signed && (int64_t)x[lane] < lowest)
            x[lane] = (uint64_t)lowest;
        else if (!(is_signed && (int64_t)x[lane] < 0) && x[lane] > highest)
            x[lane] = highest;
    }
}

/* A rounded double to d's integer type. */
CONVERT_STEP convert_to_integer(PtxType from, PtxType to, const double *x, uint64_t *out)
{
    const unsigned bits = type_bits(to);
    const bool is_signed = type_is_signed(to);
    const double above = f64_of_bits((uint64_t)(1023 + bits - (is_signed ? 1 : 0)) << 52); /* highest + 1 */
    const double lowest = is_signed ? -above : 0.0;
    const uint64_t nan = from != PTX_TYPE_F64 && bits < 64 ? 0 : (uint64_t)1 << (bits - 1);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t value = nan;
        if (x[lane] >= above)
            value = type_highest(to);
        else if (x[lane] <= lowest)
            value = (uint64_t)type_lowest(to);
        else if (x[lane] == x[lane])
            value = is_signed ? (uint64_t)(int64_t)x[lane] : (uint64_t)x[lane];
        out[lane] = value;
    }
}

/* A 64-bit integer as a double that a later rounding to 16 bits does not notice: what does not fit leaves a
 * sticky bit. */
static inline double integer_to_double(uint64_t x, bool is_signed)
{
    const bool negative = is_signed && x >> 63;
    uint64_t magnitude = negative ? 0 - x : x;
    if (magnitude >> 53)
        magnitude = (magnitude >> 11 | ((magnitude & 0x7FF) != 0)) << 11;
    return negative ? -(double)magnitude : (double)magnitude;
}

CONVERT_STEP convert_integer_to_half(PtxType from, PtxType to, IrRound round, uint64_t *x)
{
    const HalfFormat f = to == PTX_TYPE_F16 ? HALF_F16 : HALF_BF16;
    const bool is_signed = type_is_signed(from);
    LANES(lane) x[lane] = half_from_f64(f, integer_to_double(x[lane], is_signed), round);
}

/* 0 as a number that the compiler does not know. */
static inline uint64_t unknown_zero(void)
{
    uint64_t zero = 0;
    __asm__("" : "+r"(zero));
    return zero;
}

/* Runs under the rounding mode of the instruction. 0 is +0 in every mode, which a compiler's trick for unsigned
 * sources does not know (0x1p52 + 0 - 0x1p52 is -0 in .rm), and clang would not ask, as it takes (double)0 for 0. */
CONVERT_STEP convert_integer_to_f32(PtxType from, uint64_t *x)
{
    const uint64_t zero = unknown_zero();
    if (type_is_signed(from))
        LANES(lane) x[lane] = bits_of_f32((float)(int64_t)x[lane]);
    else
        LANES(lane) x[lane] = x[lane] ? bits_of_f32((float)x[lane]) : zero;
}

CONVERT_STEP convert_integer_to_f64(PtxType from, uint64_t *x)
{
    const uint64_t zero = unknown_zero();
    if (type_is_signed(from))
        LANES(lane) x[lane] = bits_of_f64((double)(int64_t)x[lane]);
    else
        LANES(lane) x[lane] = x[lane] ? bits_of_f64((double)x[lane]) : zero;
}

/* tf32: an f32 with 10 bits of mantissa; the low 13 bits are zero. */
static inline uint32_t tf32_from_f64(double x, IrRound round)
{
    const uint64_t magnitude = narrow_f64(x, 10, -126, (uint64_t)0xFF << 10, round);
    return magnitude > (uint64_t)0xFF << 10 ? 0x7FFFE000u
                                            : (uint32_t)(magnitude << 13 | bits_of_f64(x) >> 63 << 31);
}

/* .rna on the bits: half of the last kept place is added. A NaN is only cut, as hardware does. */
static inline uint32_t tf32_rounded_away(uint32_t a)
{
    return (f32_bits_nan(a) ? a : a + 0x1000u) & ~0x1FFFu;
}

/* .sat on a value: [+0, 1], NaN is +0. .relu: what is not positive is +0, NaN stays. */
CONVERT_STEP convert_limit(const IrInst *inst, double *x)
{
    if (inst->sat)
        LANES(lane) x[lane] = x[lane] > 0.0 ? (x[lane] < 1.0 ? x[lane] : 1.0) : 0.0;
    if (inst->relu)
        LANES(lane) x[lane] = x[lane] <= 0.0 ? 0.0 : x[lane];
}

/* A NaN keeps its payload's upper bits between f64 and the narrower types, and from bf16 to f32; every other
 * pair makes it canonical. */
static inline uint16_t half_nan_from_f64(HalfFormat f, double x, uint16_t rounded)
{
    const uint64_t bits = bits_of_f64(x), payload = (bits & 0xFFFFFFFFFFFFFu) >> (52 - half_mantissa_bits(f));
    const uint64_t quiet = (uint64_t)1 << (half_mantissa_bits(f) - 1);
    return x == x ? rounded : (uint16_t)((bits >> 48 & HALF_SIGN) | half_infinity(f) | quiet | payload);
}

static inline void convert_to_half(const IrInst *inst, HalfFormat f, bool from_f64, const double *x, uint64_t *out)
{
    LANES(lane) out[lane] = half_from_f64(f, x[lane], inst->round);
    if (inst->finite)
        LANES(lane) out[lane] -= (out[lane] & ~(uint64_t)HALF_SIGN) == half_infinity(f);
    if (from_f64)
        LANES(lane) out[lane] = half_nan_from_f64(f, x[lane], (uint16_t)out[lane]);
}

/* Runs under the rounding mode of the instruction, for f32 results. */
CONVERT_STEP convert_to_f32(PtxType from, bool ftz, const double *x, uint64_t *out)
{
    const bool keeps_nan = from == PTX_TYPE_F64 || from == PTX_TYPE_BF16;
    LANES(lane) out[lane] = bits_of_f32((float)x[lane]);
    if (!keeps_nan)
        LANES(lane) out[lane] = x[lane] == x[lane] ? out[lane] : F32_NAN_BITS;
    if (ftz)
        LANES(lane) out[lane] = f32_flush_bits((uint32_t)out[lane]);
}

CONVERT_STEP convert_from_double(const IrInst *inst, PtxType to, const double *x, uint64_t *out)
{
    const bool from_f64 = inst->type2 == PTX_TYPE_F64;
    switch (to) {
    case PTX_TYPE_F16:
        convert_to_half(inst, HALF_F16, from_f64, x, out);
        break;
    case PTX_TYPE_BF16:
        convert_to_half(inst, HALF_BF16, from_f64, x, out);
        break;
    case PTX_TYPE_TF32:
        LANES(lane) out[lane] = tf32_from_f64(x[lane], inst->round);
        break;
    case PTX_TYPE_F64:
        LANES(lane) out[lane] = bits_of_f64(f64_finish1(x[lane], x[lane]));
        break;
    default:
        convert_to_f32(inst->type2, inst->ftz, x, out);
        break;
    }
}

static inline bool round_is_directed(IrRound round)
{
    return round == ROUND_RZ || round == ROUND_RM || round == ROUND_RP;
}

static inline unsigned enter_if_directed(IrRound round)
{
    return round_is_directed(round) ? round_enter(round) : 0;
}

static inline void leave_if_directed(IrRound round, unsigned before)
{
    if (round_is_directed(round))
        round_leave(before);
}

/* .sat to a float gives [0, 1]: of the integers these two. */
CONVERT_STEP convert_to_bit(PtxType from, uint64_t *x)
{
    const bool is_signed = type_is_signed(from);
    LANES(lane) x[lane] = is_signed ? (int64_t)x[lane] > 0 : x[lane] > 0;
}

static void convert_from_integer(const IrInst *inst, uint64_t *x)
{
    const PtxType to = inst->type, from = inst->type2;
    if (type_is_float(to) && inst->sat)
        convert_to_bit(from, x);
    const unsigned before = enter_if_directed(inst->round);
    if (to == PTX_TYPE_F32)
        convert_integer_to_f32(from, x);
    else if (to == PTX_TYPE_F64)
        convert_integer_to_f64(from, x);
    leave_if_directed(inst->round, before);
    if (to == PTX_TYPE_F16 || to == PTX_TYPE_BF16)
        convert_integer_to_half(from, to, inst->round, x);
    else if (!type_is_float(to) && inst->sat)
        convert_clamp(from, to, x);
}

static void convert_from_float(const ExecWarp *warp, const IrInst *inst, const IrOperand *source, PtxType to,
                               uint64_t *out)
{
    double x[WARP_LANES];
    convert_load_float(warp, source, inst->type2, inst->ftz, x);
    convert_round_integral(inst->round, x);
    if (!type_is_float(to)) {
        convert_to_integer(inst->type2, to, x, out);
        return;
    }
    convert_limit(inst, x);
    const unsigned before = enter_if_directed(inst->round);
    convert_from_double(inst, to, x, out);
    leave_if_directed(inst->round, before);
}

/* Any pair of types, any register widths. */
static void convert_any(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    uint64_t x[WARP_LANES];
    if (type_is_float(inst->type2)) {
        convert_from_float(warp, inst, &inst->src[0], inst->type, x);
    } else {
        convert_load_integer(warp, &inst->src[0], inst->type2, x);
        convert_from_integer(inst, x);
    }
    LANES(lane) x[lane] = extend_to_type(x[lane], inst->type);
    lane_narrow(warp_dst(warp, &inst->dst), inst->dst.bytes, x, mask);
}

/* cvt.f16x2.f32 d, a, b: a becomes the upper half. */
static inline void convert_pair(const ExecWarp *warp, const IrInst *inst, PtxType half, uint32_t mask)
{
    uint64_t high[WARP_LANES], low[WARP_LANES];
    convert_from_float(warp, inst, &inst->src[0], half, high);
    convert_from_float(warp, inst, &inst->src[1], half, low);
    LANES(lane) low[lane] |= high[lane] << 16;
    lane_narrow(warp_dst(warp, &inst->dst), inst->dst.bytes, low, mask);
}

static void convert_pair_f16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    convert_pair(warp, inst, PTX_TYPE_F16, mask);
}

static void convert_pair_bf16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    convert_pair(warp, inst, PTX_TYPE_BF16, mask);
}

/* The pieces of the fast rows. A rounded float in the range of u32 shows its integer in the low bits of float
 * + 2^52. */
static inline uint32_t u32_of_rounded(double rounded)
{
    const double limited = rounded > 0.0 ? (rounded < 0x1p32 ? rounded : 0x1p32 - 1.0) : 0.0;
    return (uint32_t)bits_of_f64(limited + 0x1p52);
}

static inline int32_t s32_of_rounded_f32(float rounded)
{
    const float limited = rounded > -0x1p31f ? rounded : -0x1p31f;
    const int32_t inside = (int32_t)(limited < 0x1p31f ? limited : 0.0f);
    const int32_t number = limited < 0x1p31f ? inside : INT32_MAX;
    return rounded == rounded ? number : 0;
}

#endif
