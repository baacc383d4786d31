// Right kernels with the usual tricks, on which nothing may fire. Each turns in[i] = i, i < N, into numbers
// in out[] that add up to the same sum: 0 + 1 + ... + N - 1. Blocks of 256 threads, four of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include <cstdio>

namespace cg = cooperative_groups;

enum { N = 1024, B = 256 };
enum : unsigned { ALL = 0xFFFFFFFFu };
#define KERNEL(name) static __global__ void name(int *out, const int *in, int *w) // w: N words of 0
#define ME           (blockIdx.x * B + threadIdx.x)
#define T            threadIdx.x
#define LANE         (threadIdx.x & 31)
#define WARP         (threadIdx.x >> 5)

// ---- own elements, shared tiles, barriers

KERNEL(copy) { out[ME] = in[ME]; }
KERNEL(reverse_all) { out[N - 1 - ME] = in[ME]; }
KERNEL(grid_stride)
{
    for (int i = ME; i < N; i += gridDim.x * B)
        out[i] = in[i];
}
KERNEL(vectors)
{
    if (ME < N / 4)
        ((int4 *)out)[ME] = ((const int4 *)in)[ME];
}
KERNEL(bytes_apart) // four threads share a word, not a byte
{
    __shared__ unsigned char s[B];
    s[T] = (unsigned char)in[ME];
    __syncthreads();
    out[ME] = s[B - 1 - T] + (int)blockIdx.x * B;
}
KERNEL(halves_apart)
{
    __shared__ unsigned short s[B];
    s[T] = (unsigned short)in[ME];
    __syncthreads();
    out[ME] = s[T ^ 1];
}
KERNEL(reverse_block)
{
    __shared__ int s[B];
    s[T] = in[ME];
    __syncthreads();
    out[ME] = s[B - 1 - T];
}
KERNEL(tile_loop) // a tile used again and again: a barrier on both sides
{
    __shared__ int s[B];
    for (int t = 0; t < N / B; t++) {
        s[T] = in[t * B + T];
        __syncthreads();
        if (t == (int)blockIdx.x)
            out[ME] = s[(T + 17) % B];
        __syncthreads();
    }
}
KERNEL(two_tiles) // double buffering: one barrier a step
{
    __shared__ int s[2][B];
    s[0][T] = in[T];
    for (int t = 0; t < N / B; t++) {
        __syncthreads();
        if (t + 1 < N / B)
            s[(t + 1) % 2][T] = in[(t + 1) * B + T];
        if (t == (int)blockIdx.x)
            out[ME] = s[t % 2][T ^ 5];
    }
}
KERNEL(transpose)
{
    __shared__ int s[16][17];
    int x = T % 16, y = T / 16;
    s[y][x] = in[ME];
    __syncthreads();
    out[ME] = s[x][y];
}
KERNEL(halo)
{
    __shared__ int s[B + 2];
    s[T + 1] = in[ME];
    if (T == 0)
        s[0] = ME ? in[ME - 1] : 0;
    if (T == B - 1)
        s[B + 1] = ME + 1 < N ? in[ME + 1] : 0;
    __syncthreads();
    out[ME] = s[T] - 2 * s[T + 1] + s[T + 2] + in[ME] + (ME == N - 1 ? N - 1 : 0);
}
// Two arrays side by side whose pointers are exchanged: each address is one of either.
KERNEL(two_arrays_exchanged)
{
    __shared__ int s[B], t[B];
    int *from = s, *to = t;
    s[T] = in[ME];
    for (int step = 0; step < 4; step++) {
        __syncthreads();
        to[T] = from[(T + 1) % B];
        int *both = from;
        from = to;
        to = both;
    }
    __syncthreads();
    out[ME] = from[T];
}
// A walk that begins one before the first place and one that ends one behind the last: neither is touched.
KERNEL(walks_past_the_ends)
{
    __shared__ int before[B], s[B], behind[B];
    before[T] = behind[T] = 1;
    s[T] = in[ME];
    __syncthreads();
    int sum = 0, turns = T + 1;
    for (const int *p = s - 1; turns > 0; turns--)
        sum += *++p * before[T];
    for (const int *p = s + T; p != s; sum -= *--p * behind[T])
        ;
    out[ME] = sum;
}
// Parts of one array that are used as several.
KERNEL(parts_of_one)
{
    __shared__ union { int whole[B]; unsigned short half[2 * B]; } u;
    __shared__ struct { int head, body[B - 1], tail; } part;
    extern __shared__ int d[];
    u.whole[T] = in[ME];
    d[B - 1 - T] = 0;
    __syncthreads();
    (&part.head)[T + 1] = u.half[2 * T] | u.half[2 * T + 1] << 16;
    __syncthreads();
    out[ME] = (T == B - 1 ? part.tail : part.body[T]) + d[T];
}
KERNEL(dynamic_shared)
{
    extern __shared__ int d[];
    d[T] = in[ME];
    __syncthreads();
    out[ME] = d[(T + 1) % B];
}
KERNEL(local_array)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[(i * 3 + T) % 8] = in[ME];
    out[ME] = a[T % 8];
}
__device__ __noinline__ void fill_through(int *to, int n, int value)
{
    for (int i = 0; i < n; i++)
        to[i] = value + i;
}
KERNEL(local_by_pointer)
{
    int a[8];
    fill_through(a, 8, in[ME] - 3);
    out[ME] = a[in[3]];
}
__device__ __noinline__ int sum_below(int n, int step)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[(i + n) % 4] = n + i * 0;
    return n <= 0 ? 0 : a[n % 4] + sum_below(n - step, step);
}
KERNEL(local_frames)
{
    int once = sum_below(in[4], 1), again = T % 2 ? sum_below(in[2], in[1]) : sum_below(in[2], 1);
    out[ME] = in[ME] + once + again - 13;
}
struct Padded {
    char c;
    int i;
    short s;
};
KERNEL(local_struct)
{
    Padded list[4], copy[4];
    for (int i = 0; i < 4; i++) {
        list[(i + T) % 4].c = 1;
        list[(i + T) % 4].i = in[ME] - 2;
        list[(i + T) % 4].s = 1;
    }
    for (int i = 0; i < 4; i++)
        copy[(i + in[1]) % 4] = list[i];
    out[ME] = copy[T % 4].c + copy[T % 4].i + copy[T % 4].s;
}
KERNEL(local_vector)
{
    int4 a[4];
    for (int i = 0; i < 4; i++)
        a[(i + T) % 4] = make_int4(in[ME], 1, 2, 3);
    out[ME] = reinterpret_cast<int *>(a)[T % 4 * 4];
}
KERNEL(local_part)
{
    int a[8];
    for (int i = 0; i < 4; i++)
        a[in[i]] = in[ME];
    out[ME] = a[T % 4];
}
KERNEL(early_return)
{
    if (ME >= N / 2)
        return;
    out[ME] = in[ME] + in[ME + N / 2];
}

