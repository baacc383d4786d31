/* math_approx: the .approx functions of PTX, the same bits on every machine.
 *
 * Only + - * / and sqrt on doubles, which IEEE 754 defines to the last bit, and polynomials; no libm. A
 * result is good to about 2^-33 before it is rounded to f32, so it is far inside what the PTX ISA allows
 * hardware (test_math.c measures each against libm, and prints what it found):
 *
 *      function              allowed by the ISA                           here
 *      rcp, div, sqrt        1 ulp, 2 ulp, 2^-23 relative                 correctly rounded
 *      rsqrt                 2^-22.9 relative                             2^-24 relative
 *      ex2                   2 ulp                                        2^-24 relative
 *      lg2                   2^-22, absolute in (0.5, 2), or relative     2^-24 relative
 *      sin, cos              2^-20.5 absolute in [-2 pi, 2 pi],           2^-24 absolute up to |x| = 2^20
 *                            2^-14.7 in [-100 pi, 100 pi]
 *      tanh                  2^-11 relative                               2^-24 relative
 *      rcp, rsqrt .ftz.f64   no figure: a seed, low word zero             2^-20 relative
 *
 * Hardware's own results differ in the last bits: these are meant to be within the contract, not equal.
 */
#ifndef COMMON_VGPU_EXEC_ALU_MATH_APPROX_H
#define COMMON_VGPU_EXEC_ALU_MATH_APPROX_H

#include "common/vgpu/exec/alu/alu_lane.h"

/* Adding and subtracting this rounds a double of less than 2^51 to an integer, seen in the sum's low bits. */
#define APPROX_ROUNDER 0x1.8p52

/* 2^x: x = n + f, 2^f by its Taylor series on [-1/2, 1/2] (next term: 2e-10), 2^n by exponent bits. */
static inline double approx_ex2(double x)
{
    const double limited = x < -1000.0 ? -1000.0 : x > 1000.0 ? 1000.0 : x;
    const double shifted = limited + APPROX_ROUNDER;
    const double f = limited - (shifted - APPROX_ROUNDER);
    const double scale = f64_of_bits((bits_of_f64(shifted) + 1023) << 52);
    double p = 1.3215486790144309e-6; /* ln(2)^k / k!, k = 8 ... 0 */
    p = p * f + 1.5252733804059840e-5;
    p = p * f + 1.5403530393381610e-4;
    p = p * f + 1.3333558146428443e-3;
    p = p * f + 9.6181291076284772e-3;
    p = p * f + 5.5504108664821580e-2;
    p = p * f + 2.4022650695910071e-1;
    p = p * f + 6.9314718055994531e-1;
    p = p * f + 1.0;
    return x == x ? p * scale : x;
}

/* log2(x): x = 2^e * m with m in [sqrt(1/2), __builtin_sqrt(2)), log2(m) = 2/ln(2) * atanh(s), s = (m - 1) /
 * (m + 1), |s| < 0.172. */
static inline double approx_lg2(double x)
{
    const uint64_t bits = bits_of_f64(x);
    const uint64_t big = (bits & 0xFFFFFFFFFFFFFu) > 0x6A09E667F3BCCu ? 1 : 0;
    const double m = f64_of_bits((bits & 0xFFFFFFFFFFFFFu) | (1023 - big) << 52);
    /* The exponent as a double, without an integer conversion: 2^52 + exponent field, minus 2^52 + bias. */
    const double e = f64_of_bits(((bits >> 52) + big) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    double p = 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    p = p * q + 1.0;
    const double r = e + 2.8853900817779268 * s * p;
    const double special = x == 0.0 ? -__builtin_inf() : x > 0.0 ? x : __builtin_nan("");
    return x > 0.0 && x < __builtin_inf() ? r : special;
}

/* sin(2 pi r) for r in [-1/4, 1/4], by its Taylor series (next term: 6e-12). */
static inline double approx_sin_turns(double r)
{
    const double y = r * 6.2831853071795865, q = y * y;
    double p = -7.6471637318198165e-13; /* (-1)^k / (2k+1)!, k = 7 ... 0 */
    p = p * q + 1.6059043836821615e-10;
    p = p * q - 2.5052108385441719e-8;
    p = p * q + 2.7557319223985891e-6;
    p = p * q - 1.9841269841269841e-4;
    p = p * q + 8.3333333333333333e-3;
    p = p * q - 1.6666666666666667e-1;
    p = p * q + 1.0;
    return y * p;
}

/* x / (2 pi) less its nearest integer: in [-1/2, 1/2]. From 2^51 turns on, a double has no fraction: 0. */
static inline double approx_turns(double x)
{
    const double t = x * 0.15915494309189534;
    const double whole = (t + APPROX_ROUNDER) - APPROX_ROUNDER;
    return t < 0x1p51 && t > -0x1p51 ? t - whole : t * 0.0;
}

static inline double approx_sin(double x)
{
    const double t = approx_turns(x);
    const double folded = t > 0.25 ? 0.5 - t : t < -0.25 ? -0.5 - t : t;
    return approx_sin_turns(folded);
}

static inline double approx_cos(double x)
{
    const double t = approx_turns(x);
    return approx_sin_turns(0.25 - (t < 0.0 ? -t : t));
}

/* tanh(x) = 1 - 2 / (e^2x + 1), or its series near 0 where that would cancel. */
static inline double approx_tanh(double x)
{
    const double a = x < 0.0 ? -x : x, q = x * x;
    const double e = approx_ex2(a * 2.8853900817779268);
    const double far = 1.0 - 2.0 / (e + 1.0);
    const double near =
        x * (1.0 - q * (0.33333333333333333 - q * (0.13333333333333333 - q * 0.053968253968253968)));
    const double signed_far = x < 0.0 ? -far : far;
    return a < 0.0625 ? near : x == x ? signed_far : x;
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: seeds of Newton iterations (PTX ISA 9.7.3.14, 9.7.3.17). Of
 * the source only the upper 32 bits count, and the result has no others; subnormals are zero. */
static inline double approx_seed_flush(uint64_t bits)
{
    const uint64_t upper = bits & 0xFFFFFFFF00000000u;
    return f64_of_bits(upper & 0x7FF0000000000000u ? upper : upper & 0x8000000000000000u);
}

static inline double approx_seed_source(double x)
{
    return approx_seed_flush(bits_of_f64(x));
}

/* Cut to the upper word, which nearly makes up for what was cut from the source. */
static inline double approx_seed_result(double r)
{
    return r == r ? approx_seed_flush(bits_of_f64(r)) : f64_of_bits(0x7FFFFFFF00000000u);
}

static inline double approx_rcp_seed(double x)
{
    return approx_seed_result(1.0 / approx_seed_source(x));
}

static inline double approx_rsqrt_seed(double x)
{
    return approx_seed_result(1.0 / __builtin_sqrt(approx_seed_source(x)));
}

#endif
