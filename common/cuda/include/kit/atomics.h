/* Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"), each for the device, and _block and
 * _system for their scopes: one PTX instruction. */
#ifndef KIT_ATOMICS_H
#define KIT_ATOMICS_H

#define KIT_ATOMIC static __device__ inline __attribute__((always_inline))

#define KIT_ATOMIC2(T, name, scope, ptx, c)                                                                  \
    KIT_ATOMIC T name(T *address, T value)                                                                   \
    {                                                                                                        \
        T old;                                                                                               \
        asm volatile("atom" scope "." ptx " %0, [%1], %2;" : "=" c(old) : "l"(address), c(value) : "memory"); \
        return old;                                                                                          \
    }
#define KIT_ATOMIC_CAS(T, name, scope, ptx, c)                                                               \
    KIT_ATOMIC T name(T *address, T compare, T value)                                                        \
    {                                                                                                        \
        T old;                                                                                               \
        asm volatile("atom" scope ".cas." ptx " %0, [%1], %2, %3;"                                           \
                     : "=" c(old)                                                                            \
                     : "l"(address), c(compare), c(value)                                                    \
                     : "memory");                                                                            \
        return old;                                                                                          \
    }
#define KIT_SCOPES(macro, T, name, ptx, c)                                                                   \
    macro(T, name, "", ptx, c) macro(T, name##_block, ".cta", ptx, c) macro(T, name##_system, ".sys", ptx, c)

#define KIT_ATOMICS(macro, name, op)                                                                         \
    KIT_SCOPES(macro, int, name, op ".s32", "r")                                                             \
    KIT_SCOPES(macro, unsigned int, name, op ".u32", "r")                                                    \
    KIT_SCOPES(macro, unsigned long long, name, op ".u64", "l")
#define KIT_ATOMIC_BITS(name, op)                                                                            \
    KIT_SCOPES(KIT_ATOMIC2, int, name, op ".b32", "r")                                                       \
    KIT_SCOPES(KIT_ATOMIC2, unsigned int, name, op ".b32", "r")                                              \
    KIT_SCOPES(KIT_ATOMIC2, unsigned long long, name, op ".b64", "l")

KIT_ATOMICS(KIT_ATOMIC2, atomicAdd, "add")
KIT_SCOPES(KIT_ATOMIC2, float, atomicAdd, "add.f32", "f")
KIT_SCOPES(KIT_ATOMIC2, double, atomicAdd, "add.f64", "d")
KIT_ATOMICS(KIT_ATOMIC2, atomicMin, "min")
KIT_ATOMICS(KIT_ATOMIC2, atomicMax, "max")
KIT_SCOPES(KIT_ATOMIC2, long long, atomicMin, "min.s64", "l")
KIT_SCOPES(KIT_ATOMIC2, long long, atomicMax, "max.s64", "l")
KIT_SCOPES(KIT_ATOMIC2, unsigned int, atomicInc, "inc.u32", "r")
KIT_SCOPES(KIT_ATOMIC2, unsigned int, atomicDec, "dec.u32", "r")
KIT_ATOMIC_BITS(atomicAnd, "and")
KIT_ATOMIC_BITS(atomicOr, "or")
KIT_ATOMIC_BITS(atomicXor, "xor")
KIT_ATOMIC_BITS(atomicExch, "exch")
KIT_SCOPES(KIT_ATOMIC2, float, atomicExch, "exch.b32", "f")
KIT_SCOPES(KIT_ATOMIC_CAS, int, atomicCAS, "b32", "r")
KIT_SCOPES(KIT_ATOMIC_CAS, unsigned int, atomicCAS, "b32", "r")
KIT_SCOPES(KIT_ATOMIC_CAS, unsigned long long, atomicCAS, "b64", "l")
KIT_SCOPES(KIT_ATOMIC_CAS, unsigned short, atomicCAS, "b16", "h")

/* There is no instruction that subtracts. */
#define KIT_ATOMIC_SUB(T, suffix)                                                                            \
    KIT_ATOMIC T atomicSub##suffix(T *address, T value)                                                      \
    {                                                                                                        \
        return atomicAdd##suffix(address, (T)(0 - (unsigned)value));                                         \
    }
#define KIT_ATOMIC_SUBS(T) KIT_ATOMIC_SUB(T, ) KIT_ATOMIC_SUB(T, _block) KIT_ATOMIC_SUB(T, _system)
KIT_ATOMIC_SUBS(int)
KIT_ATOMIC_SUBS(unsigned int)

#undef KIT_ATOMIC
#undef KIT_ATOMIC2
#undef KIT_ATOMIC_CAS
#undef KIT_SCOPES
#undef KIT_ATOMICS
#undef KIT_ATOMIC_BITS
#undef KIT_ATOMIC_SUB
#undef KIT_ATOMIC_SUBS

#endif
