// What a card can do at best, measured: the ceilings that versions are compared with, and what calibrates the model of time.
//
//   nvcc -O3 -arch=native -o ceilings ceilings.cu && ./ceilings      a line a figure: ceiling NAME VALUE UNIT
//
// Each figure is the best of several runs, timed by events; latencies come from the card's own clock. Chains of dependent
// operations give latencies, many independent ones give rates.
#include <cuda_runtime.h>
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 10

static void need(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "ceilings: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void tell(const char *name, double value, const char *unit)
{
    printf("ceiling\t%s\t%.6g\t%s\n", name, value, unit);
}

// The shortest time of `work` in milliseconds, after one run that does not count.
template <typename Work> static float best_ms(Work work)
{
    cudaEvent_t start, stop;
    float best = 1e30f;
    need(cudaEventCreate(&start), "an event");
    need(cudaEventCreate(&stop), "an event");
    for (int i = 0; i <= RUNS; i++) {
        float ms;
        need(cudaEventRecord(start), "an event");
        work();
        need(cudaEventRecord(stop), "an event");
        need(cudaEventSynchronize(stop), "a run");
        need(cudaGetLastError(), "a launch");
        need(cudaEventElapsedTime(&ms, start, stop), "the time");
        if (i > 0 && ms < best)
            best = ms;
    }
    cudaEventDestroy(start), cudaEventDestroy(stop);
    return best;
}

__global__ void nothing() {}

__global__ void copy(const float4 *from, float4 *to, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

__global__ void read_only(const float4 *from, float *to, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 x = from[i];
        sum += x.x + x.y + x.z + x.w;
    }
    if (sum == 1.2345f)
        *to = sum;
}

__global__ void multiply_add(float *to, int rounds)
{
    float a[8], x = threadIdx.x * 0.5f, y = 1.0f / (1 + blockIdx.x);
    for (int k = 0; k < 8; k++)
        a[k] = k;
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 8; k++)
            a[k] = fmaf(a[k], x, y);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[k];
    if (sum == 1.2345f)
        *to = sum;
}

// Halves times halves with sums in float, on the tensor cores: four products of 16 x 16 x 16 that do not depend on each other.
__global__ void tensor_multiply(float *to, int rounds)
{
    using namespace nvcuda;
    __shared__ __align__(32) float tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    wmma::fill_fragment(a, __float2half(0.001f));
    wmma::fill_fragment(b, __float2half(0.5f));
    for (int k = 0; k < 4; k++)
        wmma::fill_fragment(sum[k], k);
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 4; k++)
            wmma::mma_sync(sum[k], a, b, sum[k]);
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < sum[0].num_elements; i++)
            sum[0].x[i] += sum[k].x[i];
    if (sum[0].x[0] == 1.2345f) {
        wmma::store_matrix_sync(tile, sum[0], 16, wmma::mem_row_major);
        *to = tile[0];
    }
}

__global__ void integer_add(int *to, int rounds)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = k + threadIdx.x;
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 8; k++)
            a[k] = (a[k] ^ i) + a[(k + 1) & 7];
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[k];
    if (sum == 123456789)
        *to = sum;
}

__global__ void atomics_one(float *to)
{
    atomicAdd(to, 1.0f);
}

__global__ void atomics_int_one(int *to)
{
    atomicAdd(to, 1);
}

__global__ void atomics_spread(int *to, int mask)
{
    atomicAdd(to + ((blockIdx.x * blockDim.x + threadIdx.x) & mask), 1);
}

__global__ void atomics_shared(int *to, int rounds, int stride)
{
    __shared__ int bins[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = 0; i < rounds; i++)
        atomicAdd(&bins[(threadIdx.x * stride + i) & 1023], 1);
    __syncthreads();
    if (bins[0] == -1)
        *to = 1;
}

__global__ void shared_read(float *to, int rounds, int stride)
{
    __shared__ float tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += tile[(threadIdx.x * stride + i * 32) & 2047];
    if (sum == 1.2345f)
        *to = sum;
}

__global__ void barriers(int rounds)
{
    for (int i = 0; i < rounds; i++)
        __syncthreads();
}

// One thread follows a chain of places, each `step` bytes further, round a ring of `bytes`.
__global__ void chase(const unsigned *ring, unsigned steps, unsigned *where, long long *clocks)
{
    unsigned at = 0;
    for (unsigned i = 0; i < steps; i++)
        at = ring[at];
    long long start = clock64();
    for (unsigned i = 0; i < steps; i++)
        at = ring[at];
    *clocks = clock64() - start;
    *where = at;
}

