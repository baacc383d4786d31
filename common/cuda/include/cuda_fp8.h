/* Eight-bit floats (CUDA Math API, "FP8 Intrinsics"): e4m3, to 448 and without infinities, and e5m2, the upper half of
 * a half. Conversions round to the nearest code, to even between two; arithmetic is done in wider types.
 */
#ifndef KIT_CUDA_FP8_H
#define KIT_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* What is too large: infinity, or NaN where there is none; or the largest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

#define KIT_BOTH static __host__ __device__ inline __attribute__((always_inline, nodebug))
#define KIT_MEMBER __host__ __device__ inline __attribute__((always_inline, nodebug))

/* From double, so that what is narrower is rounded once. */
KIT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double a, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const int digits = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    const int largest = kind == __NV_E4M3 ? 0x7E : 0x7B, beyond = kind == __NV_E4M3 ? 0x7F : 0x7C;
    unsigned long long bits = __builtin_bit_cast(unsigned long long, a), size = bits & ~(1ull << 63);
    int sign = (int)(bits >> 56 & 0x80);
    if (size > 0x7FFull << 52)
        return (__nv_fp8_storage_t)(sign | (kind == __NV_E4M3 ? 0x7F : 0x7E));

    /* 1.xxx without its point, and how many of its bits a code has no room for. */
    int exponent = (int)(size >> 52) - 1023, spare = 52 - digits + (exponent < least ? least - exponent : 0);
    if (spare > 53) /* below half of the least code */
        return (__nv_fp8_storage_t)sign;
    unsigned long long whole = (size & ~(0x7FFull << 52)) | 1ull << 52, rest = whole & ((1ull << spare) - 1);
    unsigned long long half = 1ull << (spare - 1);
    int code = (int)(whole >> spare);
    code += rest > half || (rest == half && (code & 1));
    if (exponent > least)
        code += (exponent - least) << digits;
    if (code > largest)
        code = saturate == __NV_SATFINITE ? largest : beyond;
    return (__nv_fp8_storage_t)(sign | code);
}
KIT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind)
{
    unsigned int sign = (code & 0x80u) << 8, exponent = code >> 3 & 15u, size = code & 0x7Fu;
    if (size > (kind == __NV_E4M3 ? 0x7Eu : 0x7Cu))
        return __half_raw{0x7FFF};
    if (kind == __NV_E5M2)
        return __half_raw{(unsigned short)(sign | size << 8)};
    if (exponent == 0) /* a fixed point of 2^-9 */
        return __half_raw{(unsigned short)(sign | kit_half_of((float)size * 0.001953125f))};
    return __half_raw{(unsigned short)(sign | ((size << 7) + (8u << 10)))};
}

KIT_BOTH float kit_float_of_fp8(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind)
{
    return kit_float_of_half(__nv_cvt_fp8_to_halfraw(code, kind).x);
}

/* From what is narrower: every NaN is one code. */
#define KIT_FP8_FROM(name, T, value)                                                                         \
    KIT_BOTH __nv_fp8_storage_t name(T a, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)        \
    {                                                                                                        \
        float wide = value;                                                                                  \
        return wide != wide ? 0x7F : __nv_cvt_double_to_fp8((double)wide, saturate, kind);                   \
    }
KIT_FP8_FROM(__nv_cvt_float_to_fp8, float, a)
KIT_FP8_FROM(__nv_cvt_halfraw_to_fp8, __half_raw, kit_float_of_half(a.x))
KIT_FP8_FROM(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, __builtin_bit_cast(float, (unsigned int)a.x << 16))
#undef KIT_FP8_FROM

/* Two: the first is the lower byte. */
#define KIT_FP8_FROM_TWO(name, T, one, first, second)                                                        \
    KIT_BOTH __nv_fp8x2_storage_t name(T a, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)      \
    {                                                                                                        \
        return (__nv_fp8x2_storage_t)(one(first, saturate, kind) | one(second, saturate, kind) << 8);        \
    }
KIT_FP8_FROM_TWO(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, a.x, a.y)
KIT_FP8_FROM_TWO(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, a.x, a.y)
KIT_FP8_FROM_TWO(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{a.x}, __half_raw{a.y})
KIT_FP8_FROM_TWO(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                 __nv_bfloat16_raw{a.x}, __nv_bfloat16_raw{a.y})
#undef KIT_FP8_FROM_TWO
KIT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t codes, __nv_fp8_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)codes, kind).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(codes >> 8), kind).x};
}

/* Towards zero; NaN is 0, and what does not fit the nearest that does. */
template <class T> KIT_BOTH T kit_whole(float a)
{
    const int bits = (int)sizeof(T) * 8 - (T(-1) < T(0) ? 1 : 0);
    const float end = 2.0f * (float)(1ull << (bits - 1));
    if (a != a)
        return 0;
    if (a >= end)
        return (T)(~0ull >> (64 - bits));
    if (T(-1) < T(0))
        return a <= -end ? (T)(1ull << bits) : (T)a;
    return a <= 0.0f ? T(0) : (T)a;
}

#define KIT_FP8_ROUNDED(name, T, call)                                                                       \
    explicit KIT_MEMBER name(T a) : __x(call) {}
