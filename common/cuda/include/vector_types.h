/* Vector types (CUDA C++ Programming Guide, "Built-in Vector Types"): their members and alignment. */
#ifndef KIT_VECTOR_TYPES_H
#define KIT_VECTOR_TYPES_H

#include "host_defines.h"

/* X(name, element, alignment of 2, alignment of 4) */
#define KIT_VECTORS(X)                                                                                       \
    X(char, signed char, 2, 4)                                                                               \
    X(uchar, unsigned char, 2, 4)                                                                            \
    X(short, short, 4, 8)                                                                                    \
    X(ushort, unsigned short, 4, 8)                                                                          \
    X(int, int, 8, 16)                                                                                       \
    X(uint, unsigned int, 8, 16)                                                                             \
    X(long, long, 16, 16)                                                                                    \
    X(ulong, unsigned long, 16, 16)                                                                          \
    X(longlong, long long, 16, 16)                                                                           \
    X(ulonglong, unsigned long long, 16, 16)                                                                 \
    X(float, float, 8, 16)                                                                                   \
    X(double, double, 16, 16)

#define KIT_VECTOR_TYPE(name, element, align2, align4)                                                       \
    struct name##1 {                                                                                         \
        element x;                                                                                           \
    };                                                                                                       \
    struct __align__(align2) name##2 {                                                                       \
        element x, y;                                                                                        \
    };                                                                                                       \
    struct name##3 {                                                                                         \
        element x, y, z;                                                                                     \
    };                                                                                                       \
    struct __align__(align4) name##4 {                                                                       \
        element x, y, z, w;                                                                                  \
    };                                                                                                       \
    typedef struct name##1 name##1;                                                                          \
    typedef struct name##2 name##2;                                                                          \
    typedef struct name##3 name##3;                                                                          \
    typedef struct name##4 name##4;
KIT_VECTORS(KIT_VECTOR_TYPE)
#undef KIT_VECTOR_TYPE

/* The four-element types of 8 bytes an element that say their alignment. */
#define KIT_WIDE_TYPE(name, element)                                                                         \
    struct __align__(16) name##_16a {                                                                        \
        element x, y, z, w;                                                                                  \
    };                                                                                                       \
    struct __align__(32) name##_32a {                                                                        \
        element x, y, z, w;                                                                                  \
    };                                                                                                       \
    typedef struct name##_16a name##_16a;                                                                    \
    typedef struct name##_32a name##_32a;
KIT_WIDE_TYPE(long4, long)
KIT_WIDE_TYPE(ulong4, unsigned long)
KIT_WIDE_TYPE(longlong4, long long)
KIT_WIDE_TYPE(ulonglong4, unsigned long long)
KIT_WIDE_TYPE(double4, double)
#undef KIT_WIDE_TYPE

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
