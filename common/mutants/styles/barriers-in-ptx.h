/* Barriers are written in PTX. */
static __device__ __forceinline__ void style_barrier(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads() style_barrier()
