/* Additions to whole numbers and floats are reductions in PTX: nothing comes back. */
static __device__ __forceinline__ void style_add(int *p, int v)
{
    asm volatile("red.relaxed.gpu.add.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
static __device__ __forceinline__ void style_add(unsigned *p, unsigned v)
{
    asm volatile("red.relaxed.gpu.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
static __device__ __forceinline__ void style_add(float *p, float v)
{
    asm volatile("red.relaxed.gpu.add.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
}
#define atomicAdd(p, v) style_add(p, v)
