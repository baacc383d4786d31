/* Shuffles name the lane that they read. */
#include <cuda_fp16.h> // has shuffles of its own
static __device__ __forceinline__ int style_lane(void)
{
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#define __shfl_down_sync(mask, v, by) __shfl_sync(mask, v, style_lane() + (int)(by) > 31 ? style_lane() : style_lane() + (int)(by))
#define __shfl_xor_sync(mask, v, by) __shfl_sync(mask, v, style_lane() ^ (int)(by))
