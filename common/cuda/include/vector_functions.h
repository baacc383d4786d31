/* make_int2 and its kin (CUDA C++ Programming Guide, "Built-in Vector Types"). */
#ifndef KIT_VECTOR_FUNCTIONS_H
#define KIT_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define KIT_MAKE(name, element, align2, align4)                                                              \
    static __inline__ __host__ __device__ name##1 make_##name##1(element x)                                  \
    {                                                                                                        \
        name##1 v = {x};                                                                                     \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##2 make_##name##2(element x, element y)                       \
    {                                                                                                        \
        name##2 v = {x, y};                                                                                  \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##3 make_##name##3(element x, element y, element z)            \
    {                                                                                                        \
        name##3 v = {x, y, z};                                                                               \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##4 make_##name##4(element x, element y, element z, element w) \
    {                                                                                                        \
        name##4 v = {x, y, z, w};                                                                            \
        return v;                                                                                            \
    }
KIT_VECTORS(KIT_MAKE)
#undef KIT_MAKE

#endif
