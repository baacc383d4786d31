// One planted bug each: `planted NAME bug` runs it, `planted NAME right` its right twin. The comment "bug: NAME"
// marks the line that is to blame.
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 512, B = 128 };
enum : unsigned { ALL = 0xFFFFFFFFu };

static int *a, *b; // N ints each, a[i] = i and b[i] = 0 on the device

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define T  threadIdx.x

// ---- memory

__global__ void near_kernel(int *x, int n, int slip)
{
    int i = ME;
    if (i < n + slip)
        x[i] = i; // bug: near
}
static void near(bool bug)
{
    near_kernel<<<N / B + 1, B>>>(b, N, bug);
}
__global__ void far_kernel(int *x, int by)
{
    x[ME + (size_t)by] = 1; // bug: far
}
static void far(bool bug)
{
    far_kernel<<<N / B, B>>>(b, bug ? 1 << 28 : 0);
}
namespace outer {
__device__ int inside[4];
}
__global__ void past_variable_kernel(int slip)
{
    outer::inside[T + slip] = 1; // bug: past_variable
}
static void past_variable(bool bug)
{
    past_variable_kernel<<<1, 4>>>(bug);
}
__global__ void before_kernel(const int *x, int *y, int first)
{
    int i = ME;
    if (i >= first)
        y[i] = x[i - 1]; // bug: before
}
static void before(bool bug)
{
    before_kernel<<<N / B, B>>>(a, b, !bug);
}
__global__ void shared_bounds_kernel(int *x, int beyond)
{
    __shared__ int s[B];
    s[T] = x[ME];
    __syncthreads();
    x[ME] = s[T + beyond]; // bug: shared_bounds
}
static void shared_bounds(bool bug)
{
    shared_bounds_kernel<<<N / B, B>>>(b, bug);
}
__global__ void shared_neighbour_kernel(int *x, int beyond)
{
    __shared__ int s[B], t[B];
    s[T] = x[ME];
    t[T] = 1;
    __syncthreads();
    x[ME] = s[T + beyond] * t[B - 1 - T]; // bug: shared_neighbour
}
static void shared_neighbour(bool bug)
{
    shared_neighbour_kernel<<<N / B, B>>>(b, bug);
}
__global__ void shared_before_kernel(int *x, int first)
{
    __shared__ int s[B], t[B];
    s[T] = t[T] = x[ME];
    __syncthreads();
    if ((int)T >= first)
        x[ME] = t[T - 1] * s[B - 1 - T]; // bug: shared_before
}
static void shared_before(bool bug)
{
    shared_before_kernel<<<N / B, B>>>(b, !bug);
}
__global__ void dynamic_before_kernel(int *x, int first)
{
    __shared__ int s[B];
    extern __shared__ int d[];
    s[T] = d[T] = x[ME];
    __syncthreads();
    if ((int)T >= first)
        x[ME] = d[T - 1] * s[B - 1 - T]; // bug: dynamic_before
}
static void dynamic_before(bool bug)
{
    dynamic_before_kernel<<<N / B, B, B * sizeof(int)>>>(b, !bug);
}
__global__ void freed_kernel(int *x)
{
    x[ME] = 1; // bug: freed
}
static void freed(bool bug)
{
    int *x;
    cudaMalloc(&x, N * sizeof(int));
    if (bug)
        cudaFree(x);
    freed_kernel<<<N / B, B>>>(x);
    cudaDeviceSynchronize();
    if (!bug)
        cudaFree(x);
}
static void double_free(bool bug)
{
    int *x;
    cudaMalloc(&x, N * sizeof(int));
    cudaFree(x);
    cudaFree(bug ? x : NULL); // bug: double_free
}
static void leak(bool bug)
{
    int *x;
    cudaMalloc(&x, N * sizeof(int)); // bug: leak
    if (!bug)
        cudaFree(x);
}
__global__ void read_kernel(const int *x, int *y)
{
    y[ME] = x[ME]; // bug: host_pointer
}
static void host_pointer(bool bug)
{
    int *host = (int *)calloc(N, sizeof(int));
    read_kernel<<<N / B, B>>>(bug ? host : a, b);
    cudaDeviceSynchronize();
    free(host);
}
__global__ void null_kernel(const int *x, int *y)
{
    y[ME] = x[ME]; // bug: null_pointer
}
static void null_pointer(bool bug)
{
    null_kernel<<<N / B, B>>>(bug ? NULL : a, b);
}
__global__ void misaligned_kernel(const int *x, int *y, int off)
{
    int4 v = *(const int4 *)(x + 4 * T + off); // bug: misaligned
    y[T] = v.x + v.w;
}
static void misaligned(bool bug)
{
    misaligned_kernel<<<1, B / 4>>>(a, b, bug);
}

