/* alu_float: what the rows of alu_float.def are made of.
 *
 * NaN, as an H100 has it: any f32 operation whose result is one gives 0x7FFFFFFF, abs and neg too. f64
 * operations give back a NaN source, quiet (b before c before a; hardware's div prefers a), or
 * 0xFFF8000000000000 when no source was one. copysign, mov and selp only move bits. .ftz flushes subnormal
 * sources and results to zero with their sign; .sat clamps to [+0, 1] and makes NaN +0.
 *
 * .rz .rm .rp: the loop runs with the machine's rounding mode set; everything in it is one IEEE operation a
 * lane.
 */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_FLOAT_H
#define COMMON_VGPU_EXEC_ALU_ALU_FLOAT_H

#include "common/vgpu/exec/alu/alu_lane.h"

#include <fenv.h>

#define F32_NAN_BITS 0x7FFFFFFFu
#define F64_NAN_BITS 0xFFF8000000000000u

static inline float f32_keep(float x)
{
    return x;
}

static inline double f64_keep(double x)
{
    return x;
}

static inline float f32_flush(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return f32_of_bits(bits & 0x7F800000u ? bits : bits & 0x80000000u);
}

/* .ftz asks whether a result would be below the normal numbers if exponents had no end: what only the coarser
 * steps of subnormal numbers lift to the least normal one is 0. Twice the result, rounded once, has the steps
 * of normal numbers there. (Where twice a source is infinite, the result is far from tiny, or a source is 0
 * and it is exact.) */
static inline float f32_flush_tiny(float r, float twice)
{
    const bool tiny = __builtin_fabsf(twice) < 0x1p-125f;
    return f32_of_bits(tiny ? bits_of_f32(r) & 0x80000000u : bits_of_f32(r));
}

static inline float f32_finish(float r)
{
    return r == r ? r : f32_of_bits(F32_NAN_BITS);
}

static inline float f32_finish_ftz(float r)
{
    return f32_flush(f32_finish(r));
}

static inline float f32_finish_sat(float r)
{
    return r > 0.0f ? (r < 1.0f ? r : 1.0f) : 0.0f;
}

static inline float f32_finish_ftz_sat(float r)
{
    return f32_finish_sat(f32_flush(r));
}

/* The NaN of an f64 operation, from the sources that are NaN. */
static inline double f64_quiet(double x)
{
    return f64_of_bits(bits_of_f64(x) | 0x0008000000000000u);
}

static inline double f64_finish1(double r, double a)
{
    return r == r ? r : a == a ? f64_of_bits(F64_NAN_BITS) : f64_quiet(a);
}

static inline double f64_finish2(double r, double a, double b)
{
    const double of_a = f64_finish1(r, a);
    return r == r || b == b ? of_a : f64_quiet(b);
}

static inline double f64_finish3(double r, double a, double b, double c)
{
    const double of_ac = f64_finish2(r, a, c);
    return r == r || b == b ? of_ac : f64_quiet(b);
}

