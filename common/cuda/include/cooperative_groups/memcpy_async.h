/* Copies by all threads of a group (CUDA C++ Programming Guide, "memcpy_async"). */
#ifndef KIT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define KIT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../kit/async.h"

#if defined(__CUDA__)

#define KIT_DEVICE static __device__ inline __attribute__((always_inline, nodebug))

namespace cooperative_groups
{

template <class Group> KIT_DEVICE void memcpy_async(const Group &group, void *to, const void *from, size_t bytes)
{
    ::cuda::kit_copy(to, from, bytes, group.thread_rank(), group.size());
    ::cuda::kit_copy_commit();
}

/* As many elements as both have. */
template <class Group, class T>
KIT_DEVICE void memcpy_async(const Group &group, T *to, size_t n_to, const T *from, size_t n_from)
{
    memcpy_async(group, to, from, (n_to < n_from ? n_to : n_from) * sizeof(T));
}

template <unsigned int N, class Group> KIT_DEVICE void wait_prior(const Group &group)
{
    ::cuda::kit_copy_wait<N>();
    group.sync();
}
template <class Group> KIT_DEVICE void wait(const Group &group)
{
    wait_prior<0>(group);
}

} // namespace cooperative_groups

#undef KIT_DEVICE

#endif

#endif