// ---- reductions

template <typename F> static __device__ void add_tree(int *s, F sync)
{
    for (int d = B / 2; d; d /= 2) {
        if (T < d)
            s[T] += s[T + d];
        sync();
    }
}
KERNEL(tree)
{
    __shared__ int s[B];
    s[T] = in[ME];
    __syncthreads();
    add_tree(s, [] { __syncthreads(); });
    if (T == 0)
        out[blockIdx.x] = s[0];
}
KERNEL(tree_from_below)
{
    __shared__ int s[B];
    s[T] = in[ME];
    for (int d = 1; d < B; d *= 2) {
        __syncthreads();
        if (T % (2 * d) == 0)
            s[T] += s[T + d];
    }
    if (T == 0)
        out[blockIdx.x] = s[0];
}
KERNEL(warp_tail) // the last warp goes on alone
{
    __shared__ int s[B];
    s[T] = in[ME];
    __syncthreads();
    for (int d = B / 2; d >= 32; d /= 2) {
        if (T < d)
            s[T] += s[T + d];
        __syncthreads();
    }
    if (T < 32) {
        int v = s[T];
        for (int d = 16; d; d /= 2) {
            v += s[(T + d) % 32];
            __syncwarp();
            s[T] = v;
            __syncwarp();
        }
        if (T == 0)
            out[blockIdx.x] = s[0];
    }
}
KERNEL(volatile_tail) // volatile and __syncwarp
{
    __shared__ int s[B];
    s[T] = in[ME];
    __syncthreads();
    volatile int *v = s + WARP * 32;
    for (int d = 16; d; d /= 2) {
        int x = v[LANE] + (LANE + d < 32 ? v[LANE + d] : 0);
        __syncwarp();
        v[LANE] = x;
        __syncwarp();
    }
    if (LANE == 0)
        out[ME / 32] = v[0];
}
static __device__ int add_warp(int v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(ALL, v, d);
    return v;
}
KERNEL(shuffles)
{
    int v = add_warp(in[ME]);
    if (LANE == 0)
        out[ME / 32] = v;
}
KERNEL(warps_then_block)
{
    __shared__ int s[32];
    int v = add_warp(in[ME]);
    if (LANE == 0)
        s[WARP] = v;
    __syncthreads();
    if (WARP == 0) {
        v = add_warp(LANE < B / 32 ? s[LANE] : 0);
        if (LANE == 0)
            out[blockIdx.x] = v;
    }
}
KERNEL(atomic_sum) { atomicAdd(&out[0], in[ME]); }
KERNEL(atomic_of_warps)
{
    int v = add_warp(in[ME]);
    if (LANE == 0)
        atomicAdd(&out[0], v);
}
KERNEL(atomic_of_blocks)
{
    __shared__ int s;
    if (T == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, in[ME]);
    __syncthreads();
    if (T == 0)
        atomicAdd(&out[0], s);
}
KERNEL(last_block) // the last block to come adds up what all have left
{
    __shared__ int s[B];
    __shared__ bool last;
    s[T] = in[ME];
    __syncthreads();
    add_tree(s, [] { __syncthreads(); });
    if (T == 0) {
        w[1 + blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&w[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0)
        for (unsigned b = 0; b < gridDim.x; b++)
            out[0] += w[1 + b];
}
KERNEL(last_block_all_fence) // every thread writes and fences, one draws the ticket for all
{
    __shared__ bool last;
    if (ME < 512)
        w[512 + ME] = in[ME] + in[ME + 512];
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicInc((unsigned *)&w[0], gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        out[T] = w[512 + T] + w[512 + B + T];
}

// ---- histograms, counters, compaction

KERNEL(histogram) { atomicAdd(&out[in[ME] % 16], in[ME]); }
KERNEL(private_histograms)
{
    __shared__ int bins[16];
    if (T < 16)
        bins[T] = 0;
    __syncthreads();
    atomicAdd(&bins[in[ME] % 16], in[ME]);
    __syncthreads();
    if (T < 16)
        atomicAdd(&out[T], bins[T]);
}
KERNEL(histogram_of_warps)
{
    __shared__ int bins[B / 32][16];
    if (LANE < 16)
        bins[WARP][LANE] = 0;
    __syncwarp();
    atomicAdd(&bins[WARP][in[ME] % 16], in[ME]);
    __syncthreads();
    if (T < 16) {
        int sum = 0;
        for (int i = 0; i < B / 32; i++)
            sum += bins[i][T];
        atomicAdd(&out[T], sum);
    }
}
KERNEL(tickets) { out[atomicAdd(&w[0], 1)] = in[ME]; }
KERNEL(warp_aggregated)
{
    unsigned odd = __ballot_sync(ALL, in[ME] & 1);
    int base = 0;
    if (LANE == 0)
        base = atomicAdd(&w[0], __popc(odd));
    base = __shfl_sync(ALL, base, 0);
    if (in[ME] & 1)
        out[base + __popc(odd & ((1u << LANE) - 1))] = in[ME];
    else
        out[N / 2 + ME / 2] = in[ME];
}
KERNEL(max_by_cas) // out[0] becomes N - 1, the rest is added
{
    int old = w[0 * ME] * 0;
    while (old < in[ME]) {
        int seen = atomicCAS(&w[1], old, in[ME]);
        if (seen == old)
            break;
        old = seen;
    }
    out[ME] = in[ME];
}
KERNEL(float_add_by_cas)
{
    int *word = &w[0], old = atomicAdd(word, 0), seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_int(__int_as_float(seen) + 1));
    } while (old != seen);
    out[ME] = in[ME];
}
KERNEL(exchange) { out[ME] = in[ME] + 0 * atomicExch(&w[0], (int)ME); }
KERNEL(match_and_add)
{
    int key = in[ME] % 4;
    unsigned peers = __match_any_sync(ALL, key);
    int leader = __ffs(peers) - 1;
    if ((int)LANE == leader)
        atomicAdd(&w[key], __popc(peers));
    out[ME] = in[ME];
}

// ---- scans

KERNEL(scan_two_buffers)
{
    __shared__ int s[2][B];
    int now = 0;
    s[0][T] = 1;
    for (int d = 1; d < B; d *= 2) {
        __syncthreads();
        s[1 - now][T] = s[now][T] + (T >= d ? s[now][T - d] : 0);
        now = 1 - now;
    }
    out[ME] = s[now][T] - 1 + (int)blockIdx.x * B;
}
KERNEL(scan_one_buffer)
{
    __shared__ int s[B];
    s[T] = 1;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int v = T >= d ? s[T - d] : 0;
        __syncthreads();
        s[T] += v;
        __syncthreads();
    }
    out[ME] = s[T] - 1 + (int)blockIdx.x * B;
}
KERNEL(scan_of_warps)
{
    __shared__ int sums[B / 32];
    int v = 1;
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(ALL, v, d);
        v += (int)LANE >= d ? up : 0;
    }
    if (LANE == 31)
        sums[WARP] = v;
    __syncthreads();
    for (int i = 0; i < (int)WARP; i++)
        v += sums[i];
    out[ME] = v - 1 + (int)blockIdx.x * B;
}

