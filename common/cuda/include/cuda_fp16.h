/* Half precision (CUDA Math API, "Half Precision Intrinsics"): __half, __half2, and what is done with them.
 *
 * On the device arithmetic is PTX's own for f16; on the host it is done in float and rounded, which gives the
 * same: a float has more than twice the digits.
 */
#ifndef KIT_CUDA_FP16_H
#define KIT_CUDA_FP16_H

#include "cuda_runtime.h"

#if defined(__cplusplus)
#include <math.h>
#include <string.h>

#define KIT_BOTH   static __host__ __device__ inline __attribute__((always_inline, nodebug))
#define KIT_DEVICE static __device__ inline __attribute__((always_inline, nodebug))

typedef struct __half_raw {
    unsigned short x;
} __half_raw;
typedef struct __align__(4) __half2_raw {
    unsigned short x, y;
} __half2_raw;

/* ---- conversions ---- */

KIT_BOTH unsigned int kit_bits(float a)
{
    return __builtin_bit_cast(unsigned int, a);
}
KIT_BOTH float kit_float(unsigned int a)
{
    return __builtin_bit_cast(float, a);
}

/* The float below in size, with its last bit set where something was cut off: what it is rounded to is what the
 * double is rounded to. */
KIT_BOTH float kit_cut(double a)
{
    float near = (float)a;
    if ((double)near == a || a != a)
        return near;
    unsigned int bits = kit_bits(near);
    bits -= __builtin_fabs((double)near) > __builtin_fabs(a);
    return kit_float(bits | 1);
}

/* To the nearest half, to even between two. */
KIT_BOTH unsigned short kit_half_of(float a)
{
#if defined(__CUDA_ARCH__)
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
    return h;
#else
    unsigned int bits = kit_bits(a), sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
    if (size > 0x7F800000u)
        return 0x7FFF;
    if (size >= 0x477FF000u) /* rounds to infinity */
        return (unsigned short)(sign | 0x7C00u);
    if (size < 0x38800000u) { /* below the least normal half: a fixed point of 2^-24 */
        float scaled = kit_float(size) * 16777216.0f;
        unsigned int whole = (unsigned int)scaled;
        float rest = scaled - (float)whole;
        whole += rest > 0.5f || (rest == 0.5f && (whole & 1));
        return (unsigned short)(sign | whole);
    }
    unsigned int rounded = size + 0xFFFu + (size >> 13 & 1);
    return (unsigned short)(sign | ((rounded - 0x38000000u) >> 13));
#endif
}

KIT_BOTH float kit_float_of_half(unsigned short h)
{
#if defined(__CUDA_ARCH__)
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned int sign = (unsigned int)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3FFu;
    if (exponent == 31)
        return kit_float(mantissa == 0 ? sign | 0x7F800000u : 0x7FFFFFFFu);
    if (exponent == 0)
        return kit_float(sign | kit_bits((float)mantissa * 5.9604644775390625e-8f));
    return kit_float(sign | (exponent + 112) << 23 | mantissa << 13);
#endif
}

struct __half {
    unsigned short __x;