__global__ void chase_shared(unsigned steps, unsigned *where, long long *clocks)
{
    __shared__ unsigned ring[256];
    for (int i = 0; i < 256; i++)
        ring[i] = (i + 33) & 255;
    unsigned at = 0;
    long long start = clock64();
    for (unsigned i = 0; i < steps; i++)
        at = ring[at];
    *clocks = clock64() - start;
    *where = at;
}

static void tell_memory(size_t bytes, int blocks)
{
    float4 *a, *b;
    need(cudaMalloc(&a, bytes), "memory");
    need(cudaMalloc(&b, bytes), "memory");
    need(cudaMemset(a, 0, bytes), "memset");
    size_t n = bytes / sizeof *a;
    tell("copy_kernel", 2.0 * bytes / best_ms([&] { copy<<<blocks, 1024>>>(a, b, n); }) / 1e6, "GB/s");
    tell("copy_one_each", 2.0 * bytes / best_ms([&] { copy<<<(unsigned)((n + 255) / 256), 256>>>(a, b, n); }) / 1e6, "GB/s");
    tell("copy_memcpy",
         2.0 * bytes / best_ms([&] { cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); }) / 1e6, "GB/s");
    tell("read_kernel", bytes / best_ms([&] { read_only<<<blocks, 1024>>>(a, (float *)b, n); }) / 1e6, "GB/s");
    tell("memset", bytes / best_ms([&] { cudaMemsetAsync(b, 0, bytes); }) / 1e6, "GB/s");
    size_t in_l2 = (size_t)8 << 20;
    tell("read_l2", 50.0 * in_l2 / best_ms([&] {
                        for (int i = 0; i < 50; i++)
                            read_only<<<blocks, 1024>>>(a, (float *)b, in_l2 / sizeof *a);
                    }) / 1e6,
         "GB/s");
    cudaFree(a), cudaFree(b);
}

// Copies in both directions at a time, each of `bytes`: in streams that the default stream, whose events enclose them, waits for.
static void tell_both_ways(void *host, void *device, size_t bytes)
{
    cudaStream_t in, out;
    need(cudaStreamCreate(&in), "a stream");
    need(cudaStreamCreate(&out), "a stream");
    tell("both_ways", 2.0 * bytes / best_ms([&] {
                          cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, in);
                          cudaMemcpyAsync((char *)host + bytes, (char *)device + bytes, bytes, cudaMemcpyDeviceToHost, out);
                      }) / 1e6,
         "GB/s");
    cudaStreamDestroy(in), cudaStreamDestroy(out);
}

static void tell_link(size_t bytes)
{
    void *host, *device;
    need(cudaMallocHost(&host, bytes), "pinned memory");
    need(cudaMalloc(&device, bytes), "memory");
    tell("host_to_device", bytes / best_ms([&] { cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice); }) / 1e6,
         "GB/s");
    tell("device_to_host", bytes / best_ms([&] { cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost); }) / 1e6,
         "GB/s");
    tell_both_ways(host, device, bytes / 2);
    tell("host_to_device_latency", 1e3 * best_ms([&] { cudaMemcpyAsync(device, host, 4, cudaMemcpyHostToDevice); }), "us");
    void *pageable = malloc(bytes);
    tell("host_to_device_pageable", bytes / best_ms([&] { cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice); }) / 1e6,
         "GB/s");
    free(pageable);
    cudaFreeHost(host), cudaFree(device);
}