// ---- locks and flags

KERNEL(spin_lock)
{
    if (T == 0) {
        while (atomicCAS(&w[0], 0, 1) != 0) {
        }
        __threadfence();
        for (int i = 0; i < B; i++)
            out[0] += in[ME + i];
        __threadfence();
        atomicExch(&w[0], 0);
    }
}
KERNEL(lock_in_a_warp) // each lane in turn
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&w[0], 0, 1) == 0) {
            __threadfence();
            out[0] += in[ME];
            __threadfence();
            atomicExch(&w[0], 0);
            done = true;
        }
    }
}
KERNEL(lock_of_the_block)
{
    __shared__ int lock, sum;
    if (T == 0)
        lock = sum = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += in[ME];
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (T == 0)
        out[blockIdx.x] = sum;
}
KERNEL(ticket_lock)
{
    if (T == 0) {
        int mine = atomicAdd(&w[0], 1);
        while (atomicAdd(&w[1], 0) != mine) {
        }
        __threadfence();
        for (int i = 0; i < B; i++)
            out[0] += in[ME + i];
        __threadfence();
        atomicAdd(&w[1], 1);
    }
}
KERNEL(volatile_flag) // block 0 tells block 1
{
    volatile int *flag = &w[0];
    if (T == 0 && blockIdx.x == 0) {
        w[1] = 7;
        __threadfence();
        *flag = 1;
    }
    if (T == 0 && blockIdx.x == 1) {
        while (*flag == 0) {
        }
        __threadfence();
        out[ME] = in[ME] + w[1] - 7;
    } else {
        out[ME] = in[ME];
    }
}
KERNEL(chained_sum) // each block adds to what the one before it has published
{
    __shared__ int s[B];
    s[T] = in[ME];
    __syncthreads();
    add_tree(s, [] { __syncthreads(); });
    if (T == 0) {
        int before = 0;
        if (blockIdx.x) {
            while (atomicAdd(&w[2 * blockIdx.x - 1], 0) == 0) {
            }
            __threadfence();
            before = w[2 * blockIdx.x - 2];
        }
        w[2 * blockIdx.x] = before + s[0];
        __threadfence();
        atomicExch(&w[2 * blockIdx.x + 1], 1);
        if (blockIdx.x == gridDim.x - 1)
            out[0] = before + s[0];
    }
}
KERNEL(look_back) // value and flag in one word: no fence is needed
{
    volatile int *state = w;
    __shared__ int block;
    if (T == 0)
        block = atomicAdd(&w[N - 1], 1); // a ticket: the blocks before have begun
    __syncthreads();
    if (T == 0) {
        int before = 1;
        if (block)
            while ((before = state[block - 1]) == 0) {
            }
        state[block] = before + B;
        for (int i = 0; i < B; i++)
            out[before - 1 + i] = before - 1 + i;
    }
}

