/* The front of NVIDIA's cuda_runtime.h for tests, read by `nvcc` beside it: it stands for the headers that are left out there.
 * What it declares means what it means with them, and makes the same PTX; the others are not declared, so that a
 * source that needs one does not compile, and is compiled with all headers. */
#include <cstddef>

namespace std {
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T &> {
    typedef T type;
};
template <class T> struct remove_reference<T &&> {
    typedef T type;
};
template <class T> constexpr T &&forward(typename remove_reference<T>::type &t) noexcept
{
    return static_cast<T &&>(t);
}
} // namespace std

#define LEAN_BOTH __attribute__((host)) __attribute__((device))
#define LEAN_BUILTIN extern "C" LEAN_BOTH __attribute__((device_builtin))
LEAN_BUILTIN float fabsf(float) noexcept(true);
LEAN_BUILTIN float fmaxf(float, float) noexcept(true);
LEAN_BUILTIN float fminf(float, float) noexcept(true);
LEAN_BUILTIN float fmaf(float, float, float) noexcept(true);
LEAN_BUILTIN float sqrtf(float) noexcept(true);
LEAN_BUILTIN float expf(float) noexcept(true);
LEAN_BUILTIN float logf(float) noexcept(true);
LEAN_BUILTIN float rintf(float) noexcept(true);

/* Arguments of two types are ambiguous here. */
#define LEAN_LEAST_AND_MOST(TYPE, BUILTIN_TYPE, LEAST, MOST)                                                 \
    LEAN_BOTH static inline TYPE min(TYPE a, TYPE b) { return (TYPE)LEAST((BUILTIN_TYPE)a, (BUILTIN_TYPE)b); } \
    LEAN_BOTH static inline TYPE max(TYPE a, TYPE b) { return (TYPE)MOST((BUILTIN_TYPE)a, (BUILTIN_TYPE)b); }
#define LEAN_BUILTINS(TYPE, LEAST, MOST)                                                                     \
    LEAN_BUILTIN inline TYPE LEAST(TYPE a, TYPE b) { return b < a ? b : a; }                                 \
    LEAN_BUILTIN inline TYPE MOST(TYPE a, TYPE b) { return b > a ? b : a; }
LEAN_BUILTINS(int, min, max)
LEAN_BUILTINS(unsigned int, umin, umax)
LEAN_BUILTINS(long long, llmin, llmax)
LEAN_BUILTINS(unsigned long long, ullmin, ullmax)
LEAN_LEAST_AND_MOST(unsigned int, unsigned int, umin, umax)
LEAN_LEAST_AND_MOST(long, long long, llmin, llmax)
LEAN_LEAST_AND_MOST(unsigned long, unsigned long long, ullmin, ullmax)
LEAN_LEAST_AND_MOST(long long, long long, llmin, llmax)
LEAN_LEAST_AND_MOST(unsigned long long, unsigned long long, ullmin, ullmax)
LEAN_LEAST_AND_MOST(float, float, fminf, fmaxf)

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

#include_next <cuda_runtime.h>

/* Those that C++'s headers overload and C's do not: with another type they would be another function. */
#pragma GCC poison abs labs llabs div ldiv lldiv