static void tell_arithmetic(const cudaDeviceProp &p)
{
    float *to;
    int blocks = p.multiProcessorCount * 8, rounds = 4096;
    double threads = 256.0 * blocks;
    need(cudaMalloc(&to, 4096), "memory");
    need(cudaMemset(to, 0, 4096), "memset");
    tell("fma32", threads * rounds * 8 * 2 / best_ms([&] { multiply_add<<<blocks, 256>>>(to, rounds); }) / 1e9, "TFLOP/s");
    tell("tensor16", threads / 32 * rounds * 4 * 2 * 4096 / best_ms([&] { tensor_multiply<<<blocks, 256>>>(to, rounds); }) / 1e9, "TFLOP/s");
    tell("int32", threads * rounds * 16 / best_ms([&] { integer_add<<<blocks, 256>>>((int *)to, rounds); }) / 1e9, "Tops/s");
    tell("shared_read", threads * rounds * 4 / best_ms([&] { shared_read<<<blocks, 256>>>(to, rounds, 1); }) / 1e6, "GB/s");
    tell("shared_read_32_way", threads * rounds * 4 / best_ms([&] { shared_read<<<blocks, 256>>>(to, rounds, 32); }) / 1e6, "GB/s");
    tell("atomics_shared", threads * rounds / best_ms([&] { atomics_shared<<<blocks, 256>>>((int *)to, rounds, 1); }) / 1e6, "G/s");
    tell("atomics_shared_same", threads * rounds / best_ms([&] { atomics_shared<<<blocks, 256>>>((int *)to, rounds, 0); }) / 1e6, "G/s");
    tell("barrier", 1e6 * best_ms([&] { barriers<<<p.multiProcessorCount, 256>>>(100000); }) / 100000, "ns");
    cudaFree(to);
}

static void tell_atomics()
{
    int *to, blocks = 4096;
    double n = 256.0 * blocks;
    need(cudaMalloc(&to, 1 << 24), "memory");
    need(cudaMemset(to, 0, 1 << 24), "memset");
    tell("atomics_one_float", n / best_ms([&] { atomics_one<<<blocks, 256>>>((float *)to); }) / 1e6, "G/s");
    tell("atomics_one_int", n / best_ms([&] { atomics_int_one<<<blocks, 256>>>(to); }) / 1e6, "G/s");
    tell("atomics_256_ints", n / best_ms([&] { atomics_spread<<<blocks, 256>>>(to, 255); }) / 1e6, "G/s");
    tell("atomics_1M_ints", n / best_ms([&] { atomics_spread<<<blocks, 256>>>(to, (1 << 20) - 1); }) / 1e6, "G/s");
    cudaFree(to);
}

static double chase_clocks(size_t bytes, unsigned step, unsigned steps)
{
    unsigned n = (unsigned)(bytes / 4), *host = (unsigned *)malloc(bytes), *ring;
    long long *clocks, result;
    for (unsigned i = 0; i < n; i++)
        host[i] = (i + step / 4) % n;
    need(cudaMalloc(&ring, bytes), "memory");
    need(cudaMalloc(&clocks, 16), "memory");
    need(cudaMemcpy(ring, host, bytes, cudaMemcpyHostToDevice), "copy");
    chase<<<1, 1>>>(ring, steps, (unsigned *)(clocks + 1), clocks);
    need(cudaMemcpy(&result, clocks, sizeof result, cudaMemcpyDeviceToHost), "copy");
    cudaFree(ring), cudaFree(clocks), free(host);
    return (double)result / steps;
}

static void tell_latencies()
{
    long long *clocks, result;
    need(cudaMalloc(&clocks, 16), "memory");
    chase_shared<<<1, 1>>>(4096, (unsigned *)(clocks + 1), clocks);
    need(cudaMemcpy(&result, clocks, sizeof result, cudaMemcpyDeviceToHost), "copy");
    tell("latency_shared", result / 4096.0, "clocks");
    tell("latency_l1", chase_clocks(16 << 10, 128, 4096), "clocks");
    tell("latency_l2", chase_clocks(4 << 20, 1024, 4096), "clocks");
    tell("latency_dram", chase_clocks((size_t)512 << 20, 65536 + 4096, 4096), "clocks");
    cudaFree(clocks);
    tell("empty_kernel", 1e3 * best_ms([] { nothing<<<1, 32>>>(); }), "us");
    tell("empty_events", 1e3 * best_ms([] {}), "us");
    tell("launch", 1e3 * best_ms([] {
                       for (int i = 0; i < 1000; i++)
                           nothing<<<1, 32>>>();
                   }) / 1000,
         "us");
}

int main()
{
    cudaDeviceProp p;
    need(cudaGetDeviceProperties(&p, 0), "the device");
    int clock_khz = 0;
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
    printf("device\t%s\t%d\t%d\n", p.name, p.multiProcessorCount, clock_khz);
    tell_memory((size_t)1 << 30, p.multiProcessorCount * 2);
    tell_link((size_t)256 << 20);
    tell_arithmetic(p);
    tell_atomics();
    tell_latencies();
    return 0;
}
