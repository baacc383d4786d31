/* half: the two 16-bit floating-point formats, as bits.
 *
 *      f16    s eeeee mmmmmmmmmm    2^-14 ... 65504,   subnormals down to 2^-24
 *      bf16   s eeeeeeee mmmmmmm    2^-126 ... 3.4e38, the upper half of an f32
 *
 * Arithmetic goes through double, which holds every value of both, every product, and enough of a sum that
 * rounding twice gives what rounding once would (Figueroa: 53 >= 2 * 11 + 2), except in fma: half_fma keeps a
 * sticky bit. Any NaN result is 0x7FFF, as with hardware.
 */
#ifndef COMMON_VGPU_EXEC_ALU_HALF_H
#define COMMON_VGPU_EXEC_ALU_HALF_H

#include "common/vgpu/exec/alu/alu_lane.h"

typedef enum HalfFormat { HALF_F16, HALF_BF16 } HalfFormat;

enum { HALF_NAN = 0x7FFF, HALF_SIGN = 0x8000 };

static inline uint32_t half_mantissa_bits(HalfFormat f)
{
    return f == HALF_F16 ? 10 : 7;
}

static inline uint16_t half_infinity(HalfFormat f)
{
    return f == HALF_F16 ? 0x7C00 : 0x7F80;
}

static inline uint16_t half_one(HalfFormat f)
{
    return f == HALF_F16 ? 0x3C00 : 0x3F80;
}

static inline bool half_is_nan(HalfFormat f, uint16_t h)
{
    return (h & 0x7FFF) > half_infinity(f);
}

/* Subnormals become zero, their sign stays. */
static inline uint16_t half_flush(HalfFormat f, uint16_t h)
{
    return h & half_infinity(f) ? h : h & HALF_SIGN;
}

/* .sat: clamped to [0, 1]; NaN and -0 give +0. */
static inline uint16_t half_saturate(HalfFormat f, uint16_t h)
{
    if (h & HALF_SIGN || half_is_nan(f, h))
        return 0;
    return h < half_one(f) ? h : half_one(f);
}

/* .relu: negative values become +0, NaN the canonical NaN. */
static inline uint16_t half_relu(HalfFormat f, uint16_t h)
{
    if (half_is_nan(f, h))
        return HALF_NAN;
    return h & HALF_SIGN ? 0 : h;
}

/* Exact. An f16's exponent is moved by a multiplication, which normalises subnormals on the way. */
static inline float half_to_f32(HalfFormat f, uint16_t h)
{
    if (f == HALF_BF16)
        return f32_of_bits((uint32_t)h << 16);
    const uint32_t magnitude = (uint32_t)(h & 0x7FFF) << 13;
    const uint32_t finite = bits_of_f32(f32_of_bits(magnitude) * 0x1p112f);
    const uint32_t special = magnitude + 0x70000000u;
    const uint32_t sign = (uint32_t)(h & HALF_SIGN) << 16;
    return f32_of_bits(sign | (magnitude >= 0x0F800000u ? special : finite));
}

static inline double half_to_f64(HalfFormat f, uint16_t h)
{
    return (double)half_to_f32(f, h);
}

/* Whether the magnitude is rounded away from zero: quotient q, remainder rest of half * 2. */
static inline uint64_t half_rounds_up(IrRound round, uint64_t negative, uint64_t q, uint64_t rest,
                                      uint64_t half)
{
    switch (round) {
    case ROUND_RZ:
        return 0;
    case ROUND_RM:
        return negative & (rest != 0);
    case ROUND_RP:
        return (negative ^ 1) & (rest != 0);
    case ROUND_RNA:
        return rest >= half;
    default:
        return (rest > half) | ((rest == half) & q);
    }
}

/* The magnitude bits of x rounded once to a format with `bits` bits of mantissa, the lowest normal exponent
 * `lowest` and the given infinity; all ones below the sign for NaN. */
