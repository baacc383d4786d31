/* What comes with compute capability 8.9 and 9.0 beside matrices: conversions of pairs of 8-bit floats (PTX
 * ISA 9.7.9.21), and atomic operations on vectors (PTX ISA 9.7.13.5), whose elements are each an atomic
 * operation of their own.
 */
#include "common/vgpu/exec/alu/half.h"
#include "common/vgpu/exec/tensor/tensor_internal.h"
#include "common/vgpu/exec/transfer.h"

#include <math.h>
#include <string.h>

enum { FP8_NAN = 0x7F, VECTOR_MAX = 8 };

/* ---- 8-bit floats ---- */

/* To nearest even; what is too large becomes the largest finite number (.satfinite). */
static uint32_t fp8_from_float(uint16_t type, float value, bool relu)
{
    bool e4m3 = type == PTX_TYPE_E4M3X2;
    int mantissa_bits = e4m3 ? 3 : 2, lowest = e4m3 ? -6 : -14, exponent;
    uint32_t largest = e4m3 ? 0x7E : 0x7B, sign = signbit(value) ? 0x80 : 0;
    if (value != value)
        return FP8_NAN;
    if (relu && sign)
        return 0;
    if (isinf(value))
        return sign | largest;
    frexp((double)fabsf(value), &exponent);
    exponent = value == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    double units = rint(ldexp((double)fabsf(value), mantissa_bits - exponent)); /* of the last place */
    if (exponent > 16)
        return sign | largest;
    uint32_t code = ((uint32_t)(exponent - lowest) << mantissa_bits) + (uint32_t)units;
    return sign | (code < largest ? code : largest);
}

static float half_of_pair(uint32_t pair, int i)
{
    return half_to_f32(HALF_F16, (uint16_t)(pair >> 16 * i));
}

/* cvt.e4m3x2.f32 d, a, b: a becomes the upper one. cvt.e4m3x2.f16x2 d, a. */
static void narrow_pair(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const U32 *a = warp_src(w, &inst->src[0]);
    const U32 *b = inst->type2 == PTX_TYPE_F32 ? warp_src(w, &inst->src[1]) : NULL;
    U16 *to = inst->dst.kind == IR_REG ? warp_dst(w, &inst->dst) : NULL;
    for (uint32_t left = to ? mask : 0; left; left &= left - 1) {
        int lane = first_lane(left);
        float high = b ? f32_of_bits(a[lane]) : half_of_pair(a[lane], 1);
        float low = b ? f32_of_bits(b[lane]) : half_of_pair(a[lane], 0);
        to[lane] = (uint16_t)(fp8_from_float(inst->type, high, inst->relu) << 8 |
                              fp8_from_float(inst->type, low, inst->relu));
    }
}

static uint16_t half_of_fp8(uint16_t type, uint32_t bits, bool relu)
{
    TensorNumber n = tensor_number(type == PTX_TYPE_E4M3X2 ? ELEM_E4M3 : ELEM_E5M2, bits);
    uint16_t sign = bits & 0x80 ? HALF_SIGN : 0;
    double magnitude = ldexp(fabs((double)n.significand), n.exponent - n.fraction_bits);
    uint16_t half = n.kind == TENSOR_NAN        ? HALF_NAN
                    : n.kind == TENSOR_INFINITY ? sign | half_infinity(HALF_F16)
                                                : sign | half_from_f64(HALF_F16, magnitude, ROUND_RN);
    return relu ? half_relu(HALF_F16, half) : half;
}

static void widen_pair(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const U16 *a = warp_src(w, &inst->src[0]);
    U32 *to = inst->dst.kind == IR_REG ? warp_dst(w, &inst->dst) : NULL;
    for (uint32_t left = to ? mask : 0; left; left &= left - 1) {
        int lane = first_lane(left);
        uint32_t high = half_of_fp8(inst->type2, a[lane] >> 8, inst->relu);
        to[lane] = high << 16 | half_of_fp8(inst->type2, a[lane] & 0xFF, inst->relu);
    }
}

