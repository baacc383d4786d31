/* What device code has without an include, for clang's CUDA: its own headers (__clang_cuda_*.h), made whole
 * with what they expect of a toolkit. The order is theirs. */
#ifndef KIT_DEVICE_H
#define KIT_DEVICE_H

#include "version.h"

/* Nor has the C++ library numbers of 128 bits there (clang/bits/floatn.h). */
#if defined(__CUDA_ARCH__) && (__clang_major__ == 17 || __clang_major__ == 18)
#undef __FLOAT128__
#undef __SIZEOF_FLOAT128__
#endif

#include <__clang_cuda_math_forward_declares.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

/* clang 14 takes a barrier for what leaves a __shared__ variable alone whose address nobody takes, and reads it
 * ahead of the barrier (LLVM's GlobalsModRef, mended in 15). No memory is the same across an asm statement that
 * says so. */
#if __clang_major__ < 15
#define KIT_MEMORY_CHANGES __asm__ volatile("" ::: "memory")
#define KIT_ORDERED(call) ({ KIT_MEMORY_CHANGES; call; KIT_MEMORY_CHANGES; })
#define KIT_ORDERED_VALUE(call) ({ KIT_MEMORY_CHANGES; int kit_value = call; KIT_MEMORY_CHANGES; kit_value; })
#define __syncthreads() KIT_ORDERED(__syncthreads())
#define __nvvm_bar_warp_sync(mask) KIT_ORDERED(__nvvm_bar_warp_sync(mask))
#define __nvvm_bar0_popc(predicate) KIT_ORDERED_VALUE(__nvvm_bar0_popc(predicate))
#define __nvvm_bar0_and(predicate) KIT_ORDERED_VALUE(__nvvm_bar0_and(predicate))
#define __nvvm_bar0_or(predicate) KIT_ORDERED_VALUE(__nvvm_bar0_or(predicate))
#define __nvvm_membar_gl() KIT_ORDERED(__nvvm_membar_gl())
#define __nvvm_membar_cta() KIT_ORDERED(__nvvm_membar_cta())
#define __nvvm_membar_sys() KIT_ORDERED(__nvvm_membar_sys())
#endif

/* What is inlined from here has the line of its call. */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#include <__clang_cuda_builtin_vars.h>

#include "../vector_functions.h"

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return uint3{x, y, z}; }

#include "libdevice.h"

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

/* Float overloads that C++ does not have. */
static __device__ inline float rsqrt(float a) { return rsqrtf(a); }
static __device__ inline float rcbrt(float a) { return rcbrtf(a); }
static __device__ inline float sinpi(float a) { return sinpif(a); }
static __device__ inline float cospi(float a) { return cospif(a); }
static __device__ inline float erfcinv(float a) { return erfcinvf(a); }
static __device__ inline float erfcx(float a) { return erfcxf(a); }
static __device__ inline float normcdf(float a) { return normcdff(a); }
static __device__ inline float normcdfinv(float a) { return normcdfinvf(a); }

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) __attribute__((malloc));
__device__ void free(void *);
__device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t char_bytes) __attribute__((noreturn));
static __device__ inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std
{
using ::free;
using ::malloc;
} // namespace std

/* ---- address spaces ---- */