    __half() = default;
    __host__ __device__ constexpr __half(__half_raw raw) : __x(raw.x) {}
    __host__ __device__ __half(float a) : __x(kit_half_of(a)) {}
    __host__ __device__ __half(double a) : __x(kit_half_of(kit_cut(a))) {}
    __host__ __device__ __half(int a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ __half(unsigned int a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ __half(short a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ __half(unsigned short a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ __half(long long a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ __half(unsigned long long a) : __x(kit_half_of((float)a)) {}
    __host__ __device__ operator float() const { return kit_float_of_half(__x); }
    __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
};
typedef __half half;
typedef __half __nv_half;

struct __align__(4) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
    __host__ __device__ __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    __host__ __device__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half2 half2;

KIT_BOTH __half kit_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}
KIT_BOTH unsigned int kit_bits(__half2 a)
{
    return (unsigned int)a.y.__x << 16 | a.x.__x;
}
KIT_BOTH __half2 kit_half2(unsigned int bits)
{
    return __half2(kit_half((unsigned short)bits), kit_half((unsigned short)(bits >> 16)));
}

KIT_BOTH __half __float2half(float a) { return __half(a); }
KIT_BOTH __half __float2half_rn(float a) { return __half(a); }
KIT_BOTH __half __double2half(double a) { return __half(a); }
KIT_BOTH float __half2float(__half a) { return (float)a; }
KIT_BOTH __half __int2half_rn(int a) { return __half(a); }
KIT_BOTH __half __uint2half_rn(unsigned int a) { return __half(a); }
KIT_BOTH int __half2int_rn(__half a) { return (int)rintf((float)a); }
KIT_BOTH int __half2int_rz(__half a) { return (int)(float)a; }
KIT_BOTH unsigned int __half2uint_rn(__half a) { return (unsigned int)rintf((float)a); }
KIT_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
KIT_BOTH short __half_as_short(__half a) { return (short)a.__x; }
KIT_BOTH __half __ushort_as_half(unsigned short a) { return kit_half(a); }
KIT_BOTH __half __short_as_half(short a) { return kit_half((unsigned short)a); }
KIT_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
KIT_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
KIT_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
KIT_BOTH __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
KIT_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
KIT_BOTH __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
KIT_BOTH float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
KIT_BOTH __half __low2half(__half2 a) { return a.x; }
KIT_BOTH __half __high2half(__half2 a) { return a.y; }
KIT_BOTH float __low2float(__half2 a) { return (float)a.x; }
KIT_BOTH float __high2float(__half2 a) { return (float)a.y; }
KIT_BOTH __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
KIT_BOTH __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
KIT_BOTH __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
KIT_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
KIT_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

/* ---- arithmetic ---- */

#if defined(__CUDA_ARCH__)
#define KIT_HALF_PTX2(ptx, a, b, value)                                                                      \
    unsigned short r;                                                                                        \
    asm(ptx ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                                          \
    return kit_half(r);
#define KIT_HALF2_PTX2(ptx, a, b, one)                                                                       \
    unsigned int r;                                                                                          \
    asm(ptx ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(kit_bits(a)), "r"(kit_bits(b)));                            \
    return kit_half2(r);
#else
#define KIT_HALF_PTX2(ptx, a, b, value)  return __half(value);
#define KIT_HALF2_PTX2(ptx, a, b, one) return __half2(one(a.x, b.x), one(a.y, b.y));
#endif
#define KIT_HALF_BINARY(one, two, ptx, op)                                                                   \
    KIT_BOTH __half one(__half a, __half b) { KIT_HALF_PTX2(ptx, a, b, (float)a op (float)b) }               \
    KIT_BOTH __half2 two(__half2 a, __half2 b) { KIT_HALF2_PTX2(ptx, a, b, one) }
KIT_HALF_BINARY(__hadd, __hadd2, "add", +)
KIT_HALF_BINARY(__hsub, __hsub2, "sub", -)
KIT_HALF_BINARY(__hmul, __hmul2, "mul", *)
KIT_HALF_BINARY(__hadd_rn, __hadd2_rn, "add.rn", +)
KIT_HALF_BINARY(__hsub_rn, __hsub2_rn, "sub.rn", -)
KIT_HALF_BINARY(__hmul_rn, __hmul2_rn, "mul.rn", *)
#undef KIT_HALF_BINARY
#undef KIT_HALF_PTX2
#undef KIT_HALF2_PTX2

KIT_BOTH __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
KIT_BOTH __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
KIT_BOTH __half __hneg(__half a) { return kit_half((unsigned short)(a.__x ^ 0x8000u)); }
KIT_BOTH __half2 __hneg2(__half2 a) { return kit_half2(kit_bits(a) ^ 0x80008000u); }
KIT_BOTH __half __habs(__half a) { return kit_half((unsigned short)(a.__x & 0x7FFFu)); }
KIT_BOTH __half2 __habs2(__half2 a) { return kit_half2(kit_bits(a) & 0x7FFF7FFFu); }
KIT_BOTH __half __hfma(__half a, __half b, __half c)
{
#if defined(__CUDA_ARCH__)
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return kit_half(r);
#else
    return __half((float)((double)(float)a * (double)(float)b + (double)(float)c));
#endif
}
KIT_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
#if defined(__CUDA_ARCH__)
    unsigned int r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(kit_bits(a)), "r"(kit_bits(b)), "r"(kit_bits(c)));
    return kit_half2(r);
#else
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}

/* ---- comparisons ---- */

KIT_BOTH bool __hisnan(__half a) { return (a.__x & 0x7FFFu) > 0x7C00u; }
KIT_BOTH int __hisinf(__half a) { return (a.__x & 0x7FFFu) != 0x7C00u ? 0 : a.__x & 0x8000u ? -1 : 1; }
#define KIT_HALF_COMPARE(name, op)                                                                           \
    KIT_BOTH bool __h##name(__half a, __half b) { return (float)a op (float)b; }                             \
    KIT_BOTH bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
    KIT_BOTH __half2 __h##name##2(__half2 a, __half2 b)                                                      \
    {                                                                                                        \
        return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f), __half(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
    }
KIT_HALF_COMPARE(eq, ==)
KIT_HALF_COMPARE(ne, !=)
KIT_HALF_COMPARE(lt, <)
KIT_HALF_COMPARE(le, <=)
KIT_HALF_COMPARE(gt, >)
KIT_HALF_COMPARE(ge, >=)
#undef KIT_HALF_COMPARE
KIT_BOTH __half __hmax(__half a, __half b) { return __hisnan(a) || __hgt(b, a) ? b : a; }
KIT_BOTH __half __hmin(__half a, __half b) { return __hisnan(a) || __hlt(b, a) ? b : a; }
KIT_BOTH __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
KIT_BOTH __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

#if !defined(__CUDA_NO_HALF_OPERATORS__)
#define KIT_HALF_OPERATOR(op, one, two)                                                                      \
    KIT_BOTH __half operator op(__half a, __half b) { return one(a, b); }                                    \
    KIT_BOTH __half &operator op##=(__half &a, __half b) { return a = one(a, b); }                           \
    KIT_BOTH __half2 operator op(__half2 a, __half2 b) { return two(a, b); }                                 \
    KIT_BOTH __half2 &operator op##=(__half2 &a, __half2 b) { return a = two(a, b); }
KIT_HALF_OPERATOR(+, __hadd, __hadd2)
KIT_HALF_OPERATOR(-, __hsub, __hsub2)
KIT_HALF_OPERATOR(*, __hmul, __hmul2)
KIT_HALF_OPERATOR(/, __hdiv, __h2div)
#undef KIT_HALF_OPERATOR
KIT_BOTH __half operator-(__half a) { return __hneg(a); }
KIT_BOTH __half2 operator-(__half2 a) { return __hneg2(a); }
KIT_BOTH bool operator==(__half a, __half b) { return __heq(a, b); }
KIT_BOTH bool operator!=(__half a, __half b) { return __hne(a, b); }
KIT_BOTH bool operator<(__half a, __half b) { return __hlt(a, b); }
KIT_BOTH bool operator<=(__half a, __half b) { return __hle(a, b); }
KIT_BOTH bool operator>(__half a, __half b) { return __hgt(a, b); }
KIT_BOTH bool operator>=(__half a, __half b) { return __hge(a, b); }
#endif

/* ---- the device's own ---- */

#if defined(__CUDA__)
#define KIT_HALF_FUNCTION(name, of_float)                                                                    \
    KIT_DEVICE __half h##name(__half a) { return __half(of_float((float)a)); }                               \
    KIT_DEVICE __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
KIT_HALF_FUNCTION(sqrt, sqrtf)
KIT_HALF_FUNCTION(rsqrt, rsqrtf)
KIT_HALF_FUNCTION(exp, expf)
KIT_HALF_FUNCTION(exp2, exp2f)
KIT_HALF_FUNCTION(exp10, exp10f)
KIT_HALF_FUNCTION(log, logf)
KIT_HALF_FUNCTION(log2, log2f)
KIT_HALF_FUNCTION(log10, log10f)
KIT_HALF_FUNCTION(sin, sinf)
KIT_HALF_FUNCTION(cos, cosf)
KIT_HALF_FUNCTION(floor, floorf)
KIT_HALF_FUNCTION(ceil, ceilf)
KIT_HALF_FUNCTION(trunc, truncf)
KIT_HALF_FUNCTION(rint, rintf)
KIT_HALF_FUNCTION(tanh, tanhf)
#undef KIT_HALF_FUNCTION
KIT_DEVICE __half hrcp(__half a) { return __half(1.0f / (float)a); }

#define KIT_HALF_SHUFFLE(name, T)                                                                            \
    KIT_DEVICE __half name(unsigned int mask, __half a, T lane, int width = 32)                              \
    {                                                                                                        \
        return kit_half((unsigned short)name(mask, (unsigned int)a.__x, lane, width));                       \
    }                                                                                                        \
    KIT_DEVICE __half2 name(unsigned int mask, __half2 a, T lane, int width = 32)                            \
    {                                                                                                        \
        return kit_half2(name(mask, kit_bits(a), lane, width));                                              \
    }
KIT_HALF_SHUFFLE(__shfl_sync, int)
KIT_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
KIT_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
KIT_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef KIT_HALF_SHUFFLE

KIT_DEVICE __half __ldg(const __half *p) { return kit_half(__ldg((const unsigned short *)p)); }
KIT_DEVICE __half2 __ldg(const __half2 *p) { return kit_half2(__ldg((const unsigned int *)p)); }
KIT_DEVICE __half atomicAdd(__half *address, __half value)
{
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(value.__x) : "memory");
    return kit_half(old);
}
KIT_DEVICE __half2 atomicAdd(__half2 *address, __half2 value)
{
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(kit_bits(value)) : "memory");
    return kit_half2(old);
}
#endif

#undef KIT_BOTH
#undef KIT_DEVICE
#endif

#endif
