/* bfloat16 (CUDA Math API, "Bfloat16 Precision Intrinsics"): the upper half of a float. Arithmetic is done in
 * float and rounded, as code for compute_75 does it, which has no instructions of its own for it. */
#ifndef KIT_CUDA_BF16_H
#define KIT_CUDA_BF16_H

#include "cuda_fp16.h"

#if defined(__cplusplus)
#include <math.h>

#define KIT_BOTH static __host__ __device__ inline __attribute__((always_inline, nodebug))

typedef struct __nv_bfloat16_raw {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __align__(4) __nv_bfloat162_raw {
    unsigned short x, y;
} __nv_bfloat162_raw;

/* To the nearest, to even between two. */
KIT_BOTH unsigned short kit_bfloat16_of(float a)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, a);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7FFF;
    return (unsigned short)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

struct __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    __host__ __device__ __nv_bfloat16(float a) : __x(kit_bfloat16_of(a)) {}
    __host__ __device__ __nv_bfloat16(double a) : __x(kit_bfloat16_of(kit_cut(a))) {}
    __host__ __device__ __nv_bfloat16(int a) : __x(kit_bfloat16_of((float)a)) {}
    __host__ __device__ __nv_bfloat16(unsigned int a) : __x(kit_bfloat16_of((float)a)) {}
    __host__ __device__ operator float() const
    {
        return __builtin_bit_cast(float, (unsigned int)__x << 16);
    }
    __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    __host__ __device__ __nv_bfloat162(__nv_bfloat162_raw raw)
        : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y})
    {
    }
    __host__ __device__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat162 nv_bfloat162;

KIT_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
KIT_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
KIT_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
KIT_BOTH float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
KIT_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
KIT_BOTH int __bfloat162int_rn(__nv_bfloat16 a) { return (int)rintf((float)a); }
KIT_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
KIT_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16(__nv_bfloat16_raw{a}); }
KIT_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
KIT_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
KIT_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
KIT_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
KIT_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
KIT_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(a.x, a.y); }
KIT_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
KIT_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
KIT_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
KIT_BOTH float __low2float(__nv_bfloat162 a) { return (float)a.x; }
KIT_BOTH float __high2float(__nv_bfloat162 a) { return (float)a.y; }

#define KIT_BFLOAT16_BINARY(op, one, two)                                                                    \
    KIT_BOTH __nv_bfloat16 one(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a op (float)b); } \
    KIT_BOTH __nv_bfloat162 two(__nv_bfloat162 a, __nv_bfloat162 b)                                          \
    {                                                                                                        \
        return __nv_bfloat162(one(a.x, b.x), one(a.y, b.y));                                                 \
    }                                                                                                        \
    KIT_BOTH __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return one(a, b); }               \
    KIT_BOTH __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = one(a, b); }      \
    KIT_BOTH __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b) { return two(a, b); }
KIT_BFLOAT16_BINARY(+, __hadd, __hadd2)
KIT_BFLOAT16_BINARY(-, __hsub, __hsub2)
KIT_BFLOAT16_BINARY(*, __hmul, __hmul2)
KIT_BFLOAT16_BINARY(/, __hdiv, __h2div)
#undef KIT_BFLOAT16_BINARY
KIT_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}
KIT_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
KIT_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16((unsigned short)(a.__x ^ 0x8000u)); }
KIT_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16((unsigned short)(a.__x & 0x7FFFu)); }
KIT_BOTH __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
KIT_BOTH bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7FFFu) > 0x7F80u; }
#define KIT_BFLOAT16_COMPARE(name, op)                                                                       \
    KIT_BOTH bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }                    \
    KIT_BOTH bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }
KIT_BFLOAT16_COMPARE(__heq, ==)
KIT_BFLOAT16_COMPARE(__hne, !=)
KIT_BFLOAT16_COMPARE(__hlt, <)
KIT_BFLOAT16_COMPARE(__hle, <=)
KIT_BFLOAT16_COMPARE(__hgt, >)
KIT_BFLOAT16_COMPARE(__hge, >=)
#undef KIT_BFLOAT16_COMPARE
KIT_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hgt(b, a) ? b : a; }
KIT_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hlt(b, a) ? b : a; }

#undef KIT_BOTH
#endif

#endif