static bool is_fp8(uint8_t type)
{
    return type == PTX_TYPE_E4M3X2 || type == PTX_TYPE_E5M2X2;
}

static IrHandler convert_handler(const IrInst *inst)
{
    if (inst->round != ROUND_RN)
        return NULL;
    if (is_fp8(inst->type))
        return inst->type2 == PTX_TYPE_F32 || inst->type2 == PTX_TYPE_F16X2 ? narrow_pair : NULL;
    return inst->type == PTX_TYPE_F16X2 ? widen_pair : NULL;
}

/* ---- vectors ---- */

static uint32_t combine_half(const IrInst *inst, HalfFormat f, uint32_t a, uint32_t b)
{
    uint16_t x = (uint16_t)a, y = (uint16_t)b;
    if (inst->mode != ATOM_ADD)
        return half_min_max(f, x, y, inst->mode == ATOM_MAX, false, false);
    return half_from_f64(f, half_to_f64(f, x) + half_to_f64(f, y), ROUND_RN);
}

static float flushed(uint32_t bits)
{
    return f32_of_bits(bits & 0x7F800000u ? bits : bits & 0x80000000u);
}

static uint32_t combine(const IrInst *inst, uint32_t a, uint32_t b)
{
    bool bf16 = inst->type == PTX_TYPE_BF16 || inst->type == PTX_TYPE_BF16X2;
    HalfFormat f = bf16 ? HALF_BF16 : HALF_F16;
    if (inst->type == PTX_TYPE_F32) { /* subnormals are flushed in global memory */
        float sum = flushed(a) + flushed(b);
        return sum != sum ? 0x7FFFFFFFu : bits_of_f32(flushed(bits_of_f32(sum)));
    }
    uint32_t low = combine_half(inst, f, a, b);
    bool pair = ptx_type_bits((PtxType)inst->type) == 32;
    return pair ? combine_half(inst, f, a >> 16, b >> 16) << 16 | low : low;
}

static void atomic_vector(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t each = ptx_type_bits((PtxType)inst->type) / 8, n_dests = inst->opcode == PTX_ATOM;
    uint32_t n = inst->n_vec / (1 + n_dests), old[VECTOR_MAX][WARP_LANES];
    const IrOperand *operands = inst->vec + n * n_dests;
    uint64_t addr[WARP_LANES] = {0};
    uint8_t *host[WARP_LANES];
    if (!exec_turn(w)) /* sums of floats depend on the order of blocks */
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t base = inst->src[0].kind == IR_NONE ? 0 : operand_value(w, &inst->src[0], first_lane(left));
        addr[first_lane(left)] = base + (uint64_t)inst->offset;
    }
    Transfer t = {.w = w,
                  .function = w->frame->function,
                  .inst = inst,
                  .kind = n_dests ? ACCESS_ATOMIC : ACCESS_REDUCTION,
                  .space = inst->space,
                  .sem = inst->sem,
                  .scope = inst->scope,
                  .bytes = n * each,
                  .align = n * each};
    if (!transfer_reach(&t, mask, addr, host))
        return;
    w->polls = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t now = 0;
            memcpy(&now, host[lane] + i * each, each);
            old[i][lane] = now;
            now = combine(inst, now, (uint32_t)operand_value(w, &operands[i], lane));
            memcpy(host[lane] + i * each, &now, each);
        }
    }
    for (uint32_t i = 0; i < n * n_dests; i++) {
        uint8_t *to = inst->vec[i].kind == IR_REG ? warp_dst(w, &inst->vec[i]) : NULL;
        for (uint32_t left = to ? mask : 0; left; left &= left - 1)
            memcpy(to + each * (size_t)first_lane(left), &old[i][first_lane(left)], each);
    }
}

IrHandler exec_extra_handler(const IrInst *inst)
{
    if (inst->opcode == PTX_CVT && (is_fp8(inst->type) || is_fp8(inst->type2)))
        return convert_handler(inst);
    if ((inst->opcode == PTX_ATOM || inst->opcode == PTX_RED) && inst->vec)
        return inst->n_vec <= 2 * VECTOR_MAX ? atomic_vector : NULL;
    return NULL;
}