static __device__ inline unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
static __device__ inline unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
static __device__ inline unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
static __device__ inline unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
#define KIT_SPACE(space, name)                                                                               \
    static __device__ inline size_t __cvta_generic_to_##name(const void *p)                                  \
    {                                                                                                        \
        size_t r;                                                                                            \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                             \
        return r;                                                                                            \
    }                                                                                                        \
    static __device__ inline void *__cvta_##name##_to_generic(size_t p)                                      \
    {                                                                                                        \
        void *r;                                                                                             \
        asm("cvta." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                                \
        return r;                                                                                            \
    }
KIT_SPACE("global", global)
KIT_SPACE("shared", shared)
KIT_SPACE("const", constant)
KIT_SPACE("local", local)
#undef KIT_SPACE

#include <__clang_cuda_cmath.h>

/* Overloads that clang's headers declare, and leave to std::. */
#define KIT_OVERLOAD(result, name, parameters, call)                                                         \
    static __device__ inline result name parameters { return call; }
#define KIT_OVERLOAD1(name) KIT_OVERLOAD(float, name, (float a), name##f(a))
#define KIT_OVERLOAD2(name) KIT_OVERLOAD(float, name, (float a, float b), name##f(a, b))
KIT_OVERLOAD1(acosh)
KIT_OVERLOAD1(asinh)
KIT_OVERLOAD1(atanh)
KIT_OVERLOAD1(cbrt)
KIT_OVERLOAD1(erf)
KIT_OVERLOAD1(erfc)
KIT_OVERLOAD1(exp2)
KIT_OVERLOAD1(expm1)
KIT_OVERLOAD1(lgamma)
KIT_OVERLOAD1(log1p)
KIT_OVERLOAD1(log2)
KIT_OVERLOAD1(logb)
KIT_OVERLOAD1(nearbyint)
KIT_OVERLOAD1(rint)
KIT_OVERLOAD1(round)
KIT_OVERLOAD1(tgamma)
KIT_OVERLOAD1(trunc)
KIT_OVERLOAD2(copysign)
KIT_OVERLOAD2(fdim)
KIT_OVERLOAD2(fmax)
KIT_OVERLOAD2(fmin)
KIT_OVERLOAD2(hypot)
KIT_OVERLOAD2(nextafter)
KIT_OVERLOAD2(remainder)
KIT_OVERLOAD(float, fma, (float a, float b, float c), fmaf(a, b, c))
KIT_OVERLOAD(float, remquo, (float a, float b, int *quotient), remquof(a, b, quotient))
KIT_OVERLOAD(float, scalbn, (float a, int n), scalbnf(a, n))
KIT_OVERLOAD(float, scalbln, (float a, long n), scalblnf(a, n))
KIT_OVERLOAD(int, ilogb, (float a), ilogbf(a))
KIT_OVERLOAD(long, lrint, (float a), lrintf(a))
KIT_OVERLOAD(long, lround, (float a), lroundf(a))
KIT_OVERLOAD(long long, llrint, (float a), llrintf(a))
KIT_OVERLOAD(long long, llround, (float a), llroundf(a))
KIT_OVERLOAD(float, nanf, (const char *), __builtin_nanf(""))
KIT_OVERLOAD(double, nan, (const char *), __builtin_nan(""))
#undef KIT_OVERLOAD
#undef KIT_OVERLOAD1
#undef KIT_OVERLOAD2
#include <__clang_cuda_intrinsics.h>

#include "atomics.h"
#include "texture.h"

/* ---- min and max (CUDA Math API, "Integer Mathematical Functions" and those of floats) ---- */

#define KIT_MIN_MAX(where, T, A, B)                                                                          \
    static where inline T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                \
    static where inline T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
#define KIT_MIN_MAX_MIXED(S, U)                                                                              \
    KIT_MIN_MAX(__host__ __device__, U, U, U)                                                                \
    KIT_MIN_MAX(__host__ __device__, U, U, S)                                                                \
    KIT_MIN_MAX(__host__ __device__, U, S, U)
#define KIT_MIN_MAX_FLOAT(T, A, B, suffix)                                                                   \
    static __host__ __device__ inline T min(A a, B b) { return __builtin_fmin##suffix(a, b); }               \
    static __host__ __device__ inline T max(A a, B b) { return __builtin_fmax##suffix(a, b); }
KIT_MIN_MAX(__host__, int, int, int) /* clang has the device's */
KIT_MIN_MAX(__host__ __device__, long, long, long)
KIT_MIN_MAX(__host__ __device__, long long, long long, long long)
KIT_MIN_MAX_MIXED(int, unsigned int)
KIT_MIN_MAX_MIXED(long, unsigned long)
KIT_MIN_MAX_MIXED(long long, unsigned long long)
KIT_MIN_MAX_FLOAT(float, float, float, f)
KIT_MIN_MAX_FLOAT(double, double, double, )
KIT_MIN_MAX_FLOAT(double, float, double, )
KIT_MIN_MAX_FLOAT(double, double, float, )
#undef KIT_MIN_MAX
#undef KIT_MIN_MAX_MIXED
#undef KIT_MIN_MAX_FLOAT

/* ---- dot products of bytes, and other single instructions ---- */

#define KIT_DEVICE static __device__ inline __attribute__((always_inline))
#define KIT_DOT(name, ptx, C, A)                                                                             \
    KIT_DEVICE C name(A a, A b, C c)                                                                         \
    {                                                                                                        \
        C r;                                                                                                 \
        asm(ptx " %0, %1, %2, %3;"                                                                           \
            : "=r"(r)                                                                                        \
            : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));                     \
        return r;                                                                                            \
    }
KIT_DOT(__dp4a, "dp4a.s32.s32", int, int)
KIT_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int)
KIT_DOT(__dp4a, "dp4a.s32.s32", int, char4)
KIT_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4)
KIT_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int)
KIT_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int)
KIT_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int)
KIT_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int)
#undef KIT_DOT

