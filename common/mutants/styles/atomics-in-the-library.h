/* Additions are those of libcu++. */
#include <cuda/atomic>
template <class T, class V> static __device__ __forceinline__ T style_add(T *p, V v)
{
    return cuda::atomic_ref<T, cuda::thread_scope_device>(*p).fetch_add((T)v, cuda::std::memory_order_relaxed);
}
#define atomicAdd(p, v) style_add(p, v)
