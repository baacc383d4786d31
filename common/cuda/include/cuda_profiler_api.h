/* cudaProfilerStart and cudaProfilerStop (CUDA Runtime API reference, "Profiler Control"). */
#ifndef KIT_CUDA_PROFILER_API_H
#define KIT_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
