// Instructions that look across lanes, atomics of all kinds, fences, barriers, cooperative groups. Only compiled, never run.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void grid(int *a)
{
    auto g = cg::this_grid();
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    a[g.thread_rank()] = cg::reduce(tile, a[g.thread_rank()], cg::plus<int>());
    g.sync();
    auto active = cg::coalesced_threads();
    a[g.thread_rank()] += active.shfl(a[0], 0) + tile.any(a[1]) + tile.match_any(a[2]);
}

__global__ void shuffles(int *a, unsigned *b, long long *l, float *f, unsigned long long *u)
{
    unsigned all = 0xFFFFFFFFu;
    int v = a[threadIdx.x], all_same;
    v += __shfl_sync(all, v, 3) + __shfl_up_sync(all, v, 1, 8) + __shfl_down_sync(all, v, 2) + __shfl_xor_sync(all, v, 4);
    l[0] += __shfl_xor_sync(all, l[1], 4);
    v += __any_sync(all, v) + __all_sync(all, v > 3) + __ballot_sync(all, v) + __activemask();
    v += __match_any_sync(all, v) + __match_all_sync(all, l[3], &all_same) + all_same;
    __syncwarp(0xFF);
    v += __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    v += atomicAdd(a, 1) + atomicSub(a, 2) + atomicMin(a, 3) + atomicMax(b, 3u) + atomicInc(b, 4u) + atomicDec(b, 5u);
    v += atomicAnd(a, 3) + atomicOr(b, 3u) + atomicXor(a, 5) + atomicExch(a, 4) + atomicCAS(a, 3, v);
    u[0] = atomicCAS(u + 2, 3ull, 4ull);
    atomicAdd(f, 1.f);
    atomicAdd_system(a, 3);
    atomicAdd_block(a, 4);
    v += clock64() + clock() + __isGlobal(a) + __ldg(a) + __ldcs(a);
    __nanosleep(100);
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bra L1; trap; L1: }" ::"r"(v));
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 1; @p bra L1; exit; L1: }" ::"r"(v));
    asm volatile("bar.sync 1, 64;");
    a[threadIdx.x] = v;
}
