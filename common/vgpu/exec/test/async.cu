// memcpy_async, cuda::barrier, cuda::pipeline and __pipeline_memcpy_async against results of the CPU; with an
// argument, one of three kernels that use a copy wrongly. For compute_80 (cp.async) and compute_90 (bulk
// copies).
#include <cstdio>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
static int failures;
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        if (e_) {                                                                                            \
            printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__);                                  \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)
enum { N = 1024, T = 128 };

__global__ void with_group(const float *in, float *out)
{
    __shared__ __align__(16) float s[T];
    cg::thread_block b = cg::this_thread_block();
    cg::memcpy_async(b, s, in + blockIdx.x * T, sizeof(float) * T);
    cg::wait(b);
    out[blockIdx.x * T + threadIdx.x] = s[T - 1 - threadIdx.x] * 2;
}
__global__ void with_barrier(const float *in, float *out)
{
    __shared__ __align__(16) float s[T];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    cg::thread_block b = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, T);
    b.sync();
    cuda::memcpy_async(b, s, in + blockIdx.x * T, cuda::aligned_size_t<16>(sizeof(float) * T), bar);
    bar.arrive_and_wait();
    out[blockIdx.x * T + threadIdx.x] = s[T - 1 - threadIdx.x] * 3;
    bar.arrive_and_wait();
    cuda::memcpy_async(s + threadIdx.x, in + (N - 1) - (blockIdx.x * T + threadIdx.x), sizeof(float), bar);
    auto token = bar.arrive();
    bar.wait(std::move(token));
    out[blockIdx.x * T + threadIdx.x] += s[T - 1 - threadIdx.x];
}
__global__ void with_pipeline(const float *in, float *out)
{
    constexpr int stages = 2;
    __shared__ __align__(16) float s[stages][T];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    cg::thread_block b = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(b, &state);
    float sum = 0;
    int chunks = N / T, next = 0;
    for (int i = 0; i < chunks; i++) {
        for (; next < chunks && next < i + stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(b, s[next % stages], in + next * T,
                               cuda::aligned_size_t<16>(sizeof(float) * T), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[i % stages][(threadIdx.x + 1) % T];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
__global__ void with_thread_pipeline(const float *in, float *out) // cuda::pipeline of one thread: groups
{
    __shared__ float s[2][T];
    auto pipe = cuda::make_pipeline();
    float sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    for (int i = 0; i < N / T; i++) {
        if (i + 1 < N / T) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(i + 1) % 2][threadIdx.x], in + (i + 1) * T + threadIdx.x, sizeof(float),
                               pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum += s[i % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
__global__ void with_primitives(const int4 *in, int4 *out, int n)
{
    __shared__ int4 s[T];
    int i = blockIdx.x * T + threadIdx.x;
    __pipeline_memcpy_async(&s[threadIdx.x], &in[i], 16, i < n ? 0 : 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = s[threadIdx.x ^ 1];
}
__global__ void producer_consumer(const float *in, float *out) // warp-specialised
{
    __shared__ float s[2][64];
    __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 128);
        init(&empty[threadIdx.x], 128);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        for (int i = 0; i < N / 64; i++) {
            if (i >= 2)
                empty[i % 2].arrive_and_wait();
            s[i % 2][threadIdx.x] = in[i * 64 + threadIdx.x];
            (void)full[i % 2].arrive();
        }
    } else {
        float sum = 0;
        for (int i = 0; i < N / 64; i++) {
            full[i % 2].arrive_and_wait();
            sum += s[i % 2][127 - threadIdx.x];
            if (i + 2 < N / 64)
                (void)empty[i % 2].arrive();
        }
        out[threadIdx.x - 64] = sum;
    }
}
__global__ void cg_reduce(const int *in, int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    v = cg::reduce(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0)
        atomicAdd(out, v);
}
__global__ void bug_no_wait(const float *in, float *out)
{
    __shared__ float s[T];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = s[threadIdx.x]; // line: read before the wait
    __pipeline_wait_prior(0);
}
__global__ void bug_no_barrier(const float *in, float *out)
{
    __shared__ float s[T];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[T - 1 - threadIdx.x]; // line: race: another thread's copy
}
__global__ void bug_early_copy(const float *in, float *out)
{
    __shared__ float s[T];
    s[threadIdx.x] = 1;
    __syncthreads();
    float v = s[T - 1 - threadIdx.x];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4); // line: race: others may still read
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = v + s[threadIdx.x];
}
static void check(const char *name, bool ok)
{
    printf("%s %s\n", ok ? "right" : "WRONG", name);
    failures += !ok;
}

int main(int argc, char **argv)
{
    float *in, *out, h[N];
    CK(cudaMallocManaged(&in, N * 4));
    CK(cudaMallocManaged(&out, N * 4));
    for (int i = 0; i < N; i++)
        in[i] = (float)(i * 37 % 101);
    bool ok = true;
    if (argc > 1) { // one of the wrong kernels
        if (argv[1][0] == '0')
            bug_no_wait<<<1, T>>>(in, out);
        if (argv[1][0] == '1')
            bug_no_barrier<<<1, T>>>(in, out);
        if (argv[1][0] == '2')
            bug_early_copy<<<1, T>>>(in, out);
        CK(cudaDeviceSynchronize());
        CK(cudaFree(in));
        CK(cudaFree(out));
        return 0;
    }
    with_group<<<N / T, T>>>(in, out);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        ok &= out[i] == in[i / T * T + T - 1 - i % T] * 2;
    check("cg::memcpy_async", ok);
    ok = true;
    with_barrier<<<N / T, T>>>(in, out);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        int m = i / T * T + T - 1 - i % T;
        ok &= out[i] == in[m] * 3 + in[N - 1 - m];
    }
    check("cuda::barrier with memcpy_async", ok);
    ok = true;
    with_pipeline<<<1, T>>>(in, out);
    CK(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        h[t] = 0;
        for (int i = 0; i < N / T; i++)
            h[t] += in[i * T + (t + 1) % T];
        ok &= h[t] == out[t];
    }
    check("cuda::pipeline of a block", ok);
    ok = true;
    with_thread_pipeline<<<1, T>>>(in, out);
    CK(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        h[t] = 0;
        for (int i = 0; i < N / T; i++)
            h[t] += in[i * T + t];
        ok &= h[t] == out[t];
    }
    check("cuda::pipeline of a thread", ok);
    ok = true;
    with_primitives<<<1, T>>>((const int4 *)in, (int4 *)out, 100);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < T; i++)
        for (int k = 0; k < 4; k++) {
            int j = i ^ 1;
            float w = j >= 100 && k >= 2 ? 0 : in[j * 4 + k];
            ok &= out[i * 4 + k] == w;
        }
    check("__pipeline_memcpy_async with zfill", ok);
    ok = true;
    producer_consumer<<<1, 128>>>(in, out);
    CK(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        h[t] = 0;
        for (int i = 0; i < N / 64; i++)
            h[t] += in[i * 64 + 63 - t];
        ok &= h[t] == out[t];
    }
    check("producer and consumer", ok);
    ok = true;
    int *ii = (int *)in, *io = (int *)out;
    long want = 0;
    io[0] = 0;
    for (int i = 0; i < N; i++) {
        ii[i] = i * 3;
        want += ii[i];
    }
    cg_reduce<<<N / T, T>>>(ii, io);
    CK(cudaDeviceSynchronize());
    check("cg::reduce", io[0] == want);
    cudaFree(in);
    cudaFree(out);
    printf("%d failures\n", failures);
    return failures != 0;
}
