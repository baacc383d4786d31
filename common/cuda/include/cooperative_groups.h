/* Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): blocks, grids, tiles of a warp and
 * the threads that run together, parts of a warp by label or predicate. Clusters are not there: compute_75 has none. */
#ifndef KIT_COOPERATIVE_GROUPS_H
#define KIT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__CUDA__)

#define KIT_MEMBER __device__ inline __attribute__((always_inline, nodebug))
#define KIT_DEVICE static KIT_MEMBER

namespace cooperative_groups
{

KIT_DEVICE unsigned int kit_block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
KIT_DEVICE unsigned int kit_block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
KIT_DEVICE unsigned int kit_lane()
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
KIT_DEVICE unsigned int kit_lanes_below()
{
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* ---- blocks and grids ---- */

class thread_block
{
public:
    KIT_MEMBER static void sync() { __syncthreads(); }
    KIT_MEMBER static unsigned int thread_rank() { return kit_block_rank(); }
    KIT_MEMBER static unsigned int num_threads() { return kit_block_size(); }
    KIT_MEMBER static unsigned int size() { return kit_block_size(); }
    KIT_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    KIT_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    KIT_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    KIT_MEMBER static dim3 dim_threads() { return group_dim(); }
};
KIT_DEVICE thread_block this_thread_block()
{
    return thread_block();
}

/* The word that a cooperative launch's blocks meet at. It counts arrivals in its lower bits; the block that
 * comes last flips the top one, by adding what is missing. */
static __device__ unsigned int kit_grid_barrier;

class grid_group
{
public:
    KIT_MEMBER static unsigned long long size() { return num_blocks() * kit_block_size(); }
    KIT_MEMBER static unsigned long long num_threads() { return size(); }
    KIT_MEMBER static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    KIT_MEMBER static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    KIT_MEMBER static unsigned long long thread_rank() { return block_rank() * kit_block_size() + kit_block_rank(); }
    KIT_MEMBER static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    KIT_MEMBER static dim3 group_dim() { return dim_blocks(); }
    KIT_MEMBER static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    KIT_MEMBER static bool is_valid() { return true; }
    KIT_MEMBER static void sync()
    {
        __syncthreads();
        if (kit_block_rank() == 0) {
            unsigned int add = block_rank() == 0 ? 0x80000000u - ((unsigned int)num_blocks() - 1) : 1;
            __threadfence();
            unsigned int old = atomicAdd(&kit_grid_barrier, add), now;
            do {
                asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&kit_grid_barrier) : "memory");
            } while (((old ^ now) & 0x80000000u) == 0);
            __threadfence();
        }
        __syncthreads();
    }
};
KIT_DEVICE grid_group this_grid()
{
    return grid_group();
}

/* ---- lanes of a warp ---- */

/* What groups of lanes have in common: a mask of the warp's lanes. */
class kit_lanes
{
protected:
    unsigned int mask, rank, n;
    KIT_MEMBER kit_lanes(unsigned int lanes) : mask(lanes), rank(__popc(lanes & kit_lanes_below())), n(__popc(lanes))
    {
    }

public:
    KIT_MEMBER void sync() const { __syncwarp(mask); }
    KIT_MEMBER unsigned int thread_rank() const { return rank; }
    KIT_MEMBER unsigned int num_threads() const { return n; }
    KIT_MEMBER unsigned int size() const { return n; }
    KIT_MEMBER unsigned int kit_mask() const { return mask; }
    KIT_MEMBER int any(int predicate) const { return __any_sync(mask, predicate); }
    KIT_MEMBER int all(int predicate) const { return __all_sync(mask, predicate); }
};