KIT_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

/* ---- loads and stores that say how they are cached ---- */

/* X(A, how): each load, and with KIT_STORES each store; A is the arguments of the type. */
#define KIT_LOADS(X, A) X(A, __ldcg, "cg") X(A, __ldca, "ca") X(A, __ldcs, "cs") X(A, __ldlu, "lu") X(A, __ldcv, "cv")
#define KIT_STORES(X, A) X(A, __stwb, "wb") X(A, __stcg, "cg") X(A, __stcs, "cs") X(A, __stwt, "wt")
#define KIT_WITH(M, ...) M(__VA_ARGS__)
#define KIT_OPEN(...) __VA_ARGS__
#define KIT_LOAD(A, name, how) KIT_WITH(KIT_LOAD_ONE, name, how, KIT_OPEN A)
#define KIT_LOAD_ONE(name, how, T, ptx, c, R)                                                                \
    KIT_DEVICE T name(const T *p)                                                                            \
    {                                                                                                        \
        R v;                                                                                                 \
        asm volatile("ld.global." how "." ptx " %0, [%1];" : "=" c(v) : "l"(p) : "memory");                  \
        return (T)v;                                                                                         \
    }
#define KIT_STORE(A, name, how) KIT_WITH(KIT_STORE_ONE, name, how, KIT_OPEN A)
#define KIT_STORE_ONE(name, how, T, ptx, c, R)                                                               \
    KIT_DEVICE void name(T *p, T v)                                                                          \
    {                                                                                                        \
        asm volatile("st.global." how "." ptx " [%0], %1;" ::"l"(p), c((R)v) : "memory");                    \
    }
