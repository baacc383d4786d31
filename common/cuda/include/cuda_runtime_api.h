/* The CUDA runtime's functions for C and C++ (CUDA Runtime API reference), as the kit's libcudart.so.13 has
 * them: what it refuses is not declared. */
#ifndef KIT_CUDA_RUNTIME_API_H
#define KIT_CUDA_RUNTIME_API_H

#include "driver_types.h"

#define CUDART_VERSION 13000

#if defined(__cplusplus)
#define CUDA_DEFAULT(value) = value
extern "C" {
#else
#define CUDA_DEFAULT(value)
#endif
#define CUDA_FUNCTION(result, name, parameters) extern __host__ result CUDARTAPI name parameters;
#include "kit/runtime_api.def"
#undef CUDA_FUNCTION
#undef CUDA_DEFAULT
#if defined(__cplusplus)
}
#endif

#endif
