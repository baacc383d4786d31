/* Where a thread is comes from the special registers. */
static __device__ __forceinline__ uint3 style_thread(void)
{
    uint3 t;
    asm("mov.u32 %0, %%tid.x; mov.u32 %1, %%tid.y; mov.u32 %2, %%tid.z;" : "=r"(t.x), "=r"(t.y), "=r"(t.z));
    return t;
}
static __device__ __forceinline__ uint3 style_block(void)
{
    uint3 b;
    asm("mov.u32 %0, %%ctaid.x; mov.u32 %1, %%ctaid.y; mov.u32 %2, %%ctaid.z;" : "=r"(b.x), "=r"(b.y), "=r"(b.z));
    return b;
}
#define threadIdx style_thread()
#define blockIdx style_block()