class coalesced_group : public kit_lanes
{
    unsigned int part, parts; /* of the group that it was made of */
    KIT_MEMBER int lane_of(unsigned int of) const
    {
        return n == 32 ? (int)of : (int)__fns(mask, 0, (int)of + 1);
    }
    /* A bit for each thread of the group, in the order of their ranks. */
    KIT_MEMBER unsigned int by_rank(unsigned int lanes) const
    {
        unsigned int packed = 0, at = 0;
        for (unsigned int left = mask; left != 0; left &= left - 1)
            packed |= (lanes >> (__ffs((int)left) - 1) & 1u) << at++;
        return packed;
    }

public:
    KIT_MEMBER explicit coalesced_group(unsigned int lanes, unsigned int of_part = 0, unsigned int of_parts = 1)
        : kit_lanes(lanes), part(of_part), parts(of_parts)
    {
    }
    KIT_MEMBER unsigned int meta_group_rank() const { return part; }
    KIT_MEMBER unsigned int meta_group_size() const { return parts; }
    KIT_MEMBER unsigned int ballot(int predicate) const { return by_rank(__ballot_sync(mask, predicate)); }
    template <class T> KIT_MEMBER unsigned int match_any(T value) const
    {
        return by_rank(__match_any_sync(mask, value));
    }
    template <class T> KIT_MEMBER unsigned int match_all(T value, int &same) const
    {
        return by_rank(__match_all_sync(mask, value, &same));
    }
    template <class T> KIT_MEMBER T shfl(T value, unsigned int from) const
    {
        return __shfl_sync(mask, value, from < n ? lane_of(from) : (int)kit_lane());
    }
    template <class T> KIT_MEMBER T shfl_up(T value, unsigned int delta) const
    {
        return __shfl_sync(mask, value, rank >= delta ? lane_of(rank - delta) : (int)kit_lane());
    }
    template <class T> KIT_MEMBER T shfl_down(T value, unsigned int delta) const
    {
        return __shfl_sync(mask, value, rank + delta < n ? lane_of(rank + delta) : (int)kit_lane());
    }
};
KIT_DEVICE coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* What a tile is a part of. */
template <class Parent> struct kit_parent {
    KIT_MEMBER static unsigned int rank() { return kit_block_rank(); }
    KIT_MEMBER static unsigned int size() { return kit_block_size(); }
};

template <unsigned int Size, class Parent = void> class thread_block_tile
{
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() = default;
    template <class Other> KIT_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &) {}
    KIT_MEMBER static unsigned int thread_rank() { return kit_block_rank() % Size; }
    KIT_MEMBER static constexpr unsigned int num_threads() { return Size; }
    KIT_MEMBER static constexpr unsigned int size() { return Size; }
    KIT_MEMBER static unsigned int meta_group_rank() { return kit_parent<Parent>::rank() / Size; }
    KIT_MEMBER static unsigned int meta_group_size() { return (kit_parent<Parent>::size() + Size - 1) / Size; }
    KIT_MEMBER static unsigned int kit_mask()
    {
        return Size == 32 ? 0xFFFFFFFFu : ((1u << Size % 32) - 1) << (kit_lane() & ~(Size - 1));
    }
    KIT_MEMBER static void sync() { __syncwarp(kit_mask()); }
    KIT_MEMBER int any(int predicate) const { return __any_sync(kit_mask(), predicate); }
    KIT_MEMBER int all(int predicate) const { return __all_sync(kit_mask(), predicate); }
    KIT_MEMBER unsigned int ballot(int predicate) const
    {
        return Size == 32 ? __ballot_sync(kit_mask(), predicate)
                          : __ballot_sync(kit_mask(), predicate) >> (kit_lane() & ~(Size - 1));
    }
    template <class T> KIT_MEMBER unsigned int match_any(T value) const
    {
        return __match_any_sync(kit_mask(), value) >> (kit_lane() & ~(Size - 1));
    }
    template <class T> KIT_MEMBER unsigned int match_all(T value, int &same) const
    {
        return __match_all_sync(kit_mask(), value, &same) >> (kit_lane() & ~(Size - 1));
    }
    template <class T> KIT_MEMBER T shfl(T value, int from) const { return __shfl_sync(kit_mask(), value, from, Size); }
    template <class T> KIT_MEMBER T shfl_up(T value, unsigned int delta) const
    {
        return __shfl_up_sync(kit_mask(), value, delta, Size);
    }
    template <class T> KIT_MEMBER T shfl_down(T value, unsigned int delta) const
    {
        return __shfl_down_sync(kit_mask(), value, delta, Size);
    }
    template <class T> KIT_MEMBER T shfl_xor(T value, unsigned int lanes) const
    {
        return __shfl_xor_sync(kit_mask(), value, (int)lanes, Size);
    }
};