static inline bool f64_bits_nan(uint64_t x)
{
    return (x & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u;
}

/* abs and neg: a NaN keeps its sign. */
static inline uint64_t f64_sign_op(uint64_t a, uint64_t changed)
{
    return f64_bits_nan(a) ? a | 0x0008000000000000u : changed;
}

/* Sets the rounding mode of .rz .rm .rp; gives back what round_leave must restore. All floating point on
 * x86-64 is SSE, so its control register is enough, at a fraction of the cost of fesetround. */
#if defined(__x86_64__)
static inline unsigned round_enter(IrRound round)
{
    const unsigned before = __builtin_ia32_stmxcsr();
    const unsigned mode = round == ROUND_RZ ? 3 : round == ROUND_RM ? 1 : 2;
    __builtin_ia32_ldmxcsr((before & ~0x6000u) | mode << 13);
    return before;
}

static inline void round_leave(unsigned before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
static inline unsigned round_enter(IrRound round)
{
    const int before = fegetround();
    fesetround(round == ROUND_RZ ? FE_TOWARDZERO : round == ROUND_RM ? FE_DOWNWARD : FE_UPWARD);
    return (unsigned)before;
}

static inline void round_leave(unsigned before)
{
    fesetround((int)before);
}
#endif

/* div.approx: a * (1 / b), where the reciprocal of a huge b is flushed to zero (PTX ISA 9.7.3.8: 0, or NaN
 * when a is infinite). */
static inline float f32_div_approx(float a, float b)
{
    const bool huge = __builtin_fabsf(b) > 0x1p126f && __builtin_fabsf(b) < __builtin_inff();
    return huge ? a * __builtin_copysignf(0.0f, b) : a / b;
}

static inline bool f32_bits_nan(uint32_t x)
{
    return (x & 0x7FFFFFFFu) > 0x7F800000u;
}

/* Minimum or maximum of the bits of two f32: -0 < +0, a NaN loses against a number. */
static inline uint32_t f32_min_max(uint32_t a, uint32_t b, bool max)
{
    const int32_t a_key = (int32_t)(a & 0x80000000u ? a ^ 0x7FFFFFFFu : a);
    const int32_t b_key = (int32_t)(b & 0x80000000u ? b ^ 0x7FFFFFFFu : b);
    const uint32_t picked = (a_key < b_key) != max ? a : b;
    const uint32_t number = f32_bits_nan(b) ? a : picked;
    const uint32_t other = f32_bits_nan(b) ? F32_NAN_BITS : b;
    return f32_bits_nan(a) ? other : number;
}

static inline uint32_t f32_flush_bits(uint32_t x)
{
    return x & 0x7F800000u ? x : x & 0x80000000u;
}

/* The rare forms: .NaN makes a NaN win, .xorsign.abs compares magnitudes and takes the product's sign. */
static inline uint32_t f32_min_max_mods(uint32_t a, uint32_t b, bool max, const IrInst *inst)
{
    if (inst->ftz) {
        a = f32_flush_bits(a);
        b = f32_flush_bits(b);
    }
    const uint32_t sign = inst->xorsign ? (a ^ b) & 0x80000000u : 0;
    if (inst->xorsign) {
        a &= 0x7FFFFFFFu;
        b &= 0x7FFFFFFFu;
    }
    if (inst->nan && (f32_bits_nan(a) || f32_bits_nan(b)))
        return F32_NAN_BITS;
    const uint32_t r = f32_min_max(a, b, max);
    return f32_bits_nan(r) ? r : r | sign;
}

static inline uint64_t f64_min_max(uint64_t a, uint64_t b, bool max)
{
    const uint64_t magnitude = 0x7FFFFFFFFFFFFFFFu;
    const bool a_nan = f64_bits_nan(a), b_nan = f64_bits_nan(b);

    const int64_t a_key = (int64_t)(a >> 63 ? a ^ magnitude : a),
                  b_key = (int64_t)(b >> 63 ? b ^ magnitude : b);
    const uint64_t picked = (a_key < b_key) != max ? a : b;
    const uint64_t number = b_nan ? a : picked;
    const uint64_t other = b_nan ? b | 0x0008000000000000u : b;
    return a_nan ? other : number;
}

static inline uint32_t f32_sign_op(uint32_t a, uint32_t changed)
{
    return f32_bits_nan(a) ? F32_NAN_BITS : changed;
}

/* testp: classes of a number by its bits. Zero counts as normal. */
static inline bool testp_class(uint64_t magnitude, uint64_t infinity, uint64_t smallest_normal, IrTestp test)
{
    switch (test) {
    case TESTP_FINITE:
        return magnitude < infinity;
    case TESTP_INFINITE:
        return magnitude == infinity;
    case TESTP_NUMBER:
        return magnitude <= infinity;
    case TESTP_NOTANUMBER:
        return magnitude > infinity;
    case TESTP_NORMAL:
        return magnitude < infinity && (magnitude == 0 || magnitude >= smallest_normal);
    default:
        return magnitude != 0 && magnitude < smallest_normal;
    }
}

#endif
