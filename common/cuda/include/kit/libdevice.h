/* The __nv_ functions that are an instruction or a few: clang's headers call them by the names that
 * libdevice has. Those that take more (sine, power ...) stay extern: the virtual GPU knows them by name
 * (common/vgpu/ir/libdevice.def).
 */
#ifndef KIT_LIBDEVICE_H
#define KIT_LIBDEVICE_H

#include <__clang_cuda_libdevice_declares.h>

#define KIT_NV extern "C" __device__ inline __attribute__((always_inline))

/* One instruction: its operands' constraints say their types. */
#define KIT_PTX1(result, name, A, ptx, to, of)                                                               \
    KIT_NV result __nv_##name(A a)                                                                           \
    {                                                                                                        \
        result r;                                                                                            \
        asm(ptx " %0, %1;" : to(r) : of(a));                                                                 \
        return r;                                                                                            \
    }
#define KIT_PTX2(result, name, A, ptx, to, of)                                                               \
    KIT_NV result __nv_##name(A a, A b)                                                                      \
    {                                                                                                        \
        result r;                                                                                            \
        asm(ptx " %0, %1, %2;" : to(r) : of(a), of(b));                                                      \
        return r;                                                                                            \
    }
#define KIT_PTX3(result, name, A, ptx, to, of)                                                               \
    KIT_NV result __nv_##name(A a, A b, A c)                                                                 \
    {                                                                                                        \
        result r;                                                                                            \
        asm(ptx " %0, %1, %2, %3;" : to(r) : of(a), of(b), of(c));                                           \
        return r;                                                                                            \
    }