template <unsigned int Size, class Parent> struct kit_parent<thread_block_tile<Size, Parent>> {
    KIT_MEMBER static unsigned int rank() { return kit_block_rank() % Size; }
    KIT_MEMBER static unsigned int size() { return Size; }
};

template <unsigned int Size, class Parent> KIT_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* ---- groups whose kind or size is known at run time only ---- */

/* A block, or lanes of one of its warps. */
class thread_group
{
    unsigned int mask; /* 0: the block */

public:
    KIT_MEMBER thread_group(const thread_block &) : mask(0) {}
    KIT_MEMBER thread_group(const coalesced_group &group) : mask(group.kit_mask()) {}
    template <unsigned int Size, class Parent>
    KIT_MEMBER thread_group(const thread_block_tile<Size, Parent> &group) : mask(group.kit_mask())
    {
    }
    KIT_MEMBER void sync() const { mask ? __syncwarp(mask) : __syncthreads(); }
    KIT_MEMBER unsigned int size() const { return mask ? __popc(mask) : kit_block_size(); }
    KIT_MEMBER unsigned int num_threads() const { return size(); }
    KIT_MEMBER unsigned int thread_rank() const { return mask ? __popc(mask & kit_lanes_below()) : kit_block_rank(); }
};

KIT_DEVICE coalesced_group tiled_partition(const coalesced_group &group, unsigned int size)
{
    unsigned int first = group.thread_rank() / size * size, rank = 0, lanes = 0;
    for (unsigned int left = group.kit_mask(); left != 0; left &= left - 1, rank++)
        lanes |= rank - first < size ? left & (0 - left) : 0;
    return coalesced_group(lanes, group.thread_rank() / size, (group.size() + size - 1) / size);
}
/* size: 1, 2, 4, 8, 16 or 32. */
KIT_DEVICE thread_group tiled_partition(const thread_block &, unsigned int size)
{
    return coalesced_group((0xFFFFFFFFu >> (32 - size)) << (kit_lane() & ~(size - 1)));
}

/* ---- parts of a group, by what their threads say ---- */

template <class Group, class Label> KIT_DEVICE coalesced_group labeled_partition(const Group &group, Label label)
{
    unsigned int lanes = __match_any_sync(group.kit_mask(), label), first = lanes & (0 - lanes);
    unsigned int firsts = __ballot_sync(group.kit_mask(), first == 1u << kit_lane());
    return coalesced_group(lanes, __popc(firsts & (first - 1)), __popc(firsts));
}
template <class Group> KIT_DEVICE coalesced_group binary_partition(const Group &group, bool predicate)
{
    unsigned int yes = __ballot_sync(group.kit_mask(), predicate);
    return coalesced_group(predicate ? yes : group.kit_mask() & ~yes, predicate, 2);
}

/* One thread of the group calls it. */
template <class Group, class Function, class... Arguments>
KIT_DEVICE void invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0)
        function(static_cast<Arguments &&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
KIT_DEVICE auto invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...arguments)
{
    decltype(function(static_cast<Arguments &&>(arguments)...)) value{};
    if (group.thread_rank() == 0)
        value = function(static_cast<Arguments &&>(arguments)...);
    return group.shfl(value, 0);
}

template <class Group> KIT_DEVICE void sync(const Group &group)
{
    group.sync();
}
template <class Group> KIT_DEVICE unsigned int thread_rank(const Group &group)
{
    return group.thread_rank();
}
template <class Group> KIT_DEVICE unsigned int group_size(const Group &group)
{
    return group.size();
}

} // namespace cooperative_groups

#undef KIT_MEMBER
#undef KIT_DEVICE

#endif

#endif
