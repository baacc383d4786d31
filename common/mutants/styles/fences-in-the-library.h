/* Fences are those of libcu++. */
#include <cuda/atomic>
#define __threadfence() cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device)
