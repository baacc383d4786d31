/* threadIdx, blockIdx, blockDim, gridDim, warpSize: the compiler's headers declare them. */
#ifndef KIT_DEVICE_LAUNCH_PARAMETERS_H
#define KIT_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