static inline uint64_t narrow_f64(double x, uint32_t bits, int64_t lowest, uint64_t infinity, IrRound round)
{
    const uint64_t raw = bits_of_f64(x), magnitude = raw & 0x7FFFFFFFFFFFFFFFu, negative = raw >> 63;
    const int64_t exponent = (int64_t)(magnitude >> 52) - 1023;
    const int64_t below = exponent < lowest ? lowest - exponent : 0; /* subnormal: fewer bits are kept */
    const int64_t wanted = 52 - (int64_t)bits + below;
    const uint64_t shift = wanted < 62 ? (uint64_t)wanted : 62;
    const uint64_t significand = (magnitude & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
    const uint64_t kept = significand >> shift, rest = significand & (((uint64_t)1 << shift) - 1);
    const uint64_t half = (uint64_t)1 << (shift - 1);
    const uint64_t up = half_rounds_up(round, negative, kept & 1, rest, half) & (magnitude != 0);
    const uint64_t biased = exponent < lowest ? 0 : (uint64_t)(exponent - lowest);
    const uint64_t result = kept + up + (biased << bits);

    const bool to_largest =
        round == ROUND_RZ || (round == ROUND_RM && !negative) || (round == ROUND_RP && negative);
    const bool was_infinite = magnitude == 0x7FF0000000000000u;
    const uint64_t overflow = to_largest && !was_infinite ? infinity - 1 : infinity;
    const uint64_t number = result >= infinity ? overflow : result;
    return magnitude > 0x7FF0000000000000u ? infinity | (infinity - 1) : number;
}

/* The same for .rn, by arithmetic that vectorises: adding and subtracting 2^52 units of the last kept place
 * rounds there, to nearest even; what is left is exact in f32, and its bits are the half's but for the
 * exponent's bias. Needs the machine to round to nearest, which it does but between round_enter and
 * round_leave. */
static inline uint64_t nearest_half(HalfFormat f, double x)
{
    const uint64_t magnitude = bits_of_f64(x) & 0x7FFFFFFFFFFFFFFFu;
    const uint64_t lowest = (uint64_t)(f == HALF_F16 ? 1023 - 14 : 1023 - 126) << 52,
                   exponent = magnitude & 0x7FF0000000000000u;
    const uint64_t kept = exponent > lowest ? exponent : lowest;
    const double big = f64_of_bits(kept + ((uint64_t)(52 - half_mantissa_bits(f)) << 52));
    const float rounded = (float)((f64_of_bits(magnitude) + big) - big);
    if (f == HALF_BF16)
        return bits_of_f32(rounded) >> 16;
    const float limited = rounded < 65536.0f ? rounded : 65536.0f;
    return bits_of_f32(limited * 0x1p-112f) >> 13;
}

/* x rounded once to the format; HALF_NAN for any NaN. */
static inline uint16_t half_from_f64(HalfFormat f, double x, IrRound round)
{
    const bool nearest = round == ROUND_RN || round == ROUND_NONE;
    const uint64_t magnitude =
        nearest ? nearest_half(f, x)
                : narrow_f64(x, half_mantissa_bits(f), f == HALF_F16 ? -14 : -126, half_infinity(f), round);
    const uint64_t sign = bits_of_f64(x) >> 48 & HALF_SIGN;
    return (uint16_t)(x == x ? magnitude | sign : HALF_NAN);
}

/* a * b + c with the last bit set when the sum is not exact ("round to odd"), so that one more rounding is
 * right. The product of two halves is exact in double; Knuth's TwoSum gives the error of the sum. */
static inline double half_fma(double a, double b, double c)
{
    const double p = a * b, s = p + c;
    const double t = s - p, error = (p - (s - t)) + (c - t);
    const uint64_t bits = bits_of_f64(s);
    /* The exact sum lies between s and a neighbour; take whichever of the two is odd. */
    const bool away = (error > 0) == (s > 0);
    const uint64_t odd = bits & 1 ? bits : away ? bits + 1 : bits - 1;
    return error != 0 && s != 0 && s - s == 0 ? f64_of_bits(odd) : s;
}

/* .ftz of .f16 asks whether a result would be below the normal numbers if exponents had no end: then what
 * rounds to 2^-14 with 11 bits of mantissa is kept, and what only the coarser steps of subnormal numbers lift
 * there is 0. */
static inline double half_flush_tiny(bool ftz, double x)
{
    const double least = 0x1p-14 - 0x1p-26;
    const bool tiny = ftz && x > -least && x < least;
    return tiny ? __builtin_copysign(0.0, x) : x;
}

/* Minimum or maximum on bits: -0 < +0; a NaN loses against a number, or wins with .NaN; .xorsign.abs compares
 * magnitudes and takes the product's sign. */
static inline uint16_t half_min_max(HalfFormat f, uint16_t a, uint16_t b, bool max, bool nan, bool xorsign)
{
    const uint16_t sign = xorsign ? (a ^ b) & HALF_SIGN : 0;
    if (xorsign) {
        a &= 0x7FFF;
        b &= 0x7FFF;
    }
    const bool a_nan = half_is_nan(f, a), b_nan = half_is_nan(f, b);
    if ((a_nan && b_nan) || (nan && (a_nan || b_nan)))
        return HALF_NAN;
    const int16_t a_key = (int16_t)(a & HALF_SIGN ? a ^ 0x7FFF : a),
                  b_key = (int16_t)(b & HALF_SIGN ? b ^ 0x7FFF : b);
    const uint16_t picked = (a_key < b_key) != max ? a : b;
    return (uint16_t)((a_nan ? b : b_nan ? a : picked) | sign);
}

/* A source's halves, flushed into `flushed` under .ftz. */
static inline const LaneU16 *half_source(const ExecWarp *warp, const IrInst *inst, int i, HalfFormat f,
                                         uint16_t *flushed, int count)
{
    const LaneU16 *halves = warp_src(warp, &inst->src[i]);
    if (!inst->ftz)
        return halves;
    for (int k = 0; k < count; k++)
        flushed[k] = half_flush(f, halves[k]);
    return flushed;
}

/* The modifiers of a result. */
static inline void half_finish(const IrInst *inst, HalfFormat f, uint16_t *result, int count)
{
    if (!(inst->ftz | inst->sat | inst->relu))
        return;
    for (int i = 0; i < count; i++) {
        uint16_t h = inst->ftz ? half_flush(f, result[i]) : result[i];
        h = inst->sat ? half_saturate(f, h) : h;
        result[i] = inst->relu ? half_relu(f, h) : h;
    }
}

#endif