// ---- cooperative groups, cuda::

KERNEL(cg_block)
{
    __shared__ int s[B];
    cg::thread_block block = cg::this_thread_block();
    s[T] = in[ME];
    block.sync();
    out[ME] = s[T ^ 3];
}
KERNEL(cg_tile)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[ME];
    for (int d = 8; d; d /= 2)
        v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0)
        out[ME / 16] = v;
}
KERNEL(cg_tile_memory) // half warps order themselves alone
{
    __shared__ int s[B];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = in[ME];
    tile.sync();
    out[ME] = s[(T & ~15) + 15 - (T & 15)];
}
KERNEL(cg_reduce)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = cg::reduce(warp, in[ME], cg::plus<int>());
    if (warp.thread_rank() == 0)
        out[ME / 32] = v;
}
KERNEL(cg_coalesced)
{
    if (in[ME] & 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        int at = 0;
        if (g.thread_rank() == 0)
            at = atomicAdd(&w[0], (int)g.size());
        at = g.shfl(at, 0);
        out[at + g.thread_rank()] = in[ME];
    } else {
        out[N / 2 + ME / 2] = in[ME];
    }
}
KERNEL(cg_grid) // a launch of cooperating blocks
{
    w[ME] = in[ME];
    cg::this_grid().sync();
    out[ME] = w[N - 1 - ME];
}
KERNEL(cg_grid_steps)
{
    w[ME] = in[ME];
    for (int step = 0; step < 3; step++) {
        cg::this_grid().sync();
        int v = w[(ME + B) % N];
        cg::this_grid().sync();
        w[ME] = v;
    }
    out[ME] = w[ME];
}
KERNEL(atomic_ref_flag)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(w[0]);
    if (T == 0 && blockIdx.x == 0) {
        w[1] = 5;
        flag.store(1, cuda::memory_order_release);
    }
    if (T == 0 && blockIdx.x == 2)
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
    out[ME] = in[ME] + (T == 0 && blockIdx.x == 2 ? w[1] - 5 : 0);
}
KERNEL(atomic_ref_sum)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]);
    sum.fetch_add(in[ME], cuda::memory_order_relaxed);
}
KERNEL(last_arrival) // who counts down to the end, of a warp that does so in one instruction, lets all go on
{
    __shared__ int s[B], left, done;
    if (T == 0)
        left = B, done = 0;
    __syncthreads();
    s[T] = in[ME];
    cuda::atomic_ref<int, cuda::thread_scope_block> count(left), flag(done);
    if (count.fetch_sub(1, cuda::memory_order_acq_rel) == 1)
        flag.store(1, cuda::memory_order_release);
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[ME] = s[B - 1 - T];
}
KERNEL(cuda_barrier)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[B];
    if (T == 0)
        init(&bar, B);
    __syncthreads();
    s[T] = in[ME];
    bar.arrive_and_wait();
    out[ME] = s[B - 1 - T];
}
KERNEL(cuda_barrier_split)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[B];
    if (T == 0)
        init(&bar, B);
    __syncthreads();
    s[T] = in[ME];
    auto token = bar.arrive();
    int mine = in[ME] * 0;
    bar.wait(std::move(token));
    out[ME] = s[T ^ 64] + mine;
}

