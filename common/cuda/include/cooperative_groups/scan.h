/* Scans over groups of lanes (CUDA C++ Programming Guide, "inclusive_scan and exclusive_scan"). */
#ifndef KIT_COOPERATIVE_GROUPS_SCAN_H
#define KIT_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__)

namespace cooperative_groups
{

template <class Group, class T, class Operation>
__device__ inline __attribute__((nodebug)) T inclusive_scan(const Group &group, T value, Operation &&operation)
{
    for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
        T other = group.shfl_up(value, distance);
        if (group.thread_rank() >= distance)
            value = operation(other, value);
    }
    return value;
}
template <class Group, class T> __device__ inline T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

/* What stands before the first is T(). */
template <class Group, class T, class Operation>
__device__ inline __attribute__((nodebug)) T exclusive_scan(const Group &group, T value, Operation &&operation)
{
    T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __device__ inline T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif

#endif