// ---- initialisation

__global__ void uninit_kernel(const int *x, int *y)
{
    y[ME] = x[ME]; // bug: uninit_global
}
static void to_host()
{
    static int out[N];
    cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
}
static void uninit_global(bool bug)
{
    int *x;
    cudaMalloc(&x, N * sizeof(int));
    if (!bug)
        cudaMemset(x, 0, N * sizeof(int));
    uninit_kernel<<<N / B, B>>>(x, b);
    to_host();
    cudaFree(x);
}
__global__ void uninit_shared_kernel(int *y, int n)
{
    __shared__ int s[B];
    if ((int)T < n)
        s[T] = T;
    __syncthreads();
    y[ME] = s[B - 1 - T]; // bug: uninit_shared
}
static void uninit_shared(bool bug)
{
    uninit_shared_kernel<<<N / B, B>>>(b, bug ? B - 1 : B);
    to_host();
}

// ---- races

__global__ void missing_barrier_kernel(int *y, bool bug)
{
    __shared__ int s[B];
    s[T] = T; // bug: missing_barrier
    if (!bug)
        __syncthreads();
    y[ME] = s[B - 1 - T];
}
static void missing_barrier(bool bug)
{
    missing_barrier_kernel<<<N / B, B>>>(b, bug);
}
__device__ unsigned told_arrived;
__global__ void told_by_shuffle_kernel(int *y, bool bug) // the last block adds up; lane 0 alone has waited for the others, and a shuffle orders no memory
{
    int last = 0, lane = T % 32;
    if (T >= 32)
        return;
    if (lane == 0) {
        y[blockIdx.x] = blockIdx.x; // bug: told_by_shuffle
        __threadfence();
        last = atomicInc(&told_arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    last = __shfl_sync(ALL, last, 0);
    if (!last)
        return;
    if (!bug)
        __syncwarp();
    int sum = lane < gridDim.x ? y[lane] : 0;
    atomicAdd(&y[N - 1], sum);
}
static void told_by_shuffle(bool bug)
{
    told_by_shuffle_kernel<<<N / B, B>>>(b, bug);
}
__global__ void tile_reuse_kernel(const int *x, int *y, bool bug)
{
    __shared__ int s[B];
    for (int t = 0; t < 2; t++) {
        s[T] = x[t * B + T]; // bug: tile_reuse
        __syncthreads();
        if (t == (int)blockIdx.x % 2)
            y[ME] = s[B - 1 - T];
        if (!bug)
            __syncthreads();
    }
}
static void tile_reuse(bool bug)
{
    tile_reuse_kernel<<<N / B, B>>>(a, b, bug);
}
__global__ void write_write_kernel(int *y, int share)
{
    __shared__ int s[B];
    s[T / share] = T; // bug: write_write
    __syncthreads();
    y[ME] = s[T / share];
}
static void write_write(bool bug)
{
    write_write_kernel<<<N / B, B>>>(b, bug ? 64 : 1);
}
__global__ void missing_syncwarp_kernel(int *y, bool bug)
{
    __shared__ int s[32];
    s[T] = T;
    __syncwarp();
    int v = s[T ^ 1]; // bug: missing_syncwarp
    if (!bug)
        __syncwarp();
    s[T] = v;
    __syncwarp();
    y[T] = s[T];
}
static void missing_syncwarp(bool bug)
{
    missing_syncwarp_kernel<<<1, 32>>>(b, bug);
}
__global__ void blocks_kernel(int *y, bool bug)
{
    if (bug)
        y[0] += 1; // bug: global_race
    else
        atomicAdd(&y[0], 1);
}
static void global_race(bool bug)
{
    blocks_kernel<<<4, 1>>>(b, bug);
}
__global__ void neighbours_kernel(const int *x, int *y)
{
    y[ME] = x[(ME + 1) % N] + 1; // bug: in_place_stencil
}
static void in_place_stencil(bool bug)
{
    neighbours_kernel<<<N / B, B>>>(bug ? b : a, b);
}
__global__ void no_fence_kernel(int *y, bool bug)
{
    volatile int *flag = y + 1;
    if (blockIdx.x == 0) {
        y[0] = 7; // bug: no_fence
        if (!bug)
            __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        y[2] = y[0];
    }
}
static void no_fence(bool bug)
{
    no_fence_kernel<<<2, 1>>>(b, bug);
}
__global__ void lock_kernel(int *y, bool bug)
{
    while (atomicCAS(&y[0], 0, 1) != 0) {
    }
    if (!bug)
        __threadfence();
    y[1] = y[1] + 1; // bug: lock_without_fence
    if (!bug)
        __threadfence();
    atomicExch(&y[0], 0);
}
static void lock_without_fence(bool bug)
{
    lock_kernel<<<4, 1>>>(b, bug);
}
__global__ void wrong_barrier_kernel(int *y, bool bug)
{
    __shared__ int s[B];
    s[T] = T; // bug: wrong_barrier
    asm volatile("bar.sync %0, 64;" ::"r"(1 + T / 64) : "memory");
    y[ME] = s[bug ? T ^ 64 : T ^ 32];
}
static void wrong_barrier(bool bug)
{
    wrong_barrier_kernel<<<N / B, B>>>(b, bug);
}

// ---- synchronisation

__global__ void half_block_kernel(int *y, unsigned n)
{
    if (T >= n)
        return;
    __syncthreads(); // bug: half_block
    y[ME] = T;
}
static void half_block(bool bug)
{
    half_block_kernel<<<N / B, B>>>(b, bug ? B / 2 : B);
}
__global__ void divergent_kernel(int *y, unsigned n)
{
    if (T % 32 < n) {
        y[ME] = T;
        __syncthreads(); // bug: divergent
        y[ME] += 1;
    } else {
        y[ME] = 2;
        __syncthreads();
        y[ME] += 3;
    }
}
static void divergent(bool bug)
{
    divergent_kernel<<<N / B, B>>>(b, bug ? 16 : 32);
}
// A group's barrier may be reached from two places, __syncthreads may not.
__global__ void other_side_kernel(int *y, unsigned n)
{
    if (T % 32 < n) {
        y[ME] = T;
        asm volatile("barrier.sync 0;" ::: "memory");
    } else {
        y[ME] = 2;
        __syncthreads(); // bug: other_side
    }
    y[ME] += 1;
}
static void other_side(bool bug)
{
    other_side_kernel<<<N / B, B>>>(b, bug ? 16 : 32);
}
// One thread in two begins its array at element `skip`.
__global__ void uninit_local_kernel(const int *x, int *y, int skip)
{
    int mine[8];
    for (int i = T % 2 * skip; i < 8; i++)
        mine[i] = x[i];
    y[ME] = mine[T / 2 % 8]; // bug: uninit_local
}
static void uninit_local(bool bug)
{
    uninit_local_kernel<<<N / B, B>>>(a, b, bug);
    to_host();
}
// The right one sets its sums in the first turn, and has a variable that only some threads set and use.
template <bool SET> __global__ void unset_sums_kernel(const int *x, int *y, int turns)
{
    int sum[4], last;
    bool any = false;
    for (int i = 0; i < turns; i++)
        for (int k = 0; k < 4; k++)
            if (SET && i == 0)
                sum[k] = x[k];
            else
                sum[k] += x[(i * 4 + k) % N]; // bug: unset_sums
    for (int i = T; i < turns; i += 3) {
        last = x[i];
        any = true;
    }
    y[ME] = sum[0] + sum[1] + sum[2] + sum[3] + (any ? last : 0);
}
static void unset_sums(bool bug)
{
    if (bug)
        unset_sums_kernel<false><<<N / B, B>>>(a, b, 9);
    else
        unset_sums_kernel<true><<<N / B, B>>>(a, b, 9);
}
__global__ void shuffle_kernel(int *y, unsigned n)
{
    int value = T;
    if (T < n)
        value = __shfl_xor_sync(ALL, value, 1); // bug: shuffle_mask
    y[T] = value;
}
static void shuffle_mask(bool bug)
{
    shuffle_kernel<<<1, 32>>>(b, bug ? 20 : 32);
}
__global__ void shuffle_exited_kernel(int *y, unsigned n)
{
    if (T >= n)
        return;
    y[T] = __shfl_down_sync(ALL, (int)T, 1); // bug: shuffle_exited
}
static void shuffle_exited(bool bug)
{
    shuffle_exited_kernel<<<1, 32>>>(b, bug ? 20 : 32);
}
__global__ void shuffle_unnamed_kernel(int *y, int width)
{
    int value = T;
    if (T < 16)
        value = __shfl_down_sync(0xFFFF, value, 8, width); // bug: shuffle_unnamed
    y[T] = value;
}
__global__ void shuffle_undefined_kernel(int *y, unsigned n)
{
    int sum = T < n ? T : 0;
    unsigned there = __ballot_sync(ALL, T < n);
    if (T < n)
        for (int d = 16; d > 0; d /= 2) {
            int above = __shfl_down_sync(there, sum, d); // bug: shuffle_undefined
            sum += above;
        }
    if (T == 0)
        y[0] = sum;
}
static void shuffle_undefined(bool bug)
{
    shuffle_undefined_kernel<<<1, 32>>>(b, bug ? 20 : 32);
}
static void shuffle_unnamed(bool bug)
{
    shuffle_unnamed_kernel<<<1, 32>>>(b, bug ? 32 : 16);
}

// ---- scopes and fences: x[0] is the lock or flag, x[1] the counter or the data

__global__ void count_in_block_kernel(int *x, int narrow)
{
    if (narrow)
        atomicAdd_block(&x[1], 1); // bug: count_in_block
    else
        atomicAdd(&x[1], 1);
}
static void count_in_block(bool bug)
{
    count_in_block_kernel<<<4, B>>>(b, bug);
}
__global__ void mixed_scopes_kernel(int *x, int narrow)
{
    if (blockIdx.x == 0 && narrow)
        atomicMax_block(&x[1], (int)T); // bug: mixed_scopes
    else
        atomicMax(&x[1], (int)T);
}
static void mixed_scopes(bool bug)
{
    mixed_scopes_kernel<<<2, B>>>(b, bug);
}
template <cuda::thread_scope S> __global__ void typed_counter_kernel(int *x)
{
    cuda::atomic_ref<int, S> count(x[1]);
    count.fetch_add(1, cuda::memory_order_relaxed); // bug: typed_counter
}
static void typed_counter(bool bug)
{
    if (bug)
        typed_counter_kernel<cuda::thread_scope_block><<<4, B>>>(b);
    else
        typed_counter_kernel<cuda::thread_scope_device><<<4, B>>>(b);
}
__global__ void narrow_lock_kernel(int *x, int narrow)
{
    if (T)
        return;
    while (narrow ? atomicCAS_block(&x[0], 0, 1) : atomicCAS(&x[0], 0, 1)) {
    }
    __threadfence();
    x[1] += 1; // bug: narrow_lock
    __threadfence();
    if (narrow)
        atomicExch_block(&x[0], 0);
    else
        atomicExch(&x[0], 0);
}
static void narrow_lock(bool bug)
{
    narrow_lock_kernel<<<4, B>>>(b, bug);
}
__global__ void no_acquire_kernel(int *x, int fence)
{
    if (T)
        return;
    while (atomicCAS(&x[0], 0, 1)) {
    }
    if (fence)
        __threadfence();
    x[1] += 1; // bug: no_acquire
    __threadfence();
    atomicExch(&x[0], 0);
}
static void no_acquire(bool bug)
{
    no_acquire_kernel<<<4, B>>>(b, !bug);
}
__global__ void narrow_fence_kernel(int *x, int narrow)
{
    if (T)
        return;
    if (blockIdx.x == 0) {
        x[1] = 7;
        if (narrow)
            __threadfence_block();
        else
            __threadfence();
        atomicExch(&x[0], 1);
    } else {
        while (!atomicAdd(&x[0], 0)) {
        }
        __threadfence();
        x[2] = x[1]; // bug: narrow_fence
    }
}
static void narrow_fence(bool bug)
{
    narrow_fence_kernel<<<2, B>>>(b, bug);
}
template <cuda::memory_order Order> __global__ void relaxed_poll_kernel(int *x)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(x[0]);
    if (T)
        return;
    if (blockIdx.x == 0) {
        x[1] = 7;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (!flag.load(Order)) {
        }
        x[2] = x[1]; // bug: relaxed_poll
    }
}
static void relaxed_poll(bool bug)
{
    if (bug)
        relaxed_poll_kernel<cuda::memory_order_relaxed><<<2, B>>>(b);
    else
        relaxed_poll_kernel<cuda::memory_order_acquire><<<2, B>>>(b);
}
__global__ void volatile_poll_kernel(int *x, int fence)
{
    volatile int *flag = x;
    if (T)
        return;
    if (blockIdx.x == 0) {
        x[1] = 7;
        __threadfence();
        *flag = 1;
    } else {
        while (!*flag) {
        }
        if (fence)
            __threadfence();
        x[2] = x[1]; // bug: volatile_poll
    }
}
static void volatile_poll(bool bug)
{
    volatile_poll_kernel<<<2, B>>>(b, !bug);
}

__global__ void volatile_sum_kernel(int *x, int sync) // a warp that relies on running in step
{
    volatile int *v = x;
    for (int step = 16; step > 0; step /= 2) {
        if (T < step)
            v[T] += v[T + step]; // bug: volatile_sum
        if (sync)
            __syncwarp();
    }
}
static void volatile_sum(bool bug)
{
    volatile_sum_kernel<<<1, 32>>>(a, !bug);
}
__global__ void volatile_data_kernel(int *x, int fences)
{
    volatile int *flag = x, *data = x + 1;
    if (T)
        return;
    if (blockIdx.x == 0) {
        *data = 7;
        if (fences)
            __threadfence();
        *flag = 1;
    } else {
        while (!*flag) {
        }
        if (fences)
            __threadfence();
        x[2] = *data + 1; // bug: volatile_data
    }
}
static void volatile_data(bool bug)
{
    volatile_data_kernel<<<2, B>>>(b, !bug);
}

__global__ void outside_mask_kernel(int *x, int lanes)
{
    if (T < lanes) {
        x[T] = T;
        __syncwarp(0xF); // bug: outside_mask
        x[T + 32] = x[3 - T % 4];
    }
}
static void outside_mask(bool bug)
{
    outside_mask_kernel<<<1, 32>>>(b, bug ? 6 : 4);
}

__constant__ int fixed[4];
__global__ void constant_kernel(int *y, int i, int n)
{
    if (i < n)
        y[i] = fixed[i];
    else
        fixed[i] = 1;
}
static void constant_written(bool bug)
{
    constant_kernel<<<1, 1>>>(b, 2, bug ? 2 : 4);
}

__global__ void ragged_kernel(const int *first, int *sum, int atomic) // rows of a sparse matrix: as many turns as each has
{
    __shared__ int s[4];
    if (T < 4)
        s[T] = 0;
    __syncthreads();
    for (int i = first[T] % 7; i < first[T] % 5 + 7; i++)
        if (atomic)
            atomicAdd(&s[i % 4], 1);
        else
            s[i % 4] += 1; // bug: ragged_loop
    __syncthreads();
    sum[T] = s[T % 4];
}
static void ragged_loop(bool bug)
{
    ragged_kernel<<<1, B>>>(a, b, !bug);
}

// ---- managed memory

__global__ void add_kernel(const int *x, int *y)
{
    y[ME] += x[ME]; // bug: uninit_managed
}
static int *managed(int n)
{
    int *x;
    cudaMallocManaged(&x, n * sizeof(int));
    return x;
}
static void uninit_managed(bool bug) // two pages; the host fills the first one, and for the second forgets to
{
    int *x = managed(2048);
    for (int i = 0; i < 2048; i += bug ? 2048 : 1)
        x[i] = 0;
    add_kernel<<<N / B, B>>>(a, x);
    add_kernel<<<N / B, B>>>(a, x + 1024);
    cudaDeviceSynchronize();
    cudaFree(x);
}
__global__ void past_managed_kernel(const int *x, int *y, int n)
{
    if (ME < n)
        y[ME] = x[ME]; // bug: past_managed
}
static void past_managed(bool bug) // behind it lies memory of the host, which a kernel may not read
{
    enum { SHORTER = N - 37 };
    int *x = managed(SHORTER);
    for (int i = 0; i < SHORTER; i++)
        x[i] = i;
    past_managed_kernel<<<N / B, B>>>(x, a, bug ? N : SHORTER);
    cudaDeviceSynchronize();
    cudaFree(x);
}
__global__ void halve_kernel(int *x)
{
    x[ME] /= 2; // bug: uninit_managed_rest
}
static void uninit_managed_rest(bool bug) // a fill counts bytes, not elements
{
    int *x = managed(N);
    cudaMemset(x, 0, bug ? N : N * sizeof(int));
    halve_kernel<<<N / B, B>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
__global__ void result_kernel(int *x, int n)
{
    atomicAdd(&x[1], n + x[0]);
}
static void second_touch(bool bug) // the first touch of the page is of what the kernel only reads
{
    int *x = managed(4), sum;
    x[0] = 1;
    x[1] = 0;
    result_kernel<<<1, 1>>>(x, 5);
    sum = x[0];
    if (!bug)
        cudaDeviceSynchronize();
    sum += x[1]; // bug: second_touch
    cudaDeviceSynchronize();
    if (sum < 0)
        puts("never");
    cudaFree(x);
}

struct Bug {
    const char *name;
    void (*run)(bool bug);
};
// Behind each row: the kind of finding.
static const Bug bugs[] = {
    {"near", near}, // out-of-bounds
    {"past_variable", past_variable}, // out-of-bounds
    {"far", far}, // out-of-bounds
    {"before", before}, // out-of-bounds
    {"shared_bounds", shared_bounds}, // out-of-bounds
    {"shared_neighbour", shared_neighbour}, // out-of-bounds
    {"shared_before", shared_before}, // out-of-bounds
    {"dynamic_before", dynamic_before}, // out-of-bounds
    {"double_free", double_free}, // double-free
    {"leak", leak}, // leak
    {"host_pointer", host_pointer}, // host-pointer
    {"past_managed", past_managed}, // out-of-bounds
    {"null_pointer", null_pointer}, // null-pointer
    {"misaligned", misaligned}, // misaligned
    {"uninit_global", uninit_global}, // uninitialized
    {"uninit_shared", uninit_shared}, // uninitialized
    {"uninit_local", uninit_local}, // uninitialized
    {"unset_sums", unset_sums},     // unset-variable
    {"missing_barrier", missing_barrier}, // race
    {"tile_reuse", tile_reuse}, // race
    {"told_by_shuffle", told_by_shuffle}, // race
    {"write_write", write_write}, // race
    {"missing_syncwarp", missing_syncwarp}, // race
    {"global_race", global_race}, // race
    {"in_place_stencil", in_place_stencil}, // race
    {"no_fence", no_fence}, // race
    {"lock_without_fence", lock_without_fence}, // race
    {"wrong_barrier", wrong_barrier}, // race
    {"count_in_block", count_in_block}, // race
    {"mixed_scopes", mixed_scopes}, // race
    {"typed_counter", typed_counter}, // race
    {"narrow_lock", narrow_lock}, // race
    {"no_acquire", no_acquire}, // race
    {"narrow_fence", narrow_fence}, // race
    {"relaxed_poll", relaxed_poll}, // race
    {"volatile_poll", volatile_poll}, // race
    {"volatile_sum", volatile_sum}, // volatile
    {"volatile_data", volatile_data}, // volatile
    {"half_block", half_block}, // barrier-exited
    {"divergent", divergent}, // barrier-divergent
    {"other_side", other_side}, // barrier-divergent
    {"shuffle_mask", shuffle_mask}, // sync-mask
    {"outside_mask", outside_mask}, // sync-mask
    {"shuffle_exited", shuffle_exited}, // shuffle-source
    {"shuffle_unnamed", shuffle_unnamed}, // shuffle-unnamed
    {"shuffle_undefined", shuffle_undefined}, // shuffle-undefined
    {"constant_written", constant_written}, // its line is the compiler's
    {"freed", freed}, // use-after-free
    {"ragged_loop", ragged_loop}, // race
    {"uninit_managed", uninit_managed}, // uninitialized
    {"uninit_managed_rest", uninit_managed_rest}, // uninitialized
    {"second_touch", second_touch}, // host-race
};

int main(int argc, char **argv)
{
    int host[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof host);
    for (const Bug &bug : bugs)
        if (argc > 2 && strcmp(bug.name, argv[1]) == 0)
            bug.run(strcmp(argv[2], "bug") == 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