#define KIT_LOAD2(A, name, how) KIT_WITH(KIT_LOAD2_ONE, name, how, KIT_OPEN A)
#define KIT_LOAD2_ONE(name, how, T, ptx, c, R)                                                               \
    KIT_DEVICE T name(const T *p)                                                                            \
    {                                                                                                        \
        R x, y;                                                                                              \
        asm volatile("ld.global." how ".v2." ptx " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p) : "memory"); \
        return {(decltype(T::x))x, (decltype(T::x))y};                                                       \
    }
#define KIT_STORE2(A, name, how) KIT_WITH(KIT_STORE2_ONE, name, how, KIT_OPEN A)
#define KIT_STORE2_ONE(name, how, T, ptx, c, R)                                                              \
    KIT_DEVICE void name(T *p, T v)                                                                          \
    {                                                                                                        \
        asm volatile("st.global." how ".v2." ptx " [%0], {%1, %2};" ::"l"(p), c((R)v.x), c((R)v.y) : "memory"); \
    }
#define KIT_LOAD4(A, name, how) KIT_WITH(KIT_LOAD4_ONE, name, how, KIT_OPEN A)
#define KIT_LOAD4_ONE(name, how, T, ptx, c, R)                                                               \
    KIT_DEVICE T name(const T *p)                                                                            \
    {                                                                                                        \
        R x, y, z, w;                                                                                        \
        asm volatile("ld.global." how ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                  \
                     : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                                                \
                     : "l"(p)                                                                                \
                     : "memory");                                                                            \
        return {(decltype(T::x))x, (decltype(T::x))y, (decltype(T::x))z, (decltype(T::x))w};                 \
    }
#define KIT_STORE4(A, name, how) KIT_WITH(KIT_STORE4_ONE, name, how, KIT_OPEN A)
#define KIT_STORE4_ONE(name, how, T, ptx, c, R)                                                              \
    KIT_DEVICE void name(T *p, T v)                                                                          \
    {                                                                                                        \
        asm volatile("st.global." how ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p), c((R)v.x), c((R)v.y),  \
                     c((R)v.z), c((R)v.w)                                                                    \
                     : "memory");                                                                            \
    }
#define KIT_CACHED(...) KIT_LOADS(KIT_LOAD, (__VA_ARGS__)) KIT_STORES(KIT_STORE, (__VA_ARGS__))
#define KIT_CACHED2(...) KIT_LOADS(KIT_LOAD2, (__VA_ARGS__)) KIT_STORES(KIT_STORE2, (__VA_ARGS__))
#define KIT_CACHED4(...) KIT_LOADS(KIT_LOAD4, (__VA_ARGS__)) KIT_STORES(KIT_STORE4, (__VA_ARGS__))
/* The type, its name in PTX, the constraint and the type of the register. A long has the 64 bits of Linux. */
KIT_CACHED(char, "s8", "r", int)
KIT_CACHED(signed char, "s8", "r", int)
KIT_CACHED(unsigned char, "u8", "r", unsigned int)
KIT_CACHED(short, "s16", "h", short)
KIT_CACHED(unsigned short, "u16", "h", unsigned short)
KIT_CACHED(int, "s32", "r", int)
KIT_CACHED(unsigned int, "u32", "r", unsigned int)
KIT_CACHED(long, "s64", "l", long)
KIT_CACHED(unsigned long, "u64", "l", unsigned long)
KIT_CACHED(long long, "s64", "l", long long)
KIT_CACHED(unsigned long long, "u64", "l", unsigned long long)
KIT_CACHED(float, "f32", "f", float)
KIT_CACHED(double, "f64", "d", double)
KIT_CACHED2(char2, "s8", "r", int)
KIT_CACHED2(uchar2, "u8", "r", unsigned int)
KIT_CACHED2(short2, "s16", "h", short)
KIT_CACHED2(ushort2, "u16", "h", unsigned short)
KIT_CACHED2(int2, "s32", "r", int)
KIT_CACHED2(uint2, "u32", "r", unsigned int)
KIT_CACHED2(longlong2, "s64", "l", long long)
KIT_CACHED2(ulonglong2, "u64", "l", unsigned long long)
KIT_CACHED2(float2, "f32", "f", float)
KIT_CACHED2(double2, "f64", "d", double)
KIT_CACHED4(char4, "s8", "r", int)
KIT_CACHED4(uchar4, "u8", "r", unsigned int)
KIT_CACHED4(short4, "s16", "h", short)
KIT_CACHED4(ushort4, "u16", "h", unsigned short)
KIT_CACHED4(int4, "s32", "r", int)
KIT_CACHED4(uint4, "u32", "r", unsigned int)
KIT_CACHED4(float4, "f32", "f", float)
#undef KIT_CACHED
#undef KIT_CACHED2
#undef KIT_CACHED4
#undef KIT_LOADS
#undef KIT_STORES
#undef KIT_WITH
#undef KIT_OPEN
#undef KIT_LOAD
#undef KIT_LOAD_ONE
#undef KIT_STORE
#undef KIT_STORE_ONE
#undef KIT_LOAD2
#undef KIT_LOAD2_ONE
#undef KIT_STORE2
#undef KIT_STORE2_ONE
#undef KIT_LOAD4
#undef KIT_LOAD4_ONE
#undef KIT_STORE4
#undef KIT_STORE4_ONE
#undef KIT_DEVICE

#pragma clang attribute pop

#endif
