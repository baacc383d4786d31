/* Reductions over groups of lanes (CUDA C++ Programming Guide, "reduce"), by halving the distance. */
#ifndef KIT_COOPERATIVE_GROUPS_REDUCE_H
#define KIT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)

namespace cooperative_groups
{

#define KIT_OPERATION(name, value)                                                                           \
    template <class T> struct name {                                                                         \
        __device__ inline T operator()(T a, T b) const { return value; }                                     \
    };
KIT_OPERATION(plus, a + b)
KIT_OPERATION(less, b < a ? b : a)
KIT_OPERATION(greater, a < b ? b : a)
KIT_OPERATION(bit_and, a &b)
KIT_OPERATION(bit_or, a | b)
KIT_OPERATION(bit_xor, a ^ b)
#undef KIT_OPERATION

template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline __attribute__((nodebug)) T reduce(const thread_block_tile<Size, Parent> &group, T value,
                                                    Operation &&operation)
{
    for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
        value = operation(value, group.shfl_xor(value, distance));
    return value;
}

/* Any number of lanes: those whose partner is missing keep what they have. */
template <class T, class Operation>
__device__ inline __attribute__((nodebug)) T reduce(const coalesced_group &group, T value, Operation &&operation)
{
    for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
        T other = group.shfl_down(value, distance);
        if (group.thread_rank() % (2 * distance) == 0 && group.thread_rank() + distance < group.size())
            value = operation(value, other);
    }
    return group.shfl(value, 0);
}

} // namespace cooperative_groups

#endif

#endif