#define KIT_FP8_WHOLE(name, T, kind)                                                                         \
    explicit KIT_MEMBER name(T a) : __x(__nv_cvt_double_to_fp8((double)a, __NV_SATFINITE, kind)) {}          \
    explicit KIT_MEMBER operator T() const { return kit_whole<T>(kit_float_of_fp8(__x, kind)); }
#define KIT_FP8_TYPES(name, name2, name4, kind)                                                              \
    struct name {                                                                                            \
        __nv_fp8_storage_t __x;                                                                              \
        name() = default;                                                                                    \
        KIT_FP8_ROUNDED(name, __half, __nv_cvt_halfraw_to_fp8(a, __NV_SATFINITE, kind))                      \
        KIT_FP8_ROUNDED(name, __nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8(a, __NV_SATFINITE, kind))           \
        KIT_FP8_ROUNDED(name, float, __nv_cvt_float_to_fp8(a, __NV_SATFINITE, kind))                         \
        KIT_FP8_ROUNDED(name, double, __nv_cvt_double_to_fp8(a, __NV_SATFINITE, kind))                       \
        KIT_FP8_WHOLE(name, short, kind)                                                                     \
        KIT_FP8_WHOLE(name, unsigned short, kind)                                                            \
        KIT_FP8_WHOLE(name, int, kind)                                                                       \
        KIT_FP8_WHOLE(name, unsigned int, kind)                                                              \
        KIT_FP8_WHOLE(name, long, kind)                                                                      \
        KIT_FP8_WHOLE(name, unsigned long, kind)                                                             \
        KIT_FP8_WHOLE(name, long long, kind)                                                                 \
        KIT_FP8_WHOLE(name, unsigned long long, kind)                                                        \
        explicit KIT_MEMBER operator char() const { return kit_whole<char>((float)*this); }                  \
        explicit KIT_MEMBER operator signed char() const { return kit_whole<signed char>((float)*this); }    \
        explicit KIT_MEMBER operator unsigned char() const { return kit_whole<unsigned char>((float)*this); } \
        explicit KIT_MEMBER operator bool() const { return (__x & 0x7F) != 0; }                              \
        explicit KIT_MEMBER operator float() const { return kit_float_of_fp8(__x, kind); }                   \
        explicit KIT_MEMBER operator double() const { return (double)(float)*this; }                         \
        explicit KIT_MEMBER operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }   \
        explicit KIT_MEMBER operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }           \
    };                                                                                                       \
    struct name2 {                                                                                           \
        __nv_fp8x2_storage_t __x;                                                                            \
        name2() = default;                                                                                   \
        KIT_FP8_ROUNDED(name2, __half2, __nv_cvt_halfraw2_to_fp8x2(a, __NV_SATFINITE, kind))                 \
        KIT_FP8_ROUNDED(name2, __nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2(a, __NV_SATFINITE, kind))      \
        KIT_FP8_ROUNDED(name2, float2, __nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, kind))                    \
        KIT_FP8_ROUNDED(name2, double2, __nv_cvt_double2_to_fp8x2(a, __NV_SATFINITE, kind))                  \
        explicit KIT_MEMBER operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
        explicit KIT_MEMBER operator float2() const                                                          \
        {                                                                                                    \
            return make_float2(kit_float_of_fp8((__nv_fp8_storage_t)__x, kind),                              \
                               kit_float_of_fp8((__nv_fp8_storage_t)(__x >> 8), kind));                      \
        }                                                                                                    \
    };                                                                                                       \
    struct name4 {                                                                                           \
        __nv_fp8x4_storage_t __x;                                                                            \
        name4() = default;                                                                                   \
        KIT_MEMBER name4(name2 low, name2 high) : __x((unsigned int)high.__x << 16 | low.__x) {}             \
        explicit KIT_MEMBER name4(__half2 low, __half2 high) : name4(name2(low), name2(high)) {}             \
        explicit KIT_MEMBER name4(__nv_bfloat162 low, __nv_bfloat162 high) : name4(name2(low), name2(high)) {} \
        explicit KIT_MEMBER name4(float4 a)                                                                  \
            : name4(name2(make_float2(a.x, a.y)), name2(make_float2(a.z, a.w)))                              \
        {                                                                                                    \
        }                                                                                                    \
        explicit KIT_MEMBER name4(double4_16a a)                                                             \
            : name4(name2(make_double2(a.x, a.y)), name2(make_double2(a.z, a.w)))                            \
        {                                                                                                    \
        }                                                                                                    \
        explicit KIT_MEMBER operator float4() const                                                          \
        {                                                                                                    \
            name2 low, high;                                                                                 \
            low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);               \
            float2 a = (float2)low, b = (float2)high;                                                        \
            return make_float4(a.x, a.y, b.x, b.y);                                                          \
        }                                                                                                    \
    };
KIT_FP8_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
KIT_FP8_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef KIT_FP8_TYPES
#undef KIT_FP8_WHOLE
#undef KIT_FP8_ROUNDED

#undef KIT_MEMBER
#undef KIT_BOTH
#endif

#endif