// ---- named barriers, parts of a block, parts of a warp

KERNEL(named_pairs) // two warps meet, and no other
{
    __shared__ int s[B];
    s[T] = in[ME];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + T / 64) : "memory");
    out[ME] = s[T ^ 32];
}
KERNEL(producer_consumer) // warps 0-3 fill, warps 4-7 use; full is barrier 1, empty is barrier 2
{
    __shared__ int s[128];
    if (T < 128) {
        for (int i = 0; i < 2; i++) {
            if (i)
                asm volatile("bar.sync 2, 256;" ::: "memory");
            s[T] = in[blockIdx.x * B + i * 128 + T];
            asm volatile("bar.arrive 1, 256;" ::: "memory");
        }
    } else {
        for (int i = 0; i < 2; i++) {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            out[blockIdx.x * B + i * 128 + T - 128] = s[255 - T];
            if (i == 0)
                asm volatile("bar.arrive 2, 256;" ::: "memory");
        }
    }
}
KERNEL(half_warps)
{
    __shared__ int s[B];
    unsigned mine = LANE < 16 ? 0x0000FFFFu : 0xFFFF0000u;
    s[T] = in[ME];
    __syncwarp(mine);
    out[ME] = s[T ^ 15];
}
KERNEL(divergent_halves) // both sides of a branch sync among themselves
{
    __shared__ int s[B];
    if (LANE < 16) {
        s[T] = in[ME];
        __syncwarp(0x0000FFFFu);
        out[ME] = s[T ^ 1];
    } else {
        s[T] = in[ME];
        __syncwarp(0xFFFF0000u);
        out[ME] = s[T ^ 2];
    }
}
KERNEL(votes)
{
    int v = in[ME];
    bool all = __all_sync(ALL, v >= 0), any = __any_sync(ALL, v < 0);
    out[ME] = all && !any ? v : 0;
}
KERNEL(count_and_vote)
{
    int odd = __syncthreads_count(in[ME] & 1);
    out[ME] = odd == B / 2 ? in[ME] : 0;
}
KERNEL(bitonic)
{
    __shared__ int s[B];
    s[T] = in[blockIdx.x * B + B - 1 - T];
    __syncthreads();
    for (int k = 2; k <= B; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int other = (int)T ^ j;
            if (other > (int)T) {
                int a = s[T], b = s[other];
                if ((a > b) == ((T & k) == 0)) {
                    s[T] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    out[ME] = s[T] == in[ME] ? in[ME] : 0;
}
KERNEL(odd_even_sort)
{
    __shared__ int s[32];
    if (WARP == 0) {
        s[LANE] = 31 - LANE;
        __syncwarp();
        for (int step = 0; step < 32; step++) {
            int i = 2 * LANE + (step & 1);
            if (i + 1 < 32 && s[i] > s[i + 1]) {
                int t = s[i];
                s[i] = s[i + 1];
                s[i + 1] = t;
            }
            __syncwarp();
        }
        out[ME] = in[ME] + s[LANE] - (int)LANE;
    } else {
        out[ME] = in[ME];
    }
}
KERNEL(both_sides) // one operation of the warp, written on each side of a branch
{
    __shared__ int s[B];
    int got;
    if (T & 1) {
        s[T] = in[ME];
        __syncwarp();
        got = __shfl_xor_sync(~0u, s[T ^ 1], 1);
    } else {
        s[T] = in[ME] + 1000;
        __syncwarp();
        int other = s[T ^ 1];
        out[ME] = other;
        got = __shfl_xor_sync(~0u, other, 1) - 1000;
    }
    out[ME] = got;
}
KERNEL(lane_by_hand) // nvcc takes the value of the asm for one that all lanes have, and parts the loop's shuffles by it
{
    int lane, v = in[ME];
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(~0u, v, d);
        v += lane < d ? 0 : below;
    }
    int before = __shfl_up_sync(~0u, v, 1);
    out[ME] = v - (lane == 0 ? 0 : before);
}
KERNEL(async_copy)
{
    __shared__ int s[B];
    __pipeline_memcpy_async(&s[T], &in[ME], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = s[B - 1 - T];
}

struct Test {
    const char *name;
    void (*kernel)(int *, const int *, int *);
    bool cooperative;
};
#define ROW(name) {#name, name, false}
static const Test tests[] = {
    ROW(copy), ROW(reverse_all), ROW(grid_stride), ROW(vectors), ROW(bytes_apart), ROW(halves_apart),
    ROW(reverse_block), ROW(tile_loop), ROW(two_tiles), ROW(transpose), ROW(halo), ROW(two_arrays_exchanged), ROW(walks_past_the_ends),
    ROW(parts_of_one), ROW(dynamic_shared),
    ROW(local_array), ROW(local_by_pointer), ROW(local_frames), ROW(local_struct), ROW(local_vector),
    ROW(local_part), ROW(early_return), ROW(tree), ROW(tree_from_below), ROW(warp_tail), ROW(volatile_tail),
    ROW(shuffles), ROW(warps_then_block), ROW(atomic_sum), ROW(atomic_of_warps), ROW(atomic_of_blocks),
    ROW(last_block), ROW(last_block_all_fence), ROW(histogram), ROW(private_histograms), ROW(histogram_of_warps),
    ROW(tickets), ROW(warp_aggregated), ROW(max_by_cas), ROW(float_add_by_cas), ROW(exchange), ROW(match_and_add),
    ROW(scan_two_buffers), ROW(scan_one_buffer), ROW(scan_of_warps), ROW(spin_lock), ROW(lock_in_a_warp),
    ROW(lock_of_the_block), ROW(ticket_lock), ROW(volatile_flag), ROW(chained_sum), ROW(look_back), ROW(cg_block),
    ROW(cg_tile), ROW(cg_tile_memory), ROW(cg_reduce), ROW(cg_coalesced), {"cg_grid", cg_grid, true},
    {"cg_grid_steps", cg_grid_steps, true}, ROW(atomic_ref_flag), ROW(atomic_ref_sum), ROW(last_arrival), ROW(cuda_barrier),
    ROW(cuda_barrier_split), ROW(named_pairs), ROW(producer_consumer), ROW(half_warps), ROW(divergent_halves),
    ROW(votes), ROW(count_and_vote), ROW(bitonic), ROW(odd_even_sort), ROW(both_sides), ROW(lane_by_hand), ROW(async_copy),
};

// Prints a line "name right" or "name wrong" for each kernel, or for the one that is named.
int main()
{
    int host[N], *in, *out, *w;
    bool all_right = true;
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&w, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (const Test &test : tests) {
        cudaMemset(out, 0, sizeof host);
        cudaMemset(w, 0, sizeof host);
        const int *input = in;
        void *arguments[] = {&out, &input, &w};
        cudaError_t e = test.cooperative
                            ? cudaLaunchCooperativeKernel(test.kernel, dim3(N / B), dim3(B), arguments, 0, 0)
                            : cudaLaunchKernel(test.kernel, dim3(N / B), dim3(B), arguments, B * sizeof(int), 0);
        if (e == cudaSuccess)
            e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        int sum = 0;
        for (int i = 0; i < N; i++)
            sum += host[i];
        bool good = e == cudaSuccess && sum == N * (N - 1) / 2;
        printf("%s %s\n", test.name, good ? "right" : cudaGetErrorString(e));
        all_right &= good;
    }
    cudaFree(in);
    cudaFree(out);
    cudaFree(w);
    return !all_right;
}
