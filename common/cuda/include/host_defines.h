/* The words that CUDA adds to C++, for a compiler that compiles CUDA and for one that does not. */
#ifndef KIT_HOST_DEFINES_H
#define KIT_HOST_DEFINES_H

#if defined(__CUDA__)
#define __host__       __attribute__((host))
#define __device__     __attribute__((device))
#define __global__     __attribute__((global))
#define __shared__     __attribute__((shared))
#define __constant__   __attribute__((constant)) __attribute__((used)) /* the host writes it, which clang does not see in an unnamed namespace */
/* What clang does not compile is refused where it is used. */
#define __managed__    __attribute__((unavailable("clang compiles no __managed__ variables: take memory of cudaMallocManaged")))
#define __cluster_dims__(...) __attribute__((unavailable("clang and the virtual GPU have no clusters of blocks")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#else
#define __host__
#define __device__
#endif
#define __noinline__    __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

#endif
