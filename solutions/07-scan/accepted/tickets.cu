// expect: pass
// exclusive_scan: each block adds up its stretch, one block scans the totals, each block scans its stretch from there.
// exclusive_scan_fast: one pass; a block draws a ticket and waits for the total of the one with the ticket before.
#include "lab.h"
#include "scan.h"

namespace {

typedef unsigned long long Word; // high half: 1 when the low half holds a total

constexpr int kRun = 256;
constexpr int kFast = 256;
constexpr int kEach = 8;
constexpr int kMostBlocks = 512;

// Memory that goes when its owner does.
template <typename T> class DeviceArray {
  public:
    explicit DeviceArray(size_t count) { status_ = cudaMalloc(&data_, count * sizeof(T)); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    T *get() const { return static_cast<T *>(data_); }
    cudaError_t status() const { return status_; }

  private:
    void *data_ = nullptr;
    cudaError_t status_;
};

// The inclusive scan of a warp.
__device__ __forceinline__ int warp_inclusive(int own)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int left = __shfl_up_sync(~0u, own, d);
        own += lane < d ? 0 : left;
    }
    return own;
}

// The inclusive scan of a block of kRun threads by doubling, with two arrays in turn: one barrier for each step.
__device__ int by_doubling(int own)
{
    __shared__ int row[2][kRun];
    const int t = threadIdx.x;
    int now = 0;
    row[now][t] = own;
    for (int d = 1; d < kRun; d <<= 1) {
        __syncthreads();
        own = row[now][t] + (t < d ? 0 : row[now][t - d]);
        now ^= 1;
        row[now][t] = own;
    }
    return own;
}

// What the threads before this one have, and what all have together.
template <int THREADS> __device__ int2 before_and_all(int own)
{
    __shared__ int of_warp[THREADS / 32 + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int mine = warp_inclusive(own);
    __syncthreads();
    if (lane == 31)
        of_warp[warp] = mine;
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        if (w == warp)
            before = all;
        all += of_warp[w];
    }
    return make_int2(before + mine - own, all);
}

__global__ void runs(const int *in, int *out, int n)
{
    const int i = blockIdx.x * kRun + threadIdx.x;
    const int sum = by_doubling(i < n ? in[i] : 0);
    if (i < n)
        out[i] = sum;
}

__global__ void totals(const int *in, int *total, int stretch, int n)
{
    const long long begin = (long long)blockIdx.x * stretch;
    const long long end = min(begin + stretch, (long long)n);
    int own = 0;
    for (long long i = begin + threadIdx.x; i < end; i += kRun)
        own += in[i];
    const int2 r = before_and_all<kRun>(own);
    if (threadIdx.x == 0)
        total[blockIdx.x] = r.y;
}

__global__ void scan_totals(int *total, int count)
{
    const int own = (int)threadIdx.x < count ? total[threadIdx.x] : 0;
    const int2 r = before_and_all<kMostBlocks>(own);
    if ((int)threadIdx.x < count)
        total[threadIdx.x] = r.x;
}

__global__ void scan_stretches(const int *in, int *out, const int *total, int stretch, int n)
{
    const long long begin = (long long)blockIdx.x * stretch;
    const long long end = min(begin + stretch, (long long)n);
    int carry = total[blockIdx.x];
    for (long long first = begin; first < end; first += kRun) {
        const long long i = first + threadIdx.x;
        const int own = i < end ? in[i] : 0;
        const int2 r = before_and_all<kRun>(own);
        if (i < end)
            out[i] = carry + r.x;
        carry += r.y;
    }
}

// word[0] counts tickets; word[1 + b] is what blocks 0 ... b have together.
__global__ void one_pass(const int *in, int *out, Word *word, int n)
{
    __shared__ int ticket, carry;
    if (threadIdx.x == 0)
        ticket = (int)atomicAdd(&word[0], 1ull);
    __syncthreads();
    const int first = ticket * (kFast * kEach) + threadIdx.x * kEach;
    int own[kEach], sum = 0;
#pragma unroll
    for (int k = 0; k < kEach; k++) {
        own[k] = first + k < n ? in[first + k] : 0;
        sum += own[k];
    }
    const int2 r = before_and_all<kFast>(sum);
    if (threadIdx.x == 0) {
        Word seen = 1ull << 32;
        while (ticket > 0 && ((seen = atomicAdd(&word[ticket], 0ull)) >> 32) == 0)
            ;
        carry = (int)(unsigned)seen;
        atomicExch(&word[1 + ticket], 1ull << 32 | (unsigned)(carry + r.y));
    }
    __syncthreads();
    int before = carry + r.x;
#pragma unroll
    for (int k = 0; k < kEach; k++) {
        if (first + k < n)
            out[first + k] = before;
        before += own[k];
    }
}

} // namespace

int scan_runs(const int *in, int *out, int n)
{
    if (n > 0)
        runs<<<(n - 1) / kRun + 1, kRun>>>(in, out, n);
    return n > 0 ? cudaGetLastError() : cudaSuccess;
}

int exclusive_scan(const int *in, int *out, int n)
{
    if (n <= 0)
        return cudaSuccess;
    const int all_runs = (n - 1) / kRun + 1;
    const int runs_each = (all_runs - 1) / kMostBlocks + 1;
    const int stretch = runs_each * kRun;
    const int blocks = (n - 1) / stretch + 1;
    DeviceArray<int> total(blocks);
    cudaError_t err = total.status();
    const auto launched = [&err](auto launch) {
        if (err == cudaSuccess) {
            launch();
            err = cudaGetLastError();
        }
    };
    launched([&] { totals<<<blocks, kRun>>>(in, total.get(), stretch, n); });
    launched([&] { scan_totals<<<1, kMostBlocks>>>(total.get(), blocks); });
    launched([&] { scan_stretches<<<blocks, kRun>>>(in, out, total.get(), stretch, n); });
    return err;
}

int exclusive_scan_fast(const int *in, int *out, int n)
{
    if (n <= 0)
        return cudaSuccess;
    const int blocks = (n - 1) / (kFast * kEach) + 1;
    DeviceArray<Word> word(1 + blocks);
    cudaError_t err = word.status();
    if (err == cudaSuccess)
        err = cudaMemsetAsync(word.get(), 0, (1 + blocks) * sizeof(Word));
    if (err == cudaSuccess) {
        one_pass<<<blocks, kFast>>>(in, out, word.get(), n);
        err = cudaGetLastError();
    }
    return err;
}
