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

#define KIT_CACHED(T, ptx, c)                                                                                \
    KIT_CACHED_LOAD(T, __ldcg, "cg", ptx, c) KIT_CACHED_LOAD(T, __ldca, "ca", ptx, c)                        \
        KIT_CACHED_LOAD(T, __ldcs, "cs", ptx, c) KIT_CACHED_LOAD(T, __ldlu, "lu", ptx, c)                    \
            KIT_CACHED_LOAD(T, __ldcv, "cv", ptx, c) KIT_CACHED_STORE(T, __stwb, "wb", ptx, c)               \
                KIT_CACHED_STORE(T, __stcg, "cg", ptx, c) KIT_CACHED_STORE(T, __stcs, "cs", ptx, c)          \
                    KIT_CACHED_STORE(T, __stwt, "wt", ptx, c)
#define KIT_CACHED_LOAD(T, name, how, ptx, c)                                                                \
    KIT_DEVICE T name(const T *p)                                                                            \
    {                                                                                                        \
        T v;                                                                                                 \
        asm volatile("ld.global." how "." ptx " %0, [%1];" : "=" c(v) : "l"(p) : "memory");                  \
        return v;                                                                                            \
    }
#define KIT_CACHED_STORE(T, name, how, ptx, c)                                                               \
    KIT_DEVICE void name(T *p, T v)                                                                          \
    {                                                                                                        \
        asm volatile("st.global." how "." ptx " [%0], %1;" ::"l"(p), c(v) : "memory");                       \
    }
KIT_CACHED(int, "s32", "r")
KIT_CACHED(unsigned int, "u32", "r")
KIT_CACHED(long long, "s64", "l")
KIT_CACHED(unsigned long long, "u64", "l")
KIT_CACHED(float, "f32", "f")
KIT_CACHED(double, "f64", "d")
#undef KIT_CACHED
#undef KIT_CACHED_LOAD
#undef KIT_CACHED_STORE
#undef KIT_DEVICE

#pragma clang attribute pop

#endif