/* The four directions of rounding: rn rz ru rd in names are rn rz rp rm in PTX. */
#define KIT_ROUND_FLOAT(macro, result, name, A, ptx, type, to, of)                                           \
    macro(result, name##_rn, A, ptx ".rn." type, to, of) macro(result, name##_rz, A, ptx ".rz." type, to, of) \
        macro(result, name##_ru, A, ptx ".rp." type, to, of)                                                 \
            macro(result, name##_rd, A, ptx ".rm." type, to, of)
/* Float to integer: rni rzi rpi rmi. */
#define KIT_ROUND_INT(result, name, A, type, to, of)                                                         \
    KIT_PTX1(result, name##_rn, A, "cvt.rni." type, to, of)                                                  \
    KIT_PTX1(result, name##_rz, A, "cvt.rzi." type, to, of)                                                  \
    KIT_PTX1(result, name##_ru, A, "cvt.rpi." type, to, of)                                                  \
    KIT_PTX1(result, name##_rd, A, "cvt.rmi." type, to, of)

KIT_ROUND_FLOAT(KIT_PTX2, float, fadd, float, "add", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX2, float, fsub, float, "sub", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX2, float, fmul, float, "mul", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX2, float, fdiv, float, "div", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX1, float, frcp, float, "rcp", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX1, float, fsqrt, float, "sqrt", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX3, float, fmaf, float, "fma", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX3, float, fmaf_ieee, float, "fma", "f32", "=f", "f")
KIT_ROUND_FLOAT(KIT_PTX2, double, dadd, double, "add", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX2, double, dsub, double, "sub", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX2, double, dmul, double, "mul", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX2, double, ddiv, double, "div", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX1, double, drcp, double, "rcp", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX1, double, dsqrt, double, "sqrt", "f64", "=d", "d")
KIT_ROUND_FLOAT(KIT_PTX3, double, fma, double, "fma", "f64", "=d", "d")

KIT_ROUND_FLOAT(KIT_PTX1, float, double2float, double, "cvt", "f32.f64", "=f", "d")
KIT_ROUND_FLOAT(KIT_PTX1, float, int2float, int, "cvt", "f32.s32", "=f", "r")
KIT_ROUND_FLOAT(KIT_PTX1, float, uint2float, unsigned, "cvt", "f32.u32", "=f", "r")
KIT_ROUND_FLOAT(KIT_PTX1, float, ll2float, long long, "cvt", "f32.s64", "=f", "l")
KIT_ROUND_FLOAT(KIT_PTX1, float, ull2float, unsigned long long, "cvt", "f32.u64", "=f", "l")
KIT_ROUND_FLOAT(KIT_PTX1, double, ll2double, long long, "cvt", "f64.s64", "=d", "l")
KIT_ROUND_FLOAT(KIT_PTX1, double, ull2double, unsigned long long, "cvt", "f64.u64", "=d", "l")
KIT_PTX1(double, int2double_rn, int, "cvt.rn.f64.s32", "=d", "r")
KIT_PTX1(double, uint2double_rn, unsigned, "cvt.rn.f64.u32", "=d", "r")
KIT_ROUND_INT(int, float2int, float, "s32.f32", "=r", "f")
KIT_ROUND_INT(unsigned, float2uint, float, "u32.f32", "=r", "f")
KIT_ROUND_INT(long long, float2ll, float, "s64.f32", "=l", "f")
KIT_ROUND_INT(unsigned long long, float2ull, float, "u64.f32", "=l", "f")
KIT_ROUND_INT(int, double2int, double, "s32.f64", "=r", "d")
KIT_ROUND_INT(unsigned, double2uint, double, "u32.f64", "=r", "d")
KIT_ROUND_INT(long long, double2ll, double, "s64.f64", "=l", "d")
KIT_ROUND_INT(unsigned long long, double2ull, double, "u64.f64", "=l", "d")
KIT_PTX1(unsigned short, float2half_rn, float, "cvt.rn.f16.f32", "=h", "f")
KIT_PTX1(float, half2float, unsigned short, "cvt.f32.f16", "=f", "h")

/* ---- bits and integers ---- */

KIT_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
KIT_NV unsigned __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
KIT_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
KIT_NV float __nv_uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
KIT_NV unsigned long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(unsigned long long, a); }
KIT_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
KIT_NV int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(long long, a) >> 32); }
KIT_NV int __nv_double2loint(double a) { return (int)__builtin_bit_cast(long long, a); }
KIT_NV double __nv_hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

KIT_NV int __nv_abs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
KIT_NV long long __nv_llabs(long long a) { return a < 0 ? (long long)(0ull - (unsigned long long)a) : a; }
KIT_NV int __nv_min(int a, int b) { return a < b ? a : b; }
KIT_NV int __nv_max(int a, int b) { return a > b ? a : b; }
KIT_NV unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
KIT_NV unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
KIT_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
KIT_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
KIT_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
KIT_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
KIT_NV int __nv_popc(unsigned a) { return __builtin_popcount(a); }
KIT_NV int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
KIT_NV int __nv_clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
KIT_NV int __nv_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
KIT_NV int __nv_ffs(int a) { return __builtin_ffs(a); }
KIT_NV int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
KIT_NV int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned)a); }
KIT_NV long long __nv_brevll(long long a) { return (long long)__builtin_bitreverse64((unsigned long long)a); }
KIT_NV int __nv_byte_perm(int a, int b, int selector)
{
    int r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
    return r;
}
KIT_PTX2(int, mulhi, int, "mul.hi.s32", "=r", "r")
KIT_PTX2(unsigned, umulhi, unsigned, "mul.hi.u32", "=r", "r")
KIT_PTX2(long long, mul64hi, long long, "mul.hi.s64", "=l", "l")
KIT_PTX2(unsigned long long, umul64hi, unsigned long long, "mul.hi.u64", "=l", "l")
KIT_PTX2(int, mul24, int, "mul24.lo.s32", "=r", "r")
KIT_PTX2(unsigned, umul24, unsigned, "mul24.lo.u32", "=r", "r")
KIT_PTX3(int, sad, int, "sad.s32", "=r", "r")
KIT_PTX3(unsigned, usad, unsigned, "sad.u32", "=r", "r")
KIT_NV int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
KIT_NV int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
KIT_NV int __nv_uhadd(unsigned a, unsigned b) { return (int)(((unsigned long long)a + b) >> 1); }
KIT_NV unsigned __nv_urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

/* ---- floats: what is one instruction, or arithmetic of a few ---- */

KIT_NV float __nv_fabsf(float a) { return __builtin_fabsf(a); }
KIT_NV double __nv_fabs(double a) { return __builtin_fabs(a); }
KIT_NV float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
KIT_NV double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
KIT_NV float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
KIT_NV float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
KIT_NV double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
KIT_NV double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
KIT_NV float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KIT_NV double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
KIT_PTX1(float, sqrtf, float, "sqrt.rn.f32", "=f", "f")
KIT_PTX1(double, sqrt, double, "sqrt.rn.f64", "=d", "d")
KIT_PTX1(float, rsqrtf, float, "rsqrt.approx.f32", "=f", "f")
KIT_PTX1(float, floorf, float, "cvt.rmi.f32.f32", "=f", "f")
KIT_PTX1(double, floor, double, "cvt.rmi.f64.f64", "=d", "d")
KIT_PTX1(float, ceilf, float, "cvt.rpi.f32.f32", "=f", "f")
KIT_PTX1(double, ceil, double, "cvt.rpi.f64.f64", "=d", "d")
KIT_PTX1(float, truncf, float, "cvt.rzi.f32.f32", "=f", "f")
KIT_PTX1(double, trunc, double, "cvt.rzi.f64.f64", "=d", "d")
KIT_PTX1(float, rintf, float, "cvt.rni.f32.f32", "=f", "f")
KIT_PTX1(double, rint, double, "cvt.rni.f64.f64", "=d", "d")
KIT_PTX1(float, nearbyintf, float, "cvt.rni.f32.f32", "=f", "f")
KIT_PTX1(double, nearbyint, double, "cvt.rni.f64.f64", "=d", "d")
KIT_PTX1(float, saturatef, float, "cvt.sat.f32.f32", "=f", "f")
KIT_NV int __nv_signbitf(float a) { return (int)(__builtin_bit_cast(unsigned, a) >> 31); }
KIT_NV int __nv_signbitd(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 63); }
KIT_NV int __nv_isnanf(float a) { return a != a; }
KIT_NV int __nv_isnand(double a) { return a != a; }
KIT_NV int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
KIT_NV int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
KIT_NV int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
KIT_NV int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
KIT_NV float __nv_fdimf(float a, float b) { return a > b || a != a || b != b ? a - b : 0.0f; }
KIT_NV double __nv_fdim(double a, double b) { return a > b || a != a || b != b ? a - b : 0.0; }
KIT_NV long long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
KIT_NV long long __nv_llrint(double a) { return __nv_double2ll_rn(a); }
KIT_NV long long __nv_llroundf(float a) { return __nv_float2ll_rz(__nv_roundf(a)); }
KIT_NV long long __nv_llround(double a) { return __nv_double2ll_rz(__nv_round(a)); }
KIT_NV float __nv_nanf(const signed char *) { return __builtin_nanf(""); }
KIT_NV double __nv_nan(const signed char *) { return __builtin_nan(""); }
/* A double holds the root so near to it that the float is the nearest one, for each of the 2^24 mantissas and parities of exponents. */
KIT_NV float __nv_frsqrt_rn(float a) { return (float)(1 / __nv_sqrt(a)); }
KIT_PTX1(double, kit_rcp64, double, "rcp.approx.ftz.f64", "=d", "d")
KIT_NV double __nv_rcp64h(double a) { return __nv_kit_rcp64(a); }

