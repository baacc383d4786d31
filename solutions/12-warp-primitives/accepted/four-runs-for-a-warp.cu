// expect: pass
// A warp has four runs; lanes and masks come from special registers. nvcc takes the lane for the same in all lanes, and parts the shuffles of run_scans by it.
#include "lab.h"
#include "warp_primitives.h"

#include <limits.h>
#include <utility>

static const unsigned FULL = 0xffffffffu;
constexpr int MANY = 4;      // runs of a warp
constexpr int THREADS = 128; // of a block
constexpr int ELEMENTS = THREADS * MANY;

__device__ __forceinline__ unsigned lane_number()
{
    unsigned l;
    asm("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}

__device__ __forceinline__ unsigned lower_lanes()
{
    unsigned m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

// The first element of the first of the four runs.
__device__ __forceinline__ int my_runs()
{
    return (blockIdx.x * (THREADS / RUN) + threadIdx.x / RUN) * (RUN * MANY);
}

__device__ __forceinline__ void load(int (&v)[MANY], const int *in, int n, int instead)
{
    const int i = my_runs() + lane_number();
#pragma unroll
    for (int k = 0; k < MANY; k++)
        v[k] = i + k * RUN < n ? __ldg(in + i + k * RUN) : instead;
}

template <typename F> __device__ __forceinline__ void store(int *out, int n, F value)
{
    const int i = my_runs() + lane_number();
#pragma unroll
    for (int k = 0; k < MANY; k++)
        if (i + k * RUN < n)
            out[i + k * RUN] = value(k);
}

// Half of the lanes keep one run, the other half the other one: six exchanges for four sums instead of twenty.
__device__ __forceinline__ int keep_one(int low, int high, int s)
{
    const bool upper = lane_number() & s;
    const int mine = upper ? high : low, theirs = upper ? low : high;
    return mine + __shfl_xor_sync(FULL, theirs, s);
}

__global__ void sums_of_four(const int *in, int *sums, int n)
{
    int v[MANY];
    load(v, in, n, 0);
    const int a = keep_one(v[0], v[2], 16), b = keep_one(v[1], v[3], 16);
    int sum = keep_one(a, b, 8);
    sum += __shfl_xor_sync(FULL, sum, 4);
    sum += __shfl_xor_sync(FULL, sum, 2);
    sum += __shfl_xor_sync(FULL, sum, 1);
    const int lane = lane_number(), run = my_runs() / RUN + lane / 16 * 2 + lane / 8 % 2;
    if (lane % 8 == 0 && run * RUN < n)
        sums[run] = sum;
}

__global__ void scans_of_four(const int *in, int *out, int n)
{
    int v[MANY];
    load(v, in, n, 0);
    const int lane = lane_number();
#pragma unroll
    for (int d = 1; d < RUN; d *= 2)
#pragma unroll
        for (int k = 0; k < MANY; k++) {
            const int below = __shfl_up_sync(FULL, v[k], d);
            v[k] += lane < d ? 0 : below;
        }
    store(out, n, [&](int k) { return v[k]; });
}

template <int WIDTH> __global__ void below_of_four(const int *in, int *out, int n)
{
    int v[MANY], top[MANY];
    load(v, in, n, INT_MIN);
#pragma unroll
    for (int k = 0; k < MANY; k++) {
        top[k] = v[k];
#pragma unroll
        for (int s = WIDTH / 2; s > 0; s /= 2)
            top[k] = max(top[k], __shfl_down_sync(FULL, top[k], s, WIDTH)); // at the end of a group: its own
        top[k] = __shfl_sync(FULL, top[k], 0, WIDTH);                       // from the first of the group to all
    }
    store(out, n, [&](int k) { return top[k] - v[k]; });
}

__global__ void front_of_four(const int *in, int *out, int n)
{
    int v[MANY];
    load(v, in, n, 0);
    const int lane = lane_number(), first = my_runs();
#pragma unroll
    for (int k = 0; k < MANY; k++) {
        const unsigned vote = __ballot_sync(FULL, v[k] > 0);
        const int run = first + k * RUN;
        if (v[k] > 0)
            out[run + __popc(vote & lower_lanes())] = v[k];
        if (lane >= __popc(vote) && run + lane < n)
            out[run + lane] = 0;
    }
}

__global__ void count_of_four(const int *in, int *count, int n)
{
    int v[MANY], found = 0;
    load(v, in, n, 0);
#pragma unroll
    for (int k = 0; k < MANY; k++)
        found += __popc(__ballot_sync(FULL, v[k] > 0));
    if (lane_number() == 0 && found != 0)
        atomicAdd(count, found);
}

// Width as a template argument: 2^1 to 2^5.
template <int... LOG> static int start_below(const int *in, int *out, int n, int width, std::integer_sequence<int, LOG...>)
{
    const int blocks = (n + ELEMENTS - 1) / ELEMENTS;
    ((width == 2 << LOG ? below_of_four<(2 << LOG)><<<blocks, THREADS>>>(in, out, n) : void()), ...);
    return cudaGetLastError();
}

int run_sums(const int *in, int *sums, int n)
{
    if (n == 0)
        return cudaSuccess;
    sums_of_four<<<(n + ELEMENTS - 1) / ELEMENTS, THREADS>>>(in, sums, n);
    return cudaGetLastError();
}

int run_scans(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    scans_of_four<<<(n + ELEMENTS - 1) / ELEMENTS, THREADS>>>(in, out, n);
    return cudaGetLastError();
}

int below_largest(const int *in, int *out, int n, int width)
{
    return n == 0 ? (int)cudaSuccess : start_below(in, out, n, width, std::make_integer_sequence<int, 5>());
}

int positive_first(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    front_of_four<<<(n + ELEMENTS - 1) / ELEMENTS, THREADS>>>(in, out, n);
    return cudaGetLastError();
}

int count_positive(const int *in, int *count, int n)
{
    cudaError_t err = cudaMemsetAsync(count, 0, sizeof(int), 0);
    if (err == cudaSuccess && n != 0) {
        count_of_four<<<(n + ELEMENTS - 1) / ELEMENTS, THREADS>>>(in, count, n);
        return cudaGetLastError();
    }
    if (err != cudaSuccess)
        cudaGetLastError();
    return err;
}
