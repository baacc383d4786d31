/* Groups of asynchronous copies of one thread (CUDA C++ Programming Guide, "Pipeline Primitives Interface"). */
#ifndef KIT_CUDA_PIPELINE_H
#define KIT_CUDA_PIPELINE_H

#include "kit/async.h"

#if defined(__CUDA__)

#define KIT_DEVICE static __device__ inline __attribute__((always_inline, nodebug))

KIT_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    switch (bytes) {
    case 4: return cuda::kit_copy_word<int>(to, from, 4 - zeros);
    case 8: return cuda::kit_copy_word<int2>(to, from, 8 - zeros);
    case 16: return cuda::kit_copy_word<int4>(to, from, 16 - zeros);
    }
}
KIT_DEVICE void __pipeline_commit()
{
    cuda::kit_copy_commit();
}
KIT_DEVICE void __pipeline_wait_prior(size_t n)
{
    cuda::kit_copy_wait(n);
}

#undef KIT_DEVICE

#endif

#endif