/* ---- two results, exponents, neighbours: for float and for double ---- */

#define KIT_NV_PAIR(name, T, first, second)                                                                  \
    KIT_NV void __nv_##name(T a, T *s, T *c)                                                                 \
    {                                                                                                        \
        *s = __nv_##first(a);                                                                                \
        *c = __nv_##second(a);                                                                               \
    }
KIT_NV_PAIR(sincosf, float, sinf, cosf)
KIT_NV_PAIR(sincos, double, sin, cos)
KIT_NV_PAIR(sincospif, float, sinpif, cospif)
KIT_NV_PAIR(sincospi, double, sinpi, cospi)
#undef KIT_NV_PAIR

/* f: what the names of this type end with; Bits, Signed: integers as wide; M: bits of the mantissa; E: of the exponent. */
#define KIT_NV_PARTS(f, T, Bits, Signed, M, E)                                                               \
    KIT_NV T __nv_modf##f(T a, T *whole)                                                                     \
    {                                                                                                        \
        T w = __nv_trunc##f(a);                                                                              \
        *whole = w;                                                                                          \
        return __builtin_copysign##f(__builtin_fabs##f(a) == __builtin_inf##f() ? 0 : a - w, a);             \
    }                                                                                                        \
    KIT_NV T __nv_frexp##f(T a, int *exponent)                                                               \
    {                                                                                                        \
        const int all = (1 << E) - 1;                                                                        \
        Bits b = __builtin_bit_cast(Bits, a);                                                                \
        int e = (int)(b >> M) & all, small = 0;                                                              \
        if (e == 0 && a != 0) {                                                                              \
            small = M;                                                                                       \
            b = __builtin_bit_cast(Bits, a * (T)((Bits)1 << M));                                             \
            e = (int)(b >> M) & all;                                                                         \
        }                                                                                                    \
        if (e == 0 || e == all) {                                                                            \
            *exponent = 0;                                                                                   \
            return a + a;                                                                                    \
        }                                                                                                    \
        *exponent = e - all / 2 + 1 - small;                                                                 \
        return __builtin_bit_cast(T, (b & ~((Bits)all << M)) | (Bits)(all / 2 - 1) << M);                    \
    }                                                                                                        \
    KIT_NV int __nv_ilogb##f(T a)                                                                            \
    {                                                                                                        \
        int exponent;                                                                                        \
        if (a == 0 || a != a)                                                                                \
            return -2147483647 - 1;                                                                          \
        if (__builtin_fabs##f(a) == __builtin_inf##f())                                                      \
            return 2147483647;                                                                               \
        __nv_frexp##f(a, &exponent);                                                                         \
        return exponent - 1;                                                                                 \
    }                                                                                                        \
    KIT_NV T __nv_nextafter##f(T a, T b)                                                                     \
    {                                                                                                        \
        Signed bits = __builtin_bit_cast(Signed, a);                                                         \
        if (a != a || b != b)                                                                                \
            return a + b;                                                                                    \
        if (a == b)                                                                                          \
            return b;                                                                                        \
        if (a == 0)                                                                                          \
            return __builtin_copysign##f(__builtin_bit_cast(T, (Signed)1), b);                               \
        return __builtin_bit_cast(T, (Signed)(bits + ((a < b) == (a > 0) ? 1 : -1)));                        \
    }                                                                                                        \
    /* IEEE remainder, and the last three bits of the quotient with its sign. */                             \
    KIT_NV T __nv_remquo##f(T a, T b, int *quotient)                                                         \
    {                                                                                                        \
        T x = __builtin_fabs##f(a), y = __builtin_fabs##f(b), eight = 8 * y;                                 \
        int q = 0;                                                                                           \
        *quotient = 0;                                                                                       \
        if (a != a || b != b || y == 0 || x == __builtin_inf##f())                                           \
            return (a * b) / (a * b);                                                                        \
        if (y == __builtin_inf##f())                                                                         \
            return a;                                                                                        \
        if (eight != __builtin_inf##f())                                                                     \
            x = __nv_fmod##f(x, eight);                                                                      \
        for (int k = 4; k >= 1; k /= 2)                                                                      \
            if (x >= k * y) {                                                                                \
                x -= k * y;                                                                                  \
                q += k;                                                                                      \
            }                                                                                                \
        if (x > y - x || (x == y - x && q % 2 == 1)) {                                                       \
            x -= y;                                                                                          \
            q++;                                                                                             \
        }                                                                                                    \
        q &= 7;                                                                                              \
        *quotient = (__builtin_bit_cast(Bits, a) ^ __builtin_bit_cast(Bits, b)) >> (M + E) ? -q : q;         \
        return __builtin_bit_cast(Bits, a) >> (M + E) ? -x : x;                                              \
    }
KIT_NV_PARTS(f, float, unsigned, int, 23, 8)
KIT_NV_PARTS(, double, unsigned long long, long long, 52, 11)
#undef KIT_NV_PARTS

/* Lengths of vectors of n elements. */
KIT_NV double __nv_norm(int n, const double *a)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++)
        largest = __nv_fmax(largest, __nv_fabs(a[i]));
    int exponent;
    __nv_frexp(largest, &exponent);
    for (int i = 0; i < n; i++) {
        double part = __nv_ldexp(a[i], -exponent);
        sum = __nv_fma(part, part, sum);
    }
    return largest == __builtin_inf() ? largest : __nv_ldexp(__nv_sqrt(sum), exponent);
}
KIT_NV float __nv_normf(int n, const float *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = __nv_fma(a[i], a[i], sum);
    for (int i = 0; i < n; i++)
        if (__nv_isinff(a[i]))
            return __builtin_inff();
    return (float)__nv_sqrt(sum);
}
KIT_NV double __nv_rnorm(int n, const double *a) { return 1 / __nv_norm(n, a); }
KIT_NV float __nv_rnormf(int n, const float *a) { return 1 / __nv_normf(n, a); }

/* ---- fast and approximate (CUDA C++ Programming Guide, "Intrinsic Functions") ---- */

KIT_PTX1(float, fast_sinf, float, "sin.approx.f32", "=f", "f")
KIT_PTX1(float, fast_cosf, float, "cos.approx.f32", "=f", "f")
KIT_PTX1(float, fast_log2f, float, "lg2.approx.f32", "=f", "f")
KIT_PTX2(float, fast_fdividef, float, "div.approx.f32", "=f", "f")
KIT_NV float __nv_kit_exp2_approx(float a)
{
    float r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
KIT_NV float __nv_fast_expf(float a) { return __nv_kit_exp2_approx(a * 1.4426950408889634f); }
KIT_NV float __nv_fast_exp10f(float a) { return __nv_kit_exp2_approx(a * 3.3219280948873623f); }
KIT_NV float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0.6931471805599453f; }
KIT_NV float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0.3010299956639812f; }
KIT_NV float __nv_fast_powf(float a, float b) { return __nv_kit_exp2_approx(b * __nv_fast_log2f(a)); }
KIT_NV float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
KIT_NV void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}

#undef KIT_NV
#undef KIT_PTX1
#undef KIT_PTX2
#undef KIT_PTX3
#undef KIT_ROUND_FLOAT
#undef KIT_ROUND_INT

#endif
